#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/code.h"
#include "ir/element.h"
#include "ir/enums.h"
#include "ir/graph.h"
#include "ir/memlet.h"
#include "ir/property.h"
#include "ir/subset.h"
#include "ir/type.h"
#include "support/box.h"
#include "support/by_name.h"
#include "support/rare.h"

namespace sdfg {

struct Sdfg;
struct Node;
struct Edge;
struct StateTag;
using StateGraph = Graph<Node, Edge, StateTag>;
using NodeId = Id<StateTag>;
using EdgeId = Id<EdgeOf<StateTag>>;

/// Reads or writes one data container: in-edges write it, out-edges read it.
/// When both are present, every write happens before every read.
struct AccessNode {
  std::string data;
  bool setzero = false;
  DataInstrumentation instrument = DataInstrumentation::None;
  Rare<Code, TrueCpp> instrument_condition;

  static constexpr std::string_view kind = "AccessNode";
  static constexpr auto properties = property_list(
      property("data", &AccessNode::data, "key into Sdfg::arrays; dotted for a structure's member"),
      property("setzero", &AccessNode::setzero, "fill with zeros before the first write"),
      property("instrument", &AccessNode::instrument),
      property("instrument_condition", &AccessNode::instrument_condition));
  bool operator==(const AccessNode&) const = default;
};

/// Code that touches data only through its connectors; symbols are readable by name.
struct Tasklet {
  std::string label;
  Code code;
  Rare<std::vector<std::string>> state_fields;
  Rare<Code, NoCpp> code_global, code_init, code_exit;
  Instrumentation instrument = Instrumentation::None;
  std::optional<bool> side_effects;  ///< not set: only if Python code calls a callback
  Rare<std::vector<std::string>> ignored_symbols;
  Rare<ByName<Expr>> location;
  Rare<std::vector<std::string>> environments;

  static constexpr std::string_view kind = "Tasklet";
  static constexpr auto properties = property_list(
      property("label", &Tasklet::label), property("code", &Tasklet::code),
      property("state_fields", &Tasklet::state_fields, "declarations in the program's state"),
      property("code_global", &Tasklet::code_global), property("code_init", &Tasklet::code_init),
      property("code_exit", &Tasklet::code_exit), property("instrument", &Tasklet::instrument),
      property("side_effects", &Tasklet::side_effects),
      property("ignored_symbols", &Tasklet::ignored_symbols),
      property("location", &Tasklet::location), property("environments", &Tasklet::environments));
  bool operator==(const Tasklet&) const = default;
};

struct ZeroText {
  std::string operator()() const { return "0"; }
};

/// Opens a parametric scope: its body runs once for every point of `ranges`, in no particular
/// order. Ranges are evaluated once, on entry. In-connectors that do not start with IN_ are
/// dynamic range inputs: inside the scope (and in its ranges) they are symbols.
/// The map is stored here only; MapExit names its entry.
struct MapEntry {
  std::string label;
  std::vector<std::string> params;
  std::vector<Range> ranges;
  Schedule schedule = Schedule::Default;
  bool unroll = false;
  std::int64_t unroll_factor = 0;
  std::int64_t collapse = 1;
  bool is_collapsed = false;
  Instrumentation instrument = Instrumentation::None;
  std::int64_t omp_num_threads = 0;
  OmpSchedule omp_schedule = OmpSchedule::Default;
  std::int64_t omp_chunk_size = 0;
  RareOptional<std::vector<std::int64_t>> gpu_block_size;
  Rare<std::string, ZeroText> gpu_launch_bounds;
  std::int64_t gpu_min_warps_per_eu = 0;
  std::int64_t gpu_maxnreg = 0;
  bool gpu_force_syncthreads = false;

