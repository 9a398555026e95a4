#include "passes/loops/map_to_loop.h"

#include <algorithm>
#include <array>

#include "ir/analysis/scope_tree.h"
#include "passes/common/assume.h"
#include "passes/common/decide.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/lazy_assumptions.h"
#include "passes/loops/nest_scope.h"

namespace sdfg {
namespace {

Code assign(const std::string& variable, const Expr& value) {
  return Code::from(Statements{Statement{Assign{Expr::symbol(variable), value, {}, {}}}});
}

/// A map's entry and those of the scopes around it.
struct Found {
  NodeId entry;
  std::vector<NodeId> around;
};
/// The state's maps, the innermost first.
std::vector<Found> maps_inside_out(const State& state) {
  const auto tree = scope_tree(state);
  std::vector<Found> found;
  if (!tree) return found;
  for (NodeId n : state.nodes())
    if (state[n].is<MapEntry>()) found.push_back({n, tree->enclosing(n)});
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const Found& f) { return f.around.size(); });
  return found;
}

class Converter {
 public:
  Converter(const Sdfg& root, const MapToLoop::Options& options, PassContext& context)
      : gpu_(root), options_(options), context_(context) {}

  Changed on_sdfg(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known) {
    const ScopeNester nester(sdfg);
    return on_region({nester, known}, sdfg, trail);
  }

 private:
  /// An SDFG, and what is known inside.
  struct Place {
    const ScopeNester& nester;
    const LazyAssumptions& known;
  };
  Changed on_region(const Place& place, Region& region, const Trail& trail) {
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      const Trail here = trail.in(block);
      if (Region* inner = block.region()) changed |= on_region(place, *inner, here);
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches)
          changed |= on_region(place, branch.region(), here.in(branch.block));
      if (auto* state = block.as<State>()) changed |= on_state(place, *state, here);
    }
    return changed;
  }

  Changed on_state(const Place& place, State& state, const Trail& trail) {
    Changed changed = Changed::No;
    for (NodeId n : state.nodes_of<NestedSdfg>())
      if (auto* nested = state[n].as<NestedSdfg>(); nested->sdfg)
        changed |= on_sdfg(**nested->sdfg, trail.in(state, n),
                           place.known.inside(place.nester.sdfg(), *nested));
    for (const auto& [entry, around] : maps_inside_out(state)) {
      const auto& map = state.get<MapEntry>(entry);
      if (!options_.labels.empty() &&
          std::ranges::find(options_.labels, map.label) == options_.labels.end())
        continue;
      const Trail here = trail.in(state, entry);
      const auto scope = find_scope(state, entry);
      Border border;
      if (const Refusal why = scope ? check(place, state, *scope, around, border)
                                    : Refusal("the map has no exit")) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) return changed;
      context_.applied(here, "became a loop over '" + map.params[0] + "'");
      apply(place, state, *scope, border);
      changed = Changed::Yes;
    }
    return changed;
  }

  Refusal check(const Place& place, const State& state, const Scope& scope,
                const std::vector<NodeId>& around, Border& border) const {
    const auto& map = state.get<MapEntry>(scope.entry);
    if (map.params.size() != 1) return "the map has several parameters";
    if (!(map.ranges[0].tile == Expr(1))) return "the map's range has tiles";
    SymbolSet read;
    collect_symbols(Subset{map.ranges}, read);
    if (read.contains(map.params[0]))
      return "the map's range reads '" + map.params[0] + "', which its parameter is called, too";
    if (map.schedule != Schedule::Default && map.schedule != Schedule::Sequential &&
        map.schedule != Schedule::CpuMulticore)
      return "the map's schedule says where it runs";
    if (map.instrument != Instrumentation::None) return "the map is instrumented";
    if (!certain(less(Expr(0), map.ranges[0].step, place.known.get())))
      return "the step " + to_text(map.ranges[0].step) + " may not be positive";
    if (computed_otherwise(place, map.ranges[0]))
      return "a loop's code may compute the range " + to_text(map.ranges[0]) + " otherwise";
    if (Refusal why = place.nester.find_border(state, scope, around, border, place.known.get()))
      return why;
    // A map without a schedule runs where its data is; a loop runs on the host.
    if (map.schedule == Schedule::Default && around.empty())
      for (const auto& [name, container] : border)
        if (gpu_.is_out_of_reach(place.nester.sdfg(), name))
          return "'" + name + "' is in GPU memory, where a loop on the host cannot reach it";
    return {};
  }

  bool computed_otherwise(const Place& place, const Range& range) const {
    const Sdfg& sdfg = place.nester.sdfg();
    const auto differs = [&](const Assumptions& known) {
      return std::ranges::any_of(std::array{range.begin, range.end + 1, range.step},
                                 [&](const Expr& e) { return differs_in_code(e, sdfg, known); });
    };
    Assumptions known = place.known.get();
    if (!differs(known)) return false;
    assume_shapes(sdfg, known);
    return differs(known);
  }

  void apply(const Place& place, State& state, const Scope& scope, const Border& border) {
    const MapEntry map = state.get<MapEntry>(scope.entry);
    const auto enclose = [&](Block body) {
      LoopRegion loop;
      const Expr variable = Expr::symbol(map.params[0]);
      loop.loop_variable = map.params[0];
      loop.init_statement = assign(map.params[0], map.ranges[0].begin);
      loop.loop_condition = Code::from(compare_expr(Op::Lt, variable, map.ranges[0].end + 1));
      loop.update_statement = assign(map.params[0], variable + map.ranges[0].step);
      loop.start_block = loop.add(std::move(body));
      return Block{"loop_" + map.params[0], std::move(loop)};
    };
    const std::string label = map.label.empty() ? "loop" : map.label;
    const NodeId node = state.add(Node{place.nester.nest(state, scope, border, label, enclose)});
    for (const auto& [name, container] : border) {
      if (container.in) {
        state[node].in_connectors[name];
        state.connect(
            state.source(*container.in), node,
            {state[*container.in].src_connector, name, Memlet::read(name, container.window)});
      }
      if (container.out) {
        state[node].out_connectors[name];
        state.connect(
            node, state.target(*container.out),
            {name, state[*container.out].dst_connector, Memlet::write(name, container.window)});
      }
    }
    for (EdgeId e : state.in(scope.entry))
      if (state[e].memlet.empty()) state.connect(state.source(e), node, state[e]);
    for (EdgeId e : state.out(scope.exit))
      if (state[e].memlet.empty()) state.connect(node, state.target(e), state[e]);
    for (NodeId n : scope.nodes) state.erase(n);
    state.erase(scope.entry);
    state.erase(scope.exit);
  }

  const GpuMemory gpu_;
  const MapToLoop::Options& options_;
  PassContext& context_;
};

}  // namespace

Result<Changed> MapToLoop::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  return Converter(sdfg, options, context).on_sdfg(sdfg, {}, LazyAssumptions(context));
}

}  // namespace sdfg
