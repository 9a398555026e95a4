#include "passes/inside_maps/scalar_copy_elimination.h"

#include <algorithm>
#include <memory>

#include "ir/analysis/propagate.h"
#include "passes/common/accesses.h"
#include "passes/common/connector_index.h"
#include "passes/common/one_element.h"
#include "passes/common/viewed.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

bool on_host(Storage storage) {
  return storage == Storage::Default || storage == Storage::Register ||
         storage == Storage::CpuHeap || storage == Storage::CpuThreadLocal;
}

/// Looks for copies in one SDFG.
class Eliminator {
 public:
  Eliminator(Sdfg& sdfg, PassContext& context) : sdfg_(sdfg), accesses_(sdfg), context_(context) {}

  void on_state(State& state, const Trail& trail) {
    ConnectorIndex index(state);
    for (NodeId copy : state.nodes()) {
      if (!state[copy].is<AccessNode>()) continue;
      const std::optional<EdgeId> edge = copying_edge(state, copy);
      if (!edge) continue;
      if (const Refusal why = check(state, copy, *edge)) {
        context_.refused(trail.in(state, copy), why);
        continue;
      }
      if (!context_.may_apply()) return;
      const std::string name = state.get<AccessNode>(copy).data;
      const NodeId original = state.source(*edge);
      const std::string instead = state.get<AccessNode>(original).data;
      context_.applied(trail.in(state, copy), "read from " + quoted(instead) + " now");
      accesses_.remove(state, copy);
      const std::vector<EdgeId> out(state.out(copy).begin(), state.out(copy).end());
      for (EdgeId e : out) {
        rename_onward(state, index, e, name, instead);
        state.set_source(e, original);
      }
      state.erase(copy);
      gone_.insert(name);
    }
  }

  Changed finish() {
    for (const std::string& name : gone_) sdfg_.arrays.erase(name);
    return gone_.empty() ? Changed::No : Changed::Yes;
  }

 private:
  const Data* data_at(const State& state, NodeId node) const {
    return sdfg_.arrays.get(state.get<AccessNode>(node).data);
  }
  static bool is_scalar_transient(const Data* data) {
    return data && data->transient && data->role() == Role::Plain && !data->is_stream() &&
           !data->is_structure() && is_one_element(*data);
  }

  /// The edge that makes the node a copy of another transient of one element.
  std::optional<EdgeId> copying_edge(const State& state, NodeId copy) const {
    if (!is_scalar_transient(data_at(state, copy)) || state.out(copy).empty()) return std::nullopt;
    for (EdgeId e : state.in(copy))
      if (const NodeId from = state.source(e); state[from].is<AccessNode>())
        if (!state[e].memlet.empty() && is_scalar_transient(data_at(state, from))) return e;
    return std::nullopt;
  }

  Refusal check(const State& state, NodeId copy, EdgeId edge) const {
    const NodeId original = state.source(edge);
    const std::string& name = state.get<AccessNode>(copy).data;
    const std::string& from = state.get<AccessNode>(original).data;
    const Data &a = *data_at(state, original), &b = *data_at(state, copy);
    if (!(a.dtype == b.dtype))
      return quoted(from) + " is " + a.dtype.text() + " and " + quoted(name) + " is " +
             b.dtype.text();
    if (a.shape.size() != b.shape.size()) return "they have different numbers of dimensions";
    if (a.storage != b.storage && !(on_host(a.storage) && on_host(b.storage)))
      return quoted(from) + " and " + quoted(name) + " lie on different devices";
    if (state[edge].memlet.wcr) return "the copy resolves conflicting writes";
    if (state.in(copy).size() != 1) return quoted(name) + " is not written by the copy alone";
    if (state.get<AccessNode>(copy).setzero) return quoted(name) + " is set to zero";
    if (!accesses_.is_single_use(name)) return quoted(name) + " is used elsewhere, too";
    if (!(all_elements(a) == all_elements(b)))
      return quoted(from) + " and " + quoted(name) + " begin at different indices";
    for (const AccessSite& site : accesses_.sites(from)) {
      if (sets_reference(*site.state, site.node))
        return quoted(from) + " may be written through a reference";
      if (!(site.state == &state && site.node == original) &&
          !site.state->in(site.node).empty())
        return quoted(from) + " is written elsewhere, too";
    }
    for (EdgeId e : state.out(copy))
      if (const auto* target = state[state.target(e)].as<AccessNode>())
        if (sdfg_.find_data(target->data)->role() != Role::Plain)
          return quoted(name) + " is looked at through " + quoted(target->data);
    return {};
  }

  Sdfg& sdfg_;
  Accesses accesses_;
  PassContext& context_;
  SymbolSet gone_;  ///< containers without an access node now
};

}  // namespace

Result<Changed> ScalarCopyElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  std::unordered_map<Sdfg*, std::unique_ptr<Eliminator>> eliminators;
  walk_states(sdfg, {}, [&](Sdfg& s, State& state, const Trail& trail) {
    auto& eliminator = eliminators[&s];
    if (!eliminator) eliminator = std::make_unique<Eliminator>(s, context);
    eliminator->on_state(state, trail);
  });
  Changed changed = Changed::No;
  for (auto& [s, eliminator] : eliminators) changed |= eliminator->finish();
  return changed;
}

}  // namespace sdfg
