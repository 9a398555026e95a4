#include "passes/buffers/rewrite.h"

#include <algorithm>
#include <iterator>

#include "passes/buffers/twin_writes.h"
#include "passes/common/read_between.h"
#include "passes/common/reroute.h"

namespace sdfg {
namespace {

/// More pairs of accesses are not looked at, to decide about one merge.
constexpr std::size_t most_questions = 4096;

std::vector<EdgeId> copy(std::span<const EdgeId> edges) { return {edges.begin(), edges.end()}; }

bool plain(const AccessNode& node) {
  return node.instrument == DataInstrumentation::None && !node.setzero;
}

/// May something read at the first node what something else writes at the second? Then the two
/// stand for versions, even where no edge keeps the writer behind the reader.
bool are_versions(BufferProgram& program, StateFlow::Point point, NodeId first, NodeId second) {
  const State& state = *program.flow.state(point);
  const auto has_data = [&](std::span<const EdgeId> edges) {
    return std::ranges::any_of(edges, [&](EdgeId e) { return !state[e].memlet.empty(); });
  };
  if (!has_data(state.out(first)) || !has_data(state.in(second))) return false;
  if (state.out(first).size() * state.in(second).size() > most_questions) return true;
  std::vector<Use> reads, writes;
  if (collect_uses(program.sdfg, state, program.order(point), first, reads)) return true;
  if (collect_uses(program.sdfg, state, program.order(point), second, writes)) return true;
  for (const Use& r : reads)
    for (const Use& w : writes)
      if (!r.write && w.write &&
          (!r.box || !w.box || intersects(*r.box, *w.box, program.assumptions) != Truth::No))
        return true;
  return false;
}

/// Is the container read through a third access node between what writes at two? (Who writes it
/// meanwhile is in order with both, as before.)
bool is_read_between(BufferProgram& program, StateFlow::Point point, NodeId a, NodeId b) {
  const State& state = *program.flow.state(point);
  const auto& sites = program.nodes(state.get<AccessNode>(a).data);
  const auto here = sites.find(point);
  if (here == sites.end()) return false;
  std::vector<NodeId> readers;
  for (NodeId n : here->second)
    if (n != a && n != b) std::ranges::copy(readers_at(state, n), std::back_inserter(readers));
  return sdfg::is_read_between(program.order(point), readers, writers_at(state, a),
                               writers_at(state, b));
}

/// Moves all edges of a node to another one.
void move_edges(BufferProgram& program, StateFlow::Point point, NodeId from, NodeId to) {
  State& state = *program.flow.state(point);
  for (EdgeId e : copy(state.in(from))) {
    state.set_target(e, to);
    program.order(point).connected(e);
  }
  for (EdgeId e : copy(state.out(from))) {
    state.set_source(e, to);
    program.order(point).connected(e);
  }
  state[to].in_connectors.merge(state[from].in_connectors);
  state[to].out_connectors.merge(state[from].out_connectors);
}


void make_empty(Edge& edge) {
  edge.memlet = Memlet{};
  edge.src_connector.clear();
  edge.dst_connector.clear();
}

Placement identity(std::size_t rank) {
  Placement out{{}, Subset::index(std::vector<Expr>(rank, Expr(0)))};
  for (std::size_t d = 0; d < rank; ++d) out.from.push_back(d);
  return out;
}

/// Takes one of two writes of a value out of a map. Who reads behind it waits for the other:
/// returns the empty edge.
Sharing::At drop_twin(BufferProgram& program, const Sharing::Twin& twin) {
  const auto point = twin.goes.point;
  State& state = *program.flow.state(point);
  const EdgeId edge = twin.goes.edge;
  const NodeId exit = state.source(edge), node = state.target(edge);
  const std::string out = state[edge].src_connector;
  state.erase(exit_value(program.sdfg, state, edge)->inner);
  state.erase(edge);
  state[exit].out_connectors.erase(out);
  state[exit].in_connectors.erase("IN_" + out.substr(4));
  const EdgeId tie = state.connect(state.target(twin.stays.edge), node, {});
  program.order(point).connected(tie);
  return {point, tie};
}

/// Lets the edge read a scalar that takes the element before the writer overwrites it.
void read_early(BufferProgram& program, const Sharing::EarlyRead& early) {
  State& state = *program.flow.state(early.point);
  Order& order = program.order(early.point);
  const NodeId entry = state.source(early.edge);
  if (state[entry].is<MapEntry>()) {
    const Memlet memlet = state[early.edge].memlet;
    const std::string name = memlet.data, local = program.sdfg.fresh_name(name + "_read");
    Data scalar = Data::scalar(program.sdfg.find_data(name)->dtype, true);
    scalar.storage = Storage::Register;
    program.sdfg.arrays.insert(local, std::move(scalar));
    const NodeId node = state.add(Node{AccessNode{local}});
    order.added(node, entry);
    const Subset zero = Subset::index({0});
    order.connected(state.connect(
        entry, node,
        Edge{state[early.edge].src_connector, "", Memlet::copy(name, *memlet.src_subset, zero)}));
    state[early.edge].src_connector.clear();
    state[early.edge].memlet.data = local;
    state[early.edge].memlet.src_subset = zero;
    state.set_source(early.edge, node);
    order.connected(early.edge);
    program.added(early.point, node);
  }
  // Several writers may wait for one read.
  const NodeId node = state.source(early.edge);
  if (!order.reaches(node, early.writer)) order.connected(state.connect(node, early.writer, {}));
}

}  // namespace

void erase_access(BufferProgram& program, StateFlow::Point point, NodeId node) {
  State& state = *program.flow.state(point);
  program.accesses.remove(state, node);
  program.erased(point, node, state.get<AccessNode>(node).data);
  program.order(point).erased(node);
  state.erase(node);
}

bool merge(BufferProgram& program, StateFlow::Point point, NodeId first, NodeId second) {
  State& state = *program.flow.state(point);
  if (!plain(state.get<AccessNode>(first)) || !plain(state.get<AccessNode>(second))) return false;
  std::vector<EdgeId> between;
  const bool few_in = state.in(second).size() < state.out(first).size();
  for (EdgeId e : few_in ? state.in(second) : state.out(first))
    if (state.source(e) == first && state.target(e) == second) {
      if (!state[e].memlet.empty()) return false;
      between.push_back(e);
    }
  const auto others = [&](EdgeId e) {
    return state.source(e) != first || state.target(e) != second;
  };
  if (program.order(point).reaches(first, second, others)) return false;
  if (are_versions(program, point, first, second)) return false;
  if (is_read_between(program, point, first, second)) return false;
  for (EdgeId e : between) state.erase(e);
  const auto degree = [&](NodeId n) { return state.in(n).size() + state.out(n).size(); };
  if (degree(first) > degree(second)) std::swap(first, second);
  move_edges(program, point, first, second);
  erase_access(program, point, first);
  return true;
}

bool bypass(BufferProgram& program, StateFlow::Point point, NodeId node) {
  State& state = *program.flow.state(point);
  const auto all_empty = [&](std::span<const EdgeId> edges) {
    return std::ranges::all_of(edges, [&](EdgeId e) { return state[e].memlet.empty(); });
  };
  if (!all_empty(state.in(node)) || !all_empty(state.out(node))) return false;
  if (!plain(state.get<AccessNode>(node)) || program.order(point).scope_of(node)) return false;
  // Edges at library nodes are operands to DaCe, empty ones too: the node between stays.
  for (EdgeId e : state.in(node))
    if (state[state.source(e)].is<LibraryNode>()) return false;
  for (EdgeId e : state.out(node))
    if (state[state.target(e)].is<LibraryNode>()) return false;
  const std::size_t joined = state.in(node).size() * state.out(node).size();
  const auto would_be_alone = [&](NodeId n) {
    const auto* access = state[n].as<AccessNode>();
    return access && !plain(*access) && state.in(n).size() + state.out(n).size() == 1;
  };
  if (joined == 0) {
    for (EdgeId e : state.in(node))
      if (would_be_alone(state.source(e))) return false;
    for (EdgeId e : state.out(node))
      if (would_be_alone(state.target(e))) return false;
  }
  if (joined > 4 + state.in(node).size() + state.out(node).size()) return false;
  for (EdgeId in : copy(state.in(node)))
    for (EdgeId out : copy(state.out(node))) {
      const NodeId from = state.source(in), to = state.target(out);
      const bool there = std::ranges::any_of(
          state.out(from), [&](EdgeId e) { return state.target(e) == to; });
      if (!there) program.order(point).connected(state.connect(from, to, {}));
    }
  erase_access(program, point, node);
  return true;
}

void drop_copy(BufferProgram& program, StateFlow::Point point, EdgeId edge) {
  State& state = *program.flow.state(point);
  const NodeId first = state.source(edge), second = state.target(edge);
  make_empty(state[edge]);
  merge(program, point, first, second);
  for (NodeId n : {first, second})
    if (state.contains(n)) bypass(program, point, n);
}

Refusal grow_for(BufferProgram& program, Sharing& sharing) {
  if (sharing.grown.empty()) return {};
  Sharing move{sharing.to, program.sdfg.fresh_name(sharing.to), identity(sharing.grown.size())};
  Data larger = *program.sdfg.arrays.get(sharing.to);
  larger.shape = sharing.grown;
  larger.as_array()->strides = c_strides(larger.shape);
  larger.as_array()->total_size = num_elements(Subset::whole(larger.shape));
  program.sdfg.arrays.insert(move.to, std::move(larger));
  for (const auto& [point, nodes] : program.nodes(move.from)) {
    State& state = *program.flow.state(point);
    const Reroute reroute(program.sdfg, state, program.accesses,
                          {move.from, move.to, move.placement});
    for (NodeId n : nodes)
      for (const auto& edges : {state.in(n), state.out(n)})
        for (EdgeId e : edges)
          if (Refusal why = reroute.check(e, n)) {
            program.sdfg.arrays.erase(move.to);
            return "it would have to grow: " + why.reason();
          }
  }
  share(program, move);
  sharing.to = move.to;
  return {};
}

void share(BufferProgram& program, const Sharing& sharing) {
  std::vector<Sharing::At> ties = sharing.links;
  for (const Sharing::Twin& twin : sharing.twins) ties.push_back(drop_twin(program, twin));
  std::set<std::pair<StateFlow::Point, EdgeId>> links;
  for (const Sharing::At& tie : ties) links.emplace(tie.point, tie.edge);
  const auto sites = program.nodes(sharing.from);
  for (const auto& [point, nodes] : sites) {
    State& state = *program.flow.state(point);
    Reroute reroute(program.sdfg, state, program.accesses,
                    {sharing.from, sharing.to, sharing.placement});
    for (NodeId n : nodes) {
      for (EdgeId e : copy(state.in(n)))
        if (!links.contains({point, e})) reroute.rename(e, n);
      for (EdgeId e : copy(state.out(n)))
        if (!links.contains({point, e})) reroute.rename(e, n);
    }
  }
  for (const auto& [point, nodes] : sites) {
    State& state = *program.flow.state(point);
    for (NodeId n : nodes) {
      program.accesses.remove(state, n);
      state.get<AccessNode>(n).data = sharing.to;
      program.accesses.add(state, n);
      program.renamed(point, n, sharing.from);
      program.note_uses(point, n);
    }
  }
  for (const Sharing::Ordering& o : sharing.order) {
    State& state = *program.flow.state(o.point);
    program.order(o.point).connected(state.connect(o.from, o.to, {}));
  }
  for (const Sharing::EarlyRead& early : sharing.early) read_early(program, early);
  program.dropped(sharing.from);
  for (const Sharing::At& tie : ties)
    if (program.flow.state(tie.point)->contains(tie.edge)) drop_copy(program, tie.point, tie.edge);
}

Changed merge_sources(BufferProgram& program, StateFlow::Point point,
                      const std::string& container) {
  State& state = *program.flow.state(point);
  const auto found = program.nodes(container).find(point);
  if (found == program.nodes(container).end()) return Changed::No;
  Changed changed = Changed::No;
  NodeId first;
  for (NodeId n : std::vector(found->second)) {
    if (!state.in(n).empty() || !plain(state.get<AccessNode>(n)) ||
        program.order(point).scope_of(n))
      continue;
    if (!first) {
      first = n;
      continue;
    }
    move_edges(program, point, n, first);
    erase_access(program, point, n);
    changed = Changed::Yes;
  }
  return changed;
}

}  // namespace sdfg
