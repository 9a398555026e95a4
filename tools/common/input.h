#pragma once

#include <string>

#include "codegen/array.h"
#include "ir/sdfg.h"
#include "tools/common/console.h"

namespace sdfg {

/// What a file was recognised as, by its first bytes.
enum class Form { Json, Text };

struct Input {
  Sdfg sdfg;
  Form form = Form::Json;
  bool compressed = false;
  std::size_t bytes = 0;  ///< uncompressed
  Diagnostics notes;      ///< what was old or doubtful in the file
};

/// Reads JSON or the text form, compressed or not.
Result<Input> read_input(std::string bytes);

/// What is wrong in a file, with the file's name before the place.
Diagnostic in_file(const std::string& path, Diagnostic wrong);

/// The `in:` entries of a file that --run names, under the names of the arguments.
Result<NamedArrays> read_arguments(const Console& console, const std::string& path);

}  // namespace sdfg
