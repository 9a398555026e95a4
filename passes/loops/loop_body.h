#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph_algorithms.h"
#include "passes/common/aliases.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/blocks.h"
#include "passes/common/lazy_assumptions.h"
#include "passes/common/loop_range.h"
#include "passes/common/scope_locals.h"
#include "passes/pass.h"
#include "support/by_name.h"

namespace sdfg {

/// Why iterations of a loop cannot be told apart and put elsewhere: a jump leaves the body, or the
/// body changes the variable or what the range is computed from. (A `return` counts as a jump.)
Refusal check_iterations(const LoopRegion& loop, const LoopRange& range,
                         const Aliases& aliases = {});
/// Why the body cannot be copied: something inside keeps values from one run to the next, and the
/// copies would not share them.
Refusal check_copies(const LoopRegion& loop);
/// Why so many copies of the body are too many: they would have more than `most` blocks and nodes.
/// Loops in loops multiply. Takes no longer than counting to `most` does.
Refusal check_size(const LoopRegion& loop, std::int64_t copies, std::int64_t most);
/// Why the range, or one end of it, cannot stand where only symbols are known: it reads a
/// container.
Refusal check_symbolic(const Sdfg& sdfg, const LoopRange& range);
Refusal check_symbolic(const Sdfg& sdfg, const Expr& end);

/// The symbols that the containers' descriptors of one SDFG read, found with the first question.
class ShapeSymbols {
 public:
  explicit ShapeSymbols(const Sdfg& sdfg) : sdfg_(sdfg) {}
  /// Why the variable cannot be replaced by its values: a container's shape depends on it.
  Refusal check(const std::string& variable);
  const Sdfg& sdfg() const { return sdfg_; }

 private:
  const Sdfg& sdfg_;
  std::optional<ByName<std::string>> first_reader_;
};

/// One iteration as a plain region: a copy of the body with the variable replaced, less the
/// branches that it therefore never takes (what they access may not exist). RegionEdit::locals
/// renews what scopes in it have as their own; one of all copies, or the body that stays, keeps it.
Block iteration(const Sdfg& sdfg, const Block& loop, const Expr& value, std::string label);

/// A region that loops are replaced in: what would take time to find again for each of them.
struct RegionEdit {
  Region& region;
  std::optional<BlockId> first;  ///< where it starts; stored when all is done
  Labels labels;
  ShapeSymbols& shapes;  ///< of the SDFG; replacing loops changes no descriptor
  LoopRanges& ranges;    ///< of the SDFG
  ScopeLocals& locals;   ///< of the SDFG
  const LazyAssumptions& known;  ///< of the SDFG
};

/// Puts blocks one after the other in the place of a block, which is erased. Where control goes
/// on, `after` is assigned on the way (see LoopRange::last) when the SDFG declares the variable.
void replace_by_chain(Sdfg& sdfg, RegionEdit& edit, BlockId block, std::vector<Block> chain,
                      const std::string& variable, const Expr& after);

/// visit(sdfg, edit, block, trail) for each loop of a region (and of SDFGs nested in it), the inner
/// ones first. The block may be erased by the visit. Says whether any visit changed something.
template <class F>
Changed for_each_loop(Sdfg& sdfg, Region& region, const Trail& trail,
                      const LazyAssumptions& known, F&& visit, bool enter_nested = true);

namespace detail {
template <class F>
Changed each_loop(Sdfg& sdfg, ShapeSymbols& shapes, LoopRanges& ranges, ScopeLocals& locals,
                  Region& region, const Trail& trail, const LazyAssumptions& known, F& visit,
                  bool enter_nested) {
  Changed changed = Changed::No;
  std::optional<RegionEdit> edit;
  for (BlockId id : region.nodes()) {
    Block& block = region[id];
    const Trail here = trail.in(block);
    if (Region* inner = block.region())
      changed |= each_loop(sdfg, shapes, ranges, locals, *inner, here, known, visit, enter_nested);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= each_loop(sdfg, shapes, ranges, locals, branch.region(), here.in(branch.block),
                             known, visit, enter_nested);
    if (auto* state = block.as<State>(); state && enter_nested)
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg) {
          const Changed inside =
              for_each_loop(**nested->sdfg, **nested->sdfg, here.in(*state, n),
                            known.inside(sdfg, *nested), visit);
          if (inside == Changed::Yes) settle_symbols(*nested);
          changed |= inside;
        }
    if (!block.is<LoopRegion>()) continue;
    if (!edit)
      edit.emplace(
          RegionEdit{region, start(region), Labels(region), shapes, ranges, locals, known});
    changed |= visit(sdfg, *edit, id, here);
  }
  if (edit && changed == Changed::Yes) keep_start(region, edit->first);
  return changed;
}
}  // namespace detail

template <class F>
Changed for_each_loop(Sdfg& sdfg, Region& region, const Trail& trail,
                      const LazyAssumptions& known, F&& visit, bool enter_nested) {
  ShapeSymbols shapes(sdfg);
  LoopRanges ranges(sdfg);
  ScopeLocals locals(sdfg);
  return detail::each_loop(sdfg, shapes, ranges, locals, region, trail, known, visit, enter_nested);
}

}  // namespace sdfg
