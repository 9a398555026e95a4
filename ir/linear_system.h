#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/expr.h"

// Internal to ir/: linear inequalities over integers.

namespace sdfg::detail {

/// constant + the sum of factor[v] * variable v.
struct Linear {
  static constexpr std::size_t max_variables = 24;
  /// Factors stay below, so that products of two fit into 64 bits.
  static constexpr std::int64_t max_factor = std::int64_t(1) << 30;

  std::int64_t constant = 0;
  std::array<std::int32_t, max_variables> factor{};

  bool is_constant() const { return factor == std::array<std::int32_t, max_variables>{}; }
  /// a * x + b * y of forms without variables from `width` on; false where a part grows too large.
  static bool combine(std::int64_t a, const Linear& x, std::int64_t b, const Linear& y, Linear& out,
                      std::size_t width = max_variables);
};

/// A set of inequalities `form >= 0`. Feasibility is decided by eliminating one variable after the
/// other (Fourier and Motzkin), which on integers loses nothing as long as one of each two factors
/// is 1 or -1, as between bounds of ranges.
class LinearSystem {
 public:
  /// form >= 0; it has no variables from `width` on.
  void require(const Linear& form, std::size_t width = Linear::max_variables);
  /// Do some integers satisfy all of them? Unknown when the elimination is not exact, or grows.
  Truth feasible() const;

 private:
  /// The same for a form without variables from `width` on.
  void add(Linear form, std::size_t width);

  std::vector<Linear> rows_;  ///< no two with the same factors
  std::size_t width_ = 0;     ///< variables from here on do not occur
  bool contradiction_ = false;
};

}  // namespace sdfg::detail
