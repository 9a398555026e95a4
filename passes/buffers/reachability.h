#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/order.h"

namespace sdfg {

/// Order::reaches between nodes at the top level of a state, found at once for many of them: in
/// time edges × targets / 64, after which an answer takes no search. Valid until the state or its
/// order changes.
class Reachability {
 public:
  Reachability(const State& state, const Order& order, const std::vector<NodeId>& targets);
  /// Nothing when `to` is none of the targets, or both are one element.
  std::optional<bool> reaches(NodeId from, NodeId to) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t(0);
  const std::uint64_t* row(NodeId element) const {
    return &rows_[row_[element.value] * words_];
  }

  const Order* order_;
  std::size_t words_;  ///< in a row: a bit for each target
  std::vector<std::uint32_t> bit_, row_;  ///< by node; of elements at the top level
  std::vector<std::uint64_t> rows_;
};

}  // namespace sdfg
