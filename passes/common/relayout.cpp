#include "passes/common/relayout.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/window.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// Names that something inside the SDFG itself gives a value or a meaning.
SymbolSet bound_inside(const Sdfg& sdfg) {
  SymbolSet out = assigned_symbols(sdfg);
  out.merge(names_of_scopes(sdfg));
  return out;
}

/// Writes outer expressions in a nested SDFG's terms, through symbols that it has or is given.
class Translator {
 public:
  Translator(const Sdfg& outer, NestedSdfg& nested, bool declare)
      : outer_(outer), nested_(nested), bound_(bound_inside(**nested.sdfg)), declare_(declare) {}

  Expr operator()(const Expr& expr) {
    Substitution names;
    for (const std::string& symbol : free_symbols(expr))
      names.emplace(symbol, Expr::symbol(inside(symbol)));
    return substitute(expr, names);
  }

 private:
  std::string inside(const std::string& symbol) {
    const auto is_it = [&](const auto& entry) {
      return entry.second.is_symbol(symbol) && !bound_.contains(entry.first);
    };
    auto known = nested_.symbol_mapping.find(symbol);
    if (known == nested_.symbol_mapping.end() || !is_it(*known))
      known = std::ranges::find_if(nested_.symbol_mapping, is_it);
    if (known != nested_.symbol_mapping.end()) {
      if (declare_) declare(known->first, symbol);  // nobody may have used it inside
      return known->first;
    }
    const Sdfg& inner = **nested_.sdfg;
    const auto taken = [&](const std::string& name) {
      return bound_.contains(name) || nested_.symbol_mapping.contains(name) ||
             inner.arrays.contains(name) || inner.constants.contains(name);
    };
    std::string name = symbol;
    for (std::size_t i = 0; taken(name); ++i) name = symbol + "_" + std::to_string(i);
    if (declare_) {
      declare(name, symbol);
      nested_.symbol_mapping[name] = Expr::symbol(symbol);
    }
    return name;
  }

  void declare(const std::string& name, const std::string& symbol) {
    const auto type = outer_.symbols.find(symbol);
    (*nested_.sdfg)->symbols.try_emplace(
        name, type == outer_.symbols.end() ? Type(BaseType::Int64) : type->second);
  }

  const Sdfg& outer_;
  NestedSdfg& nested_;
  SymbolSet bound_;
  bool declare_;
};

/// The strides of a container (in the terms of the one around it) that lies in that at `subset`:
/// its wide dimensions follow those with the same strides, in order, as in ir/analysis/window.h. A
/// dimension that runs through several of those around it, as in a flat view, cannot follow them.
Result<std::vector<Expr>> strides_inside(const Data& inside, const NewStrides& outside,
                                         const Subset& subset) {
  if (inside.is_scalar()) return std::vector<Expr>();
  const Array* in = inside.as_array();
  const Array* around = outside.before.as_array();
  if (!in || !(inside.dtype == outside.before.dtype))
    return Diagnostic{"", "it reinterprets the elements"};
  std::vector<Expr> strides = in->strides;
  const auto is_wide = [](const Expr& extent) { return extent != Expr(1); };
  const bool one_to_one = std::size_t(std::ranges::count_if(inside.shape, is_wide)) >=
                          wide_dimensions(subset).size();
  std::size_t next = 0;
  for (std::size_t d = 0; d < inside.shape.size(); ++d) {
    if (!is_wide(inside.shape[d])) continue;
    const auto fits = [&](std::size_t o) {
      return !subset[o].is_index() &&
             certain(equal(in->strides[d], around->strides[o] * subset[o].step));
    };
    std::optional<Expr> stride;
    if (around)
      while (next < subset.rank() && !fits(next)) ++next;
    if (around && next < subset.rank()) stride = outside.strides[next];
    if (!stride || !(one_to_one || certain(less_equal(inside.shape[d], subset[next].size()))))
      return Diagnostic{"", "its dimension " + std::to_string(d) + " cannot be followed"};
    strides[d] = *stride * subset[next].step;
    ++next;
  }
  return strides;
}

