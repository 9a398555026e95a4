#include "ir/analysis/free_symbols.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "ir/analysis/signature.h"
#include "ir/graph_algorithms.h"
#include "ir/library_node.h"
#include "ir/walk.h"

namespace sdfg {

// ---- Expressions and code.

namespace {
/// "a.b.c" for attributes of a plain name, else nothing.
std::optional<std::string> dotted_name(const Expr& expr) {
  if (expr.is(Op::Symbol)) return expr.name();
  if (!expr.is(Op::Attribute)) return std::nullopt;
  auto base = dotted_name(expr.arg(0));
  if (base) base->append(".").append(expr.name());
  return base;
}
}  // namespace

void collect_symbolic(const Expr& expr, SymbolSet& out) {
  switch (expr.op()) {
    case Op::Symbol:
      out.insert(expr.name());
      return;
    case Op::Attribute:
      if (auto name = dotted_name(expr))
        out.insert(std::move(*name));
      else
        collect_symbolic(expr.arg(0), out);
      return;
    case Op::Subscript:
      for (const Expr& index : expr.args().subspan(1)) collect_symbolic(index, out);
      return;
    default:
      for (const Expr& arg : expr.args()) collect_symbolic(arg, out);
  }
}

namespace {
/// Follows Python code in the order in which DaCe visits it: the targets of an assignment count as
/// bound before its value is looked at.
struct CodeReader {
  const BoundNames& bound_outside;
  SymbolSet& out;
  SymbolSet bound{};

  void bind(const Expr& target) {
    switch (target.op()) {
      case Op::Symbol:
        bound.insert(target.name());
        return;
      case Op::Tuple:
      case Op::List:
        for (const Expr& part : target.args()) bind(part);
        return;
      default:
        read(target);
    }
  }
  void read(const Expr& expr) {
    if (expr.is(Op::Attribute)) return;
    if (expr.is(Op::Symbol)) {
      const std::string& name = expr.name();
      if (name != "inf" && name != "nan" && !bound.contains(name) &&
          !(bound_outside && bound_outside(name)))
        out.insert(name);
      return;
    }
    // Parameters of a lambda are no names in Python's tree; its body is read like any other.
    const std::size_t first = expr.is(Op::Lambda) ? expr.args().size() - 1 : 0;
    for (const Expr& arg : expr.args().subspan(first)) read(arg);
  }
  void read(const Statements& statements) {
    for (const Statement& s : statements) std::visit(*this, s.kind);
  }
  void operator()(const Assign& s) { bind(s.target), read(s.value); }
  void operator()(const ExprStatement& s) { read(s.value); }
  void operator()(const IfStatement& s) { read(s.condition), read(s.then), read(s.otherwise); }
  void operator()(const WhileStatement& s) { read(s.condition), read(s.body); }
  void operator()(const ForStatement& s) { bind(s.target), read(s.iterable), read(s.body); }
  void operator()(const ReturnStatement& s) {
    if (s.value) read(*s.value);
  }
  void operator()(const PassStatement&) {}
  void operator()(const BreakStatement&) {}
  void operator()(const ContinueStatement&) {}
};

/// Functions called by a plain name that are symbols (callbacks).
struct CallReader {
  const Sdfg& sdfg;
  SymbolSet& out;

