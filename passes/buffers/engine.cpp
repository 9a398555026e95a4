#include "passes/buffers/engine.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/propagate.h"
#include "ir/replace.h"
#include "passes/buffers/run.h"
#include "passes/buffers/twin_writes.h"

namespace sdfg {
namespace {

/// A budget: what was refused may become possible by what was done elsewhere, but not without end.
constexpr int most_rounds = 8;

class Eliminator {
 public:
  Eliminator(BufferProgram& program, const StateTrails& trails, const BufferSelection& selection,
             PassContext& context)
      : program_(program), trails_(trails), selection_(selection), context_(context) {}

  Changed run() {
    Changed changed = Changed::No;
    for (int round = 0; round < most_rounds; ++round) {
      const Changed now = sweep();
      changed |= now;
      if (now == Changed::No) break;
    }
    for (const auto& [what, why] : refused_)
      if (!program_.is_dropped(what.from) && !program_.is_dropped(what.to))
        context_.refused(*trails_.at(what.point), why);
    tidy();
    return changed;
  }

 private:
  using Point = StateFlow::Point;

  struct Refused {
    Point point;
    std::string from, to;
    auto operator<=>(const Refused&) const = default;
  };

  Changed sweep() {
    Changed changed = Changed::No;
    for (const auto& [p, trail] : trails_) {
      State& state = *program_.flow.state(p);
      changed |= join_versions(p, state);
      std::vector<EdgeId> copies;
      for (EdgeId e : state.edges())
        if (is_copy(state, e)) copies.push_back(e);
      // The last copy of a chain first, so that each container moves once.
      for (auto e = copies.rbegin(); e != copies.rend(); ++e)
        if (state.contains(*e) && is_copy(state, *e)) changed |= at_copy(p, state, *e);
      if (!selection_.twins) continue;
      for (NodeId n : state.nodes())
        if (state.contains(n) && state[n].is<MapExit>() &&
            !program_.order(p).scope_of(program_.order(p).element(n)))
          changed |= at_exit(p, state, n);
    }
    return changed;
  }

  /// Each value that leaves a map for several containers: one that may live in the one before.
  Changed at_exit(Point p, State& state, NodeId exit) {
    // A value that leaves twice has a source of several edges: the others need no look.
    std::map<std::pair<NodeId, std::string>, std::size_t> uses;
    for (EdgeId e : state.in(exit)) ++uses[{state.source(e), state[e].src_connector}];
    NameSet shared;
    for (EdgeId e : state.in(exit))
      if (uses[{state.source(e), state[e].src_connector}] > 1 &&
          state[e].dst_connector.starts_with("IN_"))
        shared.insert("OUT_" + state[e].dst_connector.substr(3));

    std::map<std::pair<NodeId, std::string>, EdgeId> known;
    Changed changed = Changed::No;
    for (EdgeId e : std::vector(state.out(exit).begin(), state.out(exit).end())) {
      if (!state.contains(e) || !shared.contains(state[e].src_connector)) continue;
      const auto value = exit_value(program_.sdfg, state, e);
      if (!value || !written(state, e)) continue;
      const auto [first, fresh] = known.try_emplace({value->source, value->connector}, e);
      if (fresh || !state.contains(first->second)) continue;
      const auto other = exit_value(program_.sdfg, state, first->second);
      const std::string a = state.get<AccessNode>(state.target(first->second)).data;
      const std::string b = state.get<AccessNode>(state.target(e)).data;
      if (a == b || !other->same(*value)) continue;
      for (const bool second_goes : {true, false}) {
        const Candidate c{p, e, second_goes ? b : a, second_goes ? a : b};
        const Data* data = program_.sdfg.arrays.get(c.from);
        if (!data || !data->transient || !selection_.wanted(program_, c)) continue;
        changed |= try_sharing(c, *written(state, second_goes ? e : first->second),
                               *written(state, second_goes ? first->second : e));
        if (!state.contains(e) || !state.contains(first->second)) break;
      }
      known.insert_or_assign({value->source, value->connector}, e);
    }
    return changed;
  }

