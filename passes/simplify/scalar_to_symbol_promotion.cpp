#include "passes/simplify/scalar_to_symbol_promotion.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/expr_symbols.h"
#include "ir/graph_algorithms.h"
#include "ir/walk.h"
#include "passes/common/accesses.h"
#include "passes/common/blocks.h"
#include "passes/common/connector_index.h"
#include "passes/common/decide.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/loop_range.h"
#include "passes/common/one_element.h"
#include "passes/common/order_edge.h"
#include "passes/common/removal.h"
#include "passes/common/scope.h"
#include "passes/common/side_effects.h"
#include "passes/common/state_trails.h"
#include "passes/common/tasklet_code.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Integers that tasklets and interstate edges compute alike, and truth values.
bool is_promotable(const Type& type) {
  return type.is_bool() || type.base() == BaseType::Int32 || type.base() == BaseType::Int64;
}

bool is_truth_value(const Expr& e) {
  if (e.is(Op::Select)) return is_truth_value(e.arg(1)) && is_truth_value(e.arg(2));
  const Op op = e.op();
  return op == Op::True || op == Op::False || op == Op::And || op == Op::Or || op == Op::Not ||
         (op >= Op::Eq && op <= Op::Ge);
}

bool has_subscript_of(const Expr& e, const std::string& name) {
  return (e.is(Op::Subscript) && e.arg(0).is_symbol(name)) ||
         std::ranges::any_of(e.args(), [&](const Expr& a) { return has_subscript_of(a, name); });
}

/// The one assignment that a tasklet consists of.
const Assign* only_assignment(const Tasklet& tasklet) {
  const Statements* statements = tasklet.code.statements();
  if (!statements || statements->size() != 1) return nullptr;
  const auto* assign = std::get_if<Assign>(&statements->front().kind);
  return assign && !assign->augmented && assign->target.is(Op::Symbol) ? assign : nullptr;
}

/// Where the scalar gets a value.
struct Write {
  State* state;
  NodeId node, producer;  ///< the scalar's access node, and a tasklet or an access node
  EdgeId edge;
};
/// An edge that hands the scalar's value to its reader.
struct Read {
  State* state;
  EdgeId leaf;
};
struct Argument;
struct Scalar {
  std::string name;
  std::vector<Write> writes;
  std::vector<Read> reads;
  std::vector<Argument> arguments;  ///< what it is in the nested SDFGs among its readers
  bool controls = false;            ///< a condition, an assignment or a range reads it
};
class Promotion;
struct Argument {
  Promotion* inside;
  Scalar scalar;
};

/// Decides for one SDFG, and rewrites it when all is decided.
class Promotion {
 public:
  Promotion(Sdfg& sdfg, const Trail& trail, const ScalarToSymbolPromotion::Options& options,
            const GpuMemory& gpu, LazyAliases& aliases, const LazyAssumptions& granted,
            PassContext& context)
      : sdfg_(sdfg), trail_(trail), options_(options), gpu_(gpu), aliases_(aliases),
        granted_(granted), context_(context), accesses_(sdfg), states_(sdfg, trail) {
    for (const auto& [state, here] : states_.states())
      for (NodeId n : state->nodes())
        if (const auto* access = (*state)[n].as<AccessNode>(); access && !state->in(n).empty())
          written_[state].insert(access->data);
  }

  Changed run() {
    NameSet seen;
    for (const auto& [state, trail] : states_.states()) {
      const auto sorted = topological_order(*state);
      if (!sorted) continue;
      for (NodeId n : *sorted)
        if (const auto* access = (*state)[n].as<AccessNode>();
            access && !state->in(n).empty() && is_candidate(access->data) &&
            seen.insert(access->data).second)
          consider(access->data, trail->in(*state, n));
    }
    if (scalars_.empty()) return Changed::No;
    rewrite();
    return Changed::Yes;
  }

 private:
  void rewrite() {
    for (const auto& inside : inside_)
      if (!inside->scalars_.empty()) inside->rewrite();
    for (const Scalar& scalar : scalars_)
      for (const Read& read : scalar.reads) rewrite_reader(scalar.name, read);
    for (const Scalar& scalar : scalars_)
      for (const Write& write : scalar.writes)
        values_[{write.state, write.node}] = {scalar.name, value(write)};
    remove_nodes();
    for (const Scalar& scalar : scalars_) {
      const Type type = sdfg_.arrays.at(scalar.name).dtype;
      sdfg_.arrays.erase(scalar.name);
      std::erase(sdfg_.arg_names, scalar.name);
      sdfg_.symbols.insert_or_assign(scalar.name, type);
    }
    insert_assignments(sdfg_);
  }

