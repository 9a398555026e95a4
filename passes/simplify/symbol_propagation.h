#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ConstantPropagation {
  static constexpr PassInfo info{
      .name = "constant-propagation",
      .summary = "replace symbols by the constants that the program assigns to them",
      .details = R"(
    --{k = 4}--> loop over 0:k     =>     --{k = 4}--> loop over 0:4

One forward analysis over all blocks, loops and branches: where assignments of different values meet,
nothing is known. A symbol in the shape of a container is replaced only if all states that use the
container agree. Symbols that a nested SDFG gets as constants are bound in it and leave its mapping.
The assignments stay; unused-symbol-elimination removes those that nobody reads any more.

Only integers and truth values are followed, and never through a type that would change them, nor
values that read containers.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct SymbolPropagation {
  static constexpr PassInfo info{
      .name = "symbol-propagation",
      .summary = "replace symbols by what the program assigns to them",
      .details = R"(
    --{k = i + 1}--> A[k]     =>     --{k = i + 1}--> A[i + 1]

As constant-propagation, for expressions over other symbols, as long as these have the same values
where the symbol is read as where it was assigned. Shapes of containers keep their symbols.

Values that read containers, floating-point values and long expressions stay where they are.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
