#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/bindings.h"
#include "codegen/cpp_expr.h"
#include "codegen/local_names.h"
#include "codegen/lowering.h"
#include "codegen/program.h"
#include "codegen/writer.h"
#include "ir/analysis/connector_types.h"
#include "ir/analysis/scope_tree.h"
#include "ir/library_node.h"
#include "ir/place.h"
#include "support/by_name.h"

namespace sdfg {

struct LibraryPort;
struct ReducedDimensions;

Binding::Kind kind_of(const Data& data);
/// Does the container outlive a call?
bool belongs_to_program(const Data& data);

/// Where the code being printed runs.
struct Surroundings {
  bool parallel = false;  ///< more than one thread may execute it at the same time
  bool in_scope = false;  ///< inside a map: further maps default to sequential
  bool device = false;    ///< inside a kernel
  int batch = 1;          ///< in a kernel: iterations whose loads go ahead in counted loops
  bool shared_block = false;  ///< of a kernel with thread-block maps, outside of these
  std::int64_t stack = 0;     ///< bytes that arrays around take of the thread's stack
};

/// Something that is repeated in device code (the thread itself, a loop): what is declared before
/// its body, once the body is known.
struct Frame {
  std::size_t mark = 0;   ///< where its body begins
  SymbolSet defines;      ///< symbols that have a value in it only
  Writer declarations;
  std::map<std::string, std::string> names;    ///< of what is declared, by its text
};

/// Loads of the next iterations of a loop, which go ahead of what these compute.
struct Batch {
  Frame frame;           ///< of the loop that loads
  std::set<std::string> written;  ///< memory that the loop writes: not loaded ahead
  std::size_t depth = 0; ///< frames around the body
  int conditional = 0;   ///< branches around the loop
  std::string u;         ///< which of the iterations
  std::map<std::string, std::string> names;  ///< of what is loaded, by its text
  std::vector<std::string> declarations, loads;
};

/// A loop whose iterations are counted by a variable that all threads agree on.
struct CountedLoop {
  std::string variable;
  std::int64_t step = 1;
};

/// A parameter of a kernel's map that runs over the threads of a block: begin + step * lane.
struct LaneParam {
  Expr begin;
  std::int64_t step = 1;
  std::string lane;
};

/// What is known about one state before it is printed.
struct StatePlan {
  const State& state;
  const std::vector<NodeId>& order;
  const ScopeTree& tree;
  /// Access nodes by container, in order.
  std::map<std::string_view, std::vector<NodeId>> accesses{};
  /// By node id of an entry (the state itself: at the end): the scope's direct children in order.
  std::vector<std::vector<NodeId>> children{};
  /// Containers to declare, by the entry of the scope (none: the state itself), by name.
  std::map<NodeId, std::vector<std::string>> declared{};
  /// What is updated (with conflict resolution, or by a nested SDFG) in scopes: by the entry of the
  /// outermost one, and by container ("" for all views). None: it is not known which elements.
  std::map<std::pair<NodeId, std::string_view>, std::vector<const Subset*>> updates{};
  /// Containers of the whole function whose sizes are only known once this state is reached.
  std::set<std::string> sized_here{};

  const std::vector<NodeId>& inside(NodeId entry) const {
    return entry ? children[entry.value] : children.back();
  }
  /// The entry of the outermost scope around the node; none at the top level.
  NodeId outermost(NodeId node) const {
    NodeId entry = tree.parent_of(node);
    while (entry && tree.parent_of(entry)) entry = tree.parent_of(entry);
    return entry;
  }
};

/// Prints one SDFG as a function. Nested SDFGs become functions of their own, printed before it.
class SdfgFunction {
 public:
  SdfgFunction(Program& program, const Sdfg& sdfg, std::string name, Surroundings surroundings,
               Place place, std::string caller = {});

  /// A parameter and what a caller passes for it.
  struct Parameter {
    std::string declaration;  ///< "const double* __restrict__ A"
    std::string identifier;   ///< "A"
    std::string argument;
  };
  void bind(const std::string& container, Binding binding) { bindings_[container] = binding; }
  /// Prints the function into Program::functions. Returns the arguments of the parameters that the
  /// body uses, in order, with the state's pointer first when it is used.
  std::vector<std::string> emit(std::vector<Parameter> parameters, bool always_inline);

  /// The type a symbol has inside functions: integers of up to 64 bits are int64_t there, so that
  /// products of sizes and strides do not overflow.
  static std::string symbol_type(const Type& type);

