#pragma once

#include <string>
#include <vector>

#include "codegen/sdfg_function.h"
#include "ir/library_node.h"
#include "support/by_name.h"

namespace sdfg {

/// What a connector of a library node is bound to.
struct LibraryPort {
  EdgeId edge;
  Binding binding;
  Subset subset;
  bool input = false;
  std::string type, pointer;  ///< element type; address of the subset's first element
  std::vector<Expr> sizes, strides;

  /// The dimensions whose size is not 1.
  std::vector<std::size_t> wide() const;
};
/// Which dimensions a reduction keeps, of its input and its output in order, and which it goes
/// over.
struct ReducedDimensions {
  std::vector<std::size_t> kept, out, gone;
};
/// Is there code for memory of the GPU? Other operations run on the host, on copies.
bool has_device_code(const LibraryOperation& operation);
/// The field of the program's state with device memory for what several blocks leave of one result.
const std::string& partial_results(Program& program);
using LibraryPorts = ByName<LibraryPort>;

}  // namespace sdfg
