#include "passes/inside_maps/tasklet_fusion.h"

#include <algorithm>
#include <map>
#include <memory>

#include "ir/analysis/connector_types.h"
#include "ir/analysis/expression_types.h"
#include "ir/graph_algorithms.h"
#include "passes/common/accesses.h"
#include "passes/common/order_edge.h"
#include "passes/common/side_effects.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// A tasklet's result on its way into another tasklet.
struct Link {
  EdgeId write;               ///< out of the first tasklet
  NodeId scalar;              ///< none: the tasklets are connected directly
  std::vector<EdgeId> reads;  ///< into the second tasklet
};

class Fuser {
 public:
  Fuser(Sdfg& sdfg, SideEffects& effects, PassContext& context)
      : sdfg_(sdfg), accesses_(sdfg), symbols_(symbol_types(sdfg)), effects_(effects),
        context_(context) {}

  void on_state(State& state, const Trail& trail) {
    const std::vector<NodeId> order = topological_order(state).value();
    links_.clear();
    std::map<NodeId, std::vector<NodeId>> parts;  // of the last tasklet of a tree: those before it
    std::map<NodeId, NodeId> last;
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      const std::optional<Link> link = find_link(state, *n);
      if (!link) continue;
      const Trail here = trail.in(state, *n);
      if (const Refusal why = check(state, *n, *link)) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) break;
      const NodeId next = state.target(link->reads.front());
      const auto found = last.find(next);
      const NodeId end = found == last.end() ? next : found->second;
      context_.applied(here, "now the beginning of " + quoted(state[end].label()));
      last[*n] = end;
      parts[end].push_back(*n);
      links_.emplace(*n, *link);
    }
    for (auto& [end, before] : parts) {
      std::ranges::reverse(before);
      fuse(state, before, end);
      changed_ = Changed::Yes;
    }
  }

  Changed finish() {
    for (const std::string& name : gone_) sdfg_.arrays.erase(name);
    return changed_;
  }

 private:
  /// A tasklet with one out-edge that leads, perhaps through a scalar, to tasklets.
  std::optional<Link> find_link(const State& state, NodeId n) const {
    if (!state[n].is<Tasklet>() || state.out(n).size() != 1) return std::nullopt;
    Link link{state.out(n)[0], {}, {}};
    const NodeId to = state.target(link.write);
    if (!carries_data(state[link.write])) return std::nullopt;
    if (state[to].is<Tasklet>()) {
      link.reads = {link.write};
      return link;
    }
    const auto* access = state[to].as<AccessNode>();
    const Data* data = access ? sdfg_.arrays.get(access->data) : nullptr;
    if (!data || !data->transient || state.out(to).empty()) return std::nullopt;
    link.scalar = to;
    link.reads.assign(state.out(to).begin(), state.out(to).end());
    for (EdgeId e : link.reads)
      if (!state[state.target(e)].is<Tasklet>()) return std::nullopt;
    return link;
  }

  static Refusal check_code(const Tasklet& tasklet, bool only_assignments) {
    const Statements* statements = tasklet.code.statements();
    if (!statements) return "the code of " + quoted(tasklet.label) + " is not Python";
    if (!tasklet.code_global->empty() || !tasklet.code_init->empty() ||
        !tasklet.code_exit->empty() || !tasklet.state_fields->empty())
      return quoted(tasklet.label) + " has code outside of the program";
    if (tasklet.instrument != Instrumentation::None)
      return quoted(tasklet.label) + " is instrumented";
    if (!only_assignments) return {};
    for (const Statement& s : *statements) {
      const auto* assign = std::get_if<Assign>(&s.kind);
      if (!assign || !assign->target.is(Op::Symbol) || assign->augmented || assign->annotation)
        return "the code of " + quoted(tasklet.label) + " is not made of assignments to names";
    }
    return {};
  }

  Refusal check(const State& state, NodeId n, const Link& link) {
    const Tasklet& tasklet = state.get<Tasklet>(n);
    const NodeId next = state.target(link.reads.front());
    for (EdgeId e : link.reads) {
      if (state.target(e) != next) return "several tasklets read the result";
      if (!carries_data(state[e]) || state[e].memlet.dynamic)
        return quoted(state[next].label()) + " does not read the result for certain";
    }
    if (Refusal why = check_code(tasklet, true)) return why;
    if (Refusal why = check_code(state.get<Tasklet>(next), false)) return why;
    if (Refusal why = check_inputs(state, n, link)) return why;
    for (NodeId code : {n, next})
      if (effects_.of(sdfg_, state[code])) return quoted(state[code].label()) + " has side effects";
    const Edge& write = state[link.write];
    if (write.memlet.wcr) return "the result resolves conflicting writes";
    if (write.memlet.dynamic) return "the result is written only sometimes";
    const auto writes_result = [&](const Statement& s) {
      return std::get<Assign>(s.kind).target.is_symbol(write.src_connector);
    };
    // A local variable has the type of its first value, so a second one might be converted.
    if (std::ranges::count_if(*tasklet.code.statements(), writes_result) != 1)
      return "the code of " + quoted(tasklet.label) + " does not assign " +
             quoted(write.src_connector) + " once";
    // decltype(o)(0): a new variable has no type before its first value.
    for (const Statement& s : *tasklet.code.statements())
      if (writes_result(s) && uses_symbol(std::get<Assign>(s.kind).value, write.src_connector))
        return "the code of " + quoted(tasklet.label) + " asks for the type of its result";
    const auto type = state[n].out_connectors.find(write.src_connector);
    const Data* data = sdfg_.find_data(write.memlet.data);
    // Code may name a structure's type where a connector has it.
    if ((type != state[n].out_connectors.end() && type->second.base() == BaseType::Struct) ||
        (data && data->dtype.base() == BaseType::Struct))
      return "the result is a structure";
    if (link.scalar == NodeId{}) return {};
    return check_scalar(state, link);
  }

  /// A value that several connectors had may be in one variable, and is taken only once.
  Refusal check_inputs(const State& state, NodeId n, const Link& link) const {
    const auto check = [](const Tasklet& tasklet, std::string_view connector) -> Refusal {
      SymbolSet targets;
      collect_targets(*tasklet.code.statements(), targets);
      if (!targets.contains(connector)) return {};
      return "the code of " + quoted(tasklet.label) + " assigns to its input " + quoted(connector);
    };
    for (EdgeId e : state.in(n)) {
      const Data* data = sdfg_.find_data(state[e].memlet.data);
      if (data && data->is_stream())
        return quoted(state[n].label()) + " takes its input from the stream " +
               quoted(state[e].memlet.data);
      if (Refusal why = check(state.get<Tasklet>(n), state[e].dst_connector)) return why;
    }
    for (EdgeId e : link.reads)
      if (Refusal why = check(state.get<Tasklet>(state.target(e)), state[e].dst_connector))
        return why;
    return {};
  }

  Refusal check_scalar(const State& state, const Link& link) const {
    const AccessNode& access = state.get<AccessNode>(link.scalar);
    const std::string& name = access.data;
    const Data& data = sdfg_.arrays.at(name);
    const auto is_one = [](const Expr& e) { return e == Expr(1); };
    if (data.is_stream() || data.is_structure() ||
        !std::ranges::all_of(data.shape, is_one))
      return quoted(name) + " is no scalar";
    if (state.in(link.scalar).size() != 1 || access.setzero)
      return quoted(name) + " has another writer";
    if (!accesses_.is_single_use(name)) return quoted(name) + " is used elsewhere, too";
    return {};
  }

  // ---- Joining.

  /// Names in use, and by base where the search for a free one goes on.
  struct Names {
    const Sdfg& sdfg;
    const TypeTable& symbols;
    SymbolSet taken{};
    std::map<std::string, std::size_t> next{};

    bool is_taken(const std::string& name) const {
      return taken.contains(name) || symbols.contains(name) || sdfg.arrays.contains(name) ||
             sdfg.constants.contains(name);
    }
    std::string make(const std::string& base) {
      std::string name = base;
      for (std::size_t* i = nullptr; is_taken(name); name = base + "_" + std::to_string((*i)++))
        if (!i) i = &next[base];
      taken.insert(name);
      return name;
    }
  };

  void fuse(State& state, const std::vector<NodeId>& before, NodeId end) {
    Names used{sdfg_, symbols_};
    for (const auto* connectors : {&state[end].in_connectors, &state[end].out_connectors})
      for (const auto& [name, type] : *connectors) used.taken.insert(name);
    collect_words(state.get<Tasklet>(end).code, used.taken);
    SymbolSet outer;
    for (NodeId n : before) collect_outer_names(state[n], outer);
    used.taken.insert(outer.begin(), outer.end());
    const Substitution renamed = rename_connectors(state, end, outer, used);
    std::map<std::string, std::string> inputs;  // what is read: its connector
    for (EdgeId e : state.in(end))
      if (carries_data(state[e])) inputs.emplace(source(state, e), state[e].dst_connector);
    std::map<std::pair<NodeId, std::string>, std::string> results;  // inputs that go: their value
    Statements all;
    for (NodeId n : before) {
      Substitution names;
      const Type evaluated = type_of_result(state, n);  // while its inputs are still there
      name_inputs(state, n, end, results, inputs, used, names);
      append(state, n, evaluated, names, used, results, all);
    }
    Tasklet& tasklet = state.get<Tasklet>(end);
    if (!renamed.empty()) tasklet.code = substitute(tasklet.code, renamed);
    Substitution names;
    for (EdgeId e : state.in(end))
      if (const auto value = results.find({end, state[e].dst_connector}); value != results.end())
        names[state[e].dst_connector] = Expr::symbol(value->second);
    const Code rest = substitute(tasklet.code, names);
    all.insert(all.end(), rest.statements()->begin(), rest.statements()->end());
    tasklet.code = Code::from(std::move(all));
    for (const auto& [connector, value] : names) state[end].in_connectors.erase(connector);
    for (NodeId n : before) remove(state, n);
  }

  /// What statements assign to, whole or in part.
  static void collect_targets(const Statements& statements, SymbolSet& out) {
    const auto add = [&](const Expr& target) {
      const bool part = target.is(Op::Subscript) || target.is(Op::Attribute);
      collect_symbols(part ? target.arg(0) : target, out);
    };
    for (const Statement& s : statements) {
      if (const auto* a = std::get_if<Assign>(&s.kind)) add(a->target);
      if (const auto* i = std::get_if<IfStatement>(&s.kind))
        collect_targets(i->then, out), collect_targets(i->otherwise, out);
      if (const auto* w = std::get_if<WhileStatement>(&s.kind)) collect_targets(w->body, out);
      if (const auto* f = std::get_if<ForStatement>(&s.kind))
        add(f->target), collect_targets(f->body, out);
    }
  }

  static void collect_words(const Code& code, SymbolSet& out) {
    collect_targets(*code.statements(), out);
    collect_symbols(code, {}, out);
  }

  /// Gives the last tasklet's connectors other names where they would hide what a part reads.
  static Substitution rename_connectors(State& state, NodeId end, const SymbolSet& outer,
                                        Names& used) {
    Substitution names;
    const auto rename = [&](Connectors& connectors, std::span<const EdgeId> edges,
                            std::string Edge::*end_of) {
      for (const std::string& name : outer) {
        const auto found = connectors.find(name);
        if (found == connectors.end()) continue;
        const std::string other = used.make(name);
        connectors.emplace(other, found->second);
        connectors.erase(name);
        for (EdgeId e : edges)
          if (state[e].*end_of == name) state[e].*end_of = other;
        names[name] = Expr::symbol(other);
      }
    };
    rename(state[end].in_connectors, state.in(end), &Edge::dst_connector);
    rename(state[end].out_connectors, state.out(end), &Edge::src_connector);
    return names;
  }

  /// Of what a part reads, what it neither is given nor assigns: symbols, parameters of maps
  /// around. A connector of another part that has such a name would hide it.
  static void collect_outer_names(const Node& part, SymbolSet& out) {
    const Code& code = part.as<Tasklet>()->code;
    SymbolSet read;
    collect_symbols(code, {}, read);
    for (const Statement& s : *code.statements())
      read.erase(std::get<Assign>(s.kind).target.name());
    for (const std::string& name : read)
      if (!part.in_connectors.contains(name)) out.insert(name);
  }

  static std::string source(const State& state, EdgeId e) {
    const Memlet& m = state[e].memlet;
    const std::string part = "[" + (m.src_subset ? to_text(*m.src_subset) : "") + "]";
    const Type type = declared(state[state.target(e)].in_connectors, state[e].dst_connector);
    return std::to_string(state.source(e).value) + " " + state[e].src_connector + " " + m.data +
           part + (m.dynamic ? " dynamic " : " ") + type.text();
  }

  /// Names for what a part reads: local results of earlier parts, inputs that are there already, or
  /// inputs that move over under a free name.
  void name_inputs(State& state, NodeId n, NodeId end,
                   const std::map<std::pair<NodeId, std::string>, std::string>& results,
                   std::map<std::string, std::string>& inputs, Names& used,
                   Substitution& names) {
    const std::vector<EdgeId> in(state.in(n).begin(), state.in(n).end());
    for (EdgeId e : in) {
      const std::string connector = state[e].dst_connector;
      if (!carries_data(state[e])) {
        state.set_target(e, end);
        continue;
      }
      if (const auto value = results.find({n, connector}); value != results.end()) {
        names[connector] = Expr::symbol(value->second);
        continue;
      }
      const auto [at, first] = inputs.emplace(source(state, e), "");
      if (first) {
        at->second = used.make(connector);
        state[end].in_connectors.emplace(at->second, state[n].in_connectors[connector]);
        state[e].dst_connector = at->second;
        state.set_target(e, end);
      }
      names[connector] = Expr::symbol(at->second);
    }
  }

  /// The part's statements, and what became of the result on its way to those who read it.
  void append(const State& state, NodeId n, const Type& evaluated, Substitution& names,
              Names& used,
              std::map<std::pair<NodeId, std::string>, std::string>& results, Statements& all) {
    const Tasklet& tasklet = state.get<Tasklet>(n);
    const Link& link = links_.at(n);
    const std::string& result = state[link.write].src_connector;
    for (const Statement& s : *tasklet.code.statements()) {
      const std::string& name = std::get<Assign>(s.kind).target.name();
      if (names.contains(name)) continue;
      names[name] = Expr::symbol(used.make(name));
    }
    const Code code = substitute(tasklet.code, names);
    all.insert(all.end(), code.statements()->begin(), code.statements()->end());
    const auto stored = [&](Typed value, const Type& type) {
      if (!type.is_scalar() || value.type == type) return value;
      const Expr call = Expr::make(Op::Call, {Expr::symbol(value.name)}, "dace." + type.text());
      const std::string name = used.make(result);
      all.push_back({Assign{Expr::symbol(name), call, {}, {}}});
      return Typed{name, type};
    };
    Typed value{names.at(result).name(), evaluated};
    value = stored(value, declared(state[n].out_connectors, result));
    if (const Data* data = sdfg_.find_data(state[link.write].memlet.data))
      value = stored(value, data->dtype);
    for (EdgeId e : link.reads) {
      const NodeId reader = state.target(e);
      const std::string& connector = state[e].dst_connector;
      results[{reader, connector}] =
          stored(value, declared(state[reader].in_connectors, connector)).name;
    }
  }

  struct Typed {
    std::string name;
    Type type;
  };
  static Type declared(const Connectors& connectors, const std::string& name) {
    const auto found = connectors.find(name);
    return found == connectors.end() ? Type() : found->second;
  }

  /// The type that the result's value has before it is stored; unknown where we cannot tell, or
  /// where C++ computes in a wider one.
  Type type_of_result(const State& state, NodeId n) const {
    TypeTable types;
    SymbolSet read;
    const Code& code = state.get<Tasklet>(n).code;
    collect_symbols(code, {}, read);
    for (const std::string& name : read)
      if (const auto symbol = symbols_.find(name); symbol != symbols_.end()) types.insert(*symbol);
    for (EdgeId e : state.in(n))
      if (const Data* from = sdfg_.find_data(state[e].memlet.data)) {
        const Type type = declared(state[n].in_connectors, state[e].dst_connector);
        types[state[e].dst_connector] = type.known() ? type : from->dtype;
      }
    const std::string& result = state[links_.at(n).write].src_connector;
    const TypeTable assigned = types_assigned(code, types);
    const auto found = assigned.find(result);
    if (found == assigned.end()) return {};
    types.insert(assigned.begin(), assigned.end());
    bool negates = false;
    for (const Statement& s : *code.statements())
      negates = negates || negates_number(std::get<Assign>(s.kind).value, types);
    if (negates) return {};
    for (const Statement& s : *code.statements())
      if (const auto& assign = std::get<Assign>(s.kind); assign.target.is_symbol(result))
        return (is_narrow(found->second) && !stays_narrow(assign.value)) ||
                       (found->second.base() == BaseType::Int64 && !is_wide(assign.value, types))
                   ? Type()
                   : found->second;
    return {};
  }
  /// Has an integer that DaCe takes for one of 64 bits, as it does literals, so many in C++?
  static bool is_wide(const Expr& value, const TypeTable& types) {
    if (value.is(Op::Integer)) return value.value() != std::int32_t(value.value());
    if (value.args().empty() || value.is(Op::Subscript) || value.is(Op::Attribute))
      return type_of(value, types).base() == BaseType::Int64;
    if (value.is(Op::Call) && conversion_type(value.name()))
      return type_of(value, types).base() == BaseType::Int64;
    return std::ranges::any_of(value.args(), [&](const Expr& e) { return is_wide(e, types); });
  }
  /// Is there a `not x` of a number? DaCe infers the type of x for it, and so do we; in C++ it is a
  /// bool.
  static bool negates_number(const Expr& value, const TypeTable& types) {
    if (value.is(Op::Not) && type_of(value.arg(0), types).base() != BaseType::Bool) return true;
    return std::ranges::any_of(value.args(),
                               [&](const Expr& part) { return negates_number(part, types); });
  }
  /// Smaller than what C++ computes in: bool, integers of 8 or 16 bits, floats of 16.
  static bool is_narrow(const Type& type) {
    return type.is_scalar() && type.bytes().value_or(4) < 4;
  }
  static bool stays_narrow(const Expr& value) {
    switch (value.op()) {
      case Op::Symbol:
      case Op::Subscript:
      case Op::Attribute:
      case Op::True:
      case Op::False:
      case Op::Not:
      case Op::And:
      case Op::Or:
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge: return true;
      case Op::BitAnd:
      case Op::BitOr:
      case Op::BitXor: return std::ranges::all_of(value.args(), stays_narrow);
      case Op::Select: return stays_narrow(value.arg(1)) && stays_narrow(value.arg(2));
      case Op::Call: return conversion_type(value.name()).has_value();
      default: return false;
    }
  }

  void remove(State& state, NodeId n) {
    const Link& link = links_.at(n);
    if (link.scalar != NodeId{}) {
      gone_.insert(state.get<AccessNode>(link.scalar).data);
      accesses_.remove(state, link.scalar);
      // What waited for the scalar waited for the tasklet before it.
      state.erase(link.scalar);
    }
    state.erase(n);
  }

  Sdfg& sdfg_;
  Accesses accesses_;
  TypeTable symbols_;
  SideEffects& effects_;
  PassContext& context_;
  std::map<NodeId, Link> links_;
  SymbolSet gone_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> TaskletFusion::run(Sdfg& sdfg, const Options&, PassContext& context) {
  SideEffects effects;
  std::unordered_map<Sdfg*, std::unique_ptr<Fuser>> fusers;
  walk_states(sdfg, {}, [&](Sdfg& s, State& state, const Trail& trail) {
    auto& fuser = fusers[&s];
    if (!fuser) fuser = std::make_unique<Fuser>(s, effects, context);
    fuser->on_state(state, trail);
  });
  Changed changed = Changed::No;
  for (auto& [s, fuser] : fusers) changed |= fuser->finish();
  return changed;
}

}  // namespace sdfg