  void read(const Expr& expr) {
    if (expr.is(Op::Call) && sdfg.symbols.contains(expr.name())) out.insert(expr.name());
    for (const Expr& arg : expr.args()) read(arg);
  }
  void read(const Statements& statements) {
    for (const Statement& s : statements) std::visit(*this, s.kind);
  }
  void operator()(const Assign& s) { read(s.target), read(s.value); }
  void operator()(const ExprStatement& s) { read(s.value); }
  void operator()(const IfStatement& s) { read(s.condition), read(s.then), read(s.otherwise); }
  void operator()(const WhileStatement& s) { read(s.condition), read(s.body); }
  void operator()(const ForStatement& s) { read(s.iterable), read(s.body); }
  void operator()(const ReturnStatement& s) {
    if (s.value) read(*s.value);
  }
  void operator()(const PassStatement&) {}
  void operator()(const BreakStatement&) {}
  void operator()(const ContinueStatement&) {}
};
}  // namespace

void collect_code_symbols(const Code& code, SymbolSet& out, const BoundNames& bound) {
  if (const Statements* statements = code.statements()) CodeReader{bound, out}.read(*statements);
}

void collect_code_symbols(const Node& node, SymbolSet& out) {
  const Tasklet& tasklet = *node.as<Tasklet>();
  collect_code_symbols(tasklet.code, out, [&](const std::string& name) {
    return node.in_connectors.contains(name) || node.out_connectors.contains(name) ||
           std::ranges::find(*tasklet.ignored_symbols, name) != tasklet.ignored_symbols->end();
  });
}

SymbolSet free_symbols(const InterstateEdge& edge) {
  SymbolSet read, assigned;
  if (const Expr* condition = edge.condition.expr()) collect_symbols(*condition, read);
  for (const auto& [name, value] : edge.assignments) {
    collect_symbols(value, read);
    if (!read.contains(name)) assigned.insert(name);
  }
  for (const std::string& name : assigned) read.erase(name);
  return read;
}

// ---- Descriptors and memlets.

namespace {

/// collect_symbolic for many expressions, which each say the same however often they occur.
class SymbolicCollector {
 public:
  explicit SymbolicCollector(SymbolSet& out) : out_(out) {}
  void add(const Expr& e) {
    if (e.is(Op::Integer)) return;
    std::size_t& seen = seen_[e.hash() % seen_.size()];
    if (std::exchange(seen, e.hash()) == e.hash()) return;
    if (e.is(Op::Add) || e.is(Op::Mul))
      for (const Expr& part : e.args()) add(part);
    else
      collect_symbolic(e, out_);
  }

 private:
  SymbolSet& out_;
  std::array<std::size_t, 64> seen_{};  ///< hashes of what was added lately
};

/// Symbols of a descriptor. `needed_by_code`: without what is known to the owner of the memory,
/// which are shape and size of non-transients, views and references.
void add_symbols_of_data(const Data& data, bool needed_by_code, SymbolicCollector& out) {
  const bool sized = !needed_by_code || (data.transient && data.role() == Role::Plain);
  if (sized)
    for (const Expr& e : data.shape) out.add(e);
  if (const Array* array = data.as_array()) {
    for (const Expr& e : array->strides) out.add(e);
    for (const Expr& e : array->offset) out.add(e);
    if (sized) out.add(array->total_size);
  }
  if (const auto* stream = std::get_if<Stream>(&data.kind)) {
    if (!needed_by_code || data.transient) out.add(stream->buffer_size);
    for (const Expr& e : stream->offset) out.add(e);
  }
}

/// Code that gets the address of a subset and not its extent. A library node becomes code for the
/// whole subset.
bool only_addresses(const Node& node) { return node.is<Tasklet>() || node.is<NestedSdfg>(); }

/// Symbols of a memlet's subsets and of how it resolves conflicts. `needed_by_code`: an edge that
/// only passes an address needs where its ranges begin; without it, the volume counts, too.
void add_symbols_of_edge(const StateGraph& state, EdgeId id, bool needed_by_code,
                         SymbolicCollector& out) {
  const Edge& edge = state[id];
  const Node& src = state[state.source(id)];
  const Node& dst = state[state.target(id)];
  const bool address_only =
      needed_by_code && (only_addresses(src) || only_addresses(dst) ||
                         (dst.is<AccessNode>() && !edge.dst_connector.empty()) ||
                         (src.is<AccessNode>() && !edge.src_connector.empty()));
  if (!needed_by_code) out.add(edge.memlet.volume);
  if (const Expr* lambda = edge.memlet.wcr ? edge.memlet.wcr->expr() : nullptr)
    for (const std::string& name : free_symbols(*lambda)) out.add(Expr::symbol(name));
  for (const auto* subset : {&edge.memlet.src_subset, &edge.memlet.dst_subset}) {
    if (!*subset) continue;
    for (const Range& range : (*subset)->ranges) {
      out.add(range.begin);
      if (address_only) continue;
      out.add(range.end);
      out.add(range.step);
    }
  }
}

// ---- States, regions, SDFGs.

/// The sets that DaCe accumulates while it walks through the control flow. They are shared by a
/// region and the regions in it (loops excepted), which the results depend on.
///
/// What an SDFG itself defines from the start, its containers and constants, is looked up there.
class Sets {
 public:
  Sets() = default;  ///< of a loop's body
  explicit Sets(const Sdfg& sdfg) : sdfg_(&sdfg) {}

