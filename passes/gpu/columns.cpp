#include "passes/gpu/columns.h"

#include <algorithm>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

bool moves_one_element(const Memlet& memlet) {
  const auto one = [](const std::optional<Subset>& subset) {
    return !subset || std::ranges::all_of(subset->ranges, &Range::is_index);
  };
  return one(memlet.src_subset) && one(memlet.dst_subset);
}

/// Nothing that threads could share, nothing only the host can do, nothing that outlives a call?
bool is_serial(const Sdfg& sdfg) {
  for (const auto& [name, data] : sdfg.arrays) {
    const bool kept = data.lifetime > Lifetime::Sdfg;
    if (data.role() != Role::Plain || (data.transient && (!data.is_scalar() || kept))) return false;
  }
  bool serial = true;
  for_each_state(sdfg, [&](const State& state) {
    for (NodeId n : state.nodes()) {
      const auto* nested = state[n].as<NestedSdfg>();
      if (nested && nested->sdfg) serial &= is_serial(**nested->sdfg);
      else serial &= state[n].is<AccessNode>() || state[n].is<Tasklet>();
    }
    for (EdgeId e : state.edges())
      serial &= !state[state.source(e)].is<AccessNode>() ||
                !state[state.target(e)].is<AccessNode>() || moves_one_element(state[e].memlet);
  });
  return serial;
}

bool has_control_flow(const Sdfg& sdfg) {
  bool found = false;
  for_each_block(sdfg, [&](const Block& block) { found |= !block.is<State>(); });
  return found;
}

/// Puts the entry of a new map between a code node and its inputs, or its exit behind the outputs.
void pass_through(State& state, NodeId code, NodeId border, bool input) {
  const auto at_code = input ? &Edge::dst_connector : &Edge::src_connector;
  const auto at_border = input ? &Edge::src_connector : &Edge::dst_connector;
  const auto edges = [&] { return input ? state.in(code) : state.out(code); };
  const auto connect = [&](Edge edge) {
    input ? state.connect(border, code, std::move(edge))
          : state.connect(code, border, std::move(edge));
  };
  const std::vector<EdgeId> outside(edges().begin(), edges().end());
  for (EdgeId e : outside) {
    Edge inside = state[e];
    if (!inside.memlet.empty()) {
      const std::string in = "IN_" + inside.*at_code, out = "OUT_" + inside.*at_code;
      state[border].in_connectors.emplace(in, Type());
      state[border].out_connectors.emplace(out, Type());
      state[e].*at_code = input ? in : out;
      inside.*at_border = input ? out : in;
      connect(std::move(inside));
    }
    input ? state.set_target(e, border) : state.set_source(e, border);
  }
  if (edges().empty()) connect({});
}

/// A name like `wish` that neither the node nor what it touches reads.
std::string unread_name(const Sdfg& sdfg, const State& state, NodeId code,
                        const std::string& wish) {
  std::string name = wish;
  bool read = true;
  for (int i = 0; read; ++i) {
    if (i > 0) name = wish + std::to_string(i);
    read = false;
    const SymbolSet known{name};
    UsedNames used(known, [&](const std::string& each) { read = read || each == name; });
    used.add(state[code]);
    for (const auto edges : {state.in(code), state.out(code)})
      for (EdgeId e : edges) {
        used.add(state[e]);
        if (const Data* data = sdfg.find_data(state[e].memlet.data)) used.add(*data);
      }
  }
  return name;
}

class Columns {
 public:
  Columns(const GpuPlacement& placement, PassContext& context)
      : placement_(placement), context_(context) {}

  Changed run(Sdfg& sdfg, const Trail& outer) {
    for (BlockId b : sdfg.nodes()) on_block(sdfg, sdfg[b], outer);
    return changed_;
  }

 private:
  void on_block(Sdfg& sdfg, Block& block, const Trail& outer) {
    const Trail trail = outer.in(block);
    if (Region* region = block.region())
      for (BlockId b : region->nodes()) on_block(sdfg, (*region)[b], trail);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) on_block(sdfg, branch.block, trail);
    if (auto* state = block.as<State>()) on_state(sdfg, *state, trail);
  }

  void on_state(Sdfg& sdfg, State& state, const Trail& trail) {
    if (placement_.stays_on_host(state)) return;
    const auto all = state.nodes_of<NestedSdfg>();
    const std::vector<NodeId> nodes(all.begin(), all.end());
    if (nodes.empty()) return;
    const auto tree = scope_tree(state);
    if (!tree) return;
    for (NodeId n : nodes) {
      auto* nested = state[n].as<NestedSdfg>();
      if (!nested->sdfg || tree->parent_of(n) != NodeId{}) continue;
      Sdfg& inner = **nested->sdfg;
      if (!has_control_flow(inner) || !is_serial(inner) || !is_on_device(sdfg, state, n)) {
        run(inner, trail.in(state, n));
      } else {
        context_.applied(trail.in(state, n),
                         "'" + nested->label + "' is a kernel of one thread: all of it is serial");
        put_into_map_of_one_point(sdfg, state, n);
        changed_ = Changed::Yes;
      }
    }
  }

  /// Does it touch arrays, all of them in GPU memory?
  bool is_on_device(const Sdfg& sdfg, const State& state, NodeId n) const {
    bool any = false;
    const auto all = [&](const auto& edges) {
      return std::ranges::all_of(edges, [&](EdgeId e) {
        const Data* data = sdfg.find_data(state[e].memlet.data);
        if (!data || data->is_scalar()) return true;
        any = true;
        return placement_.on_device(sdfg, state[e].memlet.data);
      });
    };
    return all(state.in(n)) && all(state.out(n)) && any;
  }

  const GpuPlacement& placement_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

NodeId put_into_map_of_one_point(const Sdfg& sdfg, State& state, NodeId code) {
  MapEntry map;
  map.label = std::string(state[code].label()) + "_gmap";
  map.params = {unread_name(sdfg, state, code, std::string(state[code].label()) + "__gmapi")};
  map.ranges = {Range::index(0)};
  const NodeId entry = state.add(Node{std::move(map)});
  const NodeId exit = state.add(Node{MapExit{entry}});
  pass_through(state, code, entry, true);
  pass_through(state, code, exit, false);
  return entry;
}

Changed columns_into_kernels(Sdfg& sdfg, const GpuPlacement& placement, PassContext& context) {
  return Columns(placement, context).run(sdfg, {});
}

}  // namespace sdfg
