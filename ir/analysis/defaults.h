#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Replaces the schedule and storage Default of scopes, library nodes and containers by DaCe's
/// choice (docs/ir.md, "Defaults"), here and in nested SDFGs: storages follow from the schedules
/// around, schedules from those around or else from the storages that a scope touches. A nested
/// SDFG's arguments take the storage they have outside, whatever they said.
///
/// The error names a scope whose storages ask for different schedules, or a state without a sound
/// scope structure.
Status set_defaults(Sdfg& sdfg);

}  // namespace sdfg
