#include "passes/conditionals/guarded_map.h"

#include <algorithm>
#include <unordered_map>

#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/replace.h"
#include "passes/common/outputs_read.h"
#include "passes/common/pass_inside.h"
#include "passes/common/scope.h"
#include "passes/common/tidy.h"
#include "passes/common/total.h"
#include "passes/conditionals/if_body_filler.h"
#include "passes/conditionals/movable_nodes.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::vector<NodeId> in_order(const State& state, const Scope& scope) {
  std::unordered_map<std::uint32_t, std::size_t> waiting;
  for (NodeId n : scope.nodes) waiting[n.value] = state.in(n).size();
  std::vector<NodeId> order{scope.entry};
  for (std::size_t at = 0; at < order.size(); ++at)
    for (EdgeId e : state.out(order[at]))
      if (const NodeId to = state.target(e); to != scope.exit && --waiting[to.value] == 0)
        order.push_back(to);
  order.erase(order.begin());
  return order;
}

/// The one element that an edge into a map's exit writes.
Refusal read_write(const Sdfg& sdfg, const State& state, EdgeId edge, std::size_t branch,
                   GuardedWrite& out) {
  const Memlet& memlet = state[edge].memlet;
  const NodeId exit = state.target(edge), from = state.source(edge);
  out.port = matching_connector(state[edge].dst_connector).substr(4);
  const auto outer = std::ranges::find(state.out(exit), "OUT_" + out.port,
                                       [&](EdgeId e) { return state[e].src_connector; });
  out.container = state.get<AccessNode>(state.target(*outer)).data;
  const std::string who = quoted(out.container);
  if (combines(state, edge)) return "the map resolves conflicts on " + who;
  if (!memlet.dst_subset || num_elements(*memlet.dst_subset) != Expr(1))
    return "an iteration writes several elements of " + who;
  if (state[from].is_exit()) return "an inner map writes " + who;
  if (state[from].is_entry()) return "the map copies to " + who;
  if (const auto* access = state[from].as<AccessNode>()) {
    if (memlet.dynamic) return "the map may or may not copy to " + who;
    if (num_elements(Subset::whole(sdfg.arrays.at(access->data).shape)) != Expr(1))
      return "the map copies a part of " + quoted(access->data) + " to " + who;
  }
  out.dynamic = memlet.dynamic;
  out.element = *memlet.dst_subset;
  out.values.emplace(branch, edge);
  return {};
}

/// Builds the conditional inside of one map.
class Guard {
 public:
  Guard(Sdfg& sdfg, State& state, GuardedMap& map, const std::vector<Branch>& branches,
        const ReadableNames& visible)
      : sdfg_(sdfg),
        state_(state),
        map_(map),
        branches_(branches),
        visible_(visible) {
    for (const auto& [branch, nodes] : map.bodies)
      for (NodeId n : nodes)
        if (state[n].is<Tasklet>())
          for (const auto* connectors : {&state[n].in_connectors, &state[n].out_connectors})
            for (const auto& [name, type] : *connectors) taken_.insert(name);
  }

  void run() {
    add_conditional();
    for (const GuardedWrite& write : map_.writes) add_write(write);
    fill();
    drop_unused_inputs(state_, map_.entry);
  }

 private:
  /// A value that code inside computes: its names on the way in and out.
  struct Computed {
    std::size_t branch;
    std::string in, out;
  };

  NestedSdfg& nested() { return state_.get<NestedSdfg>(node_); }
  Sdfg& inner() { return **nested().sdfg; }
  Region& region(std::size_t branch) {
    return inner()[conditional_].as<ConditionalBlock>()->branches[branch].region();
  }
  State& inside(std::size_t branch) {
    Region& r = region(branch);
    return *r[*r.nodes().begin()].as<State>();
  }

  bool needs_else() const {
    if (!branches_.back().condition) return false;
    return branches_.size() > 1 || std::ranges::any_of(map_.writes, [](const GuardedWrite& w) {
             return w.otherwise == Otherwise::Kept;
           });
  }

