#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "passes/common/element_distance.h"
#include "passes/loops/loop_body.h"
#include "passes/loops/map_to_loop.h"
#include "passes/loops/nest_scope.h"
#include "passes/loops/region_accesses.h"

namespace sdfg {
namespace {

struct Plan {
  LoopRange range;
  Scope scope;
  Border border;
};

class Mover {
 public:
  Mover(Sdfg& sdfg, Aliases aliases, const MoveLoopIntoMap::Options& options,
        const LazyAssumptions& known, const GpuMemory& gpu)
      : sdfg_(sdfg), aliases_(std::move(aliases)), options_(options), known_(known), gpu_(gpu),
        nester_(sdfg) {}

  Refusal check(const LoopRegion& loop, LoopRanges& ranges, Plan& plan) {
    const auto range = ranges.of(loop);
    if (!range) return range.error().message;
    plan.range = *range;
    if (Refusal why = check_iterations(loop, *range)) return why;
    if (Refusal why = check_symbolic(sdfg_, *range)) return why;
    if (loop.node_count() != 1) return "the body has several blocks";
    const State* state = loop[*start(loop)].as<State>();
    if (!state) return "the body is no state";
    if (Refusal why = find_only_map(*state, plan.scope)) return why;
    const auto& map = state->get<MapEntry>(plan.scope.entry);
    if (map.instrument != Instrumentation::None) return "the map is instrumented";
    SymbolSet of_loop;
    for (const auto* code : {&loop.init_statement, &loop.loop_condition, &loop.update_statement})
      collect_symbols(**code, {}, of_loop);
    for (const std::string& param : map.params)
      if (of_loop.contains(param))
        return "the loop's range reads '" + param + "', the name of a parameter";
    for (const Range& r : map.ranges) {
      SymbolSet names;
      collect_symbols(Subset{{r}}, names);
      if (names.contains(range->variable)) return "the map's range depends on the loop";
      for (const std::string& param : map.params)
        if (names.contains(param)) return "the map's ranges depend on each other";
    }
    if (Refusal why = check_connectors(*state, plan.scope.nodes, {plan.scope.entry})) return why;
    if (options_.only_to_neighbours)
      if (Refusal why = check_neighbours(*state, map, range->variable, plan.scope)) return why;
    if (Refusal why =
            nester_.find_border(*state, plan.scope, {}, plan.border, known_.get()))
      return why;
    if (Refusal why = check_gpu_memory(gpu_, sdfg_, (*state)[plan.scope.entry], plan.border))
      return why;
    return check_accesses(loop, map, ranges, plan);
  }

  void apply(RegionEdit& edit, BlockId id, const Plan& plan) {
    const std::string label = edit.region[id].label;
    LoopRegion loop = *edit.region[id].as<LoopRegion>();
    Block block = std::move(loop[*start(loop)]);
    State& state = *block.as<State>();
    const auto enclose = [&](Block body) {
      LoopRegion inside;
      inside.init_statement = loop.init_statement;
      inside.loop_condition = loop.loop_condition;
      inside.update_statement = loop.update_statement;
      inside.loop_variable = loop.loop_variable;
      inside.inverted = loop.inverted;
      inside.update_before_condition = loop.update_before_condition;
      inside.unroll = loop.unroll, inside.unroll_factor = loop.unroll_factor;
      inside.start_block = inside.add(std::move(body));
      return Block{label, std::move(inside)};
    };
    const auto [entry, exit, nodes] = plan.scope;
    const NodeId node =
        state.add(Node{nester_.nest(state, plan.scope, plan.border, label + "_body", enclose)});
    for (NodeId n : nodes) state.erase(n);
    // One connector per container is left at each border.
    for (const auto& [name, container] : plan.border) {
      if (container.in) keep_only(state, state.in(entry), *container.in, true);
      if (container.out) keep_only(state, state.out(exit), *container.out, false);
    }
    for (const auto& [name, container] : plan.border) {
      if (container.in) {
        const std::string in = state[*container.in].dst_connector;
        state[*container.in].memlet = Memlet::read(name, container.window);
        state[node].in_connectors[name];
        state.connect(entry, node,
                      {matching_connector(in), name, Memlet::read(name, container.window)});
      }
      if (container.out) {
        const std::string out = state[*container.out].src_connector;
        state[*container.out].memlet = Memlet::write(name, container.window);
        state[node].out_connectors[name];
        state.connect(node, exit,
                      {name, matching_connector(out), Memlet::write(name, container.window)});
      }
    }
    if (state.in(node).empty()) state.connect(entry, node, {});
    if (state.out(node).empty()) state.connect(node, exit, {});
    propagate_memlets(sdfg_, state, entry, known_.get());
    std::vector<Block> chain;
    chain.push_back(std::move(block));
    replace_by_chain(sdfg_, edit, id, std::move(chain), plan.range.variable, plan.range.last());
  }

