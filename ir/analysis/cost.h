#pragma once

#include <string>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// The elements of one container that a kernel reads, or writes: boxes of which none certainly
/// holds another, and together no more than the container has; one of all of it where there would
/// be more than 32.
struct TouchedElements {
  std::int64_t bytes = 0;                ///< of one element
  std::vector<std::vector<Expr>> boxes;  ///< the sizes of each
  std::vector<Expr> container;           ///< its shape
};

/// What one place of a program launches and moves, read off its memlets without running it. The
/// terms are those of codegen/counts.h; where execution finds fewer, this is an upper bound: all
/// branches count, and a subset that depends on data counts as a whole.
struct KernelCost {
  std::string place, kind;  ///< kind: "map", "consume", "copy", or a library node's label
  Expr launches = 1;        ///< iterations of the loops around
  Expr bytes_read, bytes_written;  ///< of one launch
  std::vector<TouchedElements> touched;  ///< what these bytes are: read, then written
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
/// The same without operations and transients.
ProgramCost program_traffic(const Sdfg& sdfg);

/// Arithmetic of a Python tasklet, or of all in a nested SDFG, in symbols of the state around.
Expr node_operations(const Node& node);

}  // namespace sdfg
