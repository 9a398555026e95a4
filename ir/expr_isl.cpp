#include "ir/expr_isl.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <algorithm>

#include "ir/expr_budget.h"
#include "ir/expr_interval.h"
#include "ir/subset_points.h"

// isl's functions take over their arguments and pass null on, so a chain of calls leaks nothing
// when one of them fails; only what is borrowed is copied.

namespace sdfg::detail {
namespace {

constexpr std::size_t max_atoms = 24;
constexpr unsigned long max_operations = 8000;  ///< about a millisecond

/// A context of its own for every question: no state is shared, threads do not meet.
class Context {
 public:
  Context() : ctx_(isl_ctx_alloc()) {
    isl_options_set_on_error(ctx_, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx_, max_operations);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { isl_ctx_free(ctx_); }
  operator isl_ctx*() const { return ctx_; }

 private:
  isl_ctx* ctx_;
};

/// The variables of a question: symbols, and subterms that are not affine. The walk here and the
/// translation in Translator follow the same structure.
class Atoms {
 public:
  explicit Atoms(bool subscripts_are_integers) : subscripts_(subscripts_are_integers) {}

  void add(const Expr& e) {
    switch (e.op()) {
      case Op::Integer:
      case Op::True:
      case Op::False: return;
      case Op::Min:
      case Op::Max:
      case Op::Select:
      case Op::And:
      case Op::Or:
      case Op::Not:
      case Op::Eq:
      case Op::Ne:
        linear_ = false;
        [[fallthrough]];
      case Op::Add:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
        for (const Expr& a : e.args()) add(a);
        return;
      case Op::FloorDiv:
      case Op::CeilDiv:
      case Op::Mod:
        linear_ = false;
        return constant_divisor(e) ? add(e.arg(0)) : atom(e);
      default: break;
    }
    if (as_rational(e)) return;
    const Term t = terms(e)[0];
    if (t.coefficient == Rational{}) atom(t.monomial);
    else add(t.monomial);
  }
  static bool constant_divisor(const Expr& e) {
    const auto c = e.arg(1).as_integer();
    return c && *c > 0 && *c < (std::int64_t(1) << 31);
  }

  std::optional<std::size_t> find(const Expr& e) const {
    const auto it = std::ranges::find(list_, e);
    return it == list_.end() ? std::nullopt : std::optional(std::size_t(it - list_.begin()));
  }
  const std::vector<Expr>& list() const { return list_; }
  bool usable() const { return usable_ && list_.size() <= max_atoms; }
  /// Only linear forms and inequalities so far. Over unrestricted integers such a question stays
  /// open, unless constants alone answer it.
  bool linear() const { return linear_; }

 private:
  void atom(const Expr& e) {
    if (find(e)) return;
    usable_ = usable_ && (is_integral(e) || (subscripts_ && e.is(Op::Subscript)));
    list_.push_back(e);
  }
  bool subscripts_;
  bool usable_ = true;
  bool linear_ = true;
  std::vector<Expr> list_;
};

class Translator {
 public:
  /// `extra` further set dimensions follow the atoms.
  Translator(isl_ctx* ctx, const Atoms& atoms, unsigned extra)
      : ctx_(ctx), atoms_(atoms),
        space_(isl_space_set_alloc(ctx, 0, unsigned(atoms.list().size()) + extra)) {}
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;
  ~Translator() { isl_space_free(space_); }

  isl_set* universe() { return isl_set_universe(isl_space_copy(space_)); }
  isl_pw_aff* variable(std::size_t position) {
    return isl_pw_aff_var_on_domain(local_space(), isl_dim_set, unsigned(position));
  }
  isl_pw_aff* constant(const Rational& r) {
    isl_aff* a = isl_aff_val_on_domain(local_space(), isl_val_int_from_si(ctx_, r.num));
    if (r.den != 1) a = isl_aff_scale_down_val(a, isl_val_int_from_si(ctx_, r.den));
    return isl_pw_aff_from_aff(a);
  }

