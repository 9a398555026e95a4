#include "passes/map_fusion/iteration_match.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace sdfg {
namespace {

constexpr std::size_t none = ~std::size_t(0);

bool has_one_point(const Range& range) {
  return range.end == range.begin && range.tile == Expr(1);
}
Expr shift_of(const Range& from, const Range& to) { return to.begin - from.begin; }
bool equal_after(const Range& a, const Range& b, const Expr& shift) {
  return b.begin - a.begin == shift && b.end - a.end == shift && a.step == b.step &&
         a.tile == b.tile;
}
std::string text(const std::string& param, const Range& range) {
  return "'" + param + "' in " + to_text(range);
}

/// expr = coefficient * params[param] + rest, without any other parameter.
struct SingleParam {
  std::size_t param;
  Affine affine;
};
std::optional<SingleParam> single_param(const Expr& expr, const std::vector<std::string>& params) {
  std::size_t found = none;
  for (std::size_t k = 0; k < params.size(); ++k) {
    if (!uses_symbol(expr, params[k])) continue;
    if (found != none) return std::nullopt;
    found = k;
  }
  if (found == none) return std::nullopt;
  auto affine = match_affine(expr, params[found]);
  if (!affine) return std::nullopt;
  return SingleParam{found, std::move(*affine)};
}

class Matcher {
 public:
  Matcher(const MapEntry& first, const MapEntry& second, const MatchOptions& options,
          const Assumptions& assumptions, IterationMatch& out)
      : first_(first), second_(second), options_(options), assumptions_(assumptions), out_(out),
        partner_(second.params.size(), none), shift_(second.params.size()),
        used_(first.params.size()), ranges_(first.ranges) {}

  Refusal run(const std::vector<ParameterPair>& wanted) {
    for (const ParameterPair& pair : wanted)
      if (Refusal why = take(pair)) return why;
    take_equal([&](std::size_t k, std::size_t m) { return first_.params[k] == second_.params[m]; });
    take_equal([](std::size_t, std::size_t) { return true; });
    for (std::size_t m = 0; m < partner_.size(); ++m) {
      if (partner_[m] != none || has_one_point(second_.ranges[m])) continue;
      if (!options_.promote)
        return "no dimension of the first map matches " +
               text(second_.params[m], second_.ranges[m]) + " of the second";
      out_.promotes = true;
    }
    for (std::size_t k = 0; k < used_.size(); ++k)
      if (!used_[k] && !has_one_point(first_.ranges[k]))
        return "no dimension of the second map matches " +
               text(first_.params[k], first_.ranges[k]) + " of the first";
    if (Refusal why = check_ranges()) return why;
    out_.promotes ? into_second() : into_first();
    return {};
  }

 private:
  /// Ranges and shifts have been compared as they are written, so what they use has to be the same
  /// in both maps: parameters that lie further out and stay what they are, or names from outside.
  Refusal check_ranges() const {
    for (const MapEntry* own : {&first_, &second_})
      for (std::size_t p = 0; p < own->params.size(); ++p) {
        const std::string& param = own->params[p];
        const auto in_range = [&](const Range& r) {
          return uses_symbol(r.begin, param) || uses_symbol(r.end, param) ||
                 uses_symbol(r.step, param) || uses_symbol(r.tile, param);
        };
        const auto in_shift = [&](const Expr& shift) { return uses_symbol(shift, param); };
        for (const MapEntry* map : {&first_, &second_})
          if (std::ranges::any_of(map->ranges, in_range) &&
              (!stays(param) || std::ranges::any_of(map->ranges.begin(),
                                                    map->ranges.begin() + index(*map, param) + 1,
                                                    in_range)))
            return "a range uses '" + param + "', which is not the same in both maps";
        if (std::ranges::any_of(shift_, in_shift) && !stays(param))
          return "a parameter depends on '" + param + "', which is not the same in both maps";
      }
    return {};
  }
  static std::ptrdiff_t index(const MapEntry& map, const std::string& param) {
    return std::ranges::find(map.params, param) - map.params.begin();
  }
  /// Is the parameter one of both maps, with the same value in both?
  bool stays(const std::string& param) const {
    const auto k = std::size_t(index(first_, param)), m = std::size_t(index(second_, param));
    return k < used_.size() && m < partner_.size() && partner_[m] == k && shift_[m] == Expr(0);
  }

