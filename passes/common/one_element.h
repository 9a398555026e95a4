#pragma once

#include <algorithm>

#include "ir/data.h"

namespace sdfg {

/// Does the container have one element, whatever its dimensions?
inline bool is_one_element(const Data& data) {
  return std::ranges::all_of(data.shape, [](const Expr& e) { return e == Expr(1); });
}

}  // namespace sdfg
