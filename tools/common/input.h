#pragma once

#include <string>

#include "ir/sdfg.h"

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

}  // namespace sdfg