  Refusal take(const ParameterPair& pair) {
    const auto [k, m, shift] = pair;
    if (partner_[m] == k) return {};
    if (partner_[m] != none || used_[k])
      return "parameter '" + second_.params[m] + "' of the second map would have to be two "
             "parameters of the first";
    const Range &a = first_.ranges[k], &b = second_.ranges[m];
    const Expr by_range = shift_of(a, b);
    if (equal_after(a, b, by_range)) {
      pair_up(k, m, by_range);
      return {};
    }
    // One point somewhere: the subsets are compared with its value.
    if (has_one_point(b) && has_one_point(a)) return {};
    const bool inside = a.step == b.step && a.step == Expr(1) && a.tile == b.tile &&
                        certain(less_equal(a.begin + shift, b.begin, assumptions_)) &&
                        certain(less_equal(b.end, a.end + shift, assumptions_));
    if (!inside || !options_.shrink)
      return text(first_.params[k], a) + " and " + text(second_.params[m], b) + " differ" +
             (inside ? ", and not all of the first map's results are for the second alone" : "");
    pair_up(k, m, shift);
    ranges_[k] = {b.begin - shift, b.end - shift, b.step, b.tile};
    out_.shrinks = true;
    return {};
  }

  template <class F>
  void take_equal(F&& fits) {
    for (std::size_t m = 0; m < partner_.size(); ++m)
      for (std::size_t k = 0; partner_[m] == none && k < used_.size(); ++k)
        if (!used_[k] && fits(k, m) && equal_after(first_.ranges[k], second_.ranges[m], Expr(0)))
          pair_up(k, m, Expr(0));
  }

  void pair_up(std::size_t k, std::size_t m, const Expr& shift) {
    partner_[m] = k, shift_[m] = shift, used_[k] = true;
  }

  /// The second map's parameters become expressions of the first's.
  void into_first() {
    out_.params = first_.params, out_.ranges = ranges_;
    for (std::size_t m = 0; m < partner_.size(); ++m) {
      const Expr value = partner_[m] == none
                             ? second_.ranges[m].begin
                             : Expr::symbol(first_.params[partner_[m]]) + shift_[m];
      if (!value.is_symbol(second_.params[m])) out_.second.emplace(second_.params[m], value);
    }
  }

  /// The first map's become expressions of the second's.
  void into_second() {
    out_.params = second_.params, out_.ranges = second_.ranges;
    for (std::size_t k = 0; k < used_.size(); ++k)
      if (!used_[k]) out_.first.emplace(first_.params[k], first_.ranges[k].begin);
    for (std::size_t m = 0; m < partner_.size(); ++m) {
      if (partner_[m] == none) continue;
      const std::string& name = first_.params[partner_[m]];
      const Expr value = Expr::symbol(second_.params[m]) - shift_[m];
      if (!value.is_symbol(name)) out_.first.emplace(name, value);
    }
  }

  const MapEntry &first_, &second_;
  const MatchOptions& options_;
  const Assumptions& assumptions_;
  IterationMatch& out_;
  std::vector<std::size_t> partner_;  ///< by parameter of the second map
  std::vector<Expr> shift_;
  std::vector<bool> used_;            ///< by parameter of the first map
  std::vector<Range> ranges_;         ///< of the first map, made smaller
};

}  // namespace

Refusal match_iterations(const MapEntry& first, const MapEntry& second,
                         const std::vector<ParameterPair>& wanted, const MatchOptions& options,
                         const Assumptions& assumptions, IterationMatch& out) {
  return Matcher(first, second, options, assumptions, out).run(wanted);
}

void collect_pairs(const Subset& written, const std::vector<std::string>& first,
                   const Subset& read, const std::vector<std::string>& second,
                   std::vector<ParameterPair>& out) {
  if (written.rank() != read.rank()) return;
  for (std::size_t d = 0; d < written.rank(); ++d) {
    const auto w = single_param(written[d].begin, first);
    const auto r = single_param(read[d].begin, second);
    if (!w || !r || !(w->affine.coefficient == r->affine.coefficient)) continue;
    const auto coefficient = w->affine.coefficient.as_integer();
    if (!coefficient || std::abs(*coefficient) != 1) continue;
    out.push_back({w->param, r->param, (w->affine.rest - r->affine.rest) * Expr(*coefficient)});
  }
}

