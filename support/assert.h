#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sdfg {

/// Thrown when the library itself is wrong (never for bad input). Tools catch it at the top,
/// write a reproducer and exit with status 3.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

namespace detail {
class AssertMessage {
 public:
  AssertMessage(const char* condition, const char* file, int line);
  AssertMessage(const AssertMessage&) = delete;
  AssertMessage& operator=(const AssertMessage&) = delete;
  [[noreturn]] ~AssertMessage() noexcept(false);
  AssertMessage& operator<<(std::string_view text);
  AssertMessage& operator<<(std::int64_t number);
  AssertMessage& operator<<(std::integral auto number) { return *this << std::int64_t(number); }

 private:
  std::string text_;
  bool separated_ = false;
};
}  // namespace detail
}  // namespace sdfg

/// On in all builds. `SDFG_ASSERT(entry) << "node " << id;`
#define SDFG_ASSERT(condition) \
  if (condition) {             \
  } else                       \
    ::sdfg::detail::AssertMessage(#condition, __FILE__, __LINE__)

#define SDFG_UNREACHABLE() ::sdfg::detail::AssertMessage("never to get here", __FILE__, __LINE__)
