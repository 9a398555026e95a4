#include "passes/simplify/prune_empty_branches.h"

#include "passes/common/blocks.h"

namespace sdfg {
namespace {

class Pruner {
 public:
  explicit Pruner(PassContext& context) : context_(context) {}

  /// From the inside out: a branch may become empty by what is removed in it.
  Changed on_region(Region& region, const Trail& trail) {
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      const Trail here = trail.in(block);
      if (Region* inner = block.region()) changed |= on_region(*inner, here);
      if (auto* conditional = block.as<ConditionalBlock>()) {
        for (Branch& branch : conditional->branches)
          changed |= on_region(branch.region(), here.in(branch.block));
        changed |= prune(block, here);
      }
      if (auto* state = block.as<State>())
        for (NodeId n : state->nodes())
          if (auto* nested = (*state)[n].as<NestedSdfg>(); nested && nested->sdfg)
            changed |= on_region(**nested->sdfg, here.in(*state, n));
    }
    return changed;
  }

 private:
  Changed prune(Block& block, const Trail& trail) {
    auto& branches = block.as<ConditionalBlock>()->branches;
    Changed changed = Changed::No;
    while (!branches.empty() && does_nothing(branches.back().region()) && context_.may_apply()) {
      context_.applied(trail.in(branches.back().block), "removed, because it does nothing");
      branches.pop_back();
      changed = Changed::Yes;
    }
    if (branches.empty() && changed == Changed::Yes) {
      block.kind = State{};
      return changed;
    }
    for (std::size_t i = 0; i + 1 < branches.size(); ++i)
      if (i + 2 < branches.size() && does_nothing(branches[i].region()))
        context_.refused(trail.in(branches[i].block),
                         "it does nothing, but several branches behind it need its condition");
    while (branches.size() >= 2 && does_nothing(branches[branches.size() - 2].region())) {
      Branch &empty = branches[branches.size() - 2], &last = branches.back();
      const Trail here = trail.in(empty.block);
      const auto guard = empty.condition ? negated(*empty.condition) : std::nullopt;
      const Expr* then = last.condition ? last.condition->expr() : nullptr;
      if (!guard || (last.condition && !then)) {
        context_.refused(here, "it does nothing, but its condition cannot be turned around");
        break;
      }
      if (!context_.may_apply()) break;
      context_.applied(here, "removed, because it does nothing; '" + last.block.label +
                                 "' runs only when its condition fails");
      last.condition = then ? Code::from(Expr::make(Op::And, {*guard->expr(), *then})) : *guard;
      branches.erase(branches.end() - 2);
      changed = Changed::Yes;
    }
    return changed;
  }

  PassContext& context_;
};

}  // namespace

Result<Changed> PruneEmptyBranches::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Pruner(context).on_region(sdfg, {});
}

}  // namespace sdfg
