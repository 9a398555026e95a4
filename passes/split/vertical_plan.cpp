#include "passes/split/vertical_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/expr_budget.h"
#include "passes/common/empty_parts.h"
#include "passes/split/copy_scope.h"
#include "passes/split/extent.h"

namespace sdfg {
namespace {

constexpr std::size_t most_maps = 16, most_regions = 81;
constexpr std::size_t most_boxes_at_work = 2 * most_regions;  ///< before the empty ones are dropped

/// Maps, as sorted indices, that become one kernel on some boxes.
using Group = std::vector<std::size_t>;
struct GroupLess {
  bool operator()(const Group& a, const Group& b) const { return a < b; }
};
using Boxes = std::map<Group, std::vector<Subset>, GroupLess>;

class Planner {
 public:
  Planner(const Sdfg& sdfg, const State& state, const ScopeTree& tree, const Accesses& accesses,
          SideEffects& effects, Overlaps& overlaps, const ContainerUses& uses,
          const SymbolSet& assigned, const SplitCosts& costs, const Assumptions& assumptions)
      : sdfg_(sdfg), state_(state), tree_(tree), accesses_(accesses), effects_(effects),
        overlaps_(overlaps), uses_(uses), assigned_(assigned), costs_(costs),
        assumptions_(assumptions) {}

  VerticalPlan run() {
    if (Refusal why = find_maps()) return refuse(why);
    if (Refusal why = find_regions()) return refuse(why);
    Boxes boxes;
    if (Refusal why = choose_groups(boxes)) return refuse(why);
    if (Refusal why = check_pieces()) return refuse(why);
    count(boxes);
    return std::move(plan_);
  }

 private:
  struct Region {
    Subset box;
    std::vector<std::size_t> maps;
  };

  VerticalPlan refuse(Refusal why) {
    plan_.refusal = std::move(why);
    return std::move(plan_);
  }
  const MapEntry& map_of(std::size_t m) const { return state_.get<MapEntry>(plan_.maps[m].entry); }

  // ---- Maps and the pairs that could be fused on a common range.

  Refusal find_maps() {
    std::set<NodeId> writers, readers;
    for (const ContainerUse& use : uses_.uses) {
      if (use.write) {
        const auto* exit = state_[state_.source(use.edge)].as<MapExit>();
        if (exit) writers.insert(exit->entry);
      } else if (state_[state_.target(use.edge)].is<MapEntry>()) {
        readers.insert(state_.target(use.edge));
      }
    }
    if (writers.empty() || readers.empty())
      return "'" + uses_.name + "' does not go from maps to maps";
    plan_.candidate = true;
    if (writers.size() + readers.size() > most_maps)
      return "more than " + std::to_string(most_maps) + " maps use '" + uses_.name + "'";
    const NodeId access = uses_.sites.front().node;
    Refusal last;
    for (NodeId p : writers)
      for (NodeId c : readers) {
        OverlapPair pair;
        if (Refusal why = overlaps_.check(access, tree_.exit_of(p), c, pair))
          last = std::move(why);
        else
          add(pair);
      }
    if (pairs_.empty())
      return "no two maps around '" + uses_.name + "' could be fused: " + last.reason();
    return {};
  }

