#include "passes/pipelines/simplify.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace sdfg {
namespace {

struct Named {
  std::string_view name, reason;
  bool buffers = false;  ///< has the options assume_pointwise and keep_versions
};
constexpr std::array list{
    Named{"inline-control-flow-regions", "blocks of regions are blocks of their parent"},
    Named{"control-flow-raising",
          "loops and choices of old state machines become blocks of their own"},
    Named{"inline-multistate-sdfg",
          "nested control flow joins its parent's, before states are fused"},
    Named{"inline-sdfg", "nested dataflow joins its parent's"},
    Named{"symbol-propagation", "symbols that are other symbols go"},
    Named{"constant-propagation", "conditions become decidable"},
    Named{"lift-trivial-if", "decided choices go"},
    Named{"prune-empty-branches", "so do branches that do nothing"},
    Named{"continue-to-condition", "a loop's body has one way through"},
    Named{"empty-loop-elimination", "and goes when it is empty"},
    Named{"dead-state-elimination", "control flow that is never reached goes"},
    Named{"block-fusion", "empty states go"},
    Named{"reference-to-view", "references that are set to one thing are views of it"},
    Named{"slice-view-elimination",
          "views of slices are the containers behind them; fusion would order them"},
    Named{"state-fusion", "dataflow that is not interrupted becomes one graph"},
    Named{"map-to-copy", "maps that only copy are copies, which the next steps understand"},
    Named{"merge-access-nodes", "one version of a container has one access node"},
    Named{"dead-dataflow-elimination", "what nobody reads goes, before copies are looked at"},
    Named{"redundant-array-elimination", "containers that are copies of others go", true},
    Named{"consolidate-edges", "one edge brings a container into a scope"},
    Named{"unused-symbol-elimination", "what the others have left over"},
};

}  // namespace

Result<std::vector<PlannedStep>> Simplify::steps(const Options& options) {
  for (const std::string& name : options.skip)
    if (std::ranges::find(list, name, &Named::name) == list.end()) {
      std::vector<std::string_view> known;
      for (const Named& step : list) known.push_back(step.name);
      const std::string_view near = nearest(name, known);
      return Diagnostic{"", "option 'skip': '" + name + "' is no step",
                        near.empty() ? "" : "did you mean '" + std::string(near) + "'?"};
    }
  PlannedStep all{"fixed-point", "each step may make room for another", {}};
  for (const Named& step : list) {
    if (std::ranges::find(options.skip, step.name) != options.skip.end()) continue;
    std::string text(step.name);
    if (step.buffers && (options.assume_pointwise || options.keep_versions))
      text += std::string("{") + (options.assume_pointwise ? "assume_pointwise " : "") +
              (options.keep_versions ? "keep_versions" : "") + "}";
    all.repeated.push_back({std::move(text), step.reason, {}});
  }
  return std::vector<PlannedStep>{std::move(all)};
}

}  // namespace sdfg
