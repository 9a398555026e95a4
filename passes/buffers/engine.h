#pragma once

#include "passes/buffers/rewrite.h"

namespace sdfg {

/// A container that may go, and the copy that shows where its elements could live instead; or the
/// edge by which a map writes to it what it writes there, too.
struct Candidate {
  StateFlow::Point point;
  EdgeId copy;
  std::string from, to;
};

/// Which sharings a pass is about. All passes of this family ask the same questions and rewrite in
/// the same way; they differ in what they look at.
struct BufferSelection {
  /// Is this candidate of the kind meant?
  bool (*wanted)(BufferProgram& program, const Candidate& candidate);
  /// Copies of a container onto itself, element by element, go as well.
  bool self_copies = false;
  /// Containers that a map writes the same values to are candidates, even if no copy joins them.
  bool twins = false;
  bool assume_pointwise = false;
  /// Two transients may share also where that takes ordering edges.
  bool ordered_transients = true;
  /// Says why a candidate that could share is better left alone.
  Refusal (*better_left)(BufferProgram& program, const Candidate& candidate) = nullptr;
};

/// Runs over an SDFG and all nested in it.
Changed eliminate_buffers(Sdfg& root, const BufferSelection& selection, PassContext& context);

}  // namespace sdfg
