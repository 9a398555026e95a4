#include "support/result.h"

namespace sdfg {

std::string Diagnostic::text() const {
  std::string out = place;
  if (!out.empty()) out += ": ";
  if (severity == Severity::Warning) out += "warning: ";
  if (severity == Severity::Note) out += "note: ";
  out += message;
  if (!hint.empty()) out += "; " + hint;
  return out;
}

bool has_errors(const Diagnostics& all) {
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error) return true;
  return false;
}

}  // namespace sdfg
