#pragma once

#include <unordered_map>

#include "ir/sdfg.h"

namespace sdfg {

/// Does running a node do more than its memlets say: does it call back, or say so itself? Of nested
/// SDFGs that are not loaded and library nodes of unknown meaning the answer is yes. Each nested
/// SDFG is looked through once.
class SideEffects {
 public:
  bool of(const Sdfg& sdfg, const Node& node);

 private:
  bool inside(const Sdfg& sdfg);
  std::unordered_map<const Sdfg*, bool> known_;  ///< looked up, never iterated
};

}  // namespace sdfg
