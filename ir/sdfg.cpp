#include "ir/sdfg.h"

#include "ir/names.h"
#include "support/text.h"

namespace sdfg {

template class Graph<Node, Edge, StateTag>;
template class Graph<Block, InterstateEdge, RegionTag>;

// Each field of these is a property, else it would be missing in JSON, text and comparison.
static_assert(Described<DebugInfo> && Described<Range> && Described<Memlet> && Described<Scalar> &&
              Described<Array> && Described<Stream> && Described<Data> && Described<AccessNode> &&
              Described<Tasklet> && Described<MapEntry> && Described<MapExit> &&
              Described<ConsumeEntry> && Described<ConsumeExit> && Described<LibraryNode> &&
              Described<InterstateEdge>);

Node::Node(Kind kind, Connectors in_connectors, Connectors out_connectors)
    : kind(std::move(kind)),
      in_connectors(std::move(in_connectors)),
      out_connectors(std::move(out_connectors)) {}
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

Edge::Edge() = default;
Edge::Edge(std::string src_connector, std::string dst_connector, Memlet memlet)
    : src_connector(std::move(src_connector)),
      dst_connector(std::move(dst_connector)),
      memlet(std::move(memlet)) {}
Edge::Edge(const Edge&) = default;
Edge::Edge(Edge&&) noexcept = default;
Edge& Edge::operator=(const Edge&) = default;
Edge& Edge::operator=(Edge&&) noexcept = default;
Edge::~Edge() = default;

Block::Block() = default;
Block::Block(std::string label, Kind kind) : label(std::move(label)), kind(std::move(kind)) {}
Block::Block(const Block&) = default;
Block::Block(Block&&) noexcept = default;
Block& Block::operator=(const Block&) = default;
Block& Block::operator=(Block&&) noexcept = default;
Block::~Block() = default;

NestedSdfg::NestedSdfg() = default;
NestedSdfg::NestedSdfg(const NestedSdfg&) = default;
NestedSdfg::NestedSdfg(NestedSdfg&&) noexcept = default;
NestedSdfg& NestedSdfg::operator=(const NestedSdfg&) = default;
NestedSdfg& NestedSdfg::operator=(NestedSdfg&&) noexcept = default;
NestedSdfg::~NestedSdfg() = default;
bool NestedSdfg::operator==(const NestedSdfg&) const = default;

bool ConditionalBlock::operator==(const ConditionalBlock&) const = default;

Sdfg::Sdfg() = default;
Sdfg::Sdfg(const Sdfg&) = default;
Sdfg::Sdfg(Sdfg&&) noexcept = default;
Sdfg& Sdfg::operator=(const Sdfg&) = default;
Sdfg& Sdfg::operator=(Sdfg&&) noexcept = default;
Sdfg::~Sdfg() = default;

bool Sdfg::operator==(const Sdfg& b) const {
  // Everything but `source`. dace_version and dialect are what the file said, so they count.
  return static_cast<const Region&>(*this) == static_cast<const Region&>(b) && name == b.name &&
         arg_names == b.arg_names && constants == b.constants && arrays == b.arrays &&
         symbols == b.symbols && instrument == b.instrument && global_code == b.global_code &&
         init_code == b.init_code && exit_code == b.exit_code &&
         openmp_sections == b.openmp_sections && debuginfo == b.debuginfo &&
         callback_mapping == b.callback_mapping &&
         using_explicit_control_flow == b.using_explicit_control_flow &&
         is_collapsed == b.is_collapsed && guid == b.guid && extras == b.extras &&
         dace_version == b.dace_version && dialect == b.dialect && root_extras == b.root_extras;
}

const Data* Sdfg::find_data(std::string_view name) const {
  if (const Data* found = arrays.get(name)) return found;
  // A dotted name: the longest prefix that is a container, then members.
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const Data* data = find_data(name.substr(0, dot));
    if (!data) continue;
    if (const auto* array = std::get_if<ContainerArray>(&data->kind); array && array->stype)
      data = &**array->stype;
    const auto* structure = std::get_if<Structure>(&data->kind);
    if (!structure) return nullptr;
    for (const auto& [member, value] : structure->members)
      if (member == name.substr(dot + 1)) {
        const auto* inner = std::get_if<Box<Data>>(&value);
        return inner ? &**inner : nullptr;
      }
    return nullptr;
  }
  return nullptr;
}

