#include "passes/common/mention_index.h"

#include "ir/analysis/free_symbols.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"

namespace sdfg {

MentionIndex::MentionIndex(const Sdfg& sdfg, const Region& region) {
  for (BlockId b : sdfg.nodes()) count(sdfg[b], total_);
  for (InterstateEdgeId e : sdfg.edges()) count(sdfg[e], total_);
  for (const auto& [name, data] : sdfg.arrays) {
    SymbolSet names;
    collect_symbols(data, names);
    for (const std::string& n : names) ++total_[n];
  }
  for (BlockId b : region.nodes()) {
    Counts here;
    count(region[b], here);
    for (InterstateEdgeId e : region.out(b)) count(region[e], here);
    for (const auto& [name, number] : here) at_[name].push_back({b, number});
  }
}

void MentionIndex::count(const InterstateEdge& edge, Counts& out) {
  for (const std::string& name : free_symbols(edge)) ++out[name];
}

void MentionIndex::count(const Block& block, Counts& out) {
  const SymbolSet known;
  for_each_block_in(block, [&](const Block& b) {
    SymbolSet names;
    collect_used_names(b, known, names);
    if (const auto* state = b.as<State>()) {
      for (NodeId n : state->nodes()) collect_used_names((*state)[n], known, names);
      for (EdgeId e : state->edges()) collect_used_names((*state)[e], known, names);
    }
    for (const std::string& name : names) ++out[name];
    if (const Region* inner = b.region())
      for (InterstateEdgeId e : inner->edges()) count((*inner)[e], out);
  });
}

bool MentionIndex::only_in(const std::string& name,
                           const std::function<bool(BlockId)>& is_inside) const {
  std::size_t inside = 0;
  if (const auto found = at_.find(name); found != at_.end())
    for (const auto& [block, number] : found->second) {
      if (!is_inside(block)) return false;
      inside += number;
    }
  const auto all = total_.find(name);
  return inside == (all == total_.end() ? 0 : all->second);
}

}  // namespace sdfg
