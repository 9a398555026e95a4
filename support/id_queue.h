#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sdfg {

/// A set of small numbers that gives back the smallest. Bits in words, a bit for each word that is
/// not 0 in the level above, and so on up to a single word: push and pop take as many steps as a
/// million has levels, four, and touch little memory.
class IdQueue {
 public:
  /// For numbers below `bound`.
  explicit IdQueue(std::size_t bound) { grow(bound); }

  /// From now on for numbers below `bound`, which is not smaller than before.
  void grow(std::size_t bound) {
    std::size_t level = 0;
    for (std::size_t words = (bound + 63) / 64; words > 1; words = (words + 63) / 64) {
      if (level == levels_.size()) {
        levels_.push_back({top_});
        top_ = top_ != 0;
      }
      levels_[level++].resize(words);
    }
  }

  bool empty() const { return top_ == 0; }
  void push(std::size_t id) {
    for (std::vector<std::uint64_t>& words : levels_) {
      std::uint64_t& word = words[id / 64];
      const bool known = word != 0;
      word |= std::uint64_t(1) << (id % 64);
      if (known) return;
      id /= 64;
    }
    top_ |= std::uint64_t(1) << id;
  }
  /// The smallest number, which is taken out. Not of an empty queue.
  std::size_t pop() {
    std::size_t id = std::size_t(std::countr_zero(top_));
    for (auto words = levels_.rbegin(); words != levels_.rend(); ++words)
      id = id * 64 + std::size_t(std::countr_zero((*words)[id]));
    std::size_t at = id;
    for (std::vector<std::uint64_t>& words : levels_) {
      std::uint64_t& word = words[at / 64];
      word &= word - 1;  // its lowest bit is the smallest number's
      if (word != 0) return id;
      at /= 64;
    }
    top_ &= top_ - 1;
    return id;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  ///< none for up to 64 numbers
  std::uint64_t top_ = 0;
};

}  // namespace sdfg
