#pragma once

#include <span>
#include <string_view>

namespace sdfg {

/// A header of codegen/runtime/, embedded when the library was built.
struct RuntimeHeader {
  std::string_view name, text;
};
std::span<const RuntimeHeader> runtime_headers();

}  // namespace sdfg
