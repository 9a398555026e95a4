#include "passes/common/total.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ir/analysis/propagate.h"

namespace sdfg {
namespace {

bool is_nonzero(const Expr& e) {
  const auto value = simplify(e).as_integer();
  return value && *value != 0;
}

/// What a function divides integers by; null: it does not.
const Expr* divisor_of(const Expr& call) {
  constexpr std::array<std::string_view, 6> dividing{"Modulo",    "cpp_mod",  "int_floor_ni",
                                                     "py_divmod", "py_floor", "py_mod"};
  if (call.args().size() >= 2 && std::ranges::count(dividing, call.name())) return &call.arg(1);
  return call.args().size() == 1 && call.name() == "reciprocal" ? &call.arg(0) : nullptr;
}

/// Of the operation alone.
bool is_total_here(const Expr& e, const TypeTable& types) {
  const auto any_float = [&] {
    return std::ranges::any_of(e.args(),
                               [&](const Expr& a) { return type_of(a, types).is_float(); });
  };
  switch (e.op()) {
    case Op::Div: case Op::FloorDiv: case Op::CeilDiv: case Op::Mod:
      return is_nonzero(e.arg(1)) || any_float();
    case Op::Call: {
      const Expr* divisor = divisor_of(e);
      return !divisor || is_nonzero(*divisor) || any_float();
    }
    case Op::Pow: {
      const auto power = simplify(e.arg(1)).as_integer();
      return !power || *power >= 0 || is_nonzero(e.arg(0)) || any_float();
    }
    case Op::LeftShift: case Op::RightShift: {
      const auto bits = simplify(e.arg(1)).as_integer();
      return bits && *bits >= 0 && *bits < 32;
    }
    default: return true;
  }
}

struct StatementsAreTotal {
  const TypeTable& types;

  bool all(const Statements& statements) const {
    return std::ranges::all_of(statements,
                               [&](const Statement& s) { return std::visit(*this, s.kind); });
  }
  bool operator()(const Assign& s) const {
    return is_total(s.target, types) && is_total(s.value, types) &&
           (!s.augmented || is_total_here(Expr::make(*s.augmented, {s.target, s.value}), types));
  }
  bool operator()(const ExprStatement& s) const { return is_total(s.value, types); }
  bool operator()(const IfStatement& s) const {
    return is_total(s.condition, types) && all(s.then) && all(s.otherwise);
  }
  bool operator()(const WhileStatement&) const { return false; }  // it might never end
  bool operator()(const ForStatement& s) const {
    // With a step of 0 it never ends.
    const bool steps = s.iterable.is(Op::Call) && s.iterable.args().size() == 3;
    return is_total(s.iterable, types) && (!steps || is_nonzero(s.iterable.arg(2))) && all(s.body);
  }
  bool operator()(const ReturnStatement& s) const { return !s.value || is_total(*s.value, types); }
  bool operator()(const PassStatement&) const { return true; }
  bool operator()(const BreakStatement&) const { return true; }
  bool operator()(const ContinueStatement&) const { return true; }
};

}  // namespace

bool is_total(const Expr& expr, const TypeTable& types) {
  return is_total_here(expr, types) &&
         std::ranges::all_of(expr.args(), [&](const Expr& a) { return is_total(a, types); });
}

bool is_total(const Subset& subset) {
  return std::ranges::all_of(subset.ranges, [](const Range& r) {
    return is_total(r.begin) && is_total(r.end) && is_total(r.step) && is_total(r.tile);
  });
}

bool is_total(const Code& code, const TypeTable& types) {
  if (code.language() != Language::Python)
    return code.text().find_first_of("/%") == std::string::npos;
  const Statements* statements = code.statements();
  if (!statements) return code.expr() && is_total(*code.expr(), types);
  return StatementsAreTotal{types}.all(*statements);
}

namespace {
/// Of all indices of a connector that is given the subset.
bool indexes_inside(const Code& code, std::string_view connector, const Subset& subset,
                    const Assumptions& known) {
  Subset whole;
  for (std::size_t d : wide_dimensions(subset))
    whole.ranges.push_back(Range::half_open(0, subset[d].size()));
  if (whole.ranges.empty()) whole.ranges.push_back(Range::index(0));
  bool inside = true;
  rewrite(code, [&](const Expr& e) {
    if (!e.is(Op::Subscript) || !e.arg(0).is_symbol(connector)) return e;
    std::vector<Expr> element;
    for (const Expr& index : e.args().subspan(1)) element.push_back(simplify(index));
    inside = inside && element.size() == whole.rank() &&
             certain(covers(whole, Subset::index(std::move(element)), known));
    return e;
  });
  return inside;
}
}  // namespace

bool stays_inside(const Sdfg& sdfg, const State& state, NodeId tasklet,
                  const Assumptions& known) {
  const Code& code = state.get<Tasklet>(tasklet).code;
  const bool indexes = code.text().find('[') != std::string::npos;
  if (indexes && !code.statements()) return false;
  const auto inside = [&](EdgeId e, std::string_view connector) {
    if (state[e].memlet.empty()) return true;
    const Data* data = sdfg.find_data(state[e].memlet.data);
    const auto& subset = state[e].memlet.subset();
    return data && subset && certain(covers(all_elements(*data), *subset, known)) &&
           (!indexes || indexes_inside(code, connector, *subset, known));
  };
  return std::ranges::all_of(state.in(tasklet),
                             [&](EdgeId e) { return inside(e, state[e].dst_connector); }) &&
         std::ranges::all_of(state.out(tasklet),
                             [&](EdgeId e) { return inside(e, state[e].src_connector); });
}

bool has_total_layout(const Data& data) {
  const auto total = [](const Expr& e) { return is_total(e); };
  const Array* array = data.as_array();
  return !array || (std::ranges::all_of(array->strides, total) &&
                    std::ranges::all_of(array->offset, total) && total(array->start_offset));
}

}  // namespace sdfg