  bool is_candidate(const std::string& name) const {
    const Data* data = sdfg_.arrays.get(name);
    if (!data || !data->transient || data->role() != Role::Plain || data->is_stream() ||
        data->is_structure() || !is_promotable(data->dtype))
      return false;
    return !outlives_run(*data) && is_one_element(*data);
  }

  void consider(const std::string& name, const Trail& trail) {
    Scalar scalar{name};
    Refusal why = check(scalar);
    if (!why && options_.only_control && !scalar.controls)
      why = "no condition, assignment or range reads it";
    if (why) return context_.refused(trail, why);
    if (!context_.may_apply()) return;
    context_.applied(trail, quoted(name) + " is a symbol now");
    accept(std::move(scalar));
  }

  void accept(Scalar scalar) {
    for (Argument& argument : scalar.arguments) argument.inside->accept(std::move(argument.scalar));
    promoted_.insert(scalar.name);
    scalars_.push_back(std::move(scalar));
  }

  // ---- Deciding.

  Refusal check(Scalar& scalar) {
    const std::string& name = scalar.name;
    if (has_references_) return "references may look at anything";
    if (gpu_.is_out_of_reach(sdfg_, name))
      return quoted(name) + " is in GPU memory, and control flow runs on the host";
    if (accesses_.is_named(name))
      if (Refusal why = check_names(name)) return why;
    std::map<State*, NodeId> written;
    for (const auto& [state, node] : accesses_.sites(name)) {
      if (state->in(node).empty()) continue;
      Write write{state, node, {}, {}};
      if (Refusal why = check_write(write)) return why;
      if (write.producer && !written.emplace(state, write.producer).second)
        return quoted(name) + " is written twice in a state";
      if (write.producer) scalar.writes.push_back(write);
    }
    if (scalar.writes.empty() && sdfg_.arrays.at(name).transient) return "nothing writes it";
    scalar.controls = accesses_.is_named(name);
    for (const auto& [state, node] : accesses_.sites(name)) {
      const auto in_state = written.find(state);
      const bool new_value = std::ranges::any_of(scalar.writes, [&](const Write& w) {
        return w.state == state && w.node == node;
      });
      for (EdgeId e : state->out(node)) {
        if ((*state)[e].memlet.empty()) continue;
        if (in_state != written.end() && !new_value && state->target(e) != in_state->second)
          return "the value before is read in a state that writes a new one";
        for (EdgeId leaf : index(*state).leaves(e, true)) {
          if (Refusal why = check_read(scalar, *state, leaf)) return why;
          scalar.controls |= (*state)[state->target(leaf)].is<MapEntry>();
          scalar.reads.push_back({state, leaf});
        }
      }
    }
    return {};
  }

  /// Conditions and assignments read the name, so they may go on doing it.
  Refusal check_names(const std::string& name) const {
    bool indexed = false;
    const auto look = [&](const Expr& e) { indexed = indexed || has_subscript_of(e, name); };
    const auto look_at = [&](const RareOptional<Code>& code) {
      if (code && mentions(*code, name) && code->text().find('[') != std::string::npos)
        indexed = true;
    };
    for_each_interstate_edge(sdfg_, [&](const InterstateEdge& edge) {
      look_at(edge.condition);
      for (const auto& [target, value] : edge.assignments) look(value);
    });
    for_each_block(sdfg_, [&](const Block& block) {
      if (const auto* loop = block.as<LoopRegion>())
        for (const auto* code :
             {&loop->init_statement, &loop->loop_condition, &loop->update_statement})
          look_at(*code);
      if (const auto* conditional = block.as<ConditionalBlock>())
        for (const Branch& branch : conditional->branches) look_at(branch.condition);
    });
    return indexed ? Refusal("control flow may read an element of it") : Refusal();
  }

