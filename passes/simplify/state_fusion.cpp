#include "passes/simplify/state_fusion.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "ir/analysis/free_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/hiding_names.h"
#include "ir/walk.h"
#include "passes/common/aliases.h"
#include "passes/common/blocks.h"
#include "passes/common/certain_writes.h"
#include "passes/common/order_edge.h"
#include "passes/common/side_effects.h"
#include "passes/common/state_counts.h"
#include "passes/common/viewed.h"
#include "passes/common/walk_regions.h"

// Terms. The *first* state absorbs the *second*. An access is an edge at a top-level access node:
// an out-edge reads, an in-edge writes. Each access has a *begin*, the earliest node that must wait
// for what comes before it, and an *end*, the node after which it is done:
//
//   read  A -> consumer     begin: A itself          end: the consumer (a map's exit)
//   write producer -> A     begin: the producer      end: A itself
//                                  (a map's entry)
//
// Every edge that fusion adds leads from the first state to the second, so no cycle can arise.
//
// A chain of states is absorbed one by one into its head. Only accesses that can still matter are
// kept: a write that covers an earlier access, and comes after it, stands for it from then on. Of
// those that are kept, one that is followed by another need not be looked at where that one comes
// first anyway. So the cost grows with the number of accesses, not with its square.

namespace sdfg {
namespace {

/// A budget: each access of the second state is compared with all of the first to its container.
constexpr std::size_t most_accesses = 256;

/// A budget: so many certain writes of a container are kept, the last ones.
constexpr std::ptrdiff_t most_writes = 32;

/// A container's elements at one place: the container behind views, and the subset where it is
/// known.
struct Access {
  NodeId node;  ///< the access node
  NodeId begin, end;
  std::optional<Subset> subset;  ///< none: anything
  bool write = false;
  std::size_t number = 0;    ///< counts those of a chain, in the order of its states
  std::size_t follower = 0;  ///< an access of a later state whose end waits for this end; 0: none
  std::optional<Subset> kept_from{};  ///< a write that does not cover it
};
using Accesses = ByName<std::vector<Access>>;

bool overlap(const Access& a, const Access& b) {
  return !a.subset || !b.subset || intersects(*a.subset, *b.subset) != Truth::No;
}
bool conflict(const Access& a, const Access& b) { return (a.write || b.write) && overlap(a, b); }

/// What one state does with its containers.
struct StateAccesses {
  Accesses accesses;
  SymbolSet written;  ///< containers
  SymbolSet names;    ///< symbols and containers read by name in subsets, ranges, code and shapes
  /// Elements that are written whenever the state runs.
  ByName<std::vector<Subset>> certain;
  /// What is read, or accumulated in, and not certainly written before; none: anything.
  ByName<std::vector<std::optional<Subset>>> open_reads;
  bool side_effects = false;
};

/// Is there a path, as far as a short search backward from `to` tells? A "no" costs a redundant
/// ordering edge, never a wrong order.
class ShortSearch {
 public:
  bool reaches(const State& state, NodeId from, NodeId to) {
    constexpr std::size_t budget = 128;
    seen_.resize(std::max(seen_.size(), std::size_t(state.id_bound())));
    ++search_;
    open_.assign(1, to);
    seen_[to.value] = search_;
    for (std::size_t at = 0; at < open_.size() && at < budget; ++at) {
      if (open_[at] == from) return true;
      for (EdgeId e : state.in(open_[at])) {
        const NodeId source = state.source(e);
        if (std::exchange(seen_[source.value], search_) != search_) open_.push_back(source);
      }
    }
    return false;
  }

