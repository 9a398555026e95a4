#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "ir/sdfg.h"
#include "passes/common/lazy_assumptions.h"
#include "passes/pass.h"

namespace sdfg {

/// The states of one SDFG in the order of for_each_state, each with its trail, for passes that do
/// not work while walking down. Valid as long as no block is added or erased.
class StateTrails {
 public:
  struct Entry {
    State* state;
    const Trail* trail;
  };

  StateTrails(Sdfg& sdfg, const Trail& trail) { add(sdfg, trail); }
  StateTrails(const StateTrails&) = delete;
  StateTrails& operator=(const StateTrails&) = delete;

  const std::vector<Entry>& states() const { return states_; }
  const Trail& of(const State& state) const;

 private:
  void add(Region& region, const Trail& trail);
  void add(Block& block, const Trail& trail);

  std::deque<Trail> trails_;  ///< in place for good, because trails point at one another
  std::vector<Entry> states_;
  /// Made when first asked; looked up, never iterated.
  mutable std::unordered_map<const State*, const Trail*> trail_of_;
};

/// visit(sdfg, trail, known), which answers with Changed: for the SDFG, then for those nested in
/// the states that it holds after the visit, each with what holds inside it.
template <class F>
Changed on_each_sdfg(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known,
                     const F& visit) {
  Changed changed = visit(sdfg, trail, known);
  const StateTrails states(sdfg, trail);
  for (const StateTrails::Entry& at : states.states())
    for (NodeId n : at.state->nodes_of<NestedSdfg>())
      if (auto& nested = at.state->get<NestedSdfg>(n); nested.sdfg)
        changed |= on_each_sdfg(**nested.sdfg, at.trail->in(*at.state, n),
                                known.inside(sdfg, nested), visit);
  return changed;
}

}  // namespace sdfg
