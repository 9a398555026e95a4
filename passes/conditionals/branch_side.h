#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "passes/common/gpu_memory.h"
#include "passes/conditionals/guarded_map.h"

namespace sdfg {

/// A branch of one state, as maps that could be guarded and what stands beside them.
struct BranchSide {
  struct Write {
    std::string container;
    std::optional<Subset> subset;
  };
  std::size_t branch;
  std::string label;
  State* state;
  std::vector<GuardedMap> maps{};
  std::vector<EdgeId> copies{};
  /// Nodes outside of scopes: the first of those that each is connected to by data or order. A node
  /// that is only read connects nothing and is left out, and so is one that only maps write.
  std::map<NodeId, NodeId> part_of{};
  std::map<NodeId, std::vector<Write>> writes{};  ///< by part
};

/// Finds out what single states hold.
class SideReader {
 public:
  SideReader(Sdfg& sdfg, const Accesses& accesses, ReadableNames& readable,
             SideEffects& effects, const GpuMemory& gpu)
      : sdfg_(sdfg), accesses_(accesses), readable_(readable), effects_(effects), gpu_(gpu) {}

  /// `side` tells the branch and the state. The refusal says what cannot move into maps.
  Refusal read(BranchSide& side) const;
  /// Does this state alone use the transient?
  bool is_private(const State& state, const std::string& container) const;

  /// Moves all parts but these to an empty state; they have nothing to do with one another.
  bool keep_rest(BranchSide& side, const std::set<NodeId>& parts, State& rest) const;
  /// Moves code beside the maps, and the scalars that it writes, to another state that runs before.
  void hoist_code(State& from, State& to) const;

 private:
  Refusal check_access(BranchSide& side, NodeId node) const;
  Refusal check_code(const State& state, NodeId tasklet) const;
  bool is_computed(const State& state, NodeId node) const;
  bool never_fails(const State& state, NodeId tasklet) const;

  Sdfg& sdfg_;
  const Accesses& accesses_;
  ReadableNames& readable_;
  SideEffects& effects_;
  const GpuMemory& gpu_;
};

}  // namespace sdfg