void set_strides(Data& data, std::vector<Expr> strides) {
  Array& array = *data.as_array();
  array.total_size = elements_spanned(data.shape, strides);
  array.strides = std::move(strides);
  raise_negative_sizes(data);
}

bool moves_wide_dimensions(const Subset& subset, const NewStrides& layout) {
  const Array* before = layout.before.as_array();
  for (std::size_t d : wide_dimensions(subset))
    if (!before || layout.strides[d] != before->strides[d]) return true;
  return false;
}

/// DaCe's linear solvers refuse matrices in which the elements of a row lie apart.
bool by_rows(const LibraryNode& node) {
  return node.classpath == "dace.libraries.linalg.nodes.solve.Solve" ||
         node.classpath == "dace.libraries.linalg.nodes.inv.Inv";
}

bool rows_stay(const Subset& subset, const NewStrides& layout) {
  const std::vector<std::size_t> wide = wide_dimensions(subset);
  return wide.empty() || layout.strides[wide.back()] == Expr(1);
}

std::size_t count_nodes(const Sdfg& sdfg, const std::string& name, const Accesses* accesses) {
  if (accesses) return accesses->sites(name).size();
  std::size_t count = 0;
  for_each_node(sdfg, [&](const Node& node) {
    const auto* access = node.as<AccessNode>();
    count += access && access->data == name;
  });
  return count;
}

std::vector<std::optional<Expr>> known(const std::vector<Expr>& strides) {
  return {strides.begin(), strides.end()};
}

}  // namespace

bool names_this_end(const Memlet& memlet, const std::string& data, bool read) {
  return memlet.data == data && (memlet.data_is_src == read || !memlet.other_subset());
}

std::optional<Subset>& side_of(Memlet& memlet, const std::string& data, bool read) {
  if (memlet.src_subset && memlet.dst_subset) return read ? memlet.src_subset : memlet.dst_subset;
  return names_this_end(memlet, data, read) ? memlet.subset() : memlet.other_subset();
}

std::vector<PathEdge> edges_from(const State& state, EdgeId edge, NodeId at) {
  const bool read = state.source(edge) == at;
  std::vector<PathEdge> out{{edge, true}};
  for (std::size_t i = 0; i < out.size() && out.size() <= state.edge_count(); ++i) {
    const EdgeId e = out[i].edge;
    const NodeId node = read ? state.target(e) : state.source(e);
    if (!state[node].is_entry() && !state[node].is_exit()) continue;
    const std::string onward =
        matching_connector(read ? state[e].dst_connector : state[e].src_connector);
    if (onward.empty()) continue;
    for (EdgeId next : read ? state.out(node) : state.in(node))
      if ((read ? state[next].src_connector : state[next].dst_connector) == onward) {
        out.push_back({next, true});
        out[i].leaf = false;
      }
  }
  return out;
}

Refusal Relayout::follow(Sdfg& sdfg, State& state, EdgeId leaf, bool read, const Subset& subset,
                         const NewStrides& layout, const Accesses* accesses) {
  const NodeId end = read ? state.target(leaf) : state.source(leaf);
  const Node& node = state[end];
  if (node.is<NestedSdfg>())
    return connector(sdfg, state, end, read ? state[leaf].dst_connector : state[leaf].src_connector,
                     subset, layout);
  if (const auto* access = node.as<AccessNode>()) {
    const Data* data = sdfg.find_data(access->data);
    if (data && data->is_view() && viewed_edge(sdfg, state, end) == leaf)
      return view(sdfg, state, end, subset, layout, accesses);
    if (data && data->is_reference() && state[leaf].dst_connector == "set") {
      // It may be set to something else elsewhere.
      const auto strides = strides_inside(*data, layout, subset);
      if (!strides) return "reference '" + access->data + "': " + strides.error().message;
      if (!data->is_scalar() && *strides != data->as_array()->strides)
        return "reference '" + access->data + "' is set to it, and has strides of its own";
    }
  }
  if (const auto* tasklet = node.as<Tasklet>())
    if (tasklet->code.language() != Language::Python && moves_wide_dimensions(subset, layout))
      return "tasklet '" + tasklet->label + "' knows the strides of what it gets";
  if (const auto* library = node.as<LibraryNode>())
    if (by_rows(*library) && !rows_stay(subset, layout))
      return "library node '" + library->label + "' takes matrices row by row only";
  return {};
}

