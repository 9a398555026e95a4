#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "passes/common/accesses.h"
#include "passes/common/side_effects.h"

namespace sdfg {

/// A map one of whose parameters is about to run in an inner map of its own: which nodes need the
/// parameter, and which are the same for all its values.
class BlockedScope {
 public:
  BlockedScope(Sdfg& sdfg, State& state, const ScopeTree& tree, const Accesses& accesses,
               SideEffects& effects, NodeId entry, std::string parameter,
               const std::vector<NodeId>& elements);

  /// Nodes directly in the map (an inner scope at its entry) that the parameter does not matter to.
  std::size_t independent_count() const { return independent_.size(); }
  /// Those of them that only provide constants: nothing is gained by running them once.
  std::size_t constant_count() const;
  bool is_independent(NodeId node) const { return independent_.contains(node.value); }

  /// Edges from the entry to nodes that need the parameter, whose own few elements do not.
  std::vector<EdgeId> promotable() const;
  /// Puts a local copy between the entry and those edges, one for edges that read the same.
  void promote(const std::vector<EdgeId>& edges);

  /// Gives the parameter's part of the range to an inner map, `size` values at a time.
  void block(std::int64_t size);

 private:
  bool uses_parameter(NodeId node) const;
  bool stays_whole(NodeId node) const;
  bool is_fixed(const Edge& edge) const;
  bool can_be_independent(NodeId node) const;
  void classify();
  bool is_tied(NodeId node) const;
  NodeId far_end(NodeId element) const;
  NodeId element_of(NodeId node) const;
  std::string container_read(EdgeId e) const;
  bool is_read(EdgeId edge) const;
  void enter(NodeId inner);
  void leave(NodeId inner, NodeId inner_exit);
  void summarize(NodeId node, bool entry);
  void copy_inside(EdgeId e, NodeId inner);

  Sdfg& sdfg_;
  State& state_;
  const ScopeTree& tree_;
  const Accesses& accesses_;
  SideEffects& effects_;
  NodeId entry_, exit_;
  std::string parameter_;
  std::vector<NodeId> elements_;
  std::unordered_set<std::uint32_t> independent_;
};

}  // namespace sdfg
