#pragma once

#include <map>
#include <string>
#include <utility>

#include "ir/names.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Sdfg::fresh_name for a pass that asks often for names with the same beginning: it goes on where
/// it stopped, so that n names cost n look-ups.
class FreshNames {
 public:
  std::string operator()(const Sdfg& sdfg, std::string_view wanted) {
    const std::string base = new_name(wanted);
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
};

}  // namespace sdfg
