#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Tells whether a name can have been defined before a point of the control flow is reached for the
/// first time. "No" is certain: no path to the point passes a definition. "Yes" means that some
/// path may.
///
/// Regions are numbered; the SDFG itself is region 0, and child() finds those inside.
class SymbolFlow {
 public:
  /// Knows the assignments of interstate edges and loops. Keeps a reference to the SDFG.
  explicit SymbolFlow(const Sdfg& sdfg);

  using RegionIndex = std::size_t;
  /// The region inside a block; of a conditional, that of its branch.
  RegionIndex child(RegionIndex region, BlockId block, std::size_t branch = 0) const;

  /// Where a name is used: on entering a block (or in the state that it is), when leaving it, or on
  /// the edge behind it.
  struct Point {
    RegionIndex region = 0;
    BlockId block;
    bool leaving = false;
    InterstateEdgeId edge{};
  };
  /// Adds a definition that happens somewhere in the block.
  void define(std::string_view name, RegionIndex region, BlockId block);
  bool may_be_defined(std::string_view name, const Point& use) const;

 private:
  struct Definition {
    RegionIndex region = 0;
    BlockId from, to;         ///< equal: in the block
    InterstateEdgeId edge{};  ///< or on this edge
  };
  /// Order and dominance of the blocks of one region, computed when asked for.
  struct Order {
    std::vector<std::size_t> component;     ///< in topological order, by block id
    std::vector<std::size_t> size;          ///< of components
    std::vector<std::size_t> enter, leave;  ///< of the walk through the dominator tree, from 1
    bool dominates(BlockId a, BlockId b) const {
      return a == b || (enter[a.value] != 0 && enter[a.value] <= enter[b.value] &&
                        leave[b.value] <= leave[a.value]);
    }
  };
  struct Info {
    const Region* region = nullptr;
    const LoopRegion* loop = nullptr;  ///< if that is what the region is
    RegionIndex parent = 0;
    BlockId block;  ///< that holds it, in the parent
    std::size_t depth = 0;
    bool repeats = false;  ///< runs more than once: in a loop, or in a cycle of blocks
    std::vector<std::pair<BlockId, std::vector<RegionIndex>>> children;  ///< by block id
    mutable std::vector<Order> order;                                    ///< none or one
  };

  void add_region(const Region& region, const LoopRegion* loop, RegionIndex parent, BlockId block);
  const Order& order(const Info& info) const;
  bool in_cycle(const Info& info, BlockId block) const;
  bool precedes(const Definition& definition, const Point& use) const;
  bool only_behind(const Info& info, const Order& order, InterstateEdgeId edge,
                   BlockId block) const;

  std::vector<Info> regions_;
  // Looked up, never iterated.
  std::unordered_map<std::string, std::vector<Definition>> definitions_;
};

}  // namespace sdfg
