#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

struct Loaded {
  Sdfg sdfg;
  /// What the file had in an old or doubtful form, and what was made of it. Errors are attributes
  /// with a value that they cannot have: kept, but the SDFG is without them.
  std::vector<Diagnostic> notes;
};

/// Reads SDFG JSON of any DaCe version since 0.13, plain or gzip. Never throws on bad input: the
/// error's place is a path ("nodes[3].attributes.range") or "line:column" for broken JSON.
/// Findings that make an SDFG invalid but leave it readable are the verifier's business.
Result<Loaded> load(std::string bytes);

}  // namespace sdfg
