#include "passes/simplify/empty_loop_elimination.h"

#include "ir/graph_algorithms.h"
#include "passes/common/blocks.h"
#include "passes/common/decide.h"
#include "passes/common/loop_range.h"

namespace sdfg {
namespace {

class Eliminator {
 public:
  Eliminator(Sdfg& sdfg, PassContext& context)
      : sdfg_(sdfg), context_(context), ranges_(sdfg) {}

  /// From the inside out, so that a loop around empty loops is empty, too.
  Changed on_region(Region& region, const Trail& trail) {
    Changed changed = Changed::No;
    const auto first = start(region);
    std::optional<Labels> labels;
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      const Trail here = trail.in(block);
      if (Region* inner = block.region()) changed |= on_region(*inner, here);
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches)
          changed |= on_region(branch.region(), here.in(branch.block));
      if (auto* state = block.as<State>())
        for (NodeId n : state->nodes_of<NestedSdfg>())
          if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
            changed |= Eliminator(**nested->sdfg, context_)
                           .on_region(**nested->sdfg, here.in(*state, n));
      const auto* loop = block.as<LoopRegion>();
      if (!loop || !does_nothing(*loop)) continue;
      const auto range = ranges_.of(*loop);
      if (const Refusal why = range ? check(*range) : Refusal(range.error().message)) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) continue;
      const std::string value = print_python(range->last());
      context_.applied(here, "removed; '" + range->variable + "' is " + value + " after it");
      if (!labels) labels.emplace(region);
      remove(region, id, *range, *labels);
      changed = Changed::Yes;
    }
    if (changed == Changed::Yes) keep_start(region, first);
    return changed;
  }

 private:
  Refusal check(const LoopRange& range) {
    if (!types_) types_ = symbol_types(sdfg_);
    for (const Expr& e : {range.begin, range.end})
      if (!over_integer_symbols(e, sdfg_, *types_))
        return "its bounds are computed from more than integer symbols";
    return {};
  }

  /// The loop becomes an empty state; a second one behind it comes after the assignment, so that
  /// the conditions of the loop's out-edges see it.
  static void remove(Region& region, BlockId id, const LoopRange& range, Labels& labels) {
    region[id].kind = State{};
    const BlockId after = region.add(Block{labels.take(region[id].label + "_end"), State{}});
    move_ways_out(region, id, after);
    InterstateEdge edge;
    edge.assignments.set(range.variable, range.last());
    region.connect(id, after, std::move(edge));
  }

  Sdfg& sdfg_;
  PassContext& context_;
  LoopRanges ranges_;
  std::optional<TypeTable> types_;  ///< when a loop does nothing
};

}  // namespace

Result<Changed> EmptyLoopElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Eliminator(sdfg, context).on_region(sdfg, {});
}

}  // namespace sdfg
