#include "passes/map_fusion/follow_others.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "passes/split/container_uses.h"

namespace sdfg {
namespace {

/// Nodes before, and accesses to what they touch, that are looked at before all that follows waits.
constexpr std::size_t most_steps = 1024;

class Followers {
 public:
  Followers(const FusionSite& site, const FusionMap& first, const FusionMap& second,
            FusionPlan& plan)
      : site_(site), state_(site.state), first_(first), second_(second), plan_(plan) {}

  Refusal run() {
    if (Refusal why = after_second_map()) return why;
    after_first_map();
    return {};
  }

 private:
  /// The fused map waits for those nodes that do not stay behind it.
  Refusal after_second_map() {
    std::vector<NodeId> nodes;
    for (const Intermediate& between : plan_.intermediates)
      if (between.fate == Intermediate::Fate::Stays &&
          !comes_after_only(state_, between.node, first_))
        nodes.push_back(between.node);
    if (nodes.empty()) return {};
    // What the first map waits for, the fused map still does.
    is_before_ = [&](NodeId from) {
      return from != first_.entry && !site_.order.reaches(from, first_.entry);
    };
    is_after_ = [&](NodeId node) {
      return node != second_.entry && site_.order.reaches(second_.exit, node);
    };
    if (!site_.order.scope_of(first_.entry) && find_pairs(nodes)) return {};
    for (EdgeId e : state_.out(second_.exit)) {
      const NodeId after = state_.target(e);
      if (state_[after].is_exit()) continue;  // comes after everything in its scope
      if (state_[after].is<LibraryNode>())
        return "library node '" + std::string(state_[after].label()) +
               "' cannot wait for others at a node between the maps";
      for (NodeId before : nodes) plan_.follow.emplace_back(before, after);
    }
    return {};
  }

  void after_first_map() {
    std::vector<NodeId> left, waited_for;
    for (const Intermediate& between : plan_.intermediates)
      if (between.fate != Intermediate::Fate::Stays && between.has_others &&
          !state_.out(between.node).empty())
        left.push_back(between.node);
    if (left.empty()) return;
    for (EdgeId e : state_.in(first_.entry))
      if (!state_[state_.source(e)].is_entry()) waited_for.push_back(state_.source(e));
    is_before_ = [](NodeId) { return true; };
    is_after_ = [&](NodeId node) {
      return std::ranges::any_of(left, [&](NodeId between) {
        return node == between || comes_only_after(site_, first_, second_, plan_, between, node);
      });
    };
    std::vector<NodeId> elements;
    for (NodeId node : waited_for) elements.push_back(site_.order.element(node));
    if (!site_.order.scope_of(first_.entry) && find_pairs(elements)) return;
    for (NodeId before : waited_for)
      for (NodeId between : left) plan_.follow.emplace_back(before, between);
  }

  /// Walks from these nodes to all that comes before them and looks for pairs. False, and no pairs,
  /// when it was given up.
  bool find_pairs(std::vector<NodeId> queue) {
    steps_ = 0, pairs_.clear();
    std::set<NodeId> seen(queue.begin(), queue.end());
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const NodeId node = queue[at];
      if (++steps_ > most_steps || !look_at(node)) return false;
      for (EdgeId e : state_.in(node)) {
        const NodeId from = site_.order.element(state_.source(e));
        if (is_before_(from) && seen.insert(from).second) queue.push_back(from);
      }
    }
    plan_.follow.insert(plan_.follow.end(), pairs_.begin(), pairs_.end());
    return true;
  }

  /// What the node reads and writes; of an access node: the copies that end there.
  bool look_at(NodeId node) {
    const bool access = state_[node].is<AccessNode>();
    const NodeId exit = site_.order.exit_of(node), end = exit ? exit : node;
    for (EdgeId e : state_.in(node))
      if (state_[state_.source(e)].is<AccessNode>() &&
          !(compare(e, false, end) && (!access || compare(e, true, end))))
        return false;
    if (access) return true;
    return std::ranges::all_of(state_.out(end), [&](EdgeId e) {
      return !state_[state_.target(e)].is<AccessNode>() || compare(e, true, end);
    });
  }

  /// Finds those who touch what the edge touches; `end`: when that is over.
  bool compare(EdgeId edge, bool write, NodeId end) {
    if (state_[edge].memlet.empty()) return true;
    const NodeId node = write ? state_.target(edge) : state_.source(edge);
    const std::string& name = state_.get<AccessNode>(node).data;
    const Data* data = site_.sdfg.find_data(name);
    if (!data || data->role() != Role::Plain || data->is_stream() || site_.aliases.contains(name))
      return false;
    const auto touched = elements(edge, write, name);
    for (const AccessSite& site : site_.accesses.sites(name)) {
      if (site.state != &state_) continue;
      for (EdgeId e : state_.in(site.node))
        if (!compare(touched, e, true, site.node, end)) return false;
      if (!write) continue;
      for (EdgeId e : state_.out(site.node))
        if (!compare(touched, e, false, site.node, end)) return false;
    }
    return true;
  }
  bool compare(const std::optional<Subset>& touched, EdgeId edge, bool write, NodeId site,
               NodeId end) {
    if (++steps_ > most_steps) return false;
    if (state_[edge].memlet.empty()) return true;
    const NodeId neighbour = write ? state_.source(edge) : state_.target(edge);
    const auto* access = state_[neighbour].as<AccessNode>();
    const Data* data = access ? site_.sdfg.find_data(access->data) : nullptr;
    // A copy begins as soon as its source is there.
    const NodeId begin = site_.order.element_in({}, access && !write ? site : neighbour);
    if (!is_after_(begin)) return true;
    if (state_[begin].is<LibraryNode>()) return false;
    if (access && (!data || data->role() != Role::Plain)) return false;
    const std::string& name = state_.get<AccessNode>(site).data;
    const auto other = elements(edge, write, name);
    if (!touched || !other || intersects(*touched, *other, site_.assumptions) != Truth::No)
      pairs_.emplace(end, begin);
    return true;
  }

  std::optional<Subset> elements(EdgeId edge, bool write, const std::string& name) const {
    return footprint(site_.sdfg, state_, edge, write, name, site_.assumptions);
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap &first_, &second_;
  FusionPlan& plan_;
  std::function<bool(NodeId)> is_before_, is_after_;  ///< who is kept apart no more
  std::set<std::pair<NodeId, NodeId>> pairs_;
  std::size_t steps_ = 0;
};

}  // namespace

Refusal follow_others(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      FusionPlan& plan) {
  return Followers(site, first, second, plan).run();
}

}  // namespace sdfg
