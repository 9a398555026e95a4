#include "passes/loops/loop_unrolling.h"

#include <algorithm>

#include "passes/loops/loop_body.h"

namespace sdfg {
namespace {

Refusal check(ShapeSymbols& shapes, const LoopRegion& loop, const Result<LoopRange>& range,
              const LoopUnrolling::Options& options) {
  if (!range) return range.error().message;
  const auto count = range->count().as_integer();
  if (!count) return "the number of iterations, " + to_text(range->count()) + ", is not constant";
  if (*count > options.max_iterations)
    return std::to_string(*count) + " iterations are more than " +
           std::to_string(options.max_iterations);
  if (Refusal why = check_iterations(loop, *range)) return why;
  if (Refusal why = check_symbolic(shapes.sdfg(), range->begin)) return why;
  if (Refusal why = check_size(loop, *count, options.max_nodes)) return why;
  if (Refusal why = check_copies(loop)) return why;
  return shapes.check(range->variable);
}

}  // namespace

Result<Changed> LoopUnrolling::run(Sdfg& root, const Options& options, PassContext& context) {
  const auto visit = [&](Sdfg& sdfg, RegionEdit& edit, BlockId id, const Trail& trail) {
    const Block& block = edit.region[id];
    if (!options.labels.empty() &&
        std::ranges::find(options.labels, block.label) == options.labels.end())
      return Changed::No;
    const auto range = edit.ranges.of(*block.as<LoopRegion>());
    if (const Refusal why = check(edit.shapes, *block.as<LoopRegion>(), range, options)) {
      context.refused(trail, why);
      return Changed::No;
    }
    if (!context.may_apply()) return Changed::No;
    const std::int64_t count = *range->count().as_integer();
    context.applied(trail, "unrolled " + std::to_string(count) + " iterations");
    std::vector<Block> chain;
    for (std::int64_t i = 0; i < count; ++i) {
      chain.push_back(iteration(sdfg, block, range->begin + Expr(i * range->step),
                                block.label + "_" + std::to_string(i)));
      if (i > 0) edit.locals.renew_in(chain.back());
    }
    replace_by_chain(sdfg, edit, id, std::move(chain), range->variable, range->last());
    return Changed::Yes;
  };
  return for_each_loop(root, root, {}, LazyAssumptions(context), visit);
}

}  // namespace sdfg
