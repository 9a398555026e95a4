#include "passes/simplify/inline_plan.h"

#include <algorithm>

#include "ir/analysis/connector_types.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/used_names.h"
#include "ir/analysis/window.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/decide.h"
#include "support/in_order.h"

namespace sdfg {

Substitution symbol_values(const NestedSdfg& nested, const Sdfg& outside) {
  InOrder types_here((**nested.sdfg).symbols), types_there(outside.symbols);
  const auto same_type = [&](const std::string& name) {
    const Type *here = types_here.find(name), *there = types_there.find(name);
    return !here || !there || !here->is_scalar() || *here == *there;
  };
  Substitution out;
  for (auto& [inner, value] : mapped_values(nested))
    if (!value.is_symbol(inner) || !same_type(inner)) out.emplace(inner, std::move(value));
  return out;
}

namespace {
/// Does the type hold each number in the expression?
bool holds_numbers(const Type& integer, const Expr& value) {
  if (value.is(Op::Integer)) return holds(integer, value.value());
  return std::ranges::all_of(value.args(),
                             [&](const Expr& e) { return holds_numbers(integer, e); });
}
}  // namespace

bool holds(const Type& symbol, const Expr& value, const ByName<Type>& outside) {
  if (value.is(Op::Integer) && symbol.is_integer()) return holds(symbol, value.value());
  // What is beyond a smaller type wraps around there. (Symbols are taken to have fitting values.)
  if (symbol.base() == BaseType::Int32 && !holds_numbers(symbol, value)) return false;
  const Type type = type_of(value, outside);
  if (type == symbol) return true;
  if (symbol.is_float()) return value.is(Op::Integer) || (value.is(Op::Symbol) && type.known());
  if (symbol.base() == BaseType::Int32 || symbol.base() == BaseType::Int64)
    return !type.known() || type.is_signed_integer() || type.is_bool() ||
           (value.is(Op::Symbol) && type.is_integer());
  return !symbol.is_integer() && !symbol.is_bool();
}

const Connection* InlinePlan::at(std::string_view inner) const {
  const auto found = connections.find(inner);
  return found == connections.end() ? nullptr : &found->second;
}

const Connection* InlinePlan::at(const State& body, NodeId node) const {
  const auto* access = body[node].as<AccessNode>();
  return access ? at(access->data) : nullptr;
}

Refusal InlinePlan::connect(const Sdfg& parent, const State& state, NodeId node) {
  const Sdfg& inner = **state.get<NestedSdfg>(node).sdfg;
  const auto connect = [&](const std::string& connector, EdgeId e, bool input) -> Refusal {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty()) return {};
    const Data* found_inside = inner.arrays.get(connector);
    if (!found_inside) return "the node has data without a connector";
    const Data& inside = *found_inside;
    const Data& outside = *parent.find_data(memlet.data);
    if (memlet.wcr) return "the memlet at connector '" + connector + "' resolves conflicts";
    if (inside.is_stream() || inside.is_reference() || inside.is_structure())
      return "connector '" + connector + "' is a " + inside.json_type();
    Data outer_terms = inside;
    substitute(outer_terms, symbols);
    auto found = window(outer_terms, outside, *memlet.subset());
    if (!found) return "connector '" + connector + "': " + found.error().message;
    Connection& c = connections[connector];
    if ((c.in || c.out) && (c.outer != memlet.data || !(c.window.subset == found->subset)))
      return "connector '" + connector + "' is given and taken through different memlets";
    c.outer = memlet.data;
    c.window = *std::move(found);
    (input ? c.in : c.out) = e;
    return {};
  };
  for (EdgeId e : state.in(node))
    if (Refusal why = connect(state[e].dst_connector, e, true)) return why;
  for (EdgeId e : state.out(node))
    if (Refusal why = connect(state[e].src_connector, e, false)) return why;
  return {};
}

Refusal InlinePlan::check_connector_names(const TakenNames& outside, const State& body) const {
  SymbolSet mentioned;
  for (const auto& [name, value] : symbols) collect_symbols(value, mentioned);
  for (NodeId n : body.nodes()) {
    const Node& node = body[n];
    if (!node.is<Tasklet>()) continue;
    for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
      for (const auto& [name, type] : *connectors)
        if (outside.is_variable(name) || mentioned.contains(name))
          return "tasklet '" + std::string(node.label()) + "' inside has a connector '" + name +
                 "', which is the name of something outside";
  }
  return {};
}