 private:
  // sdfg_function.cpp
  void declare_symbols(Writer& out, const std::set<std::string>& parameters);
  void fail(const Place& place, std::string message, std::string hint = {});
  std::string type_name(const Type& type, const Place& place);
  std::string local_name(const std::string& base) const;

  // allocation.cpp
  void plan();
  void plan_region(const Region& region, const Place& place);
  void plan_state(const State& state, const Place& place);
  /// Results stay the same without what Save writes, but not without what Restore reads.
  void note_instrumentation(DataInstrumentation kind, const Place& place);
  void place_containers();
  void declare(Writer& out, const std::string& name, const Place& place, Surroundings& where);
  void declare_late(Writer& out, const std::string& name, const std::string& memory, bool device,
                    const Place& place);
  void declare_in_state_struct(Writer& out, const std::string& name, const Place& place);
  std::string memory_for(const std::string& name, const Place& place, bool local);
  bool is_late(const Data& data) const;
  bool has_setzero(const std::string& name) const { return zeroed_.contains(name); }

  // device_allocation.cpp
  void declare_in_kernel(Writer& out, const std::string& name, const Place& place);
  void declare_on_device(Writer& out, const std::string& name, const Place& place);

  // device_memory.cpp
  void plan_device_memory(Writer& out);

  // control_flow.cpp
  struct Jumps {
    std::string continue_label;  ///< where `continue` goes; empty: the C++ statement does it
    bool in_loop = false;
  };
  void emit_region(Writer& out, const Region& region, const Place& place, const Jumps& jumps);
  void emit_with_jumps(Writer& out, const Region& region, const std::vector<BlockId>& order,
                       const Place& place, const Jumps& jumps);
  void emit_block(Writer& out, const Block& block, const Place& place, const Jumps& jumps);
  void emit_loop(Writer& out, const Block& block, const LoopRegion& loop, const Place& place);
  void emit_conditional(Writer& out, const ConditionalBlock& block, const Place& place,
                        const Jumps& jumps);
  void emit_assignments(Writer& out, const InterstateEdge& edge, const Place& place);
  std::string condition(const Code& code, const Place& place);
  std::string narrowed(std::string text, const Type& symbol, const Expr& value) const;
  std::string loop_statement(const RareOptional<Code>& code, const Place& place);
  std::string interstate_expr(const Expr& expr, const Place& place);

  // scopes.cpp
  struct At;  ///< the state being printed, and where in it
  void emit_state(Writer& out, const State& state, const std::string& label, const Place& place);
  void emit_children(At& at, NodeId entry);
  void emit_node(At& at, NodeId node);
  void emit_access(At& at, NodeId node);
  void emit_consume(At& at, NodeId node);
  void declare_scope(At& at, NodeId entry);
  void declare_views(At& at, NodeId entry);
  void read_dynamic_inputs(At& at, NodeId node);

  // maps.cpp
  struct MapRun;
  void emit_map(At& at, NodeId node);
  void emit_loops(At& at, NodeId node, const MapRun& run);
  void emit_map_body(At& at, NodeId node, bool shared);
  bool vectorizable(const At& at, NodeId entry) const;

  // memlets.cpp
  std::string named(const std::string& symbol) const;
  // Places are those that messages name; they must outlive the printer.
  CppExpr between_states(const Place& place) const;
  CppExpr symbolic(const Place& place) const;
  CppExpr symbolic() const { return symbolic(place_); }
  std::string print(const Expr& expr, const Place& place) const;
  Binding binding(const std::string& container, const Place& place);
  Binding member(Binding base, std::string_view path, const Place& place) const;
  std::optional<Binding> memory_named(const Expr& expr, const Place& place) const;
  Binding end_binding(At& at, NodeId node, const std::string& container);
  std::string offset(const Data& data, const std::vector<Expr>& index, const Place& place) const;
  std::string element(const Binding& binding, const Subset& subset, const Place& place) const;
  std::string pointer(const Binding& binding, const Subset& subset, const Place& place) const;
  Subset subset_or_whole(const std::optional<Subset>& subset, const Data& data) const;
  std::string stream_element(const Binding& stream, const Subset& subset, const Place& place) const;

