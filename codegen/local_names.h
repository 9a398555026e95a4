#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sdfg {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
/// Words of a text. They have no order: iterate only to fill something that has.
using Words = std::unordered_set<std::string, TextHash, std::equal_to<>>;

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

}  // namespace sdfg
