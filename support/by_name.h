#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sdfg {

/// The order of std::string, by unsigned bytes. Names are short and often begin alike, so they are
/// compared by words in place: with memcmp, comparing names was a tenth of an optimizer's run.
struct NameLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    const std::size_t common = std::min(a.size(), b.size());
    const auto differ = [&]<class Word>(std::size_t at, Word& x, Word& y) {
      std::memcpy(&x, a.data() + at, sizeof x);
      std::memcpy(&y, b.data() + at, sizeof y);
      return x != y;
    };
    std::uint64_t x, y;
    for (std::size_t at = 0; at + 8 <= common; at += 8)
      if (differ(at, x, y)) return first_byte_highest(x) < first_byte_highest(y);
    // The rest is in a word that reaches back to what was equal.
    if (common >= 8) {
      if (differ(common - 8, x, y)) return first_byte_highest(x) < first_byte_highest(y);
    } else if (common >= 4) {
      std::uint32_t u, v;
      if (differ(0, u, v) || differ(common - 4, u, v))
        return first_byte_highest(u) < first_byte_highest(v);
    } else {
      unsigned char c, d;
      for (std::size_t at = 0; at < common; ++at)
        if (differ(at, c, d)) return c < d;
    }
    return a.size() < b.size();
  }

 private:
  static std::uint64_t first_byte_highest(std::uint64_t word) {
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
  }
  static std::uint32_t first_byte_highest(std::uint32_t word) {
    return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
  }
};

/// Maps and sets of names, in the order of std::string; look-ups take string views.
template <class T>
using ByName = std::map<std::string, T, NameLess>;
using NameSet = std::set<std::string, NameLess>;

}  // namespace sdfg
