#include "passes/map_fusion/join_maps.h"

#include <algorithm>
#include <set>

#include "ir/analysis/propagate.h"
#include "passes/common/reroute.h"
#include "passes/common/scope.h"
#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/map_fusion/write_back.h"

namespace sdfg {
namespace {

std::vector<EdgeId> copy(std::span<const EdgeId> edges) { return {edges.begin(), edges.end()}; }

/// Nodes and scopes directly inside a map.
std::vector<NodeId> children(const FusionSite& site, const FusionMap& map) {
  std::vector<NodeId> found;
  std::set<NodeId> seen;
  const auto look_at = [&](NodeId from) {
    for (EdgeId e : site.state.out(from))
      if (const NodeId next = site.state.target(e); next != map.exit && seen.insert(next).second)
        found.push_back(next);
  };
  look_at(map.entry);
  for (std::size_t at = 0; at < found.size(); ++at) {
    const NodeId exit = site.order.exit_of(found[at]);
    look_at(exit ? exit : found[at]);
  }
  return found;
}

bool connected(const State& state, NodeId from, NodeId to) {
  const auto out = state.out(from), in = state.in(to);
  if (out.size() <= in.size())
    return std::ranges::any_of(out, [&](EdgeId e) { return state.target(e) == to; });
  return std::ranges::any_of(in, [&](EdgeId e) { return state.source(e) == from; });
}

/// Values between the maps: from the producers straight to the consumers.
class Keeper {
 public:
  Keeper(const FusionSite& site, FusionMap& first, FusionMap& second, NodeId scope,
         SymbolSet& unused)
      : site_(site),
        state_(site.state),
        first_(first),
        second_(second),
        scope_(scope),
        unused_(unused) {}

  void keep(const Intermediate& between) {
    const bool stays = between.fate == Intermediate::Fate::Stays;
    for (std::size_t v = 0; v < between.values.size(); ++v) keep(between, v, stays);
    for (const std::string& in : between.in_ports) drop_port(state_, second_, true, in);
    if (stays) return;
    for (const std::string& out : between.out_ports) drop_port(state_, first_, false, out);
    if (between.has_others) {  // the node comes before both maps from here on
      for (EdgeId e : copy(state_.in(between.node)))
        if (state_.source(e) == first_.exit) state_.erase(e);
      return;
    }
    // Whoever waited for the node waits for the map now.
    for (EdgeId e : copy(state_.out(between.node)))
      if (state_.target(e) != second_.entry)
        state_.set_source(e, first_.exit), changed.push_back(e);
    site_.accesses.remove(state_, between.node);
    site_.order.erased(between.node);
    state_.erase(between.node);
    if (between.fate == Intermediate::Fate::Gone) unused_.insert(between.container);
  }

  std::vector<EdgeId> changed;  ///< edges that the order has to be told of

 private:
  void keep(const Intermediate& between, std::size_t index, bool stays) {
    const KeptValue& value = between.values[index];
    NodeId node = value.node;
    if (!node)
      node = add_buffer(between, value, stays);
    else if (!stays)
      state_.erase(value.edge);
    const std::string& held = state_.get<AccessNode>(node).data;
    Reroute reroute(site_.sdfg, state_, site_.accesses, {between.container, held, value.placement});
    bool read = false;
    for (const KeptRead& r : between.reads) {
      if (r.value != index) continue;
      reroute.move(r.edge, second_.entry, node);
      state_[r.edge].src_connector.clear();
      changed.push_back(r.edge);
      read = true;
    }
    // Every node inside has to lead to the exit.
    if (!read && !stays && state_.out(node).empty()) state_.connect(node, first_.exit, {});
  }

  NodeId add_buffer(const Intermediate& between, const KeptValue& value, bool stays) {
    const Data data = buffer(*site_.sdfg.find_data(between.container), value);
    const std::string name = site_.sdfg.fresh_name(between.container + "_local");
    site_.sdfg.arrays.insert(name, data);
    const NodeId node = state_.add(Node{AccessNode{.data = name}});
    site_.order.added(node, scope_);
    site_.accesses.add(state_, node);
    first_.inside.insert(name);
    Reroute(site_.sdfg, state_, site_.accesses, {between.container, name, value.placement})
        .move(value.edge, first_.exit, node);
    const std::string connector = std::exchange(state_[value.edge].dst_connector, std::string());
    changed.push_back(value.edge);
    if (!stays) return node;
    Memlet memlet = Memlet::copy(name, all_elements(data), value.written);
    memlet.data = between.container, memlet.data_is_src = false;
    const EdgeId out = state_.connect(node, first_.exit, {"", connector, std::move(memlet)});
    std::ranges::replace(first_.out.at(value.port).inner, value.edge, out);
    return node;
  }

