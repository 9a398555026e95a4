#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/gpu.h"
#include "codegen/local_names.h"
#include "ir/analysis/scope_tree.h"
#include "ir/place.h"
#include "support/by_name.h"

namespace sdfg {

struct Lowering;

/// What code is generated for.
struct Target {
  bool openmp = false;
  const Lowering* gpu = nullptr;  ///< null: the CPU alone

  std::string extension() const;
};

/// One generated program while it is being collected: what its functions share.
struct Program {
  Program(const Sdfg& root, const Dataflows& flows, const Target& target);

  const Sdfg& root;
  const Dataflows& flows;
  const Target& target;
  std::string name;        ///< of the program, fit for C++; names the entry points
  std::string state_type;  ///< NAME_state_t
  Diagnostics errors;
  Diagnostics warnings;
  /// Some container is a reference: it may be led to what a kernel only reads, and written, so that
  /// no pointer is to constants.
  bool has_references = false;
  bool foreign_code = false;  ///< C++ of the program's own, which expects the usual names

  std::vector<std::string> types;          ///< definitions of structures, in order of need
  std::vector<std::string> functions;      ///< callees before callers
  std::vector<std::string> state_pointers; ///< fields of the state, pointers first (docs/abi.md)
  std::vector<std::string> state_fields;
  std::vector<std::string> init_lines;     ///< statements of __dace_init_NAME
  std::vector<std::string> exit_lines;     ///< statements of __dace_exit_NAME
  /// Parts of the program's block of device memory, in order, with the containers that share each.
  std::vector<MemorySlot> slots;
  std::vector<std::string> waits;  ///< where the host waits for the device, and why
  std::vector<std::string> device_memory;  ///< fields of the state that hold memory of the GPU
  std::string partial_results;  ///< one of these, for reductions of several blocks; empty: none
  std::vector<std::string> global_lines;   ///< file scope: code of tasklets and constants

  /// A container whose memory the caller supplies.
  struct External {
    Storage storage;
    std::string field, type, count;
  };
  std::vector<External> externals;

  void fail(const Place& place, std::string message, std::string hint = {});
  void warn(const Place& place, std::string message);
  /// The host reads what is on the device, so that it has to wait for it.
  void waits_for(const std::string& container, const Place& place) {
    const std::string where = place.text();
    add_once(waits, (where.empty() ? "" : where + ": ") + "it reads '" + container + "'");
  }
  /// `base`, or `base_2`, `base_3`, …: a name that nothing in the program has.
  std::string fresh_name(const std::string& base);
  /// Adds a line unless it is there already.
  static void add_once(std::vector<std::string>& lines, std::string line);
  /// The C++ name of a structure's type; its definition is added when it is new.
  std::string structure_type(const Structure& structure, const Place& place);
  /// cpp_type, with the definition of a struct type added; a failure when there is none.
  std::string type_name(const Type& type, const Place& place);
  /// "double (*f)(double, const int*)" for a callback symbol.
  std::string callback_declaration(const Type& type, const std::string& name,
                                   const Place& place);

 private:
  void take_names(const Sdfg& sdfg);
  LocalNames names_;
  NameSet defined_types_;
};

}  // namespace sdfg
