#include "passes/maps/accumulate_transient.h"

#include <algorithm>

#include "passes/common/assume.h"
#include "passes/common/walk_states.h"
#include "passes/maps/local_storage.h"
#include "passes/maps/reduction_identity.h"

namespace sdfg {
namespace {

struct Plan {
  StoragePlace place;
  InnerEdges inner;
  std::string array, identity;
  Code wcr;
  LocalBox local;
};

Refusal check(const Sdfg& sdfg, const State& state, const ScopeTree& tree, const ScopeUse& use,
              const Assumptions& known, Plan& plan) {
  if (const Refusal why = check_redirect(sdfg, state, plan.place, plan.inner, plan.array))
    return why;
  if (use.reads(plan.array)) return "the outer map reads '" + plan.array + "', too";
  if (const Refusal why = check_written_last(state, plan.place, use, plan.array)) return why;
  std::vector<EdgeId> edges = plan.inner.all;
  edges.push_back(plan.place.edge);
  for (const EdgeId e : edges)
    if (state[e].memlet.wcr != state[edges.front()].memlet.wcr || !state[e].memlet.wcr)
      return "writes of '" + plan.array + "' do not all resolve conflicts in the same way";
  plan.wcr = *state[edges.front()].memlet.wcr;
  const Type& type = sdfg.find_data(plan.array)->dtype;
  const auto identity = reduction_identity(plan.wcr, type);
  if (!identity)
    return "there is no value of " + type.text() + " that '" + plan.wcr.text() + "' leaves alone";
  plan.identity = *identity;
  auto local = touched_box(sdfg, state, tree, plan.place, plan.inner, known);
  if (!local) return local.error().message;
  plan.local = std::move(*local);
  return {};
}

/// Writes the identity to the part of the transient that is in use; gives the access node.
NodeId initialize(const Sdfg& sdfg, State& state, const Plan& plan, const std::string& transient) {
  const Subset part = used_part(plan.local.box);
  const std::string out = sdfg.fresh_name("out");  // no container may have a connector's name
  Node tasklet{Tasklet{.label = "init_" + transient, .code = Code(out + " = " + plan.identity)}};
  tasklet.out_connectors[out] = {};
  const NodeId code = state.add(std::move(tasklet));
  const NodeId access = state.add(Node{AccessNode{transient}});
  if (num_elements(part) == Expr(1)) {
    state.connect(plan.place.outer.entry, code, Edge{});
    state.connect(code, access, Edge{out, "", Memlet::write(transient, part)});
    return access;
  }
  MapEntry map;
  map.label = "init_" + transient;
  map.ranges = part.ranges;
  std::vector<Expr> point;
  for (std::size_t d = 0; d < part.rank(); ++d) {
    map.params.push_back("__init_" + std::to_string(d));
    point.push_back(Expr::symbol(map.params.back()));
  }
  const NodeId entry = state.add(Node{std::move(map)});
  Node exit_node{MapExit{entry}};
  exit_node.in_connectors["IN_" + transient] = {};
  exit_node.out_connectors["OUT_" + transient] = {};
  const NodeId exit = state.add(std::move(exit_node));
  state.connect(plan.place.outer.entry, entry, Edge{});
  state.connect(entry, code, Edge{});
  state.connect(code, exit,
                Edge{out, "IN_" + transient, Memlet::write(transient, Subset::index(point))});
  state.connect(exit, access, Edge{"OUT_" + transient, "", Memlet::write(transient, part)});
  return access;
}

void apply(Sdfg& sdfg, State& state, const Plan& plan, Storage storage, FreshNames& names) {
  const Subset& box = plan.local.box;
  const std::string transient =
      add_local(sdfg, names, "trans_" + plan.array, plan.array, plan.local.shape, storage);
  redirect(state, plan.place, plan.inner, plan.array, transient, box);
  state.connect(initialize(sdfg, state, plan, transient), plan.place.inner.entry, Edge{});

  const NodeId node = state.add(Node{AccessNode{transient}});
  const EdgeId outward = plan.place.edge;
  const std::string connector = std::exchange(state[outward].src_connector, "");
  state.set_source(outward, node);
  Memlet memlet = Memlet::copy(transient, used_part(box), box);
  memlet.data = plan.array;  // as on the rest of the path
  memlet.data_is_src = false;
  memlet.wcr = plan.wcr;
  state[outward].memlet = std::move(memlet);
  Memlet inward = Memlet::write(transient, used_part(box));
  inward.wcr = plan.wcr;
  state.connect(plan.place.inner.exit, node, Edge{connector, "", std::move(inward)});
}

}  // namespace

Result<Changed> AccumulateTransient::run(Sdfg& root, const Options& options, PassContext& context) {
  const LocalStoragePass<Plan, Options> pass{
      false, "accumulated", "in a transient behind the map",
      [](const State& state, const StoragePlace& place, const Options& o) {
        return state[place.edge].memlet.wcr || !o.array.empty();
      },
      check, apply};
  return pass.run(root, options, context);
}

}  // namespace sdfg