  const FusionSite& site_;
  State& state_;
  FusionMap &first_, &second_;
  NodeId scope_;  ///< of the map that stays
  SymbolSet& unused_;
};

/// Moves what is in one map into the other one, which stays.
class Mover {
 public:
  Mover(const FusionSite& site, FusionMap& keep, FusionMap& gone, const JoinOptions& options)
      : site_(site), state_(site.state), keep_(keep), gone_(gone), options_(options) {}

  void run(const std::vector<NodeId>& body) {
    for (const bool input : {true, false}) {
      const NodeId from = input ? gone_.entry : gone_.exit, to = input ? keep_.entry : keep_.exit;
      while (!(input ? gone_.in : gone_.out).empty())
        move_port(input, (input ? gone_.in : gone_.out).begin()->first, from, to);
      if (input) move_dynamic_inputs();
      move_empty(from, to);
    }
    for (NodeId node : {gone_.entry, gone_.exit}) {
      site_.order.erased(node);
      state_.erase(node);
    }
    for (NodeId node : body) site_.order.moved(node, keep_.entry);
    keep_.inside.merge(gone_.inside);
    keep_.size += gone_.size;
    keep_.side_effects = keep_.side_effects || gone_.side_effects;
  }

  std::vector<EdgeId> changed;

 private:
  void move_port(bool input, const std::string& old_name, NodeId from, NodeId to) {
    Port port = (input ? gone_.in : gone_.out).at(old_name);
    const auto joined = input ? same_source(port) : std::nullopt;
    const std::string name = joined ? *joined : keep_.free_name(input, old_name);
    Node &source = state_[from], &target = state_[to];
    target.in_connectors.try_emplace("IN_" + name, source.in_connectors["IN_" + old_name]);
    target.out_connectors.try_emplace("OUT_" + name, source.out_connectors["OUT_" + old_name]);
    for (EdgeId e : port.inner) {
      Edge& edge = state_[e];
      input ? state_.set_source(e, to) : state_.set_target(e, to);
      (input ? edge.src_connector : edge.dst_connector) = (input ? "OUT_" : "IN_") + name;
    }
    if (joined) {
      auto& inner = keep_.in.at(name).inner;
      inner.insert(inner.end(), port.inner.begin(), port.inner.end());
      state_.erase(port.outer);
    } else {
      Edge& edge = state_[port.outer];
      input ? state_.set_target(port.outer, to) : state_.set_source(port.outer, to);
      (input ? edge.dst_connector : edge.src_connector) = (input ? "IN_" : "OUT_") + name;
      changed.push_back(port.outer);
    }
    gone_.remove(input, old_name);
    if (!joined) keep_.add(input, name, std::move(port));
  }

  /// A port through which the map that stays reads the same node, if the two may share it. Its
  /// memlet outside then names what both read.
  std::optional<std::string> same_source(const Port& port) {
    if (options_.never_consolidate_edges) return std::nullopt;
    const auto found = keep_.reads.find(port.container);
    if (found == keep_.reads.end()) return std::nullopt;
    Memlet& added = state_[port.outer].memlet;
    for (const std::string& candidate : found->second.all()) {
      const std::string name = candidate;  // it is entered anew if its memlet grows
      Port& known = keep_.in.at(name);
      Edge& edge = state_[known.outer];
      Memlet& memlet = edge.memlet;
      if (known.node != port.node || edge.src_connector != state_[port.outer].src_connector ||
          memlet.data != added.data || !memlet.subset() || !added.subset() ||
          memlet.other_subset() || added.other_subset())
        continue;
      const auto united = unite(*memlet.subset(), *added.subset());
      if (!united) continue;
      if (!(*memlet.subset() == *united)) {
        found->second.remove(name, known);
        memlet.subset() = *united;
        find_row(state_, known);
        found->second.add(name, known);
      }
      memlet.volume = memlet.volume + added.volume;
      memlet.dynamic = memlet.dynamic || added.dynamic;
      if (memlet.dynamic && (memlet.volume == Expr(0) || added.volume == Expr(0)))
        memlet.volume = 0;
      return name;
    }
    return std::nullopt;
  }

