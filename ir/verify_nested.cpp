#include <algorithm>

#include "ir/analysis/free_symbols.h"
#include "ir/analysis/signature.h"
#include "ir/verify_context.h"
#include "ir/walk.h"

namespace sdfg::detail {
namespace {

/// The container at the outer end of an edge of the nested SDFG's node, as far out as it goes.
std::optional<SdfgScope::Origin> origin(const StateScope& s, NodeId end, bool reading) {
  const auto* access = s.state[end].as<AccessNode>();
  const Data* data = access ? s.find_data(access->data) : nullptr;
  if (!data) return std::nullopt;
  const SdfgScope& scope = s.sdfg;
  if (scope.outer && !data->transient) {
    const auto& first = reading ? scope.read_from : scope.written_to;
    const auto& second = reading ? scope.written_to : scope.read_from;
    for (const auto* map : {&first, &second})
      if (const auto found = map->find(root_of(access->data)); found != map->end())
        return found->second;
  }
  return SdfgScope::Origin{scope.depth, access->data};
}

/// Does any write of the container resolve conflicts? One to a view may be one to it.
bool resolves_conflicts(const Sdfg& sdfg, std::string_view container) {
  bool found = false;
  for_each_edge(sdfg, [&](const Edge& edge, const State& state, EdgeId e) {
    if (found || !edge.memlet.wcr) return;
    const auto* access = state[state.target(e)].as<AccessNode>();
    for (const std::string_view data : {std::string_view(edge.memlet.data),
                                        access ? std::string_view(access->data) : ""}) {
      const Data* written = sdfg.find_data(data);
      found = found || root_of(data) == container || (written && written->is_view());
    }
  });
  return found;
}

/// The rules for a nested SDFG's node and its connectors; then those for what is inside.
class NestedRules {
 public:
  NestedRules(const StateScope& s, NodeId id, Findings& findings)
      : s_(s), id_(id), node_(s.state[id]), nested_(*node_.as<NestedSdfg>()), findings_(findings) {}

  void verify() {
    mapping();
    if (!nested_.sdfg) {
      warning("the SDFG is not loaded, so it is not verified" +
              (nested_.ext_sdfg_path ? ": " + *nested_.ext_sdfg_path : std::string()));
      return;
    }
    const Sdfg& inner = **nested_.sdfg;
    connectors(inner);
    resolutions(inner);
    symbols(inner);
    SdfgScope scope(inner, &s_.sdfg, &node_);
    scope.depth = s_.sdfg.depth + 1;
    scope.in_gpu = s_.sdfg.in_gpu;
    for (NodeId at = s_.tree.parent_of(id_); at; at = s_.tree.parent_of(at))
      if (const Schedule* schedule = scope_schedule(s_.state[at])) {
        scope.in_gpu = scope.in_gpu || is_gpu(*schedule);
        scope.in_default = scope.in_default || *schedule == Schedule::Default;
      }
    scope.in_default = scope.in_default || s_.sdfg.in_default;
    origins(scope);
    const Findings::Level level(findings_, [this] { return here().text(); });
    verify_sdfg(scope, findings_);
  }

 private:
  Place here() const { return Place().node(s_.state, id_); }
  void error(std::string message, std::string hint = {}) {
    findings_.error(here(), std::move(message), std::move(hint));
  }
  void warning(std::string message, std::string hint = {}) {
    findings_.warning(here(), std::move(message), std::move(hint));
  }
  bool is_connector(std::string_view name) const {
    return node_.in_connectors.contains(name) || node_.out_connectors.contains(name);
  }

  /// Outer names must exist for the inner symbols that code needs; front ends also map others.
  void mapping() {
    std::vector<std::string> missing, harmless;
    std::optional<SymbolSet> needed;
    for (const auto& [inner, value] : nested_.symbol_mapping) {
      SymbolSet undefined;
      s_.add_undefined(value, s_.tree.parent_of(id_), undefined);
      for (const std::string& name : undefined) {
        if (s_.find_data(name)) continue;  // evaluated when the node runs, as on an edge
        if (!needed && nested_.sdfg) needed = symbols_needed_by_code(**nested_.sdfg);
        auto& list = !needed || needed->contains(inner) ? missing : harmless;
        if (std::ranges::find(list, name) == list.end()) list.push_back(name);
      }
    }
    if (!missing.empty())
      error("the symbol mapping uses " + quoted_list(missing) + ", which " +
                (missing.size() == 1 ? "is" : "are") + " not defined here",
            "declare a symbol, or assign it on an edge before");
    if (!harmless.empty())
      warning("the symbol mapping uses " + quoted_list(harmless) + ", which " +
              (harmless.size() == 1 ? "is" : "are") + " not defined here, for symbols that no " +
              "code inside needs");
  }

