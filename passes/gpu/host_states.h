#pragma once

#include <string>
#include <unordered_map>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// States that stay on the host because no kernel can do what they do: consume scopes, code that
/// touches streams or structures, calls back or keeps state, and all that touches structures of the
/// program's own. Of the SDFGs that the host runs; where only a nested SDFG is given a stream or an
/// argument's structure, its own states are asked.
///
/// In time linear in the program. Valid while its states stay where they are.
class HostStates {
 public:
  explicit HostStates(const Sdfg& root) { add(root); }

  bool contains(const State& state) const { return why_.contains(&state); }
  /// Why the state stays; empty if it does not.
  std::string why(const State& state) const;

 private:
  void add(const Sdfg& sdfg);

  std::unordered_map<const State*, std::string> why_;  ///< looked up, never iterated
};

/// Does something write at the access node? An edge without data only orders, and the edge of a
/// view only says what it is a view of.
bool is_written(const Sdfg& sdfg, const State& state, NodeId access);

/// Gives such states copies in memory of the host of all arrays, and of scalars that kernels may
/// write, which they share with other states, and copies back what they write:
///
///     s {A -> consume -> B}    =>    s_to_host {A -> A_host, B -> B_host}
///                                 -> s {A_host -> consume -> B_host} -> s_to_gpu {B_host -> B}
///
/// Warns of each. An error where such a state uses a reference, which another state may have set,
/// or writes what it knows under two names.
Result<Changed> keep_on_host(Sdfg& sdfg, PassContext& context);

}  // namespace sdfg