  std::optional<Subset> unite(const Subset& a, const Subset& b) const {
    if (a == b || certain(covers(a, b, site_.assumptions))) return a;
    if (certain(covers(b, a, site_.assumptions))) return b;
    if (options_.consolidate_edges_only_if_not_extending || a.rank() != b.rank())
      return std::nullopt;
    return bounding_box(a, b, site_.assumptions);
  }

  void move_dynamic_inputs() {
    for (const auto& [name, edge] : gone_.dynamic) {
      if (keep_.dynamic.contains(name)) {
        state_.erase(edge);
        continue;
      }
      state_[keep_.entry].in_connectors[name] = state_[gone_.entry].in_connectors[name];
      state_.set_target(edge, keep_.entry);
      keep_.dynamic.emplace(name, edge);
      changed.push_back(edge);
    }
  }

  /// What is left at the node are empty memlets: those that would double others go.
  void move_empty(NodeId from, NodeId to) {
    for (EdgeId e : copy(state_.in(from))) {
      const NodeId source = state_.source(e);
      if (source == keep_.exit || connected(state_, source, to))
        state_.erase(e);
      else
        state_.set_target(e, to), changed.push_back(e), keep_.waits.push_back(e);
    }
    for (EdgeId e : copy(state_.out(from))) {
      const NodeId target = state_.target(e);
      if (target == keep_.entry || connected(state_, to, target))
        state_.erase(e);
      else
        state_.set_source(e, to), changed.push_back(e);
    }
  }

  const FusionSite& site_;
  State& state_;
  FusionMap &keep_, &gone_;
  const JoinOptions& options_;
};

/// Two accesses of one iteration: the write waits until the read is done.
void keep_in_order(const FusionSite& site, EdgeId read, EdgeId write) {
  State& state = site.state;
  for (NodeId before : users(site, read, true))
    for (NodeId after : users(site, write, false)) {
      if (const NodeId exit = site.order.exit_of(before)) before = exit;
      after = site.order.element(after);
      if (!site.order.reaches(before, after))
        site.order.connected(state.connect(before, after, {}));
    }
}

}  // namespace

bool join_maps(const FusionSite& site, FusionMap& first, FusionMap& second, const FusionPlan& plan,
               const JoinOptions& options, SymbolSet& unused) {
  State& state = site.state;
  for (const auto& [map, values] :
       {std::pair(&first, &plan.match.first), {&second, &plan.match.second}})
    if (!values->empty())
      substitute_in_scope(state, *find_scope(state, map->entry), *values, site.sdfg.symbols);
  for (const auto& [edge, input] : plan.write_back) write_back(state, edge, input);
  for (EdgeId e : plan.order_only) state.erase(e);

  const bool into_first = first.size >= second.size;
  FusionMap &keep = into_first ? first : second, &gone = into_first ? second : first;
  const std::vector<NodeId> body = children(site, gone);
  Keeper keeper(site, first, second, keep.entry, unused);
  for (const Intermediate& between : plan.intermediates) keeper.keep(between);

  MapEntry& map = state.get<MapEntry>(keep.entry);
  map.label = std::min(map.label, state.get<MapEntry>(gone.entry).label);
  map.params = plan.match.params, map.ranges = plan.match.ranges;
  map.collapse = std::min(map.collapse, std::int64_t(map.params.size()));
  Mover mover(site, keep, gone, options);
  mover.run(body);
  for (const auto* edges : {&keeper.changed, &mover.changed})
    for (EdgeId e : *edges)
      if (state.contains(e)) site.order.connected(e);
  for (const auto& [read, write] : plan.keep_order) keep_in_order(site, read, write);
  for (NodeId node : plan.waits) {
    if (site.order.reaches(node, keep.entry)) continue;
    keep.waits.push_back(state.connect(node, keep.entry, {}));
    site.order.connected(keep.waits.back());
  }
  for (const auto& [before, after] : plan.follow)
    if (!site.order.reaches(before, after))
      site.order.connected(state.connect(before, after, {}));
  return into_first;
}

}  // namespace sdfg
