#include "tools/common/input.h"

#include "ir/parse.h"
#include "serialize/load.h"
#include "support/file.h"
#include "support/text.h"

namespace sdfg {

Result<Input> read_input(std::string bytes) {
  Input input;
  input.compressed = is_gzip(bytes);
  if (input.compressed) {
    SDFG_TRY(bytes, gunzip(bytes));
  }
  input.bytes = bytes.size();
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos)
    return Diagnostic{{}, "the input is empty", "expected SDFG JSON, plain or gzip, or the text form"};
  if (text[first] == '{' || text[first] == '[') {
    SDFG_TRY(Loaded loaded, load(std::move(bytes)));
    input.sdfg = std::move(loaded.sdfg);
    input.notes = std::move(loaded.notes);
    return input;
  }
  input.form = Form::Text;
  SDFG_TRY(input.sdfg, parse(text));
  return input;
}

}  // namespace sdfg
