#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ViewNestedAccess {
  static constexpr PassInfo info{
      .name = "view-nested-access",
      .summary = "give nested SDFGs whole containers: a view of each part",
      .details = R"(
    A[i, 0:M] -> nested { row[0:M] }     =>     A[i, 0:M] -> view v[0:M] -> nested { row[0:M] }

Since 2.0.0b1, DaCe takes only nested SDFGs whose containers have the shape and strides of those
outside and begin where they do; of another part it wants a view. That is what every connector gets here
to which less than the whole is passed, one for what is read and written. Passes move data into nested
SDFGs by the part, so this comes last, in a program that such a DaCe is to load; the result means the
same to every DaCe, and slice-view-elimination takes it back.

Refused for what is no array or scalar, for elements of streams, for shapes that use a constant of the
nested SDFG, for parts with fewer elements than none, and where different parts are read and written.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
