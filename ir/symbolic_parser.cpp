#include "ir/expr_parser.h"
#include "support/text.h"

namespace sdfg {

Result<Expr> parse_symbolic(std::string_view text, Dialect dialect) {
  // PLAIN text that mentions the undefined value anywhere is undefined.
  if (dialect == Dialect::Plain && text.find('?') != std::string_view::npos)
    return Expr::leaf(Op::Constant, "?");
  using detail::Grammar;
  detail::ExprParser parser(text, dialect == Dialect::Plain ? Grammar::Plain : Grammar::Typed);
  const Expr e = parser.expression();
  parser.expect_end();
  if (parser.failed()) return parser.error();
  return simplify(e);
}

}  // namespace sdfg
