#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "passes/common/gpu_memory.h"
#include "passes/pass.h"

namespace sdfg {

// What the passes that change the shape of maps share: a new map around a scope, and maps that
// stand directly around one another.

/// A map's two ends.
struct MapEnds {
  NodeId entry, exit;
  std::size_t depth = 0;  ///< scopes around it, where maps_of gives it
};

/// The maps of a state that a pass may look at: those whose label is listed, or all if none is;
/// outer maps before inner ones, otherwise by id. Maps without an exit are left out.
std::vector<MapEnds> maps_of(const State& state, const ScopeTree& tree,
                             const std::vector<std::string>& labels);

/// Names that interstate edges and loops of an SDFG assign, gathered once for each.
class AssignedNames {
 public:
  const SymbolSet& operator()(const Sdfg& sdfg);

 private:
  std::map<const Sdfg*, SymbolSet> names_;  ///< looked up, never iterated
};

/// Names for new map parameters of a state, which are no container, symbol or constant, nothing
/// that its scopes define, and no word in its code.
class ScopeNames {
 public:
  ScopeNames(const Sdfg& sdfg, const State& state, AssignedNames& assigned);
  /// "tile_i", "tile1_i", "tile2_i", …: another name on each level, the same one on one level, so
  /// that nested maps differ and neighbours need not.
  std::string fresh(std::string_view prefix, std::string_view rest, std::size_t level);

 private:
  const Sdfg& sdfg_;
  const SymbolSet& assigned_;
  SymbolSet taken_;
  struct FreeNames {
    std::vector<std::string> found;  ///< by level
    std::size_t tried = 0;           ///< numbers behind the prefix
  };
  std::map<std::pair<std::string, std::string>, FreeNames> free_;
};

/// Is the connector of a scope's entry one whose value ranges read by its name?
bool is_dynamic_input(const std::string& connector);

/// Puts a new map around a map: every edge that led to its entry or from its exit passes through
/// the new one. Dynamic range inputs move outward, where the symbols they define are visible to
/// both. The memlets in between are copies of those outside, which is right but more than is
/// touched: propagate_memlets of `inner` narrows them.
MapEnds wrap_map(State& state, MapEnds inner, Node outer);

/// The map whose entry follows this one directly, if one does.
NodeId inner_entry(const State& state, NodeId outer);

/// Why a map's dimensions cannot have this order: a range uses the name of a parameter that comes
/// before it in only one of the two orders, so the name would mean something else.
Refusal check_dimension_order(const MapEntry& map, const std::vector<std::size_t>& order);

/// Why two maps are not a perfect nest whose ranges are independent of one another: something else
/// stands between them, a range of one, or a dynamic range input inside, uses a name that the other
/// defines, both define the same name, or a dynamic input inside reads what the nest writes, or an
/// element that may not exist where the outer map has no points, or what the host cannot.
Refusal check_perfect_nest(const Sdfg& sdfg, const State& state, MapEnds outer, MapEnds inner,
                           const GpuMemory& gpu);

/// Of a perfect nest: reads the inner map's dynamic range inputs at the outer one instead.
void move_dynamic_inputs_outward(State& state, MapEnds outer, MapEnds inner);

/// Takes the inner map of a perfect nest out of the graph. Its dimensions are the caller's
/// business.
void dissolve_inner_map(State& state, MapEnds outer, MapEnds inner);

/// A second map like this one, between the same nodes outside. `nodes` are those inside.
MapEnds clone_map(State& state, MapEnds ends, const std::vector<NodeId>& nodes,
                  std::vector<NodeId>& copies);

/// Of a subset: what lies at these indices of some dimensions, counted from 0 in its own steps.
Subset at_point(Subset subset, const std::vector<std::size_t>& dimensions,
                const std::vector<Expr>& indices);

/// "'m' over i in 0:N, j in 0:M"
std::string describe(const MapEntry& map);

}  // namespace sdfg
