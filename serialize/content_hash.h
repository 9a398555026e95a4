#pragma once

#include <cstdint>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// A 64-bit hash of everything an element contains, ids and graph numbers included, for elements in
/// the order: an SDFG, its containers, its blocks (each with its nodes, then its edges; nested
/// SDFGs within), its interstate edges. `end` is one past the last record inside the element.
struct ContentHash {
  std::uint64_t value = 0;
  std::uint32_t end = 0;
  std::uint32_t graphs = 0;  ///< control-flow graphs in the element, itself included
};
std::vector<ContentHash> content_hashes(const Sdfg& sdfg);

/// Writes every element's hash into its Origin: what `keep` compares with later.
void store_content_hashes(Sdfg& sdfg);

}  // namespace sdfg
