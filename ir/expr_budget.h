#pragma once

#include <cstddef>

#include "ir/subset.h"

// Answers take time that grows exponentially with how deeply minima and maxima are nested, which is
// what comes of cutting again what has been cut. So questions have a budget, and passes that make
// such borders have a lower one.

namespace sdfg {

/// Symbols and literals in an expression, each as often as it stands there; of more than `most`,
/// some number above it.
std::size_t count_terms(const Expr& e, std::size_t most);
/// Have all borders of the box at most so many?
bool has_at_most(std::size_t most, const Subset& box);

/// Questions about an expression (or a border) with more terms are not asked: the answer is
/// Unknown.
inline constexpr std::size_t most_terms_asked = 128;
inline bool may_be_asked(const Expr& e) {
  return count_terms(e, most_terms_asked) <= most_terms_asked;
}
/// Makes the box hold all of `more`, too (bounding_box). False when a border would have more terms
/// than that: nothing could be said of it, and what holds many boxes would take ever longer.
[[nodiscard]] bool extend(Subset& box, const Subset& more, const Assumptions& assumptions);
/// Passes leave alone what would become a border with more.
inline constexpr std::size_t most_terms_cut = 16;

}  // namespace sdfg
