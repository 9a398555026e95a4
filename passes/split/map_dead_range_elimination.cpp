#include "passes/split/map_dead_range_elimination.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/expr_budget.h"
#include "ir/replace.h"
#include "passes/common/assume.h"
#include "passes/common/empty_parts.h"
#include "passes/common/state_flow.h"
#include "passes/common/state_trails.h"
#include "passes/split/container_uses.h"
#include "passes/split/copy_pieces.h"
#include "passes/split/copy_scope.h"
#include "passes/split/partition.h"

namespace sdfg {
namespace {

/// How much of a container somebody reads.
struct Need {
  enum class Kind { Nothing, Box, Everything } kind = Kind::Nothing;
  Subset box{};
  Refusal why_everything{};
};

/// The iterations of one parameter that are needed: bounds, or none where there is no bound.
struct Bounds {
  std::optional<Expr> low, high;
};

class Shrinker {
 public:
  Shrinker(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known, PassContext& context)
      : sdfg_(sdfg), states_(sdfg, trail), accesses_(sdfg), known_(known),
        context_(context), assigned_(assigned_symbols(sdfg)) {}

  /// Backward, so that what a map needs is known when those before it are looked at.
  Changed run() {
    Changed changed = Changed::No;
    for (const auto& [state, trail] : std::views::reverse(states_.states())) {
      const auto flow = dataflow(*state);
      if (!flow) continue;
      const auto& [order, tree] = *flow;
      order_ = order, place_.clear();
      for (NodeId n : std::views::reverse(order)) {
        if (!context_.may_apply()) return changed;
        if (const auto* exit = (*state)[n].as<MapExit>(); exit && !tree.parent_of(exit->entry))
          changed |= visit_map(*state, tree, *trail, exit->entry, n);
        else if ((*state)[n].is<AccessNode>() && !tree.parent_of(n))
          changed |= visit_copies(*state, *trail, n);
      }
    }
    return changed;
  }

 private:
  /// Asked for the first time when all that reads the container in the state has been looked at;
  /// afterwards reads can only have become fewer.
  const Need& need(const std::string& name) {
    const auto [at, added] = needs_.try_emplace(name);
    if (added) at->second = find_need(name);
    return at->second;
  }
  Need find_need(const std::string& name) const {
    FoundUses found = find_uses(sdfg_, accesses_, name, known_.get());
    if (found.refusal) return {Need::Kind::Everything, {}, std::move(found.refusal)};
    if (sdfg_.find_data(name)->lifetime == Lifetime::Persistent)
      return {Need::Kind::Everything, {}, "'" + name + "' lives on to the next call"};
    Need out;
    for (const ContainerUse& use : found.value.uses) {
      if (use.write) continue;
      if (std::exchange(out.kind, Need::Kind::Box) == Need::Kind::Nothing)
        out.box = use.subset;
      else if (!extend(out.box, use.subset, known_.get()))
        return {Need::Kind::Everything, {}, "what is read of '" + name + "' has too many bounds"};
    }
    SymbolSet used;
    collect_symbols(out.box, used);
    for (const std::string& symbol : used)
      if (assigned_.contains(symbol))
        return {
            Need::Kind::Everything,
            {},
            "what is read of '" + name + "' depends on '" + symbol + "', which the SDFG assigns"};
    return out;
  }

  /// Is the container read before this write, too: in a loop by a later round, or because it is
  /// used for several values? What is read of all of these counts, may depend on what is written,
  /// and then each of the two would shrink because the other one has.
  bool is_read_before(const State& state, NodeId written) {
    if (!flow_) flow_.emplace(sdfg_);
    const StateFlow::Point here = flow_->point(state);
    const auto comes_before = [&](const AccessSite& site) {
      if (site.state == &state) return place(state, site.node) < place(state, written);
      return flow_->rank(flow_->point(*site.state)) <= flow_->rank(here);  // equal: in one loop
    };
    const auto is_read = [](const AccessSite& site) {
      return std::ranges::any_of(site.state->out(site.node), [&](EdgeId e) {
        return !(*site.state)[e].memlet.empty();
      });
    };
    return std::ranges::any_of(
        accesses_.sites(state.get<AccessNode>(written).data),
        [&](const AccessSite& site) { return is_read(site) && comes_before(site); });
  }
  /// In the order of the state that is looked at.
  std::size_t place(const State& state, NodeId node) {
    if (place_.empty()) {
      place_.resize(state.id_bound());
      for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i].value] = i;
    }
    return place_[node.value];
  }
  static Refusal read_before(const std::string& name) {
    return "'" + name + "' is read before that, too";
  }

