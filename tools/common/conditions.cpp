#include "tools/common/conditions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace sdfg {
namespace {

using Values = ByName<std::int64_t>;

bool is_broken(const Expr& condition, const Values& values) {
  return evaluate(condition, values) == 0;
}

/// How far apart the two sides of comparisons are: so far must a term of one side move.
void collect_distances(const Expr& condition, const Values& values,
                       std::vector<std::int64_t>& out) {
  if (condition.is(Op::And) || condition.is(Op::Or) || condition.is(Op::Not)) {
    for (const Expr& part : condition.args()) collect_distances(part, values, out);
    return;
  }
  if (condition.args().size() != 2) return;
  const auto left = evaluate(condition.arg(0), values), right = evaluate(condition.arg(1), values);
  if (left && right) out.push_back(*left - *right);
}

/// The least is the best.
struct Change {
  std::size_t broken;  ///< conditions, afterwards
  bool is_negative;    ///< extents are not
  std::uint64_t distance;
  std::string symbol;
  std::int64_t value;
  auto operator<=>(const Change&) const = default;
};

}  // namespace

Result<std::vector<Expr>> parse_conditions(std::string_view text) {
  // A tuple, so that commas inside calls are not mistaken for those between conditions.
  const Result<Expr> all = parse_python("(" + std::string(text) + ",)");
  const std::string hint = "write --assume='N>=1,begin<=end'";
  if (!all) return Diagnostic{"--assume", all.error().message, hint};
  constexpr std::array kinds{Op::Lt,  Op::Le, Op::Gt,  Op::Ge,   Op::Eq,   Op::Ne,
                             Op::And, Op::Or, Op::Not, Op::True, Op::False};
  std::vector<Expr> conditions;
  for (const Expr& stated : all->args()) {
    conditions.push_back(simplify(stated));
    if (std::ranges::find(kinds, conditions.back().op()) == kinds.end())
      return Diagnostic{"--assume", "expected a condition, found '" + to_text(stated) + "'", hint};
  }
  return conditions;
}

const Expr* first_broken(const std::vector<Expr>& conditions, const Values& values) {
  const auto broken = std::ranges::find_if(
      conditions, [&](const Expr& condition) { return is_broken(condition, values); });
  return broken == conditions.end() ? nullptr : &*broken;
}

SymbolSet keep_to(const std::vector<Expr>& conditions, const SymbolSet& free, std::int64_t size,
                  Values& values) {
  SymbolSet changed;
  while (const Expr* broken = first_broken(conditions, values)) {
    std::vector<std::int64_t> distances;
    collect_distances(*broken, values, distances);
    std::optional<Change> best;
    for (const std::string& symbol : free_symbols(*broken)) {
      const auto at = values.find(symbol);
      if (at == values.end() || !free.contains(symbol) || changed.contains(symbol)) continue;
      const std::int64_t old = at->second;
      const auto attempt = [&](std::int64_t value) {
        at->second = value;
        if (is_broken(*broken, values)) return;
        const auto left = std::ranges::count_if(
            conditions, [&](const Expr& condition) { return is_broken(condition, values); });
        const Change change{std::size_t(left), value < 0,
                            std::uint64_t(value > old ? value - old : old - value), symbol, value};
        if (!best || change < *best) best = change;
      };
      for (std::int64_t value = 0; value <= size; ++value) attempt(value);
      for (const std::int64_t far : distances)
        for (const std::int64_t beyond : {-1, 0, 1}) {
          attempt(old + far + beyond);
          attempt(old - far + beyond);
        }
      at->second = old;
    }
    if (!best) break;
    values[best->symbol] = best->value;
    changed.insert(best->symbol);
  }
  return changed;
}

}  // namespace sdfg