  static constexpr std::string_view kind = "MapEntry";
  static constexpr auto properties = property_list(
      property("label", &MapEntry::label),
      property("params", &MapEntry::params, "one symbol per dimension, outermost first"),
      property("range", &MapEntry::ranges, "one range per dimension"),
      property("schedule", &MapEntry::schedule, "who runs the iterations"),
      property("unroll", &MapEntry::unroll), property("unroll_factor", &MapEntry::unroll_factor),
      property("collapse", &MapEntry::collapse, "dimensions that OpenMP collapses"),
      property("is_collapsed", &MapEntry::is_collapsed, "shown closed in viewers"),
      property("instrument", &MapEntry::instrument),
      property("omp_num_threads", &MapEntry::omp_num_threads, "0: OpenMP decides"),
      property("omp_schedule", &MapEntry::omp_schedule),
      property("omp_chunk_size", &MapEntry::omp_chunk_size),
      property("gpu_block_size", &MapEntry::gpu_block_size, "threads in x, y, z"),
      property("gpu_launch_bounds", &MapEntry::gpu_launch_bounds, "0: from the block size"),
      property("gpu_min_warps_per_eu", &MapEntry::gpu_min_warps_per_eu),
      property("gpu_maxnreg", &MapEntry::gpu_maxnreg),
      property("gpu_force_syncthreads", &MapEntry::gpu_force_syncthreads));
  bool operator==(const MapEntry&) const = default;
};

/// Does the range of this dimension mention a parameter of one before it, so that the map's points
/// are no box? (A parameter's own name, or that of a later one, is a symbol outside.)
bool depends_on_earlier(const MapEntry& map, std::size_t dimension);
bool is_rectangular(const MapEntry& map);

struct MapExit {
  NodeId entry;

  static constexpr std::string_view kind = "MapExit";
  static constexpr auto properties = property_list();
  static constexpr std::size_t structural = 1;
  bool operator==(const MapExit&) const = default;
};

/// Opens a scope whose body runs once for every `chunksize` elements popped from the stream at
/// IN_stream, by `num_pes` processing elements, until the stream is empty and `condition` holds.
struct ConsumeEntry {
  std::string label;
  std::string pe_index;
  Expr num_pes = 1;
  RareOptional<Code> condition;  ///< quiescence: stop when it holds; none: when empty
  Schedule schedule = Schedule::Default;
  std::int64_t chunksize = 1;
  bool is_collapsed = false;
  Instrumentation instrument = Instrumentation::None;

  static constexpr std::string_view kind = "ConsumeEntry";
  static constexpr auto properties = property_list(
      property("label", &ConsumeEntry::label), property("pe_index", &ConsumeEntry::pe_index),
      property("num_pes", &ConsumeEntry::num_pes),
      property("condition", &ConsumeEntry::condition, "stop when it holds; none: when empty"),
      property("schedule", &ConsumeEntry::schedule),
      property("chunksize", &ConsumeEntry::chunksize),
      property("is_collapsed", &ConsumeEntry::is_collapsed),
      property("instrument", &ConsumeEntry::instrument));
  bool operator==(const ConsumeEntry&) const = default;
};

struct ConsumeExit {
  NodeId entry;

  static constexpr std::string_view kind = "ConsumeExit";
  static constexpr auto properties = property_list();
  static constexpr std::size_t structural = 1;
  bool operator==(const ConsumeExit&) const = default;
};

/// Calls an SDFG. Connectors are the non-transient containers inside, passed by reference: element
/// 0 of the inner container is the first element of the outer memlet's subset.
struct NestedSdfg {
  std::string label;
  std::optional<Box<Sdfg>> sdfg;  ///< none: in the file at ext_sdfg_path, not loaded
  ByName<Expr> symbol_mapping;  ///< inner symbol: outer expression
  RareOptional<std::string> ext_sdfg_path;
  bool is_collapsed = false;
  Instrumentation instrument = Instrumentation::None;
  bool no_inline = false;
  Rare<std::string> unique_name;
  Rare<ByName<Expr>> location;
  Rare<std::vector<std::string>> environments;

  // Defined where Sdfg is complete (sdfg.cpp).
  NestedSdfg();
  NestedSdfg(const NestedSdfg&);
  NestedSdfg(NestedSdfg&&) noexcept;
  NestedSdfg& operator=(const NestedSdfg&);
  NestedSdfg& operator=(NestedSdfg&&) noexcept;
  ~NestedSdfg();
  bool operator==(const NestedSdfg&) const;

