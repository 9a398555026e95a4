#include <algorithm>

#include "ir/builder.h"
#include "ir/subset.h"
#include "support/text.h"

namespace sdfg {
namespace {

std::string json_list(const std::vector<int>& values) {
  std::string out = "[";
  for (const int v : values) out += (out.size() > 1 ? ", " : "") + std::to_string(v);
  return out + "]";
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

// ---- Memlets.

Memlet StateBuilder::memlet(const Port& port, bool source) const {
  const std::string_view text = trim(port.memlet);
  const std::size_t bracket = text.find('[');
  const std::string name(trim(text.substr(0, bracket)));
  const Data* data = sdfg_->find_data(name);
  SDFG_ASSERT(data != nullptr) << "no container '" << name << "'";
  Subset subset;
  if (bracket == std::string_view::npos) {
    subset = Subset::whole(data->shape);
  } else {
    SDFG_ASSERT(text.back() == ']') << port.memlet;
    subset = *parse_subset(text.substr(bracket + 1, text.size() - bracket - 2));
  }
  Memlet m =
      source ? Memlet::read(name, std::move(subset)) : Memlet::write(name, std::move(subset));
  if (!port.wcr.empty()) m.wcr = Code(port.wcr);
  m.dynamic = port.dynamic;
  return m;
}

/// What the whole scope touches, given what one iteration touches.
Memlet StateBuilder::outside(const Scope& scope, const Memlet& inside) const {
  const MapEntry& map = state_->get<MapEntry>(scope.entry);
  const Data& data = *sdfg_->find_data(inside.data);
  Memlet m = inside;
  const auto ranges = image(*inside.subset(), map.params, map.ranges);
  // Symbols that come in at connectors of the entry mean nothing outside.
  const auto is_local = [&](const Range& range) {
    SymbolSet symbols;
    collect_symbols(Subset{{range}}, symbols);
    const Connectors& inputs = (*state_)[scope.entry].in_connectors;
    return std::ranges::any_of(symbols, [&](const std::string& s) { return inputs.contains(s); });
  };
  const std::vector<Range> whole = Subset::whole(data.shape).ranges;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    Range& range = (*m.subset())[d];
    range = whole[d];
    if (ranges[d] && !is_local(*ranges[d])) {
      range = *ranges[d];
    } else if (const Array* array = data.as_array()) {
      range.begin = range.begin - array->offset[d];  // indices may start below or above 0
      range.end = range.end - array->offset[d];
    }
  }
  m.volume = num_elements(*m.subset());
  return m;
}

/// The innermost scope in which a container has an access node; 0, the state, for others.
std::size_t StateBuilder::level_of(std::string_view data) const {
  for (std::size_t level = scopes_.size(); level-- > 1;)
    if (scopes_[level].last.contains(data)) return level;
  return 0;
}

void StateBuilder::read(NodeId node, const std::string& connector, Memlet memlet) {
  const std::size_t level = level_of(memlet.data);
  auto known = scopes_[level].last.find(memlet.data);
  if (known == scopes_[level].last.end())
    known =
        scopes_[level].last.emplace(memlet.data, state_->add(Node{AccessNode{memlet.data}})).first;
  const NodeId source = known->second;

  // memlets[k]: what arrives inside of scope level + k.
  std::vector<Memlet> memlets{std::move(memlet)};
  for (std::size_t k = scopes_.size() - 1; k > level; --k)
    memlets.insert(memlets.begin(), outside(scopes_[k], memlets.front()));
  NodeId from = source;
  std::string from_connector;
  for (std::size_t k = level + 1; k < scopes_.size(); ++k) {
    const NodeId entry = scopes_[k].entry;
    Memlet& m = memlets[k - level - 1];
    std::string base = m.data;
    EdgeId shared;
    for (EdgeId e : state_->in(entry)) {
      if ((*state_)[e].memlet.data != m.data || !(*state_)[e].dst_connector.starts_with("IN_"))
        continue;
      if (state_->source(e) == from && (*state_)[e].src_connector == from_connector)
        shared = e;
      else
        base += "_";
    }
    if (shared) {
      Memlet& outer = (*state_)[shared].memlet;
      outer.subset() = bounding_box(*outer.subset(), *m.subset());
      outer.volume = num_elements(*outer.subset());
      base = (*state_)[shared].dst_connector.substr(3);
    } else {
      std::replace(base.begin(), base.end(), '.', '_');
      (*state_)[entry].in_connectors["IN_" + base];
      (*state_)[entry].out_connectors["OUT_" + base];
      state_->connect(from, entry, Edge{from_connector, "IN_" + base, m});
    }
    from = entry;
    from_connector = "OUT_" + base;
  }
  if (!connector.empty()) (*state_)[node].in_connectors[connector];
  state_->connect(from, node, Edge{from_connector, connector, std::move(memlets.back())});
}

void StateBuilder::write(NodeId node, const std::string& connector, Memlet memlet) {
  const std::size_t level = level_of(memlet.data);
  NodeId& last = scopes_[level].last[memlet.data];
  // An access node that nothing uses yet was made to be written.
  if (!last || !state_->in(last).empty() || !state_->out(last).empty())
    last = state_->add(Node{AccessNode{memlet.data}});
  NodeId from = node;
  std::string from_connector = connector;
  if (!connector.empty()) (*state_)[node].out_connectors[connector];
  for (std::size_t k = scopes_.size(); k-- > level + 1;) {
    const NodeId exit = scopes_[k].exit;
    std::string base = memlet.data;
    std::replace(base.begin(), base.end(), '.', '_');
    while ((*state_)[exit].in_connectors.contains("IN_" + base)) base += "_";
    (*state_)[exit].in_connectors["IN_" + base];
    (*state_)[exit].out_connectors["OUT_" + base];
    state_->connect(from, exit, Edge{from_connector, "IN_" + base, memlet});
    memlet = outside(scopes_[k], memlet);
    from = exit;
    from_connector = "OUT_" + base;
  }
  state_->connect(from, last, Edge{from_connector, "", std::move(memlet)});
}

void StateBuilder::connect(NodeId node, const Ports& in, const Ports& out) {
  for (const Port& port : in) read(node, port.connector, memlet(port, true));
  for (const Port& port : out) write(node, port.connector, memlet(port, false));
  // Nodes without data are tied to their scope by empty memlets.
  if (scopes_.size() > 1) {
    if (state_->in(node).empty()) state_->connect(scopes_.back().entry, node, {});
    if (state_->out(node).empty()) state_->connect(node, scopes_.back().exit, {});
  }
}

NodeId StateBuilder::add_code(Node node, const Ports& in, const Ports& out) {
  const NodeId id = state_->add(std::move(node));
  connect(id, in, out);
  return id;
}

// ---- Nodes.

NodeId StateBuilder::open_map(std::string label, std::string_view params, std::string_view ranges,
                              const Ports& dynamic, Schedule schedule) {
  MapEntry map;
  map.label = std::move(label);
  for (std::string_view param : split(params, ',')) map.params.emplace_back(trim(param));
  map.ranges = parse_subset(ranges)->ranges;
  map.schedule = schedule;
  SDFG_ASSERT(map.params.size() == map.ranges.size()) << map.label;
  const NodeId entry = state_->add(Node{std::move(map)});
  const NodeId exit = state_->add(Node{MapExit{entry}});
  for (const Port& port : dynamic) read(entry, port.connector, memlet(port, true));
  scopes_.push_back({entry, exit, {}});
  return entry;
}

void StateBuilder::close_map() {
  SDFG_ASSERT(scopes_.size() > 1) << "no map is open";
  const Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  if (scopes_.size() == 1) return;
  const Scope& around = scopes_.back();
  if (state_->in(closed.entry).empty()) state_->connect(around.entry, closed.entry, {});
  if (state_->out(closed.exit).empty()) state_->connect(closed.exit, around.exit, {});
}

NodeId StateBuilder::tasklet(std::string label, const Ports& in, std::string_view python,
                             const Ports& out) {
  Tasklet tasklet;
  tasklet.label = std::move(label);
  tasklet.code = Code(std::string(python));
  return add_code(Node{std::move(tasklet)}, in, out);
}

NodeId StateBuilder::map(std::string label, std::string_view params, std::string_view ranges,
                         const Ports& in, std::string_view python, const Ports& out) {
  open_map(label, params, ranges);
  const NodeId id = tasklet(std::move(label), in, python, out);
  close_map();
  return id;
}

void StateBuilder::copy(std::string_view from, std::string_view to) {
  Memlet source = memlet({"", std::string(from)}, true);
  Memlet target = memlet({"", std::string(to)}, false);
  const std::size_t level = level_of(source.data);
  NodeId& read_from = scopes_[level].last[source.data];
  if (!read_from) read_from = state_->add(Node{AccessNode{source.data}});
  source.dst_subset = std::move(target.dst_subset);
  const NodeId from_node = read_from;
  SDFG_ASSERT(level_of(target.data) == level && scopes_.size() == level + 1)
      << "copies through scopes need a tasklet";
  const NodeId to_node = state_->add(Node{AccessNode{target.data}});
  scopes_[level].last[target.data] = to_node;
  state_->connect(from_node, to_node, Edge{"", "", std::move(source)});
}

NodeId StateBuilder::nested(Sdfg inner, const Ports& in, const Ports& out,
                            const std::map<std::string, std::string>& symbols) {
  NestedSdfg nested;
  nested.label = inner.name;
  for (const auto& [name, type] : inner.symbols)
    if (sdfg_->symbols.contains(name)) nested.symbol_mapping[name] = Expr::symbol(name);
  for (const auto& [name, text] : symbols)
    nested.symbol_mapping[name] = *parse_symbolic(text, Dialect::Plain);
  nested.sdfg = Box<Sdfg>(std::move(inner));
  return add_code(Node{std::move(nested)}, in, out);
}

NodeId StateBuilder::reduce(std::string_view from, std::string_view to, std::string_view wcr,
                            const std::vector<int>& axes, std::string_view identity) {
  LibraryNode node;
  node.classpath = "dace.libraries.standard.nodes.reduce.Reduce";
  node.label = "reduce";
  node.name = "reduce";
  Extras properties{{"axes", axes.empty() ? "null" : json_list(axes)}, {"wcr", json_string(wcr)}};
  if (!identity.empty()) properties.emplace_back("identity", json_string(identity));
  return library(std::move(node), {{"", std::string(from)}}, {{"", std::string(to)}},
                 std::move(properties));
}

NodeId StateBuilder::library(LibraryNode node, const Ports& in, const Ports& out,
                             Extras properties) {
  Node around{std::move(node)};
  around.extras = std::move(properties);
  return add_code(std::move(around), in, out);
}

NodeId StateBuilder::access(const std::string& data) {
  SDFG_ASSERT(sdfg_->find_data(data) != nullptr) << "no container '" << data << "'";
  const NodeId id = state_->add(Node{AccessNode{data}});
  scopes_.back().last[data] = id;
  return id;
}

}  // namespace sdfg
