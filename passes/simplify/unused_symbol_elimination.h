#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct UnusedSymbolElimination {
  static constexpr PassInfo info{
      .name = "unused-symbol-elimination",
      .summary = "remove symbols that nothing reads",
      .details = R"(
    symbols N, k, m                    symbols N
    a --[k = N + 1; m = k]--> b   =>   a --> b
    b reads A[0:N]                     b reads A[0:N]

A symbol is used when a container, a memlet, a range, a condition, code or a nested SDFG that itself
uses it reads it; a symbol that only unused symbols are computed from is unused, too. Removes its
assignments on interstate edges, its declaration, and what a parent passes to it.

Names that occur as words in code of other languages than Python, or in attributes we do not know,
count as used. Names of arguments in arg_names, names that start with __, and names given in `keep`
stay.)",
  };
  struct Options {
    std::vector<std::string> keep;
    static constexpr auto properties = property_list(
        property("keep", &Options::keep, "symbols that stay even if nothing reads them"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
