#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sdfg {

/// What the name of a new container begins with: `base`, but DaCe takes every container called
/// `__return…` for a result, and a dot leads to the member of a structure.
inline std::string new_name(std::string_view base) {
  std::string name(base.starts_with("__return") ? base.substr(1) : base);
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace sdfg
