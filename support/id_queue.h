#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sdfg {

/// A set of small numbers that gives back the smallest. Bits in words, a bit for each word that is
/// not 0 in the level above, and so on: push and pop take as many steps as a million has levels,
/// four, and touch little memory.
class IdQueue {
 public:
  /// For numbers below `bound`.
  explicit IdQueue(std::size_t bound) {
    do levels_.emplace_back(bound = (bound + 63) / 64);
    while (bound > 1);
  }

  /// From now on for numbers below `bound`, which is not smaller than before.
  void grow(std::size_t bound) {
    const bool any = !empty();
    std::size_t level = 0;
    do {
      bound = (bound + 63) / 64;
      if (level == levels_.size()) levels_.push_back({std::uint64_t(any)});
      levels_[level++].resize(bound);
    } while (bound > 1);
  }

  bool empty() const { return levels_.back().empty() || levels_.back()[0] == 0; }
  void push(std::size_t id) {
    for (std::vector<std::uint64_t>& words : levels_) {
      std::uint64_t& word = words[id / 64];
      const bool known = word != 0;
      word |= std::uint64_t(1) << (id % 64);
      if (known) return;
      id /= 64;
    }
  }
  /// The smallest number, which is taken out. Not of an empty queue.
  std::size_t pop() {
    std::size_t id = 0;
    for (auto words = levels_.rbegin(); words != levels_.rend(); ++words)
      id = id * 64 + std::size_t(std::countr_zero((*words)[id]));
    std::size_t at = id;
    for (std::vector<std::uint64_t>& words : levels_) {
      std::uint64_t& word = words[at / 64];
      word &= word - 1;  // its lowest bit is the smallest number's
      if (word != 0) break;
      at /= 64;
    }
    return id;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace sdfg
