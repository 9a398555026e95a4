#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace sdfg {

/// std::optional for a value that is hardly ever there: it takes the room of a pointer, and the
/// value, if any, lies on the heap. Copies, compares and reads like std::optional.
template <class T>
class RareOptional {
 public:
  using value_type = T;

  RareOptional() = default;
  RareOptional(std::nullopt_t) {}
  RareOptional(T value) : value_(std::make_unique<T>(std::move(value))) {}
  RareOptional(std::optional<T> value) {
    if (value) value_ = std::make_unique<T>(*std::move(value));
  }
  RareOptional(const RareOptional& other) : value_(copy(other.value_)) {}
  RareOptional(RareOptional&&) noexcept = default;
  RareOptional& operator=(const RareOptional& other) {
    if (this != &other) value_ = copy(other.value_);
    return *this;
  }
  RareOptional& operator=(RareOptional&&) noexcept = default;
  ~RareOptional() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  void reset() { value_.reset(); }

  friend bool operator==(const RareOptional& a, const RareOptional& b) {
    return a.value_ && b.value_ ? *a == *b : !a.value_ && !b.value_;
  }

 private:
  static std::unique_ptr<T> copy(const std::unique_ptr<T>& value) {
    return value ? std::make_unique<T>(*value) : nullptr;
  }
  std::unique_ptr<T> value_;
};

template <class O>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional<RareOptional<T>> = true;
/// What may hold a value or none.
template <class O>
concept Optional = is_optional<O>;

template <class T>
struct Nothing {
  T operator()() const { return {}; }
};

/// A value that is nearly always Default()(): it takes a pointer's room then. Reads like a const T
/// behind a pointer, is changed by assignment.
template <class T, class Default = Nothing<T>>
class Rare {
 public:
  using value_type = T;

  Rare() = default;
  Rare(T value) {
    if (!(value == fallback())) own_ = std::move(value);
  }

  const T& operator*() const { return own_ ? *own_ : fallback(); }
  const T* operator->() const { return &**this; }
  bool operator==(const Rare&) const = default;

 private:
  static const T& fallback() {
    static const T value = Default()();
    return value;
  }
  RareOptional<T> own_;  ///< none: the fallback
};

}  // namespace sdfg
