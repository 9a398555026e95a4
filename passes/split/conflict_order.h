#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// The container that an access node stands for: what a view shows, at the end of a chain of views.
std::string viewed_root(const Sdfg& sdfg, const State& state, NodeId node);

/// Keeps the order of conflicting accesses of one state through a rewrite that takes paths away
/// (an access node that everything went through becomes several).
///
/// Two accesses conflict when one of them writes and they may touch a common element. A correct
/// program orders them by a path; what the rewrite breaks, `restore` mends with empty memlets.
/// Made before the rewrite; accesses are known by their edges, which must survive it (or be cloned:
/// see `cloned`), while nodes may be replaced.
class ConflictOrder {
 public:
  /// In n log n, and the number of conflicts.
  ConflictOrder(const Sdfg& sdfg, const State& state, const Assumptions& assumptions);
  /// Set when the state uses references, or so many conflicting accesses that their order cannot be
  /// followed at bearable cost.
  const Refusal& refusal() const { return refusal_; }

  /// The edge's access is also done by another edge, on a part of its elements.
  void cloned(EdgeId edge, EdgeId clone) { clones_[edge].push_back(clone); }
  /// Adds the edges that are missing; returns their number.
  std::size_t restore(const Sdfg& sdfg, State& state, const Assumptions& assumptions) const;

 private:
  struct Pair {
    EdgeId before, after;
    bool before_writes, after_writes;
    bool comparable;  ///< both subsets are those of the same container, none of a view
  };
  std::vector<Pair> pairs_;  ///< conflicts that a path orders
  std::map<EdgeId, std::vector<EdgeId>> clones_;
  Refusal refusal_;
};

}  // namespace sdfg
