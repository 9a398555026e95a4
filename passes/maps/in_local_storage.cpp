#include "passes/maps/in_local_storage.h"

#include "passes/common/assume.h"
#include "passes/common/walk_states.h"
#include "passes/maps/local_storage.h"

namespace sdfg {
namespace {

struct Plan {
  StoragePlace place;
  InnerEdges inner;
  std::string array;
  LocalBox local;
};

Refusal check(const Sdfg& sdfg, const State& state, const ScopeTree& tree, const ScopeUse& use,
              const Assumptions& known, Plan& plan) {
  if (const Refusal why = check_redirect(sdfg, state, plan.place, plan.inner, plan.array))
    return why;
  if (use.writes(plan.array)) return "the outer map writes '" + plan.array + "', too";
  auto local = touched_box(sdfg, state, tree, plan.place, plan.inner, known);
  if (!local) return local.error().message;
  plan.local = std::move(*local);
  return {};
}

void apply(Sdfg& sdfg, State& state, const Plan& plan, Storage storage, FreshNames& names) {
  const Subset& box = plan.local.box;
  const std::string transient =
      add_local(sdfg, names, "trans_" + plan.array, plan.array, plan.local.shape, storage);
  redirect(state, plan.place, plan.inner, plan.array, transient, box);
  const NodeId node = state.add(Node{AccessNode{transient}});
  const EdgeId copy = plan.place.edge;
  const std::string connector = std::exchange(state[copy].dst_connector, "");
  state.set_target(copy, node);
  state[copy].memlet = Memlet::copy(plan.array, box, used_part(box));
  state.connect(node, plan.place.inner.entry,
                Edge{"", connector, Memlet::read(transient, used_part(box))});
}

}  // namespace

Result<Changed> InLocalStorage::run(Sdfg& root, const Options& options, PassContext& context) {
  const LocalStoragePass<Plan, Options> pass{
      true, "copied", "into a transient before the map",
      [](const State&, const StoragePlace&, const Options&) { return true; },
      check, apply};
  return pass.run(root, options, context);
}

}  // namespace sdfg
