#include "passes/map_fusion/waits_through.h"

#include <algorithm>
#include <set>

namespace sdfg {
namespace {

class Waits {
 public:
  Waits(const FusionSite& site, const FusionMap& first, NodeId between)
      : site_(site), state_(site.state), first_(first), between_(between) {}

  /// All that writes the container here and, with `readers`, all that reads it.
  void look_at(const std::string& container, bool readers) {
    for (const AccessSite& access : site_.accesses.sites(container)) {
      if (access.state != &state_) continue;
      if (!state_.in(access.node).empty()) wait_for(access.node);
      if (readers) wait_for_readers(access.node);
    }
  }

  std::vector<NodeId> take() const { return {found_.begin(), found_.end()}; }

 private:
  /// Views hand on what they look at.
  void wait_for_readers(NodeId node) {
    for (EdgeId e : state_.out(node)) {
      const NodeId reader = state_.target(e);
      const auto* access = state_[reader].as<AccessNode>();
      const Data* data = access ? site_.sdfg.find_data(access->data) : nullptr;
      if (data && data->is_view()) wait_for_readers(reader);
      wait_for(reader);
    }
  }

  void wait_for(NodeId node) {
    node = site_.order.element(node);
    const NodeId scope = site_.order.scope_of(first_.entry);
    while (node && site_.order.scope_of(node) != scope) node = site_.order.scope_of(node);
    if (!node || node == between_ || !site_.order.reaches(node, between_) ||
        site_.order.reaches(node, first_.entry))
      return;
    const NodeId exit = site_.order.exit_of(node);
    found_.insert(exit ? exit : node);
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap& first_;
  NodeId between_;
  std::set<NodeId> found_;
};

}  // namespace

std::vector<NodeId> waits_through(const FusionSite& site, const FusionMap& first,
                                  const FusionMap& second, NodeId between) {
  const auto in = site.state.in(between);
  if (std::ranges::all_of(in, [&](EdgeId e) { return site.state.source(e) == first.exit; }))
    return {};
  Waits waits(site, first, between);
  for (const auto& [container, ports] : second.writes) waits.look_at(container, true);
  for (const auto& [container, ports] : second.reads)
    if (!second.writes.contains(container)) waits.look_at(container, false);
  return waits.take();
}

}  // namespace sdfg
