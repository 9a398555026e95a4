#include <algorithm>

#include "ir/analysis/free_symbols.h"
#include "ir/expr_symbols.h"
#include "ir/verify_context.h"

// Out-of-bounds accesses that are certain. A memlet in a map is evaluated for every point of the
// map's ranges, so an index that is affine in the parameters takes its largest value at a corner of
// the ranges. When that corner is surely visited if any point is, and the index minus the extent is
// a constant there, the constant decides. What this cannot decide is left to the interpreter's
// checks. A subset that is empty, or in a map that is, touches nothing wherever it lies.

namespace sdfg::detail {
namespace {

using Bound = std::optional<Expr>;
constexpr std::string_view way_out = "change the subset, or set `allow_oob`";

class BoundsRules {
 public:
  BoundsRules(const StateScope& s, EdgeId id, Findings& findings)
      : s_(s),
        id_(id),
        memlet_(s.state[id].memlet),
        names_around_(names_around(s, id)),
        findings_(findings) {}

  void verify() {
    if (memlet_.subset()) subset(*memlet_.subset(), memlet_.data);
    const NodeId other =
        memlet_.data_is_src ? s_.path_target[id_.value] : s_.path_source[id_.value];
    if (const auto* access = s_.state[other].as<AccessNode>(); access && memlet_.other_subset())
      subset(*memlet_.other_subset(), access->data);
  }

 private:
  void subset(const Subset& subset, const std::string& name) {
    const Data* data = s_.find_data(name);
    if (!data) return;
    const std::vector<Expr>* offset = offset_of(*data);
    for (std::size_t d = 0; d < subset.rank() && d < data->shape.size(); ++d) {
      Expr low = subset[d].begin, high = subset[d].end;
      if (const auto step = subset[d].step.as_integer(); step && *step < 0) std::swap(low, high);
      const Expr shift = offset && d < offset->size() ? (*offset)[d] : Expr(0);
      const Expr& extent = data->shape[d];
      if (!keeps_name(low, shift, Expr(0))) {
        const Bound least = constant_extreme(low + shift, false);
        if (least && least->value() < 0) report(subset, name, d, low, *least, "below 0");
      }
      if (!keeps_name(high, shift, extent)) {
        const Bound most = constant_extreme(high + shift - extent, true);
        if (most && most->value() >= 0)
          report(subset, name, d, high, *most + extent, "beyond " + to_text(extent - 1));
      }
    }
  }

  /// Does a name stay in the sum whatever the scopes put in for their parameters, so that it is no
  /// constant: one that neither the other two nor a scope have?
  bool keeps_name(const Expr& a, const Expr& b, const Expr& c) const {
    const std::uint64_t of_a = name_bits(a), of_b = name_bits(b), of_c = name_bits(c);
    return ((of_a ^ of_b ^ of_c) & ~(of_a & of_b & of_c) & ~names_around_) != 0;
  }
  /// The names of parameters and ranges of the scopes around the edge.
  static std::uint64_t names_around(const StateScope& s, EdgeId id) {
    std::uint64_t names = 0;
    for (NodeId at = s.tree.parent_of(s.state.target(id)); at; at = s.tree.parent_of(at)) {
      const auto* map = s.state[at].as<MapEntry>();
      if (!map) continue;
      for (const std::string& param : map->params) names |= name_bit(param);
      for (const Range& range : map->ranges) names |= name_bits(range.begin) | name_bits(range.end);
    }
    return names;
  }

  void report(const Subset& subset, const std::string& name, std::size_t d, const Expr& index,
              const Expr& value, std::string where) {
    if (touches_nothing(subset)) return;
    std::string message = "[" + to_text(subset) + "] leaves '" + name + "' of shape [" +
                          shape(name) + "] in dimension " + std::to_string(d) + ": ";
    message += to_text(index);
    if (index != value) message += " reaches " + to_text(value);
    message += ", which is " + std::move(where);
    const Place place = Place().edge(s_.state, id_);
    if (memlet_.dynamic || findings_.may_not_run())
      findings_.warning(place, std::move(message));
    else
      findings_.error(place, std::move(message), std::string(way_out));
  }
  /// Is the subset empty, or never evaluated because a map around it is?
  bool touches_nothing(const Subset& subset) const {
    const auto is_empty = [](const Range& range) {
      const auto size = range.size().as_integer();
      return size && *size <= 0;
    };
    if (std::ranges::any_of(subset.ranges, is_empty)) return true;
    for (NodeId at = s_.tree.parent_of(s_.state.target(id_)); at; at = s_.tree.parent_of(at))
      if (const auto* map = s_.state[at].as<MapEntry>();
          map && std::ranges::any_of(map->ranges, is_empty))
        return true;
    return false;
  }
  std::string shape(const std::string& name) const {
    std::string text;
    for (const Expr& extent : s_.find_data(name)->shape)
      text += (text.empty() ? "" : ", ") + to_text(extent);
    return text;
  }

  /// The largest (or smallest) value of an expression over the scopes around, if it is an integer
  /// and certainly taken.
  Bound constant_extreme(Expr value, bool largest) const {
    if (value.is(Op::Integer)) return value;
    NodeId scope = s_.tree.parent_of(s_.state.target(id_));
    for (; scope && !value.is(Op::Integer); scope = s_.tree.parent_of(scope)) {
      const auto* map = s_.state[scope].as<MapEntry>();
      if (!map) continue;
      for (std::size_t i = 0; i < map->params.size() && i < map->ranges.size(); ++i) {
        const std::string& param = map->params[i];
        if (!uses_symbol(value, param)) continue;
        const auto affine = match_affine(value, param);
        const auto factor = affine ? affine->coefficient.as_integer() : std::nullopt;
        if (!factor || !independent(scope, param)) return std::nullopt;
        const Range& range = map->ranges[i];
        const bool at_end = (*factor > 0) == largest;
        if (at_end && range.step != Expr(1)) return std::nullopt;
        value = affine->coefficient * (at_end ? range.end : range.begin) + affine->rest;
      }
    }
    return value.is(Op::Integer) ? Bound(value) : std::nullopt;
  }

  /// Is every value of the parameter taken together with some point of the scopes further in?
  bool independent(NodeId scope, const std::string& param) const {
    for (NodeId at = s_.tree.parent_of(s_.state.target(id_)); at; at = s_.tree.parent_of(at)) {
      const auto* map = s_.state[at].as<MapEntry>();
      if (!map) return false;
      for (const Range& range : map->ranges)
        if (uses_symbol(range.begin, param) || uses_symbol(range.end, param) ||
            uses_symbol(range.step, param))
          return false;
      if (at == scope) return true;
    }
    return false;
  }

  const StateScope& s_;
  EdgeId id_;
  const Memlet& memlet_;
  std::uint64_t names_around_;
  Findings& findings_;
};

}  // namespace

void verify_bounds(const StateScope& scope, EdgeId edge, Findings& findings) {
  BoundsRules(scope, edge, findings).verify();
}

}  // namespace sdfg::detail

namespace sdfg {

bool is_out_of_bounds(const Diagnostic& finding) { return finding.hint == detail::way_out; }

}  // namespace sdfg
