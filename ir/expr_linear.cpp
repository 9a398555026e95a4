#include "ir/expr_linear.h"

#include <algorithm>

#include "ir/expr_interval.h"
#include "ir/expr_normal.h"
#include "ir/linear_system.h"
#include "ir/subset_points.h"

namespace sdfg::detail {
namespace {

constexpr int max_cases = 64;  ///< systems tried for one question

/// A condition on linear forms.
struct Condition {
  enum class Kind : std::uint8_t { AtLeastZero, All, Any } kind = Kind::All;
  Linear form;
  std::vector<Condition> parts;
};

/// A column of the forms: a symbol or another unknown integer, or the minimum or maximum of forms.
struct Variable {
  Expr atom;
  std::vector<Linear> choices;  ///< of a minimum or maximum

  bool is_extremum() const { return !choices.empty(); }
};

/// Expressions as forms over common variables.
class Forms {
 public:
  explicit Forms(bool subscripts_are_integers) : subscripts_(subscripts_are_integers) {}

  /// False where it is no linear form with integer factors.
  bool read(const Expr& e, Linear& out) { return add(e, 1, out); }
  /// a - b - constant
  bool difference(const Expr& a, const Expr& b, Linear& out) {
    return add(a, 1, out) && add(b, -1, out);
  }
  bool read(const Expr& condition, bool holds, Condition& out);

  const std::vector<Variable>& variables() const { return variables_; }
  bool without_extrema() const {
    return std::ranges::none_of(variables_, [](const Variable& v) { return v.is_extremum(); });
  }
  /// Are all variables symbols, which may have any value that the assumptions allow?
  bool complete() const { return complete_; }

 private:
  bool add(const Expr& e, std::int64_t factor, Linear& out) {
    if (const auto value = e.as_integer()) {
      std::int64_t product;
      return !__builtin_mul_overflow(*value, factor, &product) &&
             !__builtin_add_overflow(out.constant, product, &out.constant);
    }
    if (e.is(Op::Add))
      return std::ranges::all_of(e.args(), [&](const Expr& a) { return add(a, factor, out); });
    if (e.is(Op::Mul) && e.arg(0).is(Op::Integer)) {
      const auto [coefficient, monomial] = as_term(e);
      // A coefficient that fits into no number stays in the monomial.
      if (coefficient.den != 1 || monomial == e) return false;
      return std::abs(coefficient.num) < Linear::max_factor &&
             std::abs(factor * coefficient.num) < Linear::max_factor &&
             add(monomial, factor * coefficient.num, out);
    }
    const auto column = column_of(e);
    if (!column) return false;
    const std::int64_t sum = out.factor[*column] + factor;
    out.factor[*column] = std::int32_t(sum);
    return std::abs(sum) < Linear::max_factor;
  }

  std::optional<std::size_t> column_of(const Expr& e) {
    const auto known = std::ranges::find(variables_, e, &Variable::atom);
    if (known != variables_.end()) return std::size_t(known - variables_.begin());
    Variable variable{e, {}};
    if (e.is(Op::Min) || e.is(Op::Max)) {
      for (const Expr& a : e.args())
        if (!read(a, variable.choices.emplace_back())) return std::nullopt;
    } else if (!e.is(Op::Symbol)) {
      if (!is_integral(e) && !(subscripts_ && e.is(Op::Subscript))) return std::nullopt;
      complete_ = false;
    }
    if (variables_.size() == Linear::max_variables) return std::nullopt;
    variables_.push_back(std::move(variable));
    return variables_.size() - 1;
  }

  bool subscripts_, complete_ = true;
  std::vector<Variable> variables_;
};

bool Forms::read(const Expr& e, bool holds, Condition& out) {
  using Kind = Condition::Kind;
  switch (e.op()) {
    case Op::True:
    case Op::False: out.kind = e.is(Op::True) == holds ? Kind::All : Kind::Any; return true;
    case Op::Not: return read(e.arg(0), !holds, out);
    case Op::And:
    case Op::Or:
      out.kind = e.is(Op::And) == holds ? Kind::All : Kind::Any;
      return std::ranges::all_of(
          e.args(), [&](const Expr& a) { return read(a, holds, out.parts.emplace_back()); });
    case Op::Eq:
    case Op::Ne: {
      // Both orders hold, or one of the strict ones.
      const bool equal = e.is(Op::Eq) == holds;
      out.kind = equal ? Kind::All : Kind::Any;
      for (const auto& [a, b] : {std::pair(e.arg(0), e.arg(1)), std::pair(e.arg(1), e.arg(0))}) {
        Condition& part = out.parts.emplace_back(Condition{Kind::AtLeastZero, {}, {}});
        if (!difference(a, b, part.form)) return false;
        part.form.constant -= !equal;
      }
      return true;
    }
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: {
      const Op op = holds ? e.op() : negated(e.op());
      const bool less = op == Op::Lt || op == Op::Le;
      out.kind = Kind::AtLeastZero;
      if (!difference(e.arg(less), e.arg(!less), out.form)) return false;
      out.form.constant -= op == Op::Lt || op == Op::Gt;
      return true;
    }
    default: return false;
  }
}

/// Looks for values of the variables, one case after the other: which argument of a minimum or
/// maximum it equals, which part of a disjunction holds.
class Search {
 public:
  explicit Search(const Forms& forms) : variables_(forms.variables()) {
    start_.choice.fill(undecided);
    for (std::size_t v = 0; v < variables_.size(); ++v)
      if (variables_[v].is_extremum()) extrema_.push_back(v);
  }

