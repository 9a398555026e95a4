#pragma once

#include <deque>
#include <vector>

#include "ir/sdfg.h"
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
};

}  // namespace sdfg
