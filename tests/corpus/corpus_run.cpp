// Runs programs of the corpus and compares, where SDFG_CORPUS says that it is:
//   corpus_run --part=icon4py|npbench   recorded programs, against the recorded outputs
//   corpus_run --part=transforms        before and after a transformation, on the same made inputs
//   corpus_run --part=samples           just runs, on made inputs
// [--filter=TEXT] [--variant=lowered] [--passes=PIPELINE] [--verbose]. With passes, programs are
// rewritten first, verified after each pass, and samples compared with themselves as read. Prints a
// line per program that is not equal bit for bit, and the totals; the exit status is 0 when every
// program that ran is within its tolerance and none was refused.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "passes/pipeline.h"
#include "serialize/load.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "tools/common/arguments.h"
#include "tools/common/run.h"

namespace {

using namespace sdfg;
namespace fs = std::filesystem;

struct Settings {
  std::string part = "icon4py", filter, variant, passes;
  bool verbose = false;
};

/// One SDFG file with recorded data, and how far from it the results may be.
struct Case {
  fs::path file, data;
  double tolerance = 0;
};

/// npbench: 1e-12, single precision 1e-5, or ten times the recorded difference to NumPy.
double npbench_tolerance(const fs::path& folder) {
  const auto text = read_file((folder / "meta.json").string());
  const auto meta = nlohmann::json::parse(text ? *text : "{}", nullptr, false);
  double tolerance = 1e-12;
  if (meta.is_discarded()) return tolerance;
  if (meta.contains("arrays"))
    for (const auto& [name, array] : meta["arrays"].items())
      if (array.value("dtype", "") == "float32" || array.value("dtype", "") == "complex64")
        tolerance = 1e-5;
  if (meta.contains("check_vs_numpy") && meta["check_vs_numpy"].is_array())
    for (const auto& check : meta["check_vs_numpy"])
      if (check.contains("max_rel_error") && check["max_rel_error"].is_number())
        tolerance = std::max(tolerance, 10 * check["max_rel_error"].get<double>());
  return tolerance;
}

std::vector<Case> find_cases(const fs::path& corpus, const Settings& settings) {
  const bool icon = settings.part == "icon4py";
  const fs::path root = icon ? corpus / "icon4py" : corpus / "dace" / settings.part;
  const std::vector<std::string> variants =
      icon ? std::vector<std::string>{"lowered", "gt4py_cpu"}
           : std::vector<std::string>{"plain", "simplified", "auto"};
  std::vector<fs::path> folders;
  if (fs::is_directory(root))
    for (const auto& entry : fs::directory_iterator(root))
      if (entry.is_directory()) folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<Case> cases;
  for (const fs::path& folder : folders)
    for (const std::string& variant : variants) {
      const Case c{folder / (variant + ".sdfgz"), folder / "data.npz",
                   icon ? 0 : npbench_tolerance(folder)};
      const bool wanted = settings.variant.empty() || settings.variant == variant;
      if (wanted && fs::exists(c.file) && fs::exists(c.data)) cases.push_back(c);
    }
  return cases;
}

/// npbench keeps scalars and symbols beside the arrays, in meta.json.
void add_scalars(const fs::path& folder, NamedArrays& data) {
  const auto text = read_file((folder / "meta.json").string());
  const auto meta = nlohmann::json::parse(text ? *text : "{}", nullptr, false);
  if (meta.is_discarded() || !meta.contains("scalars")) return;
  for (const auto& [name, scalar] : meta["scalars"].items()) {
    const auto type = Type::scalar_from_text(scalar.value("dtype", ""));
    if (!type) continue;
    NdArray value = NdArray::zeros(*type, {});
    const auto put = [&](auto number) { std::memcpy(value.bytes.data(), &number, sizeof number); };
    if (*type == Type(BaseType::Int64)) put(scalar["value"].get<std::int64_t>());
    else if (*type == Type(BaseType::Int32)) put(scalar["value"].get<std::int32_t>());
    else if (*type == Type(BaseType::Float64)) put(scalar["value"].get<double>());
    else if (*type == Type(BaseType::Float32)) put(scalar["value"].get<float>());
    else continue;
    data.emplace("in:" + name, std::move(value));
  }
}

Result<Sdfg> load_file(const fs::path& file) {
  SDFG_TRY(std::string bytes, read_file(file.string()));
  SDFG_TRY(Loaded loaded, load(std::move(bytes)));
  return std::move(loaded.sdfg);
}

/// Runs a pipeline, verifying after each pass; what the verifier finds is an error here.
Status apply(const std::string& passes, Sdfg& sdfg) {
  if (passes.empty()) return Ok{};
  SDFG_TRY(const Pipeline pipeline, parse_pipeline(passes, all_passes()));
  VerifyEach verify;
  Diagnostics warnings;
  try {
    SDFG_TRY(const Changed changed [[maybe_unused]],
             run(pipeline, sdfg, {.observers = {&verify}}, warnings));
  } catch (const InternalError& error) {
    return Diagnostic{"passes", error.what()};
  }
  return Ok{};
}

Result<RunReport> run_recorded(const Case& c, const std::string& passes) {
  SDFG_TRY(Sdfg sdfg, load_file(c.file));
  SDFG_TRY(const Ok ok [[maybe_unused]], apply(passes, sdfg));
  SDFG_TRY(const std::string data, read_file(c.data.string()));
  SDFG_TRY(NamedArrays recorded, read_npz(data));
  add_scalars(c.file.parent_path(), recorded);
  return run_and_compare(sdfg, recorded, interpreter_backend());
}

/// `data` is the program that must give the same results; none: anything goes.
Result<RunReport> run_made(const Case& c, const std::string& passes) {
  SDFG_TRY(Sdfg sdfg, load_file(c.file));
  SDFG_TRY(const NamedArrays arguments, make_arguments(sdfg, {}));
  SDFG_TRY(const Ok ok [[maybe_unused]], apply(passes, sdfg));
  SDFG_TRY(const Executed executed, interpreter_backend()(sdfg, arguments));
  if (c.data.empty()) return RunReport{{}, executed.warnings};
  SDFG_TRY(const Sdfg other, load_file(c.data));
  SDFG_TRY(const Executed reference, interpreter_backend()(other, arguments));
  SDFG_TRY(RunReport report, compare_arguments(executed.arguments, reference.arguments,
                                               reference.arbitrary));
  report.warnings = executed.warnings;
  return report;
}

std::vector<Case> find_pairs(const fs::path& root) {
  const auto text = read_file((root / "index.json").string());
  const auto index = nlohmann::json::parse(text ? *text : "[]", nullptr, false);
  std::vector<Case> cases;
  for (const auto& entry : index)
    if (entry.value("same_results", false))
      cases.push_back({root / entry["after"].get<std::string>(),
                       root / entry["before"].get<std::string>(),
                       entry.value("bitwise_same", false) ? 0 : 1e-12});
  return cases;
}

std::vector<Case> find_samples(const fs::path& root, bool with_itself) {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension().string().starts_with(".sdfg")) 
      cases.push_back({entry.path(), with_itself ? entry.path() : fs::path(), 0});
  std::ranges::sort(cases, {}, &Case::file);
  return cases;
}