  /// Access nodes that have nothing to do go, and neighbours that nothing stands between become
  /// one.
  Changed join_versions(Point p, State& state) {
    Changed changed = Changed::No;
    const auto done = [&](const std::string& what) {
      applied(*trails_.at(p), what);
      changed = Changed::Yes;
    };
    for (NodeId n : state.nodes()) {
      const auto* access = state[n].as<AccessNode>();
      if (!access || !context_.may_apply()) continue;
      const std::string name = access->data;
      if (bypass(program_, p, n)) done("an access node of '" + name + "' only kept an order");
    }
    for (EdgeId e : state.edges()) {
      if (!state.contains(e) || !state[e].memlet.empty() || !context_.may_apply()) continue;
      const NodeId from = state.source(e), to = state.target(e);
      const auto *a = state[from].as<AccessNode>(), *b = state[to].as<AccessNode>();
      if (!a || !b || a->data != b->data || program_.order(p).scope_of(from)) continue;
      const std::string name = a->data;
      if (merge(program_, p, from, to)) done("two access nodes of '" + name + "' became one");
    }
    return changed;
  }

  /// Something changes: what was refused may be possible.
  void applied(const Trail& trail, const std::string& what) {
    context_.applied(trail, what);
    known_.clear();
  }

  static bool is_copy(const State& state, EdgeId e) {
    return !state[e].memlet.empty() && state[state.source(e)].is<AccessNode>() &&
           state[state.target(e)].is<AccessNode>();
  }

  Changed at_copy(Point p, State& state, EdgeId e) {
    const std::string source = state.get<AccessNode>(state.source(e)).data;
    const std::string target = state.get<AccessNode>(state.target(e)).data;
    const auto sides = copy_sides(program_.sdfg, state, e);
    if (!sides) return Changed::No;
    if (source == target) return self_copy(p, state, e, *sides);
    Changed changed = Changed::No;
    for (const bool source_goes : {true, false}) {
      if (changed == Changed::Yes) break;
      const Candidate candidate{p, e, source_goes ? source : target, source_goes ? target : source};
      const Data* data = program_.sdfg.arrays.get(candidate.from);
      if (!data || !data->transient || !selection_.wanted(program_, candidate)) continue;
      changed |= try_sharing(candidate, source_goes ? sides->src : sides->dst,
                             source_goes ? sides->dst : sides->src);
    }
    return changed;
  }

  /// What all iterations of a map write through an edge to an access node.
  static std::optional<Subset> written(const State& state, EdgeId e) {
    const auto* access = state[state.target(e)].as<AccessNode>();
    return access && state[e].memlet.data == access->data ? state[e].memlet.subset() : std::nullopt;
  }

