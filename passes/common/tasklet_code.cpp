#include "passes/common/tasklet_code.h"

#include "ir/analysis/free_symbols.h"

namespace sdfg {

bool mentions(const Code& code, std::string_view name) {
  bool found = false;
  for_each_word(code.text(), [&](std::string_view word) { found = found || word == name; });
  return found;
}

std::optional<Code> without_output(const Code& code, std::string_view output) {
  const Statements* all = code.statements();
  if (!all) return std::nullopt;
  Statements rest;
  for (const Statement& statement : *all) {
    const auto* assign = std::get_if<Assign>(&statement.kind);
    const bool goes = assign && !assign->augmented && assign->target.is_symbol(output);
    if (!goes) rest.push_back(statement);
  }
  if (rest.size() == all->size()) return std::nullopt;
  Code shorter = Code::from(std::move(rest));
  if (mentions(shorter, output)) return std::nullopt;
  return shorter;
}

}  // namespace sdfg
