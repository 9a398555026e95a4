#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Nested SDFGs may read what an output's container holds already, without an input of that name;
/// DaCe's frontend makes such ones of `A[i] += x; if A[i] > 0: …`. Gives them the input, so that
/// passes see the read: from an access node that waits for what the nested SDFG, or the outermost
/// scope on the output's way, waits for. Left alone: outputs that only combine with what is there,
/// for which the container need not be right where nobody reads it (see combines); those whose
/// container is certainly written before (written_before_read, private_data.h); and those
/// whose way ends at no plain container or resolves conflicts. Linear in the SDFG, for few outputs
/// of one node.
void connect_outputs_read(Sdfg& sdfg);

/// Does an edge combine what it writes with what is there: itself, or inside the nested SDFG that
/// it comes from? Then no other container can take the value in its place.
bool combines(const State& state, EdgeId edge);

}  // namespace sdfg
