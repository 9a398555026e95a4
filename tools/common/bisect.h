#pragma once

#include "passes/pipeline.h"
#include "tools/common/judge.h"

namespace sdfg {

/// The application that brings the fault in.
struct Culprit {
  std::size_t number;  ///< 1 for the first application of the pipeline
  std::size_t total;   ///< applications of the whole pipeline
  Remark remark;
};

/// Finds it by halving: the pipeline does the same each time, so stopping after N applications
/// gives what it had made of the program then. Exact when the fault, once there, stays. The error
/// says that the program shows the fault without any pass, or not even after all of them.
///
/// `program` may throw nothing; an InternalError of a pass counts as the fault.
Result<Culprit> bisect(const Sdfg& program, const Pipeline& pipeline, RunOptions options,
                       const Judge& judge);

}  // namespace sdfg
