#pragma once

#include <string_view>

namespace sdfg {

/// What the name of a new container begins with: `base`, but DaCe takes every container called
/// `__return…` for a result.
inline std::string_view no_result(std::string_view base) {
  return base.starts_with("__return") ? base.substr(1) : base;
}

}  // namespace sdfg
