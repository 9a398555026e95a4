#include "tools/common/reproducer.h"

#include <string_view>

namespace sdfg {
namespace {

constexpr std::string_view magic = "# sdfg-opt reproducer; run it with: sdfg-opt --rerun=FILE\n";
constexpr std::string_view end_of_arguments = "#\n";

}  // namespace

std::string print(const Reproducer& reproducer) {
  std::string out(magic);
  for (const std::string& argument : reproducer.arguments) out += "# " + argument + "\n";
  out += end_of_arguments;
  return out + reproducer.input;
}

Result<Reproducer> parse_reproducer(const std::string& text) {
  std::string_view rest = text;
  if (!rest.starts_with(magic))
    return Diagnostic{{}, "this is no reproducer file", "they start with '" +
                      std::string(magic.substr(0, magic.size() - 1)) + "'"};
  rest.remove_prefix(magic.size());
  Reproducer reproducer;
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
