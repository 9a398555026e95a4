#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/by_name.h"
#include "support/result.h"

namespace sdfg {

using SymbolValues = ByName<std::int64_t>;

/// What JSON files of symbols may hold.
enum class SymbolFile {
  Constants,  ///< an object of integers and truth values, itself or under `constant_symbols`
  Arguments   ///< also objects with a `value` under `arguments`; what is no integer is skipped
};

/// Reads an option whose entries are NAME=INTEGER or paths of JSON files; later entries win.
Result<SymbolValues> read_symbol_entries(const std::vector<std::string>& entries, SymbolFile kind);

}  // namespace sdfg