  Changed try_sharing(const Candidate& c, const Subset& inner, const Subset& outer) {
    const Refused key{c.point, c.from, c.to};
    const auto refuse = [&](const std::string& why) {
      refused_[key] = "'" + c.from + "' cannot live in '" + c.to + "': " + why;
      return Changed::No;
    };
    const auto placed = placement(inner, outer, program_.assumptions);
    if (!placed) return refuse("the copy [" + to_text(inner) + "] to [" + to_text(outer) +
                               "] has no common order of dimensions");
    Sharing sharing{c.from, c.to, *placed};
    if (Refusal why = check(sharing)) return refuse(why.reason());
    if (!selection_.ordered_transients && !sharing.order.empty() &&
        program_.sdfg.find_data(c.to)->transient)
      return refuse("it would take ordering edges, and ties maps together that could be fused");
    if (!selection_.ordered_transients && !sharing.grown.empty())
      return refuse("'" + c.to + "' would have to grow, and be composed of both");
    if (selection_.better_left)
      if (Refusal why = selection_.better_left(program_, c)) return refuse(why.reason());
    if (!context_.may_apply()) return Changed::No;
    if (Refusal why = grow_for(program_, sharing)) return refuse(why.reason());
    refused_.erase(key);
    const State& state = *program_.flow.state(c.point);
    const auto whole = [&] { return all_elements(program_.sdfg.arrays.at(sharing.to)); };
    applied(
        trails_.at(c.point)->in(state, state.source(c.copy)),
        "'" + c.from + "' lives in '" + c.to + "' at [" + to_text(outer) + "]" +
            (sharing.grown.empty() ? ""
                                   : ", and that grows to '" + sharing.to + "' [" +
                                         to_text(whole()) + "]") +
            (sharing.twins.empty() ? "" : ", and maps write once what they wrote to both") +
            (sharing.order.empty() ? "" : ", with ordering edges") +
            (sharing.early.empty() ? "" : "; what is overwritten is read before"));
    for (const auto& [point, nodes] : program_.nodes(c.from)) touched_.emplace(point, sharing.to);
    share(program_, sharing);
    return Changed::Yes;
  }

  /// What is refused is refused for all copies that put the one container there in the other, until
  /// something changes.
  Refusal check(Sharing& sharing) {
    auto& known = known_[{sharing.from, sharing.to}];
    const auto same = std::ranges::find(known, sharing.placement, &Known::first);
    if (same != known.end()) return same->second;
    Refusal why = check_sharing(program_, sharing, selection_.assume_pointwise);
    if (why) known.emplace_back(sharing.placement, why);
    return why;
  }

  Changed self_copy(Point p, State& state, EdgeId e, const CopySides& sides) {
    if (!selection_.self_copies) return Changed::No;
    const std::string name = state.get<AccessNode>(state.source(e)).data;
    const Refused key{p, name, name};
    const Memlet& memlet = state[e].memlet;
    if (memlet.wcr) return Changed::No;
    if (!same_sequence(sides.src, sides.dst, program_.assumptions)) {
      refused_[key] = "'" + name + "' is copied from [" + to_text(sides.src) + "] to [" +
                      to_text(sides.dst) + "] of itself";
      return Changed::No;
    }
    for (NodeId end : {state.source(e), state.target(e)})
      if (state.get<AccessNode>(end).setzero) {
        refused_[key] = "'" + name + "' is set to zero where it is copied onto itself";
        return Changed::No;
      }
    if (program_.order(p).scope_of(state.source(e)) || !context_.may_apply()) return Changed::No;
    applied(trails_.at(p)->in(state, state.source(e)), "a copy of '" + name + "' onto itself");
    drop_copy(program_, p, e);
    touched_.emplace(p, name);
    return Changed::Yes;
  }

  void tidy() {
    // What a container's descriptor mentions must not mean something else in a scope.
    std::map<Point, SymbolSet> mentioned;
    for (const auto& [point, name] : touched_) {
      merge_sources(program_, point, name);
      if (const Data* data = program_.sdfg.find_data(name))
        collect_symbols(*data, mentioned[point]);
    }
    for (const auto& [point, symbols] : mentioned)
      rename_bound_names(*program_.flow.state(point), symbols);
  }

  BufferProgram& program_;
  const StateTrails& trails_;
  const BufferSelection& selection_;
  PassContext& context_;
  std::map<Refused, std::string> refused_;  ///< and why
  using Known = std::pair<Placement, Refusal>;
  std::map<std::pair<std::string, std::string>, std::vector<Known>> known_;
  std::set<std::pair<Point, std::string>> touched_;
};

}  // namespace

Changed eliminate_buffers(Sdfg& root, const BufferSelection& selection, PassContext& context) {
  Changed changed = Changed::No;
  for_each_program(root, context, [&](BufferProgram& program, const StateTrails& trails) {
    changed |= Eliminator(program, trails, selection, context).run();
  });
  return changed;
}

}  // namespace sdfg
