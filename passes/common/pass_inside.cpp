#include "passes/common/pass_inside.h"

#include "ir/analysis/signature.h"

namespace sdfg {

void pass_inside(const Sdfg& around, const std::string& name, const Type* symbol,
                 NestedSdfg& nested, Sdfg& inner) {
  if (nested.symbol_mapping.contains(name)) return;
  if (symbol) {
    nested.symbol_mapping[name] = Expr::symbol(name);
    inner.symbols[name] = *symbol;
  } else if (const Constant* constant = around.constants.get(name)) {
    inner.constants.insert(name, *constant);
  }
}

void pass_free_names(const Sdfg& around, const TypeTable& types, NestedSdfg& nested, Sdfg& inner) {
  for (const std::string& name : free_symbols(inner)) {
    if (inner.arrays.contains(name)) continue;
    const auto declared = around.symbols.find(name);
    const auto known = types.find(name);
    const Type type = declared != around.symbols.end() ? declared->second
                      : known != types.end()           ? known->second
                                                       : Type(BaseType::Int64);
    pass_inside(around, name, around.constants.contains(name) ? nullptr : &type, nested, inner);
  }
}

}  // namespace sdfg
