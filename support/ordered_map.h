#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/assert.h"
#include "support/name_index.h"

namespace sdfg {

/// A map from names to values that iterates in insertion order. Names and values stay where they
/// are until they are erased. Small maps are searched in line; from 8 entries on, a hash index
/// answers look-ups (it is never iterated). Every operation takes the same time on average, of any
/// size: an erased entry leaves a gap, and gaps are closed when they are half of all.
template <class V>
class OrderedMap {
 public:
  using value_type = std::pair<std::string, V>;

 private:
  using Slots = std::vector<std::unique_ptr<value_type>>;  // none: a gap

  /// T: value_type or const value_type.
  template <class T>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = OrderedMap::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    Iterator() = default;
    Iterator(const Slots& slots, std::size_t at) : slots_(&slots), at_(at) { skip_gaps(); }
    operator Iterator<const T>() const {
      return slots_ ? Iterator<const T>(*slots_, at_) : Iterator<const T>();
    }

    T& operator*() const { return *(*slots_)[at_]; }
    T* operator->() const { return (*slots_)[at_].get(); }
    Iterator& operator++() {
      ++at_;
      skip_gaps();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void skip_gaps() {
      while (at_ < slots_->size() && !(*slots_)[at_]) ++at_;
    }
    const Slots* slots_ = nullptr;
    std::size_t at_ = 0;
  };

 public:
  using iterator = Iterator<value_type>;
  using const_iterator = Iterator<const value_type>;

  OrderedMap() = default;
  OrderedMap(std::initializer_list<value_type> entries) {
    for (const value_type& e : entries) set(e.first, e.second);
  }

  OrderedMap(const OrderedMap& other) {
    slots_.reserve(other.size());
    for (const value_type& e : other) append(e.first, e.second);
  }
  OrderedMap(OrderedMap&& other) noexcept { swap(other); }
  OrderedMap& operator=(OrderedMap other) noexcept {
    swap(other);
    return *this;
  }
  ~OrderedMap() = default;

  iterator begin() { return {slots_, 0}; }
  iterator end() { return {slots_, slots_.size()}; }
  const_iterator begin() const { return {slots_, 0}; }
  const_iterator end() const { return {slots_, slots_.size()}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { *this = OrderedMap(); }

  iterator find(std::string_view name) { return {slots_, position(name)}; }
  const_iterator find(std::string_view name) const { return {slots_, position(name)}; }
  bool contains(std::string_view name) const { return position(name) != slots_.size(); }
  V* get(std::string_view name) {
    const std::size_t at = position(name);
    return at == slots_.size() ? nullptr : &slots_[at]->second;
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
    return append(std::move(name), std::move(value));
  }
  V& operator[](std::string_view name) {
    if (V* found = get(name)) return *found;
    return append(std::string(name), V{});
  }
  bool erase(std::string_view name) {
    const std::size_t at = position(name);
    if (at == slots_.size()) return false;
    make_gap(at);
    close_gaps();
    return true;
  }
  /// Gives an entry another name, at the same place. The new name must be free.
  void rename(std::string_view from, std::string to) {
    SDFG_ASSERT(!contains(to)) << to;
    const std::size_t at = position(from);
    SDFG_ASSERT(at != slots_.size()) << std::string(from);
    const bool indexed = !index_.empty();
    index_.erase(from, name_at());
    slots_[at]->first = std::move(to);
    if (indexed) index_.add(slots_[at]->first, std::uint32_t(at));
  }
  template <class Predicate>
  std::size_t erase_if(Predicate predicate) {
    const std::size_t before = size_;
    for (std::size_t at = 0; at < slots_.size(); ++at)
      if (slots_[at] && predicate(*slots_[at])) make_gap(at);
    close_gaps();
    return before - size_;
  }

  bool operator==(const OrderedMap& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }

 private:
  static constexpr std::size_t index_from = 8;

  auto name_at() const {
    return [this](std::uint32_t at) -> std::string_view { return slots_[at]->first; };
  }
  std::size_t position(std::string_view name) const {
    if (!index_.empty()) {
      const std::uint32_t found = index_.find(name, name_at());
      return found == NameIndex::none ? slots_.size() : found;
    }
    std::size_t at = 0;
    while (at < slots_.size() && !(slots_[at] && slots_[at]->first == name)) ++at;
    return at;
  }
  V& append(std::string name, V value) {
    slots_.push_back(std::make_unique<value_type>(std::move(name), std::move(value)));
    ++size_;
    if (!index_.empty())
      index_.add(slots_.back()->first, std::uint32_t(slots_.size() - 1));
    else if (slots_.size() >= index_from)
      make_index();
    return slots_.back()->second;
  }
  void make_gap(std::size_t at) {
    index_.erase(slots_[at]->first, name_at());
    slots_[at].reset();
    --size_;
  }
  /// After an erase; when it is worth the time that was saved.
  void close_gaps() {
    if (2 * size_ > slots_.size()) return;
    std::erase(slots_, nullptr);
    make_index();
  }
  void make_index() {
    index_.clear();
    if (slots_.size() < index_from) return;
    for (std::size_t at = 0; at < slots_.size(); ++at)
      if (slots_[at]) index_.add(slots_[at]->first, std::uint32_t(at));
  }
  void swap(OrderedMap& other) noexcept {
    slots_.swap(other.slots_);
    std::swap(index_, other.index_);
    std::swap(size_, other.size_);
  }

  Slots slots_;
  std::size_t size_ = 0;  ///< without gaps
  /// Position by name; empty while there are few entries.
  NameIndex index_;
};

}  // namespace sdfg
