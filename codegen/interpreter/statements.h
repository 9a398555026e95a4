#pragma once

#include "codegen/interpreter/expression.h"
#include "ir/code.h"

namespace sdfg::interpreter {

/// How a piece of control flow ends.
enum class Flow : std::uint8_t { Normal, Break, Continue, Return };
using Action = std::function<Flow()>;

/// Compiles statements. A target that `own` itself knows is assigned: a slot, or memory. Any other
/// target becomes a local variable in `own`, whose type is that of the first value in the text (as
/// C++'s auto) or its annotation.
Action compile_statements(const Statements& statements, Machine& machine, Names& own,
                          const Where* place);

}  // namespace sdfg::interpreter
