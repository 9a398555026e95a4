#include "passes/split/map_split_horizontal.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "passes/common/empty_parts.h"
#include "passes/common/state_trails.h"
#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/split/copy_scope.h"
#include "passes/split/extent.h"
#include "passes/split/overlap.h"
#include "passes/split/partition.h"

namespace sdfg {
namespace {

/// Maps that a reader of the same container is compared with: those before have been passed often
/// enough.
constexpr std::size_t most_candidates = 16;

using Ranges = std::vector<Range>;

/// In how many dimensions the ranges of two maps differ, and the maps: what differs in fewer comes
/// first, because fewer parts are left over; then in order of ids.
using Pair = std::tuple<std::size_t, NodeId, NodeId>;

/// The ranges of the maps that each of two maps becomes.
struct Cut {
  std::vector<Ranges> first, second;  ///< the part in common comes first
  std::string text;                   ///< the decision with its numbers
};

class StateSplitter {
 public:
  StateSplitter(Sdfg& sdfg, State& state, Accesses& accesses, SideEffects& effects,
                const Trail& trail, const MapSplitHorizontal::Options& options,
                const LazyAssumptions& known, PassContext& context)
      : sdfg_(sdfg), state_(state), accesses_(accesses), effects_(effects), trail_(trail),
        options_(options), known_(known), context_(context) {}

  Changed run() {
    auto tree = scope_tree(state_);
    if (!tree) return Changed::No;
    tree_ = *std::move(tree);
    const auto pairs = candidates();
    // Siblings first: whoever reads what another one writes may have a sibling, too.
    const Changed siblings = sweep(pairs, false);
    return siblings | sweep(pairs, true);
  }

 private:
  Changed sweep(const std::set<Pair>& pairs, bool connected) {
    Changed changed = Changed::No;
    for (const auto& [dimensions, first, second] : pairs) {
      if (touched_.contains(first) || touched_.contains(second)) continue;
      if (are_connected(first, second) != connected) continue;
      Cut cut;
      const Trail here = trail_.in(state_, second);
      const std::string with = "with map '" + entry(first).label + "' (node " +
                               std::to_string(first.value) + "): ";
      if (const Refusal why = check(first, second, cut)) {
        context_.refused(here, with + why.reason());
        continue;
      }
      if (!context_.may_apply()) break;
      context_.applied(here, with + cut.text);
      split(first, cut.first);
      split(second, cut.second);
      order_.reset();  // it does not know the pieces
      touched_.insert({first, second});
      changed = Changed::Yes;
    }
    return changed;
  }
  bool are_connected(NodeId first, NodeId second) {
    const NodeId a = at(first).exit, b = at(second).exit;
    return order().reaches(a, second) || order().reaches(b, first);
  }
  const Order& order() {
    if (!order_) order_.emplace(state_);
    return *order_;
  }

  const MapEntry& entry(NodeId map) const { return state_.get<MapEntry>(map); }
  const FusionMap& at(NodeId map) {
    auto found = maps_.find(map);
    if (found == maps_.end()) {
      found = maps_.emplace(map, fusion_map(sdfg_, state_, order(), effects_, map)).first;
    }
    return found->second;
  }

  /// Pairs that read one container and whose ranges differ.
  std::set<Pair> candidates() const {
    std::map<std::string, std::vector<NodeId>> readers;
    std::set<Pair> pairs;
    for (NodeId n : state_.nodes()) {
      if (!state_[n].is<MapEntry>() || tree_.parent_of(n) || !tree_.exit_of(n)) continue;
      NameSet read;
      for (EdgeId e : state_.in(n))
        if (!state_[e].memlet.empty()) read.insert(state_[e].memlet.data);
      for (const std::string& name : read) {
        std::vector<NodeId>& known = readers[name];
        const std::size_t from =
            known.size() > most_candidates ? known.size() - most_candidates : 0;
        for (std::size_t i = from; i < known.size(); ++i)
          if (entry(known[i]).ranges.size() == entry(n).ranges.size())
            if (const std::size_t dimensions = differing(known[i], n).size();
                dimensions > 0 && std::int64_t(dimensions) <= options_.dimensions)
              pairs.emplace(dimensions, known[i], n);
        known.push_back(n);
      }
    }
    return pairs;
  }

  /// The dimensions in which the ranges differ.
  std::vector<std::size_t> differing(NodeId a, NodeId b) const {
    const Ranges &x = entry(a).ranges, &y = entry(b).ranges;
    std::vector<std::size_t> out;
    for (std::size_t d = 0; d < x.size(); ++d)
      if (!(x[d] == y[d])) out.push_back(d);
    return out;
  }