  bool defines(const std::string& name) const {
    return (sdfg_ && (sdfg_->arrays.contains(name) || sdfg_->constants.contains(name))) ||
           defined_.contains(name);
  }
  const SymbolSet& free() const { return free_; }
  const SymbolSet& used_before() const { return used_before_; }

  void define(const std::string& name) { add(defined_, name); }
  void use(const SymbolSet& names) {
    for (const std::string& name : names) add(free_, name);
  }
  void use_before(const std::string& name) { add(used_before_, name); }
  /// What the body of a loop found.
  void merge(const Sets& body, const SymbolSet& used_before) {
    for (const std::string& name : used_before) use_before(name);
    use(body.free_);
    for (const std::string& name : body.defined_) define(name);
  }

  /// Takes what is used before from what is defined, and that from what is free. Only names that
  /// came since the last time can be in two sets.
  void settle() {
    for (const std::string& name : added_) {
      if (used_before_.contains(name)) defined_.erase(name);
      if (defines(name)) free_.erase(name);
    }
    added_.clear();
  }
  SymbolSet take_free() { return std::move(free_); }

 private:
  void add(SymbolSet& to, const std::string& name) {
    if (to.insert(name).second) added_.push_back(name);
  }
  const Sdfg* sdfg_ = nullptr;
  SymbolSet defined_, free_, used_before_;
  std::vector<std::string> added_;  ///< since the last settle()
};

/// Containers that dataflow reads or writes, or that control flow reads.
NameSet used_containers(const Sdfg& sdfg) {
  NameSet used;
  const auto use = [&](const SymbolSet& names) {
    for (const std::string& name : names)
      if (sdfg.arrays.contains(name)) used.insert(name);
  };
  const auto use_code = [&](const auto& code) {  // optional
    SymbolSet read;
    if (code) collect_code_symbols(*code, read);
    use(read);
  };
  for_each_block(sdfg, [&](const Block& block) {
    if (const auto* loop = block.as<LoopRegion>())
      use_code(loop->init_statement), use_code(loop->loop_condition),
          use_code(loop->update_statement);
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) use_code(branch.condition);
    const auto* state = block.as<State>();
    if (!state) return;
    const auto moves = [&](EdgeId e) { return !(*state)[e].memlet.empty(); };
    for (NodeId n : state->nodes_of<AccessNode>())
      if (std::ranges::any_of(state->in(n), moves) || std::ranges::any_of(state->out(n), moves))
        use({(*state)[n].as<AccessNode>()->data});
  });
  for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) { use(free_symbols(edge)); });
  return used;
}

class Collector {
 public:
  Collector(const Sdfg& sdfg, bool needed_by_code, Descriptors counted, const Collector* around)
      : sdfg_(sdfg), needed_by_code_(needed_by_code), counted_(counted), around_(around) {}

  SymbolSet run() {
    Sets sets(sdfg_);
    SymbolSet named;
    for (const auto* codes : {&sdfg_.init_code, &sdfg_.exit_code})
      for (const auto& [target, code] : *codes)
        for_each_word(code.text(), [&](std::string_view word) {
          if (sdfg_.symbols.contains(word)) named.emplace(word);
        });
    sets.use(named);
    region(sdfg_, sets);
    SymbolSet rest;
    if (!needed_by_code_)
      for (const auto& [name, type] : sdfg_.symbols) rest.insert(name);
    SymbolicCollector of_data(rest);
    if (counted_ == Descriptors::OfUsed)
      for (const std::string& name : used_containers(sdfg_))
        add_symbols_of_data(sdfg_.arrays.at(name), needed_by_code_, of_data);
    else
      for (const auto& [name, data] : sdfg_.arrays)
        add_symbols_of_data(data, needed_by_code_, of_data);
    sets.use(rest);
    sets.settle();
    return sets.take_free();
  }

