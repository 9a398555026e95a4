#include "passes/map_fusion/recompute_cost.h"

#include <algorithm>

#include "ir/analysis/cost.h"
#include "ir/walk.h"
#include "passes/split/extent.h"

namespace sdfg {

RecomputeCost::RecomputeCost(const FusionSite& site, const FusionMap& first,
                             const ValueSlice& slice, std::int64_t assumed_extent,
                             std::int64_t load_bytes)
    : site_(site),
      state_(site.state),
      first_(first),
      slice_(slice),
      assumed_extent_(assumed_extent),
      load_bytes_(load_bytes) {
  stored_ = written_ = expected_bytes(site, first.out.at(slice.port), assumed_extent);
  const std::set<NodeId> gone = nodes_only_for(state_, first, slice);
  for (const auto& [name, port] : first.in)
    for (EdgeId e : port.inner) {
      const NodeId node = state_.target(e);
      const bool mine = std::ranges::binary_search(slice.nodes, node), goes = gone.contains(node);
      if (mine) {
        std::int64_t& size = inputs_[port.container];
        size = std::max(size, expected_bytes(site, port, assumed_extent));
        loads_ += loads_behind(e);
      }
      if (goes)
        loads_before_ += points(first) * loads_behind(e);
      else
        others_.insert(port.container);
    }
  for (NodeId node : slice.nodes) {
    arithmetic_ += arithmetic(node);
    if (gone.contains(node)) arithmetic_before_ += points(first) * arithmetic(node);
  }
  for (const StoredValue& value : slice.stored) {
    const Port& port = first.out.at(value.port);
    inputs_[port.container] = expected_bytes(site, port, assumed_extent);
    others_.insert(port.container);  // a map that joins the first one need not load it
    loads_ += load_bytes;
  }
  for (const auto& [container, size] : inputs_)
    if (!others_.contains(container)) only_for_it_ += size;
}

void RecomputeCost::add_reader(const FusionMap& reader, std::size_t elements) {
  const auto other_way = [&](EdgeId e) {
    return state_.source(e) != slice_.node && state_.target(e) != slice_.node;
  };
  // Two maps that nothing keeps apart may become one, and read once what both read.
  const bool may_join =
      first_.out.size() > 1 && !site_.order.reaches(first_.exit, reader.entry, other_way);
  for (const auto& [container, size] : inputs_)
    if (!(may_join && others_.contains(container)) && !reader.reads.contains(container))
      read_again_ += size;
  for (const std::string& port : reader.reads.at(slice_.container).all())
    if (reader.in.at(port).node == slice_.node) {
      stored_ += std::min(written_, expected_bytes(site_, reader.in.at(port), assumed_extent_));
      break;
    }
  loads_before_ += points(reader) * std::int64_t(elements) * load_bytes_;
  loads_after_ += points(reader) * std::int64_t(elements) * loads_;
  arithmetic_after_ += points(reader) * std::int64_t(elements) * arithmetic_;
}

std::int64_t RecomputeCost::points(const FusionMap& map) const {
  return expected_points(Subset{state_.get<MapEntry>(map.entry).ranges}, assumed_extent_,
                         site_.assumptions);
}

/// Loads behind an edge into the body; those in a scope as often as that runs.
std::int64_t RecomputeCost::loads_behind(EdgeId edge) const {
  const NodeId end = state_.target(edge);
  if (const auto* map = state_[end].as<MapEntry>()) {
    const std::int64_t times = expected_points(Subset{map->ranges}, 8, site_.assumptions);
    const std::string inner = matching_connector(state_[edge].dst_connector);
    std::int64_t out = 0;
    for (EdgeId e : state_.out(end))
      if (state_[e].src_connector == inner) out += times * loads_behind(e);
    return out;
  }
  if (state_[edge].memlet.empty()) return 0;
  const Data* data = site_.sdfg.find_data(state_[edge].memlet.data);
  if (data && num_elements(Subset::whole(data->shape)) == Expr(1)) return 0;  // stays in a register
  const auto& subset = state_[edge].memlet.subset();
  return load_bytes_ * (subset && num_elements(*subset) == Expr(1) ? 1 : 3);
}

std::int64_t RecomputeCost::arithmetic(NodeId node) const {
  std::int64_t halves = node_operations(state_[node]).as_integer().value_or(0);
  if (const auto* nested = state_[node].as<NestedSdfg>(); nested && nested->sdfg)
    for_each_sdfg(**nested->sdfg, [&](const Sdfg& inside) {
      for_each_block(inside,
                     [&](const Block& block) { halves += block.is<ConditionalBlock>() ? 8 : 0; });
    });
  return halves / 2;
}

std::string RecomputeCost::text() const {
  return "about " + std::to_string(stored_) + " bytes of it are not moved, nor " +
         std::to_string(only_for_it_) + " of inputs, for " + std::to_string(read_again_) +
         " that are read again, loads worth " + std::to_string(loads_after_) + " instead of " +
         std::to_string(loads_before_) + " and arithmetic worth " +
         std::to_string(arithmetic_after_) + " instead of " + std::to_string(arithmetic_before_);
}

std::int64_t expected_bytes(const FusionSite& site, const Port& port, std::int64_t assumed_extent) {
  const Memlet& memlet = site.state[port.outer].memlet;
  const Data& data = *site.sdfg.find_data(memlet.data);  // which a reference's port has, too
  const Subset all = memlet.subset() ? *memlet.subset() : Subset::whole(data.shape);
  return expected_points(all, assumed_extent, site.assumptions) * data.dtype.bytes().value_or(8);
}

}  // namespace sdfg
