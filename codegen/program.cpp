#include "codegen/program.h"

#include <algorithm>

#include "codegen/cpp_expr.h"
#include "ir/walk.h"

namespace sdfg {

Program::Program(const Sdfg& sdfg, const Dataflows& all_flows, const Target& for_target)
    : root(sdfg),
      flows(all_flows),
      target(for_target),
      name(sdfg.name),
      state_type(sdfg.name + "_state_t") {
  for_each_sdfg(root, [&](const Sdfg& any) {
    take_names(any);
    for (const auto& [container, data] : any.arrays) has_references |= data.is_reference();
  });
}

void Program::take_names(const Sdfg& sdfg) {
  for (const auto& [container, data] : sdfg.arrays) names_.insert(cpp_name(container));
  for (const auto& [symbol, type] : sdfg.symbols) names_.insert(cpp_name(symbol));
  for (const auto& [constant, value] : sdfg.constants) names_.insert(cpp_name(constant));
}

void Program::fail(const Place& place, std::string message, std::string hint) {
  errors.push_back({.place = place.text(), .message = std::move(message), .hint = std::move(hint)});
}

void Program::warn(const Place& place, std::string message) {
  warnings.push_back(
      {.place = place.text(), .message = std::move(message), .severity = Severity::Warning});
}

std::string Program::fresh_name(const std::string& base) {
  std::string candidate = cpp_function_name(base);
  if (candidate.empty() || (candidate[0] >= '0' && candidate[0] <= '9'))
    candidate = "_" + candidate;
  for (char& c : candidate)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  return names_.fresh(candidate);
}

void Program::add_once(std::vector<std::string>& lines, std::string line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

std::string Program::structure_type(const Structure& structure, const Place& place) {
  const std::string type = cpp_name(structure.name);
  if (!defined_types_.insert(type).second) return type;
  std::string text = "struct " + type + " {\n";
  for (const auto& [member, value] : structure.members) {
    const auto* data = std::get_if<Box<Data>>(&value);
    if (!data) continue;
    std::string field;
    if (const auto* inner = std::get_if<Structure>(&(*data)->kind))
      field = structure_type(*inner, place) + "*";
    else
      field = type_name((*data)->dtype, place) + ((*data)->is_scalar() ? "" : "*");
    text += "  " + field + " " + cpp_name(member) + ";\n";
  }
  types.push_back(text + "};");
  return type;
}

std::string Program::type_name(const Type& type, const Place& place) {
  if (type.base() == BaseType::Struct) {
    const CompoundType& compound = type.compound();
    const std::string struct_name = cpp_name(compound.name);
    if (defined_types_.insert(struct_name).second) {
      std::string text = "struct " + struct_name + " {\n";
      for (const auto& [member, member_type] : compound.members)
        text += "  " + type_name(member_type, place) + " " + cpp_name(member) + ";\n";
      types.push_back(text + "};");
    }
    return struct_name;
  }
  if (type.is_pointer() && type.element().base() == BaseType::Struct)
    return type_name(type.element(), place) + "*";
  if (auto text = cpp_type(type)) return *text;
  fail(place, "no C++ type for '" + type.text() + "' on this target");
  return "int";
}

}  // namespace sdfg
