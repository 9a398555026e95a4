#include "ir/result_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sdfg {
namespace {

/// A function of so many values, and those that give its results one by one.
struct Function {
  std::string_view name;
  std::size_t values;
  std::array<std::string_view, 2> results;
};
constexpr std::array functions{
    Function{"py_divmod", 2, {"py_floor", "py_mod"}},
    Function{"np_modf", 1, {"trunc", "modf_fraction"}},
    Function{"np_frexp", 1, {"frexp_mantissa", "frexp"}},
};

}  // namespace

Statements results_assigned(const Expr& call) {
  Statements out;
  if (!call.is(Op::Call)) return out;
  const auto function = std::ranges::find(functions, call.name(), &Function::name);
  if (function == functions.end() ||
      call.args().size() != function->values + function->results.size())
    return out;
  const auto values = call.args().first(function->values);
  auto target = call.args().begin() + std::ptrdiff_t(function->values);
  for (const std::string_view result : function->results)
    out.push_back({Assign{*target++,
                          Expr::make(Op::Call, {values.begin(), values.end()}, std::string(result)),
                          {}, {}}});
  return out;
}

}  // namespace sdfg
