#include "passes/simplify/substitute_symbols.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "ir/analysis/signature.h"
#include "passes/common/bind_symbols.h"
#include "support/file.h"

namespace sdfg {
namespace {

using Values = std::map<std::string, std::int64_t>;

Status read_values(const std::string& path, Values& out) {
  SDFG_TRY(const std::string text, read_file(path));
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("constant_symbols")) json = json["constant_symbols"];
  if (!json.is_object())
    return Diagnostic{path, "expected a JSON object of symbols and their values",
                      "either the whole file, or under \"constant_symbols\""};
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number_integer())
      return Diagnostic{path, "the value of '" + name + "' is no integer: " + value.dump()};
    out[name] = value.get<std::int64_t>();
  }
  return Ok{};
}

Status read_entry(const std::string& entry, Values& out) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string::npos) return read_values(entry, out);
  std::int64_t value = 0;
  const char* const end = entry.data() + entry.size();
  const auto [stopped, error] = std::from_chars(entry.data() + equals + 1, end, value);
  if (error != std::errc() || stopped != end || equals == 0)
    return Diagnostic{{}, "expected NAME=INTEGER, found '" + entry + "'"};
  out[entry.substr(0, equals)] = value;
  return Ok{};
}

}  // namespace

Result<Changed> SubstituteSymbols::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  Values values;
  for (const std::string& entry : options.symbols)
    if (const Status status = read_entry(entry, values); !status) return status.error();
  Substitution constants;
  const SymbolSet used = free_symbols(sdfg);
  for (const auto& [name, value] : values) {
    std::string why = cannot_bind(sdfg, name);
    if (why.empty() && !sdfg.symbols.contains(name) && !used.contains(name))
      why = "the program has no such symbol";
    if (!why.empty()) {
      context.refused({}, "'" + name + "' is not replaced by " + std::to_string(value) + ": " + why);
      continue;
    }
    if (!context.may_apply()) break;
    context.applied({}, "'" + name + "' is " + std::to_string(value));
    constants.emplace(name, Expr(value));
  }
  bind_symbols(sdfg, constants);
  return constants.empty() ? Changed::No : Changed::Yes;
}

}  // namespace sdfg
