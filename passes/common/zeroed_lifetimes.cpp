#include "passes/common/zeroed_lifetimes.h"

#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "passes/common/accesses.h"
#include "passes/common/state_flow.h"

namespace sdfg {

void fix_zeroed_lifetimes(Sdfg& root) {
  for_each_sdfg(root, [](Sdfg& sdfg) {
    std::set<std::string> zeroed;
    for_each_state(sdfg, [&](const State& state) {
      for (NodeId n : state.nodes_of<AccessNode>())
        if (const auto& access = state.get<AccessNode>(n); access.setzero)
          zeroed.insert(access.data);
    });
    if (zeroed.empty()) return;
    const Accesses accesses(sdfg);
    const StateFlow flow(sdfg);
    for (const std::string& name : zeroed) {
      Data* data = sdfg.arrays.get(name);
      if (!data || !data->transient || data->role() != Role::Plain ||
          data->lifetime != Lifetime::Scope)
        continue;
      const auto& sites = accesses.sites(name);
      const auto elsewhere = [&](const AccessSite& s) { return s.state != sites.front().state; };
      const auto again = [&](const AccessSite& s) { return flow.repeats(flow.point(*s.state)); };
      if ((accesses.is_named(name) || std::ranges::any_of(sites, elsewhere)) &&
          std::ranges::any_of(sites, again))
        data->lifetime = Lifetime::Sdfg;
    }
  });
}

}  // namespace sdfg
