#include "passes/split/copy_pieces.h"

#include <algorithm>

namespace sdfg {
namespace {

bool unit(const Subset& s) {
  return std::ranges::all_of(s.ranges, [](const Range& r) {
    return r.step == Expr(1) && r.tile == Expr(1);
  });
}

const Data* plain_array(const Sdfg& sdfg, const Node& node) {
  const auto* access = node.as<AccessNode>();
  const Data* data = access ? sdfg.find_data(access->data) : nullptr;
  const bool plain =
      data && std::holds_alternative<Array>(data->kind) && data->role() == Role::Plain;
  return plain ? data : nullptr;
}

std::optional<std::vector<std::optional<std::size_t>>> match(const Subset& src, const Subset& dst,
                                                             const Assumptions& assumptions) {
  const auto same = [&](std::size_t s, std::size_t d) {
    return certain(equal(src[s].size(), dst[d].size(), assumptions));
  };
  std::vector<std::optional<std::size_t>> dst_of(src.rank());
  bool all = src.rank() == dst.rank();
  for (std::size_t d = 0; all && d < src.rank(); ++d) all = same(d, d);
  if (all) {
    for (std::size_t d = 0; d < src.rank(); ++d) dst_of[d] = d;
    return dst_of;
  }
  const auto wide_src = wide_dimensions(src), wide_dst = wide_dimensions(dst);
  if (wide_src.size() != wide_dst.size()) return std::nullopt;
  for (std::size_t i = 0; i < wide_src.size(); ++i) {
    if (!same(wide_src[i], wide_dst[i])) return std::nullopt;
    dst_of[wide_src[i]] = wide_dst[i];
  }
  return dst_of;
}

Range moved(const Range& part, const Range& from, const Range& to) {
  return {to.begin + (part.begin - from.begin), to.begin + (part.end - from.begin), part.step,
          part.tile};
}

}  // namespace

Subset CopySidesMatched::written_by(const Subset& part_of_src) const {
  Subset out = dst;
  for (std::size_t d = 0; d < src.rank(); ++d)
    if (dst_of[d]) out[*dst_of[d]] = moved(part_of_src[d], src[d], dst[*dst_of[d]]);
  return out;
}
bool CopySidesMatched::hides(const Subset& part_of_src) const {
  for (std::size_t d = 0; d < src.rank(); ++d)
    if (!dst_of[d] && part_of_src[d] != src[d]) return true;
  return false;
}
Subset CopySidesMatched::read_for(const Subset& part_of_dst) const {
  Subset out = src;
  for (std::size_t d = 0; d < src.rank(); ++d)
    if (dst_of[d]) out[d] = moved(part_of_dst[*dst_of[d]], dst[*dst_of[d]], src[d]);
  return out;
}

std::optional<CopySidesMatched> match_copy(const Sdfg& sdfg, const State& state, EdgeId edge,
                                           const Assumptions& assumptions) {
  const Memlet& memlet = state[edge].memlet;
  const Data* from = plain_array(sdfg, state[state.source(edge)]);
  const Data* to = plain_array(sdfg, state[state.target(edge)]);
  if (!from || !to || memlet.empty()) return std::nullopt;
  std::optional<Subset> src = memlet.src_subset, dst = memlet.dst_subset;
  // A side that is left out is the whole container, if that has the sizes of the other side.
  const auto whole_like = [&](const Data& data, const Subset& other) -> std::optional<Subset> {
    Subset whole = Subset::whole(data.shape);
    return match(whole, other, assumptions) ? std::optional(whole) : std::nullopt;
  };
  if (!src && dst) src = whole_like(*from, *dst);
  if (!dst && src) dst = whole_like(*to, *src);
  if (!src || !dst || !unit(*src) || !unit(*dst)) return std::nullopt;
  auto dst_of = match(*src, *dst, assumptions);
  if (!dst_of) return std::nullopt;
  return CopySidesMatched{*std::move(src), *std::move(dst), *std::move(dst_of)};
}

void restrict_copy(Memlet& memlet, const CopySidesMatched& sides, const Subset& part_of_src) {
  memlet.dst_subset = sides.written_by(part_of_src);
  memlet.src_subset = part_of_src;
  memlet.volume = num_elements(part_of_src);
}

}  // namespace sdfg
