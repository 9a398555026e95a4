#pragma once

#include <cstdint>
#include <span>

namespace sdfg {

/// SplitMix64: the same numbers for the same seed on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// 0 … n - 1; n is not 0.
  std::size_t below(std::size_t n) { return std::size_t(next() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + std::int64_t(below(std::size_t(high - low + 1)));
  }
  bool chance(int percent) { return below(100) < std::size_t(percent); }
  template <class T>
  const T& pick(std::span<const T> choices) {
    return choices[below(choices.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace sdfg
