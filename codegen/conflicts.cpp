#include "codegen/sdfg_function.h"

namespace sdfg {

bool SdfgFunction::conflicts(At& at, const Binding& target, const Subset& subset) const {
  if (target.own) return false;
  if (target.shared) return true;
  // Two iterations of the parallel maps around write different elements if each parallel parameter
  // sits in a dimension of its own that nothing else in the scope moves.
  for (const std::string& param : at.parallel_params) {
    if (target.private_to.contains(param)) continue;
    bool separate = false;
    for (const Range& r : subset.ranges) {
      const auto affine = match_affine(r.begin, param);
      if (!affine || affine->coefficient.as_integer() == 0 || !affine->coefficient.as_integer())
        continue;
      bool alone = true;
      for (const std::string& symbol : free_symbols(affine->rest))
        alone &= !at.params.contains(symbol);
      const auto width = (r.end - r.begin).as_integer();
      if (alone && width && *width >= 0 && *width < std::abs(*affine->coefficient.as_integer()))
        separate = true;
    }
    if (!separate) return true;
  }
  return false;
}

std::string SdfgFunction::reduction_operator(const Code& wcr, const Type& type,
                                             const Place& place) {
  switch (detect_reduction(wcr)) {
    case Reduction::Min: return "sdfg::Min{}";
    case Reduction::Max: return "sdfg::Max{}";
    case Reduction::Sum: return "sdfg::Sum{}";
    case Reduction::Product: return "sdfg::Product{}";
    case Reduction::LogicalAnd: return "sdfg::LogicalAnd{}";
    case Reduction::BitAnd: return "sdfg::BitAnd{}";
    case Reduction::LogicalOr: return "sdfg::LogicalOr{}";
    case Reduction::BitOr: return "sdfg::BitOr{}";
    case Reduction::LogicalXor: return "sdfg::LogicalXor{}";
    case Reduction::BitXor: return "sdfg::BitXor{}";
    case Reduction::Exchange: return "sdfg::Exchange{}";
    case Reduction::Sub: return "sdfg::Sub{}";
    case Reduction::Div: return "sdfg::Div{}";
    default: break;
  }
  const Expr* lambda = wcr.expr();
  if (!lambda || !lambda->is(Op::Lambda) || lambda->args().size() != 3) {
    fail(place, "the write-conflict resolution `" + wcr.text() + "` is no lambda of two values");
    return "sdfg::Exchange{}";
  }
  CppExpr printer;
  const std::string body = printer.print(lambda->arg(2));
  if (!printer.problem.empty()) fail(place, printer.problem);
  const std::string t = type_name(type, place);
  return "[&](const " + t + "& " + cpp_name(lambda->arg(0).name()) + ", const " + t + "& " +
         cpp_name(lambda->arg(1).name()) + ") -> " + t + " { return " + body + "; }";
}

std::string SdfgFunction::update(At& at, EdgeId edge, const Binding& target, const Subset& subset,
                                 const std::string& address, const std::string& value) {
  const Memlet& memlet = at.state[edge].memlet;
  const Type& type = target.data->dtype;
  const Place place = at.edge_place(edge);
  const bool atomic = at.where.parallel && !memlet.wcr_nonatomic && conflicts(at, target, subset);
  const std::string op = reduction_operator(*memlet.wcr, type, place);
  return (atomic ? "sdfg::update_atomic(" : "sdfg::update(") + address + ", " +
         type_name(type, place) + "(" + value + "), " + op + ");";
}

}  // namespace sdfg
