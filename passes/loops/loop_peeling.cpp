#include "passes/loops/loop_peeling.h"

#include <algorithm>

#include "passes/loops/loop_body.h"

namespace sdfg {
namespace {

using Options = LoopPeeling::Options;

Refusal check(ShapeSymbols& shapes, const LoopRegion& loop, const Result<LoopRange>& range,
              LazyAliases& aliases, const Options& options) {
  if (!range) return range.error().message;
  if (range->inverted) return "the loop tests its condition behind the body";
  if (!options.begin && range->step != 1 && range->step != -1)
    return "the last iterations of a loop with step " + std::to_string(range->step) +
           " are not known";
  const bool symbolic = !check_symbolic(shapes.sdfg(), *range);
  if (Refusal why =
          check_iterations(loop, *range, symbolic ? Aliases{} : aliases.of(shapes.sdfg())))
    return why;
  if (Refusal why = check_symbolic(shapes.sdfg(), options.begin ? range->begin : range->end))
    return why;
  if (Refusal why = check_size(loop, options.count, options.max_nodes)) return why;
  if (Refusal why = check_copies(loop)) return why;
  return shapes.check(range->variable);
}

Code assign(const std::string& variable, const Expr& value) {
  return Code::from(Statements{Statement{Assign{Expr::symbol(variable), value, {}, {}}}});
}

/// An iteration, on the condition that it is one of the loop's.
Block guarded(const Sdfg& sdfg, const Block& loop, const LoopRange& range, const Expr& value,
              const std::string& label, const Assumptions& assumptions) {
  Block body = iteration(sdfg, loop, value, label);
  const bool up = range.step > 0;
  const Expr runs = logical_and(
      up ? compare_expr(Op::Le, range.begin, value) : compare_expr(Op::Le, value, range.begin),
      up ? compare_expr(Op::Le, value, range.end) : compare_expr(Op::Le, range.end, value));
  if (certain(is_true(runs, assumptions))) return body;
  ConditionalBlock conditional;
  conditional.branches.push_back({Code::from(runs), std::move(body)});
  return {label + "_if", std::move(conditional)};
}

void peel(Sdfg& sdfg, RegionEdit& edit, BlockId id, const LoopRange& range, const Options& options,
          const Assumptions& assumptions) {
  Block rest = edit.region[id];
  auto& loop = *rest.as<LoopRegion>();
  std::vector<Block> chain;
  const Expr from =
      options.begin ? range.begin : range.end - Expr((options.count - 1) * range.step);
  for (std::int64_t k = 0; k < options.count; ++k) {
    chain.push_back(guarded(sdfg, edit.region[id], range, from + Expr(k * range.step),
                            rest.label + "_peeled_" + std::to_string(k), assumptions));
    edit.locals.renew_in(chain.back());
  }
  const Expr moved(options.count * range.step);
  if (options.begin) {
    loop.init_statement = assign(range.variable, range.begin + moved);
    chain.push_back(std::move(rest));
  } else {
    loop.loop_condition = Code::from(compare_expr(range.step > 0 ? Op::Le : Op::Ge,
                                                  Expr::symbol(range.variable), range.end - moved));
    chain.insert(chain.begin(), std::move(rest));
  }
  replace_by_chain(sdfg, edit, id, std::move(chain), range.variable, range.last());
}

}  // namespace

Result<Changed> LoopPeeling::run(Sdfg& root, const Options& options, PassContext& context) {
  if (options.count < 1) return Diagnostic{{}, "count must be positive"};
  LazyAliases aliases(root);
  const auto visit = [&](Sdfg& sdfg, RegionEdit& edit, BlockId id, const Trail& trail) {
    const Block& block = edit.region[id];
    if (!options.labels.empty() &&
        std::ranges::find(options.labels, block.label) == options.labels.end())
      return Changed::No;
    const auto range = edit.ranges.of(*block.as<LoopRegion>());
    if (const Refusal why = check(edit.shapes, *block.as<LoopRegion>(), range, aliases, options)) {
      context.refused(trail, why);
      return Changed::No;
    }
    if (!context.may_apply()) return Changed::No;
    context.applied(trail, "took out the " + std::string(options.begin ? "first " : "last ") +
                               std::to_string(options.count) + " of " + to_text(range->count()) +
                               " iterations");
    peel(sdfg, edit, id, *range, options, edit.known.get());
    return Changed::Yes;
  };
  return for_each_loop(root, root, {}, LazyAssumptions(context), visit);
}

}  // namespace sdfg
