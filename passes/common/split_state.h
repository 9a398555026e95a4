#pragma once

#include <set>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// Cuts a state in two: nodes that run first, and those that run after them. The cut goes through
/// access nodes, which then stand on both sides; since it only adds order, it changes no result.
class StateCut {
 public:
  /// The nodes behind `node`, at any distance, come after the cut.
  StateCut(const Sdfg& sdfg, const State& state, NodeId node);
  /// These nodes, with all that comes after any of them.
  StateCut(const Sdfg& sdfg, const State& state, std::set<NodeId> after)
      : sdfg_(sdfg), state_(state), after_(std::move(after)) {}
  /// Why the state cannot be cut there.
  Refusal check() const;
  /// Moves the nodes after the cut to an empty state. Edges across the cut become reads of access
  /// nodes there and writes to access nodes here; empty memlets across it go.
  void apply(State& state, State& second) const;

  const std::set<NodeId>& after() const { return after_; }

 private:
  Refusal check_edge(EdgeId edge) const;
  const Sdfg& sdfg_;
  const State& state_;
  NodeId node_;
  std::set<NodeId> after_;
};

}  // namespace sdfg
