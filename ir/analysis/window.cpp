#include "ir/analysis/window.h"

#include <algorithm>

#include "ir/expr_quotient.h"

namespace sdfg {

Substitution mapped_values(const NestedSdfg& nested) {
  Substitution out;
  for (const auto& [name, value] : nested.symbol_mapping) {
    const auto& types = (**nested.sdfg).symbols;
    const auto type = types.find(name);
    const bool integer = type == types.end() || type->second.is_integer();
    out.emplace(name, integer ? rounded_down(value) : value);
  }
  return out;
}

Subset Window::to_outer(const Subset& inside) const {
  Subset out;
  for (std::size_t d = 0; d < subset.rank(); ++d) {
    const auto& carried = inner[d] ? inner[d] : single[d];
    if (!carried || (!inner[d] && inside[*carried].is_index())) {
      out.ranges.push_back(Range::index(subset[d].begin));
      continue;
    }
    Range counted = inside[*carried];
    counted.begin = counted.begin + offset[*carried], counted.end = counted.end + offset[*carried];
    out.ranges.push_back(compose(subset[d], counted));
  }
  return out;
}

std::optional<std::size_t> Window::lost(const Subset& inside) const {
  for (std::size_t d = 0; d < inside.rank(); ++d) {
    const Range& r = inside[d];
    const auto carrier = std::ranges::find(inner, std::optional(d));
    if (carrier != inner.end()) {
      if (r.tile != Expr(1) && subset[std::size_t(carrier - inner.begin())].step != Expr(1))
        return d;
    } else if (!r.is_index() && std::ranges::find(single, std::optional(d)) == single.end() &&
               !certain(less_equal(r.begin, r.end))) {
      return d;
    }
  }
  return std::nullopt;
}

bool Window::is_identity() const {
  for (std::size_t d = 0; d < subset.rank(); ++d)
    if (inner[d] != d || subset[d].begin != Expr(0) || subset[d].step != Expr(1) ||
        offset[d] != Expr(0))
      return false;
  return subset.rank() == offset.size();
}

Result<Window> window(const Data& inside, const Data& outside, const Subset& subset) {
  if (!(inside.dtype == outside.dtype))
    return Diagnostic{"", "its elements are " + inside.dtype.text() + " inside and " +
                              outside.dtype.text() + " outside"};
  if (subset.rank() != outside.shape.size())
    return Diagnostic{"", "the memlet has " + std::to_string(subset.rank()) +
                              " dimensions and the container " +
                              std::to_string(outside.shape.size())};
  for (const Range& r : subset.ranges)
    if (r.tile != Expr(1)) return Diagnostic{"", "the memlet at the connector is tiled"};
  const std::vector<std::optional<std::size_t>> none(subset.rank());
  Window out{subset, none, none, {}};
  out.offset.assign(inside.shape.size(), Expr(0));
  if (inside.is_scalar()) return out;
  const Array* in = inside.as_array();
  const Array* from = outside.as_array();
  if (!in || in->role != Role::Plain) return Diagnostic{"", "it is no plain array inside"};
  if (in->start_offset != Expr(0)) return Diagnostic{"", "it has a start offset inside"};
  if (in->offset.size() == inside.shape.size()) out.offset = in->offset;
  std::size_t next = 0;
  for (std::size_t d = 0; d < inside.shape.size(); ++d) {
    if (inside.shape[d] == Expr(1)) continue;  // always index 0, whatever its stride
    if (!from) return Diagnostic{"", "it is an array inside and no array outside"};
    while (next < subset.rank() &&
           (subset[next].is_index() ||
            !certain(equal(in->strides[d], from->strides[next] * subset[next].step))))
      ++next;
    if (next == subset.rank())
      return Diagnostic{"", "the stride " + to_text(in->strides[d]) + " of its dimension " +
                                std::to_string(d) + " is not that of a dimension outside"};
    out.inner[next++] = d;
  }
  // Strides alone do not tell: a flat array of several rows goes beyond the end of the first.
  const auto is_left = [&](std::size_t d) { return !out.inner[d]; };
  if (std::ranges::any_of(wide_dimensions(subset), is_left))
    for (std::size_t d = 0; d < subset.rank(); ++d)
      if (out.inner[d] && !certain(less_equal(inside.shape[*out.inner[d]], subset[d].size())))
        return Diagnostic{"", "its dimension " + std::to_string(*out.inner[d]) +
                                  " may be longer than the one of the memlet with that stride"};
  // Where the ranks agree, at the same place; else in the order of dimensions.
  const bool same_rank = inside.shape.size() == subset.rank();
  next = 0;
  for (std::size_t d = 0; d < inside.shape.size(); ++d) {
    if (inside.shape[d] != Expr(1)) continue;
    if (same_rank) next = d;
    while (next < subset.rank() && (out.inner[next] || out.single[next])) ++next;
    if (next < subset.rank() && subset[next].is_index()) out.single[next] = d;
  }
  return out;
}

bool is_all_inside(const Data& inside, const Subset& subset, const Data& outside) {
  if (!window(inside, outside, subset)) return false;
  std::vector<Expr> wide;
  for (std::size_t d : wide_dimensions(subset)) wide.push_back(simplify(subset[d].size()));
  std::vector<Expr> shape;
  for (const Expr& extent : inside.shape)
    if (!(simplify(extent) == Expr(1))) shape.push_back(simplify(extent));
  return wide == shape;
}

bool is_all_inside(const NestedSdfg& nested, const std::string& connector, const Subset& subset,
                   const Data& outside) {
  const Data* found = (*nested.sdfg)->arrays.get(connector);
  if (!found) return false;
  Data inside = *found;
  substitute(inside, mapped_values(nested));
  return is_all_inside(inside, subset, outside);
}

}  // namespace sdfg