 private:
  std::vector<NodeId> open_;
  std::vector<std::uint64_t> seen_;  ///< by node: the last search that met it
  std::uint64_t search_ = 0;
};

/// The accesses of a state, or why they cannot be told.
struct Collected {
  StateAccesses value;
  Refusal refusal;
};
Collected collect(const Sdfg& sdfg, const State& state, const SymbolSet& containers,
                  const Aliases& aliases, SideEffects& effects, bool repeats) {
  Collected out;
  const auto tree = scope_tree(state);
  if (!tree) {
    out.refusal = tree.error().message;
    return out;
  }
  effects.keep_only(sdfg);
  ByName<std::vector<std::pair<NodeId, std::optional<Subset>>>> open;  // by container: at a node
  ByName<std::vector<std::pair<NodeId, Subset>>> written_at;
  UsedNames used(containers, out.value.names);
  SymbolCollector of_shapes(out.value.names);
  const auto scope_end = [&](NodeId n) { return state[n].is_entry() ? tree->exit_of(n) : n; };
  const auto is_view = [&](NodeId n) {
    const auto* access = state[n].as<AccessNode>();
    return access && sdfg.find_data(access->data) && sdfg.find_data(access->data)->is_view();
  };
  const auto shows = [&](NodeId n) {
    const auto edge = is_view(n) ? viewed_edge(sdfg, state, n) : std::nullopt;
    return edge && state.target(*edge) == n;
  };
  const auto scope_begin = [&](NodeId n) { return state[n].is_exit() ? tree->parent_of(n) : n; };
  for (NodeId n : state.nodes()) {
    used.add(state[n]);
    out.value.side_effects = out.value.side_effects || effects.of(sdfg, state[n]);
    const auto* access = state[n].as<AccessNode>();
    if (!access) continue;
    const Data* data = sdfg.find_data(access->data);
    if (data) collect_symbols(*data, of_shapes);
    if (tree->parent_of(n)) continue;
    if (!data || data->is_reference() || data->is_stream()) {
      out.refusal = "container '" + access->data + "' is a reference, a stream or undeclared";
      return out;
    }
    const auto container = accessed_container(sdfg, state, n);
    if (!container) {
      out.refusal = "what view '" + access->data + "' looks at cannot be told";
      return out;
    }
    // Subsets of a view are in the view's coordinates.
    bool direct = !data->is_view();
    // A structure's members are told apart by name only at the root.
    std::string root = root_name(*container);
    const bool writes = access->setzero || std::ranges::any_of(state.in(n), [&](EdgeId e) {
      return !state[e].memlet.empty();
    });
    if (writes) out.value.written.insert(root);
    if (const auto same = aliases.find(root); same != aliases.end())
      root = same->second, direct = false;
    auto& list = out.value.accesses[root];
    std::vector<std::optional<Subset>> reads;  // at this node
    std::vector<Subset> certain_writes;
    for (EdgeId e : state.out(n)) {
      const Memlet& memlet = state[e].memlet;
      if (memlet.empty()) continue;
      list.push_back({n, n, scope_end(state.target(e)), direct ? memlet.src_subset : std::nullopt});
      // What a view shows has been read where it shows it.
      if (!shows(n)) reads.push_back(list.back().subset);
    }
    for (EdgeId e : state.in(n)) {
      const Memlet& memlet = state[e].memlet;
      if (memlet.empty()) continue;
      list.push_back(
          {n, scope_begin(state.source(e)), n, direct ? memlet.dst_subset : std::nullopt, true});
      if (memlet.wcr) reads.push_back(list.back().subset);
      if (repeats && list.back().subset && writes_all(sdfg, state, e, *list.back().subset))
        certain_writes.push_back(*list.back().subset);
    }
    // `setzero` and isolated nodes write what they name.
    if (access->setzero) list.push_back({n, n, n, std::nullopt, true});
    const Data* memory = repeats ? sdfg.find_data(root) : nullptr;
    if (!memory || !may_begin_anew(*memory)) continue;
    for (const auto& read : reads)
      if (!is_written(*memory, read, certain_writes))
        open[root].emplace_back(n, read);
    for (Subset& write : certain_writes) {
      written_at[root].emplace_back(n, write);
      out.value.certain[root].push_back(std::move(write));
    }
  }
  // Other nodes may come before; where there are many, they are not looked for.
  constexpr std::size_t most_pairs = 1024;
  ShortSearch search;
  for (const auto& [root, reads] : open)
    for (const auto& [n, read] : reads) {
      std::vector<Subset> before;
      const auto& writes = written_at[root];
      if (reads.size() * writes.size() <= most_pairs)
        for (const auto& [writer, write] : writes)
          if (writer != n && search.reaches(state, writer, n)) before.push_back(write);
      if (!is_written(*sdfg.find_data(root), read, before))
        out.value.open_reads[root].push_back(read);
    }
  add_aliases(aliases, out.value.written);
  for (EdgeId e : state.edges()) used.add(state[e]);
  return out;
}

/// A name in both; looks up each of the first, which should be the smaller.
std::optional<std::string> common(const SymbolSet& few, const SymbolSet& many) {
  for (const std::string& name : few)
    if (many.contains(name)) return name;
  return std::nullopt;
}

class Fusion {
 public:
  Fusion(Sdfg& sdfg, Region& region, const Trail& trail, PassContext& context,
         const SymbolSet& containers, const Aliases& aliases, StateCounts& states,
         SideEffects& effects)
      : sdfg_(sdfg), region_(region), trail_(trail), context_(context), containers_(containers),
        aliases_(aliases), states_(states), effects_(effects) {}

