#include "ir/subset.h"

namespace sdfg {

Truth covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions) {
  if (outer.rank() != inner.rank()) return Truth::Unknown;
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    if (outer[d] == inner[d]) continue;
    if (outer[d].step != Expr(1) || inner[d].tile != Expr(1)) return Truth::Unknown;
    if (!certain(less_equal(outer[d].begin, inner[d].begin, assumptions)) ||
        !certain(less_equal(inner[d].end, outer[d].end, assumptions)))
      return Truth::Unknown;
  }
  return Truth::Yes;
}
Truth intersects(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  if (a.rank() != b.rank()) return Truth::Unknown;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (a[d].tile != Expr(1) || b[d].tile != Expr(1)) continue;
    if (certain(less(a[d].end, b[d].begin, assumptions)) ||
        certain(less(b[d].end, a[d].begin, assumptions)))
      return Truth::No;
  }
  return a == b ? Truth::Yes : Truth::Unknown;
}
Truth same_points(const Subset& a, const Subset& b, const Assumptions&) {
  return a == b ? Truth::Yes : Truth::Unknown;
}
std::optional<std::vector<Subset>> difference(const Subset& a, const Subset& b,
                                              const Assumptions& assumptions) {
  if (certain(covers(b, a, assumptions))) return std::vector<Subset>{};
  if (intersects(a, b, assumptions) == Truth::No) return std::vector<Subset>{a};
  return std::nullopt;
}
Subset bounding_box(const Subset& a, const Subset& b, const Assumptions&) {
  if (a == b) return a;
  Subset out = a;
  for (std::size_t d = 0; d < out.rank() && d < b.rank(); ++d)
    if (a[d] != b[d])
      out[d] = {min(a[d].begin, b[d].begin), max(a[d].end + a[d].tile - 1, b[d].end + b[d].tile - 1)};
  return out;
}
std::vector<std::optional<Range>> image(const Subset& subset, const std::vector<std::string>& params,
                                        const std::vector<Range>&, const Assumptions&) {
  std::vector<std::optional<Range>> out;
  for (const Range& r : subset.ranges) {
    bool uses = false;
    for (const std::string& p : params)
      uses |= uses_symbol(r.begin, p) || uses_symbol(r.end, p) || uses_symbol(r.step, p);
    out.push_back(uses ? std::nullopt : std::optional(r));
  }
  return out;
}

}  // namespace sdfg