  void connectors(const Sdfg& inner) {
    for (const auto* connectors : {&node_.in_connectors, &node_.out_connectors})
      for (const auto& [name, type] : *connectors) {
        if (connectors == &node_.out_connectors && node_.in_connectors.contains(name)) continue;
        const Data* data = inner.arrays.get(name);
        if (inner.symbols.contains(name))
          error("connector '" + name + "' is a symbol inside",
                "pass it through the symbol mapping");
        else if (!data)
          error("connector '" + name + "' is no container inside");
        else if (data->transient)
          error("connector '" + name + "' is a transient inside",
                "make the container non-transient");
      }
    for (const auto& [name, data] : inner.arrays)
      if (!data.transient && !is_connector(name))
        error("container '" + name + "' inside is not transient, but has no connector",
              "add a connector, or make it transient");
    for (EdgeId e : s_.state.in(id_)) types(inner, e, s_.state[e].dst_connector);
    for (EdgeId e : s_.state.out(id_)) types(inner, e, s_.state[e].src_connector);
  }

  /// Arguments are passed by address, so that both sides must mean the same element type.
  void types(const Sdfg& inner, EdgeId e, const std::string& connector) {
    const Data* inside = connector.empty() ? nullptr : inner.arrays.get(connector);
    const Data* outside = s_.find_data(s_.state[e].memlet.data);
    if (!inside || !outside || inside->is_structure()) return;
    const auto vector = [](const Data& d) { return d.dtype.base() == BaseType::Vector; };
    if (vector(*inside) || vector(*outside) || outside->is_structure()) return;
    if (inside->dtype.known() && outside->dtype.known() && !(inside->dtype == outside->dtype))
      findings_.error(Place().edge(s_.state, e),
                      "passes '" + s_.state[e].memlet.data + "' of type " + outside->dtype.text() +
                          " as '" + connector + "' of type " + inside->dtype.text());
  }

  /// What is inside writes the container itself, so that nothing is left to resolve at the border.
  void resolutions(const Sdfg& inner) {
    for (EdgeId e : s_.state.out(id_)) {
      const Memlet& memlet = s_.state[e].memlet;
      const std::string& connector = s_.state[e].src_connector;
      if (memlet.wcr && !resolves_conflicts(inner, connector))
        findings_.warning(Place().edge(s_.state, e),
                          "nothing applies the wcr '" + memlet.wcr->text() +
                              "': '" + connector + "' inside writes '" + memlet.data +
                              "' directly, and without one",
                          "give it to the memlets inside that write '" + connector + "'");
    }
  }

  void symbols(const Sdfg& inner) {
    std::vector<std::string> missing, unused;
    SymbolSet free = free_symbols(inner);
    for (const std::string& name : free)
      if (!is_connector(name) && !nested_.symbol_mapping.contains(name)) missing.push_back(name);
    if (!missing.empty())
      error("the symbol mapping lacks " + quoted_list(missing) + ", which the SDFG inside needs",
            "map each to an outer expression");
    for (const auto& [name, value] : nested_.symbol_mapping)
      if (!free.contains(name) || is_connector(name)) unused.push_back(name);
    if (!unused.empty())
      warning("the symbol mapping has " + quoted_list(unused) + ", which nothing inside uses");
  }

  void origins(SdfgScope& scope) {
    const auto add = [](auto& map, const std::string& connector, auto&& found) {
      if (found && !connector.empty()) map.emplace(connector, *found);
    };
    for (EdgeId e : s_.state.in(id_))
      add(scope.read_from, s_.state[e].dst_connector, origin(s_, s_.path_source[e.value], true));
    for (EdgeId e : s_.state.out(id_))
      add(scope.written_to, s_.state[e].src_connector, origin(s_, s_.path_target[e.value], false));
    if (!scope.in_gpu && !scope.in_default)
      for (const auto* origins : {&scope.read_from, &scope.written_to})
        for (const auto& [name, from] : *origins) given_storage(scope, name, from);
    for (const auto& [name, type] : node_.in_connectors) {
      const auto in = scope.read_from.find(name), out = scope.written_to.find(name);
      if (!node_.out_connectors.contains(name) || in == scope.read_from.end() ||
          out == scope.written_to.end() || in->second == out->second)
        continue;
      error("connector '" + name + "' reads '" + in->second.second + "' but writes '" +
                out->second.second + "'; one that does both must stay with one container",
            "use two connectors");
    }
  }

  void given_storage(SdfgScope& scope, const std::string& name, const SdfgScope::Origin& from) {
    const Data* inner = scope.sdfg.find_data(name);
    if (!inner || inner->storage != Storage::Default) return;
    const SdfgScope* owner = &s_.sdfg;
    while (owner->depth > from.first) owner = owner->outer;
    const Data* data = owner->sdfg.find_data(from.second);
    if (data && is_gpu(data->storage)) scope.given_on_gpu.emplace(name, data->storage);
  }

  const StateScope& s_;
  NodeId id_;
  const Node& node_;
  const NestedSdfg& nested_;
  Findings& findings_;
};

}  // namespace

void verify_nested(const StateScope& scope, NodeId node, Findings& findings) {
  NestedRules(scope, node, findings).verify();
}

}  // namespace sdfg::detail
