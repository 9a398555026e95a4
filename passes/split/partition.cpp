#include "passes/split/partition.h"

#include <algorithm>

namespace sdfg {
namespace {

bool unit(const Range& r) { return r.step == Expr(1) && r.tile == Expr(1); }
bool unit(const Subset& s) {
  return std::ranges::all_of(s.ranges, [](const Range& r) { return unit(r); });
}

/// Chooses between borders as far as their order is known.
class Borders {
 public:
  Borders(const Assumptions& assumptions, Undecided undecided)
      : assumptions_(assumptions), clamp_(undecided == Undecided::Clamp) {}

  bool at_most(const Expr& a, const Expr& b) const {
    return sdfg::at_most(a, b, assumptions_);
  }
  std::optional<Expr> smaller(const Expr& a, const Expr& b) const {
    if (at_most(a, b)) return a;
    if (at_most(b, a)) return b;
    return clamp_ ? std::optional(min(a, b)) : std::nullopt;
  }
  std::optional<Expr> larger(const Expr& a, const Expr& b) const {
    if (at_most(a, b)) return b;
    if (at_most(b, a)) return a;
    return clamp_ ? std::optional(max(a, b)) : std::nullopt;
  }
  std::optional<Range> both(const Range& a, const Range& b) const {
    const auto begin = larger(a.begin, b.begin), end = smaller(a.end, b.end);
    return begin && end ? std::optional(Range{*begin, *end}) : std::nullopt;
  }

 private:
  const Assumptions& assumptions_;
  bool clamp_;
};

}  // namespace

std::optional<Subset> intersection(const Subset& a, const Subset& b, const Assumptions& assumptions,
                                   Undecided undecided) {
  if (a.rank() != b.rank() || !unit(a) || !unit(b)) return std::nullopt;
  const Borders borders(assumptions, undecided);
  Subset out;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    auto range = borders.both(a[d], b[d]);
    if (!range) return std::nullopt;
    out.ranges.push_back(*std::move(range));
  }
  return out;
}

namespace {

/// The same points, with ranges that end at the earliest right before they begin: where a range may
/// be empty, borders can then be in an order that they are not in otherwise.
Subset not_negative(const Subset& box, const Assumptions& assumptions) {
  Subset out = box;
  for (Range& r : out.ranges)
    if (!certain(less_equal(r.begin, r.end + 1, assumptions))) r.end = max(r.end, r.begin - 1);
  return out;
}

std::optional<Cut> try_to_cut(const Subset& box, const Subset& by, const Borders& borders) {
  Cut out{box, {}};
  Subset& middle = *out.inside;
  for (std::size_t d = 0; d < box.rank(); ++d) {
    const Range a = box[d], b = by[d];
    const auto inside = borders.both(a, b);
    if (!inside) return std::nullopt;
    const auto add = [&](Range range) {
      Subset piece = middle;
      piece[d] = std::move(range);
      out.outside.push_back(std::move(piece));
    };
    if (!borders.at_most(b.begin, a.begin)) {
      const auto end = borders.smaller(b.begin - 1, a.end);
      if (!end) return std::nullopt;
      add({a.begin, *end});
    }
    if (!borders.at_most(a.end, b.end)) {
      // Where the other box is empty, its begin is behind its end: the rest starts at the later of
      // the two, so that it does not overlap what lies before.
      const auto behind = borders.larger(b.begin, b.end + 1);
      const auto begin = behind ? borders.larger(a.begin, *behind) : std::nullopt;
      if (!begin) return std::nullopt;
      add({*begin, a.end});
    }
    middle[d] = *inside;
  }
  return out;
}

}  // namespace

std::optional<Cut> cut(const Subset& box, const Subset& by, const Assumptions& assumptions,
                       Undecided undecided) {
  if (box.rank() != by.rank() || !unit(box) || !unit(by)) return std::nullopt;
  if (intersects(box, by, assumptions) == Truth::No) return Cut{std::nullopt, {box}};
  const Borders refusing(assumptions, Undecided::Refuse);
  auto out = try_to_cut(box, by, refusing);
  if (!out)
    out = try_to_cut(not_negative(box, assumptions), not_negative(by, assumptions), refusing);
  if (out || undecided == Undecided::Refuse) return out;
  out = try_to_cut(box, by, Borders(assumptions, Undecided::Clamp));
  if (!out) return out;
  if (out->inside) out->inside = not_negative(*out->inside, assumptions);
  for (Subset& piece : out->outside) piece = not_negative(piece, assumptions);
  return out;
}

bool structurally_less(const Subset& a, const Subset& b) {
  if (a.rank() != b.rank()) return a.rank() < b.rank();
  for (std::size_t d = 0; d < a.rank(); ++d)
    for (const auto part : {&Range::begin, &Range::end, &Range::step, &Range::tile})
      if (const auto order = compare(a[d].*part, b[d].*part); order != 0) return order < 0;
  return false;
}