  Refusal check_write(Write& write) {
    const State& state = *write.state;
    for (EdgeId e : state.in(write.node)) {
      if (state[e].memlet.empty()) continue;
      if (write.producer) return "several edges write it";
      write.edge = e, write.producer = state.source(e);
    }
    if (!write.producer) return {};
    const std::string& name = state.get<AccessNode>(write.node).data;
    const Memlet& memlet = state[write.edge].memlet;
    if (memlet.wcr || memlet.dynamic || state.get<AccessNode>(write.node).setzero)
      return "a write resolves conflicts or may not happen";
    if (tree(state).parent_of(write.node) || state[write.producer].is_exit())
      return "it is written inside a scope";
    if (state[write.producer].is<AccessNode>())
      return check_input(state, write.producer, source_subset(state, write), name);
    const auto* tasklet = state[write.producer].as<Tasklet>();
    if (!tasklet) return quoted(state[write.producer].label()) + ", which writes it, is no tasklet";
    const std::string label = "tasklet " + quoted(tasklet->label);
    const Assign* assign = only_assignment(*tasklet);
    if (!assign || state.out(write.producer).size() != 1 ||
        effects_.of(sdfg_, state[write.producer]) ||
        !assign->target.is_symbol(state[write.edge].src_connector))
      return label + " does more than compute the value";
    if (!is_plain(assign->value, write))
      return label + " computes what a condition would compute differently";
    const bool truth = sdfg_.find_data(name)->dtype.is_bool();
    if (converts(state[write.producer].out_connectors.at(state[write.edge].src_connector), name))
      return label + " converts it";
    if (truth != is_truth_value(assign->value) && !assign->value.is(Op::Symbol))
      return label + " converts a truth value";
    if (assign->value.is(Op::Integer) && sdfg_.find_data(name)->dtype.base() == BaseType::Int32 &&
        assign->value.value() != std::int32_t(assign->value.value()))
      return label + " converts a number";
    for (EdgeId e : state.in(write.producer)) {
      const Memlet& in = state[e].memlet;
      if (!carries_data(state[e])) continue;
      if (in.dynamic || !state[state.source(e)].is<AccessNode>())
        return label + " reads something else than an element";
      if (converts(state[write.producer].in_connectors.at(state[e].dst_connector), in.data))
        return label + " converts " + quoted(in.data);
      if (Refusal why = check_input(state, state.source(e), in.subset(), name)) return why;
    }
    return {};
  }

  /// Is the value the same in a tasklet and on an interstate edge? Divisions round differently, but
  /// for symbols that are not negative.
  bool is_plain(const Expr& e, const Write& write) {
    const auto all_plain = [&] {
      return std::ranges::all_of(e.args(), [&](const Expr& arg) { return is_plain(arg, write); });
    };
    switch (e.op()) {
      case Op::Integer: case Op::True: case Op::False: case Op::Symbol:
        return true;
      case Op::Add: case Op::Sub: case Op::Mul: case Op::Neg: case Op::Min: case Op::Max:
      case Op::And: case Op::Or: case Op::Not:
      case Op::Eq: case Op::Ne: case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge:
      case Op::Select:
        return all_plain();
      case Op::FloorDiv: case Op::Mod: {
        const auto& inputs = (*write.state)[write.producer].in_connectors;
        return all_plain() && !any_symbol(e, [&](const auto& name) {
          return inputs.contains(name);
        }) && is_integer_arithmetic(e, known_in(*write.state));
      }
      default:
        return false;
    }
  }

  /// What holds of symbols in the state, loops around it included.
  Assumptions known_in(const State& state) {
    Assumptions known = granted_.get();
    for (const Trail* at = &states_.of(state); at && at->block; at = at->up)
      if (const auto* loop = at->block->as<LoopRegion>())
        if (const auto& range = range_of(*loop)) assume_loop(*range, known);
    return known;
  }
  /// Where the loop's variable lies in its body, if that can be told.
  const std::optional<LoopRange>& range_of(const LoopRegion& loop) {
    const auto [found, is_new] = loops_.try_emplace(&loop);
    if (is_new)
      if (const auto range = ranges_.of(loop);
          range && !range->inverted && !check_values(loop, *range))
        found->second = *range;
    return found->second;
  }

  /// Is what passes the connector converted, given that it comes from or goes to the container?
  bool converts(const Type& connector, std::string_view data) const {
    return connector.known() && !(connector == sdfg_.find_data(data)->dtype);
  }

  std::optional<Subset> source_subset(const State& state, const Write& write) const {
    const Memlet& memlet = state[write.edge].memlet;
    return memlet.src_subset ? memlet.src_subset : std::optional<Subset>();
  }

