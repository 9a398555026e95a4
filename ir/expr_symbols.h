#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "support/hash.h"

namespace sdfg {

struct ExprAccess {
  static const ExprNode& node(const Expr& e) { return e.node(); }
  static Expr wrap(std::unique_ptr<ExprNode> node) { return Expr(node.release()); }
};

namespace detail {

/// One of 64 bits, so that most questions whether a tree has a name need no look at the tree.
inline std::uint64_t name_bit(std::string_view name) {
  return std::uint64_t(1) << (Hasher().add(name).value() & 63);
}
inline std::uint64_t name_bits(const Expr& e) { return ExprAccess::node(e).names; }

/// any_symbol, leaving out what is `bound` by a lambda around.
bool any_symbol(const Expr& e, const auto& visit, std::vector<std::string_view>& bound) {
  if (name_bits(e) == 0) return false;
  if (e.is(Op::Symbol))
    return std::ranges::find(bound, e.name()) == bound.end() && visit(e.name());
  const std::size_t outer = bound.size();
  std::span<const Expr> parts = e.args();
  if (e.is(Op::Lambda)) {
    for (const Expr& p : parts.first(parts.size() - 1)) bound.push_back(p.name());
    parts = parts.last(1);
  }
  const bool found =
      std::ranges::any_of(parts, [&](const Expr& a) { return any_symbol(a, visit, bound); });
  bound.resize(outer);
  return found;
}

}  // namespace detail

/// Calls visit(name) for the names of free_symbols(), some perhaps more than once, until it returns
/// true.
bool any_symbol(const Expr& e, const auto& visit) {
  std::vector<std::string_view> bound;
  return detail::any_symbol(e, visit, bound);
}
inline bool uses_any(const Expr& e, const SymbolSet& symbols) {
  return any_symbol(e, [&](const std::string& name) { return symbols.contains(name); });
}

}  // namespace sdfg