  static constexpr std::string_view kind = "NestedSDFG";
  static constexpr auto properties = property_list(
      property("label", &NestedSdfg::label),
      property("symbol_mapping", &NestedSdfg::symbol_mapping, "inner symbol: outer expression"),
      property("ext_sdfg_path", &NestedSdfg::ext_sdfg_path),
      property("is_collapsed", &NestedSdfg::is_collapsed),
      property("instrument", &NestedSdfg::instrument),
      property("no_inline", &NestedSdfg::no_inline),
      property("unique_name", &NestedSdfg::unique_name, "share code under this name"),
      property("location", &NestedSdfg::location),
      property("environments", &NestedSdfg::environments));
};

/// An operation known by its class path, to be expanded into an SDFG or code. Its own properties
/// are JSON texts in Node::extras (`axes`, `wcr`, …); library_node.h reads those we know.
struct LibraryNode {
  std::string classpath;  ///< "dace.libraries.standard.nodes.reduce.Reduce"
  std::string label;
  std::string name;
  RareOptional<std::string> implementation;
  Schedule schedule = Schedule::Default;
  Instrumentation instrument = Instrumentation::None;
  Rare<ByName<Expr>> location;
  Rare<std::vector<std::string>> environments;

  static constexpr std::string_view kind = "LibraryNode";
  static constexpr auto properties =
      property_list(property("label", &LibraryNode::label), property("name", &LibraryNode::name),
                    property("implementation", &LibraryNode::implementation),
                    property("schedule", &LibraryNode::schedule),
                    property("instrument", &LibraryNode::instrument),
                    property("location", &LibraryNode::location),
                    property("environments", &LibraryNode::environments));
  static constexpr std::size_t structural = 1;  // classpath stands beside `type`
  bool operator==(const LibraryNode&) const = default;
};

/// A node of a kind we do not know (PipelineEntry of old files, another program's). Carried; all
/// its attributes but connectors, guid and debuginfo are in Node::extras. If the file says that it
/// opens a scope it still does.
struct OtherNode {
  std::string type;
  std::string label;
  std::optional<NodeId> entry;  ///< set for the exit of a scope
  bool operator==(const OtherNode&) const = default;
};

/// Connector names and types, sorted by name (their order carries no meaning).
using Connectors = ByName<Type>;

/// A node of a state: what all kinds have in common, around the kind.
struct Node {
  using Kind = std::variant<AccessNode, Tasklet, MapEntry, MapExit, ConsumeEntry, ConsumeExit,
                            NestedSdfg, LibraryNode, OtherNode>;
  Kind kind;
  Connectors in_connectors{}, out_connectors{};
  RareOptional<DebugInfo> debuginfo{};
  std::string guid{};
  Extras extras{};
  Origin origin{};

  Node(Kind kind = {}, Connectors in_connectors = {}, Connectors out_connectors = {});
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  template <class K>
  bool is() const {
    return std::holds_alternative<K>(kind);
  }
  template <class K>
  const K* as() const {
    return std::get_if<K>(&kind);
  }
  template <class K>
  K* as() {
    return std::get_if<K>(&kind);
  }
  /// K's number among the kinds. A node keeps its kind while it is in a state (Graph remembers it).
  template <class K>
  static constexpr std::uint8_t number_of = [] {
    const auto find = []<class... Ks>(std::type_identity<std::variant<Ks...>>) {
      std::uint8_t at = 0;
      static_cast<void>(((std::is_same_v<K, Ks> || (++at, false)) || ...));
      return at;
    };
    return find(std::type_identity<Kind>());
  }();
  std::uint8_t fixed_kind() const { return std::uint8_t(kind.index()); }
  bool is_entry() const { return is<MapEntry>() || is<ConsumeEntry>(); }
  bool is_exit() const { return is<MapExit>() || is<ConsumeExit>(); }
  /// Runs something: tasklet, nested SDFG or library node.
  bool is_code() const { return is<Tasklet>() || is<NestedSdfg>() || is<LibraryNode>(); }
  /// DaCe's class name.
  std::string_view kind_name() const;
  /// The name a person knows it by: container or label; "" for exits.
  std::string_view label() const;
  bool operator==(const Node&) const = default;
};

/// An edge of a state. An empty connector name means none.
struct Edge {
  std::string src_connector, dst_connector;
  Memlet memlet;
  Extras extras{};

  Edge();
  Edge(std::string src_connector, std::string dst_connector, Memlet memlet = {});
  Edge(const Edge&);
  Edge(Edge&&) noexcept;
  Edge& operator=(const Edge&);
  Edge& operator=(Edge&&) noexcept;
  ~Edge();
  bool operator==(const Edge&) const = default;
};

/// "IN_A" <-> "OUT_A": how a connector of a scope node continues on its other side; "" for others.
std::string matching_connector(std::string_view connector);

}  // namespace sdfg