  bool at_most(const Expr& a, const Expr& b) const {
    return sdfg::at_most(a, b, known_.get());
  }
  /// At least as much, and not only another way to say the same: `Min(a, b, c)` for `Min(a, b)`.
  bool is_above(const Expr& a, const Expr& b) const { return at_most(b, a) && !at_most(a, b); }
  /// The part of the range between the bounds, as far as that is known to be one.
  Range shrunk(const Range& range, const Bounds& bounds) const {
    Range out = range;
    if (range.step != Expr(1) || range.tile != Expr(1)) return out;
    if (bounds.low && is_above(*bounds.low, range.begin)) out.begin = *bounds.low;
    if (bounds.high && is_above(range.end, *bounds.high)) out.end = *bounds.high;
    // A range that differs only in how it says that it is empty is no smaller.
    const auto count = [](const Range& r) { return max(r.end - r.begin + 1, 0); };
    const bool same =
        out.begin == range.begin && certain(equal(count(out), count(range), known_.get()));
    return same ? range : out;
  }
  bool certainly_empty(const Range& r) const { return sdfg::certainly_empty(r, known_.get()); }

  // ---- Maps.

  Changed visit_map(State& state, const ScopeTree& tree, const Trail& trail, NodeId entry,
                    NodeId exit) {
    const Trail here = trail.in(state, entry);
    MapEntry& map = state.get<MapEntry>(entry);
    std::string reason;
    std::vector<Bounds> bounds(map.params.size());
    bool candidate = false;
    if (Refusal why = find_bounds(state, entry, exit, bounds, reason, candidate)) {
      if (candidate) context_.refused(here, why);
      return Changed::No;
    }
    std::string what;
    std::vector<Range> ranges = map.ranges;
    for (std::size_t p = 0; p < ranges.size(); ++p) {
      ranges[p] = shrunk(ranges[p], bounds[p]);
      if (ranges[p] == map.ranges[p]) continue;
      if (certainly_empty(ranges[p])) {
        context_.refused(here, "nothing that the map writes is read");
        return Changed::No;
      }
      what += (what.empty() ? "" : ", ") + map.params[p] + " in " + to_text(map.ranges[p]) +
              " becomes " + to_text(ranges[p]);
    }
    if (what.empty()) {
      if (Refusal why = undecided(map, bounds, reason)) context_.refused(here, why);
      return Changed::No;
    }
    for (EdgeId e : state.out(exit))
      if (!state[e].memlet.empty() && is_read_before(state, state.target(e))) {
        context_.refused(here, read_before(state.get<AccessNode>(state.target(e)).data));
        return Changed::No;
      }
    if (Refusal why =
            check_leave_out(sdfg_, state, accesses_, *find_scope(state, entry), effects_)) {
      context_.refused(here, "iterations that write nothing that is read: " + why.reason());
      return Changed::No;
    }
    context_.applied(here, what + ", because no more is read than " + reason);
    map.ranges = std::move(ranges);
    propagate_memlets(sdfg_, state, tree, entry, known_.get());
    return Changed::Yes;
  }

  /// Why nothing was shrunk, unless all of it is certainly needed.
  Refusal undecided(const MapEntry& map, const std::vector<Bounds>& bounds,
                    const std::string& read) const {
    bool bounded = false;
    for (std::size_t p = 0; p < bounds.size(); ++p) {
      const Range& range = map.ranges[p];
      bounded = bounded || bounds[p].low || bounds[p].high;
      const bool low = bounds[p].low && !at_most(*bounds[p].low, range.begin) &&
                       !at_most(range.begin, *bounds[p].low);
      const bool high = bounds[p].high && !at_most(*bounds[p].high, range.end) &&
                        !at_most(range.end, *bounds[p].high);
      if (low || high)
        return "whether " + to_text(Range{bounds[p].low.value_or(range.begin),
                                          bounds[p].high.value_or(range.end)}) +
               ", which is enough for " + map.params[p] + " because " + read +
               " is read, lies in " + to_text(range) + " is not known";
    }
    return bounded ? Refusal()
                   : Refusal("what it writes does not move with a parameter, of which " + read +
                             " is read");
  }

  /// `read` tells what is read of the outputs, `candidate` whether it matters at all.
  Refusal find_bounds(const State& state, NodeId entry, NodeId exit, std::vector<Bounds>& bounds,
                      std::string& read, bool& candidate) {
    const MapEntry& map = state.get<MapEntry>(entry);
    const std::vector<std::string> hidden = names_of_scope(state[entry]);
    bool some = false;
    Refusal everything;
    for (EdgeId outer : state.out(exit)) {
      const Memlet& memlet = state[outer].memlet;
      if (memlet.empty()) continue;
      const std::string& target = state.get<AccessNode>(state.target(outer)).data;
      const Need& needed = need(target);
      candidate =
          candidate || (sdfg_.find_data(target)->transient && needed.kind != Need::Kind::Nothing);
      if (needed.kind == Need::Kind::Everything) {
        everything = needed.why_everything;
        continue;
      }
      if (needed.kind == Need::Kind::Nothing) continue;
      const std::string connector = matching_connector(state[outer].src_connector);
      for (EdgeId inner : state.in(exit)) {
        if (state[inner].dst_connector != connector) continue;
        // Else all of the target would be needed.
        const Subset part = *footprint(sdfg_, state, inner, true, target, known_.get());
        std::vector<Bounds> own = iterations_for(part, needed.box, map, hidden);
        for (std::size_t p = 0; p < own.size(); ++p)
          bounds[p] = some ? hull(bounds[p], own[p]) : std::move(own[p]);
        some = true;
      }
      const std::string text = target + "[" + to_text(needed.box) + "]";
      if (read.find(text) == std::string::npos) read += (read.empty() ? "" : ", ") + text;
    }
    if (everything) return everything;
    return some ? Refusal() : Refusal("nothing that the map writes is read");
  }

