#pragma once

#include <string>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// One parameter of a program in DaCe's binary interface.
struct Argument {
  std::string name;
  const Data* data = nullptr;  ///< null: a free symbol
  Type type;                   ///< element type of a container, or the symbol's
  bool pointer = false;        ///< passed by address (all but scalars and symbols)
  bool operator==(const Argument&) const = default;
};

/// The arguments in DaCe's order: pointers sorted by name, then scalars and symbols sorted by name
/// together. Symbols are those that the generated code needs (docs/ir.md, "Free symbols"), by the
/// rule of the DaCe that wrote the SDFG, which will call it; names starting with `__dace` are never
/// arguments. The error names a free symbol without a type.
Result<std::vector<Argument>> signature(const Sdfg& sdfg);
/// What `__dace_init_NAME` takes: the free symbols only.
Result<std::vector<Argument>> init_signature(const Sdfg& sdfg);

/// Symbols that must come from outside: all that are declared or mentioned.
SymbolSet free_symbols(const Sdfg& sdfg);

/// Whose descriptors count among what code needs: DaCe counted those of all containers, and since
/// 2.0.0a9 counts those of containers that dataflow or control flow uses.
enum class Descriptors { All, OfUsed };
/// Leaves out what only descriptors and outer memlets mention (DaCe's used_symbols with
/// all_symbols=False).
SymbolSet symbols_needed_by_code(const Sdfg& sdfg, Descriptors counted = Descriptors::OfUsed);

}  // namespace sdfg
