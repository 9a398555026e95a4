#include "passes/common/branches.h"

namespace sdfg {

Changed prune_branches(Block& block, const Trail& trail, PassContext& context,
                       const std::function<Truth(const Code& condition)>& decide) {
  auto& branches = block.as<ConditionalBlock>()->branches;
  Changed changed = Changed::No;
  bool taken = false;
  std::vector<Branch> left;
  for (Branch& branch : branches) {
    Truth truth = Truth::No;
    if (!taken) truth = branch.condition ? decide(*branch.condition) : Truth::Yes;
    if (truth == Truth::No && context.may_apply()) {
      context.applied(trail.in(branch.block), "removed");
      changed = Changed::Yes;
      continue;
    }
    if (truth == Truth::Yes && branch.condition && context.may_apply()) {
      context.applied(trail.in(branch.block), "the condition is always true");
      branch.condition.reset();
      changed = Changed::Yes;
    }
    taken = taken || (truth == Truth::Yes && !branch.condition);
    left.push_back(std::move(branch));
  }
  branches = std::move(left);
  if (branches.empty() && changed == Changed::Yes) {
    block.kind = State{};
  } else if (!branches.empty() && !branches.front().condition && context.may_apply()) {
    context.applied(trail, "replaced by its only branch");
    ControlFlowRegion only = std::move(*branches.front().block.as<ControlFlowRegion>());
    block.kind = std::move(only);
    changed = Changed::Yes;
  }
  return changed;
}

}  // namespace sdfg
