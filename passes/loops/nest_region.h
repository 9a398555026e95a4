#pragma once

#include <string>

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// How a container of the parent is seen in a nested SDFG.
struct Nested {
  bool is_private = false;  ///< moves inside
  Subset window;            ///< else: the part that the nested SDFG is given
  bool read = false, written = false;
};
using NestedContainers = ByName<Nested>;

/// Moves a region's blocks into an SDFG of their own. Containers keep their names; those given
/// through a window start at its first element, and subsets inside move along. Private ones leave
/// the parent. Symbols keep their names and values; `types` are those of the parent's symbols.
///
/// The node has no edges yet: a connector of a container's name is needed for each that is not
/// private, with the window as memlet.
NestedSdfg nest_region(Sdfg& parent, Region&& region, std::string label,
                       const NestedContainers& containers, const TypeTable& types);

/// Adds the window's origin (or subtracts it) to all subsets of a container in a state: in the
/// memlets along the paths from and to its access nodes.
void shift_subsets(State& state, std::string_view container, const Subset& origin, bool subtract);

/// Makes memlets at the borders of maps anew that may leave their container: they said more than is
/// touched inside, and more than the window that the container has become.
void refit_scopes(const Sdfg& sdfg, State& state);

/// The descriptor of a container of which only a window is visible.
Data windowed(const Data& data, const Subset& window);

}  // namespace sdfg
