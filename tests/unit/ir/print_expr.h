#pragma once

#include <ostream>

#include "ir/subset.h"

// How GoogleTest shows expressions and subsets in failures.

namespace sdfg {

inline void PrintTo(const Expr& e, std::ostream* out) { *out << to_text(e); }
inline void PrintTo(const Range& r, std::ostream* out) { *out << to_text(r); }
inline void PrintTo(const Subset& s, std::ostream* out) { *out << '[' << to_text(s) << ']'; }
inline void PrintTo(Truth t, std::ostream* out) {
  *out << (t == Truth::Yes ? "Yes" : t == Truth::No ? "No" : "Unknown");
}

}  // namespace sdfg
