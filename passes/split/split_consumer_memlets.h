#pragma once

#include <cstdint>

#include "passes/transformation.h"

namespace sdfg {

struct SplitConsumerMemlets {
  static constexpr PassInfo info{
      .name = "split-consumer-memlets",
      .summary = "cut copies out of a container where its writers meet",
      .details = R"(
    P -> t[0:5]                               P -> t[0:5]      t[0:5] -> u[1:6]
    Q -> t[5:9]      t[0:9] -> u[1:10]   =>   Q -> t[5:9]      t[5:9] -> u[6:10]

Prepares split-access-nodes: a copy is cut only where the parts on its two sides can then become
containers of their own. A part that nobody else reads needs no copy in the end, because what writes
it can write to the target; the copies that stay are counted, and no more than before (plus
`extra_copies`) may stay.

Where the order of two borders is not known, pieces are clamped with min and max.

Refused where that number is exceeded; when the copy's two sides cannot be matched dimension by
dimension; when a range has a step; when a border has more than 16 terms; when a copy would become more
than 32 pieces, and more than there are writers; and when the parts stay tied together, by other reads
or because they are not known to be disjoint.)",
  };
  struct Options {
    std::int64_t extra_copies = 0;
    static constexpr auto properties = property_list(property(
        "extra_copies", &Options::extra_copies, "copies that a container may cost in addition"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