  void add_conditional() {
    NestedSdfg nested;
    nested.label = "if_" + state_.get<MapEntry>(map_.entry).label;
    Sdfg sdfg;
    sdfg.name = nested.label;
    sdfg.using_explicit_control_flow = true;
    Block block{"if", ConditionalBlock{}};
    const auto add_branch = [&](std::string label, RareOptional<Code> condition) {
      ControlFlowRegion region;
      region.start_block = region.add(Block{label + "_state", State{}});
      block.as<ConditionalBlock>()->branches.push_back(
          Branch{std::move(condition), Block{std::move(label), std::move(region)}});
    };
    for (const Branch& branch : branches_) {
      add_branch(branch.block.label, branch.condition);
      if (!branch.condition) continue;
      SymbolSet used;
      collect_symbols(*branch.condition->expr(), used);
      for (const std::string& name : used) {
        const auto symbol = visible_.symbols.find(name);
        pass_inside(sdfg_, name, symbol == visible_.symbols.end() ? nullptr : &symbol->second,
                    nested, sdfg);
      }
    }
    if (needs_else()) add_branch("otherwise", std::nullopt);
    conditional_ = sdfg.add(std::move(block));
    sdfg.start_block = conditional_;
    nested.sdfg.emplace(std::move(sdfg));
    node_ = state_.add(Node{std::move(nested)});
  }

  std::string fresh(const std::string& base) {
    std::string name = inner().fresh_name(base);
    for (int i = 0; taken_.contains(name) || visible_.names.contains(name); ++i)
      name = inner().fresh_name(base + '_' + std::to_string(i));
    return name;
  }
  /// A scalar that a connector shows inside.
  std::string add_scalar(const GuardedWrite& write, const std::string& ending) {
    std::string base = write.container;
    std::ranges::replace(base, '.', '_');
    const std::string name = fresh(base + ending);
    inner().arrays.insert(name, Data::scalar(sdfg_.find_data(write.container)->dtype));
    return name;
  }

  void add_write(const GuardedWrite& write) {
    const std::string out = add_scalar(write, "_out");
    state_[node_].out_connectors.emplace(out, Type());
    for (const auto& [branch, edge] : write.values) {
      const std::string in = add_scalar(write, "_value");
      state_[node_].in_connectors.emplace(in, Type());
      const bool computed = !state_[state_.source(edge)].is<AccessNode>();
      hand_over(branch, edge, in);
      copy_inside(branch, in, out);
      if (computed) computed_.push_back({branch, in, out});
    }
    if (write.otherwise == Otherwise::Kept) {
      const std::string old = add_scalar(write, "_old");
      state_[node_].in_connectors.emplace(old, Type());
      read_old(write, old);
      for (std::size_t b = 0; b < inner()[conditional_].as<ConditionalBlock>()->branches.size();
           ++b)
        if (!write.values.contains(b)) copy_inside(b, old, out);
    }
    Memlet memlet = Memlet::write(write.container, write.element);
    memlet.dynamic =
        write.dynamic || (write.otherwise == Otherwise::Untouched && !is_complete(write));
    state_.connect(node_, map_.exit, Edge{out, "IN_" + write.port, std::move(memlet)});
  }
  bool is_complete(const GuardedWrite& write) const {
    return !branches_.back().condition && write.values.size() == branches_.size();
  }

  /// The value on its way to the exit goes to the conditional.
  void hand_over(std::size_t branch, EdgeId edge, const std::string& in) {
    NodeId from = state_.source(edge);
    Subset part = Subset::index({0});
    if (const auto* access = state_[from].as<AccessNode>()) {
      part = all_elements(sdfg_.arrays.at(access->data));
      state_.connect(from, node_, Edge{"", in, Memlet::read(access->data, part)});
    } else {
      const std::string name = sdfg_.fresh_name(in);
      Data data = Data::scalar(inner().arrays.at(in).dtype, true);
      data.storage = Storage::Register;
      sdfg_.arrays.set(name, std::move(data));
      const NodeId value = state_.add(Node{AccessNode{name}});
      map_.bodies.at(branch).push_back(value);
      Memlet write = Memlet::write(name, part);
      write.dynamic = state_[edge].memlet.dynamic;
      state_.connect(from, value, Edge{state_[edge].src_connector, "", std::move(write)});
      state_.connect(value, node_, Edge{"", in, Memlet::read(name, part)});
    }
    state_.erase(edge);
  }

  void copy_inside(std::size_t branch, const std::string& from, const std::string& to) {
    State& state = inside(branch);
    const NodeId a = state.add(Node{AccessNode{from}}), b = state.add(Node{AccessNode{to}});
    state.connect(a, b, Edge{"", "", Memlet::copy(from, Subset::index({0}), Subset::index({0}))});
  }