  Changed run() {
    Changed changed = Changed::No;
    start_ = start(region_);
    // First the heads of chains; what is left then lies on rings of states, where any may be a
    // head.
    for (const bool only_heads : {true, false})
      for (BlockId head : region_.nodes())
        if (region_[head].is<State>() && !visited_.contains(head) &&
            !(only_heads && follows_a_state(head)))
          changed |= absorb_chain(head);
    for (BlockId b : grown_) rename_hiding_names(sdfg_, *region_[b].as<State>());
    return changed;
  }

 private:
  /// Can the region's states run several times in one run of the SDFG?
  bool may_repeat() {
    if (repeats_) return *repeats_;
    int levels = 64;  // a budget; what lies deeper may
    bool in_loop = false;
    for (const Trail* at = &trail_; !in_loop && at && !at->state; at = at->up)
      in_loop = levels-- == 0 || (at->block && at->block->is<LoopRegion>());
    return *(repeats_ = in_loop || states_.has_cycle());
  }

  /// Will the walk from an earlier head come here? Then it decides about this state.
  bool follows_a_state(BlockId block) const {
    if (region_.in(block).size() != 1) return false;
    const BlockId before = region_.source(region_.in(block)[0]);
    return before != block && region_[before].is<State>() && region_.out(before).size() == 1;
  }

  Changed absorb_chain(BlockId head) {
    Changed changed = Changed::No;
    std::optional<StateAccesses> first;
    visited_.insert(head);
    // Goes on from the next state, unless the walk came there before (a ring of states).
    const auto advance = [&](BlockId next) {
      head = next, first.reset();
      return visited_.insert(next).second;
    };
    while (region_.out(head).size() == 1) {
      const InterstateEdgeId edge = region_.out(head)[0];
      const BlockId next = region_.target(edge);
      if (next == head || !region_[next].is<State>()) break;
      const Trail here = trail_.in(region_[next]);
      if (const Refusal why = check_edge(head, edge, next)) {
        context_.refused(here, why);
        if (!advance(next)) break;
        continue;
      }
      const State& second_state = *region_[next].as<State>();
      if (!first) {
        Collected collected = collect(sdfg_, *region_[head].as<State>(), containers_, aliases_,
                                      effects_, may_repeat());
        if (collected.refusal) {
          context_.refused(trail_.in(region_[head]), collected.refusal);
          if (!advance(next)) break;
          continue;
        }
        first = std::move(collected.value);
        count(*first);
      }
      Collected second =
          collect(sdfg_, second_state, containers_, aliases_, effects_, may_repeat());
      Refusal why = second.refusal;
      if (!why) why = check(head, edge, *first, second.value);
      if (why) {
        context_.refused(here, why);
        if (!advance(next)) break;
        if (!second.refusal) first = std::move(second.value), count(*first);
        continue;
      }
      if (!context_.may_apply()) return changed;
      context_.applied(here, "joined with state " + region_[head].label);
      fuse(head, edge, next, *first, std::move(second.value));
      grown_.insert(head);
      grown_.erase(next);
      changed = Changed::Yes;
    }
    return changed;
  }

  /// What can be said without looking into the states.
  Refusal check_edge(BlockId head, InterstateEdgeId edge, BlockId next) const {
    if (!region_[edge].condition.always_true())
      return "the edge between the states has a condition";
    if (region_.in(next).size() != 1) return "the state is reached in other ways, too";
    if (start_ == next) return "the region starts at this state";
    const State &a = *region_[head].as<State>(), &b = *region_[next].as<State>();
    for (const State* s : {&a, &b}) {
      if (s->instrument != Instrumentation::None ||
          s->symbol_instrument != DataInstrumentation::None)
        return "a state is instrumented";
      if (!s->location->empty()) return "a state has a location";
    }
    return {};
  }

