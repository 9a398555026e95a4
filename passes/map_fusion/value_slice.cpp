#include "passes/map_fusion/value_slice.h"

#include <algorithm>

#include "ir/analysis/used_names.h"
#include "passes/common/order_edge.h"
#include "passes/common/outputs_read.h"
#include "passes/map_fusion/fusion_conflicts.h"

namespace sdfg {
namespace {

class Finder {
 public:
  Finder(const FusionSite& site, const FusionMap& map,
         const std::function<bool(NodeId)>& is_at_hand, ValueSlice& out)
      : site_(site), state_(site.state), map_(map), is_at_hand_(is_at_hand), out_(out) {}

  Refusal run(const std::string& port) {
    out_.port = port;
    if (Refusal why = find_write(map_.out.at(port))) return why;
    collect();
    for (NodeId n : out_.nodes)
      if (Refusal why = state_[n].is<AccessNode>() ? check_local(n) : check_results(n)) return why;
    return {};
  }

 private:
  Refusal find_write(const Port& port) {
    out_.container = port.container, out_.node = port.node;
    const std::string& name = port.container;
    if (!port.direct || port.inner.size() != 1)
      return "the first map does not write '" + name + "' at one place";
    out_.write = port.inner[0];
    const Memlet& memlet = state_[out_.write].memlet;
    if (memlet.dynamic || combines(state_, out_.write))
      return "the first map combines values or may not write";
    const auto written = inner_subset(site_, out_.write, port, false);
    if (!written || !(num_elements(*written) == Expr(1)))
      return "the first map writes more than one element";
    if (state_[state_.source(out_.write)].is_exit())
      return "a scope inside the first map writes '" + name + "'";
    out_.written = *written;
    return {};
  }

  /// All nodes from which the write is reached. Of a scope inside these are all.
  void collect() {
    std::vector<NodeId> todo{state_.source(out_.write)};
    std::set<NodeId> seen{todo.begin(), todo.end()};
    while (!todo.empty()) {
      const NodeId node = todo.back();
      todo.pop_back();
      if (auto stored = find_stored(node)) {
        out_.stored.push_back(*std::move(stored));
        continue;
      }
      for (EdgeId e : state_.in(node)) {
        const NodeId from = state_.source(e);
        if (from == map_.entry) {
          if (!state_[e].memlet.empty()) out_.inputs.insert(state_[e].src_connector.substr(4));
        } else if (seen.insert(from).second) {
          todo.push_back(from);
        }
      }
    }
    out_.nodes.assign(seen.begin(), seen.end());
  }
  /// Where the one value that an access node holds is stored, at hand for those behind the map.
  std::optional<StoredValue> find_stored(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    if (!access ||
        !(num_elements(Subset::whole(site_.sdfg.find_data(access->data)->shape)) == Expr(1)))
      return std::nullopt;
    for (EdgeId e : state_.out(node)) {
      const Memlet& memlet = state_[e].memlet;
      if (state_.target(e) != map_.exit || e == out_.write || memlet.empty() || memlet.dynamic ||
          memlet.wcr)
        continue;
      const std::string name = state_[e].dst_connector.substr(3);
      const Port& port = map_.out.at(name);
      if (!port.direct || port.inner.size() != 1 || !is_at_hand_(port.node)) continue;
      const Type& type = site_.sdfg.find_data(port.container)->dtype;
      if (!(type == site_.sdfg.find_data(access->data)->dtype)) continue;  // it is converted
      const auto element = inner_subset(site_, e, port, false);
      if (element && num_elements(*element) == Expr(1)) return StoredValue{node, name, *element};
    }
    return std::nullopt;
  }
  bool holds(NodeId node) const { return std::ranges::binary_search(out_.nodes, node); }

  Refusal check_local(NodeId node) const {
    const std::string& name = state_.get<AccessNode>(node).data;
    const Data* data = site_.sdfg.find_data(name);
    if (!data->transient || data->role() != Role::Plain || data->is_stream() ||
        data->is_structure() || site_.accesses.is_named(name))
      return "'" + name + "' inside is no plain container of one iteration";
    for (const AccessSite& other : site_.accesses.sites(name))
      if (other.state != &state_ || !holds(other.node))
        return "'" + name + "', from which '" + out_.container +
               "' is computed, is used elsewhere, too";
    return {};
  }