  /// The map reads what it is going to write: from the node that it reads of the container already,
  /// if any.
  void read_old(const GuardedWrite& write, const std::string& old) {
    NodeId node;
    for (EdgeId e : state_.in(map_.entry))
      if (const auto* access = state_[state_.source(e)].as<AccessNode>())
        if (access->data == write.container && !node) node = state_.source(e);
    for (NodeId n : state_.nodes())
      if (const auto* access = state_[n].as<AccessNode>())
        if (!node && access->data == write.container && state_.in(n).empty()) node = n;
    if (!node) node = state_.add(Node{AccessNode{write.container}});
    const auto outer = std::ranges::find(state_.out(map_.exit), "OUT_" + write.port,
                                         [&](EdgeId e) { return state_[e].src_connector; });
    const Subset window = *state_[*outer].memlet.dst_subset;
    const std::string port = add_port(state_[map_.entry], write.port + "_old");
    state_.connect(node, map_.entry, Edge{"", "IN_" + port, Memlet::read(write.container, window)});
    state_.connect(map_.entry, node_,
                   Edge{"OUT_" + port, old, Memlet::read(write.container, write.element)});
  }

  void fill() {
    IfBodyFiller filler(sdfg_, state_, map_.entry, node_, visible_, taken_);
    for (const auto& [branch, nodes] : map_.bodies) filler.fill({&region(branch), nodes});
    filler.finish();
    for (const std::string& name : filler.moved_data()) sdfg_.arrays.erase(name);
    for (const Computed& value : computed_) write_directly(value);
  }

  /// Inside, what is computed for an output is written to it without a copy: it may not be written
  /// at all.
  void write_directly(const Computed& value) {
    State& state = inside(value.branch);
    for (NodeId n : state.nodes_of<AccessNode>()) {
      auto* access = state[n].as<AccessNode>();
      if (access->data != value.in) continue;
      const EdgeId write = state.in(n)[0];
      state.erase(state.target(state.out(n)[0]));
      state[write].memlet.data = access->data = value.out;
    }
    inner().arrays.erase(value.in);
  }

  Sdfg& sdfg_;
  State& state_;
  GuardedMap& map_;
  const std::vector<Branch>& branches_;
  std::vector<Computed> computed_;
  const ReadableNames& visible_;  ///< inside the map
  SymbolSet taken_;  ///< connectors of code
  NodeId node_;
  BlockId conditional_;
};

/// A node of the container that nothing but code precedes.
NodeId source_of(State& state, const std::string& container) {
  const auto by_code = [&](EdgeId e) { return state[state.source(e)].is<Tasklet>(); };
  for (NodeId n : state.nodes())
    if (const auto* access = state[n].as<AccessNode>())
      if (access->data == container && std::ranges::all_of(state.in(n), by_code)) return n;
  return state.add(Node{AccessNode{container}});
}

}  // namespace

const GuardedWrite* GuardedMap::find(std::string_view container, const Subset& element) const {
  const auto found = std::ranges::find_if(writes, [&](const GuardedWrite& w) {
    return w.container == container && w.element == element;
  });
  return found == writes.end() ? nullptr : &*found;
}

namespace {
bool has_total_place(const Sdfg& sdfg, const Memlet& memlet) {
  const auto total = [](const std::optional<Subset>& s) { return !s || is_total(*s); };
  if (!total(memlet.src_subset) || !total(memlet.dst_subset)) return false;
  const Data* data = sdfg.find_data(memlet.data);
  return !data || has_total_layout(*data);
}

Refusal read_map(Sdfg& sdfg, const State& state, NodeId entry, std::size_t branch,
                 const Accesses& accesses, const SymbolSet& visible, SideEffects& effects,
                 GuardedMap& out) {
  const auto scope = find_scope(state, entry);
  const std::string map = "map " + quoted(state[entry].label()) + ": ";
  out.entry = entry, out.exit = scope->exit;
  for (const auto& [name, type] : state[entry].in_connectors)
    if (!name.starts_with("IN_"))
      return map + "the range comes in through connector " + quoted(name);
  if (!is_total(Subset{state.get<MapEntry>(entry).ranges}))
    return map + "its range may divide by zero";
  // What passes the border is looked up whether the branch is taken or not.
  for (const auto& edges : {state.in(entry), state.out(entry), state.in(scope->exit),
                            state.out(scope->exit)})
    for (EdgeId e : edges)
      if (!has_total_place(sdfg, state[e].memlet))
        return map + "the place in " + quoted(state[e].memlet.data) + " may divide by zero";
  const ScopeTree tree = scope_tree_of(state);
  const MovableNodes movable(sdfg, state, tree, entry, accesses, visible, effects);
  SymbolSet names, read;
  for (NodeId n : scope->nodes) {
    if (tree.parent_of(n) != entry) continue;
    if (std::string why = movable.why_it_stays(n); !why.empty()) return map + why;
    movable.collect_names(n, names, read);
  }
  for (const std::string& name : names)
    if (sdfg.arrays.contains(name)) return map + quoted(name) + " is read by name";
  for (EdgeId e : state.in(scope->exit)) {
    if (state[e].memlet.empty()) continue;
    GuardedWrite write;
    if (Refusal why = read_write(sdfg, state, e, branch, write)) return map + why.reason();
    out.writes.push_back(std::move(write));
  }
  out.bodies.emplace(branch, in_order(state, *scope));
  return {};
}
}  // namespace

