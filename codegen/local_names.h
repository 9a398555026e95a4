#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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
/// The words of a text that outlives them, each once, in the order of their first places.
class Words {
 public:
  void insert(std::string_view word, std::size_t hash) {
    if (2 * words_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[find(word, hash)];
    if (slot != 0) return;
    words_.push_back(word);
    slot = std::uint32_t(words_.size());
  }
  bool contains(std::string_view word) const {
    return !slots_.empty() && slots_[find(word, TextHash()(word))] != 0;
  }
  auto begin() const { return words_.begin(); }
  auto end() const { return words_.end(); }

 private:
  /// Where the word is, or would be.
  std::size_t find(std::string_view word, std::size_t hash) const {
    for (std::size_t at = hash >> 32;; ++at) {
      const std::uint32_t number = slots_[at & (slots_.size() - 1)];
      if (number == 0 || words_[number - 1] == word) return at & (slots_.size() - 1);
    }
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < words_.size(); ++i)
      slots_[find(words_[i], TextHash()(words_[i]))] = std::uint32_t(i + 1);
  }

  std::vector<std::string_view> words_;
  std::vector<std::uint32_t> slots_;  ///< a power of 2 of them: numbers of words, from 1
};

/// Identifiers that a function uses already, and the way back to those it used before.
class LocalNames {
 public:
  /// False when the name is taken.
  bool insert(const std::string& name) {
    if (!taken_.insert(name).second) return false;
    log_.push_back({name, 0});
    return true;
  }
  /// The first that is free of base, base_2, base_3 and so on.
  std::string fresh(const std::string& base) {
    if (insert(base)) return base;
    int& next = next_.try_emplace(base, 2).first->second;
    log_.push_back({base, next});
    std::string name;
    do name = base + "_" + std::to_string(next++);
    while (!insert(name));
    return name;
  }

  std::size_t mark() const { return log_.size(); }
  void back_to(std::size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) {
      const auto& [name, next] = log_.back();
      if (next)
        next_[name] = next;
      else
        taken_.erase(name);
    }
  }

 private:
  // Look-ups only.
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  ///< all below it are taken, by base
  struct Change {
    std::string name;
    int next;  ///< what next_ had for the name; 0: the name was taken
  };
  std::vector<Change> log_;
};

/// Gives back, at its end, the names taken since its beginning.
class NameScope {
 public:
  explicit NameScope(LocalNames& names) : names_(names), mark_(names.mark()) {}
  NameScope(const NameScope&) = delete;
  ~NameScope() { names_.back_to(mark_); }

 private:
  LocalNames& names_;
  std::size_t mark_;
};

}  // namespace sdfg