  /// What holds in every question.
  void assume(const Condition& condition) { require(start_, condition); }
  /// May all of them be at least 0, and the condition hold?
  Truth possible(std::initializer_list<const Linear*> forms, const Condition* condition = nullptr) {
    Case first = start_;
    for (const Linear* form : forms) require(first, *form);
    if (condition) require(first, *condition);
    cases_ = 0;
    return explore(std::move(first));
  }
  /// Were there more cases than are tried? Others than these would not do better.
  bool exhausted() const { return exhausted_; }

 private:
  static constexpr std::uint8_t undecided = 0xff;

  struct Case {
    LinearSystem system;
    std::vector<Linear> open;  ///< to hold, too; each for one choice of an extremum or more
    std::vector<const Condition*> any;   ///< one part of each has to hold
    std::array<std::uint8_t, Linear::max_variables> choice;  ///< of extrema that have been decided
    bool failed = false;                 ///< numbers left their range
  };

  /// The form with a column replaced by what it equals.
  bool replace(const Linear& form, std::size_t column, const Linear& by, Linear& out) const {
    Linear rest = form;
    rest.factor[column] = 0;
    return Linear::combine(1, rest, form.factor[column], by, out, variables_.size());
  }

  /// May `form >= 0` hold thanks to one argument of an extremum? Otherwise it must hold with each.
  bool by_one(const Linear& form, std::size_t column) const {
    return variables_[column].atom.is(Op::Max) == (form.factor[column] > 0);
  }

  void require(Case& c, const Linear& form) {
    std::optional<std::size_t> each;
    bool open = false;
    for (std::size_t v : extrema_) {
      if (form.factor[v] == 0) continue;
      if (c.choice[v] != undecided)
        return require_replaced(c, form, v, variables_[v].choices[c.choice[v]]);
      if (by_one(form, v)) open = true;
      else each = v;
    }
    if (open) {
      c.open.push_back(form);
    } else if (each) {
      for (const Linear& value : variables_[*each].choices) require_replaced(c, form, *each, value);
    } else {
      c.system.require(form, variables_.size());
    }
  }
  void require_replaced(Case& c, const Linear& form, std::size_t column, const Linear& by) {
    Linear next;
    if (replace(form, column, by, next)) require(c, next);
    else c.failed = true;
  }
  void require(Case& c, const Condition& condition) {
    switch (condition.kind) {
      case Condition::Kind::AtLeastZero: return require(c, condition.form);
      case Condition::Kind::All:
        for (const Condition& part : condition.parts) require(c, part);
        return;
      case Condition::Kind::Any: c.any.push_back(&condition);
    }
  }

  Truth explore(Case c) {
    if (c.failed) return Truth::Unknown;
    if (++cases_ > max_cases) return exhausted_ = true, Truth::Unknown;
    const Truth now = c.system.feasible();
    if (now == Truth::No) return now;
    if (!c.open.empty()) {
      const Linear& form = c.open.front();
      const std::size_t v = *std::ranges::find_if(extrema_, [&](std::size_t each) {
        return form.factor[each] != 0 && c.choice[each] == undecided && by_one(form, each);
      });
      return any_of(variables_[v].choices.size(),
                    [&](std::size_t i) { return explore(chosen(c, v, i)); });
    }
    if (c.any.empty()) return now;
    const Condition* disjunction = c.any.back();
    c.any.pop_back();
    return any_of(disjunction->parts.size(), [&](std::size_t i) {
      Case next = c;
      require(next, disjunction->parts[i]);
      return explore(std::move(next));
    });
  }