namespace {
/// Where a computed number that is no integer becomes part of an expression: sums and products of
/// symbols have one order, so others would be added up first.
Refusal check_roundings(const Sdfg& inner, const Substitution& values) {
  SymbolSet computed;
  for (const auto& [name, value] : values) {
    const auto type = inner.symbols.find(name);
    if (type != inner.symbols.end() && !type->second.is_integer() && !type->second.is_bool() &&
        !value.args().empty())
      computed.insert(name);
  }
  if (computed.empty()) return {};
  SymbolSet used;
  const auto use = [&](const Expr& e) {
    if (!e.is(Op::Symbol)) collect_symbols(e, used);
  };
  for_each_interstate_edge(inner, [&](const InterstateEdge& edge) {
    collect_symbols(edge.condition, computed, used);
    for (const auto& [target, value] : edge.assignments) use(value);
  });
  for_each_block(inner, [&](const Block& block) {
    collect_used_names(block, computed, used);
    if (const auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        for (const auto& [name, value] : state->get<NestedSdfg>(n).symbol_mapping) use(value);
  });
  for (const std::string& name : computed)
    if (used.contains(name))
      return "the value of '" + name + "' would be rounded otherwise inside of an expression";
  return {};
}
}  // namespace

Refusal InlinePlan::check_values(const Sdfg& parent, const NestedSdfg& nested,
                                 std::optional<Assumptions>& shapes) {
  const Substitution values = symbol_values(nested, parent);
  if (Refusal why = check_roundings(**nested.sdfg, values)) return why;
  if (differing_in_code(values, parent).empty()) return {};
  if (!shapes) assume_shapes(parent, shapes.emplace());
  const SymbolSet differing = differing_in_code(values, parent, *shapes);
  if (differing.empty()) return {};
  const Sdfg& inner = **nested.sdfg;
  SymbolSet used;
  for (const std::string& name : differing)
    for (const std::string& read : free_symbols(values.at(name)))
      if (parent.arrays.contains(read)) used.insert(name);  // it becomes an assignment
  for_each_node(inner, [&](const Node& node) {
    if (node.is<Tasklet>()) collect_used_names(node, differing, used);
  });
  for_each_block(inner, [&](const Block& block) { collect_used_names(block, differing, used); });
  for_each_interstate_edge(inner, [&](const InterstateEdge& edge) {
    collect_symbols(edge.condition, differing, used);
    for (const auto& [target, value] : edge.assignments) {
      collect_symbols(value, used);
      used.insert(target);
    }
  });
  for (const std::string& name : differing)
    if (used.contains(name))
      return "code inside would compute the value of '" + name + "' otherwise";
  return {};
}

void InlinePlan::choose_names(const Sdfg& parent, const Sdfg& inner, TakenNames& names) {
  for_each_node(inner, [&](const Node& node) { names.add_connectors(node); });
  const auto is_new = [&](const auto& entry) {
    const Constant* same = parent.constants.get(entry.first);
    return !same || !(*same == entry.second);
  };
  // Nested SDFGs see the parent's constants, so these keep clear of names there.
  const bool new_constants = std::ranges::any_of(inner.constants, is_new);
  NestedNames* nested = new_constants ? &names.nested() : names.nested_if_asked();
  const SymbolSet own = nested ? names_within(inner) : SymbolSet();
  const auto choose = [&](const std::string& name, bool constant) {
    std::string fresh = names.take(name);
    // Another name inside must not be met on the way.
    while ((constant && nested->in_another(fresh, own)) ||
           (fresh != name && (inner.arrays.contains(fresh) || inner.symbols.contains(fresh))))
      fresh = names.take(name);
    if (fresh != name) moved[name] = fresh;
  };
  for (const auto& [name, data] : inner.arrays)
    if (data.transient) choose(name, false);
  for (const auto& constant : inner.constants)
    if (is_new(constant)) choose(constant.first, true);
  if (nested) nested->inlined(inner, own);
}

Substitution InlinePlan::replacements() const {
  Substitution out = symbols;
  for (const auto& [from, to] : moved) out.insert_or_assign(from, Expr::symbol(to));
  return out;
}

void InlinePlan::free_places(const Sdfg& parent, Sdfg& inner) const {
  std::optional<SymbolSet> mentioned;
  for_each_state(inner, [&](State& body) {
    if (body.nodes_of<MapEntry>().empty() && body.nodes_of<ConsumeEntry>().empty()) return;
    if (!mentioned) {
      mentioned.emplace();
      for (const auto& [name, c] : connections) {
        collect_symbols(c.window.subset, *mentioned);
        for (const Expr& offset : c.window.offset) collect_symbols(offset, *mentioned);
        if (const Data* data = parent.find_data(c.outer)) collect_symbols(*data, *mentioned);
      }
    }
    rename_bound_names(body, *mentioned);
  });
}

void InlinePlan::move_declarations(Sdfg& parent, Sdfg& inner, bool in_scope) const {
  const auto name_outside = [&](const std::string& name) {
    const auto found = moved.find(name);
    return found == moved.end() ? name : found->second;
  };
  for (auto& [name, data] : inner.arrays) {
    if (!data.transient) continue;
    if (in_scope && data.lifetime != Lifetime::Scope) data.lifetime = Lifetime::Scope;
    parent.arrays.insert(name_outside(name), std::move(data));
  }
  for (auto& [name, constant] : inner.constants)
    parent.constants.insert(name_outside(name), std::move(constant));
  const auto merge = [](std::map<std::string, Code>& into,
                        const std::map<std::string, Code>& from) {
    for (const auto& [where, code] : from) {
      Code& all = into[where];
      if (all.empty())
        all = code;
      else if (!code.empty() && all.text().find(code.text()) == std::string::npos)
        all = Code(all.text() + "\n" + code.text(), all.language());
    }
  };
  merge(parent.global_code, inner.global_code);
  merge(parent.init_code, inner.init_code);
  merge(parent.exit_code, inner.exit_code);
  parent.callback_mapping.merge(inner.callback_mapping);
  // Symbols that were not mapped are the parent's of the same name; make sure it declares them.
  for (const auto& [name, type] : inner.symbols)
    if (!symbols.contains(name) && type.base() == BaseType::Callback)
      parent.symbols.emplace(name, type);
}

namespace {

bool open_copy(const State& body, EdgeId e) {
  const Memlet& memlet = body[e].memlet;
  return !memlet.empty() && memlet.subset() && !memlet.other_subset() &&
         body[body.source(e)].is<AccessNode>() && body[body.target(e)].is<AccessNode>();
}

NodeId other_end(const State& body, EdgeId e) {
  return body[e].memlet.data_is_src ? body.target(e) : body.source(e);
}

/// What the interpreter takes when a copy leaves a subset open.
std::optional<Subset> implied_subset(const Data& data, const Subset& other) {
  Subset whole = Subset::whole(data.shape);
  const Expr here = num_elements(whole), there = num_elements(other);
  if (certain(equal(here, there))) return whole;
  if (equal(here, there) == Truth::Unknown) return std::nullopt;
  std::vector<Expr> extent = sizes(other);
  if (extent.size() != data.shape.size())
    std::erase_if(extent, [](const Expr& size) { return size == Expr(1); });
  if (extent.size() != data.shape.size()) return whole;
  return Subset::whole(extent);
}

}  // namespace

Refusal InlinePlan::check_open_subsets(const Sdfg& inner, const State& body) const {
  for (EdgeId e : body.edges()) {
    if (!open_copy(body, e) || !at(body, other_end(body, e))) continue;
    const std::string& name = body.get<AccessNode>(other_end(body, e)).data;
    const Data* data = inner.find_data(name);
    if (!data || data->is_stream()) continue;
    if (!implied_subset(*data, *body[e].memlet.subset()))
      return "which elements of '" + name + "' a copy inside means cannot be told";
  }
  return {};
}

void InlinePlan::close_subsets(const Sdfg& inner, State& body) const {
  for (EdgeId e : body.edges()) {
    if (!open_copy(body, e) || !at(body, other_end(body, e))) continue;
    const Data* data = inner.find_data(body.get<AccessNode>(other_end(body, e)).data);
    if (data && !data->is_stream())
      body[e].memlet.other_subset() = implied_subset(*data, *body[e].memlet.subset());
  }
}

void InlinePlan::translate(const State& body, EdgeId edge, Memlet& memlet) const {
  if (memlet.empty()) return;
  const Connection* named = at(memlet.data);
  const Connection* source = at(body, path_source(body, edge));
  const Connection* target = at(body, path_target(body, edge));
  const Connection* at_src = memlet.data_is_src ? named : source;
  const Connection* at_dst = memlet.data_is_src ? target : named;
  if (at_src && memlet.src_subset) memlet.src_subset = at_src->window.to_outer(*memlet.src_subset);
  if (at_dst && memlet.dst_subset) memlet.dst_subset = at_dst->window.to_outer(*memlet.dst_subset);
}

Refusal InlinePlan::check_rank(const State& body, const Connection& c, EdgeId edge) const {
  // A copy moves as many elements as its ranges have; where iterations are empty, nothing is moved.
  const Memlet& memlet = body[edge].memlet;
  for (const auto& [node, subset] : {std::pair(body.source(edge), &memlet.src_subset),
                                     std::pair(body.target(edge), &memlet.dst_subset)})
    if (at(body, node) == &c && *subset && body[body.source(edge)].is<AccessNode>() &&
        body[body.target(edge)].is<AccessNode>())
      if (const auto d = c.window.lost(**subset))
        return "a copy inside takes [" + to_text((**subset)[*d]) + "], which " +
               ((**subset)[*d].tile == Expr(1) ? "may be empty" : "has tiles") + ", and '" +
               c.outer + "' has no dimension that could say so";
  if (c.window.subset.rank() == c.window.offset.size()) return {};
  for (EdgeId leaf : path_leaves(body, edge))
    for (NodeId end : {path_source(body, leaf), path_target(body, leaf)})
      if (body[end].is<LibraryNode>())
        return "library node '" + std::string(body[end].label()) +
               "' would see another number of dimensions";
  return {};
}

void rename_accesses(State& state, const Renaming& names) {
  const auto rename = [&](std::string& data) {
    const std::size_t dot = std::min(data.find('.'), data.size());
    if (const auto found = names.find(std::string_view(data).substr(0, dot)); found != names.end())
      data.replace(0, dot, found->second);
  };
  for (NodeId n : state.nodes())
    if (auto* access = state[n].as<AccessNode>()) rename(access->data);
  for (EdgeId e : state.edges())
    if (!state[e].memlet.empty()) rename(state[e].memlet.data);
}

}  // namespace sdfg
