#include "passes/inside_maps/blocked_scope.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/used_names.h"
#include "passes/common/connector_index.h"
#include "passes/common/one_element.h"
#include "passes/common/order_edge.h"
#include "passes/common/relayout.h"
#include "passes/common/scope.h"
#include "passes/common/tidy.h"

namespace sdfg {
namespace {

constexpr std::int64_t largest_copy = 100;  ///< elements per dimension of what is read once

std::vector<EdgeId> copy(std::span<const EdgeId> edges) { return {edges.begin(), edges.end()}; }

}  // namespace

BlockedScope::BlockedScope(Sdfg& sdfg, State& state, const ScopeTree& tree,
                           const Accesses& accesses, SideEffects& effects, NodeId entry,
                           std::string parameter, const std::vector<NodeId>& elements)
    : sdfg_(sdfg), state_(state), tree_(tree), accesses_(accesses), effects_(effects),
      entry_(entry), exit_(tree.exit_of(entry)), parameter_(std::move(parameter)),
      elements_(elements) {
  classify();
}

// ---- Who needs the parameter.

/// An inner scope's edges leave at its exit.
NodeId BlockedScope::far_end(NodeId element) const {
  return state_[element].is_entry() ? tree_.exit_of(element) : element;
}

bool BlockedScope::is_fixed(const Edge& edge) const {
  SymbolSet used;
  collect_used_names(edge, {parameter_}, used);
  return !used.contains(parameter_);
}

bool BlockedScope::uses_parameter(NodeId node) const {
  SymbolSet used;
  const SymbolSet parameter{parameter_};
  collect_used_names(state_[node], parameter, used);
  if (const auto* access = state_[node].as<AccessNode>())
    if (const Data* data = sdfg_.find_data(access->data))
      collect_used_names(*data, parameter, used);
  for (EdgeId e : state_.in(node)) collect_used_names(state_[e], parameter, used);
  return used.contains(parameter_);
}

/// May the node run once for several values of the parameter, going by what it is?
bool BlockedScope::can_be_independent(NodeId node) const {
  if (state_[node].is<ConsumeEntry>() || effects_.of(sdfg_, state_[node])) return false;
  if (uses_parameter(node)) return false;
  const auto* access = state_[node].as<AccessNode>();
  if (!access) return true;
  const Data* data = sdfg_.arrays.get(access->data);
  if (!data || !data->transient || data->role() != Role::Plain || data->is_stream()) return false;
  if (data->is_structure() || data->lifetime != Lifetime::Scope || access->setzero) return false;
  for (EdgeId e : state_.in(node))
    if (state_[e].memlet.wcr) return false;
  return accesses_.is_single_use(access->data) && !state_.in(node).empty();
}

bool BlockedScope::stays_whole(NodeId node) const {
  if (!can_be_independent(node)) return false;
  if (!state_[node].is_entry()) return true;
  const std::optional<Scope> scope = find_scope(state_, node);
  if (!scope) return false;
  return std::ranges::all_of(scope->nodes, [&](NodeId n) { return can_be_independent(n); }) &&
         !uses_parameter(scope->exit);
}

NodeId BlockedScope::element_of(NodeId node) const {
  return state_[node].is_exit() ? tree_.parent_of(node) : node;
}

/// Does the node depend on one that is not independent, or hand a value straight to one? Only what
/// lies in a container is there for all iterations.
bool BlockedScope::is_tied(NodeId node) const {
  const auto fed = [&](EdgeId e) {
    return state_.source(e) == entry_ || is_independent(element_of(state_.source(e)));
  };
  if (!std::ranges::all_of(state_.in(node), fed)) return true;
  const auto* access = state_[node].as<AccessNode>();
  return !std::ranges::all_of(state_.out(far_end(node)), [&](EdgeId e) {
    const NodeId to = state_.target(e);
    if (!carries_data(state_[e]) || is_independent(to)) return true;
    if (!access || to != exit_) return access != nullptr;
    // Into the exit goes one element, by way of a tasklet in the inner map: to an index, as code
    // cannot set a range, though it be one of one element.
    const Memlet& memlet = state_[e].memlet;
    return !memlet.wcr && memlet.dst_subset &&
           std::ranges::all_of(memlet.dst_subset->ranges, &Range::is_index) &&
           is_one_element(*sdfg_.find_data(access->data));
  });
}

void BlockedScope::classify() {
  for (NodeId n : elements_)
    if (stays_whole(n)) independent_.insert(n.value);
  std::vector<NodeId> open = elements_;
  while (!open.empty()) {
    const NodeId n = open.back();
    open.pop_back();
    if (!is_independent(n) || !is_tied(n)) continue;
    independent_.erase(n.value);
    for (EdgeId e : state_.in(n)) open.push_back(element_of(state_.source(e)));
    for (EdgeId e : state_.out(far_end(n))) open.push_back(state_.target(e));
  }
}

std::size_t BlockedScope::constant_count() const {
  std::size_t count = 0;
  const auto has_data = [&](EdgeId e) { return carries_data(state_[e]); };
  for (NodeId n : elements_) {
    if (!is_independent(n) || !state_[n].is<Tasklet>()) continue;
    if (std::ranges::any_of(state_.in(n), has_data)) continue;
    count += 1 + std::size_t(std::ranges::count_if(state_.out(n), has_data));
  }
  return count;
}

// ---- Reading once.

std::string BlockedScope::container_read(EdgeId e) const {
  const auto* access = state_[path_source(state_, e)].as<AccessNode>();
  return access ? access->data : state_[e].memlet.data;
}

std::vector<EdgeId> BlockedScope::promotable() const {
  std::vector<EdgeId> out;
  for (EdgeId e : state_.out(entry_)) {
    const NodeId to = state_.target(e);
    const Memlet& memlet = state_[e].memlet;
    const auto* tasklet = state_[to].as<Tasklet>();
    if (is_independent(to) || memlet.empty() || memlet.dynamic || !memlet.src_subset) continue;
    if (!state_[to].is<MapEntry>() && !(tasklet && tasklet->code.language() == Language::Python))
      continue;
    if (!memlet.data_is_src || !is_fixed(state_[e])) continue;
    const Data* data = sdfg_.arrays.get(memlet.data);
    if (!data || data->is_stream()) continue;
    const auto few = [](const Range& r) {
      const auto size = r.size().as_integer();
      return size && *size <= largest_copy && r.step == Expr(1) && r.tile == Expr(1);
    };
    if (!std::ranges::all_of(memlet.src_subset->ranges, few)) continue;
    if (certain(covers(all_elements(*data), *memlet.src_subset)) || is_read(e)) out.push_back(e);
  }
  return out;
}

/// Does some code get what an edge at the entry carries? Maps inside may have no points.
bool BlockedScope::is_read(EdgeId edge) const {
  const auto has_points = [](const Range& r) { return certain(less_equal(r.begin, r.end)); };
  const auto leaves = edges_from(state_, edge, entry_);
  return std::ranges::any_of(leaves, [&](const PathEdge& path) {
    if (!path.leaf) return false;
    for (NodeId at = tree_.parent_of(state_.target(path.edge)); at != entry_;
         at = tree_.parent_of(at)) {
      const auto* map = state_[at].as<MapEntry>();
      if (!map || !std::ranges::all_of(map->ranges, has_points)) return false;
    }
    return true;
  });
}

void BlockedScope::promote(const std::vector<EdgeId>& edges) {
  std::map<std::string, NodeId> copies;
  ConnectorIndex index(state_);
  for (EdgeId e : edges) {
    const std::string from = state_[e].memlet.data;
    const Subset part = *state_[e].memlet.src_subset;
    NodeId& local = copies[from + "[" + to_text(part) + "]"];
    if (local == NodeId{}) {
      const std::string name = sdfg_.fresh_name(from + "_block");
      Data data = Data::array(sdfg_.arrays.at(from).dtype, sizes(part), true);
      data.storage = Storage::Register;
      const Subset whole = all_elements(data);
      sdfg_.arrays.insert(name, std::move(data));
      local = state_.add(Node{AccessNode{name}});
      state_.connect(entry_, local,
                     Edge{state_[e].src_connector, "", Memlet::copy(from, part, whole)});
      independent_.insert(local.value);
      elements_.push_back(local);
    }
    const std::string name = state_.get<AccessNode>(local).data;
    index.for_each_onward(e, [&](EdgeId onward) {
      Memlet& memlet = state_[onward].memlet;
      if (memlet.data == from && memlet.data_is_src) memlet.data = name;
      if (memlet.src_subset) memlet.src_subset = offset_by(*memlet.src_subset, part, true);
    });
    state_[e].src_connector.clear();
    state_.set_source(e, local);
  }
  drop_unused_inputs(state_, entry_);  // two ports may have brought in the same part
}

// ---- Blocking.

/// What comes from the outer map or from independent nodes goes through the inner entry.
void BlockedScope::enter(NodeId inner) {
  std::map<std::pair<NodeId, std::string>, std::string> passages;  // by where they come from
  const auto on_edges = [&](NodeId from) {
    for (EdgeId e : copy(state_.out(from))) {
      const NodeId to = state_.target(e);
      if (to == inner || to == exit_ || is_independent(to)) continue;
      if (state_[e].memlet.empty()) {
        state_.set_source(e, inner);
        if (from != entry_) state_.connect(from, inner, {});
        continue;
      }
      const std::string data = container_read(e);
      const auto [at, first] = passages.emplace(std::pair(from, state_[e].src_connector), "");
      if (first) {
        at->second = add_port(state_[inner], data);
        const Subset whole = all_elements(*sdfg_.find_data(data));
        state_.connect(from, inner, Edge{state_[e].src_connector, "IN_" + at->second,
                                         Memlet::read(data, whole)});
      }
      state_[e].src_connector = "OUT_" + at->second;
      state_.set_source(e, inner);
    }
  };
  on_edges(entry_);
  for (NodeId n : elements_)
    if (is_independent(n)) on_edges(far_end(n));
}

/// One element that every iteration of the block writes out.
void BlockedScope::copy_inside(EdgeId e, NodeId inner) {
  const NodeId from = state_.source(e);
  const std::string data = state_.get<AccessNode>(from).data;
  const Data& scalar = *sdfg_.find_data(data);
  const Subset element = all_elements(scalar);
  const std::string passage = add_port(state_[inner], data);
  Tasklet tasklet;
  tasklet.label = "copy_" + data;
  // No container may have a connector's name.
  const std::string in = sdfg_.fresh_name("__in"), out = sdfg_.fresh_name("__out");
  tasklet.code = Code(out + " = " + in);
  Node node{std::move(tasklet)};
  node.in_connectors.emplace(in, Type());
  node.out_connectors.emplace(out, Type());
  const NodeId copying = state_.add(std::move(node));
  state_.connect(from, inner, Edge{"", "IN_" + passage, Memlet::read(data, element)});
  state_.connect(inner, copying, Edge{"OUT_" + passage, in, Memlet::read(data, element)});
  // The memlet may name either end; now the far one.
  Edge& edge = state_[e];
  if (edge.memlet.data == data) {
    const auto* access = state_[path_target(state_, e)].as<AccessNode>();
    edge.memlet.data = access ? access->data : data;
    edge.memlet.data_is_src = false;
  }
  edge.memlet.src_subset.reset();
  edge.src_connector = out;
  state_.set_source(e, copying);
}

void BlockedScope::leave(NodeId inner, NodeId inner_exit) {
  for (EdgeId e : copy(state_.in(exit_))) {
    const NodeId from = state_.source(e);
    if (from == entry_ && state_[e].memlet.empty()) continue;
    if (is_independent(element_of(from))) {
      if (state_[e].memlet.empty()) continue;
      copy_inside(e, inner);
    }
    if (state_[e].memlet.empty()) {
      state_.set_target(e, inner_exit);
      continue;
    }
    const auto* access = state_[path_target(state_, e)].as<AccessNode>();
    const std::string data = access ? access->data : state_[e].memlet.data;
    const std::string passage = add_port(state_[inner_exit], data);
    Memlet outer = Memlet::write(data, all_elements(*sdfg_.find_data(data)));
    outer.wcr = state_[e].memlet.wcr;
    outer.wcr_nonatomic = state_[e].memlet.wcr_nonatomic;
    state_.connect(inner_exit, exit_,
                   Edge{"OUT_" + passage, state_[e].dst_connector, std::move(outer)});
    state_[e].dst_connector = "IN_" + passage;
    state_.set_target(e, inner_exit);
  }
  if (state_.in(inner_exit).empty()) state_.connect(inner, inner_exit, {});
  if (state_.out(inner_exit).empty()) state_.connect(inner_exit, exit_, {});
}

/// Makes the memlets outside of the inner map say what all its iterations read or write.
void BlockedScope::summarize(NodeId node, bool entry) {
  const MapEntry& map = state_.get<MapEntry>(entry ? node : state_.get<MapExit>(node).entry);
  std::map<std::string, std::vector<const Memlet*>> inside;
  for (EdgeId e : entry ? state_.out(node) : state_.in(node))
    if (!state_[e].memlet.empty()) {
      const std::string& connector = entry ? state_[e].src_connector : state_[e].dst_connector;
      inside[matching_connector(connector)].push_back(&state_[e].memlet);
    }
  for (EdgeId e : entry ? state_.in(node) : state_.out(node)) {
    Memlet& outer = state_[e].memlet;
    if (outer.empty()) continue;
    const Subset whole = all_elements(*sdfg_.find_data(outer.data));
    std::optional<Subset> all;
    outer.volume = 0;
    for (const Memlet* m : inside[entry ? state_[e].dst_connector : state_[e].src_connector]) {
      const auto& part = entry ? m->src_subset : m->dst_subset;
      Subset touched = whole;
      if (part) {
        const auto ranges = image(*part, map.params, map.ranges);
        for (std::size_t d = 0; d < ranges.size() && d < touched.rank(); ++d)
          if (ranges[d]) touched[d] = *ranges[d];
      }
      all = all ? bounding_box(*all, touched) : touched;
      outer.volume = outer.volume + m->volume * map.ranges[0].size();
      outer.dynamic = outer.dynamic || m->dynamic;
    }
    outer.subset() = all.value_or(whole);
    if (!uses_symbol(outer.volume, parameter_)) continue;
    outer.volume = 0;
    outer.dynamic = true;
  }
}

void BlockedScope::block(std::int64_t size) {
  MapEntry& map = state_.get<MapEntry>(entry_);
  const std::size_t d =
      std::size_t(std::ranges::find(map.params, parameter_) - map.params.begin());
  const Range whole = map.ranges[d];
  const std::string coarse = sdfg_.fresh_name("__gtx_coarse_" + parameter_);
  map.params[d] = coarse;
  map.ranges[d] = {0, ceil_div(whole.end - whole.begin + 1, size) - 1};
  MapEntry inner_map;
  inner_map.label = map.label + "_block";
  inner_map.params = {parameter_};
  const Expr begin = whole.begin + Expr::symbol(coarse) * size;
  const auto extent = whole.size().as_integer();
  const bool even = extent && *extent % size == 0;
  inner_map.ranges = {{begin, even ? begin + (size - 1) : min(begin + size, whole.end + 1) - 1}};
  inner_map.schedule = Schedule::Sequential;
  inner_map.unroll = true;
  inner_map.unroll_factor = size;
  const NodeId inner = state_.add(Node{std::move(inner_map)});
  const NodeId inner_exit = state_.add(Node{MapExit{inner}});
  enter(inner);
  leave(inner, inner_exit);
  if (state_.in(inner).empty()) state_.connect(entry_, inner, {});
  // The outer map as a whole touches what it did; the inner one what its iterations do.
  summarize(inner, true);
  summarize(inner_exit, false);
}

}  // namespace sdfg