  /// Do the names hold the container's, or another one of memory that may be the same?
  bool names_any(const NameSet& names, const std::string& container) const {
    if (names.contains(container)) return true;
    const Aliases& aliases = aliases_.of(sdfg_);
    return aliases.contains(container) && std::ranges::any_of(names, [&](const std::string& name) {
      return may_be_same(aliases, container, name);
    });
  }
  /// May an assignment in front of the state read the element instead?
  Refusal check_input(const State& state, NodeId node, const std::optional<Subset>& subset,
                      const std::string& name) const {
    const std::string& from = state.get<AccessNode>(node).data;
    const Data* data = sdfg_.arrays.get(from);
    if (from == name || promoted_.contains(from)) return {};
    if (const auto written = written_.find(&state);
        written != written_.end() && names_any(written->second, from))
      return quoted(from) + ", which it is computed from, is written in the same state";
    if (!data || !is_promotable(data->dtype)) return quoted(from) + " holds other values";
    if (gpu_.is_out_of_reach(sdfg_, from))
      return quoted(from) + ", which it is computed from, is in GPU memory, and control flow runs "
                            "on the host";
    if (data->dtype.bytes() > sdfg_.find_data(name)->dtype.bytes())
      return quoted(from) + " holds wider values";
    if (data->dtype.is_bool() != sdfg_.find_data(name)->dtype.is_bool())
      return "a truth value is converted";
    if (data->is_scalar()) return {};
    const Array* array = data->as_array();
    if (!array || !std::ranges::all_of(array->offset, [](const Expr& e) { return e == Expr(0); }))
      return quoted(from) + " is no array that starts at 0";
    if (!subset || !(num_elements(*subset) == Expr(1)))
      return "which element of " + quoted(from) + " is read cannot be told";
    for (const Range& range : subset->ranges)
      if (differs_in_code(range.begin, sdfg_))
        return "an assignment would compute the index of " + quoted(from) + " otherwise";
    return {};
  }

  Refusal check_read(Scalar& scalar, State& state, EdgeId leaf) {
    const std::string& name = scalar.name;
    const NodeId to = state.target(leaf);
    Node& node = state[to];
    const std::string& connector = state[leaf].dst_connector;
    for (NodeId scope : tree(state).enclosing(to))
      if (Refusal why = check_binding(state[scope], name)) return why;
    if (const auto* tasklet = node.as<Tasklet>()) {
      const std::string label = "tasklet " + quoted(tasklet->label);
      if (!tasklet->code.statements()) return label + " is not Python";
      if (converts(node.in_connectors.at(connector), name)) return label + " converts it";
      if (mentions(tasklet->code, name)) return label + " uses the name otherwise";
      SymbolSet assigned;
      collect_assigned(*tasklet->code.statements(), assigned);
      if (assigned.contains(connector)) return label + " assigns to its input";
      return {};
    }
    if (const auto* access = node.as<AccessNode>()) {
      const Data& data = *sdfg_.find_data(access->data);
      const Memlet& memlet = state[leaf].memlet;
      if (data.role() != Role::Plain || data.is_stream() || data.is_structure() || memlet.wcr ||
          memlet.dynamic)
        return "the copy to " + quoted(access->data) + " is more than a copy";
      if (!memlet.dst_subset)
        return "what is copied to " + quoted(access->data) + " cannot be told";
      if (gpu_.is_out_of_reach(sdfg_, access->data) && !tree(state).parent_of(to))
        return quoted(access->data) + ", to which it is copied, is in GPU memory, which no tasklet "
                                      "on the host can write";
      return {};
    }
    if (const auto* map = node.as<MapEntry>(); map && !connector.starts_with("IN_")) {
      if (connector != name)
        if (Refusal why = check_binding(node, name)) return why;
      const Scope scope = find_scope(state, to).value();
      return check_substitution(sdfg_, state, scope, {{connector, Expr::symbol(name)}});
    }
    if (node.is<NestedSdfg>()) return check_argument(scalar, node, connector);
    return quoted(node.label()) + " reads it, which is no tasklet, container, map or nested SDFG";
  }

  /// That a scope gives the name of the scalar another meaning inside.
  static Refusal check_binding(const Node& entry, const std::string& name) {
    const auto* map = entry.as<MapEntry>();
    const auto* consume = entry.as<ConsumeEntry>();
    if ((map && std::ranges::count(map->params, name) > 0) || entry.in_connectors.contains(name) ||
        (consume && consume->pe_index == name))
      return quoted(entry.label()) + ", in which it is read, gives its name another meaning";
    return {};
  }

