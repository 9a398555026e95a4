#pragma once

#include <string>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// What one place of a program launches and moves, read off its memlets without running it. The terms
/// are those of codegen/counts.h; where execution finds fewer, this is an upper bound: all branches
/// count, and a subset that depends on data counts as a whole.
struct KernelCost {
  std::string place, kind;  ///< kind: "map", "consume", "copy", or a library node's label
  Expr launches = 1;        ///< iterations of the loops around
  Expr bytes_read, bytes_written;  ///< of one launch
  Expr operations;                 ///< of one launch: arithmetic of Python tasklets
};

struct ProgramCost {
  std::vector<KernelCost> kernels;
  Expr transient_bytes;  ///< of arrays outside of kernels, all of them

  Expr launches() const;
  Expr bytes() const;       ///< over all launches
  Expr operations() const;  ///< over all launches
};

/// In symbols of the program. What cannot be told is a symbol: `trips_LABEL` of a loop without a
/// simple range.
ProgramCost program_cost(const Sdfg& sdfg);

}  // namespace sdfg
