#pragma once

#include <array>

#include "ir/expr.h"

namespace sdfg {

struct Data;

/// collect_symbols for many expressions that stay where they are meanwhile. Elements share trees, as
/// they do after loading, and symbols: what was seen lately is not looked at again.
class SymbolCollector {
 public:
  explicit SymbolCollector(SymbolSet& out) : out_(out) {}
  void add(const Expr& e);

 private:
  SymbolSet& out_;
  std::array<const ExprNode*, 256> seen_{};  ///< by hash; the last one stays
};

void collect_symbols(const Data& data, SymbolCollector& out);

}  // namespace sdfg
