#pragma once

#include <optional>
#include <string>

#include "ir/analysis/order.h"
#include "passes/common/copy.h"

namespace sdfg {

/// Of an edge by which a map writes one container: the edge by which the same map writes the same
/// value to the element of `to` that is its place, in each iteration. Then the two containers hold
/// the same there from now on, as behind a copy.
std::optional<EdgeId> twin_of(const Sdfg& sdfg, const State& state, EdgeId write,
                              const std::string& to, const Placement& placement,
                              const Assumptions& assumptions);

/// The value that each iteration hands to a map's exit for an edge out of it: where it comes from,
/// and what of it. Nothing when there are several, the write combines or may not happen, or each
/// edge takes another element from a stream.
struct ExitValue {
  EdgeId inner;  ///< the edge into the exit
  NodeId source;
  std::string connector;
  std::optional<Subset> part;  ///< of the source, if that is a container
  std::optional<Subset> written;
  bool same(const ExitValue& other) const {
    return source == other.source && connector == other.connector && part == other.part;
  }
};
std::optional<ExitValue> exit_value(const Sdfg& sdfg, const State& state, EdgeId write);

}  // namespace sdfg
