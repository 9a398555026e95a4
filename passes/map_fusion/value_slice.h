#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/common/scope.h"
#include "passes/map_fusion/fusion_plan.h"

namespace sdfg {

/// A value inside of a map that the map stores, too.
struct StoredValue {
  NodeId node;         ///< inside; it holds the value
  std::string port;    ///< of the map
  Subset element;      ///< of the container there
};

/// The part of a map's body that computes one element of one of its results per iteration.
struct ValueSlice {
  std::string port;              ///< of the result
  std::string container;         ///< that it is written to
  NodeId node;                   ///< the access node of the container
  EdgeId write;                  ///< into the map's exit
  Subset written;                ///< the element
  std::vector<NodeId> nodes;     ///< inside of the map, in id order
  NameSet inputs;                ///< ports of the map through which they read
  std::vector<StoredValue> stored;  ///< values that are loaded again, not computed
};

/// Finds the slice behind a port, or says why it cannot be computed anywhere else: each iteration
/// has to write one element for certain, and what computes it may share nothing but inputs and
/// values with the rest of the body. Where `is_at_hand` holds for an access node behind the map, to
/// which a value is written that the result depends on, that is where the slice begins.
Refusal find_slice(const FusionSite& site, const FusionMap& map, const std::string& port,
                   const std::function<bool(NodeId)>& is_at_hand, ValueSlice& out);

/// The nodes of the slice that nothing else in the map needs.
std::set<NodeId> nodes_only_for(const State& state, const FusionMap& map, const ValueSlice& slice);

/// Takes the result out of the map, with everything that nothing else in the map needs; the edge to
/// the access node goes, too. A map without any other result goes as a whole. Says whether it is
/// still there.
bool erase_result(const FusionSite& site, FusionMap& map, const ValueSlice& slice,
                  SymbolSet& unused);

}  // namespace sdfg