  std::optional<std::size_t> find(NodeId entry) const {
    const auto at = std::ranges::find(plan_.maps, entry, &PlannedMap::entry);
    if (at == plan_.maps.end()) return std::nullopt;
    return std::size_t(at - plan_.maps.begin());
  }
  std::size_t add_map(NodeId entry, bool producer, std::vector<std::size_t> common) {
    const MapEntry& map = state_.get<MapEntry>(entry);
    PlannedMap planned{entry, tree_.exit_of(entry), producer, std::move(common), {}, {}};
    planned.box.ranges.resize(map.ranges.size());
    for (std::size_t i = 0; i < map.ranges.size(); ++i)
      planned.box[planned.common[i]] = map.ranges[i];
    planned.only_writes =
        !check_leave_out(sdfg_, state_, accesses_, *find_scope(state_, entry), effects_);
    plan_.maps.push_back(std::move(planned));
    return plan_.maps.size() - 1;
  }
  /// The first producer numbers the parameters; others follow through the pairs. What is not
  /// connected with it, or differently, is left to another run.
  void add(const OverlapPair& pair) {
    const std::size_t n = pair.producer_parameter.size();
    auto p = find(pair.producer), c = find(pair.consumer);
    if (!p && !c && !plan_.maps.empty()) return;
    if (!p) {
      std::vector<std::size_t> common(n);
      for (std::size_t q = 0; q < n; ++q)
        common[pair.producer_parameter[q]] =
            c ? plan_.maps[*c].common[q] : pair.producer_parameter[q];
      p = add_map(pair.producer, true, std::move(common));
    }
    std::vector<std::size_t> common(n);
    for (std::size_t q = 0; q < n; ++q)
      common[q] = plan_.maps[*p].common[pair.producer_parameter[q]];
    if (!c) c = add_map(pair.consumer, false, common);
    if (plan_.maps[*c].common == common) pairs_.insert({*p, *c});
  }

  // ---- The common refinement of all ranges.

  Refusal find_regions() {
    for (std::size_t m = 0; m < plan_.maps.size(); ++m) {
      std::vector<Subset> rest{plan_.maps[m].box};
      std::vector<Region> next;
      for (Region& region : regions_) {
        // Ranges without steps can always be cut along one another.
        const auto parts = cut(region.box, plan_.maps[m].box, assumptions_, Undecided::Clamp);
        for (const Subset& outside : parts->outside) next.push_back({outside, region.maps});
        if (!parts->inside) continue;
        if (!has_at_most(most_terms_cut, *parts->inside)) return too_long();
        next.push_back({*parts->inside, region.maps});
        next.back().maps.push_back(m);
        std::vector<Subset> still;
        for (const Subset& r : rest) {
          auto left = cut(r, region.box, assumptions_, Undecided::Clamp);
          for (Subset& piece : left->outside)
            if (!certainly_empty(piece)) still.push_back(std::move(piece));
        }
        rest = std::move(still);
        // Borders in an unknown order leave pieces that may be empty: six times as many per region.
        if (next.size() + rest.size() > most_boxes_at_work) return too_many();
      }
      for (Subset& r : rest) next.push_back({std::move(r), {m}});
      std::erase_if(next, [&](const Region& r) { return certainly_empty(r.box); });
      regions_ = std::move(next);
      if (regions_.size() > most_regions) return too_many();
    }
    return {};
  }
  static Refusal too_long() {
    return "the ranges cut one another into boxes with borders of more than " +
           std::to_string(most_terms_cut) + " terms";
  }
  static Refusal too_many() {
    return "the ranges cut one another into more than " + std::to_string(most_regions) + " boxes";
  }
  bool certainly_empty(const Subset& box) const {
    return sdfg::certainly_empty(box.ranges, assumptions_);
  }

  // ---- Who is fused with whom, where.

  /// Maps of a region in groups that are connected by pairs.
  std::vector<Group> groups(const Region& region, const std::set<Group>& given_up) const {
    std::vector<Group> out;
    std::set<std::size_t> left(region.maps.begin(), region.maps.end());
    while (!left.empty()) {
      Group group{*left.begin()};
      left.erase(left.begin());
      for (std::size_t at = 0; at < group.size(); ++at)
        for (auto m = left.begin(); m != left.end();) {
          const bool paired = pairs_.contains({group[at], *m}) || pairs_.contains({*m, group[at]});
          if (paired) group.push_back(*m);
          m = paired ? left.erase(m) : std::next(m);
        }
      std::ranges::sort(group);
      if (given_up.contains(group))
        for (std::size_t m : group) out.push_back({m});
      else
        out.push_back(std::move(group));
    }
    return out;
  }