// Two iterations differ in some parameter. A parameter is *told apart* by a dimension in which both
// subsets move with it by the same coefficient, so far that with another value of the parameter
// they cannot meet. If each parameter is told apart, different iterations never meet.
bool independent(const Subset& a, const Subset& b, const std::vector<std::string>& params,
                 const std::vector<Range>& ranges, const Assumptions& assumptions) {
  if (a.rank() != b.rank()) return false;
  std::vector<bool> told_apart(params.size());
  for (std::size_t k = 0; k < params.size(); ++k) told_apart[k] = has_one_point(ranges[k]);
  for (std::size_t d = 0; d < a.rank(); ++d) {
    const auto x = single_param(a[d].begin, params), y = single_param(b[d].begin, params);
    if (!x || !y || x->param != y->param || told_apart[x->param]) continue;
    const auto coefficient = x->affine.coefficient.as_integer();
    const auto step = ranges[x->param].step.as_integer();
    if (!coefficient || !(y->affine.coefficient == x->affine.coefficient) || !step) continue;
    const Expr distance = std::abs(*coefficient * *step);
    const Expr apart = x->affine.rest - y->affine.rest;
    const Expr size_a = a[d].end - a[d].begin, size_b = b[d].end - b[d].begin;
    const auto varies = [&](const std::string& p) {
      return uses_symbol(size_a, p) || uses_symbol(size_b, p);
    };
    if (std::ranges::any_of(params, varies)) continue;
    if (!(a[d].tile == Expr(1)) || !(b[d].tile == Expr(1))) continue;
    told_apart[x->param] = certain(less(apart + size_a, distance, assumptions)) &&
                           certain(less(size_b - apart, distance, assumptions));
  }
  return std::ranges::all_of(told_apart, [](bool b) { return b; });
}

/// Does one of them move with a parameter where the other one does not, and the other way round? So
/// do a row and a column, or an array and its transpose.
static bool turned(const Subset& a, const Subset& b, const std::vector<std::string>& params,
                   const std::vector<Range>& ranges) {
  const auto moves_alone = [&](const Subset& one, const Subset& other, const std::string& param) {
    for (std::size_t d = 0; d < one.rank(); ++d) {
      if (!one[d].is_index() || !other[d].is_index()) return false;
      if (uses_symbol(one[d].begin, param) && !uses_symbol(other[d].begin, param)) return true;
    }
    return false;
  };
  for (std::size_t k = 0; k < params.size(); ++k)
    if (!has_one_point(ranges[k]) && moves_alone(a, b, params[k]) && moves_alone(b, a, params[k]))
      return true;
  return false;
}

bool shifted(const Subset& a, const Subset& b, const std::vector<std::string>& params,
             const std::vector<Range>& ranges) {
  if (a.rank() != b.rank()) return false;
  if (turned(a, b, params, ranges)) return true;
  std::vector<std::size_t> moving, resting;  // parameters of dimensions that differ, that agree
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (!a[d].is_index() || !b[d].is_index()) return false;
    const auto distance = (b[d].begin - a[d].begin).as_integer();
    if (!distance) return false;
    if (*distance == 0) {
      for (std::size_t k = 0; k < params.size(); ++k)
        if (uses_symbol(a[d].begin, params[k])) resting.push_back(k);
      continue;
    }
    const auto x = single_param(a[d].begin, params);
    const auto coefficient = x ? x->affine.coefficient.as_integer() : std::nullopt;
    const auto step = x ? ranges[x->param].step.as_integer() : std::nullopt;
    if (!coefficient || !step || *distance % (*coefficient * *step) != 0) return false;
    if (has_one_point(ranges[x->param])) return false;
    moving.push_back(x->param);
  }
  std::ranges::sort(moving);
  const bool once = std::ranges::adjacent_find(moving) == moving.end();
  return !moving.empty() && once && std::ranges::none_of(resting, [&](std::size_t k) {
    return std::ranges::count(moving, k) > 0;
  });
}

}  // namespace sdfg
