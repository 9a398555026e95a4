// For the comparisons with DaCe: prints, for each file given, a line of JSON with what the verifier
// finds and the program's arguments as DaCe of the version given before them would call it.

#include <iostream>

#include <nlohmann/json.hpp>

#include "ir/analysis/defaults.h"
#include "ir/analysis/signature.h"
#include "ir/verify.h"
#include "serialize/load.h"
#include "support/deep_stack.h"
#include "support/file.h"

namespace {
using namespace sdfg;
using Json = nlohmann::ordered_json;

Json describe(const Result<std::vector<Argument>>& arguments) {
  if (!arguments) return Json{{"error", arguments.error().text()}};
  Json list = Json::array();
  for (const Argument& a : *arguments) list.push_back({a.name, a.type.text(), a.pointer});
  return list;
}

Json inspect(const std::string& path, const std::string& dace_version) {
  Json out{{"file", path}};
  auto bytes = read_file(path);
  if (!bytes) return out["error"] = bytes.error().text(), out;
  auto loaded = load(*std::move(bytes));
  if (!loaded) return out["error"] = loaded.error().text(), out;
  out["errors"] = Json::array();
  out["warnings"] = Json::array();
  for (const Diagnostic& d : verify(loaded->sdfg))
    out[d.severity == Severity::Error ? "errors" : "warnings"].push_back(d.text());
  if (!out["errors"].empty()) return out;
  loaded->sdfg.dace_version = dace_version;
  out["arguments"] = describe(signature(loaded->sdfg));
  out["init_arguments"] = describe(init_signature(loaded->sdfg));
  return out;
}
}  // namespace

int main(int count, char** arguments) {
  with_deep_stack([&] {
    for (int i = 2; i < count; ++i)
      std::cout << inspect(arguments[i], arguments[1])
                       .dump(-1, ' ', false, Json::error_handler_t::replace)
                << std::endl;
  });
}
