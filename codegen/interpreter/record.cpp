#include "codegen/interpreter/record.h"

#include <algorithm>
#include <cstring>

namespace sdfg::interpreter {

const Record::Member* Record::find(std::string_view member) const {
  const auto found = std::ranges::find(members, member, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

std::optional<Record> layout_of(const Type& type) {
  if (type.base() != BaseType::Struct) return std::nullopt;
  Record record{type.compound().name, {}, 0};
  const auto align = [&](std::int64_t to) { record.size = (record.size + to - 1) / to * to; };
  std::int64_t alignment = 1;
  for (const auto& [name, member] : type.compound().members) {
    if (!is_supported(member.base())) return std::nullopt;
    const std::int64_t bytes = *member.bytes();
    const std::int64_t own = member.is_complex() ? bytes / 2 : bytes;
    alignment = std::max(alignment, own);
    align(own);
    record.members.push_back({name, member.base(), record.size});
    record.size += bytes;
  }
  align(alignment);
  record.size = std::max<std::int64_t>(record.size, 1);
  return record;
}

void assign(Number* variable, Number value, const Record* record) {
  if (record)
    std::memmove(variable->record, value.record, std::size_t(record->size));
  else
    *variable = value;
}

}  // namespace sdfg::interpreter
