#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sdfg {

/// A PEP 440 version as far as DaCe's own go: release numbers, then alpha, beta or candidate.
struct DaceVersion {
  std::int64_t release[3] = {0, 0, 0};
  int stage = 3;  ///< 0 alpha, 1 beta, 2 candidate, 3 final
  std::int64_t number = 0;
  friend auto operator<=>(const DaceVersion&, const DaceVersion&) = default;

  static constexpr DaceVersion alpha(std::int64_t number) { return {{2, 0, 0}, 0, number}; }
  static constexpr DaceVersion beta(std::int64_t number) { return {{2, 0, 0}, 1, number}; }
};

/// Nothing for a text that begins with no number.
std::optional<DaceVersion> parse_dace_version(std::string_view text);

}  // namespace sdfg