std::vector<Subset> merge_adjacent(std::vector<Subset> boxes, const Assumptions& assumptions) {
  const auto joinable = [&](const Range& r) {
    return unit(r) && certain(less_equal(r.begin, r.end + 1, assumptions));
  };
  const auto less_box = [](const Subset& a, const Subset& b) { return structurally_less(a, b); };
  const auto less_expr = [](const Expr& a, const Expr& b) { return compare(a, b) < 0; };
  const std::size_t rank = boxes.empty() ? 0 : boxes.front().rank();
  std::ranges::sort(boxes, less_box);
  for (std::size_t d = 0, unchanged = 0; unchanged < rank; d = (d + 1) % rank) {
    // Boxes that agree but in dimension d, by where they begin there.
    std::map<Subset, std::map<Expr, Expr, decltype(less_expr)>, decltype(less_box)> rows(less_box);
    std::vector<Subset> out;
    for (Subset& box : boxes) {
      if (!joinable(box[d])) {
        out.push_back(std::move(box));
        continue;
      }
      const Range range = std::exchange(box[d], Range{0, 0});
      if (!rows[box].emplace(range.begin, range.end).second) {
        box[d] = range;
        out.push_back(std::move(box));
      }
    }
    for (auto& [row, ranges] : rows) {
      for (auto at = ranges.begin(); at != ranges.end(); ++at)
        for (auto next = ranges.find(at->second + 1); next != ranges.end() && next != at;
             next = ranges.find(at->second + 1)) {
          at->second = next->second;
          ranges.erase(next);
        }
      for (const auto& [begin, end] : ranges) {
        out.push_back(row);
        out.back()[d] = {begin, end};
      }
    }
    unchanged = out.size() == boxes.size() ? unchanged + 1 : 0;
    boxes = std::move(out);
    std::ranges::sort(boxes, less_box);
  }
  return boxes;
}

std::size_t Apart::number(const Range& range) {
  return numbers_.try_emplace(Subset{{range}}, numbers_.size()).first->second;
}

bool Apart::operator()(const Subset& a, const Subset& b) {
  const bool by_dimension = a.rank() > 1 && a.rank() == b.rank();
  for (std::size_t d = 0; by_dimension && d < a.rank(); ++d) {
    if (a[d] == b[d]) continue;
    const auto [at, added] = known_.try_emplace(std::minmax(number(a[d]), number(b[d])));
    if (added) at->second = intersects({{a[d]}}, {{b[d]}}, assumptions_) == Truth::No;
    if (at->second) return true;
  }
  return intersects(a, b, assumptions_) == Truth::No;
}

BoxIndex::BoxIndex(std::span<const Subset> boxes, const Assumptions& assumptions)
    : boxes_(boxes), apart_(assumptions) {
  const std::size_t rank = boxes.empty() ? 0 : boxes.front().rank();
  std::size_t best = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    std::vector<Interval> found;
    std::vector<std::int64_t> lows;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (auto at = interval(boxes[i], d)) {
        at->box = i;
        lows.push_back(at->low);
        found.push_back(*at);
      }
    std::ranges::sort(lows);
    const std::size_t distinct =
        std::ranges::distance(lows.begin(), std::ranges::unique(lows).begin());
    if (distinct <= best) continue;
    best = distinct;
    dimension_ = d;
    intervals_ = std::move(found);
  }
  std::ranges::stable_sort(intervals_, {}, &Interval::low);
  std::vector<bool> sorted(boxes.size());
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    sorted[intervals_[i].box] = true;
    intervals_[i].highest_so_far =
        i == 0 ? intervals_[i].high
               : std::max(intervals_[i - 1].highest_so_far, intervals_[i].high);
  }
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!sorted[i]) others_.push_back(i);
}

/// Distances from the first box's begin, which all of them have in common.
std::optional<BoxIndex::Interval> BoxIndex::interval(const Subset& box,
                                                     std::size_t dimension) const {
  if (dimension >= box.rank() || boxes_.empty() || dimension >= boxes_.front().rank() ||
      !unit(box[dimension]))
    return std::nullopt;
  const Expr& base = boxes_.front()[dimension].begin;
  const auto low = (box[dimension].begin - base).as_integer();
  const auto high = (box[dimension].end - base).as_integer();
  return low && high ? std::optional(Interval{*low, *high, *high, 0}) : std::nullopt;
}

std::vector<std::size_t> BoxIndex::may_intersect(
    const Subset& box, const std::function<bool(std::size_t)>& wanted) {
  std::vector<std::size_t> out;
  const auto consider = [&](std::size_t i) {
    if (wanted && !wanted(i)) return;
    if (!apart_(boxes_[i], box)) out.push_back(i);
  };
  for (std::size_t i : others_) consider(i);
  if (const auto at = interval(box, dimension_)) {
    auto end = std::ranges::upper_bound(intervals_, at->high, {}, &Interval::low);
    while (end != intervals_.begin() && std::prev(end)->highest_so_far >= at->low) {
      --end;
      if (end->high >= at->low) consider(end->box);
    }
  } else {
    for (const Interval& i : intervals_) consider(i.box);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace sdfg