  /// Groups whose part of the container does not die are given up, and what then has no different
  /// partners is put together again, until all that is left is of use.
  Refusal choose_groups(Boxes& boxes) {
    std::set<Group> given_up;
    std::string why;
    for (;;) {
      boxes.clear();
      bool some = false;
      for (const Region& region : regions_)
        for (const Group& group : groups(region, given_up)) {
          boxes[group].push_back(region.box);
          some = some || group.size() > 1;
        }
      if (!some)
        return why.empty()
                   ? Refusal("the ranges of the maps around '" + uses_.name + "' do not overlap")
                   : Refusal(why);
      for (auto& [group, list] : boxes) {
        list = merge_adjacent(std::move(list), assumptions_);
        for (Subset& box : list) box = spelled_as_a_range(group, std::move(box));
      }
      const auto failing = group_that_lives(boxes, why);
      if (!failing) break;
      given_up.insert(*failing);
    }
    for (PlannedMap& map : plan_.maps) map.pieces.clear();
    bool cuts = false;
    for (const auto& [group, list] : boxes)
      for (std::size_t m : group)
        for (const Subset& box : list)
          if (!is_dead(m, group, box)) plan_.maps[m].pieces.push_back(box);
    for (PlannedMap& map : plan_.maps) {
      if (map.pieces.size() == 1 && map.pieces[0] == map.box) map.pieces.clear();
      cuts = cuts || !map.pieces.empty();
    }
    if (!cuts) plan_.candidate = false;
    return cuts ? Refusal() : Refusal("the maps around '" + uses_.name + "' have the same ranges");
  }

  /// The whole range of one of the maps stays as it is written.
  Subset spelled_as_a_range(const Group& group, Subset box) const {
    for (std::size_t m : group)
      if (certain(same_points(box, plan_.maps[m].box, assumptions_))) return plan_.maps[m].box;
    return box;
  }

  /// What iterations in the box touch of the container, by edge of the map at its access node.
  std::vector<ContainerUse> uses_in(std::size_t m, const Subset& box) const {
    const PlannedMap& map = plan_.maps[m];
    const std::vector<Range> ranges = VerticalPlan::ranges(map, box);
    const NodeId border = map.producer ? map.exit : map.entry;
    std::vector<ContainerUse> out;
    for (const ContainerUse& use : uses_.uses) {
      if ((map.producer ? state_.source(use.edge) : state_.target(use.edge)) != border ||
          use.write != map.producer)
        continue;
      const std::string connector = matching_connector(
          map.producer ? state_[use.edge].src_connector : state_[use.edge].dst_connector);
      std::optional<Subset> all;
      for (EdgeId e : map.producer ? state_.in(border) : state_.out(border)) {
        if ((map.producer ? state_[e].dst_connector : state_[e].src_connector) != connector)
          continue;
        const auto part = footprint(sdfg_, state_, e, use.write, uses_.name, assumptions_);
        Subset outside = use.subset;
        if (part) {
          const auto image_of = image(*part, map_of(m).params, ranges, assumptions_);
          for (std::size_t d = 0; d < outside.rank(); ++d)
            if (image_of[d]) outside[d] = *image_of[d];
        }
        all = all ? bounding_box(*all, outside, assumptions_) : std::move(outside);
      }
      out.push_back(use);
      if (all) out.back().subset = *std::move(all);
    }
    return out;
  }

  /// What maps of a group hand on among themselves in a box: their writes, and reads of these.
  std::vector<ContainerUse> exchanged(const Group& group, const Subset& box) const {
    std::vector<ContainerUse> writes, reads;
    for (std::size_t m : group)
      for (ContainerUse& use : uses_in(m, box))
        (use.write ? writes : reads).push_back(std::move(use));
    std::erase_if(reads, [&](const ContainerUse& read) {
      return std::ranges::all_of(writes, [&](const ContainerUse& write) {
        return intersects(read.subset, write.subset, assumptions_) == Truth::No;
      });
    });
    writes.insert(writes.end(), reads.begin(), reads.end());
    return writes;
  }

