#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "passes/buffers/program.h"
#include "passes/common/copy.h"

namespace sdfg {

/// Makes the elements of one container live in another.
struct Sharing {
  std::string from, to;
  Placement placement;  ///< of `from` in `to`

  // What the check finds out for the rewrite.
  struct At {
    StateFlow::Point point;
    EdgeId edge;
  };
  std::vector<At> links;  ///< copies between the two that copy each element onto itself
  /// One map writes an element of both with the same value; one of the edges goes.
  struct Twin {
    At stays, goes;
  };
  std::vector<Twin> twins;
  struct Ordering {
    StateFlow::Point point;
    NodeId from, to;
  };
  std::vector<Ordering> order;  ///< empty edges that the sharing needs
  struct EarlyRead {
    StateFlow::Point point;
    EdgeId edge;    ///< from the entry of a map to what reads one element
    NodeId writer;  ///< in the map: overwrites the element, and comes before the reader
  };
  std::vector<EarlyRead> early;  ///< elements to read into scalars before they are overwritten
  std::vector<Expr> grown;       ///< the shape that `to` needs for it; empty: it has room
};

/// May accesses to `from` become accesses to `to`? As for registers that a copy joins, the answer
/// is yes unless both hold something different that is still needed:
///
/// 1. Nothing but a copy from `from` writes those elements of `to` while `from` is still going to
/// be
///    read.
/// 2. Whatever else writes elements of `from` overwrites those of `to` from then on, so nobody
/// reads
///    them in `to` (the caller at the end included) before they are copied there or written anew.
///
/// "While", "before" and "the end" are meant on every path through the control flow, and within a
/// state for every order that its edges allow. Where they allow a wrong order besides a right one,
/// an empty edge is planned. What one map reads and writes is decided by same_element, and what
/// that leaves open by `assume_pointwise`. Where one map writes the same value to an element of
/// both, that is a copy, too. A transient `to` that ends too early may grow in one dimension, so
/// that the two together need no more memory than before. On success fills in what the rewrite
/// needs.
Refusal check_sharing(BufferProgram& program, Sharing& sharing, bool assume_pointwise);

}  // namespace sdfg
