#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr.h"
#include "ir/property.h"

namespace sdfg {

/// One dimension of a subset, or one dimension of a map's iteration space: begin, begin + step, …
/// up to `end` inclusive. Each step covers `tile` consecutive elements (normally 1). An index is
/// begin == end.
struct Range {
  Expr begin, end;
  Expr step = 1, tile = 1;

  static Range index(Expr at) { return {at, at}; }
  /// [begin : end) as Python writes it.
  static Range half_open(Expr begin, Expr end) { return {std::move(begin), end - 1}; }
  bool is_index() const { return begin == end; }
  /// Elements in this dimension: ceil((end - begin + 1) / step) * tile; never clipped at 0.
  Expr size() const;

  static constexpr auto properties =
      property_list(property("start", &Range::begin), property("end", &Range::end, "inclusive"),
                    property("step", &Range::step), property("tile", &Range::tile));
  bool operator==(const Range&) const = default;
};

/// Is its size a number below 0? It has no point then, and no container has such a shape.
bool has_negative_size(const Range& range);

/// A box of elements of a container: one range per dimension.
struct Subset {
  std::vector<Range> ranges;

  std::size_t rank() const { return ranges.size(); }
  bool empty() const { return ranges.empty(); }
  const Range& operator[](std::size_t d) const { return ranges[d]; }
  Range& operator[](std::size_t d) { return ranges[d]; }
  static Subset index(const std::vector<Expr>& at);
  /// All elements of a container of that shape.
  static Subset whole(const std::vector<Expr>& shape);
  bool operator==(const Subset&) const = default;
};

/// The product of the dimensions' sizes (1 for rank 0).
Expr num_elements(const Subset& subset);
std::vector<Expr> sizes(const Subset& subset);

// ---- Three-valued questions on sets of points. Ranks must agree (Unknown otherwise). Steps and
// tiles are respected. Empty ranges: an empty set is covered by everything.
Truth covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions = {});
Truth intersects(const Subset& a, const Subset& b, const Assumptions& assumptions = {});
/// Do literal indices alone say that they have no point in common? Quick, for many pairs.
bool lie_apart(const Subset& a, const Subset& b);
/// The same points, whatever the spelling.
Truth same_points(const Subset& a, const Subset& b, const Assumptions& assumptions = {});

/// a \ b as disjoint boxes; nothing when it cannot be expressed with certainty.
std::optional<std::vector<Subset>> difference(const Subset& a, const Subset& b,
                                              const Assumptions& assumptions = {});
/// The box of step 1 from the first point to the last, with what lies between them; of the steps
/// that are known, their sign counts.
Subset without_gaps(Subset subset);
/// The smallest box we can name that certainly holds both (begin: min, end: max; step 1 unless the
/// two agree).
Subset bounding_box(const Subset& a, const Subset& b, const Assumptions& assumptions = {});
/// The box that certainly holds the images of `subset` for all points of `ranges` of `params`.
/// Exact for dimensions affine in one parameter each; a dimension that cannot be bounded becomes
/// nothing (the caller takes the whole extent of the container).
std::vector<std::optional<Range>> image(const Subset& subset,
                                        const std::vector<std::string>& params,
                                        const std::vector<Range>& ranges,
                                        const Assumptions& assumptions = {});

// ---- Coordinates.
/// Moves by an origin: adds (or subtracts) origin[d].begin in each dimension.
Subset offset_by(const Subset& subset, const Subset& origin, bool subtract);
/// The elements of `outer` whose numbers, from 0, `inner` gives. All of them are `outer` as it is
/// written. No range names tiles of a range with a step.
Range compose(const Range& outer, const Range& inner);
/// The dimensions whose size is not 1.
std::vector<std::size_t> wide_dimensions(const Subset& subset);

Subset substitute(const Subset& subset, const Substitution& replacements);
void collect_symbols(const Subset& subset, SymbolSet& out);

/// "0:N, i, 2:8:2" with exclusive ends, as DaCe prints it; parse_subset reads that (PLAIN).
std::string to_text(const Subset& subset);
std::string to_text(const Range& range);
Result<Subset> parse_subset(std::string_view text);
Result<Range> parse_range(std::string_view text);

}  // namespace sdfg