Refusal read_guarded_map(Sdfg& sdfg, const State& state, NodeId entry, std::size_t branch,
                         const Accesses& accesses, ReadableNames& readable, SideEffects& effects,
                         GuardedMap& out) {
  const NamesInScope inside(readable, sdfg, state, entry);
  return read_map(sdfg, state, entry, branch, accesses, readable.names, effects, out);
}

void adopt(State& to, GuardedMap& first, State& from, GuardedMap& second,
           const Substitution& params) {
  substitute_in_scope(from, *find_scope(from, second.entry), params);
  for (GuardedWrite& write : second.writes) write.element = substitute(write.element, params);
  const auto& [branch, nodes] = *second.bodies.begin();
  std::map<NodeId, NodeId> moved;
  std::vector<NodeId>& body = first.bodies[branch];
  for (NodeId n : nodes) body.push_back(moved[n] = to.add(from[n]));
  for (NodeId n : body)
    if (auto* exit = to[n].as<MapExit>()) exit->entry = moved.at(exit->entry);
  std::map<std::string, std::string> ports;  // of the entry
  for (EdgeId e : from.in(second.entry)) {
    if (from[e].memlet.empty()) continue;
    Edge edge = from[e];
    const std::string old = edge.dst_connector.substr(3);
    const std::string port = ports[old] = add_port(to[first.entry], old);
    edge.dst_connector = "IN_" + port;
    to.connect(source_of(to, from.get<AccessNode>(from.source(e)).data), first.entry,
               std::move(edge));
  }
  for (NodeId n : nodes)
    for (EdgeId e : from.in(n)) {
      Edge edge = from[e];
      if (from.source(e) != second.entry) {
        to.connect(moved.at(from.source(e)), moved.at(n), std::move(edge));
        continue;
      }
      if (!edge.memlet.empty())
        edge.src_connector = "OUT_" + ports.at(edge.src_connector.substr(4));
      to.connect(first.entry, moved.at(n), std::move(edge));
    }
  for (const GuardedWrite& write : second.writes) {
    const EdgeId e = write.values.begin()->second;
    Edge edge = from[e];
    auto same = std::ranges::find_if(first.writes, [&](const GuardedWrite& w) {
      return w.container == write.container && w.element == write.element;
    });
    if (same == first.writes.end()) {
      const std::string port = add_port(to[first.exit], write.port);
      const auto outer = std::ranges::find(from.out(second.exit), "OUT_" + write.port,
                                           [&](EdgeId o) { return from[o].src_connector; });
      Edge leave = from[*outer];
      leave.src_connector = "OUT_" + port;
      to.connect(first.exit, to.add(Node{AccessNode{write.container}}), std::move(leave));
      first.writes.push_back({write.container, write.element, port});
      same = std::prev(first.writes.end());
    }
    edge.dst_connector = "IN_" + same->port;
    same->dynamic = same->dynamic || write.dynamic;
    same->values.emplace(branch, to.connect(moved.at(from.source(e)), first.exit, std::move(edge)));
  }
  std::vector<NodeId> ends;
  for (EdgeId e : from.in(second.entry)) ends.push_back(from.source(e));
  for (EdgeId e : from.out(second.exit)) ends.push_back(from.target(e));
  for (NodeId n : nodes) from.erase(n);
  for (NodeId n : {second.entry, second.exit}) from.erase(n);
  for (NodeId n : ends)
    if (from.contains(n) && from.in(n).empty() && from.out(n).empty()) from.erase(n);
}

void guard(Sdfg& sdfg, State& state, GuardedMap& map, const std::vector<Branch>& branches,
           ReadableNames& readable) {
  // The conditions come into the map, where their symbols must mean the same.
  SymbolSet read;
  for (const Branch& branch : branches)
    if (branch.condition) collect_symbols(*branch.condition->expr(), read);
  const Substitution renamed = rename_bound_names(state, map.entry, read);
  if (!renamed.empty())
    for (GuardedWrite& write : map.writes) write.element = substitute(write.element, renamed);
  const NamesInScope inside(readable, sdfg, state, map.entry);
  Guard(sdfg, state, map, branches, readable).run();
}

}  // namespace sdfg
