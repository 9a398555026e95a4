#include <nlohmann/json.hpp>

#include "codegen/cpp_expr.h"
#include "codegen/program.h"

namespace sdfg {

namespace {

using Json = nlohmann::ordered_json;

/// The scalar type and whether it is an array, of one argument or result in DaCe's JSON.
std::optional<std::pair<std::string, bool>> callback_type(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || json.is_null()) return std::nullopt;
  const auto scalar = [](const Json& name) -> std::optional<std::string> {
    if (!name.is_string()) return std::nullopt;
    const auto type = Type::scalar_from_text(name.get<std::string>());
    return type ? cpp_type(*type) : std::nullopt;
  };
  if (auto type = scalar(json)) return std::pair{*type, false};
  if (json.is_object() && json.contains("attributes") && json["attributes"].is_object())
    // A descriptor; one that leaves out its type has DaCe's default.
    if (auto type = scalar(json["attributes"].value("dtype", Json("int32"))))
      return std::pair{*type, json.value("type", "") != "Scalar"};
  return std::nullopt;
}

}  // namespace

std::string Program::callback_declaration(const Type& type, const std::string& identifier,
                                          const Place& place) {
  const CompoundType& callback = type.compound();
  std::string result = "void", parameters;
  const auto add = [&](const std::string& text) {
    parameters += (parameters.empty() ? "" : ", ") + text;
  };
  for (const std::string& argument : callback.arguments) {
    if (argument == "null") continue;
    const auto found = callback_type(argument);
    if (!found) {
      fail(place, "the callback '" + identifier + "' takes something that has no C++ type here");
      continue;
    }
    add(found->first + (found->second ? " const*" : ""));
  }
  const bool one = callback.results.size() == 1;
  for (const std::string& text : callback.results) {
    if (text == "null") continue;
    const auto found = callback_type(text);
    if (!found) {
      fail(place, "the callback '" + identifier + "' returns something that has no C++ type here");
      continue;
    }
    if (one && !found->second)
      result = found->first;
    else
      add(found->first + (found->second ? " const*" : "*"));
  }
  return result + " (*" + identifier + ")(" + parameters + ")";
}

}  // namespace sdfg
