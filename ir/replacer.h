#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ir/code.h"
#include "ir/data.h"
#include "ir/expr_internal.h"
#include "ir/subset.h"

// Internal to ir/.

namespace sdfg::detail {

/// Those of the replacements whose names occur in the text of some code. The rest, of which there
/// may be thousands, need not be looked at.
Substitution occurring_in(std::string_view text, const Substitution& names);
/// Names that the statements assign: they are the code's own.
SymbolSet assigned_names(const Statements& statements);

/// One substitution in many expressions: those that share a tree do so again afterwards, and each
/// is worked out once.
class Replacer {
 public:
  /// `types`: for tasklets, where the names are symbols (see substitute of code).
  explicit Replacer(const Substitution& names, const SymbolTypes* types = nullptr)
      : names_(names), types_(types) {
    for (const auto& [name, value] : names) bits_ |= name_bit(name);
  }
  const Substitution& names() const { return names_; }
  const SymbolTypes* types() const { return types_; }
  /// What the values that take the place of names mention.
  const SymbolSet& brought_in() {
    if (!brought_in_) {
      brought_in_.emplace();
      for (const auto& [name, value] : names_) collect_symbols(value, *brought_in_);
    }
    return *brought_in_;
  }
  bool mentions(std::string_view symbol) {
    return names_.contains(symbol) || brought_in().contains(symbol);
  }

  /// False: the expression mentions none of the names.
  bool operator()(Expr& e) {
    if ((name_bits(e) & bits_) == 0) {
      e = simplify(e);
      return false;
    }
    const auto [known, added] = done_.try_emplace(&ExprAccess::node(e), e, Expr());
    if (added) known->second.second = substitute(e, names_);
    e = known->second.second;
    return true;
  }
  bool operator()(Range& r) {
    bool mentioned = false;
    for (Expr* e : {&r.begin, &r.end, &r.step, &r.tile}) mentioned |= (*this)(*e);
    return mentioned;
  }
  /// Of a memlet. A range that turns out to have fewer points than none has none: it means the
  /// same, and a copy may have it.
  void operator()(std::optional<Subset>& subset) {
    if (!subset) return;
    for (Range& r : subset->ranges)
      if ((*this)(r) && has_negative_size(r))
        r = Range::half_open(r.begin, r.begin);
  }
  void operator()(ByName<Expr>& values) {
    for (auto& [key, value] : values) (*this)(value);
  }
  void operator()(Rare<ByName<Expr>>& values) {
    if (values->empty()) return;
    auto changed = *values;
    (*this)(changed);
    values = std::move(changed);
  }

 private:
  const Substitution& names_;
  const SymbolTypes* types_;
  std::uint64_t bits_ = 0;
  std::optional<SymbolSet> brought_in_;  ///< made when asked for
  /// By address: the expression, which is kept alive, and what becomes of it.
  std::unordered_map<const void*, std::pair<Expr, Expr>> done_;
};

/// All expressions of a descriptor.
void replace(Data& data, Replacer& names);

}  // namespace sdfg::detail
