#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "passes/common/aliases.h"
#include "passes/common/side_effects.h"
#include "support/by_name.h"

namespace sdfg {

/// Takes nodes and edges out of a state so that what is left is valid and happens in the same
/// order.
///
/// What stood before a removed node still precedes what stood behind it, by an empty memlet, where
/// some container is accessed on both sides (once for writing) by different nodes, or by different
/// writers of one access node that may write the same elements; where none is, no order can be
/// observed and none is kept. Connectors that lost their last edge go. Nodes in a scope stay tied
/// to its entry and exit; access nodes that lost their last edge go.
class Removal {
 public:
  /// `order` is topological. All must outlive the removal.
  Removal(const Sdfg& sdfg, State& state, const ScopeTree& tree, const std::vector<NodeId>& order,
          SideEffects& effects, LazyAliases& aliases)
      : sdfg_(sdfg), state_(state), tree_(tree), order_(order), effects_(effects),
        aliases_(aliases) {}

  /// A scope is removed by all its nodes, entry and exit included.
  void remove(NodeId node) { nodes_.insert(node); }
  void remove(EdgeId edge) { edges_.push_back(edge); }
  bool empty() const { return nodes_.empty() && edges_.empty(); }
  void apply();

 private:
  /// Containers on one side of a point, and whether they are written there; "" stands for side
  /// effects and for containers that cannot be told.
  using Touched = ByName<bool>;

  void bridge(NodeId node);
  void drop_edge(EdgeId edge);
  void forget(EdgeId edge);
  void tidy(NodeId node);
  bool needs_order(NodeId before, NodeId after);
  std::optional<Touched> touched(NodeId from, bool backward);
  const Touched& shared();
  void add_access(NodeId node, Touched& out);
  void add_end(EdgeId edge, NodeId end, bool written, Touched& out);
  void add_container(NodeId access, bool written, Touched& out);

  struct Lost {
    NameSet in, out;  ///< connectors whose edge went
  };

  const Sdfg& sdfg_;
  State& state_;
  const ScopeTree& tree_;
  const std::vector<NodeId>& order_;
  SideEffects& effects_;
  LazyAliases& aliases_;
  std::set<NodeId> nodes_;
  std::vector<EdgeId> edges_;
  std::map<NodeId, Lost> lost_;
  std::optional<Touched> shared_;  ///< what is touched more than once, one of them writing
};

}  // namespace sdfg
