#include "passes/pipelines/auto.h"

#include "passes/options.h"

namespace sdfg {
namespace {

using Steps = std::vector<PlannedStep>;

/// Control flow becomes dataflow.
PlannedStep to_maps(const std::string& simplify) {
  return {
      "fixed-point",
      "a loop that became a map makes its body dataflow of its surroundings",
      {{simplify, "nested SDFGs and chains of states become few states", {}},
       {"scalar-to-symbol-promotion{only_control}", "bounds that are computed can be compared", {}},
       {"trivial-map-elimination", "maps of one point hide what is inside", {}},
       {"refine-nested-access", "loops are told apart by what their bodies really touch", {}},
       {"loop-to-map", "loops whose iterations have nothing to do with one another", {}}}};
}

/// Maps and the containers between them.
PlannedStep fused(const std::string& simplify, const std::string& pointwise) {
  const auto with = [&](std::string name, const std::string& options) {
    const std::string all = options + (options.empty() || pointwise.empty() ? "" : " ") + pointwise;
    return all.empty() ? name : name + '{' + all + '}';
  };
  const std::string vertical = with("map-fusion-vertical", "shrink");
  return {"fixed-point",
          "each kind of step makes room for the others",
          {{vertical,
            "producers before siblings: siblings joined early tie unrelated maps together",
            {}},
           {"double-write-elimination", "maps write the copies of what they write", {}},
           {with("map-fusion-horizontal", ""), "maps that share what they read", {}},
           {"inline-fusion", "what is read at offsets is computed again where that moves less", {}},
           {with("redundant-array-elimination", ""), "buffers between maps and arguments", {}},
           {simplify, "what fusion has left without readers", {}}}};
}

}  // namespace

Result<Steps> Auto::steps(const Options& o) {
  const std::string pointwise = o.assume_pointwise ? "assume_pointwise" : "";
  const std::string simplify = o.assume_pointwise ? "simplify{assume_pointwise}" : "simplify";
  const bool gpu = o.target != OptimizationTarget::Cpu;
  Steps steps;
  if (!o.symbols.empty())
    steps.push_back({"substitute-symbols{symbols=" + detail::print_option(o.symbols) + '}',
                     "known sizes make more questions decidable", {}});
  steps.push_back({"expand-pointwise", "np.where and the like can fuse with what is around", {}});
  steps.push_back(to_maps(simplify));
  steps.push_back({"map-collapse", "nests are single maps before ranges are compared", {}});
  steps.push_back({"complete-writes", "masked updates can fuse with what is around", {}});
  steps.push_back(fused(simplify, pointwise));
  steps.push_back({gpu ? "move-loop-into-map" : "move-loop-into-map{only_to_neighbours}",
                   "a loop around a map starts it once, not each time", {}});
  steps.push_back({"map-collapse", "nests that this has left", {}});
  steps.push_back(
      {"move-states-into-map", "solvers of columns start once, not once for each sweep", {}});
  steps.push_back({"inline-multistate-sdfg", "sweeps stand next to one another", {}});
  steps.push_back({"expand-reduce", "reductions become loops the compiler sees", {}});
  steps.push_back({o.assume_pointwise ? "map-fusion-vertical{assume_pointwise}"
                                      : "map-fusion-vertical",
                   "and what they read one by one is computed there", {}});
  if (o.tile_wcr > 0) {
    const std::string size = std::to_string(o.tile_wcr);
    steps.push_back({"map-tiling{only_wcr tile_sizes=" + size + '}',
                     "parallel iterations meet once a tile", {}});
    steps.push_back({"accumulate-transient", "and sum up on their own inside", {}});
  }
  steps.push_back({"move-tasklet-into-map", "constants become part of the kernel", {}});
  steps.push_back({"tasklet-fusion", "scalars between tasklets are local variables", {}});
  steps.push_back({"dead-dataflow-elimination", "what the steps before have left", {}});
  steps.push_back({"map-iteration-order", "neighbouring elements in neighbouring iterations", {}});
  if (gpu) steps.push_back({"gpu-transformation", "arrays and maps move to the device", {}});
  steps.push_back({o.transient_memory_mode == TransientMemoryMode::Pool
                       ? "configure-transients"
                       : "configure-transients{transient_memory_mode=" +
                             std::string(to_text(o.transient_memory_mode)) + '}',
                   "last: passes would keep lifetimes that no longer fit", {}});
  return steps;
}

}  // namespace sdfg