 private:
  void region(const Region& region, Sets& sets) {
    for (BlockId id : breadth_first(region)) {
      // What is free so far after a nested block, or in the state alone: a symbol among these is
      // not defined by assigning it on the way out.
      const SymbolSet* here = &sets.free();
      SymbolSet own;
      const Block& block = region[id];
      if (const auto* state = block.as<State>()) {
        own = this->state(*state);
        sets.use(own);
        here = &own;
      } else if (const auto* loop = block.as<LoopRegion>()) {
        this->loop(*loop, sets);
      } else if (const auto* inner = block.region()) {
        this->region(*inner, sets);
      } else if (const auto* conditional = block.as<ConditionalBlock>()) {
        this->conditional(*conditional, sets);
      } else {
        here = &own;
      }
      for (InterstateEdgeId e : region.out(id)) edge(region[e], *here, sets);
    }
    sets.settle();
  }

  void edge(const InterstateEdge& edge, const SymbolSet& here, Sets& sets) {
    SymbolSet read = free_symbols(edge);
    SymbolSet of_containers;
    SymbolicCollector collector(of_containers);
    for (const std::string& name : read)
      if (const Data* data = sdfg_.arrays.get(name))
        add_symbols_of_data(*data, needed_by_code_, collector);
    read.merge(of_containers);
    for (const auto& [name, value] : edge.assignments)
      if (!read.contains(name) && !here.contains(name)) sets.define(name);
    for (const std::string& name : read)
      if (!sets.defines(name)) sets.use_before(name);
    sets.use(read);
  }

  void loop(const LoopRegion& loop, Sets& sets) {
    SymbolSet read, condition;
    if (loop.init_statement) {
      sets.define(loop.loop_variable);
      collect_code_symbols(*loop.init_statement, read);
    }
    if (loop.update_statement) collect_code_symbols(*loop.update_statement, read);
    sets.use(read);
    if (loop.loop_condition) collect_code_symbols(*loop.loop_condition, condition);
    condition.erase(loop.loop_variable);

    Sets body;
    region(loop, body);
    SymbolSet used_before = body.used_before();
    std::erase_if(used_before, [&](const std::string& name) {
      return name == loop.loop_variable ||
             (sets.defines(name) && !sets.used_before().contains(name));
    });
    sets.merge(body, used_before);
    sets.settle();
    sets.use(condition);
  }

  void conditional(const ConditionalBlock& block, Sets& sets) {
    for (const Branch& branch : block.branches) {
      if (branch.condition) {
        SymbolSet read;
        collect_code_symbols(*branch.condition, read,
                             [&](const std::string& name) { return sets.defines(name); });
        sets.use(read);
      }
      region(branch.region(), sets);
    }
    sets.settle();
  }

  SymbolSet state(const State& state) {
    SymbolSet free, defined;
    SymbolicCollector symbolic(free);
    for (NodeId id : state.nodes()) node(state, id, free, symbolic, defined);
    for (EdgeId e : state.edges()) {
      if (needed_by_code_ && !is_leaf(state, e)) continue;
      add_symbols_of_edge(state, e, needed_by_code_, symbolic);
    }
    std::erase_if(free, [&](const std::string& name) {
      return defined.contains(name) || is_constant(name);
    });
    return free;
  }
  /// Of this SDFG or one around it.
  bool is_constant(const std::string& name) const {
    return sdfg_.constants.contains(name) || (around_ && around_->is_constant(name));
  }

  static bool is_leaf(const State& state, EdgeId e) {
    const Edge& edge = state[e];
    return !(state[state.source(e)].is_exit() && edge.src_connector.starts_with("OUT_")) &&
           !(state[state.target(e)].is_entry() && edge.dst_connector.starts_with("IN_"));
  }

