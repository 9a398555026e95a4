#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/assert.h"

namespace sdfg {

enum class Severity { Error, Warning, Note };

/// One message for the user about the input, the flags or the program: where, what was expected
/// and found, and the way out if there is one.
struct Diagnostic {
  std::string place;    ///< "state main / node 3 (map outer)"; empty when there is none
  std::string message;  ///< lower-case, no full stop
  std::string hint{};   ///< what to do about it; may be empty
  Severity severity = Severity::Error;

  /// "place: message; hint"
  std::string text() const;
  bool operator==(const Diagnostic&) const = default;
};
using Diagnostics = std::vector<Diagnostic>;

bool has_errors(const Diagnostics& all);

/// A value or the reason why there is none (C++20 has no std::expected yet).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Diagnostic& error() const {
    SDFG_ASSERT(state_.index() == 1);
    return *std::get_if<1>(&state_);
  }

 private:
  T& value() {
    SDFG_ASSERT(state_.index() == 0) << std::get_if<1>(&state_)->text();
    return *std::get_if<0>(&state_);
  }
  const T& value() const { return const_cast<Result*>(this)->value(); }
  std::variant<T, Diagnostic> state_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace sdfg

/// `SDFG_TRY(auto text, read_file(path));` returns the error to the caller, or names the value.
#define SDFG_TRY(declaration, expression) SDFG_TRY_2(declaration, expression, __COUNTER__)
#define SDFG_TRY_2(declaration, expression, n) SDFG_TRY_3(declaration, expression, n)
#define SDFG_TRY_3(declaration, expression, n)         \
  auto sdfg_try_##n = (expression);                    \
  if (!sdfg_try_##n) return sdfg_try_##n.error();      \
  declaration = *std::move(sdfg_try_##n)