int run_all(const fs::path& corpus, const Settings& settings) {
  const bool recorded = settings.part == "icon4py" || settings.part == "npbench";
  const fs::path root = corpus / "dace" / settings.part;
  std::vector<Case> cases = recorded ? find_cases(corpus, settings)
                            : settings.part == "transforms"
                                ? find_pairs(root)
                                : find_samples(root, !settings.passes.empty());
  std::erase_if(cases, [&](const Case& c) {
    return c.file.string().find(settings.filter) == std::string::npos;
  });
  std::size_t exact = 0, near = 0, wrong = 0, refused = 0, warned = 0;
  for (const Case& c : cases) {
    const std::string name =
        c.file.parent_path().filename().string() + "/" + c.file.stem().string();
    const auto report = recorded ? run_recorded(c, settings.passes) : run_made(c, settings.passes);
    if (!report) {
      ++refused;
      fmt::print("refused  {}: {}\n", name, report.error().text());
    } else if (report->bit_for_bit()) {
      ++exact;
    } else if (report->within(c.tolerance)) {
      ++near;
      fmt::print("near     {}: largest difference {:.3g}, allowed {:.3g}\n", name,
                 report->largest_error(), c.tolerance);
    } else {
      ++wrong;
      fmt::print("WRONG    {}: allowed {:.3g}\n{}", name, c.tolerance, to_text(*report));
    }
    if (report && !report->warnings.empty()) {
      ++warned;
      if (settings.verbose)
        for (const Diagnostic& d : report->warnings)
          fmt::print("         {}: {}\n", name, d.text());
    }
    std::fflush(stdout);
  }
  fmt::print("{}: {} programs: {} bit for bit, {} within the tolerance, {} wrong, {} refused; "
             "{} with warnings\n",
             settings.part, cases.size(), exact, near, wrong, refused, warned);
  return wrong == 0 && refused == 0 && !cases.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&](std::string_view name) { return argument.substr(name.size()); };
    if (argument.starts_with("--part=")) settings.part = value("--part=");
    else if (argument.starts_with("--filter=")) settings.filter = value("--filter=");
    else if (argument.starts_with("--variant=")) settings.variant = value("--variant=");
    else if (argument.starts_with("--passes=")) settings.passes = value("--passes=");
    else if (argument == "--verbose") settings.verbose = true;
    else {
      fmt::print(stderr,
                 "usage: corpus_run --part=icon4py|npbench|transforms|samples [--filter=TEXT] "
                 "[--variant=NAME] [--passes=PIPELINE] [--verbose]\n");
      return 2;
    }
  }
  const char* corpus = std::getenv("SDFG_CORPUS");
  if (!corpus) {
    fmt::print("[SKIP] SDFG_CORPUS does not name the corpus folder\n");
    return 77;
  }
  int status = 1;
  with_deep_stack([&] { status = run_all(corpus, settings); });
  return status;
}
