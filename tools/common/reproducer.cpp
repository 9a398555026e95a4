#include "tools/common/reproducer.h"

#include <string_view>

namespace sdfg {
namespace {

// "# TOOL reproducer; run it with: TOOL --rerun=FILE", the arguments, this line, the input.
constexpr std::string_view end_of_arguments = "#\n";
std::string first_line(std::string_view tool) {
  return "# " + std::string(tool) + " reproducer; run it with: " + std::string(tool) +
         " --rerun=FILE\n";
}

}  // namespace

std::string print(const Reproducer& reproducer) {
  std::string out = first_line(reproducer.tool);
  for (const std::string& argument : reproducer.arguments) out += "# " + argument + "\n";
  out += end_of_arguments;
  return out + reproducer.input;
}

Result<Reproducer> parse_reproducer(const std::string& text) {
  std::string_view rest = text;
  Reproducer reproducer;
  if (rest.starts_with("# ")) reproducer.tool = rest.substr(2, rest.find(' ', 2) - 2);
  const std::string first = first_line(reproducer.tool);
  if (!rest.starts_with(first)) {
    const std::string expected = first_line("sdfg-opt");
    return Diagnostic{{}, "this is no reproducer file",
                      "they start with '" + expected.substr(0, expected.size() - 1) + "'"};
  }
  rest.remove_prefix(first.size());
  while (!rest.starts_with(end_of_arguments)) {
    const std::size_t end = rest.find('\n');
    if (!rest.starts_with("# ") || end == rest.npos)
      return Diagnostic{{}, "the list of arguments is cut off"};
    reproducer.arguments.emplace_back(rest.substr(2, end - 2));
    rest.remove_prefix(end + 1);
  }
  reproducer.input = rest.substr(end_of_arguments.size());
  return reproducer;
}

}  // namespace sdfg