  isl_pw_aff* value(const Expr& e) {
    if (const auto r = as_rational(e)) return constant(*r);
    switch (e.op()) {
      case Op::True: return constant({1, 1});
      case Op::False: return constant({0, 1});
      case Op::Add: return fold(e, isl_pw_aff_add);
      case Op::Min: return fold(e, isl_pw_aff_min);
      case Op::Max: return fold(e, isl_pw_aff_max);
      case Op::Select: return choice(condition(e.arg(0)), value(e.arg(1)), value(e.arg(2)));
      case Op::FloorDiv:
      case Op::CeilDiv:
        if (Atoms::constant_divisor(e)) {
          isl_pw_aff* q = isl_pw_aff_scale_down_val(value(e.arg(0)), integer(e.arg(1).value()));
          return e.is(Op::FloorDiv) ? isl_pw_aff_floor(q) : isl_pw_aff_ceil(q);
        }
        break;
      case Op::Mod:
        if (Atoms::constant_divisor(e))
          return isl_pw_aff_mod_val(value(e.arg(0)), integer(e.arg(1).value()));
        break;
      case Op::Integer:  // the one integer without a negative
        return isl_pw_aff_from_aff(isl_aff_val_on_domain(local_space(), integer(e.value())));
      default:
        if (is_truth(e.op()) && is_condition(e))
          return choice(condition(e), constant({1, 1}), constant({0, 1}));
    }
    const Term t = terms(e)[0];
    if (t.coefficient == Rational{}) {
      const auto at = atoms_.find(e);
      return at ? variable(*at) : nullptr;
    }
    isl_val* factor = isl_val_div(integer(t.coefficient.num), integer(t.coefficient.den));
    return isl_pw_aff_scale_val(value(t.monomial), factor);
  }

  /// The values for which the condition holds.
  isl_set* condition(const Expr& e) {
    switch (e.op()) {
      case Op::True: return universe();
      case Op::False: return isl_set_empty(isl_space_copy(space_));
      case Op::Not: return isl_set_complement(condition(e.arg(0)));
      case Op::And:
      case Op::Or: {
        isl_set* out = condition(e.arg(0));
        for (const Expr& a : e.args().subspan(1))
          out = e.is(Op::And) ? isl_set_intersect(out, condition(a))
                              : isl_set_union(out, condition(a));
        return out;
      }
      case Op::Eq: return isl_pw_aff_eq_set(value(e.arg(0)), value(e.arg(1)));
      case Op::Ne: return isl_pw_aff_ne_set(value(e.arg(0)), value(e.arg(1)));
      case Op::Lt: return isl_pw_aff_lt_set(value(e.arg(0)), value(e.arg(1)));
      case Op::Le: return isl_pw_aff_le_set(value(e.arg(0)), value(e.arg(1)));
      case Op::Gt: return isl_pw_aff_gt_set(value(e.arg(0)), value(e.arg(1)));
      case Op::Ge: return isl_pw_aff_ge_set(value(e.arg(0)), value(e.arg(1)));
      default: return isl_pw_aff_ne_set(value(e), constant({0, 1}));
    }
  }

  isl_val* integer(std::int64_t v) { return isl_val_int_from_si(ctx_, v); }

 private:
  static bool is_condition(const Expr& e) {
    return (e.op() >= Op::Eq && e.op() <= Op::Ge) || e.is(Op::And) || e.is(Op::Or) || e.is(Op::Not);
  }
  isl_local_space* local_space() { return isl_local_space_from_space(isl_space_copy(space_)); }
  isl_pw_aff* fold(const Expr& e, isl_pw_aff* (*combine)(isl_pw_aff*, isl_pw_aff*)) {
    isl_pw_aff* out = value(e.arg(0));
    for (const Expr& a : e.args().subspan(1)) out = combine(out, value(a));
    return out;
  }
  static isl_pw_aff* choice(isl_set* where, isl_pw_aff* yes, isl_pw_aff* no) {
    isl_set* elsewhere = isl_set_complement(isl_set_copy(where));
    return isl_pw_aff_union_add(isl_pw_aff_intersect_domain(yes, where),
                                isl_pw_aff_intersect_domain(no, elsewhere));
  }

