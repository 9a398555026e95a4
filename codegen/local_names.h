#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sdfg {

/// For names, which are short; letter by letter, so that what reads a text can have it on the way.
struct TextHash {
  using is_transparent = void;
  static std::size_t add(std::size_t hash, char c) {
    return (hash ^ static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15u;
  }
  std::size_t operator()(std::string_view text) const {
    std::size_t hash = 0;
    for (char c : text) hash = add(hash, c);
    return hash;
  }
};
/// Calls visit(word, its hash) for the identifiers in C++ text, outside of nothing: comments count.
/// Ends when it returns false.
void for_each_identifier(std::string_view text, const auto& visit) {
  // What words are made of, and what they begin with: numbers are none.
  enum : std::uint8_t { None, Digit, Letter };
  static constexpr auto kinds = [] {
    std::array<std::uint8_t, 256> of{};
    for (char c = '0'; c <= '9'; ++c) of[std::size_t(c)] = Digit;
    for (char c = 'a'; c <= 'z'; ++c) of[std::size_t(c)] = of[std::size_t(c ^ 0x20)] = Letter;
    of['_'] = Letter;
    return of;
  }();
  const auto kind = [](char c) { return kinds[static_cast<unsigned char>(c)]; };
  const char *at = text.data(), *const end = at + text.size();
  while (at != end) {
    const std::uint8_t first = kind(*at);
    if (first == None) {
      ++at;
      continue;
    }
    const char* const begin = at;
    std::size_t hash = 0;
    do hash = TextHash::add(hash, *at++);
    while (at != end && kind(*at) != None);
    if (first == Letter && !visit(std::string_view(begin, at), hash)) return;
  }
}

/// Words that outlive this, each once, in the order of their first places.
class Words {
 public:
  Words() = default;
  /// Those of a text.
  explicit Words(std::string_view text) {
    for_each_identifier(text, [&](std::string_view word, std::size_t hash) {
      insert(word, hash);
      return true;
    });
  }
  void insert(std::string_view word) { insert(word, TextHash()(word)); }
  /// Is it new? The hash is that of the word.
  bool insert(std::string_view word, std::size_t hash) {
    if (2 * words_.size() >= slots_.size()) grow();
    std::uint32_t& number = slots_[slot(word, hash)];
    if (number != 0) return false;
    words_.push_back(word);
    number = std::uint32_t(words_.size());
    return true;
  }
  bool contains(std::string_view word) const { return find(word, TextHash()(word)) != 0; }
  /// Its number, from 1; 0: it is none of them.
  std::size_t find(std::string_view word, std::size_t hash) const {
    return slots_.empty() ? 0 : slots_[slot(word, hash)];
  }
  std::size_t size() const { return words_.size(); }
  auto begin() const { return words_.begin(); }
  auto end() const { return words_.end(); }

 private:
  /// Where the word is, or would be.
  std::size_t slot(std::string_view word, std::size_t hash) const {
    for (std::size_t at = hash >> 32;; ++at) {
      const std::uint32_t number = slots_[at & (slots_.size() - 1)];
      if (number == 0 || words_[number - 1] == word) return at & (slots_.size() - 1);
    }
  }
  void grow() {
    slots_.assign(slots_.empty() ? 128 : 4 * slots_.size(), 0);
    words_.reserve(slots_.size() / 2);
    for (std::size_t i = 0; i < words_.size(); ++i)
      slots_[slot(words_[i], TextHash()(words_[i]))] = std::uint32_t(i + 1);
  }

  std::vector<std::string_view> words_;
  std::vector<std::uint32_t> slots_;  ///< a power of 2 of them: numbers of words, from 1
};

/// What words stand for, for who reads a text.
template <class T>
class ByWord {
 public:
  bool empty() const { return values_.empty(); }
  void add(std::string word, T value) {
    const std::size_t hash = TextHash()(word);
    std::size_t number = words_.find(word, hash);
    if (number == 0) {
      words_.insert(spelled_.emplace_back(std::move(word)), hash);
      number = words_.size();
      values_.emplace_back();
    }
    values_[number - 1].push_back(std::move(value));
  }
  /// The hash is that of the word.
  std::span<const T> of(std::string_view word, std::size_t hash) const {
    const std::size_t number = words_.find(word, hash);
    return number ? std::span<const T>(values_[number - 1]) : std::span<const T>();
  }

 private:
  std::deque<std::string> spelled_;
  Words words_;
  std::vector<std::vector<T>> values_;  ///< by number
};

/// Which of some words a text has. It is read to where all have been found.
class Occurring {
 public:
  Occurring(std::string_view text, Words words)
      : words_(std::move(words)), found_(words_.size() + 1) {
    std::size_t missing = words_.size();
    for_each_identifier(text, [&](std::string_view word, std::size_t hash) {
      const std::size_t number = words_.find(word, hash);
      if (number && !found_[number]) found_[number] = true, --missing;
      return missing > 0;
    });
  }
  bool contains(std::string_view word) const {
    return found_[words_.find(word, TextHash()(word))];
  }

 private:
  Words words_;
  std::vector<bool> found_;  ///< by number
};

/// Identifiers that are used already, and the way back to those that were used before.
class LocalNames {
 public:
  /// False when the name is taken.
  bool insert(std::string_view name) {
    Name& entry = entry_of(name);
    if (entry.taken) return false;
    change(entry).taken = true;
    return true;
  }
  bool contains(std::string_view name) const {
    const auto found = names_.find(name);
    return found != names_.end() && found->second.taken;
  }
  /// The first that is free of base, base_2, base_3 and so on.
  std::string fresh(const std::string& base) {
    Name& entry = entry_of(base);
    if (!entry.taken) {
      change(entry).taken = true;
      return base;
    }
    int& next = change(entry).next;
    for (;;) {
      const auto found = names_.try_emplace(base + "_" + std::to_string(next++)).first;
      if (found->second.taken) continue;
      change(found->second).taken = true;
      return found->first;
    }
  }

  std::size_t mark() const { return log_.size(); }
  void back_to(std::size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) *log_.back().entry = log_.back().before;
  }

 private:
  struct Name {
    bool taken = false;
    int next = 2;  ///< all below it are taken with this name as the base
  };
  Name& entry_of(std::string_view name) {
    const auto found = names_.find(name);
    return found != names_.end() ? found->second : names_[std::string(name)];
  }
  Name& change(Name& entry) {
    log_.push_back({&entry, entry});
    return entry;
  }

  // Looked up only. What is no longer taken stays: the next kernel takes it again.
  std::unordered_map<std::string, Name, TextHash, std::equal_to<>> names_;
  struct Change {
    Name* entry;
    Name before;
  };
  std::vector<Change> log_;
};

/// Gives back, at its end, the names taken since its beginning; in code for the host only. In a
/// kernel, rows that are declared farther out may be among them.
class NameScope {
 public:
  NameScope(LocalNames& names, bool on_device)
      : names_(names), mark_(names.mark()), gives_back_(!on_device) {}
  NameScope(const NameScope&) = delete;
  ~NameScope() {
    if (gives_back_) names_.back_to(mark_);
  }

 private:
  LocalNames& names_;
  std::size_t mark_;
  bool gives_back_;
};

}  // namespace sdfg
