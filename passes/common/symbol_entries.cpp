#include "passes/common/symbol_entries.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "support/file.h"

namespace sdfg {
namespace {

/// Truth values are 0 and 1.
std::optional<std::int64_t> integer(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

/// "NAME": VALUE, or "NAME": {"value": VALUE} under `arguments`. What is no integer is no symbol's.
void read_arguments(const nlohmann::json& json, SymbolValues& out) {
  const bool described = json.contains("arguments") && json["arguments"].is_object();
  for (const auto& [name, entry] : (described ? json["arguments"] : json).items()) {
    const bool nested = entry.is_object() && entry.contains("value");
    if (const auto value = integer(nested ? entry["value"] : entry)) out[name] = *value;
  }
}

Status read_constants(const std::string& path, const nlohmann::json& json, SymbolValues& out) {
  const bool named = json.contains("constant_symbols");
  const nlohmann::json& values = named ? json["constant_symbols"] : json;
  if (!values.is_object())
    return Diagnostic{path, "expected an object of integers under \"constant_symbols\""};
  for (const auto& [name, value] : values.items()) {
    const auto number = integer(value);
    if (!number)
      return Diagnostic{path, "the value of '" + name + "' is no integer: " + value.dump()};
    out[name] = *number;
  }
  return Ok{};
}

Status read_file_of(const std::string& path, SymbolFile kind, SymbolValues& out) {
  SDFG_TRY(const std::string text, read_file(path));
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return Diagnostic{path, "expected a JSON object of symbols and their values",
                      kind == SymbolFile::Constants
                          ? "either the whole file, or under \"constant_symbols\""
                          : "either the whole file, or under \"arguments\""};
  if (kind == SymbolFile::Constants) return read_constants(path, json, out);
  read_arguments(json, out);
  return Ok{};
}

}  // namespace

Result<SymbolValues> read_symbol_entries(const std::vector<std::string>& entries, SymbolFile kind) {
  SymbolValues out;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      if (const Status status = read_file_of(entry, kind, out); !status) return status.error();
      continue;
    }
    std::int64_t value = 0;
    const char* const end = entry.data() + entry.size();
    const auto [stopped, error] = std::from_chars(entry.data() + equals + 1, end, value);
    if (error != std::errc() || stopped != end || equals == 0)
      return Diagnostic{{}, "expected NAME=INTEGER, found '" + entry + "'"};
    out[entry.substr(0, equals)] = value;
  }
  return out;
}

}  // namespace sdfg
