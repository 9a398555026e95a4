#pragma once

#include <optional>
#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// Two accesses of one state, in the same scope, to an element of one container; one of them or
/// both write it, and no path says which comes first. Each is the edge at the access node, or at
/// the end of the scope around, and what is at its other end does it.
struct Race {
  EdgeId first, second;
  std::string container;
};

enum class RaceIs : bool { Certain, Possible };

/// A race of that kind, if the state has one. A certain one is between memlets that are not
/// `dynamic`, have a common element however often maps run, and of scopes do not say more than is
/// touched (indices in one dimension for each parameter). A possible one is also between
/// others whose subsets are known, between the iterations of a map, where each does not write an
/// element of its own, and whatever is done to a reference. Not looked at: views, streams, members
/// of structures, and conflicts that both sides resolve (`wcr`). Of a container that one scope
/// touches 64 times or more, a race is possible, and only the first accesses are compared for a
/// certain one.
/// In n log n for the paths' order, and a search for each pair of accesses that may meet.
std::optional<Race> find_race(const Sdfg& sdfg, const State& state, RaceIs kind);

/// A transient that a map which does not run in order writes inside, at the same place in each
/// iteration, and that is used outside of that map, too: all iterations share it, while of one that
/// the map alone uses each has its own.
std::optional<std::string> find_shared_transient(const Sdfg& sdfg);

}  // namespace sdfg
