#include "passes/common/read_between.h"

#include <algorithm>

namespace sdfg {
namespace {

/// More pairs of readers and writers are not looked at.
constexpr std::size_t most_pairs = 4096;

std::vector<NodeId> ends(const State& state, std::span<const EdgeId> edges, bool sources) {
  std::vector<NodeId> out;
  for (EdgeId e : edges)
    if (!state[e].memlet.empty()) out.push_back(sources ? state.source(e) : state.target(e));
  return out;
}

}  // namespace

std::vector<NodeId> writers_at(const State& state, NodeId access) {
  return ends(state, state.in(access), true);
}

std::vector<NodeId> readers_at(const State& state, NodeId access) {
  return ends(state, state.out(access), false);
}

bool is_read_between(const Order& order, std::span<const NodeId> readers,
                     std::span<const NodeId> writers, std::span<const NodeId> others) {
  if (writers.empty() || others.empty()) return false;
  if (readers.size() * (writers.size() + others.size()) > most_pairs) return true;
  const auto is_between = [&](NodeId reader, std::span<const NodeId> first,
                              std::span<const NodeId> second) {
    const auto before = [&](NodeId n) { return order.reaches(n, reader); };
    const auto after = [&](NodeId n) { return order.reaches(reader, n); };
    return std::ranges::any_of(first, before) && std::ranges::any_of(second, after);
  };
  return std::ranges::any_of(readers, [&](NodeId reader) {
    return is_between(reader, writers, others) || is_between(reader, others, writers);
  });
}

}  // namespace sdfg
