#include "passes/simplify/lift_trivial_if.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "passes/common/assume.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/branches.h"
#include "passes/common/decide.h"
#include "passes/common/lazy_assumptions.h"
#include "passes/common/loop_range.h"
#include "passes/common/zeroed_lifetimes.h"

namespace sdfg {
namespace {

/// How far out facts are looked for, and how many of them help to decide one condition.
constexpr std::size_t most_levels = 64, most_facts = 8;

/// What holds inside a loop or a branch, linked to what holds around it.
struct Level {
  const Level* up = nullptr;
  std::optional<LoopRange> range{};
  std::vector<Expr> facts{};
};

class Lifter {
 public:
  /// `granted`: what holds of the SDFG's symbols.
  Lifter(Sdfg& sdfg, const LazyAssumptions& granted, PassContext& context)
      : sdfg_(sdfg), granted_(granted), context_(context), ranges_(sdfg),
        assignments_(count_assignments(sdfg)) {}

  Changed on_region(Region& region, const Trail& trail, const Level* around) {
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) changed |= on_block(region[id], trail.in(region[id]), around);
    return changed;
  }

 private:
  Changed on_block(Block& block, const Trail& trail, const Level* around) {
    if (auto* loop = block.as<LoopRegion>()) return on_loop(*loop, trail, around);
    if (Region* inner = block.region()) return on_region(*inner, trail, around);
    if (block.is<ConditionalBlock>()) return on_conditional(block, trail, around);
    Changed changed = Changed::No;
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg) {
          const LazyAssumptions granted = granted_.inside(sdfg_, *nested);
          const Changed inside = Lifter(**nested->sdfg, granted, context_)
                                     .on_region(**nested->sdfg, trail.in(*state, n), nullptr);
          if (inside == Changed::Yes) settle_symbols(*nested);
          changed |= inside;
        }
    return changed;
  }

  Changed on_loop(LoopRegion& loop, const Trail& trail, const Level* around) {
    const auto range = ranges_.of(loop);
    const auto count = assignments_.find(loop.loop_variable);
    if (!range || range->inverted || count->second != 1 || !is_stable(range->begin) ||
        !is_stable(range->end))
      return on_region(loop, trail, around);
    Level level{around, *range};
    stable_.insert(range->variable);
    const Changed changed = on_region(loop, trail, &level);
    stable_.erase(range->variable);
    return changed;
  }

  Changed on_conditional(Block& block, const Trail& trail, const Level* around) {
    Level before{around};  // conditions that have failed
    NameSet zeroed;
    const auto decided = [&](const Code& condition) {
      const Truth truth = decide(condition, sdfg_, types(), assumptions(condition, before));
      if (const auto fact = usable(condition)) before.facts.push_back(logical_not(*fact));
      return truth;
    };
    Changed changed = prune_branches(block, trail, context_, decided, zeroed);
    set_to_zero(sdfg_, zeroed);
    auto* conditional = block.as<ConditionalBlock>();
    if (!conditional) return changed | on_block(block, trail, around);
    Level inside{around};
    for (Branch& branch : conditional->branches) {
      const auto fact = branch.condition ? usable(*branch.condition) : std::nullopt;
      if (fact) inside.facts.push_back(*fact);
      changed |= on_region(branch.region(), trail.in(branch.block), &inside);
      if (fact) inside.facts.back() = logical_not(*fact);
    }
    return changed;
  }

  /// Does the expression keep its value within the loop or branch that is looked at?
  bool is_stable(const Expr& e) {
    const SymbolSet names = free_symbols(e);
    return std::ranges::all_of(names, [&](const std::string& name) {
      return is_integer_symbol(name, sdfg_, types()) &&
             (!assignments_.contains(name) || stable_.contains(name));
    });
  }
  std::optional<Expr> usable(const Code& condition) {
    const Expr* expr = condition.expr();
    if (!expr || !is_stable(*expr)) return std::nullopt;
    if (!is_integer_condition(*expr, granted_.get()) &&
        !is_integer_arithmetic(*expr, granted_.get()))
      return std::nullopt;
    return simplify(*expr);
  }

  const TypeTable& types() {
    if (!types_) types_ = symbol_types(sdfg_);
    return *types_;
  }

  Assumptions assumptions(const Code& condition, const Level& innermost) const {
    if (!condition.expr()) return {};
    Assumptions out = granted_.get();
    out.keep_facts(0);  // but for those that concern the condition
    SymbolSet names = free_symbols(*condition.expr());
    std::size_t levels = 0;
    for (const Level* at = &innermost; at && levels < most_levels; at = at->up, ++levels) {
      if (at->range && names.contains(at->range->variable)) {
        assume_loop(*at->range, out);
        collect_symbols(at->range->begin, names);
        collect_symbols(at->range->end, names);
      }
      add_facts(at->facts, names, out);
    }
    add_facts(granted_.get().facts(), names, out);
    return out;
  }
  static void add_facts(const std::vector<Expr>& facts, const SymbolSet& names, Assumptions& out) {
    for (const Expr& fact : facts) {
      if (out.facts().size() == most_facts) break;
      const SymbolSet read = free_symbols(fact);
      if (std::ranges::any_of(read, [&](const auto& name) { return names.contains(name); }))
        out.add_fact(fact);
    }
  }

  Sdfg& sdfg_;
  const LazyAssumptions& granted_;
  PassContext& context_;
  std::optional<TypeTable> types_;  ///< when something is asked of a symbol
  LoopRanges ranges_;
  const AssignmentCounts assignments_;
  SymbolSet stable_;  ///< variables of loops around, which only these loops assign
};

}  // namespace

Result<Changed> LiftTrivialIf::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Lifter(sdfg, LazyAssumptions(context), context).on_region(sdfg, {}, nullptr);
}

}  // namespace sdfg
