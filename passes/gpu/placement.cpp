#include "passes/gpu/placement.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/place.h"
#include "ir/walk.h"
#include "passes/common/order_edge.h"
#include "passes/common/viewed.h"

namespace sdfg {

GpuPlacement::GpuPlacement(Sdfg& root) : root_(&root), host_states_(root), aliases_(root) {
  add(root);
  for (Index i = 0; i < containers_.size(); ++i) {
    const Container& c = containers_[i];
    const bool given = !c.data->transient && c.sdfg != root_;
    if (c.data->as_array() && c.named_by.empty() && !given && !c.kept) put_on_device(i);
    if (c.data->storage == Storage::GpuGlobal) put_on_device(i);
  }
  propagate();
}

void GpuPlacement::add(Sdfg& sdfg) {
  NameIndex& names = index_[&sdfg];
  names.reserve(sdfg.arrays.size());
  for (const auto& [name, data] : sdfg.arrays) {
    names.add(name, std::uint32_t(containers_.size()));
    containers_.push_back({&sdfg, &name, &data, false, false, "", {}, {}});
  }
  add_names(sdfg);
  for_each_state(sdfg, [&](State& state, const Block& block) { on_state(sdfg, state, block); });
}

namespace {

/// Those of the containers that the loop's body may write, or that code reads which copy_to_host
/// does not rewrite.
SymbolSet changed_in(const Sdfg& sdfg, const LoopRegion& loop, const SymbolSet& names,
                     LazyAliases& all_aliases) {
  const auto is_array = [&](const std::string& name) {
    const Data* data = sdfg.find_data(name);
    return data && data->as_array();
  };
  SymbolSet changed;
  if (std::ranges::none_of(names, is_array)) return changed;
  for (const auto* code : {&loop.init_statement, &loop.loop_condition, &loop.update_statement})
    if (*code && !(*code)->statements()) return names;
  // Whether a view or a reference shares memory with what is written is not asked.
  for (const std::string& name : names)
    if (is_array(name) && sdfg.find_data(name)->role() != Role::Plain) changed.insert(name);
  const Aliases aliases = all_aliases.of(sdfg);
  for_each_block(loop, [&](const Block& block) {
    const auto* state = block.as<State>();
    if (!state) return;
    for (NodeId n : state->nodes_of<AccessNode>()) {
      if (!is_written(sdfg, *state, n)) continue;
      const auto memory = accessed_container(sdfg, *state, n);
      for (const std::string& name : names)
        if (!memory || may_be_same(aliases, name, *memory)) changed.insert(name);
    }
  });
  return changed;
}

}  // namespace

/// What control flow on the host reads.
void GpuPlacement::add_names(const Sdfg& sdfg) {
  for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
    SymbolSet names;
    collect_symbols(edge.condition, {}, names);
    for (const auto& [symbol, value] : edge.assignments) collect_symbols(value, names);
    name(sdfg, names, "an edge between states");
  });
  for_each_block(sdfg, [&](const Block& block) {
    if (block.is<State>()) return;
    SymbolSet names;
    collect_used_names(block, {}, names);
    const std::string by = "'" + block.label + "'";
    name(sdfg, names, by);
    const auto* loop = block.as<LoopRegion>();
    if (!loop) return;
    SymbolSet changed = changed_in(sdfg, *loop, names, aliases_);
    if (changed.empty()) return;
    if (!loop->inverted && loop->loop_condition && loop->loop_condition->expr()) {
      asked_inside_.insert(loop);
      names.clear();
      for (const auto* code : {&loop->init_statement, &loop->update_statement})
        if (*code) collect_symbols(**code, {}, names);
      std::erase_if(changed, [&](const std::string& n) { return !names.contains(n); });
    }
    name(sdfg, changed, by, true);
  });
}

void GpuPlacement::name(const Sdfg& sdfg, const SymbolSet& names, const std::string& by,
                        bool keeps) {
  for (const std::string& n : names)
    if (const Index c = find(sdfg, n); c != ~Index(0)) {
      containers_[c].named_by = by;
      if (keeps) containers_[c].kept_by = by;
    }
}

GpuPlacement::Index GpuPlacement::find(const Sdfg& sdfg, std::string_view name) const {
  const auto name_at = [&](std::uint32_t at) -> std::string_view { return *containers_[at].name; };
  const std::uint32_t at = index_.at(&sdfg).find(name.substr(0, name.find('.')), name_at);
  return at == NameIndex::none ? ~Index(0) : at;
}

void GpuPlacement::link(Index a, Index b) {
  if (a == ~Index(0) || b == ~Index(0)) return;
  containers_[a].same.push_back(b);
  containers_[b].same.push_back(a);
}

void GpuPlacement::on_state(Sdfg& sdfg, State& state, const Block& block) {
  if (host_states_.contains(state)) {
    for (NodeId n : state.nodes_of<AccessNode>())
      if (const Index c = find(sdfg, state.get<AccessNode>(n).data); c != ~Index(0))
        containers_[c].kept = true;
    return;
  }
  const auto tree = scope_tree(state);
  if (!tree) return;
  for (NodeId n : state.nodes()) {
    const NodeId scope = tree->parent_of(n);
    const bool exit_of_kernel = state[n].is_exit() && tree->parent_of(scope) == NodeId{};
    if (scope == NodeId{}) look_for_handed_values(sdfg, state, block, n);
    if (scope == NodeId{} || exit_of_kernel) on_node(sdfg, state, n);
  }
}

