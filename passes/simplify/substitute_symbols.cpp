#include "passes/simplify/substitute_symbols.h"

#include "ir/analysis/signature.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/empty_parts.h"
#include "passes/common/symbol_entries.h"

namespace sdfg {

Result<Changed> SubstituteSymbols::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  SDFG_TRY(const SymbolValues values,
           read_symbol_entries(options.symbols, SymbolFile::Constants));
  Substitution constants;
  std::optional<SymbolSet> used;
  const auto is_used = [&](const std::string& name) {
    if (!used) used = free_symbols(sdfg);
    return used->contains(name);
  };
  for (const auto& [name, value] : values) {
    std::string why = cannot_bind(sdfg, name);
    if (why.empty() && !sdfg.symbols.contains(name) && !is_used(name))
      why = "the program has no such symbol";
    if (why.empty() && equal(Expr::symbol(name), value, context.assumptions()) == Truth::No)
      why = "what is assumed excludes it";
    if (!why.empty()) {
      context.refused({},
                      "'" + name + "' is not replaced by " + std::to_string(value) + ": " + why);
      continue;
    }
    if (!context.may_apply()) break;
    context.applied({}, "'" + name + "' is " + std::to_string(value));
    constants.emplace(name, Expr(value));
  }
  bind_symbols(sdfg, constants);
  if (!constants.empty()) remove_empty_parts(sdfg, context.assumptions());
  return constants.empty() ? Changed::No : Changed::Yes;
}

}  // namespace sdfg
