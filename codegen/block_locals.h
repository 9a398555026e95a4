#pragma once

#include "ir/code.h"
#include "ir/symbol_collector.h"

namespace sdfg {

/// The names that a target, or a statement with what is inside it, assigns as a whole, in order.
void for_each_target(const Expr& target, const NameSink& visit);
void for_each_target(const Statement& statement, const NameSink& visit);

/// A local of Python code lives in the block of its first assignment, as in the C++ that DaCe
/// prints: blocks side by side may give one name values of different types. These live in all of
/// the code: they are read behind that block, or declared with a type.
SymbolSet locals_of_all_blocks(const Statements& code);

}  // namespace sdfg
