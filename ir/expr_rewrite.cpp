#include <algorithm>
#include <functional>

#include "ir/expr_internal.h"
#include "ir/symbol_collector.h"

namespace sdfg {
namespace {

class Substituter {
 public:
  Substituter(const Substitution& replacements, bool calls)
      : replacements_(replacements), calls_(calls) {
    // Of many names, the bits would cost more than they save for a single expression.
    if (replacements.size() > 2) return;
    names_ = 0;
    for (const auto& [name, value] : replacements) names_ |= detail::name_bit(name);
  }

  Expr apply(const Expr& e) {
    if ((detail::name_bits(e) & names_) == 0) return e;
    if (e.is(Op::Symbol)) {
      const Expr* found = find(e.name());
      return found ? *found : e;
    }
    if (e.args().empty() && !(calls_ && e.is(Op::Call))) return e;
    const std::size_t outer = bound_.size();
    if (e.is(Op::Lambda))
      for (const Expr& p : e.args().first(e.args().size() - 1)) bound_.push_back(p.name());
    std::vector<Expr> args;
    std::size_t i = 0;
    bool changed = false;
    for (const Expr& a : e.args()) {
      const bool parameter = e.is(Op::Lambda) && i + 1 < e.args().size();
      // An array can only be renamed.
      const bool array = e.is(Op::Subscript) && i == 0 && a.is(Op::Symbol);
      ++i;
      Expr next = parameter ? a : apply(a);
      if (array && !next.is(Op::Symbol) && !next.is(Op::Attribute)) next = a;
      if (!changed && !next.same(a)) {
        changed = true;
        args.assign(e.args().begin(), e.args().begin() + std::ptrdiff_t(i - 1));
      }
      if (changed) args.push_back(std::move(next));
    }
    bound_.resize(outer);
    std::string name = e.name();
    if (calls_ && e.is(Op::Call) && !name.empty()) {
      const Expr* found = find(name);
      if (found && found->is(Op::Symbol) && found->name() != name) {
        name = found->name();
        if (!changed) args.assign(e.args().begin(), e.args().end());
        changed = true;
      }
    }
    return changed ? Expr::make(e.op(), std::move(args), std::move(name)) : e;
  }

 private:
  const Expr* find(std::string_view name) const {
    if (std::ranges::find(bound_, name) != bound_.end()) return nullptr;
    const auto it = replacements_.find(name);
    return it == replacements_.end() ? nullptr : &it->second;
  }

  const Substitution& replacements_;
  std::uint64_t names_ = ~std::uint64_t(0);  ///< bits of what is replaced, and perhaps of more
  bool calls_;
  std::vector<std::string_view> bound_;  ///< parameters of the lambdas around
};

}  // namespace

void SymbolCollector::add(const Expr& e) {
  const ExprNode& node = ExprAccess::node(e);
  if (node.names == 0) return;
  const ExprNode*& seen = seen_[node.hash % seen_.size()];
  const bool symbol = node.op == Op::Symbol;
  if (seen == &node || (symbol && seen && seen->op == Op::Symbol && seen->name == node.name))
    return;
  seen = &node;
  if (symbol)
    sink_(node.name);
  else if (node.op == Op::Lambda)
    any_symbol(e, [&](const std::string& name) { return sink_(name), false; });
  else
    for (const Expr& part : node.args) add(part);
}

void collect_symbols(const Expr& expr, SymbolSet& out) {
  if (detail::name_bits(expr) == 0) return;
  if (expr.is(Op::Symbol)) {
    out.insert(expr.name());
    return;
  }
  any_symbol(expr, [&](const std::string& name) {
    out.insert(name);
    return false;
  });
}
SymbolSet free_symbols(const Expr& expr) {
  SymbolSet out;
  collect_symbols(expr, out);
  return out;
}
bool uses_symbol(const Expr& expr, std::string_view name) {
  if ((detail::name_bits(expr) & detail::name_bit(name)) == 0) return false;
  return any_symbol(expr, [&](const std::string& n) { return n == name; });
}

Expr substitute(const Expr& expr, const Substitution& replacements) {
  return simplify(Substituter(replacements, false).apply(expr));
}
Expr substitute_as_written(const Expr& expr, const Substitution& replacements) {
  return Substituter(replacements, true).apply(expr);
}

namespace {

/// What a sum in normal form adds to the symbol: where the symbol is a term and in no other one, as
/// in most subsets, nothing has to be taken apart.
std::optional<Expr> added_to(const Expr& sum, std::string_view symbol) {
  const std::span<const Expr> terms = sum.args();
  if (!sum.is(Op::Add) || terms.size() < 2 || detail::as_rational(terms[1])) return std::nullopt;
  const auto uses = [&](const Expr& term) { return uses_symbol(term, symbol); };
  const auto found = std::ranges::find_if(terms, uses);
  if (found == terms.end() || !found->is_symbol(symbol) ||
      std::ranges::any_of(found + 1, terms.end(), uses))
    return std::nullopt;
  const std::size_t at = std::size_t(found - terms.begin());
  if (terms.size() == 2) return terms[1 - at];
  std::vector<Expr> others(terms.begin(), terms.end());
  others.erase(others.begin() + std::ptrdiff_t(at));
  return detail::make_normal(Op::Add, std::move(others));
}

}  // namespace

std::optional<Affine> match_affine(const Expr& expr, std::string_view symbol) {
  const Expr e = simplify(expr);
  if (e.is_symbol(symbol)) return Affine{1, 0};
  if (!uses_symbol(e, symbol)) return Affine{0, e};
  if (std::optional<Expr> rest = added_to(e, symbol)) return Affine{1, *std::move(rest)};
  std::vector<detail::Term> with, without;
  for (detail::Term& t : detail::terms(e)) {
    if (!uses_symbol(t.monomial, symbol)) {
      without.push_back(std::move(t));
      continue;
    }
    // The symbol must be a factor of its own.
    std::vector<Expr> factors;
    bool found = false;
    const auto take = [&](const Expr& f) {
      if (!found && f.is_symbol(symbol)) found = true;
      else factors.push_back(f);
    };
    if (t.monomial.is(Op::Mul)) std::ranges::for_each(t.monomial.args(), take);
    else take(t.monomial);
    const bool elsewhere = std::ranges::any_of(
        factors, [&](const Expr& f) { return uses_symbol(f, symbol); });
    if (!found || elsewhere) return std::nullopt;
    t.monomial = factors.empty()       ? Expr(1)
                 : factors.size() == 1 ? factors[0]
                                       : detail::make_normal(Op::Mul, std::move(factors));
    with.push_back(std::move(t));
  }
  auto coefficient = detail::sum(std::move(with)), rest = detail::sum(std::move(without));
  if (!coefficient || !rest) return std::nullopt;
  return Affine{*std::move(coefficient), *std::move(rest)};
}

}  // namespace sdfg
