#pragma once

#include <string>
#include <vector>

#include "passes/registry.h"

namespace sdfg {

struct Simplify {
  static constexpr PassInfo info{
      .name = "simplify",
      .summary = "bring a program to the form that other passes expect",
      .details = R"(
    nested SDFGs, chains of states, copies,     =>     few states, whose dataflow says all
    decided conditions, dead code

Repeats its steps until a round changes nothing. What is left of control flow are loops and
conditionals; what is left of nested SDFGs cannot be a part of its parent. `skip` leaves steps out by
name, as GT4Py's and DaCe's simplification can; `assume_pointwise` goes to the steps that have it.
Scalars stay scalars: scalar-to-symbol-promotion is a step of auto, not of this.)",
  };
  struct Options {
    std::vector<std::string> skip;
    bool assume_pointwise = false, keep_versions = false;
    static constexpr auto properties = property_list(
        property("skip", &Options::skip, "steps to leave out"),
        property("assume_pointwise", &Options::assume_pointwise,
                 "element p of an argument depends on no other element of it, but in gathers"),
        property("keep_versions", &Options::keep_versions,
                 "leave transients apart that splitting may still take apart"));
  };
  static Result<std::vector<PlannedStep>> steps(const Options& options);
};

}  // namespace sdfg