  Refusal check(NodeId first, NodeId second, Cut& cut) {
    if (entry(first).schedule != entry(second).schedule) return "the schedules differ";
    cut.first = {entry(first).ranges}, cut.second = {entry(second).ranges};
    for (std::size_t d : differing(first, second))
      if (Refusal why = cut_dimension(d, cut)) return why;
    for (NodeId map : {first, second})
      if (Refusal why = check_map(map)) return "map '" + entry(map).label + "': " + why.reason();
    if (order().reaches(at(first).exit, second)) {
      if (Refusal why = check_between(first, second)) return why;
    } else if (order().reaches(at(second).exit, first)) {
      if (Refusal why = check_between(second, first)) return why;
    } else {
      if (Refusal why = check_apart(at(first), at(second))) return why;
      if (Refusal why = check_apart(at(second), at(first))) return why;
    }
    return weigh(first, second, cut);
  }

  /// A path leads from one map to the other. They can become one if all of it is what each
  /// iteration of one hands to the same iteration of the other.
  Refusal check_between(NodeId producer, NodeId consumer) {
    if (Refusal why = check_structures(at(producer), at(consumer))) return why;
    if (Refusal why = check_structures(at(consumer), at(producer))) return why;
    for (EdgeId e : state_.out(at(producer).exit)) {
      const NodeId node = state_.target(e);
      if (!state_[node].is<AccessNode>()) continue;
      const bool direct = std::ranges::any_of(
          state_.out(node), [&](EdgeId next) { return state_.target(next) == consumer; });
      if (!direct) continue;
      OverlapPair pair;
      if (Refusal why = Overlaps(sdfg_, state_, order(), known_.get())
                            .check(node, at(producer).exit, consumer, pair))
        return "a path leads from one map to the other: " + why.reason();
      for (std::size_t d = 0; d < pair.producer_parameter.size(); ++d)
        if (pair.producer_parameter[d] != d) return "the parameters are in different orders";
      return {};
    }
    return "a path leads from one map to the other";
  }

  /// To those who join maps a structure is one thing, so they cannot tell which parts these touch.
  Refusal check_structures(const FusionMap& writer, const FusionMap& other) const {
    for (const auto& [name, ports] : writer.writes)
      if (const Data* data = sdfg_.find_data(name); data && data->is_structure())
        if (other.reads.contains(name) || other.writes.contains(name))
          return "one map writes a member of '" + name + "', and the other one touches one";
    return {};
  }

  Refusal check_map(NodeId map) {
    const FusionMap& known = at(map);
    if (!known.unfit.empty()) return known.unfit;
    if (certainly_empty(entry(map).ranges, known_.get())) return "it has no points";
    if (known.side_effects) return "it has side effects";
    if (!known.dynamic.empty()) return "its range is dynamic";
    return check_copy_scope(sdfg_, state_, *find_scope(state_, map));
  }

  /// Cuts what the two have in common so far, and adds what is left over.
  Refusal cut_dimension(std::size_t d, Cut& cut) const {
    const Range x = cut.first.front()[d], y = cut.second.front()[d];
    if (!(x.step == Expr(1)) || !(y.step == Expr(1))) return "a step is not 1";
    const auto later = largest(x.begin, y.begin), sooner = largest(-x.end, -y.end);
    if (!later || !sooner)
      return "the ends of " + to_text(x) + " and " + to_text(y) + " cannot be ordered";
    const Range common(*later, -*sooner, Expr(1));
    // It may be empty, but where both are cut, not begin behind its end: pieces would overlap.
    const bool may_lie_apart = !at_most(common.begin, common.end + 1);
    const bool both_cut = !lies_in(x, common) && !lies_in(y, common);
    if (may_lie_apart && both_cut) return to_text(x) + " and " + to_text(y) + " may lie apart";
    // Ranges that only touch would be cut without end.
    if (both_cut && !at_most(common.begin, common.end))
      return to_text(x) + " and " + to_text(y) + " may have nothing in common";
    for (std::vector<Ranges>* boxes : {&cut.first, &cut.second})
      add_pieces(d, common, may_lie_apart, *boxes);
    return {};
  }
  std::optional<Expr> largest(const Expr& a, const Expr& b) const {
    if (at_most(a, b)) return b;
    if (at_most(b, a)) return a;
    return std::nullopt;
  }
  bool at_most(const Expr& a, const Expr& b) const {
    return sdfg::at_most(a, b, known_.get());
  }
  bool lies_in(const Range& inner, const Range& outer) const {
    return at_most(outer.begin, inner.begin) && at_most(inner.end, outer.end);
  }
  /// Where the part in common may end before it begins, or begin behind the whole, the others meet
  /// where it begins.
  void add_pieces(std::size_t d, const Range& common, bool may_lie_apart,
                  std::vector<Ranges>& boxes) const {
    const Ranges whole = boxes.front();
    Expr before = common.begin - Expr(1), behind = common.end + Expr(1);
    if (may_lie_apart) before = min(before, whole[d].end), behind = max(behind, common.begin);
    const auto add = [&](const Expr& begin, const Expr& end) {
      const Range piece(begin, end, Expr(1));
      if (certainly_empty(piece, known_.get())) return;
      boxes.push_back(whole);
      boxes.back()[d] = piece;
    };
    if (!at_most(common.begin, whole[d].begin)) add(whole[d].begin, simplify(before));
    if (!at_most(whole[d].end, common.end)) add(simplify(behind), whole[d].end);
    boxes.front()[d] = common;
  }