  /// The extremum is its argument number i, which the others do not surpass.
  Case chosen(const Case& c, std::size_t column, std::size_t i) {
    Case next = c;
    next.choice[column] = std::uint8_t(i);
    next.open.clear();
    const auto& choices = variables_[column].choices;
    const std::int64_t sign = variables_[column].atom.is(Op::Max) ? 1 : -1;
    for (std::size_t j = 0; j < choices.size(); ++j) {
      Linear ahead;
      if (j == i) continue;
      if (Linear::combine(sign, choices[i], -sign, choices[j], ahead, variables_.size()))
        require(next, ahead);
      else
        next.failed = true;
    }
    for (const Linear& form : c.open) require(next, form);
    return next;
  }

  template <class F>
  static Truth any_of(std::size_t n, F truth) {
    Truth out = Truth::No;
    for (std::size_t i = 0; i < n; ++i) {
      const Truth t = truth(i);
      if (t == Truth::Yes) return t;
      if (t == Truth::Unknown) out = t;
    }
    return out;
  }

  const std::vector<Variable>& variables_;
  std::vector<std::size_t> extrema_;  ///< columns of minima and maxima
  Case start_;
  int cases_ = 0;
  bool exhausted_ = false;
};

/// A question: its forms, then the assumptions that bear on their variables, directly or through
/// others.
class Question {
 public:
  Question(bool subscripts_are_integers, const Assumptions& assumptions)
      : forms(subscripts_are_integers), assumptions_(assumptions) {}

  Forms forms;

  /// Call when all forms are read.
  void assume() {
    std::vector<bool> used(assumptions_.facts().size());
    for (std::size_t seen = 0; seen < forms.variables().size(); ++seen) {
      const Expr atom = forms.variables()[seen].atom;
      if (atom.is(Op::Symbol)) {
        if (const auto* bounds = assumptions_.bounds_of(atom.name())) {
          if (bounds->low) at_least(atom, simplify(*bounds->low));
          if (bounds->high) at_least(simplify(*bounds->high), atom);
        }
      } else if (!forms.variables()[seen].is_extremum()) {
        const Interval i = interval(atom, assumptions_);
        if (i.low && i.low->is_integer()) at_least(atom, i.low->num);
        if (i.high && i.high->is_integer()) at_least(i.high->num, atom);
        continue;
      }
      for (std::size_t f = 0; f < used.size(); ++f) {
        if (used[f] || !atom.is(Op::Symbol) || !uses_symbol(assumptions_.facts()[f], atom.name()))
          continue;
        used[f] = true;
        Condition& fact = conditions_.emplace_back();
        if (!forms.read(simplify(assumptions_.facts()[f]), true, fact)) forget();
      }
    }
    search_.emplace(forms);
    for (const Condition& condition : conditions_) search_->assume(condition);
  }

  Truth possible(std::initializer_list<const Linear*> list, const Condition* condition = nullptr) {
    // Of what nothing is known a form can have either sign.
    const bool free = list.size() == 1 && !condition && conditions_.empty() &&
                      !(*list.begin())->is_constant() && forms.without_extrema();
    // Values for everything known may contradict what could not be expressed.
    const Truth t = free ? Truth::Yes : search_->possible(list, condition);
    return t == Truth::Yes && (!known_ || !forms.complete()) ? Truth::Unknown : t;
  }

  /// Of a claim, from whether it and its contrary are possible.
  Decision decided(Truth claim, Truth contrary) const {
    if (contrary == Truth::No) return Truth::Yes;
    if (claim == Truth::No) return Truth::No;
    const bool open = (claim == Truth::Yes && contrary == Truth::Yes) || search_->exhausted();
    return open ? Decision(Truth::Unknown) : std::nullopt;
  }

 private:
  void at_least(const Expr& a, const Expr& b) {
    Condition& c = conditions_.emplace_back();
    c.kind = Condition::Kind::AtLeastZero;
    if (!forms.difference(a, b, c.form)) forget();
  }
  /// An assumption that cannot be expressed is left out.
  void forget() {
    conditions_.pop_back();
    known_ = false;
  }

  const Assumptions& assumptions_;
  std::vector<Condition> conditions_;
  bool known_ = true;
  std::optional<Search> search_;
};

/// form < 0, as form >= 0.
Linear below_zero(const Linear& form) {
  Linear out;
  out.constant = -1 - form.constant;
  for (std::size_t v = 0; v < Linear::max_variables; ++v) out.factor[v] = -form.factor[v];
  return out;
}

Condition contrary_of(const Condition& c) {
  using Kind = Condition::Kind;
  if (c.kind == Kind::AtLeastZero) return {c.kind, below_zero(c.form), {}};
  Condition out{c.kind == Kind::All ? Kind::Any : Kind::All, {}, {}};
  for (const Condition& part : c.parts) out.parts.push_back(contrary_of(part));
  return out;
}

/// The ends of a range, as Points has them.
struct Dimension {
  Linear first, last;
  std::int64_t behind = 0;  ///< so far behind `last` may be a point: of blocks
  std::int64_t stride = 1;
  std::int64_t before = 0;  ///< so far before `last` may the last start be

