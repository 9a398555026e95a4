#include "passes/map_fusion/slice_sdfg.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"

namespace sdfg {
namespace {

/// One element was written to the container; now it is all of it. The map may store the value as
/// other elements, too, which are no part of the slice.
void become_scalar(State& body, const std::string& container) {
  const Subset only = Subset::index({Expr(0)});
  const auto is_only = [&](const std::optional<Subset>& subset) {
    return !subset || std::ranges::all_of(subset->ranges, [](const Range& r) {
      return r.begin == Expr(0);
    });
  };
  for (EdgeId e : std::vector<EdgeId>(body.edges().begin(), body.edges().end())) {
    const auto* written = body[body.target(e)].as<AccessNode>();
    if (written && written->data == container &&
        !is_only(subset_at(body[e].memlet, container, true))) {
      body.erase(e);
      continue;
    }
    Memlet& memlet = body[e].memlet;
    if (memlet.data == container)
      memlet.subset() = only;
    else if (written && written->data == container && memlet.dst_subset)
      memlet.dst_subset = only;
  }
}

/// Access nodes that nothing in the slice computes take their values from where the map stores
/// them.
void load_stored(const FusionSite& site, const FusionMap& map, const ValueSlice& slice,
                 State& body) {
  for (const StoredValue& value : slice.stored) {
    const std::string& held = site.state.get<AccessNode>(value.node).data;
    const std::string& name = map.out.at(value.port).container;
    const Subset window = all_elements(*site.sdfg.find_data(name));
    for (NodeId n : std::vector<NodeId>(body.nodes().begin(), body.nodes().end())) {
      const auto* access = body[n].as<AccessNode>();
      if (!access || access->data != held || !body.in(n).empty()) continue;
      const NodeId from = body.add(Node{AccessNode{.data = name}});
      const Subset only = all_elements(*site.sdfg.find_data(held));
      const Subset element = offset_by(value.element, window, true);
      body.connect(from, n, Edge{"", "", Memlet::copy(name, element, only)});
    }
  }
}

Block choice(Block body, const Expr& condition, const std::string& stored,
             const std::string& result) {
  State load;
  const NodeId from = load.add(Node{AccessNode{.data = stored}});
  const NodeId to = load.add(Node{AccessNode{.data = result}});
  const Subset only = Subset::index({Expr(0)});
  load.connect(from, to, Edge{"", "", Memlet::copy(stored, only, only)});
  ConditionalBlock out;
  const auto add = [&](std::string label, std::optional<Code> when, Block block) {
    ControlFlowRegion region;
    region.start_block = region.add(std::move(block));
    out.branches.push_back(
        {std::move(when), Block{std::move(label), std::move(region)}});
  };
  add("computed", Code::from(condition), std::move(body));
  add("otherwise", std::nullopt, Block{"stored", std::move(load)});
  return Block{"where", std::move(out)};
}

}  // namespace

NestedSdfg slice_sdfg(const FusionSite& site, const FusionMap& map, const ValueSlice& slice,
                      const ScopeNester& nester, const Substitution& params,
                      const std::optional<Expr>& condition, const std::string& stored) {
  Border border;
  const auto let_in = [&](const Port& port, std::optional<EdgeId> edge) {
    border[port.container] = {edge, {}, all_elements(*site.sdfg.find_data(port.container))};
  };
  for (const std::string& name : slice.inputs) let_in(map.in.at(name), map.in.at(name).outer);
  for (const StoredValue& value : slice.stored) let_in(map.out.at(value.port), std::nullopt);
  border[slice.container] = {{}, map.out.at(slice.port).outer, slice.written};
  const Scope part{map.entry, map.exit, slice.nodes};
  NestedSdfg node =
      nester.nest(site.state, part, border, slice.container + "_again", [&](Block body) {
        become_scalar(*body.as<State>(), slice.container);
        load_stored(site, map, slice, *body.as<State>());
        return condition ? choice(std::move(body), *condition, stored, slice.container)
                         : std::move(body);
      });
  Sdfg& inner = **node.sdfg;
  const Data scalar = Data::scalar(site.sdfg.find_data(slice.container)->dtype, false);
  inner.arrays.at(slice.container) = scalar;
  if (condition) inner.arrays.insert(stored, scalar);
  for (const auto& [param, value] : params)
    if (const auto symbol = node.symbol_mapping.find(param); symbol != node.symbol_mapping.end())
      symbol->second = value;
  return node;
}

}  // namespace sdfg