Refusal Relayout::connector(Sdfg& sdfg, State& state, NodeId node, const std::string& name,
                            const Subset& subset, const NewStrides& layout) {
  NestedSdfg& nested = state.get<NestedSdfg>(node);
  if (!nested.sdfg) return "nested SDFG '" + nested.label + "' is not loaded";
  Sdfg& inner = **nested.sdfg;
  if (mode_ == Mode::Apply && !adapted_.emplace(&inner, name).second) return {};
  Data* data = inner.arrays.get(name);
  if (!data) return "nested SDFG '" + nested.label + "' has no container '" + name + "'";
  Data inside = *data;
  substitute(inside, mapped_values(nested));
  auto strides = strides_inside(inside, layout, subset);
  if (!strides)
    return "'" + name + "' in nested SDFG '" + nested.label + "': " + strides.error().message;
  if (inside.is_scalar() || *strides == inside.as_array()->strides) return {};
  Translator translate(sdfg, nested, mode_ == Mode::Apply);
  for (Expr& stride : *strides) stride = translate(stride);
  const NewStrides next{*data, known(*strides)};
  if (mode_ == Mode::Apply) set_strides(*data, *std::move(strides));
  const auto outer_views = std::exchange(views_, {});
  Refusal why = users(inner, name, next, nullptr);
  views_ = outer_views;
  return why;
}

Refusal Relayout::view(Sdfg& sdfg, State& state, NodeId node, const Subset& subset,
                       const NewStrides& layout, const Accesses* accesses) {
  const std::string name = state.get<AccessNode>(node).data;
  Data* data = sdfg.arrays.get(name);
  if (!data) return "view '" + name + "' is a member of a structure";
  auto strides = strides_inside(*data, layout, subset);
  if (!strides) return "view '" + name + "': " + strides.error().message;
  if (data->is_scalar() || *strides == data->as_array()->strides) return {};
  if (views_.contains(name)) return {};
  if (mode_ == Mode::Check && count_nodes(sdfg, name, accesses) != 1)
    return "view '" + name + "' is used more than once";
  views_.insert(name);
  const NewStrides next{*data, known(*strides)};
  if (mode_ == Mode::Apply) set_strides(*data, *std::move(strides));
  return users(sdfg, name, next, accesses);
}

Refusal Relayout::users(Sdfg& sdfg, const std::string& name, const NewStrides& layout,
                        const Accesses* accesses) {
  Refusal why;
  const auto at_node = [&](State& state, NodeId node) {
    const auto* access = state[node].as<AccessNode>();
    if (why || !access || access->data != name) return;
    const auto viewed = layout.before.is_view() ? viewed_edge(sdfg, state, node) : std::nullopt;
    for (const bool read : {false, true})
      for (EdgeId e : read ? state.out(node) : state.in(node)) {
        if (state[e].memlet.empty() || e == viewed) continue;
        for (const auto& [edge, leaf] : edges_from(state, e, node)) {
          if (!leaf || why) continue;
          const auto& subset = side_of(state[edge].memlet, name, read);
          if (!subset) continue;  // a copy whose memlet names the other end
          why = follow(sdfg, state, edge, read, *subset, layout, accesses);
        }
      }
  };
  if (accesses) {
    for (const AccessSite& site : accesses->sites(name)) at_node(*site.state, site.node);
  } else {
    for_each_state(sdfg, [&](State& state) {
      for (NodeId node : state.nodes()) at_node(state, node);
    });
  }
  return why;
}

}  // namespace sdfg
