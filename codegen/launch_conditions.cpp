// Kernels that do nothing unless a condition holds which the host knows: it asks before it
// launches.
//
// What a kernel does is what others see of it: writes to memory that is not of one thread, and code
// with side effects. Each has the conditions around it in nested SDFGs. Those that the host cannot
// evaluate, or not to the same value as the device, count as true.

#include <algorithm>

#include "codegen/lowering.h"
#include "codegen/scope_nodes.h"
#include "codegen/sdfg_function.h"
#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {

namespace {

bool is_always(const Expr& e) { return e.is(Op::True); }
bool is_never(const Expr& e) { return e.is(Op::False); }

Expr negated(const Expr& e) {
  if (e.is(Op::Not)) return e.arg(0);
  if (is_always(e) || is_never(e)) return Expr::boolean(is_never(e));
  return Expr::make(Op::Not, {e});
}

/// `a or b` (or `a and b`), each part once; a part beside its opposite decides the whole.
Expr joined(Op op, const Expr& a, const Expr& b) {
  const Expr decides = Expr::boolean(op == Op::Or), neutral = negated(decides);
  if (a == neutral && !b.is(op)) return b;
  if (b == neutral && !a.is(op)) return a;
  std::vector<Expr> parts;
  for (const Expr& side : {a, b})
    for (const Expr& part : side.is(op) ? side.args() : std::span(&side, 1)) {
      if (part == decides || std::ranges::find(parts, negated(part)) != parts.end()) return decides;
      if (part != neutral && std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    }
  if (parts.size() < 2) return parts.empty() ? neutral : parts.front();
  return Expr::make(op, std::move(parts));
}
Expr either(const Expr& a, const Expr& b) { return joined(Op::Or, a, b); }
Expr both(const Expr& a, const Expr& b) { return joined(Op::And, a, b); }

bool same_in_functions(const Type& a, const Type& b) {
  return SdfgFunction::symbol_type(a) == SdfgFunction::symbol_type(b);
}

/// An SDFG as a kernel sees it: that which holds the kernel, or one nested inside the kernel.
struct Level {
  const Sdfg& sdfg;
  const TypeTable& types;        ///< of its symbols and scalars
  const Level* outer = nullptr;  ///< none: it holds the kernel
  const State* state = nullptr;  ///< of the outer one: holds the node of this one
  NodeId node{};
  SymbolSet varies{};   ///< names that differ between the iterations around the node
  SymbolSet changes{};  ///< symbols that are assigned inside
  SymbolSet visible{};  ///< connectors that lead to memory which others see
};

class Kernel {
 public:
  Kernel(const Dataflows& flows, const State& state, NodeId entry,
         const std::vector<NodeId>& inside)
      : flows_(flows), tree_(flows.at(&state).tree), entry_(entry), inside_(inside) {
    for (NodeId id : inside_)
      if (const auto* access = state[id].as<AccessNode>()) own_names_.insert(access->data);
  }

  /// When the kernel does something.
  Expr acts(const Level& level, const State& state) const {
    return nodes(level, state, tree_, inside_);
  }

 private:
  Expr nodes(const Level& level, const State& state, const ScopeTree& tree,
             const std::vector<NodeId>& ids) const {
    Expr acts = Expr::boolean(false);
    for (NodeId id : ids) {
      if (is_always(acts)) break;
      if (!state[id].is_entry() && !state[id].is_exit())
        acts = either(acts, node(level, state, tree, id));
    }
    return acts;
  }

  Expr node(const Level& level, const State& state, const ScopeTree& tree, NodeId id) const {
    SymbolSet seen;
    for (EdgeId e : state.out(id))
      if (others_see(level, state, e)) seen.insert(state[e].src_connector);
    if (const auto* tasklet = state[id].as<Tasklet>();
        tasklet && tasklet->side_effects.value_or(tasklet->code.language() != Language::Python))
      return Expr::boolean(true);
    const auto* nested = state[id].as<NestedSdfg>();
    if (!nested || !nested->sdfg) return Expr::boolean(!seen.empty());

    const Sdfg& inner = **nested->sdfg;
    const TypeTable types = symbol_types(inner);
    Level here{.sdfg = inner, .types = types, .outer = &level, .state = &state, .node = id};
    here.visible = std::move(seen);
    for (NodeId around : tree.enclosing(id)) {
      if (const auto* map = state[around].as<MapEntry>())
        here.varies.insert(map->params.begin(), map->params.end());
      for (const auto& [connector, type] : state[around].in_connectors)
        here.varies.insert(connector);
      if (!level.outer && around == entry_) break;
    }
    here.changes = assigned_symbols(inner);
    return region(here, inner);
  }

  Expr region(const Level& level, const Region& region) const {
    Expr acts = Expr::boolean(false);
    for (BlockId id : region.nodes()) {
      if (is_always(acts)) break;
      const Block& block = region[id];
      if (const auto* state = block.as<State>())
        acts = either(acts, nodes(level, *state, flows_.at(state).tree, ids_of(*state)));
      else if (const auto* conditional = block.as<ConditionalBlock>())
        acts = either(acts, branches(level, *conditional));
      else if (const Region* inner = block.region())
        acts = either(acts, this->region(level, *inner));
    }
    return acts;
  }

  Expr branches(const Level& level, const ConditionalBlock& conditional) const {
    Expr acts = Expr::boolean(false);  // from the last branch to the first
    for (std::size_t i = conditional.branches.size(); i-- > 0;) {
      const Branch& branch = conditional.branches[i];
      const Expr taken = region(level, branch.region());
      const auto condition =
          branch.condition ? on_host(level, *branch.condition) : Expr::boolean(true);
      if (!condition)
        acts = either(taken, acts);
      else if (!(taken == acts))
        acts = either(both(*condition, taken), both(negated(*condition), acts));
    }
    return acts;
  }

  static std::vector<NodeId> ids_of(const State& state) {
    return {state.nodes().begin(), state.nodes().end()};
  }

  /// Does the edge lead to memory that is not of one thread?
  bool others_see(const Level& level, const State& state, EdgeId e) const {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty()) return false;
    const NodeId target = path_target(state, e);
    if (!level.outer && !tree_.contains(entry_, target)) return true;
    const auto* access = state[target].as<AccessNode>();
    const std::string& container = access ? access->data : memlet.data;
    const Data* data = level.sdfg.find_data(container);
    if (!data) return true;
    if (!data->transient) return !level.outer || level.visible.contains(container);
    return data->is_view() || data->is_reference() || data->is_stream() ||
           data->storage == Storage::GpuGlobal || belongs_to_program(*data);
  }

  /// The condition in names of the host.
  std::optional<Expr> on_host(const Level& level, const Code& condition) const {
    if (condition.always_true()) return Expr::boolean(true);
    const Expr* expr = condition.expr();
    if (!expr) return std::nullopt;
    const Level* top = &level;
    while (top->outer) top = top->outer;
    const auto translated = translate(level, *expr);
    return translated && is_exact(*translated, top->types) ? translated : std::nullopt;
  }

  std::optional<Expr> translate(const Level& level, const Expr& expr) const {
    Substitution names;
    for (const std::string& name : free_symbols(expr)) {
      const auto value = value_of(level, name);
      if (!value) return std::nullopt;
      names.emplace(name, *value);
    }
    return substitute_as_written(expr, names);
  }

  /// What the host calls a symbol or a scalar that all threads agree on.
  std::optional<Expr> value_of(const Level& level, const std::string& name) const {
    if (level.sdfg.constants.contains(name) || level.changes.contains(name)) return std::nullopt;
    const auto type = level.types.find(name);
    if (type == level.types.end()) return std::nullopt;
    const Data* data = level.sdfg.find_data(name);
    if (!level.outer) {
      const bool of_host = !data || (data->is_scalar() && !data->is_view() &&
                                     data->storage != Storage::GpuGlobal &&
                                     !own_names_.contains(name));
      return of_host ? std::optional(Expr::symbol(name)) : std::nullopt;
    }
    const Level& outer = *level.outer;
    if (data) {
      const std::string source = data->is_scalar() ? passed_for(level, name) : "";
      const auto given = outer.types.find(source);
      if (given == outer.types.end() || !(given->second == type->second)) return std::nullopt;
      return value_of(outer, source);
    }
    const auto& mapping = (*level.state)[level.node].as<NestedSdfg>()->symbol_mapping;
    const auto mapped = mapping.find(name);
    if (mapped == mapping.end()) return std::nullopt;
    const Expr& value = mapped->second;
    for (const std::string& symbol : free_symbols(value)) {
      const auto given = outer.types.find(symbol);
      if (level.varies.contains(symbol) || given == outer.types.end() ||
          !same_in_functions(given->second, value.is(Op::Symbol) ? type->second : Type()))
        return std::nullopt;
    }
    if (!value.is(Op::Symbol) && (!is_plain(value) || !same_in_functions(type->second, Type())))
      return std::nullopt;
    return translate(outer, value);
  }

  /// The scalar of the outer SDFG that a connector only reads; empty: none.
  static std::string passed_for(const Level& level, const std::string& connector) {
    const State& state = *level.state;
    for (EdgeId e : state.out(level.node))
      if (state[e].src_connector == connector) return "";
    for (EdgeId e : state.in(level.node)) {
      if (state[e].dst_connector != connector || state[e].memlet.empty()) continue;
      const auto* access = state[path_source(state, e)].as<AccessNode>();
      const Data* data = access ? level.outer->sdfg.find_data(access->data) : nullptr;
      const bool given = data && data->is_scalar() && (!data->transient || !level.outer->outer);
      return given ? access->data : "";
    }
    return "";
  }

  /// Does host code compute the same value as device code? Not where a device may contract or round
  /// floating-point arithmetic otherwise.
  static bool is_exact(const Expr& e, const TypeTable& types, bool whole_numbers = false) {
    switch (e.op()) {
      case Op::Integer: return true;
      case Op::Float: case Op::True: case Op::False: return !whole_numbers;
      case Op::Symbol: return !whole_numbers || types.find(e.name())->second.is_signed_integer();
      case Op::And: case Op::Or: case Op::Not:
      case Op::Eq: case Op::Ne: case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge:
        if (whole_numbers) return false;
        break;
      case Op::Add: case Op::Sub: case Op::Neg: case Op::Mul: case Op::Min: case Op::Max:
        whole_numbers = true;
        break;
      default: return false;
    }
    return std::ranges::all_of(
        e.args(), [&](const Expr& a) { return is_exact(a, types, whole_numbers); });
  }

  const Dataflows& flows_;
  const ScopeTree& tree_;
  NodeId entry_;
  const std::vector<NodeId>& inside_;
  SymbolSet own_names_;  ///< of containers that the kernel's nodes access
};

}  // namespace

std::optional<Expr> launch_condition(const Sdfg& sdfg, const TypeTable& types,
                                     const Dataflows& flows, const State& state, NodeId entry,
                                     const std::vector<NodeId>& inside) {
  // Conditions are around what nested SDFGs do.
  if (std::ranges::none_of(inside, [&](NodeId id) { return state[id].is<NestedSdfg>(); }))
    return std::nullopt;
  const Kernel kernel(flows, state, entry, inside);
  const Expr acts = kernel.acts(Level{.sdfg = sdfg, .types = types}, state);
  if (is_never(acts) || certain(is_true(acts))) return std::nullopt;
  return acts;
}

}  // namespace sdfg