  /// A group whose part of the container somebody else uses as well; notes the fragments if all is
  /// well.
  std::optional<Group> group_that_lives(const Boxes& boxes, std::string& why) {
    ContainerUses after = uses_;
    after.uses.clear();
    std::vector<const Group*> group_of;  // by use; null: of no planned map
    std::vector<std::size_t> kernel_of;  // the box, numbered over all groups
    for (const ContainerUse& use : uses_.uses) {
      const NodeId end = use.write ? state_.source(use.edge) : state_.target(use.edge);
      const bool planned = std::ranges::any_of(plan_.maps, [&](const PlannedMap& m) {
        return (use.write ? m.producer && m.exit == end : !m.producer && m.entry == end);
      });
      if (planned) continue;
      after.uses.push_back(use);
      group_of.push_back(nullptr), kernel_of.push_back(0);
    }
    std::size_t kernel = 0;
    for (const auto& [group, list] : boxes)
      for (const Subset& box : list) {
        ++kernel;
        for (std::size_t m : group)
          for (ContainerUse& use : uses_in(m, box)) {
            after.uses.push_back(std::move(use));
            group_of.push_back(&group), kernel_of.push_back(kernel);
          }
      }
    plan_.fragments = find_fragments(after, assumptions_);
    for (const Fragment& f : plan_.fragments.fragments) {
      std::set<std::size_t> writers;  // a kernel may also read what it has nothing to do with
      for (std::size_t u : f.uses)
        if (group_of[u] && after.uses[u].write) writers.insert(kernel_of[u]);
      for (std::size_t u : f.uses) {
        if (!group_of[u] || group_of[u]->size() < 2 || !writers.contains(kernel_of[u])) continue;
        const auto other = std::ranges::find_if(f.uses, [&](std::size_t v) {
          return kernel_of[v] != kernel_of[u];
        });
        if (other == f.uses.end()) continue;
        const ContainerUse& use = after.uses[*other];
        why = "'" + uses_.name + "[" + to_text(after.uses[u].subset) + "]' would have to stay: " +
              who(use) + (use.write ? " writes " : " reads ") + "[" + to_text(use.subset) + "]";
        return *group_of[u];
      }
    }
    find_copies(after, group_of);
    return std::nullopt;
  }

  /// Copies out of the container, and those of them whose parts nobody else reads: buffer
  /// elimination lets the pieces that write these parts write the copies.
  void find_copies(const ContainerUses& after, const std::vector<const Group*>& group_of) {
    copies_.clear(), dying_copies_.clear();
    std::set<EdgeId> living;
    for (const Fragment& f : plan_.fragments.fragments) {
      std::vector<EdgeId> reads;
      bool others = false;
      for (std::size_t u : f.uses) {
        const ContainerUse& use = after.uses[u];
        const bool copy = !use.write && state_[state_.target(use.edge)].is<AccessNode>();
        if (copy) reads.push_back(use.edge);
        others = others || (!copy && !(use.write && group_of[u]));
      }
      copies_.insert(reads.begin(), reads.end());
      if (others || reads.size() > 1) living.insert(reads.begin(), reads.end());
    }
    std::ranges::set_difference(copies_, living, std::inserter(dying_copies_, dying_copies_.end()));
  }
  std::string who(const ContainerUse& use) const {
    const NodeId end = use.write ? state_.source(use.edge) : state_.target(use.edge);
    if (const auto* exit = state_[end].as<MapExit>())
      return "map '" + std::string(state_[exit->entry].label()) + "'";
    return (state_[end].is<AccessNode>() ? "a copy with '" : "'") +
           std::string(state_[end].label()) + "'";
  }

  /// A piece of a producer that has no other output, and that nobody reads.
  bool is_dead(std::size_t m, const Group& group, const Subset& box) const {
    const PlannedMap& map = plan_.maps[m];
    if (!map.producer || !map.only_writes || group.size() > 1 ||
        state_.out(map.exit).size() > 1)
      return false;
    for (const ContainerUse& written : uses_in(m, box))
      for (const ContainerUse& use : uses_.uses)
        if (!use.write && intersects(use.subset, written.subset, assumptions_) != Truth::No)
          return false;
    return true;
  }

