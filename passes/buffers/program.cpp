#include "passes/buffers/program.h"

#include <algorithm>

#include "ir/walk.h"
#include "passes/common/assume.h"

namespace sdfg {

BufferProgram::BufferProgram(Sdfg& program, Assumptions given,
                             std::map<std::string, std::set<std::string>> same)
    : sdfg(program), assumptions(std::move(given)), accesses(program), flow(program),
      aliases(std::move(same)), orders_(flow.size()) {
  assume_shapes(sdfg, assumptions);
  for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
    for (const auto& [name, value] : edge.assignments) varying.insert(name);
  });
  for_each_block(sdfg, [&](const Block& block) {
    if (const auto* loop = block.as<LoopRegion>()) varying.insert(loop->loop_variable);
  });
  for (Point p = 0; p < flow.size(); ++p)
    if (const State* state = flow.state(p))
      for (NodeId n : state->nodes())
        if (const auto* access = (*state)[n].as<AccessNode>()) nodes_[access->data][p].push_back(n);
}

Order& BufferProgram::order(Point p) {
  if (!orders_[p]) orders_[p] = std::make_unique<Order>(*flow.state(p));
  return *orders_[p];
}

const std::map<BufferProgram::Point, std::vector<NodeId>>& BufferProgram::nodes(
    std::string_view container) const {
  static const std::map<Point, std::vector<NodeId>> none;
  const auto found = nodes_.find(container);
  return found == nodes_.end() ? none : found->second;
}

Refusal BufferProgram::uses(const std::string& container, Point p, std::vector<Use>& out) {
  const auto& all = nodes(container);
  const auto found = all.find(p);
  if (found == all.end()) return {};
  for (NodeId n : found->second)
    if (Refusal why = collect_uses(sdfg, *flow.state(p), order(p), n, out)) return why;
  return {};
}

void BufferProgram::added(Point p, NodeId node) {
  State& state = *flow.state(p);
  accesses.add(state, node);
  nodes_[state.get<AccessNode>(node).data][p].push_back(node);
}

void BufferProgram::renamed(Point p, NodeId node, const std::string& from) {
  std::erase(nodes_[from][p], node);
  if (nodes_[from][p].empty()) nodes_[from].erase(p);
  nodes_[flow.state(p)->get<AccessNode>(node).data][p].push_back(node);
}

void BufferProgram::erased(Point p, NodeId node, const std::string& container) {
  std::erase(nodes_[container][p], node);
  if (nodes_[container][p].empty()) nodes_[container].erase(p);
}

void BufferProgram::finish() {
  sdfg.arrays.erase_if([&](const auto& entry) { return dropped_.contains(entry.first); });
  dropped_.clear();
}

}  // namespace sdfg
