#pragma once

<<<<<<< HEAD
#include <map>
#include <string>
#include <utility>
=======
#include <string>
#include <string_view>
#include <unordered_map>
>>>>>>> 937ba9f (Dead dataflow: what computes values that nobody reads goes, in one walk backwards)

#include "ir/sdfg.h"

namespace sdfg {

<<<<<<< HEAD
<<<<<<< HEAD
/// Sdfg::fresh_name for a pass that asks often for names with the same beginning: it goes on where
/// it stopped, so that n names cost n look-ups.
class FreshNames {
 public:
  std::string operator()(const Sdfg& sdfg, const std::string& base) {
    std::size_t& next = next_[{&sdfg, base}];
    if (next == 0) {
      next = 1;
      if (std::string name = sdfg.fresh_name(base); name == base) return name;
    }
    for (;; ++next) {
      const std::string name = base + '_' + std::to_string(next - 1);
      if (sdfg.fresh_name(name) == name) return ++next, name;
    }
  }

 private:
  std::map<std::pair<const Sdfg*, std::string>, std::size_t> next_;  ///< looked up, never iterated
=======
/// Hands out names that nothing in an SDFG has: no container, symbol or constant, and no variable
/// that an interstate edge or a loop assigns. Remembers where the numbers of each base have come
/// to, so that many names with one base cost little.
=======
/// Hands out names that nothing in an SDFG has: no container, symbol or constant, no variable that
/// an interstate edge or a loop assigns, and no connector of a tasklet, which may not be called like
/// any of these. Remembers where the numbers of each base have come to, so that many names with one
/// base cost little.
>>>>>>> dbc2157 (Nested SDFGs with control flow become blocks of the parent; views and library nodes in the inliner)
class FreshNames {
 public:
  explicit FreshNames(const Sdfg& sdfg);

  bool taken(std::string_view name) const;
  /// Does a container, symbol or constant have the name, or a variable of the control flow?
  bool is_variable(std::string_view name) const;
  /// What comes into the SDFG from elsewhere takes its names, too.
  void add_connectors(const Node& node);
  /// `base`, or `base_0`, `base_1`, …; taken from then on.
  std::string take(std::string_view base);

 private:
  const Sdfg& sdfg_;
  SymbolSet assigned_, connectors_;
  // Looked up, never iterated.
  std::unordered_map<std::string, std::size_t> next_;
>>>>>>> 937ba9f (Dead dataflow: what computes values that nobody reads goes, in one walk backwards)
};

}  // namespace sdfg
