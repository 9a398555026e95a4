#include "passes/conditionals/movable_nodes.h"

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/used_names.h"
#include "passes/common/scope.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

bool may_move(Schedule schedule) {
  return schedule == Schedule::Default || schedule == Schedule::Sequential ||
         schedule == Schedule::CpuMulticore || schedule == Schedule::Unrolled ||
         schedule == Schedule::GpuDevice;
}

}  // namespace

std::string MovableNodes::why_it_stays(NodeId node) const {
  if (std::string why = why_it_stays(node, false); !why.empty()) return why;
  for (EdgeId e : state_.in(node)) {
    if (state_[e].memlet.wcr) return quoted(state_[node].label()) + " resolves conflicting writes";
    if (std::string why = why_not_read(e); !why.empty()) return why;
  }
  if (!state_[node].is_entry()) return {};
  const Scope inner = find_scope(state_, node).value();
  for (NodeId n : inner.nodes)
    if (std::string why = why_it_stays(n, true); !why.empty()) return why;
  for (EdgeId e : state_.in(inner.exit))
    if (state_[e].memlet.wcr) return quoted(state_[node].label()) + " resolves conflicting writes";
  return {};
}

std::string MovableNodes::why_it_stays(NodeId n, bool inside) const {
  const Node& node = state_[n];
  if (const auto* access = node.as<AccessNode>()) return why_it_stays(*access, inside);
  if (node.is<ConsumeEntry>()) return "it is in a consume scope";
  if (effects_.of(sdfg_, node)) return quoted(node.label()) + " has side effects";
  if (const auto* map = node.as<MapEntry>()) {
    if (!may_move(map->schedule))
      return "all threads of the map " + quoted(map->label) + " have to take part";
    if (map->instrument != Instrumentation::None) return quoted(map->label) + " is instrumented";
    for (const std::string& p : map->params)
      if (visible_.contains(p)) return "the parameter '" + p + "' of an inner map hides a symbol";
  }
  return {};
}

std::string MovableNodes::why_it_stays(const AccessNode& access, bool inside) const {
  const std::string who = quoted(access.data);
  const Data* data = sdfg_.arrays.get(access.data);
  if (!data) return who + " is part of a structure";
  if (!data->transient) return who + " outlives the scope";
  if (data->is_stream() || data->is_structure() || data->role() != Role::Plain)
    return who + " is a " + data->json_type();
  if (data->lifetime != Lifetime::Scope && data->lifetime != Lifetime::State &&
      data->lifetime != Lifetime::Sdfg)
    return who + " has lifetime " + std::string(to_text(data->lifetime));
  if (access.setzero) return who + " is set to zero";
  if (accesses_.is_named(access.data)) return who + " is read by name";
  for (const AccessSite& site : accesses_.sites(access.data)) {
    if (site.state != &state_) return who + " is accessed in another state, too";
    if (!inside && tree_.parent_of(site.node) != scope_)
      return who + " is accessed in another scope, too";
    if (inside && accesses_.sites(access.data).size() > 1)
      return who + " is accessed at several places";
  }
  return {};
}

/// Can a container be shown to the inside of an if?
std::string MovableNodes::why_not_read(EdgeId e) const {
  const Edge& edge = state_[e];
  if (edge.memlet.empty()) return {};
  const std::string name = container_read(e);
  const Data* data = sdfg_.arrays.get(name);
  if (!data) return quoted(name) + " is part of a structure";
  if (!data->is_scalar() && !data->as_array()) return quoted(name) + " is a " + data->json_type();
  if (data->is_reference()) return quoted(name) + " is a reference";
  if (std::holds_alternative<ContainerArray>(data->kind)) return quoted(name) + " holds containers";
  if (edge.memlet.src_subset)
    for (const Range& r : edge.memlet.src_subset->ranges)
      if (r.tile != Expr(1)) return "a tiled part of " + quoted(name) + " is read";
  return {};
}

std::string MovableNodes::container_read(EdgeId e) const {
  if (const auto* access = state_[state_.source(e)].as<AccessNode>()) return access->data;
  const auto* target = state_[state_.target(e)].as<AccessNode>();
  if (!target || target->data != state_[e].memlet.data) return state_[e].memlet.data;
  const auto* source = state_[path_source(state_, e)].as<AccessNode>();
  return source ? source->data : state_[e].memlet.data;
}

void MovableNodes::collect_names(NodeId node, SymbolSet& names, SymbolSet& read) const {
  const auto collect = [&](NodeId n) {
    collect_used_names(state_[n], visible_, names);
    if (const auto* access = state_[n].as<AccessNode>())
      collect_used_names(sdfg_.arrays.at(access->data), visible_, names);
    if (state_[n].is<Tasklet>())
      for (const auto* connectors : {&state_[n].in_connectors, &state_[n].out_connectors})
        for (const auto& [name, type] : *connectors) names.insert(name);
    for (EdgeId e : state_.in(n)) collect_used_names(state_[e], visible_, names);
  };
  collect(node);
  if (state_[node].is_entry()) {
    const Scope inner = *find_scope(state_, node);
    for (NodeId n : inner.nodes) collect(n);
  }
  for (EdgeId e : state_.in(node)) {
    if (state_[e].memlet.empty()) continue;
    const std::string container = container_read(e);
    collect_used_names(sdfg_.arrays.at(container), visible_, names);
    read.insert(container);
  }
}

}  // namespace sdfg
