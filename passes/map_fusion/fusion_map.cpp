#include "passes/map_fusion/fusion_map.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "passes/common/scope.h"

namespace sdfg {
namespace {

/// "IN_x" and "OUT_x" are port "x".
std::optional<std::string_view> port_name(std::string_view connector) {
  for (const std::string_view prefix : {"IN_", "OUT_"})
    if (connector.starts_with(prefix)) return connector.substr(prefix.size());
  return std::nullopt;
}

/// The access node outside to which an edge at a scope's border belongs, and what it stands for.
bool describe(const Sdfg& sdfg, const State& state, bool input, Port& port) {
  port.node = input ? state.source(port.outer) : state.target(port.outer);
  NodeId access = port.node;
  if (!state[access].is<AccessNode>())
    access = input ? path_source(state, port.outer) : path_target(state, port.outer);
  const auto* node = state[access].as<AccessNode>();
  const Data* data = node ? sdfg.find_data(node->data) : nullptr;
  if (!data) return false;
  const auto container = viewed_container(sdfg, state, access);
  if (!container) return false;
  port.container = container->substr(0, container->find('.'));
  port.direct = port.container == node->data;
  return true;
}

class Builder {
 public:
  Builder(const Sdfg& sdfg, const State& state, FusionMap& map)
      : sdfg_(sdfg), state_(state), map_(map) {}

  void side(bool input) {
    auto& ports = input ? map_.in : map_.out;
    const NodeId node = input ? map_.entry : map_.exit;
    const auto outside = input ? state_.in(node) : state_.out(node);
    const auto inside = input ? state_.out(node) : state_.in(node);
    for (EdgeId e : outside) {
      const Edge& edge = state_[e];
      if (edge.memlet.empty() && input) map_.waits.push_back(e);
      if (edge.memlet.empty()) continue;
      const auto name = port_name(input ? edge.dst_connector : edge.src_connector);
      if (!name && input)
        map_.dynamic.emplace(edge.dst_connector, e);
      else if (!name)
        map_.unfit = "data leaves it without a connector";
      else
        ports[std::string(*name)].outer = e;
    }
    for (EdgeId e : inside) {
      const Edge& edge = state_[e];
      if (edge.memlet.empty()) continue;
      const auto name = port_name(input ? edge.src_connector : edge.dst_connector);
      const auto port = name ? ports.find(*name) : ports.end();
      if (port == ports.end())
        map_.unfit = "a connector of it has no edge outside";
      else
        port->second.inner.push_back(e);
    }
    for (auto& [name, port] : ports) {
      if (!describe(sdfg_, state_, input, port))
        map_.unfit = "what it " + std::string(input ? "reads" : "writes") + " through '" + name +
                     "' cannot be told";
      find_row(state_, port);
      (input ? map_.reads : map_.writes)[port.container].add(name, port);
    }
  }

  void body(SideEffects& effects) {
    effects.keep_only(sdfg_);
    map_.side_effects = takes_from_stream(sdfg_, state_, map_.entry);
    const Scope scope = *find_scope(state_, map_.entry);
    for (NodeId n : scope.nodes) {
      const Node& node = state_[n];
      if (const auto* access = node.as<AccessNode>()) {
        map_.inside.insert(access->data.substr(0, access->data.find('.')));
        const auto carries = [&](EdgeId e) { return !state_[e].memlet.empty(); };
        const Data* data = sdfg_.find_data(access->data);
        if (data && data->is_stream() && std::ranges::any_of(state_.out(n), carries) &&
            std::ranges::none_of(state_.in(n), carries))
          map_.side_effects = true;
      }
      map_.side_effects = map_.side_effects || effects.of(sdfg_, node);
    }
  }