 private:
  /// Counts accesses that go to the next element with the next iteration.
  Refusal check_neighbours(const State& state, const MapEntry& map, const std::string& variable,
                           const Scope& scope) const {
    std::size_t of_loop = 0;
    std::vector<std::size_t> of_map(map.params.size());
    const auto count = [&](EdgeId e) {
      const Memlet& memlet = state[e].memlet;
      const Data* data = memlet.empty() ? nullptr : sdfg_.find_data(memlet.data);
      const Array* array = data ? data->as_array() : nullptr;
      if (!array || !memlet.subset() || memlet.subset()->rank() != array->strides.size()) return;
      const auto is_next = [&](const std::string& name) {
        return element_distance(*memlet.subset(), *array, name) == Expr(1);
      };
      of_loop += is_next(variable);
      for (std::size_t p = 0; p < map.params.size(); ++p) of_map[p] += is_next(map.params[p]);
    };
    for (EdgeId e : state.out(scope.entry)) count(e);
    for (EdgeId e : state.in(scope.exit)) count(e);
    const std::size_t best = *std::ranges::max_element(of_map);
    if (of_loop > 0 && of_loop >= best) return {};
    return "the loop goes to the next element in " + std::to_string(of_loop) +
           " accesses, the map in " + std::to_string(best);
  }

  Refusal check_accesses(const LoopRegion& loop, const MapEntry& map, LoopRanges& ranges,
                         Plan& plan) {
    const Assumptions& known = known_.get();
    const RegionAccesses accesses =
        region_accesses(sdfg_, loop, known, effects_, ranges,
                        MapPoints{plan.scope.entry, plan.range.tested_first(known)});
    if (accesses.refusal) return accesses.refusal;
    if (Refusal why = accesses.check_aliases(aliases_)) return why;
    for (auto& [name, container] : plan.border) {
      const auto found = accesses.by_container.find(name);
      if (found == accesses.by_container.end()) continue;
      const Data& data = sdfg_.arrays.at(name);
      SymbolSet shape;
      collect_symbols(data, shape);
      if (shape.contains(plan.range.variable))
        return "the shape of '" + name + "' depends on '" + plan.range.variable + "'";
      const bool written = std::ranges::any_of(found->second, &RegionAccess::write);
      if (written)
        if (Refusal why =
                points_.check(name, found->second, map.params, map.ranges, known_.get()))
          return why;
      container.window = box_of(data, found->second, known_.get());
    }
    return {};
  }

  /// Erases the other edges between the map's border and the same container, and their connectors.
  static void keep_only(State& state, std::span<const EdgeId> edges, EdgeId keep, bool in) {
    const NodeId end = in ? state.source(keep) : state.target(keep);
    const NodeId border = in ? state.target(keep) : state.source(keep);
    for (EdgeId e : std::vector(edges.begin(), edges.end())) {
      if (e == keep || state[e].memlet.empty() || (in ? state.source(e) : state.target(e)) != end)
        continue;
      const std::string outside = in ? state[e].dst_connector : state[e].src_connector;
      const std::string inside = matching_connector(outside);
      auto& node = state[border];
      node.in_connectors.erase(in ? outside : inside);
      node.out_connectors.erase(in ? inside : outside);
      state.erase(e);
    }
  }

  Sdfg& sdfg_;
  Aliases aliases_;
  const MoveLoopIntoMap::Options& options_;
  const LazyAssumptions& known_;
  const GpuMemory& gpu_;
  SideEffects effects_;
  ApartPoints points_;
  const ScopeNester nester_;
};

}  // namespace

Result<Changed> MoveLoopIntoMap::run(Sdfg& root, const Options& options, PassContext& context) {
  // One per SDFG; the walk is from the inside out and enters nested SDFGs.
  std::map<const Sdfg*, Mover> movers;
  LazyAliases aliases(root);
  const GpuMemory gpu(root);
  const auto visit = [&](Sdfg& sdfg, RegionEdit& edit, BlockId id, const Trail& trail) {
    Mover& mover =
        movers.try_emplace(&sdfg, sdfg, aliases.of(sdfg), options, edit.known, gpu).first->second;
    Plan plan;
    if (const Refusal why = mover.check(*edit.region[id].as<LoopRegion>(), edit.ranges, plan)) {
      context.refused(trail, why);
      return Changed::No;
    }
    if (!context.may_apply()) return Changed::No;
    context.applied(trail, "moved into the map");
    mover.apply(edit, id, plan);
    return Changed::Yes;
  };
  return for_each_loop(root, root, {}, LazyAssumptions(context), visit);
}

}  // namespace sdfg
