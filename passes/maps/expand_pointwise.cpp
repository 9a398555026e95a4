#include "passes/maps/expand_pointwise.h"

#include <numeric>
#include <optional>

#include "ir/pointwise.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/scope.h"
#include "passes/common/walk_states.h"
#include "passes/maps/library_end.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

/// The library node in terms of loops.
struct Plan {
  std::vector<LibraryEnd> in;  ///< as Pointwise::inputs
  std::vector<PointwiseRead> reads;
  std::optional<LibraryEnd> out;

  std::vector<LibraryEnd> ends() const {
    std::vector<LibraryEnd> all = in;
    all.push_back(*out);
    return all;
  }
};

Refusal make_plan(const Sdfg& sdfg, const State& state, NodeId node, const Pointwise& operation,
                  const Aliases& aliases, Plan& plan) {
  const auto find = [&](auto edges, auto connector, const std::string& name) -> Result<LibraryEnd> {
    for (EdgeId e : edges)
      if (state[e].*connector == name && !state[e].memlet.empty()) return library_end(state, e);
    return Diagnostic{{}, "nothing is connected to '" + name + "'"};
  };
  auto out = find(state.out(node), &Edge::src_connector, operation.output);
  if (!out) return out.error().message;
  plan.out = std::move(*out);
  for (const std::string& name : operation.inputs) {
    auto in = find(state.in(node), &Edge::dst_connector, name);
    if (!in) return in.error().message;
    auto read = pointwise_read(operation, sizes(in->subset), sizes(plan.out->subset));
    if (!read) return "'" + name + "': " + read.error().message;
    plan.in.push_back(std::move(*in)), plan.reads.push_back(std::move(*read));
  }
  return check_reads_apart(sdfg, state, plan.in, *plan.out, aliases);
}

/// The element at indices of all dimensions.
Subset element(const Subset& subset, const std::vector<Expr>& indices) {
  std::vector<std::size_t> all(subset.rank());
  std::iota(all.begin(), all.end(), std::size_t(0));
  return at_point(subset, all, indices);
}

/// Puts a map in place of the library node.
void apply(const Sdfg& sdfg, State& state, NodeId node, const Plan& plan, ScopeNames& names) {
  const auto& library = state.get<LibraryNode>(node);
  MapEntry map;
  map.label = name_of(library, "pointwise");
  map.schedule = library.schedule;
  std::vector<Expr> point(plan.out->subset.rank(), Expr(0));
  for (std::size_t d : wide_dimensions(plan.out->subset)) {
    map.params.push_back(names.fresh("__i_", std::to_string(d), 0));
    map.ranges.push_back({0, plan.out->subset[d].size() - 1});
    point[d] = Expr::symbol(map.params.back());
  }
  if (map.params.empty()) {
    map.params.push_back(names.fresh("__i_", "0", 0));
    map.ranges.push_back(Range::index(0));
  }
  // Connectors must not have the name of a container or symbol.
  const std::string out = sdfg.fresh_name("out");
  std::vector<std::string> values{sdfg.fresh_name("value")};
  std::string chosen = values[0];
  if (plan.in.size() == 3) {
    values = {sdfg.fresh_name("mask"), sdfg.fresh_name("then"), sdfg.fresh_name("otherwise")};
    chosen = values[1] + " if " + values[0] + " else " + values[2];
  }
  Tasklet tasklet{.label = map.label, .code = Code(out + " = " + chosen)};
  const NodeId entry = state.add(Node{std::move(map)});
  const NodeId code = state.add(Node{std::move(tasklet)});
  const NodeId exit = state.add(Node{MapExit{entry}});

  for (std::size_t k = 0; k < plan.in.size(); ++k) {
    const LibraryEnd& port = plan.in[k];
    const std::string name = add_port(state[entry], values[k]);
    state[code].in_connectors[values[k]] = {};
    state.set_target(port.edge, entry);
    state[port.edge].dst_connector = "IN_" + name;
    const Subset read = element(port.subset, plan.reads[k].index(sizes(port.subset), point));
    state.connect(entry, code, Edge{"OUT_" + name, values[k], Memlet::read(port.data, read)});
  }
  state[code].out_connectors[out] = {};
  add_port(state[exit], "out");
  Memlet written = Memlet::write(plan.out->data, element(plan.out->subset, point));
  written.wcr = state[plan.out->edge].memlet.wcr;
  state.connect(code, exit, Edge{out, "IN_out", std::move(written)});
  state.set_source(plan.out->edge, exit);
  state[plan.out->edge].src_connector = "OUT_out";
  // Empty memlets keep what was before it before all of it, and what was after after it.
  const std::vector<EdgeId> before(state.in(node).begin(), state.in(node).end());
  const std::vector<EdgeId> after(state.out(node).begin(), state.out(node).end());
  for (EdgeId e : before) state.set_target(e, entry);
  for (EdgeId e : after) state.set_source(e, exit);
  state.erase(node);
}

}  // namespace

Result<Changed> ExpandPointwise::run(Sdfg& root, const Options&, PassContext& context) {
  Changed changed = Changed::No;
  AssignedNames assigned;
  std::optional<GpuMemory> gpu;
  LazyAliases aliases(root);
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    std::optional<ScopeTree> tree;
    std::optional<ScopeNames> names;
    std::optional<Aliases> same;
    for (NodeId id : state.nodes_of<LibraryNode>()) {
      const auto operation = library_operation(state[id]);
      const auto* pointwise = operation ? std::get_if<Pointwise>(&*operation) : nullptr;
      if (!pointwise) continue;
      if (!tree) tree = scope_tree_of(state);  // new nodes are not looked up
      const Trail here = trail.in(state, id);
      if (!gpu) gpu.emplace(root);
      Plan plan;
      if (!same) same = aliases.of(sdfg);
      Refusal why = make_plan(sdfg, state, id, *pointwise, *same, plan);
      if (!why && !tree->parent_of(id)) why = check_within_reach(sdfg, plan.ends(), *gpu);
      if (why) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) return;
      if (!names) names.emplace(sdfg, state, assigned);
      context.applied(here, plan.out->data + "[" + to_text(plan.out->subset) + "]");
      apply(sdfg, state, id, plan, *names);
      changed = Changed::Yes;
    }
  });
  return changed;
}

}  // namespace sdfg
