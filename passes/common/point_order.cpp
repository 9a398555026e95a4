#include "passes/common/point_order.h"

#include "ir/analysis/memlet_path.h"
#include "passes/common/scope.h"

namespace sdfg {

Refusal check_reordering(const Sdfg& sdfg, const State& state, NodeId entry) {
  const Scope scope = *find_scope(state, entry);
  const auto check = [&](NodeId node) -> Refusal {
    const auto* access = state[node].as<AccessNode>();
    const Data* data = access ? sdfg.find_data(access->data) : nullptr;
    if (!data || !data->is_stream()) return {};
    return "the order of its points is the order of the stream '" + access->data + "'";
  };
  for (NodeId n : scope.nodes)
    if (Refusal why = check(n)) return why;
  for (EdgeId e : state.in(scope.entry))
    if (Refusal why = check(path_source(state, e))) return why;
  for (EdgeId e : state.out(scope.exit))
    if (Refusal why = check(path_target(state, e))) return why;
  return {};
}

}  // namespace sdfg
