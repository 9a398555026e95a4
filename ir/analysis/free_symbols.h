#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ir/sdfg.h"

namespace sdfg {

// What counts as a symbol here follows DaCe (docs/ir.md, "Free symbols"); the collectors of expr.h
// and code.h are more inclusive.

/// Symbols of a symbolic expression: `a.b` counts as the one name "a.b", and a subscripted
/// container is an access, no symbol (its indices count).
void collect_symbolic(const Expr& expr, SymbolSet& out);
/// Names that Python code reads before it binds them, leaving out what is `bound` outside, called
/// functions, attributes (`a.b`), and inf and nan. Code that does not parse has none.
using BoundNames = std::function<bool(const std::string&)>;
void collect_code_symbols(const Code& code, SymbolSet& out, const BoundNames& bound = {});
/// The same of a tasklet's code, which its connectors and ignored symbols bind.
void collect_code_symbols(const Node& tasklet, SymbolSet& out);
/// Visits the identifiers in text of any language, the exponents of numbers (1e5) left out.
template <class F>
void for_each_word(std::string_view text, F&& visit);

/// Names that a condition or assignment reads, containers included, less those that it assigns
/// without having read them.
SymbolSet free_symbols(const InterstateEdge& edge);

template <class F>
void for_each_word(std::string_view text, F&& visit) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!letter(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (letter(text[end]) || digit(text[end]))) ++end;
    const std::string_view word = text.substr(at, end - at);
    bool exponent = word[0] == 'e' && at > 0 && digit(text[at - 1]);
    if (exponent && word.size() == 1)
      exponent = end < text.size() && (digit(text[end]) || text[end] == '-' || text[end] == '+');
    for (std::size_t i = 1; exponent && i < word.size(); ++i) exponent = digit(word[i]);
    if (!exponent) visit(word);
    at = end;
  }
}

}  // namespace sdfg