  Refusal check(BlockId head, InterstateEdgeId edge, const StateAccesses& first,
                const StateAccesses& second) const {
    if (first.side_effects && second.side_effects) return "both states have side effects";
    if (const auto name = common(second.names, first.written))
      return "it reads '" + *name + "' by name, which the state before it writes";
    if (const auto name = common(second.written, first.names))
      return "it writes '" + *name + "', which the state before it reads by name";
    for (const auto& [name, list] : second.accesses)
      if (const auto before = first.accesses.find(name);
          before != first.accesses.end() && before->second.size() > most_accesses)
        return "the state before it has more than " + std::to_string(most_accesses) +
               " separate accesses of '" + name + "' already";
    for (const auto& [name, list] : second.accesses)
      if (const auto before = first.accesses.find(name);
          before != first.accesses.end() && is_carried(name, first, second))
        return "one run of the states reads what another one has left in '" + name +
               "', and no other state keeps it";
    return check_assignments(head, edge, first);
  }

  /// Is there a value that one run of the two states leaves for the next, in a transient that would
  /// begin anew in every run of the two as one?
  bool is_carried(const std::string& name, const StateAccesses& first,
                  const StateAccesses& second) const {
    if (states_.of(name) > 2 || !may_begin_anew(*sdfg_.find_data(name))) return false;
    if (!first.written.contains(name) && !second.written.contains(name)) return false;
    return first.open_reads.contains(name) || !still_open(name, first, second).empty();
  }

  /// What the second state reads and neither of them has written before.
  std::vector<std::optional<Subset>> still_open(const std::string& name,
                                                const StateAccesses& first,
                                                const StateAccesses& second) const {
    const auto reads = second.open_reads.find(name);
    if (reads == second.open_reads.end()) return {};
    auto open = reads->second;
    if (const auto before = first.certain.find(name); before != first.certain.end())
      std::erase_if(open, [&](const auto& read) {
        return is_written(*sdfg_.find_data(name), read, before->second);
      });
    return open;
  }

  /// The edge's assignments move to the edges that lead to the first state.
  Refusal check_assignments(BlockId head, InterstateEdgeId edge, const StateAccesses& first) const {
    const auto& assignments = region_[edge].assignments;
    if (assignments.empty()) return {};
    if (start_ == head) return "assignments precede it, and the region starts before them";
    SymbolSet targets, values;
    for (const auto& [target, value] : assignments) {
      targets.insert(target);
      collect_symbols(value, values);
    }
    if (const auto name = common(values, first.written))
      return "symbol values on the edge before it read '" + *name + "', which is written before";
    // A view or a reference leads to any memory, and a state may be what shows or sets it.
    for (const std::string& name : values)
      if (const Data* data = sdfg_.find_data(name); data && data->role() != Role::Plain)
        if (!first.accesses.empty())
          return "symbol values on the edge before it read '" + name +
                 "', which the state before it may show or change";
    if (const auto name = common(targets, first.names))
      return "symbol '" + *name + "' changes between the states";
    for (InterstateEdgeId before : region_.in(head)) {
      SymbolSet assigned;
      for (const auto& [target, value] : region_[before].assignments) assigned.insert(target);
      const SymbolSet read = free_symbols(region_[before]);
      if (common(assigned, values) || common(assigned, targets) || common(read, targets))
        return "the assignments on the edge before it depend on those before that";
    }
    return {};
  }

