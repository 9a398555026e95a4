#include "ir/linear_system.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/expr_internal.h"

namespace sdfg::detail {
namespace {

constexpr std::size_t max_rows = 160;
constexpr std::size_t usual_rows = 16;

/// How often a variable occurs with a positive and with a negative factor.
struct Occurrences {
  std::uint16_t positive = 0, negative = 0;
  bool more_than_units_up = false, more_than_units_down = false;

  bool exact() const { return !more_than_units_up || !more_than_units_down; }
  /// Rows that eliminating it adds, at most.
  int growth() const { return positive * negative - (positive + negative); }
};

std::array<Occurrences, Linear::max_variables> count(const std::vector<Linear>& rows,
                                                     std::size_t width) {
  std::array<Occurrences, Linear::max_variables> out;
  for (const Linear& row : rows)
    for (std::size_t v = 0; v < width; ++v) {
      const std::int32_t f = row.factor[v];
      if (f > 0) ++out[v].positive, out[v].more_than_units_up |= f != 1;
      if (f < 0) ++out[v].negative, out[v].more_than_units_down |= f != -1;
    }
  return out;
}

}  // namespace

bool Linear::combine(std::int64_t a, const Linear& x, std::int64_t b, const Linear& y, Linear& out,
                     std::size_t width) {
  std::int64_t p, q;
  if (__builtin_mul_overflow(a, x.constant, &p) || __builtin_mul_overflow(b, y.constant, &q) ||
      __builtin_add_overflow(p, q, &out.constant))
    return false;
  bool fits = true;
  for (std::size_t v = 0; v < width; ++v) {
    const std::int64_t f = a * x.factor[v] + b * y.factor[v];
    fits &= f < max_factor && f > -max_factor;
    out.factor[v] = std::int32_t(f);
  }
  return fits;
}

void LinearSystem::require(const Linear& form, std::size_t width) {
  while (width > 0 && form.factor[width - 1] == 0) --width;
  add(form, width);
}

void LinearSystem::add(Linear form, std::size_t width) {
  width_ = std::max(width_, width);
  std::int64_t divisor = 0;
  for (std::size_t v = 0; v < width; ++v)
    if (const std::int32_t f = form.factor[v]; f != 0 && divisor != 1)
      divisor = std::gcd(divisor, std::int64_t(f));
  if (divisor == 0) {
    contradiction_ |= form.constant < 0;
    return;
  }
  if (divisor > 1) {
    for (std::int32_t& f : form.factor) f /= std::int32_t(divisor);
    form.constant = floor_quotient(form.constant, divisor);
  }
  for (Linear& row : rows_)
    if (std::equal(row.factor.begin(), row.factor.begin() + width_, form.factor.begin())) {
      row.constant = std::min(row.constant, form.constant);
      return;
    }
  if (rows_.empty()) rows_.reserve(usual_rows);
  rows_.push_back(form);
}

Truth LinearSystem::feasible() const {
  if (contradiction_) return Truth::No;
  const std::vector<Linear>* left = &rows_;
  LinearSystem next, last;
  bool exact = true;
  while (!left->empty()) {
    const auto occurrences = count(*left, width_);
    std::size_t best = Linear::max_variables;
    for (std::size_t v = 0; v < width_; ++v) {
      const Occurrences& o = occurrences[v];
      if (o.positive + o.negative == 0) continue;
      if (best == Linear::max_variables || o.exact() > occurrences[best].exact() ||
          (o.exact() == occurrences[best].exact() && o.growth() < occurrences[best].growth()))
        best = v;
    }
    exact &= occurrences[best].exact();
    next.rows_.clear();
    next.rows_.reserve(left->size());
    for (const Linear& row : *left)
      if (row.factor[best] == 0) next.rows_.push_back(row);
    for (const Linear& low : *left) {
      if (low.factor[best] <= 0) continue;
      for (const Linear& high : *left) {
        if (high.factor[best] >= 0) continue;
        const std::int64_t of_low = -std::int64_t(high.factor[best]), of_high = low.factor[best];
        Linear sum;
        if (!Linear::combine(of_low, low, of_high, high, sum, width_))
          return Truth::Unknown;
        next.add(sum, width_);
        if (next.contradiction_) return Truth::No;
        if (next.rows_.size() > max_rows) return Truth::Unknown;
      }
    }
    std::swap(next, last);
    left = &last.rows_;
  }
  return exact ? Truth::Yes : Truth::Unknown;
}

}  // namespace sdfg::detail
