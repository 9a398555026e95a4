#include "passes/maps/reduction_identity.h"

#include <cstdint>

namespace sdfg {
namespace {

/// The largest or smallest value of a type; nothing for types without an order.
std::optional<std::string> extreme(const Type& type, bool largest) {
  if (type.is_float()) return largest ? "inf" : "-inf";
  if (!type.is_integer() || !type.bytes()) return std::nullopt;
  const std::int64_t bits = 8 * *type.bytes();
  if (!type.is_signed_integer()) {
    if (!largest) return "0";
    if (bits == 64) return std::nullopt;  // is no literal of Python code's integers
    return std::to_string((std::int64_t(1) << bits) - 1);
  }
  if (bits == 64 && !largest) return std::nullopt;  // nor is this: 9223372036854775808 is too large
  if (bits == 64) return std::to_string(INT64_MAX);
  const std::int64_t limit = std::int64_t(1) << (bits - 1);
  return std::to_string(largest ? limit - 1 : -limit);
}

}  // namespace

std::optional<std::string> reduction_identity(const Code& wcr, const Type& type) {
  if (!type.is_scalar()) return std::nullopt;
  // A logical operation makes 1 of 5.
  const auto of_bool = [&](std::string_view value) {
    return type.base() == BaseType::Bool ? std::optional<std::string>(value) : std::nullopt;
  };
  switch (detect_reduction(wcr)) {
    case Reduction::Sum:
    case Reduction::BitOr:
    case Reduction::BitXor:
      return "0";
    case Reduction::LogicalOr:
    case Reduction::LogicalXor:
      return of_bool("0");
    case Reduction::Product:
      return "1";
    case Reduction::LogicalAnd:
      return of_bool("1");
    case Reduction::Min:
      return extreme(type, true);
    case Reduction::Max:
      return extreme(type, false);
    default:
      return std::nullopt;
  }
}

}  // namespace sdfg
