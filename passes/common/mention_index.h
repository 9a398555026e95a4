#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// Which blocks of a region mention a name (an edge counts for its source), and how often the whole
/// SDFG does. Each block and each edge counts once for each name.
class MentionIndex {
 public:
  MentionIndex(const Sdfg& sdfg, const Region& region);
  /// Do only blocks of the region for which `is_inside` holds mention the name?
  bool only_in(const std::string& name, const std::function<bool(BlockId)>& is_inside) const;

 private:
  using Counts = ByName<std::size_t>;
  static void count(const InterstateEdge& edge, Counts& out);
  static void count(const Block& block, Counts& out);

  Counts total_;
  ByName<std::vector<std::pair<BlockId, std::size_t>>> at_;
};

}  // namespace sdfg