  /// Can what the nested SDFG is given be a symbol inside, too? One that writes it has been refused
  /// as its writer.
  Refusal check_argument(Scalar& scalar, Node& node, const std::string& connector) {
    auto& nested = *node.as<NestedSdfg>();
    const std::string label = quoted(node.label());
    if (!nested.sdfg || !is_one_element(*(*nested.sdfg)->find_data(connector)))
      return label + " may take it as more than one element";
    Promotion*& inside = inside_of_[&nested];
    if (!inside)
      inside = inside_.emplace_back(std::make_unique<Promotion>(
          **nested.sdfg, trail_, options_, gpu_, aliases_, granted_inside_, context_)).get();
    Scalar argument{connector};
    if (const Refusal why = inside->check(argument)) return "inside " + label + ": " + why.reason();
    scalar.controls |= argument.controls;
    scalar.arguments.push_back({inside, std::move(argument)});
    return {};
  }

  /// Names that statements assign, at any depth.
  static void collect_assigned(const Statements& statements, SymbolSet& out) {
    for (const Statement& statement : statements) {
      if (const auto* assign = std::get_if<Assign>(&statement.kind)) {
        const Expr* target = &assign->target;  // what stands in its brackets is read
        while (target->is(Op::Subscript)) target = &target->arg(0);
        collect_symbols(*target, out);
      }
      if (const auto* choice = std::get_if<IfStatement>(&statement.kind))
        collect_assigned(choice->then, out), collect_assigned(choice->otherwise, out);
      if (const auto* loop = std::get_if<WhileStatement>(&statement.kind))
        collect_assigned(loop->body, out);
      if (const auto* loop = std::get_if<ForStatement>(&statement.kind))
        collect_symbols(loop->target, out), collect_assigned(loop->body, out);
    }
  }

  // ---- Rewriting.

  void rewrite_reader(const std::string& name, const Read& read) {
    State& state = *read.state;
    const NodeId to = state.target(read.leaf), from = state.source(read.leaf);
    const Substitution symbol{{state[read.leaf].dst_connector, Expr::symbol(name)}};
    if (auto* tasklet = state[to].as<Tasklet>()) {
      tasklet->code = substitute(tasklet->code, symbol);
    } else if (auto* map = state[to].as<MapEntry>()) {
      for (Range& range : map->ranges) range = substitute(Subset{{range}}, symbol).ranges[0];
      substitute_in_scope(state, *find_scope(state, to), symbol);
    } else if (auto* nested = state[to].as<NestedSdfg>()) {
      nested->symbol_mapping.insert(*symbol.begin());
    } else {
      Edge write;
      write.src_connector = sdfg_.fresh_name("o");  // no container may have a connector's name
      write.memlet =
          Memlet::write(state.get<AccessNode>(to).data, *state[read.leaf].memlet.dst_subset);
      const NodeId tasklet = state.add(Node{
          Tasklet{.label = "assign_" + name, .code = Code(write.src_connector + " = " + name)}});
      state[tasklet].out_connectors[write.src_connector] = {};
      state.connect(from, tasklet, {});
      state.connect(tasklet, to, std::move(write));
    }
  }

  /// What the producer computes, from containers and symbols in front of the state.
  Expr value(const Write& write) const {
    const State& state = *write.state;
    if (state[write.producer].is<AccessNode>())
      return element(state.get<AccessNode>(write.producer).data, source_subset(state, write));
    Substitution inputs;
    for (EdgeId e : state.in(write.producer))
      if (!state[e].memlet.empty())
        inputs.emplace(state[e].dst_connector, element(state.get<AccessNode>(state.source(e)).data,
                                                       state[e].memlet.subset()));
    return substitute_as_written(only_assignment(state.get<Tasklet>(write.producer))->value,
                                 inputs);
  }

  Expr element(const std::string& data, const std::optional<Subset>& subset) const {
    if (promoted_.contains(data) || sdfg_.arrays.at(data).is_scalar()) return Expr::symbol(data);
    std::vector<Expr> indexed{Expr::symbol(data)};
    for (const Range& range : subset->ranges) indexed.push_back(range.begin);
    return Expr::make(Op::Subscript, std::move(indexed));
  }