  void node(const State& state, NodeId id, SymbolSet& free, SymbolicCollector& symbolic,
            SymbolSet& defined) {
    const Node& node = state[id];
    if (const auto* access = node.as<AccessNode>()) {
      if (const Data* data = sdfg_.find_data(access->data))
        add_symbols_of_data(*data, needed_by_code_, symbolic);
    } else if (const auto* tasklet = node.as<Tasklet>()) {
      this->tasklet(node, *tasklet, free);
    } else if (const auto* nested = node.as<NestedSdfg>()) {
      for (const auto& [name, value] : *nested->location) symbolic.add(value);
      SymbolSet used;
      const bool all = !needed_by_code_ || !nested->sdfg;
      if (!all) used = Collector(**nested->sdfg, true, counted_, this).run();
      for (const auto& [name, value] : nested->symbol_mapping)
        if (all || used.contains(name)) symbolic.add(value);
    } else if (const auto* library = node.as<LibraryNode>()) {
      for (const auto& [name, value] : *library->location) symbolic.add(value);
      for (const Expr& value : symbolic_properties(node)) symbolic.add(value);
    } else if (node.is_entry()) {
      entry(state, id, free, defined);
    }
  }

  void tasklet(const Node& node, const Tasklet& tasklet, SymbolSet& free) {
    if (tasklet.code.language() == Language::Python) {
      if (const Statements* statements = tasklet.code.statements())
        CallReader{sdfg_, free}.read(*statements);
      collect_code_symbols(node, free);
    } else {
      SymbolSet bound(tasklet.ignored_symbols->begin(), tasklet.ignored_symbols->end());
      for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
        for (const auto& [name, type] : *connectors) bound.insert(name);
      for_each_word(tasklet.code.text(), [&](std::string_view word) {
        if (sdfg_.symbols.contains(word) && !bound.contains(word)) free.emplace(word);
      });
    }
  }

  void entry(const State& state, NodeId id, SymbolSet& free, SymbolSet& defined) {
    const Node& node = state[id];
    SymbolSet used;
    SymbolicCollector symbolic(used);
    if (const auto* map = node.as<MapEntry>()) {
      for (std::size_t i = 0; i < std::min(map->params.size(), map->ranges.size()); ++i)
        defined.insert(map->params[i]);
      for (const Range& range : map->ranges)
        for (const Expr* e : {&range.begin, &range.end, &range.step}) symbolic.add(*e);
    } else if (const auto* consume = node.as<ConsumeEntry>()) {
      defined.insert(consume->pe_index);
      symbolic.add(consume->num_pes);
      if (consume->condition) collect_code_symbols(*consume->condition, used);
    }
    // What comes in through a connector of its own is known inside, and in the ranges.
    for (EdgeId e : state.in(id))
      if (const std::string& name = state[e].dst_connector;
          !name.empty() && !name.starts_with("IN_") && node.in_connectors.contains(name))
        defined.insert(name);
    for (const auto& [name, type] : node.in_connectors)
      if (!name.starts_with("IN_")) used.erase(name);
    free.merge(used);
  }

  static std::vector<BlockId> breadth_first(const Region& region) {
    std::vector<BlockId> order;
    const auto first = start(region);
    if (!first) {
      for (BlockId id : region.nodes()) order.push_back(id);
      return order;
    }
    std::vector<bool> seen(region.id_bound());
    order.push_back(*first);
    seen[first->value] = true;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (InterstateEdgeId e : region.out(order[i])) {
        const BlockId next = region.target(e);
        if (seen[next.value]) continue;
        seen[next.value] = true;
        order.push_back(next);
      }
    return order;
  }

  const Sdfg& sdfg_;
  bool needed_by_code_;
  Descriptors counted_;
  const Collector* around_;  ///< of the SDFG around it, or null
};

}  // namespace

SymbolSet free_symbols(const Sdfg& sdfg) {
  return Collector(sdfg, false, Descriptors::All, nullptr).run();
}

SymbolSet symbols_needed_by_code(const Sdfg& sdfg, Descriptors counted) {
  return Collector(sdfg, true, counted, nullptr).run();
}

}  // namespace sdfg
