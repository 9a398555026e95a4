#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// A state without nodes that nobody asked to time or to place.
bool is_empty_state(const Block& block);
/// Does running it change nothing, and does it certainly end? States without nodes, regions and
/// conditionals of such; no assignments, no loops, no jumps.
bool does_nothing(const Block& block);
bool does_nothing(const Region& region);
/// The part of that which concerns the region's edges: no assignments and no cycles.
bool only_leads_on(const Region& region);

/// The labels of a region's blocks, so that new ones get free labels in constant time.
class Labels {
 public:
  explicit Labels(const Region& region);
  /// The label, or `label_0`, `label_1`, …; taken from now on.
  std::string take(std::string_view label);
  void release(const std::string& label) { taken_.erase(label); }
  bool taken(const std::string& label) const { return taken_.contains(label); }

 private:
  std::unordered_set<std::string> taken_;
  ByName<std::size_t> next_;  ///< by base: the number to try next
};

/// A plain region's blocks and edges take the place of the block that holds it, which is erased.
/// Whoever left the region goes on where the block's out-edges lead, through a new empty state when
/// there are several ways out; where nobody left it, what only followed it goes. `first` is where
/// the parent starts, and is kept up to date; the caller stores it (keep_start) when done. Returns
/// the new blocks. The region has a start.
std::vector<BlockId> splice_region(Region& parent, BlockId block, std::optional<BlockId>& first,
                                   Labels& labels);

/// Makes the region start there, whatever edges came and went.
void keep_start(Region& region, std::optional<BlockId> first);

/// Moves the ends of all ways into a block, or of those out of it, to another block.
void move_ways_in(Region& region, BlockId from, BlockId to);
void move_ways_out(Region& region, BlockId from, BlockId to);
/// A new block on all ways into another one, where the region starts if it started there.
BlockId put_before(Region& region, BlockId block, Block added);
/// A new block on all ways out of another one.
BlockId put_after(Region& region, BlockId block, Block added);

/// Can control go past this block without taking an out-edge? (Then the region ends there.)
bool may_end_region(const Region& region, BlockId block);
bool is_jump(const Block& block);
/// Does the block, or one in it, return from the SDFG?
bool may_return(const Block& block);
/// The label of a jump out of a region, or out of one iteration of a loop; null: there is none.
/// With `in_inner_loop` only a `return` leaves.
const std::string* find_jump(const Region& region, bool in_inner_loop = false);

/// The longest sequences of states that always run one after the other: one edge leads from each
/// to the next, without a condition, and no other. Symbols may be assigned on the way.
std::vector<std::vector<BlockId>> state_chains(const Region& region);

/// Moves blocks and the edges among them to an empty region, in this order; edges to other blocks
/// go. The first block is where the region starts.
void move_blocks(Region& from, const std::vector<BlockId>& blocks, Region& to);

/// The condition's opposite; nothing when it is not one Python expression.
std::optional<Code> negated(const Code& condition);

}  // namespace sdfg
