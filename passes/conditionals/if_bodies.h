#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/sdfg.h"
#include "passes/conditionals/place_tree.h"
#include "support/by_name.h"

namespace sdfg {

/// A nested SDFG that holds conditionals, as a tree of places that run or not: the SDFG itself, and
/// below it the branches, those of conditionals in loops excepted (what they need is wanted many
/// times). Connectors that are only read have a place: the innermost one around all their uses.
struct IfBody {
  NodeId node;
  /// The SDFG as a whole; its parent is where the node is.
  PlaceTree::Index inside = PlaceTree::root;
  ByName<PlaceTree::Index> inputs;  ///< by connector: place of its uses
  SymbolSet taken;  ///< connectors of code inside, which containers must not be named like
};

/// The ifs of one scope and their branches in one tree of places, whose root is the scope.
class IfBodies {
 public:
  struct Branch {
    std::size_t body = 0;      ///< index into bodies()
    Region* region = nullptr;  ///< null: the nested SDFG as a whole
    std::string_view label{};
  };

  /// Does the nested SDFG choose at all?
  static bool chooses(const NestedSdfg& nested);
  /// Adds a node of the SDFG whose own place is `home`.
  const IfBody& add(const Sdfg& sdfg, State& state, NodeId node, PlaceTree::Index home);
  const IfBody* find(NodeId node) const;

  const PlaceTree& tree() const { return tree_; }
  const std::vector<IfBody>& bodies() const { return bodies_; }
  const Branch& branch(PlaceTree::Index place) const { return branches_[place]; }
  bool is_branch(PlaceTree::Index place) const { return branches_[place].region != nullptr; }

  /// From this place outward: the first where the name means what it means in the scope, and the
  /// container of that name is not written by the if around.
  PlaceTree::Index where_visible(std::string_view name, PlaceTree::Index place) const;
  PlaceTree::Index where_unwritten(std::string_view container, PlaceTree::Index place) const;
  /// The container is written through an output of the if.
  void add_write(const std::string& container, const IfBody& body) {
    block(writes_, container, body.inside);
  }

 private:
  /// Ifs in which a name means something else, without those that lie in another one; found by
  /// their depths, which are few.
  struct Blockers {
    std::unordered_set<PlaceTree::Index> ifs;  ///< looked up only
    std::set<std::uint32_t> depths;
  };
  using BlockersOf = std::unordered_map<std::string, Blockers>;  // by name; looked up only
  void block(BlockersOf& all, const std::string& name, PlaceTree::Index inside);
  /// The outermost place around which no if blocks the name.
  PlaceTree::Index outside(const BlockersOf& all, std::string_view name, PlaceTree::Index) const;
  void add_bound_names(const Sdfg& sdfg, const NestedSdfg& nested, const IfBody& body);

  PlaceTree tree_;
  std::vector<Branch> branches_{1};  ///< by place
  std::vector<IfBody> bodies_;
  std::unordered_map<std::uint32_t, std::size_t> by_node_;
  BlockersOf bound_, writes_;
};

}  // namespace sdfg
