#include "passes/loops/scan_unrolling.h"

#include "passes/loops/loop_body.h"

namespace sdfg {

Result<Changed> ScanUnrolling::run(Sdfg& root, const Options& options, PassContext& context) {
  if (options.unroll_factor < 0)
    return Diagnostic{{}, "unroll_factor must not be negative", "0 leaves it to the compiler"};
  const auto visit = [&](Sdfg&, RegionEdit& edit, BlockId id, const Trail& trail) {
    Block& block = edit.region[id];
    auto& loop = *block.as<LoopRegion>();
    if (!block.label.starts_with(options.label)) return Changed::No;
    if (loop.unroll && loop.unroll_factor == options.unroll_factor) return Changed::No;
    if (const auto range = edit.ranges.of(loop); !range) {
      context.refused(trail, range.error().message);
      return Changed::No;
    }
    if (!context.may_apply()) return Changed::No;
    context.applied(trail,
                    options.unroll_factor == 0
                        ? "to be unrolled as the compiler likes"
                        : "to be unrolled " + std::to_string(options.unroll_factor) + " times");
    loop.unroll = true;
    loop.unroll_factor = options.unroll_factor;
    return Changed::Yes;
  };
  return for_each_loop(root, root, {}, LazyAssumptions(context), visit);
}

}  // namespace sdfg
