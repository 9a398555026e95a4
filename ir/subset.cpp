#include "ir/subset.h"

#include "ir/expr_parser.h"

namespace sdfg {

Expr Range::size() const {
  const bool tiled = tile.as_integer() != 1;
  if (!tiled && is_index()) return 1;
  const Expr width = begin.as_integer() == 0 ? end : end - begin;
  if (!tiled && step.as_integer() == 1) return width + 1;
  const auto stride = step.as_integer();
  const Expr steps =
      stride && *stride < 0 ? ceil_div(-width + 1, -step) : ceil_div(width + 1, step);
  return steps * tile;
}

bool has_negative_size(const Range& range) {
  const auto size = range.size().as_integer();
  return size && *size < 0;
}

Subset Subset::index(const std::vector<Expr>& at) {
  Subset s;
  for (const Expr& e : at) s.ranges.push_back(Range::index(e));
  return s;
}
Subset Subset::whole(const std::vector<Expr>& shape) {
  Subset s;
  for (const Expr& extent : shape) s.ranges.push_back(Range::half_open(0, extent));
  return s;
}

Expr num_elements(const Subset& subset) {
  Expr n = 1;
  for (const Range& r : subset.ranges) {
    Expr size = r.size();
    if (n.as_integer() == 1)
      n = std::move(size);
    else if (!(size.as_integer() == 1))
      n = n * size;
  }
  return n;
}
std::vector<Expr> sizes(const Subset& subset) {
  std::vector<Expr> out;
  for (const Range& r : subset.ranges) out.push_back(r.size());
  return out;
}

Subset offset_by(const Subset& subset, const Subset& origin, bool subtract) {
  Subset out = subset;
  for (std::size_t d = 0; d < out.rank() && d < origin.rank(); ++d) {
    const Expr by = subtract ? -origin[d].begin : origin[d].begin;
    out[d].begin = out[d].begin + by;
    out[d].end = out[d].end + by;
  }
  return out;
}

Range compose(const Range& outer, const Range& inner) {
  const auto at = [&](const Expr& number) { return outer.begin + outer.step * number; };
  if (inner.is_index()) return {at(inner.begin), at(inner.begin), 1, inner.tile};
  // Any end before the next element is the same.
  const bool to_the_end = outer.step != Expr(1) && inner.end == outer.size() - 1;
  return {at(inner.begin), to_the_end ? outer.end : at(inner.end), outer.step * inner.step,
          inner.tile};
}

std::vector<std::size_t> wide_dimensions(const Subset& subset) {
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < subset.rank(); ++d)
    if (subset[d].size() != Expr(1)) out.push_back(d);
  return out;
}

Subset substitute(const Subset& subset, const Substitution& replacements) {
  Subset out = subset;
  for (Range& r : out.ranges)
    for (Expr* e : {&r.begin, &r.end, &r.step, &r.tile}) *e = substitute(*e, replacements);
  return out;
}
void collect_symbols(const Subset& subset, SymbolSet& out) {
  for (const Range& r : subset.ranges)
    for (const Expr* e : {&r.begin, &r.end, &r.step, &r.tile}) collect_symbols(*e, out);
}

// ---- Text.

std::string to_text(const Range& r) {
  const bool tiled = r.tile != Expr(1), stepped = tiled || r.step != Expr(1);
  if (r.is_index() && !stepped) return to_text(r.begin);
  std::string out = to_text(r.begin) + ':' + to_text(r.end + 1);
  if (stepped) out += ':' + to_text(r.step);
  if (tiled) out += ':' + to_text(r.tile);
  return out;
}
std::string to_text(const Subset& subset) {
  std::string out;
  for (const Range& r : subset.ranges) {
    if (!out.empty()) out += ", ";
    out += to_text(r);
  }
  return out;
}

namespace {
class SubsetParser : detail::ExprParser {
 public:
  explicit SubsetParser(std::string_view text) : ExprParser(text, detail::Grammar::Plain) {}

  Result<Range> one() {
    Range r = range();
    expect_end();
    if (failed()) return error();
    return r;
  }
  Result<Subset> all() {
    Subset s;
    if (token().kind != detail::Token::Kind::End) {
      do {
        s.ranges.push_back(range());
      } while (accept(",") && !failed());
      expect_end();
    }
    if (failed()) return error();
    return s;
  }

 private:
  Range range() {
    const Expr begin = simplify(expression());
    if (!accept(":")) return Range::index(begin);
    Range r = Range::half_open(begin, simplify(expression()));
    if (accept(":")) r.step = simplify(expression());
    if (accept(":")) r.tile = simplify(expression());
    return r;
  }
};
}  // namespace

Result<Subset> parse_subset(std::string_view text) { return SubsetParser(text).all(); }
Result<Range> parse_range(std::string_view text) { return SubsetParser(text).one(); }

}  // namespace sdfg
