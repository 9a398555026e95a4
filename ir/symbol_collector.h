#pragma once

#include <unordered_set>

#include "ir/expr.h"

namespace sdfg {

struct Data;

/// collect_symbols for many expressions that stay where they are meanwhile: each tree is looked at
/// once, however many elements share it, as they do after loading.
class SymbolCollector {
 public:
  explicit SymbolCollector(SymbolSet& out) : out_(out) {}
  void add(const Expr& e);

 private:
  SymbolSet& out_;
  std::unordered_set<const void*> seen_;
};

void collect_symbols(const Data& data, SymbolCollector& out);

}  // namespace sdfg
