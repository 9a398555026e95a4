#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/sdfg.h"
#include "passes/common/aliases.h"
#include "passes/common/loop_range.h"
#include "passes/common/side_effects.h"
#include "passes/pass.h"
#include "support/by_name.h"

namespace sdfg {

/// What one place of a region reads or writes of a container.
struct RegionAccess {
  std::optional<Subset> subset;  ///< in terms of what does not change in the region; none: anything
  bool write = false;
  std::string place;  ///< the state's label, for messages
};

/// What a region does with each container, and what keeps it from being moved.
struct RegionAccesses {
  ByName<std::vector<RegionAccess>> by_container;
  SymbolSet named;   ///< containers that conditions, assignments or code read by name
  SymbolSet locals;  ///< transients between tasklets, which have no access node
  Refusal refusal;   ///< streams, references, structures, side effects, nodes that are not known

  /// Does it mention the container in any way?
  bool mentions(std::string_view container) const;
  /// Refuses two names of what may be the same memory, if one of them is written: iterations may
  /// meet there.
  Refusal check_aliases(const Aliases& aliases) const;
};

/// A map and the loop around it, if there is one, when the points of the map are looked at one by
/// one: its parameters stay in the subsets, and the loop's variable does not.
struct MapPoints {
  NodeId entry;
  std::optional<LoopRange> loop{};
};

/// Subsets are images under the maps and loops inside the region: innermost memlets count, not the
/// summaries at the borders of scopes. Dimensions that depend on anything else that changes inside
/// become the container's whole extent. `effects` may be asked again about the SDFG's own nodes.
RegionAccesses region_accesses(const Sdfg& sdfg, const Region& region,
                               const Assumptions& assumptions, SideEffects& effects,
                               LoopRanges& ranges,
                               const std::optional<MapPoints>& points = {});

/// Adds those of which there is no equal one yet, wherever it stands.
void add_distinct(const std::vector<RegionAccess>& accesses, std::vector<RegionAccess>& all);

/// Asks whether points of iteration spaces touch different elements. Remembers the answers: the
/// many loops of a program have few ranges, and few subsets in them.
class ApartPoints {
 public:
  /// Do two points of the space touch different elements, as far as one of them writes? Else says
  /// which accesses may meet. Points differ when one of the parameters does; they are related by
  /// nothing else. Accesses without a subset may meet anything.
  Refusal check(const std::string& container, const std::vector<RegionAccess>& accesses,
                const std::vector<std::string>& params, const std::vector<Range>& ranges,
                const Assumptions& assumptions);

 private:
  /// A point and another one, which has a later value of a certain parameter.
  struct Pair {
    Substitution other;  ///< from the parameters of the one to those of the other
    Assumptions known;   ///< of both
  };
  struct Space {
    std::vector<std::string> params;
    std::vector<Range> ranges;
    std::vector<Pair> pairs;  ///< for each parameter
  };
  static constexpr std::size_t most_spaces = 16;

  const Space& space(const std::vector<std::string>& params, const std::vector<Range>& ranges,
                     const Assumptions& assumptions);

  Assumptions assumptions_;    ///< which hold in all the spaces
  std::vector<Space> spaces_;  ///< that have been asked about, some of them
};

/// One box for all accesses, where one can be named; the container's extent in other dimensions.
Subset box_of(const Data& data, const std::vector<RegionAccess>& accesses,
              const Assumptions& assumptions);

}  // namespace sdfg