void GpuPlacement::look_for_handed_values(Sdfg& sdfg, State& state, const Block& block,
                                          NodeId n) {
  if (!state[n].is<Tasklet>()) return;
  for (EdgeId e : state.out(n))
    if (state[state.target(e)].is_code() && carries_data(state[e]))
      handed_.push_back({&sdfg, &state, e,
                         {Place().block(block).node(state, n).text(),
                          "it hands a value to other code outside of maps",
                          "put an access node between them"}});
}

void GpuPlacement::on_node(Sdfg& sdfg, State& state, NodeId n) {
  const Node& node = state[n];
  const auto container_at = [&](NodeId end) {
    const auto* access = state[end].as<AccessNode>();
    return access ? find(sdfg, access->data) : ~Index(0);
  };
  const auto kernel_writes = [&](NodeId end) {
    if (const Index c = container_at(end); c != ~Index(0)) put_on_device(c);
  };
  if (const auto* access = node.as<AccessNode>()) {
    const Data* data = sdfg.find_data(access->data);
    for (EdgeId e : state.in(n))
      if (state[e].dst_connector == "set") link(container_at(n), container_at(state.source(e)));
    if (data && data->is_view())
      if (const auto e = viewed_edge(sdfg, state, n))
        link(container_at(n),
             container_at(state.source(*e) == n ? state.target(*e) : state.source(*e)));
  } else if (node.is_entry()) {
    for (EdgeId e : state.in(n)) {
      const Index c = container_at(state.source(e));
      if (c == ~Index(0) || state[e].memlet.empty()) continue;
      if (!state[e].dst_connector.starts_with("IN_"))
        containers_[c].named_by = "the range of map '" + std::string(node.label()) + "'";
      else if (!containers_[c].data->is_scalar())
        put_on_device(c);
    }
  } else if (node.is_exit() || node.is<LibraryNode>()) {
    // Scalars that a library node reads get copies (make_copies_feasible).
    for (EdgeId e : state.in(n))
      if (const Index c = container_at(state.source(e)); c != ~Index(0) && node.is<LibraryNode>() &&
          !state[e].memlet.empty() && !containers_[c].data->is_scalar())
        put_on_device(c);
    for (EdgeId e : state.out(n)) kernel_writes(state.target(e));
  } else if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
    add(**state.get<NestedSdfg>(n).sdfg);
    const Sdfg& inner = **nested->sdfg;
    SymbolSet names;
    for (const auto& [symbol, value] : nested->symbol_mapping) collect_symbols(value, names);
    name(sdfg, names, "nested SDFG '" + nested->label + "'", true);
    for (EdgeId e : state.in(n))
      link(container_at(state.source(e)), find(inner, state[e].dst_connector));
    for (EdgeId e : state.out(n))
      link(container_at(state.target(e)), find(inner, state[e].src_connector));
  } else if (node.is<Tasklet>()) {
    const Index t = tasklets_.size();
    tasklets_.push_back({&state, n, {}});
    for (EdgeId e : state.in(n))
      if (const Index c = container_at(state.source(e)); c != ~Index(0)) {
        containers_[c].tasklets.push_back(t);
        if (!containers_[c].data->is_scalar()) tasklets_[t].needed.push_back(c);
      }
    for (EdgeId e : state.out(n))
      if (const Index c = container_at(state.target(e)); c != ~Index(0)) {
        containers_[c].tasklets.push_back(t);
        tasklets_[t].needed.push_back(c);
      }
  }
}

void GpuPlacement::put_on_device(Index container) {
  if (containers_[container].device) return;
  containers_[container].device = true;
  open_.push_back(container);
}

void GpuPlacement::propagate() {
  while (!open_.empty()) {
    const Index c = open_.back();
    open_.pop_back();
    for (Index other : std::vector(containers_[c].same)) put_on_device(other);
    for (Index t : containers_[c].tasklets) {
      if (!kernels_.insert({tasklets_[t].state, tasklets_[t].node.value}).second) continue;
      for (Index needed : tasklets_[t].needed) put_on_device(needed);
    }
  }
}

bool GpuPlacement::on_device(const Sdfg& sdfg, const std::string& container) const {
  const Index c = find(sdfg, container);
  return c != ~Index(0) && containers_[c].device;
}

bool GpuPlacement::is_kept(const Sdfg& sdfg, const std::string& container) const {
  const Index c = find(sdfg, container);
  return c != ~Index(0) && containers_[c].kept;
}

bool GpuPlacement::becomes_kernel(const State& state, NodeId tasklet) const {
  return kernels_.contains({&state, tasklet.value});
}

Status GpuPlacement::check() const {
  for (const Container& c : containers_) {
    if (!c.device) continue;
    if (c.data->is_scalar() && !c.data->transient && c.sdfg == root_)
      return Diagnostic{"", "the scalar argument '" + *c.name + "' is written by a kernel",
                        "make it an array of one element"};
    if (!c.data->is_scalar() && !c.kept_by.empty())
      return Diagnostic{"", "'" + *c.name + "' has to lie in GPU memory, and " + c.kept_by +
                                " reads it on the host",
                        "copy it to a scalar that no kernel writes"};
  }
  return Ok{};
}

std::vector<std::string> GpuPlacement::host_reads() const {
  std::vector<std::string> reads;
  for (const Container& c : containers_)
    if (c.device && !c.named_by.empty()) reads.push_back("'" + *c.name + "' (" + c.named_by + ")");
  return reads;
}

}  // namespace sdfg