  /// Does the writer leave alone what the other touches?
  static Refusal check_apart(const FusionMap& writer, const FusionMap& other) {
    for (const auto& [name, ports] : writer.writes)
      if (other.reads.contains(name) || other.writes.contains(name) || other.inside.contains(name))
        return "one map writes '" + name + "', which the other one touches";
    return {};
  }

  Refusal weigh(NodeId first, NodeId second, Cut& cut) {
    std::int64_t bytes = 0;
    const auto points =
        expected_points(Subset{cut.first.front()}, options_.assumed_extent, known_.get());
    for_each_shared(at(first).reads, at(second).reads,
                    [&](const std::string& name, const PortNames&, const PortNames&) {
                      if (const Data* data = sdfg_.find_data(name))
                        bytes += points * std::int64_t(data->dtype.bytes().value_or(8));
                    });
    for (const auto& [from, to] : {std::pair(first, second), std::pair(second, first)})
      for_each_shared(at(from).writes, at(to).reads,
                      [&](const std::string& name, const PortNames&, const PortNames&) {
                        if (const Data* data = sdfg_.find_data(name))
                          bytes += points * std::int64_t(data->dtype.bytes().value_or(8));
                      });
    const auto after = std::int64_t(cut.first.size() + cut.second.size()) - 1;
    cut.text = "2 kernels become " + std::to_string(after) + " once fused, and about " +
               std::to_string(bytes) + " bytes are read once instead of twice";
    const std::int64_t more = after - 2;
    if (bytes == 0) return cut.text + ", so that nothing is saved";
    const std::int64_t scale = std::min(
        production_scale(Subset{entry(first).ranges}, options_.assumed_extent, known_.get()),
        production_scale(Subset{entry(second).ranges}, options_.assumed_extent, known_.get()));
    if (more > 0 && bytes * scale <= more * options_.launch_bytes)
      return cut.text + ", which is less than " + std::to_string(more) + " launches cost (" +
             std::to_string(options_.launch_bytes) + " bytes each)";
    return {};
  }

  /// What the maps have in common is written alike afterwards, also where nothing was left over.
  void split(NodeId map, const std::vector<Ranges>& pieces) {
    if (pieces.size() > 1 || !(entry(map).ranges == pieces.front()))
      cut_map(sdfg_, state_, accesses_, tree_, map, pieces, known_.get());
  }

  Sdfg& sdfg_;
  State& state_;
  Accesses& accesses_;
  SideEffects& effects_;
  const Trail& trail_;
  const MapSplitHorizontal::Options& options_;
  const LazyAssumptions& known_;
  PassContext& context_;
  ScopeTree tree_;
  std::optional<Order> order_;
  std::map<NodeId, FusionMap> maps_;
  std::set<NodeId> touched_;  ///< maps that have been part of a decision
};

}  // namespace

Result<Changed> MapSplitHorizontal::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  return on_each_sdfg(
      sdfg, {}, LazyAssumptions(context),
      [&](Sdfg& each, const Trail& trail, const LazyAssumptions& known) {
        Changed changed = Changed::No;
        const StateTrails states(each, trail);
        Accesses accesses(each);
        SideEffects effects;
        for (const auto& [state, here] : states.states())
          changed |= StateSplitter(each, *state, accesses, effects, *here, options, known,
                                   context)
                         .run();
        return changed;
      });
}

}  // namespace sdfg
