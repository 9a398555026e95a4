#include "support/assert.h"

namespace sdfg::detail {

AssertMessage::AssertMessage(const char* condition, const char* file, int line) {
  text_ = std::string(file) + ":" + std::to_string(line) + ": expected " + condition;
}

AssertMessage::~AssertMessage() noexcept(false) { throw InternalError(text_); }

AssertMessage& AssertMessage::operator<<(std::string_view text) {
  if (!std::exchange(separated_, true)) text_ += ": ";
  text_ += text;
  return *this;
}

AssertMessage& AssertMessage::operator<<(std::int64_t number) {
  return *this << std::to_string(number);
}

}  // namespace sdfg::detail
