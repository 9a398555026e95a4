#include "passes/simplify/prune_empty_branches.h"

#include <algorithm>

#include "passes/common/blocks.h"

namespace sdfg {
namespace {

class Pruner {
 public:
  explicit Pruner(PassContext& context) : context_(context) {}

  /// From the inside out: a branch may become empty by what is removed in it. Says whether the
  /// region does nothing, so that nobody has to look inside again.
  bool on_region(Region& region, const Trail& trail) {
    bool nothing = true;
    for (BlockId id : region.nodes())
      nothing = on_block(region[id], trail.in(region[id])) && nothing;
    return nothing && only_leads_on(region);
  }

  Changed changed() const { return changed_; }

 private:
  bool on_block(Block& block, const Trail& trail) {
    if (auto* conditional = block.as<ConditionalBlock>()) {
      std::vector<bool> idle;
      for (Branch& branch : conditional->branches)
        idle.push_back(on_region(branch.region(), trail.in(branch.block)));
      return prune(block, trail, std::move(idle));
    }
    if (Region* inner = block.region()) {
      const bool nothing = on_region(*inner, trail);
      return nothing && !block.is<LoopRegion>();
    }
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          on_region(**nested->sdfg, trail.in(*state, n));
    return is_empty_state(block);
  }

  /// `idle`: by branch, whether it does nothing. Says whether the block does nothing in the end.
  bool prune(Block& block, const Trail& trail, std::vector<bool> idle) {
    auto& branches = block.as<ConditionalBlock>()->branches;
    while (!branches.empty() && idle.back() && context_.may_apply()) {
      context_.applied(trail.in(branches.back().block), "removed, because it does nothing");
      branches.pop_back(), idle.pop_back();
      changed_ = Changed::Yes;
    }
    if (branches.empty()) {
      if (changed_ == Changed::Yes) block.kind = State{};
      return true;
    }
    for (std::size_t i = 0; i + 1 < branches.size(); ++i)
      if (i + 2 < branches.size() && idle[i])
        context_.refused(trail.in(branches[i].block),
                         "it does nothing, but several branches behind it need its condition");
    while (branches.size() >= 2 && idle[idle.size() - 2]) {
      Branch &empty = branches[branches.size() - 2], &last = branches.back();
      const Trail here = trail.in(empty.block);
      const Code guard = negated(*empty.condition).value();
      const Expr* then = last.condition ? last.condition->expr() : nullptr;
      if (!context_.may_apply()) break;
      context_.applied(here, "removed, because it does nothing; '" + last.block.label +
                                 "' runs only when its condition fails");
      last.condition = then ? Code::from(Expr::make(Op::And, {*guard.expr(), *then})) : guard;
      branches.erase(branches.end() - 2);
      idle.erase(idle.end() - 2);
      changed_ = Changed::Yes;
    }
    return std::ranges::all_of(idle, [](bool i) { return i; });
  }

  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> PruneEmptyBranches::run(Sdfg& sdfg, const Options&, PassContext& context) {
  Pruner pruner(context);
  pruner.on_region(sdfg, {});
  return pruner.changed();
}

}  // namespace sdfg