Data* Sdfg::find_data(std::string_view name) {
  return const_cast<Data*>(static_cast<const Sdfg*>(this)->find_data(name));
}

bool depends_on_earlier(const MapEntry& map, std::size_t dimension) {
  const Range& range = map.ranges[dimension];
  for (std::size_t d = 0; d < dimension; ++d)
    for (const Expr* e : {&range.begin, &range.end, &range.step})
      if (uses_symbol(*e, map.params[d])) return true;
  return false;
}

bool is_rectangular(const MapEntry& map) {
  for (std::size_t d = 1; d < map.ranges.size(); ++d)
    if (depends_on_earlier(map, d)) return false;
  return true;
}

std::string Sdfg::fresh_name(std::string_view base) const {
  const std::string begin = new_name(base);
  std::string name = begin;
  for (std::size_t i = 0;
       arrays.contains(name) || symbols.contains(name) || constants.contains(name); ++i)
    name = begin + "_" + std::to_string(i);
  return name;
}

std::string_view Node::kind_name() const {
  return std::visit(
      [](const auto& k) -> std::string_view {
        if constexpr (requires { k.type; })
          return k.type;
        else
          return std::remove_cvref_t<decltype(k)>::kind;
      },
      kind);
}

std::string_view Node::label() const {
  return std::visit(
      [](const auto& k) -> std::string_view {
        if constexpr (requires { k.data; })
          return k.data;
        else if constexpr (requires { k.label; })
          return k.label;
        else
          return {};
      },
      kind);
}

const Region* Block::region() const {
  if (const auto* r = as<ControlFlowRegion>()) return r;
  if (const auto* r = as<LoopRegion>()) return r;
  return nullptr;
}
Region* Block::region() { return const_cast<Region*>(static_cast<const Block*>(this)->region()); }

std::string_view Block::kind_name() const {
  struct Name {
    std::string_view operator()(const State&) const { return "SDFGState"; }
    std::string_view operator()(const ControlFlowRegion& r) const {
      using Flavor = ControlFlowRegion::Flavor;
      switch (r.flavor) {
        case Flavor::Plain: return "ControlFlowRegion";
        case Flavor::Unstructured: return "UnstructuredControlFlow";
        case Flavor::Named: return "NamedRegion";
        case Flavor::FunctionCall: return "FunctionCallRegion";
      }
      return "ControlFlowRegion";
    }
    std::string_view operator()(const LoopRegion&) const { return "LoopRegion"; }
    std::string_view operator()(const ConditionalBlock&) const { return "ConditionalBlock"; }
    std::string_view operator()(const BreakBlock&) const { return "BreakBlock"; }
    std::string_view operator()(const ContinueBlock&) const { return "ContinueBlock"; }
    std::string_view operator()(const ReturnBlock&) const { return "ReturnBlock"; }
    std::string_view operator()(const OtherBlock& b) const { return b.type; }
  };
  return std::visit(Name{}, kind);
}

std::string matching_connector(std::string_view connector) {
  if (connector.starts_with("IN_")) return "OUT_" + std::string(connector.substr(3));
  if (connector.starts_with("OUT_")) return "IN_" + std::string(connector.substr(4));
  return {};
}

Memlet Memlet::read(std::string data, Subset subset) {
  Memlet m;
  m.data = std::move(data);
  m.volume = num_elements(subset);
  m.src_subset = std::move(subset);
  return m;
}

Memlet Memlet::write(std::string data, Subset subset) {
  Memlet m;
  m.data = std::move(data);
  m.data_is_src = false;
  m.volume = num_elements(subset);
  m.dst_subset = std::move(subset);
  return m;
}

Memlet Memlet::copy(std::string data, Subset src, Subset dst) {
  Memlet m = read(std::move(data), std::move(src));
  m.dst_subset = std::move(dst);
  return m;
}

}  // namespace sdfg
