#pragma once

#include <string>
#include <vector>

#include "passes/transformation.h"

namespace sdfg {

struct SubstituteSymbols {
  static constexpr PassInfo info{
      .name = "substitute-symbols",
      .summary = "replace symbols by values known at compile time",
      .details = R"(
    f(A[N], stride_A)   symbols=N=40,stride_A=1     =>     f(A[40])

Each entry of `symbols` is NAME=INTEGER or the path of a JSON file: an object of integers, or one
that has such an object under `constant_symbols`. The symbols leave the signature, here and in nested
SDFGs that are given them or an expression that has become constant. Maps that have no points then,
and copies of no elements, go.

Refused for names that are no symbols of the program, for containers, for symbols that the program
assigns, and for values that contradict what is assumed (in a version for N < 7, N is not 8).)",
  };
  struct Options {
    std::vector<std::string> symbols;
    static constexpr auto properties = property_list(
        property("symbols", &Options::symbols, "NAME=INTEGER, or paths of JSON files"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
