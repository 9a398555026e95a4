#include "passes/common/loop_range.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/decide.h"

namespace sdfg {
namespace {

Diagnostic no(std::string why) { return Diagnostic{{}, std::move(why)}; }

/// `variable = value` or `variable += value`: what is assigned.
const Assign* assignment(const RareOptional<Code>& code, const std::string& variable) {
  const Statements* statements = code ? code->statements() : nullptr;
  if (!statements || statements->size() != 1) return nullptr;
  const auto* assign = std::get_if<Assign>(&statements->front().kind);
  return assign && assign->target.is_symbol(variable) ? assign : nullptr;
}

/// The value it gets.
std::optional<Expr> assigned_value(const RareOptional<Code>& code, const std::string& variable) {
  const Assign* assign = assignment(code, variable);
  if (!assign) return std::nullopt;
  return simplify(assign->augmented
                      ? Expr::make(*assign->augmented, {assign->target, assign->value})
                      : assign->value);
}

struct Bound {
  Op op;  ///< as in: variable op value
  Expr value;
};
std::optional<Bound> bound(const Expr& condition, const std::string& variable) {
  if (condition.args().size() != 2) return std::nullopt;
  const auto mirrored = [](Op op) {
    switch (op) {
      case Op::Lt: return Op::Gt;
      case Op::Le: return Op::Ge;
      case Op::Gt: return Op::Lt;
      case Op::Ge: return Op::Le;
      default: return op;
    }
  };
  switch (condition.op()) {
    case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge: case Op::Ne: break;
    default: return std::nullopt;
  }
  // a*v + b < c is v < c - b when a is 1, and v > b - c when it is -1.
  const Expr difference = condition.arg(0) - condition.arg(1);
  const auto affine = match_affine(difference, variable);
  if (!affine) return std::nullopt;
  if (affine->coefficient == Expr(1)) return Bound{condition.op(), -affine->rest};
  if (affine->coefficient == Expr(-1)) return Bound{mirrored(condition.op()), affine->rest};
  return std::nullopt;
}

/// Adds what a sum, as written, adds to the only quotient in it that code may round up.
bool add_without_quotient(const Expr& e, const Assumptions& known, Expr& rest, bool& found) {
  if (!divides_otherwise(e, known)) {
    rest = rest + e;
    return true;
  }
  if (e.is(Op::Add))
    return std::ranges::all_of(e.args(), [&](const Expr& term) {
      return add_without_quotient(term, known, rest, found);
    });
  if (e.is(Op::Sub)) {
    rest = rest - e.arg(1);
    return !divides_otherwise(e.arg(1), known) &&
           add_without_quotient(e.arg(0), known, rest, found);
  }
  if (found || !e.is(Op::FloorDiv) || e.arg(1).as_integer().value_or(0) <= 0) return false;
  found = true;
  if (!divides_otherwise(e.arg(0), known)) return true;
  // Where a quotient in it is not above 0, neither is this one.
  Expr more(0);
  bool inner = false;
  return add_without_quotient(e.arg(0), known, more, inner) &&
         certain(less_equal(more, 0, known));
}

/// Does a loop upwards end before it begins wherever code would round a quotient in its end up?
/// The quotient is not above 0 there.
bool ends_before(const Expr& condition, const LoopRange& range, const Assumptions& known) {
  const bool less_than = condition.is(Op::Lt);
  if ((!less_than && !condition.is(Op::Le)) || !condition.arg(0).is_symbol(range.variable))
    return false;
  Expr rest(less_than ? -1 : 0);
  bool found = false;
  return range.step > 0 && add_without_quotient(condition.arg(1), known, rest, found) &&
         certain(less(rest, range.begin, known));
}

bool is_whole(const Expr& e) {
  switch (e.op()) {
    case Op::Integer: case Op::Symbol: return true;
    case Op::Add: case Op::Mul: case Op::Sub: case Op::Neg: case Op::Min: case Op::Max:
    case Op::FloorDiv: case Op::CeilDiv: case Op::Mod:
      for (const Expr& a : e.args())
        if (!is_whole(a)) return false;
      return true;
    default: return false;
  }
}

}  // namespace

Expr LoopRange::count() const {
  const Expr distance = step > 0 ? end - begin : begin - end;
  return max(Expr(inverted ? 1 : 0), floor_div(distance, Expr(step > 0 ? step : -step)) + 1);
}

Expr LoopRange::last() const {
  if (step == 1) return max(inverted ? begin + 1 : begin, end + 1);
  if (step == -1) return min(inverted ? begin - 1 : begin, end - 1);
  return begin + count() * Expr(step);
}

LoopRange LoopRange::tested_first(const Assumptions& assumptions) const {
  LoopRange range = *this;
  range.inverted = false;
  const bool up = step > 0;
  if (inverted && !certain(less_equal(up ? begin : end, up ? end : begin, assumptions)))
    range.end = up ? max(begin, end) : min(begin, end);
  return range;
}

Range LoopRange::ascending() const {
  if (step > 0) return {begin, end, Expr(step)};
  // Counting up meets the same points only from the last one that is reached.
  const Expr size(-step);
  const Expr low = step == -1 ? end : begin - floor_div(begin - end, size) * size;
  return {low, begin, size};
}

void assume_loop(const LoopRange& range, Assumptions& assumptions) {
  if (range.step > 0)
    assumptions.assume(range.variable, range.begin, range.end);
  else
    assumptions.assume(range.variable, range.end, range.begin);
}

/// Names without a known type are integers, as they are in DaCe.
bool LoopRanges::is_signed_integer(const std::string& name) {
  if (const Data* data = sdfg_.arrays.get(name)) return data->dtype.is_signed_integer();
  const auto symbol = sdfg_.symbols.find(name);
  if (symbol != sdfg_.symbols.end()) return symbol->second.is_signed_integer();
  if (!types_) types_ = symbol_types(sdfg_);
  const auto found = types_->find(name);
  return found == types_->end() || found->second.is_signed_integer();
}

/// Code rounds towards zero, normal form rounds down. Extents of arguments are not negative.
bool LoopRanges::rounds_up(const Expr& code) {
  if (!divides_otherwise(code)) return false;
  if (!shapes_) assume_shapes(sdfg_, shapes_.emplace());
  return divides_otherwise(code, *shapes_);
}

Result<LoopRange> LoopRanges::of(const LoopRegion& loop) {
  LoopRange range;
  range.variable = loop.loop_variable;
  range.inverted = loop.inverted;
  if (range.variable.empty()) return no("the loop has no variable");
  const auto begin = assigned_value(loop.init_statement, range.variable);
  if (!begin) return no("where '" + range.variable + "' begins cannot be told");
  const auto next = assigned_value(loop.update_statement, range.variable);
  const auto step = next ? (*next - Expr::symbol(range.variable)).as_integer() : std::nullopt;
  if (!step || *step == 0)
    return no("the step of '" + range.variable + "' is no constant other than 0");
  const Expr* condition = loop.loop_condition ? loop.loop_condition->expr() : nullptr;
  const auto limit = condition ? bound(*condition, range.variable) : std::nullopt;
  if (!limit)
    return no("the loop's condition does not compare '" + range.variable + "' with a bound");
  range.begin = *begin, range.step = *step;
  switch (limit->op) {
    case Op::Lt: range.end = limit->value - 1; break;
    case Op::Le: case Op::Ge: range.end = limit->value; break;
    case Op::Gt: range.end = limit->value + 1; break;
    default: return no("the loop's condition tells no order");
  }
  const bool up = limit->op == Op::Lt || limit->op == Op::Le;
  if (up != (*step > 0)) return no("'" + range.variable + "' moves away from its bound");
  if (loop.inverted && !loop.update_before_condition)
    return no("the loop tests its condition between body and update");
  if (!is_whole(range.begin) || !is_whole(range.end))
    return no("the range of '" + range.variable + "' is computed from more than integer symbols");
  if ((rounds_up(*condition) && !ends_before(*condition, range, *shapes_)) ||
      rounds_up(assignment(loop.init_statement, range.variable)->value) ||
      rounds_up(assignment(loop.update_statement, range.variable)->value))
    return no("the loop's range divides what may be below 0, which code rounds up");
  if (uses_symbol(range.begin, range.variable))
    return no("'" + range.variable + "' begins at its own value");
  // A variable that is not declared has the type of its ends.
  SymbolSet names;
  collect_symbols(range.begin, names), collect_symbols(range.end, names);
  if (sdfg_.symbols.contains(range.variable) || sdfg_.arrays.contains(range.variable))
    names.insert(range.variable);
  // Floats end between two values, and unsigned integers have none below 0.
  for (const std::string& name : names)
    if (!is_signed_integer(name))
      return no("'" + name + "' in the loop's range is no signed integer");
  return range;
}

Refusal check_values(const LoopRegion& loop, const LoopRange& range, const Aliases& aliases) {
  const SymbolSet assigned = assigned_symbols(static_cast<const Region&>(loop));
  if (assigned.contains(range.variable)) return "the body assigns '" + range.variable + "'";
  SymbolSet read;
  collect_symbols(range.begin, read);
  collect_symbols(range.end, read);
  for (const std::string& name : read)
    if (assigned.contains(name)) return "the body assigns '" + name + "', which the range reads";
  add_aliases(aliases, read);
  Refusal why;
  for_each_state(loop, [&](const State& state) {
    for (NodeId n : state.nodes_of<AccessNode>())
      if (const auto& access = state.get<AccessNode>(n);
          !why && !state.in(n).empty() && read.contains(access.data))
        why = "the body writes '" + access.data + "', which the range reads";
  });
  return why;
}

}  // namespace sdfg
