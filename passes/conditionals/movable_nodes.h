#pragma once

#include <string>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "passes/common/accesses.h"
#include "passes/common/side_effects.h"

namespace sdfg {

/// What of a scope may move into an if of the scope, going by the node itself. An inner scope
/// counts as one node, its entry.
class MovableNodes {
 public:
  /// `visible`: names of symbols in the scope. All are kept by reference.
  MovableNodes(const Sdfg& sdfg, const State& state, const ScopeTree& tree, NodeId scope,
               const Accesses& accesses, const SymbolSet& visible, SideEffects& effects)
      : sdfg_(sdfg), state_(state), tree_(tree), scope_(scope), accesses_(accesses),
        visible_(visible), effects_(effects) {}

  /// "" when nothing speaks against it.
  std::string why_it_stays(NodeId node) const;
  /// Names that have to mean the same where the node goes, and containers that it reads.
  void collect_names(NodeId node, SymbolSet& names, SymbolSet& read) const;

 private:
  std::string why_it_stays(NodeId node, bool inside) const;
  std::string why_it_stays(const AccessNode& access, bool inside) const;
  std::string why_not_read(EdgeId e) const;
  std::string container_read(EdgeId e) const;

  const Sdfg& sdfg_;
  const State& state_;
  const ScopeTree& tree_;
  NodeId scope_;
  const Accesses& accesses_;
  const SymbolSet& visible_;
  SideEffects& effects_;
};

}  // namespace sdfg
