#pragma once

#include <array>
#include <functional>

#include "ir/code.h"

namespace sdfg {

struct Data;

/// Told a name, perhaps more than once.
using NameSink = std::function<void(const std::string&)>;
inline NameSink into(SymbolSet& out) {
  return [&out](const std::string& name) { out.insert(name); };
}

/// collect_symbols for many expressions that stay where they are meanwhile. Elements share trees,
/// as they do after loading, and symbols: what was seen lately is not looked at again.
class SymbolCollector {
 public:
  explicit SymbolCollector(SymbolSet& out) : sink_(into(out)) {}
  explicit SymbolCollector(NameSink sink) : sink_(std::move(sink)) {}
  void add(const Expr& e);

 private:
  NameSink sink_;
  std::array<const ExprNode*, 256> seen_{};  ///< by hash; the last one stays
};

void collect_symbols(const Data& data, SymbolCollector& out);
void collect_symbols(const Code& code, const SymbolSet& known, const NameSink& sink);

}  // namespace sdfg