  void remove_nodes() {
    std::map<State*, std::vector<EdgeId>> edges;
    std::map<State*, std::vector<NodeId>> nodes;
    for (const Scalar& scalar : scalars_) {
      for (const Read& read : scalar.reads)
        for (EdgeId e : memlet_path(*read.state, read.leaf)) edges[read.state].push_back(e);
      for (const auto& [state, node] : accesses_.sites(scalar.name)) nodes[state].push_back(node);
      for (const Write& write : scalar.writes)
        if ((*write.state)[write.producer].is<Tasklet>())
          nodes[write.state].push_back(write.producer);
    }
    for (auto& [state, trail] : states_.states()) {
      if (!nodes.contains(state)) continue;
      const ScopeTree scopes = scope_tree_of(*state);
      const std::vector<NodeId> order = *topological_order(*state);
      for (NodeId n : order)
        if (const auto found = values_.find({state, n}); found != values_.end())
          assignments_[state].push_back(found->second);
      Removal removal(sdfg_, *state, scopes, order, effects_, aliases_);
      for (EdgeId e : edges[state]) removal.remove(e);
      for (NodeId n : nodes[state]) removal.remove(n);
      removal.apply();
    }
  }

  /// A state in front of the one that wrote, for each value; from the inside out, as regions move
  /// when they get blocks.
  void insert_assignments(Region& region) {
    std::vector<std::pair<BlockId, std::vector<std::pair<std::string, Expr>>>> here;
    for (BlockId b : region.nodes()) {
      if (Region* inner = region[b].region()) insert_assignments(*inner);
      if (auto* conditional = region[b].as<ConditionalBlock>())
        for (Branch& branch : conditional->branches) insert_assignments(branch.region());
      if (auto* state = region[b].as<State>())
        if (const auto found = assignments_.find(state); found != assignments_.end())
          here.emplace_back(b, found->second);
    }
    if (here.empty()) return;
    std::optional<BlockId> first = start(region);
    Labels labels(region);
    for (const auto& [block, assignments] : here) {
      BlockId before = block;
      for (auto at = assignments.rbegin(); at != assignments.rend(); ++at) {
        const BlockId added =
            region.add(Block{labels.take(region[block].label + "_before"), State{}});
        move_ways_in(region, before, added);
        InterstateEdge edge;
        edge.assignments.insert(at->first, at->second);
        region.connect(added, before, std::move(edge));
        if (first == before) first = added;
        before = added;
      }
    }
    keep_start(region, first);
  }

  const ScopeTree& tree(const State& state) {
    auto found = trees_.find(&state);
    if (found == trees_.end()) found = trees_.emplace(&state, scope_tree_of(state)).first;
    return found->second;
  }
  ConnectorIndex& index(const State& state) {
    auto found = indices_.find(&state);
    if (found == indices_.end()) found = indices_.emplace(&state, ConnectorIndex(state)).first;
    return found->second;
  }

  Sdfg& sdfg_;
  const Trail& trail_;
  const ScalarToSymbolPromotion::Options& options_;
  const GpuMemory& gpu_;
  LazyAliases& aliases_;
  const LazyAssumptions& granted_;
  const Assumptions nothing_;
  const LazyAssumptions granted_inside_{nothing_};
  PassContext& context_;
  Accesses accesses_;
  StateTrails states_;
  LoopRanges ranges_{sdfg_};
  SideEffects effects_;
  bool has_references_ = std::ranges::any_of(
      sdfg_.arrays, [](const auto& entry) { return entry.second.role() == Role::Reference; });
  std::vector<Scalar> scalars_;
  NameSet promoted_;
  std::vector<std::unique_ptr<Promotion>> inside_;  ///< nested SDFGs that are given scalars
  // By state or node; looked up, never iterated.
  std::map<const State*, NameSet> written_;
  std::map<const LoopRegion*, std::optional<LoopRange>> loops_;
  std::map<const State*, ScopeTree> trees_;
  std::map<const State*, ConnectorIndex> indices_;
  std::map<std::pair<const State*, NodeId>, std::pair<std::string, Expr>> values_;
  std::map<const NestedSdfg*, Promotion*> inside_of_;
  std::map<const State*, std::vector<std::pair<std::string, Expr>>> assignments_;
};

}  // namespace

Result<Changed> ScalarToSymbolPromotion::run(Sdfg& sdfg, const Options& options,
                                             PassContext& context) {
  const GpuMemory gpu(sdfg);
  LazyAliases aliases(sdfg);
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context),
                      [&](Sdfg& each, const Trail& trail, const LazyAssumptions& granted) {
                        return Promotion(each, trail, options, gpu, aliases, granted, context)
                            .run();
                      });
}

}  // namespace sdfg
