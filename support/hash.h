#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sdfg {

/// A 64-bit hash that depends on the bytes alone: the same on every run and machine (little
/// endian). Not cryptographic.
class Hasher {
 public:
  Hasher& add(std::uint64_t value) {
    state_ = mix(state_ ^ value, 0x9e3779b97f4a7c15ull);
    return *this;
  }
  Hasher& add(std::string_view bytes) {
    add(std::uint64_t(bytes.size()));
    while (bytes.size() >= 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), 8);
      add(word);
      bytes.remove_prefix(8);
    }
    if (!bytes.empty()) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), bytes.size());
      add(word);
    }
    return *this;
  }
  std::uint64_t value() const { return mix(state_, 0xd6e8feb86659fd93ull); }

 private:
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a ^ 0xa0761d6478bd642full) * b;
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
  }
  std::uint64_t state_ = 0x8ebc6af09c88c6e3ull;
};

}  // namespace sdfg
