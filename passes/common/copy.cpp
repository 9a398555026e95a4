#include "passes/common/copy.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"

namespace sdfg {
namespace {

bool holds_elements(const Data* data) {
  return data && !data->is_stream() && !data->is_reference() && !data->is_structure() &&
         (data->is_scalar() || data->as_array());
}

/// The box that a side left open stands for, given the other side.
std::optional<Subset> implied(const Data& data, const Subset& other) {
  const Subset whole = Subset::whole(data.shape);
  const Truth fits = equal(num_elements(whole), num_elements(other));
  if (certain(fits)) return whole;
  std::vector<Expr> extents = sizes(other);
  if (extents.size() != whole.rank()) std::erase(extents, Expr(1));
  if (extents.size() != whole.rank()) return std::nullopt;
  // If the counts can be equal, both readings must be the same box.
  if (!certain(!fits) && extents != sizes(whole)) return std::nullopt;
  return Subset::whole(extents);
}

/// Empty ranges may have negative sizes; what counts is that both are empty.
bool same_size(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  if (a == b) return true;
  const Expr x = max(Expr(0), a), y = max(Expr(0), b);
  return x == y || certain(equal(a, b, assumptions));
}

/// Pairs of dimensions (inner, outer), or nothing.
std::optional<std::vector<std::pair<std::size_t, std::size_t>>> associate(
    const std::vector<Expr>& inner, const std::vector<Expr>& outer,
    const Assumptions& assumptions) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (inner.size() == outer.size()) {
    // Equal ranks: unit dimensions belong together, too, as for copies of single rows.
    for (std::size_t d = 0; d < inner.size(); ++d)
      if (same_size(inner[d], outer[d], assumptions)) pairs.emplace_back(d, d);
    if (pairs.size() == inner.size()) return pairs;
    pairs.clear();
  }
  std::size_t i = 0, o = 0;
  while (i < inner.size() || o < outer.size()) {
    if (i < inner.size() && inner[i] == Expr(1))
      ++i;
    else if (o < outer.size() && outer[o] == Expr(1))
      ++o;
    else if (i < inner.size() && o < outer.size() && same_size(inner[i], outer[o], assumptions))
      pairs.emplace_back(i++, o++);
    else
      return std::nullopt;
  }
  return pairs;
}

}  // namespace

std::optional<CopySides> copy_sides(const Sdfg& sdfg, const State& state, EdgeId edge) {
  // Told at once; following a path through a scope node costs time linear in its edges.
  if (state[state.source(edge)].is_code() || state[state.target(edge)].is_code())
    return std::nullopt;
  const auto* source = state[path_source(state, edge)].as<AccessNode>();
  const auto* target = state[path_target(state, edge)].as<AccessNode>();
  if (!source || !target) return std::nullopt;
  const Data *from = sdfg.find_data(source->data), *to = sdfg.find_data(target->data);
  const Memlet& memlet = state[edge].memlet;
  if (memlet.empty() || !holds_elements(from) || !holds_elements(to)) return std::nullopt;
  std::optional<Subset> src = memlet.src_subset, dst = memlet.dst_subset;
  if (!src && !dst) src = Subset::whole(from->shape);
  if (!src) src = implied(*from, *dst);
  if (!dst && src) dst = implied(*to, *src);
  if (!src || !dst) return std::nullopt;
  return CopySides{*std::move(src), *std::move(dst)};
}

bool same_sequence(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  if (a == b) return true;
  if (a.rank() != b.rank()) return false;
  const auto descends = [](const Range& r) { return r.step.as_integer().value_or(1) < 0; };
  for (std::size_t d = 0; d < a.rank(); ++d)
    if (descends(a[d]) != descends(b[d]) && !a[d].is_index() && !b[d].is_index()) return false;
  return certain(same_points(a, b, assumptions));
}

Range counted_from(const Expr& first, const Range& at) {
  const Expr begin = at.begin - at.step * first;
  return at.step == Expr(1) ? Range::index(begin) : Range{begin, at.end, at.step};
}

Subset Placement::map(const Subset& subset) const {
  Subset out;
  for (std::size_t d = 0; d < from.size(); ++d)
    out.ranges.push_back(from[d] ? compose(at[d], subset[*from[d]]) : at[d]);
  return out;
}

std::optional<std::size_t> Placement::lost(const Subset& subset) const {
  for (std::size_t d = 0; d < subset.rank(); ++d) {
    const Range& r = subset[d];
    if (const auto at_d = carrier(d)) {
      if (r.tile != Expr(1) && at[*at_d].step != Expr(1)) return d;
    } else if (!r.is_index() && !certain(less_equal(r.begin, r.end))) {
      return d;
    }
  }
  return std::nullopt;
}

SymbolSet Placement::symbols() const {
  SymbolSet out;
  collect_symbols(at, out);
  return out;
}

bool Placement::keeps_rank(std::size_t rank) const {
  if (rank != from.size()) return false;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] != d) return false;
  return true;
}

std::optional<std::size_t> Placement::carrier(std::size_t dimension) const {
  const auto found = std::ranges::find(from, std::optional(dimension));
  if (found == from.end()) return std::nullopt;
  return std::size_t(found - from.begin());
}

std::optional<Placement> placement(const Subset& inner, const Subset& outer,
                                   const Assumptions& assumptions) {
  for (const Subset* subset : {&inner, &outer})
    for (const Range& r : subset->ranges)
      if (r.tile != Expr(1)) return std::nullopt;
  const auto pairs = associate(sizes(inner), sizes(outer), assumptions);
  if (!pairs) return std::nullopt;
  Placement out;
  out.from.resize(outer.rank());
  for (const Range& r : outer.ranges) out.at.ranges.push_back(Range::index(r.begin));
  for (const auto& [i, o] : *pairs) {
    const Range& in = inner[i];
    Range at = outer[o];
    out.from[o] = i;
    if (in.is_index() || in.step == at.step) {
      at.step = 1;
    } else {
      const auto stride = at.step.as_integer();
      if (in.step != Expr(1) || !stride || *stride < 1) return std::nullopt;
    }
    out.at[o] = counted_from(in.begin, at);
  }
  return out;
}

}  // namespace sdfg
