#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Which nodes of a state come before which, kept right while a pass rewrites the state.
///
/// A scope counts as one element among its neighbours: a question between two nodes is asked about
/// the two elements of their innermost common scope that hold them, and a walk passes a scope in
/// one step, whatever is inside. (So all that is in a scope counts as reaching its exit.) All
/// elements lie in one list whose order every edge respects, so a search never leaves the part of
/// the list between its two ends; and it goes forward and backward in turns, so it costs no more
/// than twice the smaller side.
///
/// After each change of the graph, tell it: `added` for a node, `connected` for an edge that was
/// added or got another end, `erased` for a node. Edges that go need no telling.
class Order {
 public:
  /// Of a state that the verifier has accepted. Keeps a reference to it.
  explicit Order(const State& state);

  /// The entry of the innermost scope around the node; of an exit: its own entry.
  NodeId scope_of(NodeId node) const { return slots_[node.value].scope; }
  NodeId exit_of(NodeId entry) const { return slots_[entry.value].exit; }
  /// The element that stands for the node among its neighbours: an exit's entry, or the node.
  NodeId element(NodeId node) const {
    const NodeId scope = scope_of(node);
    return scope && exit_of(scope) == node ? scope : node;
  }
  /// The element of that scope (none: the top level) that is or holds the node; none if none does.
  NodeId element_in(NodeId scope, NodeId node) const;

  using EdgeFilter = std::function<bool(EdgeId)>;
  /// Is there a path (of any length, 0 included) from one node to the other? With a filter: one
  /// whose edges outside of scopes that it passes are all accepted.
  bool reaches(NodeId from, NodeId to, const EdgeFilter& accepts = {}) const;
  /// Where the node's element stands in the list: if a reaches b and they lie in the same scope,
  /// then position(a) <= position(b). Valid until the next change.
  std::uint64_t position(NodeId node) const { return slots_[element(node).value].label; }

  /// A new node in the scope of that entry (none: the top level). An exit is told together with its
  /// entry: see added_scope.
  void added(NodeId node, NodeId scope);
  /// A new entry and its exit, in the scope of that entry.
  void added_scope(NodeId entry, NodeId exit, NodeId scope);
  /// The edge is new or has a new end. It must not close a cycle.
  void connected(EdgeId edge);
  /// The node goes, before or after it is erased from the graph.
  void erased(NodeId node);
  /// The node (of a scope: its entry) now lies in another scope.
  void moved(NodeId node, NodeId scope);

 private:
  struct Slot {
    std::uint64_t label = 0;  ///< grows along the list; 0: not in it
    NodeId previous, next;    ///< in the list; elements only
    NodeId scope, exit;
  };
  /// One direction of a search: the elements found, and how far their edges have been looked at.
  struct Side {
    std::vector<NodeId> found;
    std::size_t node = 0, edge = 0;
    bool forward = true;
  };
  enum class Step : std::uint8_t { Done, Going, Met };

  Slot& slot(NodeId node) { return slots_[node.value]; }
  const Slot& slot(NodeId node) const { return slots_[node.value]; }
  std::uint64_t label(NodeId node) const { return slot(node).label; }
  std::uint64_t next_label(NodeId node) const;
  std::pair<Side, Side> begin_search(NodeId ahead_from, NodeId back_from) const;
  Step advance(Side& side, NodeId other, const EdgeFilter& accepts) const;
  bool leads_out(NodeId element, NodeId neighbour) const;
  void lift_to_common_scope(NodeId& a, NodeId& b) const;
  void grow();
  void unlink(NodeId element);
  void insert_after(NodeId element, NodeId before);
  void make_room_after(NodeId element);
  void move_all(std::vector<NodeId>& elements, NodeId before);

  const State& state_;
  std::vector<Slot> slots_;  ///< by node id
  NodeId first_, last_;      ///< of the list
  /// By node id: the last search that found it, by direction.
  mutable std::vector<std::uint32_t> seen_[2];
  mutable std::uint32_t search_ = 0;
};

}  // namespace sdfg