  // kernels.cpp
  struct KernelText;
  void emit_kernel(At& at, NodeId node);
  void emit_thread_map(At& at, NodeId node);
  bool for_one_thread(At& at, NodeId node);
  void index_space(At& at, NodeId node, KernelText& kernel);
  std::string thread_body(At& at, NodeId node, KernelText& kernel);
  std::string block_body(At& at, NodeId node, KernelText& kernel);
  std::string grid(const KernelText& kernel) const;

  // kernel_names.cpp
  std::vector<std::string_view> named_in_kernel(const At& at, NodeId node,
                                                std::vector<NodeId> nodes) const;
  void bind_for_kernel(At& at, NodeId node, KernelText& kernel);
  void kernel_parameters(const At& at, KernelText& kernel, const std::string& body);

  // device_access.cpp
  struct Address {
    std::string row, lane;
    bool narrow = false;  ///< the lane is not negative and fits 32 bits as bytes
  };
  bool reachable(const Binding& binding, const std::string& container, const Place& place,
                 bool one = false);
  bool uniform(const Expr& expr) const;
  struct IndexParts;
  IndexParts index_parts(const Expr& index, const Expr& offset) const;
  std::string lookup(const std::vector<Expr>& terms, const CppExpr& lanes, int& summands) const;
  Address address(const Binding& binding, const std::vector<Expr>& index,
                  const CppExpr& lanes) const;
  std::string load(const At& at, EdgeId edge, const Binding& binding, const Subset& subset,
                   const Place& place) const;
  std::optional<std::string> load_ahead(const Binding& binding, const Subset& subset,
                                        const Place& place) const;
  std::optional<std::string> load_once(const Binding& binding, const Subset& subset,
                                       const Place& place) const;
  std::optional<CountedLoop> counted(const LoopRegion& loop) const;
  bool emit_batched(Writer& out, const LoopRegion& loop, const CountedLoop& counted,
                    const Place& place);
  void emit_counted_body(Writer& out, const LoopRegion& loop, const CountedLoop& counted,
                         const Place& place);
  bool is_final(const At& at, EdgeId write) const;
  bool known_to_host(const Expr& expr) const;
  std::string host_value(const std::string& stem, const std::string& text,
                         const std::string& type = "int64_t") const;
  std::string pitch(const Binding& binding, const Expr& stride, const Expr& rows) const;
  void open_frame(const Writer& out, const std::vector<std::string>& defines);
  void close_frame(Writer& out);
  std::string row(const Binding& binding, const std::string& first, const std::string& offset,
                  const std::vector<Expr>& depends) const;
  bool passes_first(const Binding& binding) const;
  std::string row_pointer(const Binding& binding, const std::string& of_host, std::string shared,
                          const std::vector<Expr>& depends) const;
  std::string element_at(const Binding& binding, const std::vector<Expr>& index,
                         const CppExpr& lanes) const;

  // tasklets.cpp, tasklet_ports.cpp
  class TaskletEmitter;
  void emit_tasklet(At& at, NodeId node);

  // conflicts.cpp
  void plan_updates(StatePlan& plan) const;
  bool conflicts(At& at, EdgeId edge, const Binding& target, const Subset& subset) const;
  std::string update(At& at, EdgeId edge, const Binding& target, const Subset& subset,
                     const std::string& address, const std::string& value);
  std::string reduction_operator(const Code& wcr, const Type& type, const Place& place);

  // copies.cpp
  class CopyEmitter;
  void emit_copy(At& at, EdgeId edge, NodeId source, NodeId target);

  // nested.cpp
  class NestedEmitter;
  std::string function(const std::string& name) const;
  void emit_nested(At& at, NodeId node);
  void pass_lane(SdfgFunction& callee, std::vector<Parameter>& parameters,
                 const std::string& symbol, const Expr& value, const Place& place);

  // library.cpp
  void emit_library(At& at, NodeId node);
  LibraryPort library_port(At& at, EdgeId edge, bool input);
  std::string strided(const std::vector<Expr>& strides,
                      const std::vector<std::string>& index) const;
  std::string print_code(const Expr& expr, const Place& place) const;
  void emit_reduce(At& at, NodeId node, const Reduce& reduce);
  void emit_pointwise(At& at, NodeId node, const Pointwise& pointwise,
                      const ByName<LibraryPort>& in, const ByName<LibraryPort>& out);
  void emit_reduce_skip(At& at, NodeId node, const ReduceWithSkipValues& reduce,
                        const ByName<LibraryPort>& in,
                        const ByName<LibraryPort>& out);

