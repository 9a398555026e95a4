#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

namespace sdfg {

/// Edges between states, conditions and loops may read a view by its name: code that DaCe generates
/// keeps the address from the state that has an access node of the view. Our views live in their
/// states; so each that control flow reads gets a reference beside it, which such states set:
///
///     s {A -> v} -> t {x = v[i]}    =>    s {A -> v, A -> v_shown.set} -> t {x = v_shown[i]}
///
/// Nested SDFGs included. Returns whether there were any. An error where a view is read that no
/// state can have shown before.
Result<bool> refer_to_views(Sdfg& sdfg);

}  // namespace sdfg