  bool dense() const { return stride == 1; }
};

/// The ends of the ranges.
bool read(const Subset& box, const Assumptions& assumptions, Forms& forms,
          std::vector<Dimension>& out) {
  out.resize(box.rank());
  for (std::size_t d = 0; d < box.rank(); ++d) {
    const auto points = points_of(box[d], assumptions);
    if (!points) return false;
    const auto last = points->stride == 1 ? std::nullopt : points->exact_last();
    if (!forms.read(points->first, out[d].first) ||
        !forms.read(last ? *last : points->last, out[d].last))
      return false;
    out[d].behind = points->block - 1;
    out[d].stride = points->stride;
    out[d].before = last ? 0 : points->stride - 1;
  }
  return true;
}
/// Requires low + gap <= high. False where that grows too large.
bool at_most(Condition& in, const Linear& low, const Linear& high, std::int64_t gap = 0) {
  Condition& part = in.parts.emplace_back(Condition{Condition::Kind::AtLeastZero, {}, {}});
  return Linear::combine(1, high, -1, low, part.form) &&
         !__builtin_sub_overflow(part.form.constant, gap, &part.form.constant);
}
bool is_dense(const std::vector<Dimension>& box) {
  return std::ranges::all_of(box, &Dimension::dense);
}

/// What makes two ranges meet whose ends overlap. False where numbers grow too large.
bool add_certain_meeting(const Dimension& p, const Dimension& q, Condition& out) {
  if (p.dense() && q.dense()) return true;
  if (!p.dense() && !q.dense())  // at their first point
    return at_most(out, p.first, q.first) && at_most(out, q.first, p.first);
  const Dimension &dense = p.dense() ? p : q, &gaps = p.dense() ? q : p;
  // The first point is in the dense range, or as many points of that as two starts are apart lie
  // among the others.
  Condition first, among;
  const std::int64_t apart = gaps.stride - 1;
  const bool read = at_most(first, dense.first, gaps.first) &&
                    at_most(first, gaps.first, dense.last) &&
                    at_most(among, dense.first, dense.last, apart) &&
                    at_most(among, gaps.first, dense.last, apart) &&
                    at_most(among, dense.first, gaps.last, gaps.before) &&
                    at_most(among, gaps.first, gaps.last, gaps.before);
  out.parts.push_back({Condition::Kind::Any, {}, {std::move(first), std::move(among)}});
  return read;
}

}  // namespace

Decision linear_order(Op op, const Expr& a, const Expr& b, const Assumptions& assumptions) {
  Question question(false, assumptions);
  Linear claim;
  if (!question.forms.difference(b, a, claim)) return std::nullopt;
  claim.constant -= op == Op::Lt;
  if (claim.is_constant()) return claim.constant >= 0 ? Truth::Yes : Truth::No;
  const Linear contrary = below_zero(claim);
  question.assume();
  const Truth possible = question.possible({&claim});
  if (possible == Truth::No) return possible;
  return question.decided(possible, question.possible({&contrary}));
}

Decision linear_decide(const Expr& condition, const Assumptions& assumptions) {
  if (condition.is(Op::True)) return Truth::Yes;
  if (condition.is(Op::False)) return Truth::No;
  Question question(false, assumptions);
  Condition claim, contrary;
  if (!question.forms.read(condition, true, claim) ||
      !question.forms.read(condition, false, contrary))
    return std::nullopt;
  question.assume();
  const Truth possible = question.possible({}, &claim);
  if (possible == Truth::No) return possible;
  return question.decided(possible, question.possible({}, &contrary));
}

Decision linear_intersects(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  Question question(true, assumptions);
  std::vector<Dimension> x, y;
  if (!read(a, assumptions, question.forms, x) || !read(b, assumptions, question.forms, y))
    return std::nullopt;
  // They meet only where none is empty and their ends overlap; of ranges with gaps they certainly
  // do where `shared` holds.
  Condition meet, shared;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    const Dimension &p = x[d], &q = y[d];
    if (!at_most(meet, p.first, p.last)) return std::nullopt;
    if (a[d] == b[d]) continue;
    if (!at_most(meet, q.first, q.last) || !at_most(meet, p.first, q.last, -q.behind) ||
        !at_most(meet, q.first, p.last, -p.behind))
      return std::nullopt;
    if (!add_certain_meeting(p, q, shared)) return std::nullopt;
  }
  question.assume();
  const Truth possible = question.possible({}, &meet);
  if (possible == Truth::No) return possible;
  Truth contrary = Truth::No;
  const auto find_contrary = [&] {
    for (const Condition& part : meet.parts) {
      const Linear no = below_zero(part.form);
      const Truth t = question.possible({&no});
      if (t != Truth::No) contrary = t;
      if (t == Truth::Yes) break;
    }
  };
  if (is_dense(x) && is_dense(y)) {
    find_contrary();
    return question.decided(possible, contrary);
  }
  shared.parts.insert(shared.parts.end(), meet.parts.begin(), meet.parts.end());
  const Condition missed = contrary_of(shared);
  if (question.possible({}, &missed) == Truth::No) return Truth::Yes;
  if (question.possible({}, &shared) != Truth::Yes) return std::nullopt;
  find_contrary();
  return contrary == Truth::Yes ? Decision(Truth::Unknown) : std::nullopt;
}

