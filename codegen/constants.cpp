#include "codegen/constants.h"

#include <nlohmann/json.hpp>

#include "codegen/cpp_expr.h"

namespace sdfg {

namespace {

using Json = nlohmann::ordered_json;

/// A number, bool or string of JSON in C++; complex numbers are pairs or strings in DaCe's files.
std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
    return "UINT64_C(" + std::to_string(value.get<std::uint64_t>()) + ")";
  if (value.is_number_integer()) return cpp_integer(value.get<std::int64_t>());
  if (value.is_number_float()) return cpp_float(value.get<double>());
  if (value.is_object() && value.contains("real") && value.contains("imag")) {
    const auto real = scalar_text(value["real"]), imag = scalar_text(value["imag"]);
    if (real && imag) return "{" + *real + ", " + *imag + "}";
  }
  if (value.is_string()) {
    const auto expr = parse_python(value.get<std::string>());
    if (!expr) return std::nullopt;
    CppExpr printer;
    std::string text = printer.print(*expr);
    if (printer.problem.empty()) return text;
  }
  return std::nullopt;
}

bool flatten(const Json& value, std::string& out) {
  if (value.is_array()) {
    for (const Json& element : value)
      if (!flatten(element, out)) return false;
    return true;
  }
  const auto text = scalar_text(value);
  if (!text) return false;
  out += (out.empty() ? "" : ", ") + *text;
  return true;
}

}  // namespace

Result<std::string> constant_definition(const std::string& name, const Constant& constant) {
  const Json json = Json::parse(constant.value, nullptr, false);
  if (json.is_discarded()) return Diagnostic{"", "the constant's value is not JSON"};
  const auto type = cpp_type(constant.data.dtype);
  if (!type) return Diagnostic{"", "no C++ type for '" + constant.data.dtype.text() + "'"};
  const std::string identifier = cpp_name(name);
  if (const auto text = scalar_text(json)) {
    if (constant.data.is_scalar()) return "const " + *type + " " + identifier + " = " + *text + ";";
    return "static const " + *type + " " + identifier + "[] = {" + *text + "};";
  }
  const Json& elements = json.is_object() && json.contains("data") ? json["data"] : json;
  std::string list;
  if (!flatten(elements, list))
    return Diagnostic{"", "the constant's value is no number or array of numbers"};
  return "static const " + *type + " " + identifier + "[] = {" + list + "};";
}

}  // namespace sdfg
