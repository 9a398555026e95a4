#include "passes/buffers/program.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "passes/common/assume.h"

namespace sdfg {

BufferProgram::BufferProgram(Sdfg& program, Assumptions given, Aliases same)
    : sdfg(program), assumptions(std::move(given)), accesses(program), flow(program),
      varying(assigned_symbols(program)), aliases(std::move(same)), orders_(flow.size()) {
  for (Point p = 0; p < flow.size(); ++p)
    if (const State* state = flow.state(p))
      for (NodeId n : state->nodes_of<AccessNode>())
        sites_[state->get<AccessNode>(n).data].first.emplace_back(p, n);
}

BufferProgram::Nodes& BufferProgram::by_point(Sites& sites) const {
  if (!sites.nodes) {
    sites.nodes = std::make_unique<Nodes>();
    for (const auto& [p, n] : sites.first)
      sites.nodes->try_emplace(sites.nodes->end(), p)->second.push_back(n);
    sites.first = {};
  }
  return *sites.nodes;
}

Order& BufferProgram::order(Point p) {
  if (!orders_[p]) orders_[p] = std::make_unique<Order>(*flow.state(p));
  return *orders_[p];
}

const std::map<BufferProgram::Point, std::vector<NodeId>>& BufferProgram::nodes(
    std::string_view container) const {
  static const Nodes none;
  Sites* const found = sites_.get(container);
  return found ? by_point(*found) : none;
}

BufferProgram::Uses& BufferProgram::uses(const std::string& container, Point p) {
  const auto [found, fresh] = uses_.try_emplace({container, p});
  Uses& out = found->second;
  const auto viewed = [](const Use& use) { return use.viewed; };
  // What passes through views, or is known under other names, may change without our being told.
  const bool known = !fresh && !aliases.contains(container) &&
                     std::ranges::none_of(out.reads, viewed) &&
                     std::ranges::none_of(out.writes, viewed);
  if (known || !flow.state(p)) {
    const auto count = [&] { return out.reads.size() + out.writes.size(); };
    if (flow.state(p) && count() > 2 * out.settled + 16) {
      const auto gone = [&](Use& use) { return !refresh(*flow.state(p), order(p), use); };
      std::erase_if(out.reads, gone);
      std::erase_if(out.writes, gone);
      out.settled = count();
    }
    return out;
  }
  out = {};
  std::vector<Use> all;
  const auto collect = [&](const std::string& name) {
    const auto& sites = nodes(name);
    const auto here = sites.find(p);
    if (here == sites.end()) return;
    for (NodeId n : here->second)
      if (Refusal why = collect_uses(sdfg, *flow.state(p), order(p), n, all)) out.why = why;
  };
  collect(container);
  const std::size_t own = all.size();
  if (aliases.contains(container))
    for (const auto& [name, group] : aliases)
      if (name != container && may_be_same(aliases, name, container)) collect(name);
  for (std::size_t i = own; i < all.size(); ++i) all[i].box.reset();
  for (Use& use : all) (use.write ? out.writes : out.reads).push_back(std::move(use));
  return out;
}

void BufferProgram::note_uses(Point p, NodeId node) {
  const auto found = uses_.find({flow.state(p)->get<AccessNode>(node).data, p});
  if (found == uses_.end()) return;
  std::vector<Use> all;
  if (Refusal why = collect_uses(sdfg, *flow.state(p), order(p), node, all))
    found->second.why = why;
  for (Use& use : all)
    (use.write ? found->second.writes : found->second.reads).push_back(std::move(use));
}

void BufferProgram::added(Point p, NodeId node) {
  State& state = *flow.state(p);
  accesses.add(state, node);
  by_point(state.get<AccessNode>(node).data)[p].push_back(node);
}

void BufferProgram::renamed(Point p, NodeId node, const std::string& from) {
  forget_node(from, p, node);
  by_point(flow.state(p)->get<AccessNode>(node).data)[p].push_back(node);
}

void BufferProgram::erased(Point p, NodeId node, const std::string& container) {
  forget_node(container, p, node);
}

void BufferProgram::forget_node(const std::string& container, Point p, NodeId node) {
  Nodes& nodes = by_point(container);
  std::erase(nodes[p], node);
  if (nodes[p].empty()) nodes.erase(p);
}

void BufferProgram::finish() {
  sdfg.arrays.erase_if([&](const auto& entry) { return dropped_.contains(entry.first); });
  dropped_.clear();
}

}  // namespace sdfg