  // device_library.cpp
  bool library_runs_here(const LibraryOperation& operation,
                         const ByName<LibraryPort>& in,
                         const ByName<LibraryPort>& out,
                         const Place& place);
  void emit_far_reduce(At& at, NodeId id, const Reduce& reduce, const LibraryPort& in,
                       const LibraryPort& out, const ReducedDimensions& dims);
  void emit_far_move(Writer& out, const LibraryPort& from,
                     const std::vector<std::size_t>& from_dims, const LibraryPort& to,
                     const std::vector<std::size_t>& to_dims, const Place& place);

  // linear_algebra.cpp
  void emit_linear_algebra(At& at, NodeId node, const LibraryOperation& operation,
                           ByName<LibraryPort>& in,
                           ByName<LibraryPort>& out);
  std::string matrix(const LibraryPort& port, std::size_t row, std::size_t column,
                     const Place& place);

  Program& program_;
  const Sdfg& sdfg_;
  std::string name_;
  Surroundings surroundings_;
  Place place_;
  std::string caller_;  ///< the function that calls this one; empty for the program
  TypeTable types_;
  TypeTable input_types_;  ///< of dynamic inputs of the maps so far
  struct Name {
    std::string name;
    bool symbol = false;
  };
  /// Symbols, typed or assigned, by what they are called in the text, and containers by their
  /// names; made for the first kernel.
  ByWord<Name> names_;
  Bindings bindings_;

  // allocation.cpp
  std::deque<StatePlan> plans_;
  std::unordered_map<const State*, StatePlan*> plan_of_;  ///< looked up only
  std::vector<std::string> function_level_;
  SymbolSet assigned_;      ///< symbols that interstate edges and loops assign
  std::set<std::string> parameters_;  ///< of the function, as the text calls them
  SymbolSet control_reads_; ///< names that control flow reads
  std::set<std::string> zeroed_;

  mutable LocalNames used_names_;
  int labels_ = 0;

  ByName<std::string> device_addresses_;  ///< in the program's block
  /// Statements that make room for containers whose sizes are known in states only.
  ByName<std::vector<std::string>> late_;

  // Device code.
  bool on_device_ = false;
  mutable std::vector<Frame> frames_;  ///< around what is being printed, outermost first
  ByName<LaneParam> lane_params_;
  /// The kernel's second parameter, begin + step * lane, where `lane` is an int that a row of
  /// threads shares: what the begin contributes to addresses is the host's business.
  std::optional<std::pair<std::string, LaneParam>> row_param_;
  /// Pointers that the kernel being printed gets, by their names in it: what the host calls them.
  ByName<std::string> host_pointers_;
  SymbolSet code_names_;  ///< of the tasklet being printed: they hide symbols
  /// Expressions of the kernel being printed that the host computes: their names, by type and text.
  mutable std::map<std::pair<std::string, std::string>, std::string> host_values_;
  struct Printed {
    std::string name;
    std::vector<std::string> parameters;  ///< those that it uses
  };
  std::map<const NestedSdfg*, Printed> printed_;
  bool in_kernel_itself_ = false;
  const std::set<std::string>* kernel_writes_ = nullptr;
  mutable Batch* batch_ = nullptr;
  int conditional_ = 0;  ///< branches around what is being printed
  SymbolSet lanes_;  ///< symbols that differ between the threads of a block
};

/// The state being printed, and where in it.
struct SdfgFunction::At {
  Writer& out;
  const State& state;
  const StatePlan& plan;
  Place place;
  Surroundings where;
  std::map<NodeId, Binding> views;  ///< by access node
  std::set<std::string> view_names; ///< that are declared
  std::map<EdgeId, std::string> code_variables;
  std::set<std::string> pending;    ///< scalars that their only write declares
  /// Parameters of the parallel maps around, and of all maps around.
  std::set<std::string> parallel_params, params;
  NodeId kernel{};  ///< the entry of the map that is being made a kernel
  std::size_t kernel_params = 0;  ///< parameters of it and of all maps around

  Place node_place(NodeId node) const { return place.node(state, node); }
  Place edge_place(EdgeId edge) const { return place.edge(state, edge); }
};

/// Does the subset name one element, as it is written? Cheaper than counting.
bool is_one_element(const Subset& subset);

/// Is it made of integers and symbols alone, so that symbolic text and code mean the same?
bool is_plain(const Expr& expr);

}  // namespace sdfg