  /// A node that has more results than the slice needs would have to be cut itself; one that others
  /// only wait for would stay without results.
  Refusal check_results(NodeId node) const {
    const auto is_here = [&](EdgeId e) { return e == out_.write || holds(state_.target(e)); };
    const auto is_waited_for = [&](EdgeId e) {
      return !carries_data(state_[e]) && !is_here(e) && state_.target(e) != map_.exit;
    };
    const auto leaves = [&](EdgeId e) { return carries_data(state_[e]) && !is_here(e); };
    if (std::ranges::any_of(state_.out(node), is_waited_for) &&
        std::ranges::none_of(state_.out(node), leaves))
      return "something else waits for '" + std::string(state_[node].label()) + "' inside";
    for (EdgeId e : state_.out(node)) {
      if (!leaves(e)) continue;
      const bool again = std::ranges::any_of(state_.out(node), [&](EdgeId other) {
        return state_[other].src_connector == state_[e].src_connector && is_here(other);
      });
      if (!again) return "'" + std::string(state_[node].label()) + "' computes something else, too";
    }
    return {};
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap& map_;
  const std::function<bool(NodeId)>& is_at_hand_;
  ValueSlice& out_;
};

/// Takes nodes out of a map's body from which nothing is needed any more.
class Eraser {
 public:
  Eraser(const FusionSite& site, FusionMap& map, SymbolSet& unused)
      : site_(site), state_(site.state), map_(map), unused_(unused) {}

  void erase_port(bool input, const std::string& name) {
    const NodeId outside = (input ? map_.in : map_.out).at(name).node;
    drop_port(state_, map_, input, name);
    // Whoever computes the result now may read the container at another node.
    if (input && state_.in(outside).empty() && state_.out(outside).empty()) erase(outside);
  }

  void erase_nodes(const std::set<NodeId>& nodes) {
    std::set<NodeId> before;
    for (NodeId node : nodes)
      for (EdgeId e : std::vector(state_.in(node).begin(), state_.in(node).end())) {
        const NodeId from = state_.source(e);
        if (from == map_.entry) forget_read(e);
        else if (!nodes.contains(from)) before.insert(from);
        state_.erase(e);
      }
    for (NodeId node : nodes) erase(node);
    for (NodeId node : before)  // still in the scope
      if (state_.out(node).empty()) state_.connect(node, map_.exit, Edge{});
  }

  void erase(NodeId node) {
    if (const auto* access = state_[node].as<AccessNode>()) {
      const std::string name = access->data;
      site_.accesses.remove(state_, node);
      if (site_.accesses.sites(name).empty()) unused_.insert(name);
    }
    site_.order.erased(node);
    state_.erase(node);
  }

 private:
  void forget_read(EdgeId edge) {
    if (state_[edge].memlet.empty()) return;
    const std::string name = state_[edge].src_connector.substr(4);
    std::erase(map_.in.at(name).inner, edge);
    if (map_.in.at(name).inner.empty()) erase_port(true, name);
  }

  const FusionSite& site_;
  State& state_;
  FusionMap& map_;
  SymbolSet& unused_;
};

}  // namespace

Refusal find_slice(const FusionSite& site, const FusionMap& map, const std::string& port,
                   const std::function<bool(NodeId)>& is_at_hand, ValueSlice& out) {
  return Finder(site, map, is_at_hand, out).run(port);
}

std::set<NodeId> nodes_only_for(const State& state, const FusionMap& map, const ValueSlice& slice) {
  std::set<NodeId> gone;
  const auto needed = [&](EdgeId e) {
    if (e == slice.write || gone.contains(state.target(e))) return false;
    return !state[e].memlet.empty() || state.target(e) != map.exit;
  };
  std::vector<NodeId> todo{state.source(slice.write)};
  while (!todo.empty()) {
    const NodeId node = todo.back();
    todo.pop_back();
    if (node == map.entry || std::ranges::any_of(state.out(node), needed) ||
        !gone.insert(node).second)
      continue;
    for (EdgeId e : state.in(node)) todo.push_back(state.source(e));
  }
  // What a node that stays computes for nobody has to go somewhere.
  const auto is_computed = [&](EdgeId e) {
    const NodeId from = state.source(e);
    return from != map.entry && carries_data(state[e]) && !state[from].is<AccessNode>() &&
           !gone.contains(from);
  };
  std::set<NodeId> kept;
  for (NodeId node : gone)
    if (std::ranges::any_of(state.in(node), is_computed)) kept.insert(node);
  for (NodeId node : kept) gone.erase(node);
  return gone;
}

bool erase_result(const FusionSite& site, FusionMap& map, const ValueSlice& slice,
                  SymbolSet& unused) {
  Eraser eraser(site, map, unused);
  const std::set<NodeId> gone = nodes_only_for(site.state, map, slice);
  site.state.erase(slice.write);
  eraser.erase_port(false, slice.port);
  eraser.erase_nodes(gone);
  if (!map.out.empty()) return true;
  eraser.erase(map.exit), eraser.erase(map.entry);
  return false;
}

}  // namespace sdfg
