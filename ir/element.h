#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/property.h"

namespace sdfg {

/// Attributes we do not model, in file order: name and JSON text, written back unchanged.
using Extras = std::vector<std::pair<std::string, std::string>>;

/// Where in the user's program an element comes from. Lines and columns count from DaCe's base.
struct DebugInfo {
  std::optional<std::int64_t> start_line, start_column, end_line, end_column;
  std::string filename;

  static constexpr auto properties = property_list(
      property("start_line", &DebugInfo::start_line),
      property("start_column", &DebugInfo::start_column),
      property("end_line", &DebugInfo::end_line), property("end_column", &DebugInfo::end_column),
      property("filename", &DebugInfo::filename));
  bool operator==(const DebugInfo&) const = default;
};

/// Remembers the bytes an element was loaded from, so that an element that did not change can be
/// written back verbatim (profile `keep`). It is not part of the element's value: all Origins are
/// equal.
struct Origin {
  std::uint32_t begin = 0, end = 0;  ///< the slice of Sdfg::source; empty when there is none
  std::uint64_t hash = 0;            ///< of the element's value when it was loaded
  std::uint64_t source = 0;          ///< SourceText::tag of that file; 0 when made here
  bool operator==(const Origin&) const { return true; }
};

/// A file's uncompressed text, shared by every copy of the SDFG that was loaded from it.
struct SourceText {
  std::string text;
  std::uint64_t tag = 0;  ///< hash of the text; never 0
};

}  // namespace sdfg