  void fuse(BlockId head, InterstateEdgeId edge, BlockId next, StateAccesses& first,
            StateAccesses second) {
    for (InterstateEdgeId before : region_.in(head))
      for (const auto& [target, value] : region_[edge].assignments)
        region_[before].assignments.set(target, value);
    State& state = *region_[head].as<State>();
    for (const std::string& name : accessed_in(*region_[next].as<State>()))
      if (first.accesses.contains(name)) states_.joined(name);
    const bool was_empty = state.node_count() == 0;
    state.nosync = state.nosync && region_[next].as<State>()->nosync;
    const auto moved = move_nodes(state, *region_[next].as<State>());
    rewire(region_, head, next);
    if (was_empty && !region_[next].label.empty()) region_[head].label = region_[next].label;
    region_.erase(next);
    remap(second, moved);
    count(second);
    order(state, first, second);
    merge_sources(state, second);
    first.written.insert(second.written.begin(), second.written.end());
    first.names.insert(second.names.begin(), second.names.end());
    first.side_effects = first.side_effects || second.side_effects;
    for (const auto& [name, reads] : second.open_reads)
      std::ranges::move(still_open(name, first, second),
                        std::back_inserter(first.open_reads[name]));
    std::erase_if(first.open_reads, [](const auto& entry) { return entry.second.empty(); });
    for (auto& [name, writes] : second.certain) {
      auto& all = first.certain[name];
      std::ranges::move(writes, std::back_inserter(all));
      if (std::ssize(all) <= most_writes) continue;
      const auto whole = [&](const Subset& w) { return is_whole(*sdfg_.find_data(name), w); };
      std::ranges::stable_partition(all, whole);
      all.erase(all.begin() + 1, all.end() - most_writes + 1);
    }
    remember(first.accesses, std::move(second.accesses));
  }

  static void rewire(Region& region, BlockId head, BlockId next) {
    move_ways_out(region, next, head);
    if (region.start_block == next) region.start_block = head;
  }

  /// Moves all nodes and edges; by old id, the new ones.
  static std::vector<NodeId> move_nodes(State& to, State& from) {
    std::vector<NodeId> moved(from.id_bound());
    for (NodeId n : from.nodes()) moved[n.value] = to.add(std::move(from[n]));
    for (NodeId n : from.nodes()) {
      Node& node = to[moved[n.value]];
      if (auto* exit = node.as<MapExit>()) exit->entry = moved[exit->entry.value];
      if (auto* exit = node.as<ConsumeExit>()) exit->entry = moved[exit->entry.value];
      if (auto* other = node.as<OtherNode>(); other && other->entry)
        other->entry = moved[other->entry->value];
    }
    for (EdgeId e : from.edges())
      to.connect(moved[from.source(e).value], moved[from.target(e).value], std::move(from[e]));
    return moved;
  }

  static void remap(StateAccesses& accesses, const std::vector<NodeId>& moved) {
    for (auto& [name, list] : accesses.accesses)
      for (Access& a : list)
        for (NodeId* n : {&a.node, &a.begin, &a.end}) *n = moved[n->value];
  }
  void count(StateAccesses& accesses) {
    for (auto& [name, list] : accesses.accesses)
      for (Access& a : list) a.number = ++counted_;
    done_.resize(counted_ + 1);
  }

  /// Keeps the order of conflicting accesses by empty memlets, but where the second state reads
  /// what exactly one node of the first wrote: those nodes become one (merge_sources).
  void order(State& state, StateAccesses& first, const StateAccesses& second) {
    merged_.clear();
    for (const auto& [name, list] : second.accesses) {
      const auto before = first.accesses.find(name);
      if (before == first.accesses.end()) continue;
      choose_merges(state, before->second, list);
      for (const Access& b : list)
        for (const Access* a : awaited(before->second, b)) {
          const auto merge = merged_.find(b.node);
          if (!b.write && merge != merged_.end() && merge->second == a->node) continue;
          if (!search_.reaches(state, a->end, b.begin)) sdfg::order(sdfg_, state, a->end, b.begin);
        }
    }
  }

  /// Those that conflict with `b`, in order, but for the ones whose follower `b` waits for, too.
  /// `b` follows all of these.
  std::vector<const Access*> awaited(std::vector<Access>& before, const Access& b) {
    std::vector<const Access*> out;
    for (Access& a : before | std::views::reverse) {
      const bool followed = done_[a.follower] == b.number;
      if (!followed && !conflict(a, b)) continue;
      done_[a.number] = b.number;
      // A read would be of no use to the reads behind it.
      if (!followed || b.write) a.follower = b.number;
      if (!followed) out.push_back(&a);
    }
    std::ranges::reverse(out);
    return out;
  }

