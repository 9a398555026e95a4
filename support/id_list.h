#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "support/assert.h"

namespace sdfg {

/// Ids in the order in which they were added. Up to four lie in the list itself. While they ascend,
/// as they do until edges are moved to other nodes, one is found in logarithmic time.
template <class Id>
class IdList {
 public:
  IdList() = default;
  IdList(const IdList& other) {
    reserve(other.own_.size);
    std::ranges::copy(other.ids(), data());
    own_.size = other.own_.size, own_.ascending = other.own_.ascending;
  }
  IdList(IdList&& other) noexcept { std::swap(own_, other.own_); }
  IdList& operator=(IdList other) noexcept {
    std::swap(own_, other.own_);
    return *this;
  }
  ~IdList() {
    if (!is_near()) delete[] own_.far;
  }

  std::span<const Id> ids() const { return {is_near() ? own_.near : own_.far, own_.size}; }
  bool empty() const { return own_.size == 0; }
  void push_back(Id id) {
    if (own_.size == own_.capacity) reserve(2 * own_.size);
    own_.ascending = own_.ascending && (empty() || data()[own_.size - 1] < id);
    data()[own_.size++] = id;
  }
  void erase(Id id) {
    Id* const end = data() + own_.size;
    Id* const at =
        own_.ascending ? std::lower_bound(data(), end, id) : std::find(data(), end, id);
    SDFG_ASSERT(at != end && *at == id) << "no edge with id " << id.value << " here";
    std::copy(at + 1, end, at);
    --own_.size;
  }

  friend bool operator==(const IdList& a, const IdList& b) {
    return std::ranges::equal(a.ids(), b.ids());
  }

 private:
  static constexpr std::uint32_t inside = 4;
  struct Own {
    Own() : near{} {}
    std::uint32_t size = 0;
    std::uint32_t capacity : 31 = inside;  ///< `inside`: the ids are `near`, else at `far`
    std::uint32_t ascending : 1 = true;
    union {
      Id near[inside];
      Id* far;
    };
  };

  bool is_near() const { return own_.capacity == inside; }
  Id* data() { return is_near() ? own_.near : own_.far; }
  void reserve(std::uint32_t capacity) {
    if (capacity <= own_.capacity) return;
    Id* const grown = new Id[capacity];
    std::ranges::copy(ids(), grown);
    if (!is_near()) delete[] own_.far;
    own_.far = grown;
    own_.capacity = capacity;
  }

  Own own_;
};

}  // namespace sdfg
