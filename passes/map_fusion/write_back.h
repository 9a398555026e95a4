#pragma once

#include <optional>
#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// A nested SDFG may write one element in the branches of a conditional only, and be given the same
/// element under another name; NumPy's `where=` makes such ones. Writing back what came in, where
/// no branch is taken, it writes always, and another container can take the value. The name of
/// that input; none, when the edge comes from no such SDFG.
std::optional<std::string> input_to_write_back(const Sdfg& sdfg, const State& state, EdgeId write);
/// Writes it back there.
void write_back(State& state, EdgeId write, const std::string& input);

}  // namespace sdfg
