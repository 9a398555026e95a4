#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/assert.h"

namespace sdfg {

/// A map from names to values that iterates in insertion order. Small maps are searched in line;
/// from 16 entries on, a hash index answers look-ups (it is never iterated). Erasing is linear.
/// Values may move when an entry is added or erased.
template <class V>
class OrderedMap {
 public:
  using value_type = std::pair<std::string, V>;
  using iterator = typename std::vector<value_type>::iterator;
  using const_iterator = typename std::vector<value_type>::const_iterator;

  OrderedMap() = default;
  OrderedMap(std::initializer_list<value_type> entries) {
    for (const value_type& e : entries) set(e.first, e.second);
  }

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(), index_.clear(); }

  iterator find(std::string_view name) { return entries_.begin() + std::ptrdiff_t(position(name)); }
  const_iterator find(std::string_view name) const {
    return entries_.begin() + std::ptrdiff_t(position(name));
  }
  bool contains(std::string_view name) const { return position(name) != entries_.size(); }
  V* get(std::string_view name) {
    const std::size_t at = position(name);
    return at == entries_.size() ? nullptr : &entries_[at].second;
  }
  const V* get(std::string_view name) const { return const_cast<OrderedMap*>(this)->get(name); }
  V& at(std::string_view name) {
    V* found = get(name);
    SDFG_ASSERT(found != nullptr) << "no entry '" << std::string(name) << "'";
    return *found;
  }
  const V& at(std::string_view name) const { return const_cast<OrderedMap*>(this)->at(name); }

  /// Adds an entry at the end; false (and no change) when the name is taken.
  bool insert(std::string name, V value) {
    if (contains(name)) return false;
    append(std::move(name), std::move(value));
    return true;
  }
  /// Adds an entry at the end, or replaces the value of the existing one in place.
  V& set(std::string name, V value) {
    if (V* found = get(name)) return *found = std::move(value);
    append(std::move(name), std::move(value));
    return entries_.back().second;
  }
  V& operator[](std::string_view name) {
    if (V* found = get(name)) return *found;
    append(std::string(name), V{});
    return entries_.back().second;
  }
  bool erase(std::string_view name) {
    const std::size_t at = position(name);
    if (at == entries_.size()) return false;
    entries_.erase(entries_.begin() + std::ptrdiff_t(at));
    reindex();
    return true;
  }
  /// Gives an entry another name, at the same place. The new name must be free.
  void rename(std::string_view from, std::string to) {
    SDFG_ASSERT(!contains(to)) << to;
    const std::size_t at = position(from);
    SDFG_ASSERT(at != entries_.size()) << std::string(from);
    entries_[at].first = std::move(to);
    reindex();
  }
  template <class Predicate>
  std::size_t erase_if(Predicate predicate) {
    const std::size_t erased = std::erase_if(entries_, predicate);
    if (erased) reindex();
    return erased;
  }

  bool operator==(const OrderedMap& other) const { return entries_ == other.entries_; }

 private:
  static constexpr std::size_t index_from = 16;

  std::size_t position(std::string_view name) const {
    if (index_.empty()) {
      std::size_t at = 0;
      while (at < entries_.size() && entries_[at].first != name) ++at;
      return at;
    }
    const auto [begin, end] = index_.equal_range(std::hash<std::string_view>{}(name));
    for (auto it = begin; it != end; ++it)
      if (entries_[it->second].first == name) return it->second;
    return entries_.size();
  }
  void append(std::string name, V value) {
    entries_.emplace_back(std::move(name), std::move(value));
    if (!index_.empty())
      add_to_index(entries_.size() - 1);
    else if (entries_.size() >= index_from)
      reindex();
  }
  void add_to_index(std::size_t at) {
    index_.emplace(std::hash<std::string_view>{}(entries_[at].first), std::uint32_t(at));
  }
  void reindex() {
    index_.clear();
    if (entries_.size() < index_from) return;
    for (std::size_t at = 0; at < entries_.size(); ++at) add_to_index(at);
  }

  std::vector<value_type> entries_;
  // Keyed by hash instead of by a view into entries_, whose strings move.
  std::unordered_multimap<std::size_t, std::uint32_t> index_;
};

}  // namespace sdfg
