#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/sdfg.h"
#include "passes/conditionals/readable_names.h"

namespace sdfg {

/// What goes into one branch: nodes in topological order, inner scopes complete.
struct BranchFilling {
  Region* branch = nullptr;
  std::vector<NodeId> nodes;
};

/// Moves nodes of a state into branches of a nested SDFG in the same scope. Everything that uses
/// their results lies inside the nested SDFG, and where the results reach a connector, what is
/// inside only reads it, in the branch that the nodes go to.
///
/// What they read and is not moved comes in through connectors that carry exactly the subset read;
/// symbols and constants are passed on under their own names. All must be free to be used inside.
class IfBodyFiller {
 public:
  /// `visible`: what can be read in the scope. `scope`: its entry, or none. `taken`: names that no
  /// container inside may have.
  IfBodyFiller(const Sdfg& sdfg, State& state, NodeId scope, NodeId node,
               const ReadableNames& visible, SymbolSet taken);

  void fill(const BranchFilling& filling);
  /// Names of the transients that moved: their descriptors are now inside and can be dropped here.
  const std::vector<std::string>& moved_data() const { return moved_data_; }
  /// After the last fill.
  void finish();

 private:
  struct Target {
    State* state = nullptr;
    std::map<std::string, std::vector<NodeId>> sources;  ///< container: access nodes only read
  };
  /// A part of an outer container and the connector that shows it.
  struct Read {
    std::string data, input;
    Subset part;
  };
  NestedSdfg& nested() { return state_.get<NestedSdfg>(node_); }
  Sdfg& inner() { return **nested().sdfg; }

  State& entry_state(Region& branch);
  void name_moved_data(const BranchFilling& filling);
  bool can_become(const std::string& data, const Edge& edge);
  void move_node(NodeId n, Target& target);
  void move_in_edge(EdgeId e, Target& target);
  void connect_results(NodeId n, Target& target);
  void follow_read(Edge& edge, const Read& read, NodeId to, const Target& target);
  std::string boundary(EdgeId e, const std::string& data, const Subset& part);
  NodeId source_node(Target& target, const std::string& data);
  void pass_names(const Target& target);
  std::string fresh_name(const std::string& base) const;

  const Sdfg& sdfg_;
  State& state_;
  NodeId scope_, node_;
  const ReadableNames& visible_;
  SymbolSet taken_;
  std::map<std::string, std::string> inputs_;            ///< "source data[subset]": connector
  std::map<std::string, std::string> names_;             ///< moved transient: its name inside
  std::unordered_map<std::uint32_t, NodeId> moved_;      ///< outer id: inner id, of one branch
  std::vector<NodeId> added_;                            ///< inner ids, of one branch
  /// What an inner scope's connector carries into it, by the entry's id inside.
  std::map<std::pair<NodeId, std::string>, Read> reads_;
  std::vector<std::string> moved_data_, new_inputs_;
};

}  // namespace sdfg