 private:
  const Sdfg& sdfg_;
  const State& state_;
  FusionMap& map_;
};

}  // namespace

void PortNames::add(const std::string& name, const Port& port) {
  all_.insert(name);
  home(port).insert(name);
}

void PortNames::remove(const std::string& name, const Port& port) {
  all_.erase(name);
  home(port).erase(name);
}

void find_row(const State& state, Port& port) {
  port.row.reset();
  const Memlet& memlet = state[port.outer].memlet;
  if (!port.direct || memlet.data != port.container || !memlet.subset()) return;
  const Subset& subset = *memlet.subset();
  for (std::size_t d = 0; d < subset.rank() && !port.row; ++d)
    if (const auto index = subset[d].begin.as_integer(); index && subset[d].is_index())
      port.row.emplace(d, *index);
}

std::string FusionMap::free_name(bool input, std::string_view wish) const {
  const auto& ports = input ? in : out;
  std::string name(wish);
  // Ports come and go, so the count is a first guess only.
  for (std::size_t i = ports.size();
       ports.contains(name) || (input && dynamic.contains("IN_" + name)); ++i)
    name = std::string(wish) + "_" + std::to_string(i);
  return name;
}

void FusionMap::add(bool input, const std::string& name, Port port) {
  (input ? reads : writes)[port.container].add(name, port);
  (input ? in : out).emplace(name, std::move(port));
}

void FusionMap::remove(bool input, const std::string& name) {
  auto& ports = input ? in : out;
  auto& index = input ? reads : writes;
  const auto port = ports.find(name);
  const auto names = index.find(port->second.container);
  names->second.remove(name, port->second);
  if (names->second.empty()) index.erase(names);
  ports.erase(port);
}

bool comes_after_only(const State& state, NodeId node, const FusionMap& map) {
  return std::ranges::all_of(state.in(node),
                             [&](EdgeId e) { return state.source(e) == map.exit; });
}

void drop_port(State& state, FusionMap& map, bool input, const std::string& name) {
  Node& node = state[input ? map.entry : map.exit];
  state.erase((input ? map.in : map.out).at(name).outer);
  node.in_connectors.erase("IN_" + name);
  node.out_connectors.erase("OUT_" + name);
  map.remove(input, name);
}

std::string input_for(State& state, Order& order, FusionMap& map, const std::string& wish,
                      const Port& port, Memlet memlet) {
  if (const auto reads = map.reads.find(port.container); reads != map.reads.end())
    for (const std::string& other : reads->second.all())
      if (map.in.at(other).node == port.node && map.in.at(other).direct) return other;
  const std::string name = map.free_name(true, wish);
  Node& node = state[map.entry];
  node.in_connectors["IN_" + name], node.out_connectors["OUT_" + name];
  const EdgeId outer =
      state.connect(port.node, map.entry, Edge{"", "IN_" + name, std::move(memlet)});
  order.connected(outer);
  map.add(true, name, Port{outer, {}, port.node, port.container});
  return name;
}

bool takes_from_stream(const Sdfg& sdfg, const State& state, NodeId entry) {
  return std::ranges::any_of(state.in(entry), [&](EdgeId e) {
    const Memlet& memlet = state[e].memlet;
    const Data* data = memlet.empty() ? nullptr : sdfg.find_data(memlet.data);
    return data && data->is_stream();
  });
}

FusionMap fusion_map(const Sdfg& sdfg, const State& state, const Order& order,
                     SideEffects& effects, NodeId entry) {
  FusionMap map;
  map.entry = entry, map.exit = order.exit_of(entry);
  Builder builder(sdfg, state, map);
  builder.side(true);
  builder.side(false);
  builder.body(effects);
  map.size = map.inside.size() + map.in.size() + map.out.size();
  return map;
}

std::optional<std::string> viewed_container(const Sdfg& sdfg, const State& state, NodeId node) {
  // A chain of views has no cycle in a valid SDFG; the bound keeps others from hanging.
  for (std::size_t steps = 0; steps < 1000; ++steps) {
    const auto* access = state[node].as<AccessNode>();
    const Data* data = access ? sdfg.find_data(access->data) : nullptr;
    if (!data || data->is_reference()) return std::nullopt;
    if (!data->is_view()) return access->data;
    const auto edge = viewed_edge(sdfg, state, node);
    if (!edge) return std::nullopt;
    const NodeId source = path_source(state, *edge);
    node = source == node ? path_target(state, *edge) : source;
  }
  return std::nullopt;
}

}  // namespace sdfg