Decision linear_covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions) {
  Question question(true, assumptions);
  std::vector<Dimension> x, y;
  if (!read(outer, assumptions, question.forms, x) || !read(inner, assumptions, question.forms, y))
    return std::nullopt;
  // Something is uncovered where no dimension of the inner box is empty and some dimension sticks
  // out. Of ranges with gaps two conditions say so, one where that may be, the other where it is.
  using Kind = Condition::Kind;
  bool exact = true, gaps_outside = false;
  Condition filled, may_stick{Kind::Any, {}, {}}, sticks_out{Kind::Any, {}, {}};
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    const Dimension &o = x[d], &i = y[d];
    if (!at_most(filled, i.first, i.last)) return std::nullopt;
    if (outer[d] == inner[d]) continue;
    exact = exact && o.dense() && i.before == 0;
    gaps_outside = gaps_outside || !o.dense();
    const std::int64_t behind = 1 + o.behind - i.behind;
    if (!at_most(sticks_out, i.first, o.first, 1) ||
        !at_most(sticks_out, o.last, i.last, behind + i.before))
      return std::nullopt;
    if (!o.dense() && i.dense() && !at_most(sticks_out, i.first, i.last, o.behind + 1))
      return std::nullopt;
    if (i.before > 0 && (!at_most(may_stick, i.first, o.first, 1) ||
                         !at_most(may_stick, o.last, i.last, behind)))
      return std::nullopt;
  }
  question.assume();
  const auto uncovered = [&](Condition out) {
    const Condition both{Kind::All, {}, {filled, std::move(out)}};
    return question.possible({}, &both);
  };
  const Truth outside = uncovered(sticks_out);
  if (exact && outside == Truth::No) return Truth::Yes;
  // Covered: a dimension is empty, or none sticks out.
  const auto covered = [&](const Condition& none) {
    Truth result = Truth::No;
    const auto add = [&](Truth t) {
      if (t != Truth::No) result = t;
      return t == Truth::Yes;
    };
    for (const Condition& part : filled.parts) {
      const Linear empty = below_zero(part.form);
      if (add(question.possible({&empty}))) return result;
    }
    add(question.possible({}, &none));
    return result;
  };
  Condition fits = contrary_of(sticks_out);
  const Truth inside = covered(fits);
  if (exact) return question.decided(inside, outside);
  if (inside == Truth::No) return Truth::No;
  if (outside == Truth::No) {
    for (const Condition& part : sticks_out.parts) may_stick.parts.push_back(part);
    return !gaps_outside && uncovered(may_stick) == Truth::No ? Decision(Truth::Yes) : std::nullopt;
  }
  if (outside != Truth::Yes) return std::nullopt;
  // Certainly covered: none may stick out, and of an outer range with gaps the first block holds
  // the inner one.
  for (const Condition& part : may_stick.parts) fits.parts.push_back(contrary_of(part));
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    const Dimension &o = x[d], &i = y[d];
    if (o.dense() || outer[d] == inner[d]) continue;
    if (!at_most(fits, i.first, o.first) || !at_most(fits, o.first, o.last) ||
        !at_most(fits, i.last, i.first, i.behind - o.behind))
      return std::nullopt;
  }
  return covered(fits) == Truth::Yes ? Decision(Truth::Unknown) : std::nullopt;
}

}  // namespace sdfg::detail
