#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct FuseConditionals {
  static constexpr PassInfo info{
      .name = "fuse-conditionals",
      .summary = "join conditionals that decide by the same value",
      .details = R"(
    if c: x = a                    if c:
    else: x = b                      x = a; y = d
    if not c: y = 0      =>        else:
    else: y = d                      x = b; y = 0

An if is a nested SDFG with one conditional whose branches are single states. Ifs of one scope are
grouped by the value of their condition: the same element of the same container, or the same
computation of such elements; `not c` is `c` with its branches exchanged, and a last `not c` is
else. All of a group that do not depend on one another become one. Inputs that are the same are
joined.

Refused when the inside is something else, when code in one uses a connector with the name of
a container in the other, or constants differ. Ifs that depend on each other stay apart.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
