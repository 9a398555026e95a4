#include "passes/split/shrink_transients.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/assigned_symbols.h"
#include "ir/expr_budget.h"
#include "passes/common/assume.h"
#include "passes/common/reroute.h"
#include "passes/common/same_layout.h"
#include "passes/common/state_trails.h"
#include "passes/simplify/demote_fields.h"
#include "passes/split/container_split.h"

namespace sdfg {
namespace {

class Shrinker {
 public:
  Shrinker(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known, PassContext& context)
      : sdfg_(sdfg), states_(sdfg, trail), accesses_(sdfg), known_(known),
        context_(context), assigned_(assigned_symbols(sdfg)) {}

  Changed run() {
    std::vector<std::string> names;
    for (const auto& [name, data] : sdfg_.arrays)
      if (data.transient && data.as_array() && !is_demoted(sdfg_, name) && is_at_top(name))
        names.push_back(name);
    Changed changed = Changed::No;
    for (const std::string& name : names) {
      if (!context_.may_apply()) break;
      changed |= shrink(name);
    }
    return changed;
  }

 private:
  /// The part of a container that stays, and the dimensions of which that is the only index.
  struct Kept {
    Subset box;
    std::vector<bool> pinned;
  };

  bool is_at_top(const std::string& name) {
    const auto sites = accesses_.sites(name);
    return !sites.empty() && std::ranges::all_of(sites, [&](const AccessSite& site) {
      const auto known = trees_.try_emplace(site.state);
      if (known.second) known.first->second = scope_tree_of(*site.state);
      return !known.first->second.parent_of(site.node);
    });
  }

  Changed shrink(const std::string& name) {
    FoundUses found = find_uses(sdfg_, accesses_, name, known_.get());
    if (found.refusal) return Changed::No;
    ContainerUses& uses = found.value;
    const auto kept = part_in_use(uses);
    if (!kept) return Changed::No;
    const AccessSite& first = uses.sites.front();
    const Trail here = states_.of(*first.state).in(*first.state, first.node);
    SymbolSet used;
    collect_symbols(kept->box, used);
    for (const std::string& symbol : used)
      if (assigned_.contains(symbol)) {
        context_.refused(here, "where the part of '" + name +
                                   "' in use begins or ends depends on '" + symbol +
                                   "', which the SDFG assigns");
        return Changed::No;
      }
    Data& data = *sdfg_.find_data(name);
    Data part = part_of(data, kept->box, uses.through_pointers, known_.get());
    if (uses.through_pointers && !is_dense(part)) {
      context_.refused(here, "nested SDFGs know the strides of '" + name +
                                 "', with which less of it takes as much memory");
      return Changed::No;
    }
    const Subset whole = Subset::whole(data.shape);
    context_.applied(here, "of '" + name + "' [" + to_text(whole) + "], only [" +
                               to_text(kept->box) + "] is used");
    data = std::move(part);
    SymbolSet symbols;
    collect_symbols(kept->box, symbols);
    for (ContainerUse& use : uses.uses) {
      keep_visible(*use.state, memlet_tree(*use.state, use.edge, use.write), !use.write, symbols);
      pin(use, name, *kept);
      move_use(sdfg_, *use.state, use, name, name, kept->box, known_.get());
    }
    return Changed::Yes;
  }

  bool is_dense(const Data& data) const {
    return certain(equal(data.as_array()->total_size, num_elements(Subset::whole(data.shape)),
                         known_.get()));
  }

  /// Nothing if that is all of it.
  std::optional<Kept> part_in_use(const ContainerUses& uses) const {
    const Subset whole = Subset::whole(sdfg_.find_data(uses.name)->shape);
    std::optional<Subset> all, written;
    const auto add = [&](std::optional<Subset>& hull, const Subset& box) {
      if (hull) return extend(*hull, box, known_.get());
      hull = box;
      return true;
    };
    for (const ContainerUse& use : uses.uses)
      if (!add(all, use.subset) || (use.write && !add(written, use.subset))) return std::nullopt;
    if (!written) return std::nullopt;
    all = without_gaps(*std::move(all));
    Kept kept{whole, std::vector<bool>(whole.rank())};
    for (std::size_t d = 0; d < whole.rank(); ++d) {
      if (whole[d].size() == Expr(1)) continue;
      // One that certainly writes nothing left no trace in the hull.
      const bool is_one_index =
          (*written)[d].is_index() && std::ranges::all_of(uses.uses, [&](const ContainerUse& use) {
            return !use.write || use.subset[d].is_index();
          });
      if (is_one_index && is_read_by_element(uses, d)) {
        kept.box[d] = (*written)[d];
        kept.pinned[d] = true;
      } else if (certain(covers(Subset{{whole[d]}}, Subset{{(*all)[d]}}, known_.get())) &&
                 certain(less((*all)[d].size(), whole[d].size(), known_.get()))) {
        kept.box[d] = (*all)[d];
      }
    }
    Subset room = kept.box;
    for (std::size_t d = 0; d < whole.rank(); ++d)
      if (kept.pinned[d]) room[d] = whole[d];  // every index becomes the only one
    const auto is_outside = [&](const ContainerUse& use) { return leaves(room, use.subset); };
    if (kept.box == whole || std::ranges::any_of(uses.uses, is_outside)) return std::nullopt;
    return kept;
  }

  /// Is one index of the dimension read at a time, and no initial value anywhere?
  bool is_read_by_element(const ContainerUses& uses, std::size_t d) const {
    for (const AccessSite& site : uses.sites)
      if (site.state->get<AccessNode>(site.node).setzero) return false;
    return std::ranges::all_of(uses.uses, [&](const ContainerUse& use) {
      if (use.write) return true;
      const State& state = *use.state;
      return std::ranges::all_of(memlet_tree(state, use.edge, false), [&](EdgeId e) {
        const auto& side = subset_at(state[e].memlet, uses.name, false);
        return state[state.target(e)].is_entry() || (side && is_element(state, e, *side, d));
      });
    });
  }
  bool is_element(const State& state, EdgeId e, const Subset& side, std::size_t d) const {
    if (!(side[d].size() == Expr(1))) return false;
    const auto* nested = state[state.target(e)].as<NestedSdfg>();
    if (!nested) return true;
    // Inside, a pointer to the element, from which more could be reached.
    const Data* inner = nested->sdfg ? (*nested->sdfg)->find_data(state[e].dst_connector) : nullptr;
    return inner && num_elements(Subset::whole(inner->shape)) == num_elements(side);
  }

  /// Whatever index of a pinned dimension the use names, it is the one that is left.
  static void pin(ContainerUse& use, const std::string& name, const Kept& kept) {
    const auto pin_in = [&](Subset& subset) {
      for (std::size_t d = 0; d < subset.rank(); ++d)
        if (kept.pinned[d]) subset[d] = kept.box[d];
    };
    pin_in(use.subset);
    for (EdgeId e : memlet_tree(*use.state, use.edge, use.write))
      if (auto& side = subset_at((*use.state)[e].memlet, name, use.write)) pin_in(*side);
  }

  Sdfg& sdfg_;
  StateTrails states_;
  Accesses accesses_;
  const LazyAssumptions& known_;
  PassContext& context_;
  SymbolSet assigned_;
  std::map<const State*, ScopeTree> trees_;  ///< looked up, never iterated
};

}  // namespace

Result<Changed> ShrinkTransients::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context),
                      [&](Sdfg& each, const Trail& trail, const LazyAssumptions& known) {
                        return Shrinker(each, trail, known, context).run();
                      });
}

}  // namespace sdfg
