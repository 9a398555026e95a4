#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/interpreter/value.h"

namespace sdfg::interpreter {

/// A structure (dace.struct) as C++ lays it out. A value of one is the address of such memory:
/// valid until the expression that gave it runs again or what it read from is written, so whoever
/// keeps it longer copies it (`assign`).
struct Record {
  struct Member {
    std::string name;
    BaseType type;
    std::int64_t offset;  ///< in bytes
  };
  std::string name;
  std::vector<Member> members;
  std::int64_t size = 0;  ///< in bytes, as sizeof has it

  const Member* find(std::string_view member) const;
  const Member* at(std::size_t position) const {
    return position < members.size() ? &members[position] : nullptr;
  }
};

/// The layout of a structure type; nothing for other types, and where a member is no number.
std::optional<Record> layout_of(const Type& type);

/// Stores a value in a variable; `record` is the layout of a structure, null for numbers.
void assign(Number* variable, Number value, const Record* record);

}  // namespace sdfg::interpreter