  Refusal check_pieces() const {
    for (const PlannedMap& map : plan_.maps) {
      if (map.pieces.size() < 2) continue;
      if (Refusal why = check_copy_scope(sdfg_, state_, *find_scope(state_, map.entry)))
        return "map '" + std::string(state_[map.entry].label()) +
               "' cannot be copied: " + why.reason();
      for (EdgeId e : state_.out(map.exit))
        if (state_[e].memlet.wcr)
          return "map '" + std::string(state_[map.entry].label()) +
                 "' resolves conflicts, whose order would change";
    }
    SymbolSet used;
    for (const Fragment& f : plan_.fragments.fragments) collect_symbols(f.box, used);
    for (const std::string& symbol : used)
      if (assigned_.contains(symbol))
        return "a border depends on '" + symbol + "', which the SDFG assigns";
    return {};
  }

  // ---- Numbers.

  std::int64_t points(const Subset& box) const {
    return expected_points(box, costs_.assumed_extent, assumptions_);
  }

  std::int64_t scale() const {
    return production_scale(Subset::whole(sdfg_.find_data(uses_.name)->shape),
                            costs_.assumed_extent, assumptions_);
  }

  void count(const Boxes& boxes) {
    const std::int64_t element = sdfg_.find_data(uses_.name)->dtype.bytes().value_or(8);
    std::int64_t pieces = 0;
    plan_.launches_before = std::int64_t(plan_.maps.size() + copies_.size());
    plan_.launches_after = std::int64_t(copies_.size() - dying_copies_.size());
    for (const auto& [group, list] : boxes)
      for (const Subset& box : list) {
        if (group.size() == 1 && is_dead(group[0], group, box)) continue;
        ++plan_.launches_after;
        if (group.size() < 2) continue;
        // Each map of the group would have stored or loaded what now stays in a register.
        for (const ContainerUse& use : exchanged(group, box))
          plan_.bytes_saved += points(use.subset) * element;
      }
    for (const ContainerUse& use : uses_.uses)  // read and written again
      if (dying_copies_.contains(use.edge)) plan_.bytes_saved += 2 * points(use.subset) * element;
    for (const PlannedMap& map : plan_.maps) pieces += std::int64_t(map.pieces.size());
    const std::int64_t more = plan_.launches_after - plan_.launches_before;
    plan_.text = std::to_string(plan_.launches_before) + " kernels around '" + uses_.name +
                 "' become " + std::to_string(plan_.launches_after) + " once fused, and about " +
                 std::to_string(plan_.bytes_saved) + " bytes of it need not be moved";
    if (plan_.bytes_saved == 0)
      plan_.refusal = plan_.text + ", so that nothing is saved";
    else if (more > 0 && plan_.bytes_saved * scale() <= more * costs_.launch_bytes)
      plan_.refusal = plan_.text + ", which is less than " + std::to_string(more) +
                      " launches cost (" + std::to_string(costs_.launch_bytes) + " bytes each)";
  }

  const Sdfg& sdfg_;
  const State& state_;
  const ScopeTree& tree_;
  const Accesses& accesses_;
  SideEffects& effects_;
  Overlaps& overlaps_;
  const ContainerUses& uses_;
  const SymbolSet& assigned_;
  const SplitCosts& costs_;
  const Assumptions& assumptions_;
  VerticalPlan plan_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;  ///< producer, consumer
  std::vector<Region> regions_;                          ///< disjoint
  std::set<EdgeId> copies_, dying_copies_;
};

}  // namespace

std::vector<Range> VerticalPlan::ranges(const PlannedMap& map, const Subset& piece) {
  std::vector<Range> out;
  for (std::size_t number : map.common) out.push_back(piece[number]);
  return out;
}

VerticalPlan plan_vertical_split(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                                 const Accesses& accesses, SideEffects& effects,
                                 Overlaps& overlaps, const ContainerUses& uses,
                                 const SymbolSet& assigned, const SplitCosts& costs,
                                 const Assumptions& assumptions) {
  return Planner(sdfg, state, tree, accesses, effects, overlaps, uses, assigned, costs, assumptions)
      .run();
}

}  // namespace sdfg
