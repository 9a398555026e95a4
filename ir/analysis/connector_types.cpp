#include "ir/analysis/connector_types.h"

#include <algorithm>
#include <map>

#include "ir/analysis/expression_types.h"
#include "ir/analysis/memlet_path.h"
#include "ir/place.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

bool one_element(const Memlet& memlet) {
  return memlet.subset() && std::ranges::all_of(memlet.subset()->ranges, [](const Range& range) {
           return (range.is_index() && range.tile.as_integer() == 1) ||
                  range.size().as_integer() == 1;
         });
}

/// The type of a connector that a container reaches: the element by value, or its address.
Type passed(const Data& data, bool by_value) {
  return by_value ? data.dtype : Type::pointer(data.dtype);
}

class Inference {
 public:
  /// `symbols`: of the SDFG, once they have been asked for.
  Inference(Sdfg& sdfg, State& state, const Dataflow& flow, std::optional<TypeTable>& symbols)
      : sdfg_(sdfg), state_(state), flow_(flow), symbols_(symbols) {}

  Status run() {
    for (NodeId id : flow_.order) {
      Node& node = state_[id];
      if (!node.in_connectors.empty())
        for (EdgeId e : state_.in(id)) {
          SDFG_TRY([[maybe_unused]] Ok in, input(id, e));
        }
      if (node.is<NestedSdfg>()) mark_aliases(id);
      if (node.out_connectors.empty()) continue;
      for (EdgeId e : state_.out(id)) output(id, e);
      if (node.is<Tasklet>()) {
        SDFG_TRY([[maybe_unused]] Ok code, tasklet(id));
      }
      for (EdgeId e : state_.out(id)) {
        const Type* type = find(node.out_connectors, state_[e].src_connector);
        if (type && !type->known())
          return unknown(id, state_[e].src_connector, "neither its memlet nor its code tells it");
      }
    }
    return Ok{};
  }

 private:
  static Type* find(Connectors& connectors, const std::string& name) {
    const auto found = connectors.find(name);
    return name.empty() || found == connectors.end() ? nullptr : &found->second;
  }
  Diagnostic unknown(NodeId id, const std::string& connector, const std::string& why) const {
    return {Place().node(state_, id).text(),
            "the type of connector '" + connector + "' cannot be inferred: " + why,
            "give the connector a type"};
  }
  const Data* inner_data(const Node& node, const std::string& connector) const {
    const auto* nested = node.as<NestedSdfg>();
    return nested && nested->sdfg ? (*nested->sdfg)->arrays.get(connector) : nullptr;
  }
  bool on_gpu(const Data* data) const { return data && data->storage == Storage::GpuGlobal; }

  Status input(NodeId id, EdgeId e) {
    Node& node = state_[id];
    const Edge& edge = state_[e];
    Type* type = find(node.in_connectors, edge.dst_connector);
    if (!type || type->known()) return Ok{};
    if (const Data* inner = inner_data(node, edge.dst_connector)) {
      *type = passed(*inner, inner->is_scalar() || inner->is_structure());
      return Ok{};
    }
    if (const Data* data = sdfg_.find_data(edge.memlet.data)) {
      bool value = one_element(edge.memlet) || data->is_scalar();
      if (node.is<LibraryNode>() && on_gpu(data)) value = false;
      *type = passed(*data, value);
      return Ok{};
    }
    // Between two tasklets, without a container: as the other end has it.
    const EdgeId first = memlet_path(state_, e).front();
    const std::string& connector = state_[first].src_connector;
    const Type* source = find(state_[state_.source(first)].out_connectors, connector);
    if (!source || !source->known())
      return unknown(id, edge.dst_connector, "the other end of its edge has no type either");
    *type = *source;
    return Ok{};
  }

  void output(NodeId id, EdgeId e) {
    Node& node = state_[id];
    const Edge& edge = state_[e];
    Type* type = find(node.out_connectors, edge.src_connector);
    if (!type || type->known()) return;
    const Data* data = sdfg_.find_data(edge.memlet.data);
    if (const Data* inner = inner_data(node, edge.src_connector)) {
      *type = passed(*inner, inner->is_scalar() && !on_gpu(data));
    } else if (data) {
      // An output written any number of times is written through a pointer.
      bool value = one_element(edge.memlet) && (!edge.memlet.dynamic || edge.memlet.wcr);
      value = value || data->is_scalar();
      if (node.is<LibraryNode>() && on_gpu(data)) value = false;
      *type = passed(*data, value);
    }
  }

