#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"
#include "passes/common/accesses.h"
#include "passes/common/side_effects.h"
#include "passes/conditionals/readable_names.h"
#include "passes/pass.h"

namespace sdfg {

/// What holds of an element that a map writes in one branch where another one is taken.
enum class Otherwise : std::uint8_t {
  Untouched,  ///< it stays as it was: the write may or may not happen
  Undefined,  ///< anything: nobody reads it there
  Kept        ///< it stays as it was, by being read and written again: the write always happens
};

/// One element that each iteration of a map writes.
struct GuardedWrite {
  std::string container;
  Subset element;                          ///< in terms of the map's parameters
  std::string port;                        ///< the exit's connector, without IN_ and OUT_
  std::map<std::size_t, EdgeId> values{};  ///< by branch: the edge into the exit
  bool dynamic = false;                    ///< it may not happen even if the branch is taken
  Otherwise otherwise = Otherwise::Untouched;
};

/// A map whose inside is to run only where a branch of a conditional is taken; or several insides,
/// each in a branch of its own.
struct GuardedMap {
  NodeId entry, exit;
  /// By branch: the nodes inside, each after its predecessors, inner scopes complete.
  std::map<std::size_t, std::vector<NodeId>> bodies;
  std::vector<GuardedWrite> writes;

  const GuardedWrite* find(std::string_view container, const Subset& element) const;
};

/// Reads a map outside of scopes of which one branch holds all. The refusal says why its inside
/// cannot become a branch. `readable`: those of the SDFG; meanwhile those of the map, too.
Refusal read_guarded_map(Sdfg& sdfg, const State& state, NodeId entry, std::size_t branch,
                         const Accesses& accesses, ReadableNames& readable, SideEffects& effects,
                         GuardedMap& out);

/// Moves the inside of `second`, a map of the state `from` with these parameters for its own, into
/// that of `first` in the state `to`: they have no branch in common. What `second` reads is read
/// from nodes of `to` that nothing but code precedes.
void adopt(State& to, GuardedMap& first, State& from, GuardedMap& second,
           const Substitution& params);

/// Puts each inside into the branch of a conditional inside the map. Relies on what
/// read_guarded_map has found. `readable` as there.
void guard(Sdfg& sdfg, State& state, GuardedMap& map, const std::vector<Branch>& branches,
           ReadableNames& readable);

}  // namespace sdfg
