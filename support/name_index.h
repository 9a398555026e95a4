#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/hash.h"

namespace sdfg {

/// Finds names in a list that somebody else keeps: from a name to its position there. A table of
/// open addressing with 8 bytes for each slot, so that a look-up in a large one costs two misses of
/// the cache, one here and one at the name. `name_at(position)` gives the name. Names are added
/// once; at most 2^32 - 2 of them. Never iterated: hashes decide nothing that can be seen.
class NameIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t(0);

  bool empty() const { return names_ == 0; }
  void clear() { *this = NameIndex(); }

  /// Makes room for as many names in all.
  void reserve(std::size_t names) {
    if (4 * names > 3 * slots_.size()) resize(names);
  }

  /// The position of the name, or `none`.
  template <class NameAt>
  std::uint32_t find(std::string_view name, NameAt name_at) const {
    const std::size_t slot = slot_of(name, name_at);
    return slot == slots_.size() ? none : slots_[slot].position;
  }
  /// The name must not be there yet.
  void add(std::string_view name, std::uint32_t position) {
    if (4 * (used_ + 1) > 3 * slots_.size()) resize(2 * (names_ + 1));
    put({hash_of(name), position});
    ++names_, ++used_;
  }
  template <class NameAt>
  void erase(std::string_view name, NameAt name_at) {
    const std::size_t slot = slot_of(name, name_at);
    if (slot == slots_.size()) return;
    slots_[slot].position = gone;
    --names_;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0, position = none;
  };
  static constexpr std::uint32_t gone = none - 1;  ///< there was one: look further

  static std::uint32_t hash_of(std::string_view name) {
    return std::uint32_t(Hasher().add(name).value());
  }
  template <class NameAt>
  std::size_t slot_of(std::string_view name, NameAt name_at) const {
    if (slots_.empty()) return 0;
    const std::uint32_t hash = hash_of(name);
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.position == none) return slots_.size();
      if (slot.hash == hash && slot.position != gone && name_at(slot.position) == name) return at;
    }
  }
  void put(Slot slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].position != none) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void resize(std::size_t names) {
    std::vector<Slot> old(std::max<std::size_t>(32, std::bit_ceil(names + names / 2)));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.position < gone) put(slot);
    used_ = names_;
  }
  std::size_t mask() const { return slots_.size() - 1; }

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t names_ = 0, used_ = 0;  ///< slots with a name; and those that had one
};

}  // namespace sdfg
