#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

struct PrintOptions {
  /// Print where elements come from and what we only carry: debuginfo, guid, unknown attributes,
  /// version. Without them the text is shorter, and reads back as an SDFG without them.
  bool details = true;
};

/// The text form of docs/text-format.md: everything in the IR; parse(print(x)) == x.
std::string print(const Sdfg& sdfg, const PrintOptions& options = {});

/// Parts of it, for messages: "A[0:N, i] {dynamic = true}", "float64[N, M]".
std::string to_text(const Memlet& memlet);
std::string to_text(const Data& data);

}  // namespace sdfg
