#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
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
  AssertMessage(const char* condition, const char* file, int line) {
    text_ << file << ":" << line << ": expected " << condition;
  }
  AssertMessage(const AssertMessage&) = delete;
  AssertMessage& operator=(const AssertMessage&) = delete;
  [[noreturn]] ~AssertMessage() noexcept(false) { throw InternalError(text_.str()); }
  template <class T>
  AssertMessage& operator<<(const T& value) {
    if (!std::exchange(separated_, true)) text_ << ": ";
    text_ << value;
    return *this;
  }

 private:
  std::ostringstream text_;
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
