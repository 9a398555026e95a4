#include "passes/buffers/reachability.h"

#include <algorithm>
#include <functional>

namespace sdfg {

Reachability::Reachability(const State& state, const Order& order,
                           const std::vector<NodeId>& targets)
    : order_(&order), bit_(state.id_bound(), none), row_(state.id_bound(), none) {
  std::uint32_t bits = 0;
  for (NodeId t : targets)
    if (std::uint32_t& bit = bit_[order.element(t).value]; bit == none) bit = bits++;
  words_ = bits / 64 + 1;
  std::vector<NodeId> elements;
  for (NodeId n : state.nodes())
    if (!order.scope_of(n)) elements.push_back(n);
  std::ranges::sort(elements, std::greater{}, [&](NodeId n) { return order.position(n); });
  rows_.resize(elements.size() * words_);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const NodeId element = elements[i], exit = order.exit_of(element);
    std::uint64_t* const own = &rows_[i * words_];
    row_[element.value] = std::uint32_t(i);
    if (const std::uint32_t bit = bit_[element.value]; bit != none)
      own[bit / 64] |= std::uint64_t(1) << bit % 64;
    for (EdgeId e : state.out(exit ? exit : element)) {
      const std::uint64_t* const behind = row(order.element(state.target(e)));
      for (std::size_t w = 0; w < words_; ++w) own[w] |= behind[w];
    }
  }
}

std::optional<bool> Reachability::reaches(NodeId from, NodeId to) const {
  const NodeId a = order_->element(from), b = order_->element(to);
  const std::uint32_t bit = bit_[b.value];
  if (bit == none || row_[a.value] == none || a == b) return std::nullopt;
  return (row(a)[bit / 64] >> bit % 64 & 1) != 0;
}

}  // namespace sdfg
