#include "passes/maps/out_local_storage.h"

#include <algorithm>

#include "passes/common/assume.h"
#include "passes/common/walk_states.h"
#include "passes/common/outputs_read.h"
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
  if (use.reads(plan.array)) return "the outer map reads '" + plan.array + "', too";
  if (const Refusal why = check_written_last(state, plan.place, use, plan.array)) return why;
  if (std::ranges::any_of(plan.inner.all, [&](EdgeId e) { return combines(state, e); }))
    return "writes of '" + plan.array + "' resolve conflicts";
  if (const Refusal why = check_all_written(sdfg, state, tree, plan.place, plan.inner, known))
    return why;
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
  const std::string connector = std::exchange(state[copy].src_connector, "");
  state.set_source(copy, node);
  Memlet memlet = Memlet::copy(transient, used_part(box), box);
  memlet.data = plan.array;  // as on the rest of the path
  memlet.data_is_src = false;
  state[copy].memlet = std::move(memlet);
  state.connect(plan.place.inner.exit, node,
                Edge{connector, "", Memlet::write(transient, used_part(box))});
}

}  // namespace

Result<Changed> OutLocalStorage::run(Sdfg& root, const Options& options, PassContext& context) {
  const LocalStoragePass<Plan, Options> pass{
      false, "collected", "in a transient behind the map",
      [](const State&, const StoragePlace&, const Options&) { return true; },
      check, apply};
  return pass.run(root, options, context);
}

}  // namespace sdfg
