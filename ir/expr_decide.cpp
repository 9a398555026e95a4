#include "ir/expr_internal.h"

namespace sdfg {

Truth is_true(const Expr& condition, const Assumptions&) {
  const Expr e = simplify(condition);
  if (e.is(Op::True)) return Truth::Yes;
  if (e.is(Op::False)) return Truth::No;
  return Truth::Unknown;
}
Truth less_equal(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return is_true(compare_expr(Op::Le, a, b), assumptions);
}
Truth less(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return is_true(compare_expr(Op::Lt, a, b), assumptions);
}
Truth equal(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return is_true(compare_expr(Op::Eq, a, b), assumptions);
}

}  // namespace sdfg
