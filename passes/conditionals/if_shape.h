#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "passes/common/accesses.h"
#include "passes/common/side_effects.h"
#include "passes/pass.h"

namespace sdfg {

/// An if of the simplest shape: one conditional, each branch one state, and no other control flow.
struct IfShape {
  ConditionalBlock* conditional = nullptr;
  std::vector<std::string> connectors;  ///< of tasklets inside
  /// What decides, in words that are equal when the values are, and the branches in the order of
  /// that decision. Of the usual two-way if: [0] when it holds, [1] when it does not; either may be
  /// missing.
  std::string decision;
  std::vector<std::optional<std::size_t>> branches;
  bool two_way = false;
};

/// Fills in all but the decision. The refusal says what the nested SDFG is instead.
Refusal read_shape(NestedSdfg& nested, IfShape& shape);

/// Names the values of what flows along edges of one scope: equal names, equal values.
class ValueNames {
 public:
  ValueNames(const Sdfg& sdfg, const State& state, const ScopeTree& tree, NodeId scope,
             const Accesses& accesses, SideEffects& effects);

  /// The decision of an if; the refusal says why its condition cannot be compared.
  Refusal decide(NodeId node, IfShape& shape);

 private:
  std::string of_edge(EdgeId e);
  std::string of_node(NodeId n);
  std::string computed(NodeId n);

  const Sdfg& sdfg_;
  const State& state_;
  NodeId scope_;
  const Accesses& accesses_;
  SideEffects& effects_;
  SymbolSet written_;  ///< containers that the scope writes
  std::unordered_map<std::uint32_t, std::string> known_;        ///< by access node
  std::unordered_map<std::string, std::size_t> computations_;   ///< what is computed: its number
};

}  // namespace sdfg