  /// The iterations whose box can touch the one that is needed. `hidden`: what the map binds, and
  /// means something else in the box.
  std::vector<Bounds> iterations_for(const Subset& part, const Subset& box, const MapEntry& map,
                                     const std::vector<std::string>& hidden) const {
    std::vector<Bounds> out(map.params.size());
    const auto mentions_parameter = [&](const Expr& e) {
      return std::ranges::any_of(map.params, [&](const auto& p) { return uses_symbol(e, p); });
    };
    for (std::size_t d = 0; d < part.rank(); ++d) {
      const Range& r = part[d];
      const Expr reach = r.end - r.begin;
      const bool means_else = std::ranges::any_of(hidden, [&](const std::string& name) {
        return uses_symbol(box[d].begin, name) || uses_symbol(box[d].end, name);
      });
      if (r.step != Expr(1) || r.tile != Expr(1) || box[d].step != Expr(1) ||
          box[d].tile != Expr(1) || means_else || mentions_parameter(reach))
        continue;
      for (std::size_t p = 0; p < map.params.size(); ++p) {
        const auto affine = match_affine(r.begin, map.params[p]);
        const auto direction = affine ? affine->coefficient.as_integer() : std::nullopt;
        if (!direction || (*direction != 1 && *direction != -1) || mentions_parameter(affine->rest))
          continue;
        const Expr low = *direction == 1 ? box[d].begin - reach - affine->rest
                                         : affine->rest - box[d].end;
        const Expr high = *direction == 1 ? box[d].end - affine->rest
                                          : affine->rest - box[d].begin + reach;
        out[p].low = out[p].low ? larger(*out[p].low, low) : low;
        out[p].high = out[p].high ? smaller(*out[p].high, high) : high;
      }
    }
    return out;
  }
  Bounds hull(const Bounds& a, const Bounds& b) const {
    Bounds out;
    if (a.low && b.low) out.low = smaller(*a.low, *b.low);
    if (a.high && b.high) out.high = larger(*a.high, *b.high);
    return out;
  }
  Expr smaller(const Expr& a, const Expr& b) const {
    return at_most(a, b) ? a : at_most(b, a) ? b : min(a, b);
  }
  Expr larger(const Expr& a, const Expr& b) const {
    return at_most(a, b) ? b : at_most(b, a) ? a : max(a, b);
  }

  // ---- Copies into an access node.

  Changed visit_copies(State& state, const Trail& trail, NodeId node) {
    Changed changed = Changed::No;
    const std::string name = state.get<AccessNode>(node).data;
    for (EdgeId e : state.in(node)) {
      if (!state[state.source(e)].is<AccessNode>() || state[e].memlet.empty()) continue;
      const Need& needed = need(name);
      if (needed.kind != Need::Kind::Box || !context_.may_apply()) return changed;
      const auto sides = match_copy(sdfg_, state, e, known_.get());
      if (!sides) continue;
      Subset dst = sides->dst;
      bool empty = false;
      for (const auto& d : sides->dst_of) {
        if (!d) continue;
        dst[*d] = shrunk(dst[*d], {needed.box[*d].begin, needed.box[*d].end});
        empty = empty || certainly_empty(dst[*d]);
      }
      if (dst == sides->dst || empty) continue;
      if (is_read_before(state, node)) {
        context_.refused(trail.in(state, node), read_before(name));
        return changed;
      }
      context_.applied(trail.in(state, node), "the copy to " + name + "[" + to_text(sides->dst) +
                                                  "] becomes one to " + name + "[" + to_text(dst) +
                                                  "], because no more is read");
      restrict_copy(state[e].memlet, *sides, sides->read_for(dst));
      changed = Changed::Yes;
    }
    return changed;
  }

  Sdfg& sdfg_;
  StateTrails states_;
  Accesses accesses_;
  const LazyAssumptions& known_;
  PassContext& context_;
  SymbolSet assigned_;
  SideEffects effects_;
  std::optional<StateFlow> flow_;
  std::span<const NodeId> order_;   ///< of the state that is looked at
  std::vector<std::size_t> place_;  ///< in it, by node; made when first asked
  std::map<std::string, Need> needs_;
};

}  // namespace

Result<Changed> MapDeadRangeElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context),
                      [&](Sdfg& inner, const Trail& trail, const LazyAssumptions& known) {
                        return Shrinker(inner, trail, known, context).run();
                      });
}

}  // namespace sdfg
