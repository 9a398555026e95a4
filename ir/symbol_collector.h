#pragma once

#include <array>
#include <functional>

#include "ir/code.h"
#include "support/ordered_map.h"

namespace sdfg {

struct Data;

/// Names to look for in texts: some, or those of containers. What it is made of must outlive it.
class KnownNames {
 public:
  KnownNames(const SymbolSet& names) : names_(&names) {}
  KnownNames(const OrderedMap<Data>& containers) : containers_(&containers) {}
  /// The name itself; null where it is none of them.
  const std::string* find(std::string_view word) const;

 private:
  const SymbolSet* names_ = nullptr;
  const OrderedMap<Data>* containers_ = nullptr;
};

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
void collect_symbols(const Code& code, KnownNames known, const NameSink& sink);

}  // namespace sdfg
