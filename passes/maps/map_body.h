#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// What stands directly in a map's scope, as map-fission sees it: access nodes, and computations,
/// which are code nodes that hand more than single values to one another directly, or an inner
/// scope.
struct MapBody {
  std::vector<NodeId> access;             ///< in order
  std::map<NodeId, std::size_t> part_of;  ///< code nodes, entries and exits: computation
  std::size_t parts = 0;
  NameSet grown;  ///< transients that get the map's dimensions

  /// Numbers the computations of these nodes, which are sorted: nodes joined by direct edges with
  /// data, but for those that are `cut`, and each entry with its exit.
  void number(const State& state, const ScopeTree& tree, const std::vector<NodeId>& nodes,
              const std::set<EdgeId>& cut);
};

/// Would the computations wait for one another if each were a node? Those of several nodes may.
bool has_cycle(const State& state, const MapBody& body);

/// Edges with data between an access node and a computation, followed inward through scopes: all
/// that must be rewritten when the container gets another shape.
std::vector<EdgeId> edges_inward(const State& state, EdgeId from, bool reads);

}  // namespace sdfg
