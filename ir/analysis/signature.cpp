#include "ir/analysis/signature.h"

#include <algorithm>

#include "ir/dace_version.h"
#include "ir/place.h"

namespace sdfg {
namespace {

Argument argument_of(const std::string& name, const Data& data) {
  Argument argument{name, &data, data.dtype, true};
  if (data.is_scalar()) argument.pointer = data.storage == Storage::GpuGlobal;
  // The descriptor's type of a structure is a pointer already.
  if (data.is_structure() && data.dtype.is_pointer()) argument.type = data.dtype.element();
  return argument;
}

/// By the rule of the DaCe that wrote the SDFG; an SDFG of our own is for 2.0.0a6.
Descriptors counted(const Sdfg& sdfg) {
  const auto version = parse_dace_version(sdfg.dace_version);
  return version >= DaceVersion::alpha(9) ? Descriptors::OfUsed : Descriptors::All;
}

void sort_by_name(std::vector<Argument>& arguments) {
  std::ranges::sort(arguments, {}, &Argument::name);
}

}  // namespace

Result<std::vector<Argument>> init_signature(const Sdfg& sdfg) {
  std::vector<Argument> symbols;
  for (const std::string& name : symbols_needed_by_code(sdfg, counted(sdfg))) {
    if (name.starts_with("__dace")) continue;
    const auto type = sdfg.symbols.find(name);
    if (type == sdfg.symbols.end())
      return Diagnostic{Place().in("sdfg " + sdfg.name).text(),
                        "symbol '" + name + "' is used but not declared, so its type is unknown",
                        "declare it among the SDFG's symbols"};
    symbols.push_back({name, nullptr, type->second, false});
  }
  return symbols;
}

Result<std::vector<Argument>> signature(const Sdfg& sdfg) {
  SDFG_TRY(std::vector<Argument> values, init_signature(sdfg));
  std::vector<Argument> arguments;
  for (const auto& [name, data] : sdfg.arrays) {
    if (data.transient) continue;
    if (!data.is_scalar())
      arguments.push_back(argument_of(name, data));
    else if (!name.starts_with("__dace"))
      values.push_back(argument_of(name, data));
  }
  sort_by_name(arguments);
  sort_by_name(values);
  arguments.insert(arguments.end(), values.begin(), values.end());
  return arguments;
}

}  // namespace sdfg
