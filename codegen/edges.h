#pragma once

#include "ir/control_flow.h"

namespace sdfg {

/// Counts the edge last, wherever it stands? As in DaCe, only by its text: `True` is a condition.
inline bool is_unconditional(const InterstateEdge& edge) {
  return edge.condition.text() == "1" || edge.condition.text().empty();
}

}  // namespace sdfg