  isl_ctx* ctx_;
  const Atoms& atoms_;
  isl_space* space_;
};

/// The assumptions that bear on the atoms, directly or through other symbols; adds atoms.
std::vector<Expr> relevant_conditions(Atoms& atoms, const Assumptions& assumptions) {
  std::vector<Expr> out;
  std::vector<bool> used(assumptions.facts().size());
  std::size_t seen = 0;
  const auto take = [&](const Expr& condition) {
    out.push_back(condition);
    atoms.add(condition);
  };
  for (bool grown = true; grown && atoms.list().size() <= max_atoms;) {
    grown = false;
    for (; seen < atoms.list().size() && atoms.list().size() <= max_atoms; ++seen) {
      const Expr atom = atoms.list()[seen];
      grown = true;
      if (!atom.is(Op::Symbol)) {
        const Interval i = interval(atom, assumptions);
        if (i.low) take(make_normal(Op::Ge, {atom, to_expr(*i.low)}));
        if (i.high) take(make_normal(Op::Le, {atom, to_expr(*i.high)}));
        continue;
      }
      const auto* bounds = assumptions.bounds_of(atom.name());
      if (!bounds) continue;
      // Built as they are: a bound that folds to a constant would say nothing of the symbol.
      if (bounds->low) take(make_normal(Op::Ge, {atom, simplify(*bounds->low)}));
      if (bounds->high) take(make_normal(Op::Le, {atom, simplify(*bounds->high)}));
    }
    for (std::size_t f = 0; f < used.size(); ++f) {
      if (used[f]) continue;
      const Expr fact = simplify(assumptions.facts()[f]);
      const bool concerns = std::ranges::any_of(atoms.list(), [&](const Expr& a) {
        return a.is(Op::Symbol) && uses_symbol(fact, a.name());
      });
      if (!concerns) continue;
      used[f] = grown = true;
      // A fact that cannot be expressed is left out: knowing less is safe.
      Atoms trial = atoms;
      trial.add(fact);
      if (trial.usable()) take(fact);
    }
  }
  return out;
}

isl_set* conjunction(Translator& translator, const std::vector<Expr>& conditions) {
  isl_set* out = translator.universe();
  for (const Expr& c : conditions) out = isl_set_intersect(out, translator.condition(c));
  return out;
}

/// Yes if all of `allowed` is in `where`, No if nothing is. Takes both.
Truth compare_sets(isl_set* allowed, isl_set* where) {
  Truth out = Truth::Unknown;
  if (allowed && where) {
    if (isl_set_is_subset(allowed, where) == isl_bool_true) out = Truth::Yes;
    else if (isl_set_is_disjoint(allowed, where) == isl_bool_true) out = Truth::No;
  }
  isl_set_free(allowed);
  isl_set_free(where);
  return out;
}

/// The points of one dimension as a set over the atoms and one further dimension; null when the
/// range cannot be expressed.
isl_set* points(Translator& t, std::size_t dimension, const Points& p) {
  isl_set* out = isl_pw_aff_ge_set(t.variable(dimension), t.value(p.first));
  if (p.stride == 1)
    return isl_set_intersect(out, isl_pw_aff_le_set(t.variable(dimension), t.value(p.last)));
  // first + stride * k + j with 0 <= j < block; the start of the block is at most `last`.
  const auto offset = [&] {
    return isl_pw_aff_mod_val(isl_pw_aff_sub(t.variable(dimension), t.value(p.first)),
                              t.integer(p.stride));
  };
  out = isl_set_intersect(out, isl_pw_aff_lt_set(offset(), t.constant({p.block, 1})));
  return isl_set_intersect(
      out, isl_pw_aff_le_set(isl_pw_aff_sub(t.variable(dimension), offset()), t.value(p.last)));
}

/// One dimension of both subsets, ready for translation.
struct Pair {
  Points a, b;
};
std::optional<std::vector<Pair>> pairs(const Subset& a, const Subset& b,
                                       const Assumptions& assumptions, Atoms& atoms) {
  std::vector<Pair> out;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    auto x = points_of(a[d], assumptions), y = points_of(b[d], assumptions);
    if (!x || !y) return std::nullopt;
    for (const Expr* e : {&x->first, &x->last, &y->first, &y->last}) {
      if (!may_be_asked(*e)) return std::nullopt;
      atoms.add(*e);
    }
    out.push_back({*std::move(x), *std::move(y)});
  }
  return out;
}

bool all_dense(const std::vector<Pair>& dimensions) {
  return std::ranges::all_of(dimensions,
                             [](const Pair& p) { return p.a.stride == 1 && p.b.stride == 1; });
}

isl_set* without_point(isl_set* set, std::size_t dimension) {
  return isl_set_project_out(set, isl_dim_set, unsigned(dimension), 1);
}

}  // namespace

Truth isl_decide(const Expr& condition, const Assumptions& assumptions) {
  if (!may_be_asked(condition)) return Truth::Unknown;
  Atoms atoms(false);
  atoms.add(condition);
  if (!atoms.usable() || atoms.list().empty()) return Truth::Unknown;
  const bool linear = atoms.linear();
  const std::vector<Expr> conditions = relevant_conditions(atoms, assumptions);
  if (!atoms.usable() || (linear && conditions.empty())) return Truth::Unknown;
  Context ctx;
  Translator translator(ctx, atoms, 0);
  return compare_sets(conjunction(translator, conditions), translator.condition(condition));
}

Truth isl_covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions) {
  Atoms atoms(true);
  const auto dimensions = pairs(outer, inner, assumptions, atoms);
  if (!dimensions || !atoms.usable()) return Truth::Unknown;
  const bool linear = atoms.linear() && all_dense(*dimensions);
  const std::vector<Expr> conditions = relevant_conditions(atoms, assumptions);
  if (!atoms.usable() || (linear && conditions.empty())) return Truth::Unknown;
  Context ctx;
  Translator with_point(ctx, atoms, 1), translator(ctx, atoms, 0);
  const std::size_t point = atoms.list().size();
  // Something is left uncovered where some dimension sticks out and no dimension is empty.
  isl_set* sticks_out = isl_set_complement(translator.universe());
  isl_set* not_empty = translator.universe();
  for (const auto& [o, i] : *dimensions) {
    isl_set* in = points(with_point, point, i);
    isl_set* out = isl_set_subtract(isl_set_copy(in), points(with_point, point, o));
    sticks_out = isl_set_union(sticks_out, without_point(out, point));
    not_empty = isl_set_intersect(not_empty, without_point(in, point));
  }
  return !compare_sets(conjunction(translator, conditions),
                       isl_set_intersect(sticks_out, not_empty));
}

Truth isl_intersects(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  Atoms atoms(true);
  const auto dimensions = pairs(a, b, assumptions, atoms);
  if (!dimensions || !atoms.usable()) return Truth::Unknown;
  // No shortcut for linear forms here: (i, i) never is (j, j + 1), nor 2*i ever 2*j + 1.
  const std::vector<Expr> conditions = relevant_conditions(atoms, assumptions);
  if (!atoms.usable()) return Truth::Unknown;
  Context ctx;
  Translator with_point(ctx, atoms, 1), translator(ctx, atoms, 0);
  const std::size_t point = atoms.list().size();
  isl_set* meet = translator.universe();
  for (const auto& [x, y] : *dimensions)
    meet = isl_set_intersect(
        meet, without_point(isl_set_intersect(points(with_point, point, x),
                                              points(with_point, point, y)),
                            point));
  return compare_sets(conjunction(translator, conditions), meet);
}

}  // namespace sdfg::detail
