#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/accesses.h"
#include "passes/common/aliases.h"
#include "passes/common/copy.h"
#include "passes/map_fusion/fusion_map.h"
#include "passes/map_fusion/iteration_match.h"

namespace sdfg {

/// Where fusion works: one state, with what is known about it.
struct FusionSite {
  Sdfg& sdfg;
  State& state;
  Order& order;
  Accesses& accesses;
  Assumptions& assumptions;  ///< of the place
  const Aliases& aliases;    ///< of the SDFG
  SideEffects& effects;      ///< of what it holds
  /// The container that planned buffers are looked at as; nothing else has its name.
  const std::string& scratch;
  bool references;           ///< does the SDFG have containers that may be any other?
};

struct FusionRules {
  bool vertical = true;  ///< the second map reads what the first one writes
  bool shrink = false, promote = false;
  bool assume_pointwise = false;
  bool require_exclusive_intermediates = false, require_all_intermediates = false;
  bool assume_always_shared = false;
};

/// A value that the first map writes and the second one takes from within the same iteration.
struct KeptValue {
  EdgeId edge;              ///< into the first map's exit
  std::string port;
  Subset written;           ///< of the container
  NodeId node;              ///< an access node inside that holds the value already, if any
  Placement placement;      ///< of the container's elements in the buffer (or in that node's)
  std::vector<Expr> shape;  ///< of the buffer; empty: a scalar
};
/// An edge out of the second map's entry, and the value that it reads.
struct KeptRead {
  EdgeId edge;
  std::size_t value;
};
/// An access node between the two maps.
struct Intermediate {
  /// What becomes of it: it and its container go; it stays for others, who leave alone what the
  /// first map writes, and that goes; it goes, because the second map overwrites all of it (or of
  /// what the first writes, and it stays for others); it stays behind the fused map.
  enum class Fate : std::uint8_t { Gone, Unread, Overwritten, Stays };
  NodeId node;
  std::string container;
  std::vector<std::string> out_ports, in_ports;  ///< of the first map, of the second
  std::vector<KeptValue> values;
  std::vector<KeptRead> reads;
  Fate fate = Fate::Stays;
  bool has_others = false;  ///< that write or read other parts
};

struct FusionPlan {
  IterationMatch match;
  std::vector<Intermediate> intermediates;
  /// Edges into the second map that only kept the two in order.
  std::vector<EdgeId> order_only;
  /// A read of the first map, and a write of the second that has to come after it.
  std::vector<std::pair<EdgeId, EdgeId>> keep_order;
  /// Whom the fused map has to wait for because the second did, through a node between.
  std::vector<NodeId> waits;
  /// Edges into exits whose elements are written back where they would be left, and the input that
  /// has these: see write_back.h.
  std::map<EdgeId, std::string> write_back;
  /// Who came before whom through a node between: see follow_others.
  std::vector<std::pair<NodeId, NodeId>> follow;

  bool is_between(NodeId node) const {
    return std::ranges::any_of(intermediates,
                               [&](const Intermediate& i) { return i.node == node; });
  }
};

/// The container that a kept value needs: the container's elements, as many as are kept.
Data buffer(const Data& container, const KeptValue& value);

/// Does the first map write what the second one reads? Then they are worth a plan.
bool exchange_data(const State& state, const FusionMap& first, const FusionMap& second);

/// Does a node come after one between the maps, and after no map otherwise?
bool comes_only_after(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      const FusionPlan& plan, NodeId between, NodeId node);

/// How the two maps become one, or why they cannot. Changes nothing. A vertical plan is only for
/// maps that exchange data; the second map of any plan does not come before the first in the
/// dataflow.
///
/// The rule: for each container that both touch and one of them writes, no iteration of one may
/// meet another iteration of the other on any element; and within an iteration, what the second
/// reads is exactly one value that the first has written, or something that the first does not
/// write.
Refusal plan_fusion(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                    const FusionRules& rules, FusionPlan& plan);

}  // namespace sdfg
