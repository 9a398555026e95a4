#include "passes/common/symbol_entries.h"

#include <charconv>

#include "support/file.h"
#include "support/json_tree.h"

namespace sdfg {
namespace {

using json::Value;

bool read_number(std::string_view text, std::int64_t& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

/// Truth values are 0 and 1.
std::optional<std::int64_t> integer(Value value) {
  if (value.is_bool()) return value.is(json::Kind::True);
  std::int64_t number = 0;
  if (value.is_number() && read_number(value.raw(), number)) return number;
  return std::nullopt;
}

/// "NAME": VALUE, or "NAME": {"value": VALUE} under `arguments`, and constants. What is no integer
/// is no symbol's.
Status read_arguments(const std::string& path, Value root, SymbolValues& out) {
  const auto read = [&](Value described) {
    for (const Value entry : described) {
      const Value nested = entry.is_object() ? entry.find("value") : Value();
      if (const auto value = integer(nested.valid() ? nested : entry)) out[entry.key()] = *value;
    }
  };
  const std::size_t before = out.size();
  bool described = false;
  for (const char* under : {"constant_symbols", "arguments"})
    if (const Value part = root.find(under); part.valid() && part.is_object())
      read(part), described = true;
  if (!described) read(root);
  if (!described && out.size() == before && root.size() > 0)
    return Diagnostic{path, "no value in it is an integer",
                      "give symbols and their values, either as the whole file, or under "
                      "\"arguments\" or \"constant_symbols\""};
  return Ok{};
}

Status read_constants(const std::string& path, Value root, SymbolValues& out) {
  const Value named = root.find("constant_symbols");
  const Value values = named.valid() ? named : root;
  if (!values.is_object())
    return Diagnostic{path, "expected an object of integers under \"constant_symbols\""};
  for (const Value value : values) {
    const auto number = integer(value);
    if (!number)
      return Diagnostic{path, "the value of '" + value.key() +
                                  "' is no integer: " + std::string(value.raw())};
    out[value.key()] = *number;
  }
  return Ok{};
}

Status read_file_of(const std::string& path, SymbolFile kind, SymbolValues& out) {
  SDFG_TRY(const std::string text, read_file(path));
  const Result<json::Tree> tree = json::Tree::parse(text);
  if (!tree || !tree->root().is_object())
    return Diagnostic{path, "expected a JSON object of symbols and their values",
                      kind == SymbolFile::Constants
                          ? "either the whole file, or under \"constant_symbols\""
                          : "either the whole file, or under \"arguments\""};
  if (kind == SymbolFile::Constants) return read_constants(path, tree->root(), out);
  return read_arguments(path, tree->root(), out);
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
    if (!read_number(std::string_view(entry).substr(equals + 1), value) || equals == 0)
      return Diagnostic{{}, "expected NAME=INTEGER, found '" + entry + "'"};
    out[entry.substr(0, equals)] = value;
  }
  return out;
}

}  // namespace sdfg
