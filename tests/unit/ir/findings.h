#pragma once

#include <string>
#include <string_view>

#include "ir/parse.h"
#include "ir/verify.h"

namespace sdfg {

/// What the verifier says about a program in text form, a line per finding.
inline std::string findings(std::string_view text) {
  const Result<Sdfg> sdfg = parse(text);
  if (!sdfg) return "does not parse: " + sdfg.error().text();
  std::string lines;
  for (const Diagnostic& d : verify(*sdfg)) lines += d.text() + "\n";
  return lines;
}

}  // namespace sdfg
