#include "passes/simplify/dead_dataflow.h"

#include <algorithm>
#include <ranges>

#include "passes/common/empty_parts.h"
#include "passes/common/tasklet_code.h"

namespace sdfg::dead_dataflow {

std::optional<EdgeId> viewing_out_edge(const Sdfg& sdfg, const State& state, NodeId access) {
  const Data* data = sdfg.find_data(state.get<AccessNode>(access).data);
  if (!data || !data->is_view()) return std::nullopt;
  const auto edge = viewed_edge(sdfg, state, access);
  return edge && state.source(*edge) == access ? edge : std::nullopt;
}

bool is_read(const Sdfg& sdfg, const State& state, NodeId access) {
  const auto written_to = viewing_out_edge(sdfg, state, access);
  return std::ranges::any_of(
      state.out(access), [&](EdgeId e) { return e != written_to && carries_data(state[e]); });
}

Sweep::Sweep(Program& program, State& state, const ScopeTree& tree,
             const std::vector<NodeId>& order, const Trail& trail)
    : program_(program),
      sdfg_(program.sdfg_),
      state_(state),
      tree_(tree),
      order_(order),
      trail_(trail),
      live_(state.edge_id_bound()),
      alive_(state.id_bound()),
      read_(state.id_bound()),
      inside_alive_(state.id_bound()),
      never_(state.id_bound()),
      consumed_(state.id_bound()) {}

Changed Sweep::run() {
  find_empty_scopes();
  for (NodeId n : order_ | std::views::reverse) mark(n);
  announce();
  return changed_ | remove();
}

void Sweep::drop(NodeId node, std::string what) {
  if (dropped_.insert_or_assign(node, std::move(what)).second) ++program_.promised_;
}

/// A container that the access node behind the exit sets to zero, which no other may do.
std::optional<std::string> Sweep::zeroed_by(NodeId exit) const {
  for (EdgeId e : state_.out(exit))
    if (const auto* access = state_[state_.target(e)].as<AccessNode>(); access && access->setzero)
      return access->data;
  return std::nullopt;
}

/// Only at the top level: within a scope, the way to the outside would have to go, too.
void Sweep::find_empty_scopes() {
  for (NodeId n : order_) {
    if (const NodeId scope = tree_.parent_of(n)) {
      never_[n.value] = never_[scope.value];
      consumed_[n.value] = consumed_[scope.value] || state_[scope].is<ConsumeEntry>();
    }
    const auto* map = state_[n].as<MapEntry>();
    if (!map || tree_.parent_of(n) || !may_drop()) continue;
    if (!certainly_empty(map->ranges)) continue;
    if (const auto zeroed = zeroed_by(tree_.exit_of(n))) {
      kept_[n] = "the map has no iteration, but '" + *zeroed + "' is set to zero where it writes";
      continue;
    }
    never_[n.value] = true;
    drop(n, "the map has no iteration");
  }
}

void Sweep::mark(NodeId n) {
  const Node& node = state_[n];
  if (node.is<AccessNode>()) {
    if (!never_[n.value]) mark_access(n);
  } else if (node.is_exit()) {
    if (!never_[n.value]) mark_exit(n);
  } else if (node.is_entry()) {
    if (!never_[n.value]) mark_entry(n);
  } else if (!never_[n.value]) {
    mark_code(n);
  }
}

void Sweep::set_alive(NodeId node) {
  alive_[node.value] = true;
  if (const NodeId scope = tree_.parent_of(node)) inside_alive_[scope.value] = true;
}

/// The edge moves data that counts. If it reads at an access node, so does that read.
void Sweep::set_live(EdgeId edge) {
  live_[edge.value] = true;
  const NodeId from = state_.source(edge);
  if (!state_[from].is<AccessNode>() || read_[from.value] ||
      viewing_out_edge(sdfg_, state_, from) == edge)
    return;
  read_[from.value] = true;
  for (Container c : program_.counted(state_, from)) program_.reads_.change(c, 1);
}

/// Does a copy certainly have no elements? What says where a view or reference looks copies nothing
/// anyway.
bool Sweep::moves_nothing(EdgeId copy) const {
  for (NodeId n : {state_.source(copy), state_.target(copy)}) {
    const auto* access = state_[n].as<AccessNode>();
    const Data* data = access ? sdfg_.find_data(access->data) : nullptr;
    if (!data || data->role() != Role::Plain) return false;
  }
  const auto& subset = state_[copy].memlet.subset();
  return subset && certainly_empty(subset->ranges);
}

/// Does the edge take something out of a stream?
bool Sweep::pops(EdgeId edge) const {
  if (!program_.has_streams_) return false;
  const auto* from = state_[path_source(state_, edge)].as<AccessNode>();
  const Data* data = from ? sdfg_.find_data(from->data) : nullptr;
  return data && data->is_stream();
}

/// The walk comes to the node behind the last of those who write there, and may not have come yet
/// to who reads, through another node, what the others have written by then.
bool Sweep::is_read_between(NodeId access, const std::vector<EdgeId>& writes) {
  if (writes.size() < 2) return false;
  if (position_.empty()) {
    position_.resize(state_.id_bound());
    for (std::size_t at = 0; at < order_.size(); ++at) position_[order_[at].value] = at;
    for (NodeId n : order_) {
      if (!state_[n].is<AccessNode>()) continue;
      const auto written_to = viewing_out_edge(sdfg_, state_, n);
      for (EdgeId e : state_.out(n))
        if (e != written_to && carries_data(state_[e]))
          for (Container c : program_.counted(state_, n))
            readers_[c].push_back(position_[state_.target(e).value]);
    }
    for (auto& [container, positions] : readers_) std::ranges::sort(positions);
  }
  std::size_t first = order_.size(), last = 0;
  for (EdgeId e : writes) {
    first = std::min(first, position_[state_.source(e).value]);
    last = std::max(last, position_[state_.source(e).value]);
  }
  return std::ranges::any_of(program_.counted(state_, access), [&](Container c) {
    const auto readers = readers_.find(c);
    if (readers == readers_.end()) return false;
    const auto next = std::ranges::upper_bound(readers->second, first);
    return next != readers->second.end() && *next <= last;
  });
}

void Sweep::mark_access(NodeId n) {
  const auto& access = state_.get<AccessNode>(n);
  const auto written_to = viewing_out_edge(sdfg_, state_, n);
  const bool read = read_[n.value];
  bool any_data = std::ranges::any_of(
      state_.out(n), [&](EdgeId e) { return carries_data(state_[e]); });
  if (program_.in_loop_ && is_read(sdfg_, state_, n))
    for (Container c : program_.counted(state_, n)) program_.reads_.change(c, -1);
  // What is written through a view may be what is read; and no view stays without what it views.
  const auto stays = [&] {
    set_alive(n);
    if (written_to && !live_[written_to->value]) keep(*written_to);
  };
  bool wanted = read || access.setzero || (written_to && live_[written_to->value]) ||
                access.instrument != DataInstrumentation::None || consumed_[n.value] ||
                program_.needed(program_.container(access.data));
  if (read || access.setzero) stays();
  std::vector<EdgeId> writes;
  for (EdgeId e : state_.in(n)) {
    if (!carries_data(state_[e])) continue;
    any_data = true;
    wanted = wanted || pops(e);
    if (!moves_nothing(e) || access.setzero || !may_drop())
      writes.push_back(e);
    else
      drop(n, "a copy to '" + access.data + "' has no elements");
  }
  if (!any_data && !alive_[n.value]) {
    if (may_drop()) drop(n, "'" + access.data + "' is neither read nor written here");
    else set_alive(n);
  }
  if (writes.empty()) return;
  wanted = wanted || is_read_between(n, writes);
  if (!wanted && may_drop()) {
    drop(n, "what is written to '" + access.data + "' is not read afterwards");
    return;
  }
  for (EdgeId e : writes) set_live(e);
  stays();
}

void Sweep::mark_exit(NodeId exit) {
  NameSet live;
  for (EdgeId e : state_.out(exit))
    if (live_[e.value]) live.insert(matching_connector(state_[e].src_connector));
  if (live.empty()) return;
  for (EdgeId e : state_.in(exit))
    if (live.contains(state_[e].dst_connector)) set_live(e);
}

void Sweep::mark_entry(NodeId entry) {
  if (!inside_alive_[entry.value] && !state_[entry].is<ConsumeEntry>()) return;
  set_alive(entry);
  alive_[tree_.exit_of(entry).value] = true;
  NameSet live;
  for (EdgeId e : state_.out(entry))
    if (live_[e.value]) live.insert(matching_connector(state_[e].src_connector));
  for (EdgeId e : state_.in(entry)) {
    if (!carries_data(state_[e])) continue;
    const std::string& connector = state_[e].dst_connector;
    const bool stream = state_[entry].is<ConsumeEntry>() && connector == "IN_stream";
    if (!connector.starts_with("IN_") || live.contains(connector) || stream) set_live(e);
  }
}

/// Whatever becomes of its outputs.
bool Sweep::must_live(NodeId n) const {
  if (consumed_[n.value] || program_.effects_.of(sdfg_, state_[n])) return true;
  for (EdgeId e : state_.in(n)) {
    if (state_[e].memlet.empty()) {
      // A value handed over directly: the producer may not be able to do without.
      if (carries_data(state_[e]) && state_.out(state_.source(e)).size() > 1) return true;
      continue;
    }
    if (state_[state_.source(e)].is_code() && state_.out(state_.source(e)).size() > 1) return true;
    const Data* data = sdfg_.find_data(state_[e].memlet.data);
    if (!data || data->is_stream() || data->is_reference()) return true;  // popping is an effect
  }
  return false;
}

void Sweep::mark_code(NodeId n) {
  bool live = must_live(n), outputs = false;
  std::vector<EdgeId> dead;
  for (EdgeId e : state_.out(n)) {
    if (!carries_data(state_[e])) continue;
    outputs = true;
    live = live || live_[e.value];
    if (!live_[e.value]) dead.push_back(e);
  }
  if (!live && !outputs) {
    if (may_drop())
      drop(n, "it has no output and no side effect");
    else
      live = true;
  }
  if (!live) return;
  set_alive(n);
  SymbolSet unneeded;
  if (state_[n].is<NestedSdfg>()) {
    unneeded = shorten_nested(n, dead);
  } else if (state_[n].is<Tasklet>()) {
    unneeded = shorten_tasklet(n, dead);
  } else {
    for (EdgeId e : dead) keep(e);
  }
  mark_inputs(n, unneeded);
}

void Sweep::mark_inputs(NodeId n, const SymbolSet& unneeded) {
  for (EdgeId e : state_.in(n))
    if (carries_data(state_[e]) && !unneeded.contains(state_[e].dst_connector))
      set_live(e);
}

/// Takes dead outputs out of the code. Returns the inputs that it no longer needs.
SymbolSet Sweep::shorten_tasklet(NodeId n, const std::vector<EdgeId>& dead) {
  Tasklet& tasklet = state_.get<Tasklet>(n);
  const bool effects = program_.effects_.of(sdfg_, state_[n]);
  bool shorter = false;
  for (EdgeId e : dead) {
    const auto code = effects || consumed_[n.value]
                          ? std::nullopt
                          : without_output(tasklet.code, state_[e].src_connector);
    if (!code) {
      keep(e);
      continue;
    }
    tasklet.code = *code;
    shorter = true;
  }
  SymbolSet unneeded;
  if (!shorter) return unneeded;
  for (const auto& [name, type] : state_[n].in_connectors)
    if (!mentions(tasklet.code, name)) unneeded.insert(name);
  return unneeded;
}

/// A producer cannot do without this output: marks the way to the access node, which stays as a
/// place for it. Nobody reads it, so nothing else comes alive.
void Sweep::keep(EdgeId edge) {
  while (true) {
    live_[edge.value] = true;
    const NodeId to = state_.target(edge);
    if (state_[to].is_exit()) {
      const std::string wanted = matching_connector(state_[edge].dst_connector);
      const auto out = state_.out(to);
      const auto next = std::ranges::find_if(
          out, [&](EdgeId e) { return state_[e].src_connector == wanted; });
      if (next == out.end()) return;
      edge = *next;
      continue;
    }
    const auto* access = state_[to].as<AccessNode>();
    if (!access) return;
    set_alive(to);
    if (dropped_.erase(to)) {
      --program_.promised_;
      kept_[to] = "'" + access->data + "' is not read afterwards, but its producer writes it";
    }
    const auto viewed = viewing_out_edge(sdfg_, state_, to);
    if (!viewed || live_[viewed->value]) return;
    edge = *viewed;
  }
}

void Sweep::announce() {
  program_.promised_ -= dropped_.size();
  for (const auto& [n, what] : dropped_) program_.context_.applied(trail_.in(state_, n), what);
  for (const auto& [n, why] : kept_) program_.context_.refused(trail_.in(state_, n), why);
}

Changed Sweep::remove() {
  Removal removal(sdfg_, state_, tree_, order_, program_.effects_, program_.aliases_);
  for (NodeId n : state_.nodes())
    if (!alive_[n.value]) removal.remove(n);
  for (EdgeId e : state_.edges())
    if (!live_[e.value] && carries_data(state_[e])) removal.remove(e);
  if (removal.empty()) return Changed::No;
  removal.apply();
  return Changed::Yes;
}

// ---- Nested SDFGs.

/// Outputs that share their container with another connector: inside, one may be read through the
/// other.
SymbolSet Sweep::aliased_outputs(NodeId n) const {
  std::map<std::string, NameSet> connectors;  // by container
  bool unknown = false;
  const auto add = [&](EdgeId e, const std::string& connector) {
    if (state_[e].memlet.empty()) return;
    const Data* data = sdfg_.find_data(state_[e].memlet.data);
    unknown = unknown || !data || data->role() != Role::Plain;
    connectors[root_name(state_[e].memlet.data)].insert(connector);
  };
  for (EdgeId e : state_.in(n)) add(e, state_[e].dst_connector);
  for (EdgeId e : state_.out(n)) add(e, state_[e].src_connector);
  SymbolSet out;
  for (const auto& [container, names] : connectors)
    if (names.size() > 1 || unknown) out.insert(names.begin(), names.end());
  return out;
}

SymbolSet Sweep::shorten_nested(NodeId n, const std::vector<EdgeId>& dead) {
  NestedSdfg& nested = state_.get<NestedSdfg>(n);
  if (!nested.sdfg) {
    for (EdgeId e : dead) keep(e);
    return {};
  }
  const SymbolSet aliased = aliased_outputs(n);
  SymbolSet needed = aliased;
  for (EdgeId e : state_.out(n))
    if (live_[e.value]) needed.insert(state_[e].src_connector);
  const Trail here = trail_.in(state_, n);
  Program inside(**nested.sdfg, program_.effects_, program_.aliases_, program_.context_,
                 program_.promised_);
  changed_ |= inside.run(&needed, here);
  SymbolSet unneeded;
  if (inside.uses_anything()) {
    for (EdgeId e : dead) keep(e);
    return unneeded;
  }
  for (EdgeId e : dead) {
    const std::string& connector = state_[e].src_connector;
    const bool only_way = !state_[n].in_connectors.contains(connector);
    if (aliased.contains(connector) || inside.writes(connector) ||
        (only_way && inside.mentions(connector)))
      keep(e);
  }
  drop_unwritten(n, inside);
  SymbolSet outputs;
  for (EdgeId e : state_.out(n))
    if (live_[e.value]) outputs.insert(state_[e].src_connector);
  for (EdgeId e : state_.in(n)) {
    const std::string& connector = state_[e].dst_connector;
    // A consume scope hands on what it pops.
    if (!carries_data(state_[e]) || inside.mentions(connector) ||
        outputs.contains(connector) || popped_by(state_, e) || !may_drop())
      continue;
    unneeded.insert(connector);
    program_.context_.applied(here, "input '" + connector + "' is not used inside");
  }
  const auto connected = [&](const std::string& name) {
    return outputs.contains(name) ||
           (state_[n].in_connectors.contains(name) && !unneeded.contains(name));
  };
  (*nested.sdfg)->arrays.erase_if([&](const auto& entry) {
    return !entry.second.transient && !inside.mentions(entry.first) &&
           !connected(entry.first);
  });
  return unneeded;
}

/// Outputs that nobody writes inside carry nothing. Within a scope the edges outside would have to
/// go, too, and these may count already.
void Sweep::drop_unwritten(NodeId n, const Program& inside) {
  if (tree_.parent_of(n)) return;
  for (EdgeId e : state_.out(n)) {
    const std::string& connector = state_[e].src_connector;
    if (!live_[e.value] || inside.writes(connector) || !may_drop()) continue;
    const bool taken = state_[n].in_connectors.contains(connector);
    if (inside.mentions(connector) && !taken) continue;
    if (!state_[state_.target(e)].is<AccessNode>()) continue;
    live_[e.value] = false;
    program_.context_.applied(trail_.in(state_, n),
                              "output '" + connector + "' is not written inside");
  }
}

}  // namespace sdfg::dead_dataflow