  /// Outputs whose edges do not tell a type (those to other tasklets): from the code.
  Status tasklet(NodeId id) {
    Node& node = state_[id];
    const Code& code = node.as<Tasklet>()->code;
    bool all_known = true;
    for (const auto& [name, type] : node.out_connectors) all_known = all_known && type.known();
    if (all_known || code.language() != Language::Python) return Ok{};
    TypeTable names;
    SymbolSet read;
    collect_symbols(code, {}, read);
    const TypeTable& around = names_at(id);
    for (const std::string& name : read)
      if (const auto known = around.find(name); known != around.end()) names.insert(*known);
    for (const auto& [name, type] : node.in_connectors) {
      if (!type.known()) return unknown(id, name, "it has no edge that tells it");
      names.insert_or_assign(name, type);
    }
    const TypeTable assigned = types_assigned(code, names);
    for (auto& [name, type] : node.out_connectors) {
      if (type.known()) continue;
      const auto found = assigned.find(name);
      if (found == assigned.end()) return unknown(id, name, "the code does not tell it");
      type = found->second;
    }
    return Ok{};
  }

  /// Of the scope around a node; made once per scope.
  const TypeTable& names_at(NodeId id) {
    if (!symbols_) symbols_ = symbol_types(sdfg_);
    const NodeId scope = flow_.tree.parent_of(id);
    if (!scope) return *symbols_;
    const auto [known, is_new] = in_scope_.try_emplace(scope);
    if (!is_new) return known->second;
    TypeTable names = names_at(scope);
    add_scope_symbols(state_, scope, sdfg_, names);
    return in_scope_[scope] = std::move(names);
  }

  /// A container that reaches a nested SDFG under two names may alias itself there.
  void mark_aliases(NodeId id) {
    NestedSdfg& nested = *state_[id].as<NestedSdfg>();
    if (!nested.sdfg) return;
    std::map<std::string, NameSet> connectors;  // by container
    const auto add = [&](EdgeId e, const std::string& connector, bool outgoing) {
      if (state_[e].memlet.empty() || connector.empty()) return;
      for (const std::string& name : addressed(e, outgoing)) connectors[name].insert(connector);
    };
    for (EdgeId e : state_.in(id)) add(e, state_[e].dst_connector, false);
    for (EdgeId e : state_.out(id)) add(e, state_[e].src_connector, true);
    for (const auto& [name, names] : connectors) {
      const Data* data = sdfg_.find_data(name);
      const Array* outer = data ? data->as_array() : nullptr;
      if (names.size() < 2 && !(outer && outer->may_alias)) continue;
      for (const std::string& inner : names)
        if (Data* d = (*nested.sdfg)->arrays.get(inner))
          if (Array* array = d->as_array()) array->may_alias = true;
    }
  }

  /// The container at the far end of an edge and, if that is a view, those it looks at.
  NameSet addressed(EdgeId e, bool outgoing) {
    NodeId at = outgoing ? path_target(state_, e) : path_source(state_, e);
    if (!state_[at].is<AccessNode>()) return {state_[e].memlet.data};
    NameSet names;
    for (std::size_t steps = 0; steps <= state_.node_count(); ++steps) {
      const auto* access = state_[at].as<AccessNode>();
      if (!access || !names.insert(access->data).second) break;
      const Data* data = sdfg_.find_data(access->data);
      const auto edge = data && data->is_view() ? viewed_edge(sdfg_, state_, at) : std::nullopt;
      if (!edge) break;
      const NodeId source = path_source(state_, *edge), target = path_target(state_, *edge);
      at = target == at ? source : target;
    }
    return names;
  }

  Sdfg& sdfg_;
  State& state_;
  const Dataflow& flow_;
  std::optional<TypeTable>& symbols_;
  std::map<NodeId, TypeTable> in_scope_;  ///< by entry
};

}  // namespace

Status infer_connector_types(Sdfg& sdfg, const Dataflows& flows) {
  std::optional<Diagnostic> error;
  std::optional<TypeTable> symbols;
  for_each_state(sdfg, [&](State& state, const Block& block) {
    if (error) return;
    auto status = Inference(sdfg, state, flows.at(&state), symbols).run();
    if (!status) error = inside(Place().block(block), status.error());
    for (NodeId id : state.nodes_of<NestedSdfg>()) {
      auto& nested = state.get<NestedSdfg>(id).sdfg;
      if (error || !nested) continue;
      if (auto inner = infer_connector_types(**nested, flows); !inner)
        error = inside(Place().block(block).node(state, id), inner.error());
    }
  });
  if (error) return *error;
  return Ok{};
}

Status infer_connector_types(Sdfg& sdfg) {
  SDFG_TRY(const Dataflows flows, dataflows(sdfg));
  return infer_connector_types(sdfg, flows);
}

}  // namespace sdfg