  /// Which node of the first state each source node of the second becomes, if any.
  void choose_merges(const State& state, const std::vector<Access>& before,
                     const std::vector<Access>& after) {
    std::set<NodeId> sources;
    for (const Access& b : after) {
      const auto& data = state.get<AccessNode>(b.node).data;
      if (state.in(b.node).empty() && !sdfg_.find_data(data)->is_view() &&
          !state.get<AccessNode>(b.node).setzero)
        sources.insert(b.node);
    }
    for (NodeId source : sources) {
      const std::string& data = state.get<AccessNode>(source).data;
      const auto same = [&](NodeId n) { return state.get<AccessNode>(n).data == data; };
      std::set<NodeId> writers, readers;
      bool writes_elsewhere = false;
      for (const Access& a : before) {
        if (!a.write) {
          if (state.in(a.node).empty()) readers.insert(a.node);
          continue;
        }
        writes_elsewhere = true;
        const bool needed = std::ranges::any_of(
            after, [&](const Access& b) { return b.node == source && overlap(a, b); });
        if (needed) writers.insert(a.node);
      }
      if (writers.size() == 1 && same(*writers.begin()))
        merged_[source] = *writers.begin();
      else if (writers.empty() && !writes_elsewhere)
        for (NodeId reader : readers)
          if (same(reader)) {
            merged_[source] = reader;
            break;
          }
    }
  }

  /// Makes the nodes chosen by choose_merges one. A source node that has come to wait for others
  /// passes its waits on to its readers; a copy cannot wait without its source, so there the node
  /// stays and waits for the one it would have become.
  void merge_sources(State& state, StateAccesses& second) {
    for (const auto& [source, into] : merged_) {
      std::vector<NodeId> waits;
      for (EdgeId e : state.in(source))
        if (state.source(e) != into) waits.push_back(state.source(e));
      const std::vector<EdgeId> out(state.out(source).begin(), state.out(source).end());
      const bool copies = std::ranges::any_of(
          out, [&](EdgeId e) { return state[state.target(e)].is<AccessNode>(); });
      if (copies && !waits.empty()) {
        state.connect(into, source, {});
        continue;
      }
      state[into].out_connectors.merge(state[source].out_connectors);
      for (EdgeId e : out) state.set_source(e, into);
      state.erase(source);  // before paths are looked for, which would lead through it
      for (EdgeId e : out) {
        const NodeId reader = state.target(e);
        for (NodeId from : waits)
          if (!search_.reaches(state, from, reader)) sdfg::order(sdfg_, state, from, reader);
      }
      for (auto& [name, list] : second.accesses)
        for (Access& a : list)
          for (NodeId* n : {&a.node, &a.begin, &a.end})
            if (*n == source) *n = into;
    }
  }

  /// Adds accesses, forgetting earlier ones that a later write covers (they are ordered before it,
  /// so whatever waits for the write waits for them).
  static void remember(Accesses& all, Accesses added) {
    for (auto& [name, list] : added) {
      auto& known = all[name];
      for (const Access& write : list) {
        if (!write.write || !write.subset) continue;
        std::erase_if(known, [&](Access& a) {
          if (!a.subset || a.node == write.node || a.kept_from == write.subset) return false;
          const bool covered = certain(covers(*write.subset, *a.subset));
          if (!covered) a.kept_from = write.subset;
          return covered;
        });
      }
      std::ranges::move(list, std::back_inserter(known));
    }
  }

  ShortSearch search_;
  Sdfg& sdfg_;
  Region& region_;
  const Trail& trail_;
  PassContext& context_;
  const SymbolSet& containers_;
  const Aliases& aliases_;
  StateCounts& states_;
  SideEffects& effects_;
  std::optional<BlockId> start_;
  std::optional<bool> repeats_;
  std::set<BlockId> visited_, grown_;
  std::size_t counted_ = 0;         ///< accesses of this region's states
  std::vector<std::size_t> done_{0};  ///< by number: the last access that waits for it; 0: none
  std::map<NodeId, NodeId> merged_;  ///< source node of the second state: node it becomes
};

}  // namespace

Result<Changed> StateFusion::run(Sdfg& sdfg, const Options&, PassContext& context) {
  const AllAliases aliases = find_aliases(sdfg);
  std::map<const Sdfg*, StateCounts> states;
  SideEffects effects;
  return walk_regions(sdfg, Trail(), [&](Sdfg& in, Region& region, const Trail& trail,
                                         const SymbolSet& containers) {
    return Fusion(in, region, trail, context, containers, aliases.at(&in),
                  states.try_emplace(&in, in).first->second, effects)
        .run();
  });
}

}  // namespace sdfg
