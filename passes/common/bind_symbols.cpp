#include "passes/common/bind_symbols.h"

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/signature.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

bool is_constant(const Expr& e) {
  return e.is(Op::Integer) || e.is(Op::True) || e.is(Op::False);
}

void replace_in_code(std::map<std::string, Code>& codes, const Substitution& constants) {
  for (auto& [where, code] : codes) code = substitute(code, constants);
}

}  // namespace

std::string cannot_bind(const Sdfg& sdfg, std::string_view symbol) {
  if (sdfg.arrays.contains(symbol)) return "it is a container";
  if (assigned_symbols(sdfg).contains(symbol)) return "the program assigns it";
  return {};
}

void bind_symbols(Sdfg& sdfg, const Substitution& constants) {
  if (constants.empty()) return;
  replace_symbols(sdfg, constants);
  replace_in_code(sdfg.init_code, constants);
  replace_in_code(sdfg.exit_code, constants);
  for (const auto& [name, value] : constants) {
    sdfg.symbols.erase(name);
    std::erase(sdfg.arg_names, name);
  }
  for_each_nested_sdfg(sdfg, [&](NestedSdfg& nested) {
    bind_constant_mapping(nested, [](const std::string&) { return true; });
  });
}

bool bind_constant_mapping(NestedSdfg& nested,
                           const std::function<bool(const std::string& symbol)>& wanted) {
  Substitution constants;
  std::optional<SymbolSet> assigned;
  for (const auto& [symbol, value] : nested.symbol_mapping) {
    if (!is_constant(value)) continue;
    Sdfg& inner = **nested.sdfg;
    if (!assigned) assigned = assigned_symbols(inner);
    if (assigned->contains(symbol) || inner.arrays.contains(symbol)) continue;
    // A number that the symbol's type would change stays with the symbol.
    const auto type = inner.symbols.find(symbol);
    if (type != inner.symbols.end() &&
        !(value.is(Op::Integer) ? type->second.is_integer() && holds(type->second, value.value())
                                : type->second.is_bool()))
      continue;
    if (wanted(symbol)) constants.emplace(symbol, value);
  }
  if (constants.empty()) return false;
  for (const auto& [symbol, value] : constants) nested.symbol_mapping.erase(symbol);
  Sdfg& inner = **nested.sdfg;
  bind_symbols(inner, constants);
  for (auto& [name, data] : inner.arrays)
    if (!data.transient) raise_negative_sizes(data);
  return true;
}

void settle_symbols(NestedSdfg& nested) {
  Sdfg& inner = **nested.sdfg;
  const auto lacking = [&] {
    SymbolSet names = free_symbols(inner);
    std::erase_if(names, [&](const std::string& name) {
      return nested.symbol_mapping.contains(name) || inner.arrays.contains(name) ||
             inner.constants.contains(name);
    });
    return names;
  };
  const SymbolSet undefined = lacking();
  if (undefined.empty()) return;
  const auto declared = inner.symbols;
  for (const std::string& name : undefined) inner.symbols.erase(name);
  for (const std::string& name : lacking()) {
    if (const auto type = declared.find(name); type != declared.end())
      inner.symbols.insert(*type);
    nested.symbol_mapping[name] = Expr(0);
  }
}

}  // namespace sdfg
