#include "passes/common/state_flow.h"

#include <algorithm>

#include "ir/graph_algorithms.h"

namespace sdfg {

StateFlow::StateFlow(Sdfg& sdfg) {
  entry_ = add();
  exit_ = add();
  const Ends all = add(sdfg, nullptr);
  connect(entry_, all.entry);
  connect(all.exit, exit_);
  connect();
  order();
  find_ends();
}

StateFlow::Point StateFlow::add(Block* state) {
  states_.push_back(state);
  if (state) points_.emplace(state->as<State>(), states_.size() - 1);
  return states_.size() - 1;
}

/// The edges by either end, each in the order in which they were made.
void StateFlow::connect() {
  const auto sort_by = [&](auto end, auto other_end, Neighbours& out) {
    out.first.assign(size() + 1, 0);
    out.all.resize(edges_.size());
    for (const auto& edge : edges_) ++out.first[edge.*end];
    std::uint32_t before = 0;
    for (std::uint32_t& count : out.first) before += std::exchange(count, before);
    for (const auto& edge : edges_) out.all[out.first[edge.*end]++] = edge.*other_end;
    std::shift_right(out.first.begin(), out.first.end(), 1);
    out.first[0] = 0;
  };
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  sort_by(&Edge::first, &Edge::second, next_);
  sort_by(&Edge::second, &Edge::first, previous_);
  edges_ = {};
}

StateFlow::Ends StateFlow::add(Region& region, const Loop* loop) {
  const Ends ends{add(), add()};
  std::vector<Ends> blocks(region.id_bound());
  for (BlockId b : region.nodes()) blocks[b.value] = add(region[b], loop);
  if (const auto first = start(region)) connect(ends.entry, blocks[first->value].entry);
  for (BlockId b : region.nodes()) {
    bool always = false;
    for (InterstateEdgeId e : region.out(b)) {
      connect(blocks[b.value].exit, blocks[region.target(e).value].entry);
      always = always || region[e].condition.always_true();
    }
    if (!always) connect(blocks[b.value].exit, ends.exit);
  }
  return ends;
}

StateFlow::Ends StateFlow::add(Block& block, const Loop* loop) {
  if (block.is<State>()) {
    const Point p = add(&block);
    return {p, p};
  }
  if (auto* inner = block.as<LoopRegion>()) {
    // The body may run no time, or end the loop in its middle: both are ways through these points.
    const Ends ends{add(), add()};
    const Point again = add();
    const Loop here{again, ends.exit};
    const Ends body = add(*inner, &here);
    connect(ends.entry, body.entry);
    if (!inner->inverted) connect(ends.entry, ends.exit);
    connect(body.exit, again);
    connect(again, body.entry);
    connect(again, ends.exit);
    return ends;
  }
  if (auto* conditional = block.as<ConditionalBlock>()) {
    const Ends ends{add(), add()};
    bool otherwise = false;
    for (Branch& branch : conditional->branches) {
      const Ends inner = add(branch.region(), loop);
      connect(ends.entry, inner.entry);
      connect(inner.exit, ends.exit);
      otherwise = otherwise || !branch.condition;
    }
    if (!otherwise) connect(ends.entry, ends.exit);
    return ends;
  }
  if (Region* region = block.region()) return add(*region, loop);
  // A jump goes where it says; nothing follows it.
  const Ends ends{add(), add()};
  if (block.is<ReturnBlock>()) connect(ends.entry, exit_);
  if (loop && block.is<BreakBlock>()) connect(ends.entry, loop->leave);
  if (loop && block.is<ContinueBlock>()) connect(ends.entry, loop->again);
  if (block.is<OtherBlock>()) connect(ends.entry, ends.exit);
  return ends;
}

/// Tarjan's algorithm with a stack of its own: components come out last first.
void StateFlow::order() {
  constexpr std::uint32_t none = ~std::uint32_t(0);
  const std::size_t n = size();
  std::vector<std::uint32_t> index(n, none), low(n), edge(n, 0), component(n, none), open, path;
  std::vector<bool> is_open(n);
  std::uint32_t count = 0, components = 0;
  repeats_.assign(n, false);
  for (std::uint32_t root = 0; root < n; ++root) {
    if (index[root] != none) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::uint32_t p = path.back();
      if (index[p] == none) {
        index[p] = low[p] = count++;
        open.push_back(p);
        is_open[p] = true;
      }
      if (edge[p] < next(p).size()) {
        const std::uint32_t q = next(p)[edge[p]++];
        if (index[q] == none)
          path.push_back(q);
        else if (is_open[q])
          low[p] = std::min(low[p], index[q]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[p]);
      if (low[p] != index[p]) continue;
      const bool several = open.back() != p;
      for (std::uint32_t member = none; member != p;) {
        member = open.back();
        open.pop_back();
        is_open[member] = false;
        component[member] = components;
        repeats_[member] = several || std::ranges::count(next(member), member) != 0;
      }
      ++components;
    }
  }
  rank_.resize(n);
  for (Point p = 0; p < n; ++p) rank_[p] = components - 1 - component[p];
}

void StateFlow::find_ends() {
  ends_.assign(size(), false);
  ends_[exit_] = true;
  std::vector<Point> open{exit_};
  while (!open.empty()) {
    const Point p = open.back();
    open.pop_back();
    for (Point q : previous(p)) {
      if (ends_[q]) continue;
      ends_[q] = true;
      open.push_back(q);
    }
  }
}

}  // namespace sdfg
