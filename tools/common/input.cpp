#include "tools/common/input.h"

#include "ir/parse.h"
#include "serialize/load.h"
#include "support/file.h"
#include "support/text.h"

namespace sdfg {
namespace {

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

}  // namespace

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
    return Diagnostic{
        {}, "the input is empty", "expected SDFG JSON, plain or gzip, or the text form"};
  if (text[first] == '{' || text[first] == '[') {
    SDFG_TRY(Loaded loaded, load(std::move(bytes)));
    input.sdfg = std::move(loaded.sdfg);
    input.notes = std::move(loaded.notes);
    return input;
  }
  if (!text.substr(first).starts_with("sdfg") && !text.substr(first).starts_with("//")) {
    const std::string_view line = text.substr(first, text.find_first_of("\r\n", first) - first);
    return Diagnostic{{}, "expected SDFG JSON, plain or gzip, or the text form, found '" +
                              printable(line.substr(0, 40)) + "'"};
  }
  input.form = Form::Text;
  SDFG_TRY(input.sdfg, parse(text));
  return input;
}

Diagnostic in_file(const std::string& path, Diagnostic wrong) {
  wrong.place = path + (wrong.place.empty() ? "" : ": " + wrong.place);
  return wrong;
}

Result<NamedArrays> read_arguments(const Console& console, const std::string& path) {
  SDFG_TRY(const std::string bytes, console.read(path));
  Result<NamedArrays> recorded = read_npz(bytes);
  if (!recorded) return in_file(path, recorded.error());
  NamedArrays given;
  for (auto& [name, array] : *recorded)
    if (name.starts_with("in:")) given.emplace(name.substr(3), std::move(array));
  return given;
}

}  // namespace sdfg
