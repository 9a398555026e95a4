#include "passes/common/branches.h"

#include "passes/common/zeroed_lifetimes.h"

namespace sdfg {

Changed prune_branches(Block& block, const Trail& trail, PassContext& context,
                       const std::function<Truth(const Code& condition)>& decide,
                       NameSet& zeroed) {
  auto& branches = block.as<ConditionalBlock>()->branches;
  Changed changed = Changed::No;
  std::optional<std::size_t> taken;  ///< of what is left: the one that always is
  std::vector<Branch> left;
  for (Branch& branch : branches) {
    Truth truth = Truth::No;
    if (!taken) truth = branch.condition ? decide(*branch.condition) : Truth::Yes;
    if (truth == Truth::No && context.may_apply()) {
      context.applied(trail.in(branch.block), "removed");
      collect_zeroed(branch.block, zeroed);
      changed = Changed::Yes;
      continue;
    }
    if (truth == Truth::Yes) taken = left.size();
    left.push_back(std::move(branch));
  }
  branches = std::move(left);
  // Only the last one is without a condition; a limit may have kept others behind the one taken.
  if (taken && *taken + 1 == branches.size() && branches.back().condition && context.may_apply()) {
    context.applied(trail.in(branches.back().block), "the condition is always true");
    branches.back().condition.reset();
    changed = Changed::Yes;
  }
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
