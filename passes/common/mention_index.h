#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Which blocks of a region mention a name (an edge counts for its source), and how often the whole
/// SDFG does. Each block and each edge counts once for each name.
class MentionIndex {
 public:
  MentionIndex(const Sdfg& sdfg, const Region& region);
  /// Do only blocks of the region for which `is_inside` holds mention the name?
  bool only_in(const std::string& name, const std::function<bool(BlockId)>& is_inside) const;

 private:
  using Counts = std::map<std::string, std::size_t, std::less<>>;
  static void count(const InterstateEdge& edge, Counts& out);
  static void count(const Block& block, Counts& out);

  Counts total_;
  std::map<std::string, std::vector<std::pair<BlockId, std::size_t>>, std::less<>> at_;
};

}  // namespace sdfg
