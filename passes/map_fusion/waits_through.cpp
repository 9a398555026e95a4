#include "passes/map_fusion/waits_through.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/split/container_uses.h"

namespace sdfg {
namespace {

class Waits {
 public:
  Waits(const FusionSite& site, const FusionMap& first, const FusionMap& second, NodeId between)
      : site_(site), state_(site.state), first_(first), second_(second), between_(between) {}

  /// All that writes the container here and, with `readers`, all that reads it.
  void look_at(const std::string& container, bool readers) {
    for (const AccessSite& access : site_.accesses.sites(container)) {
      if (access.state != &state_) continue;
      if (access.node == between_)
        wait_for_other_writers(container);
      else if (!state_.in(access.node).empty() && must_wait_for(access.node))
        wait_for(access.node);
      else
        wait_for_early_writers(access.node, container);
      if (readers) wait_for_readers(access.node, container);
    }
  }

  Refusal why;  ///< somebody must be waited for who is done only when the node between is there
  std::vector<NodeId> take() const { return {found_.begin(), found_.end()}; }

 private:
  /// The node between is waited for no more, so neither are others that write it. What the second
  /// map reads there comes from the first.
  void wait_for_other_writers(const std::string& container) {
    for (EdgeId e : state_.in(between_)) {
      const NodeId writer = state_.source(e);
      if (!must_wait_for(writer)) continue;
      const auto written = elements(e, true, container);
      const bool meets_write = !apart(written, container);
      if (!meets_write && apart_from(site_, written, container, second_, false, between_)) continue;
      if (state_[writer].is<AccessNode>() && !state_[e].memlet.empty())
        refuse("writes what the second one " + std::string(meets_write ? "writes" : "reads"),
               container);
      else
        wait_for(writer);
    }
  }

  /// The node comes later, maybe as the one that the second map writes, too, but of those who write
  /// it, or a view of it, some are done before the node between. (No copy is: it ends where it
  /// writes.)
  void wait_for_early_writers(NodeId node, const std::string& container) {
    for (EdgeId e : state_.in(node)) {
      const NodeId writer = state_.source(e);
      if (is_view(writer)) wait_for_early_writers(writer, container);
      if (state_[e].memlet.empty() || state_[writer].is<AccessNode>() || !must_wait_for(writer))
        continue;
      const auto written = elements(e, true, container);
      if (!apart(written, container) || !apart(written, container, true)) wait_for(writer);
    }
  }

  /// Views hand on what they look at.
  void wait_for_readers(NodeId node, const std::string& container) {
    for (EdgeId e : state_.out(node)) {
      const NodeId reader = state_.target(e);
      if (is_view(reader)) wait_for_readers(reader, container);
      if (reader == between_ && !state_[e].memlet.empty() && !reads_apart(e, node, container))
        refuse("reads what the second one writes", container);
      if (must_wait_for(reader) && !reads_apart(e, node, container)) wait_for(reader);
    }
  }

  void refuse(const std::string& what, const std::string& container) {
    why = "a copy to a node between the maps " + what + " of '" + container + "'";
  }

  bool is_view(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    const Data* data = access ? site_.sdfg.find_data(access->data) : nullptr;
    return data && data->is_view();
  }

  /// Does the edge certainly read other elements of the container than the second map writes?
  bool reads_apart(EdgeId edge, NodeId node, const std::string& container) const {
    const auto* access = state_[node].as<AccessNode>();
    if (!access || access->data != container) return false;  // a view
    return apart(elements(edge, false, container), container);
  }
  /// Are they certainly others than those that the second map writes, or reads?
  bool apart(const std::optional<Subset>& touched, const std::string& container,
             bool read = false) const {
    return apart_from(site_, touched, container, second_, !read);
  }
  std::optional<Subset> elements(EdgeId edge, bool write, const std::string& container) const {
    return footprint(site_.sdfg, state_, edge, write, container, site_.assumptions);
  }

  NodeId beside_maps(NodeId node) const {
    return site_.order.element_in(site_.order.scope_of(first_.entry), node);
  }
  bool must_wait_for(NodeId node) const {
    node = beside_maps(node);
    return node && node != between_ && site_.order.reaches(node, between_) &&
           !site_.order.reaches(node, first_.entry);
  }
  void wait_for(NodeId node) {
    node = beside_maps(node);
    const NodeId exit = site_.order.exit_of(node);
    found_.insert(exit ? exit : node);
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap &first_, &second_;
  NodeId between_;
  std::set<NodeId> found_;
};

}  // namespace

Refusal waits_through(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      NodeId between, std::vector<NodeId>& out) {
  if (comes_after_only(site.state, between, first)) return {};
  if (site.references)
    return "others write '" + site.state.get<AccessNode>(between).data +
           "', too, and the SDFG has references, which may be to what they use";
  for (const auto* touched : {&second.writes, &second.reads})
    for (const auto& [container, ports] : *touched)
      if (site.aliases.contains(container))
        return "others write '" + site.state.get<AccessNode>(between).data + "', too, and '" +
               container + "' may be the same memory as another container";
  Waits waits(site, first, second, between);
  for (const auto& [container, ports] : second.writes) waits.look_at(container, true);
  for (const auto& [container, ports] : second.reads)
    if (!second.writes.contains(container)) waits.look_at(container, false);
  std::ranges::copy(waits.take(), std::back_inserter(out));
  return waits.why;
}

}  // namespace sdfg
