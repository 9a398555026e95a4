// Applies our passes to the programs that DaCe's and GT4Py's transformations were applied to
// (dace/transforms in the folder that SDFG_CORPUS names), and compares:
//   transforms [--filter=TEXT] [--verbose]
// For each recorded pair: our pass with the same options runs on `before`, is verified after each
// step, and the interpreter runs `before` and our result on the same made inputs. Prints a table,
// every difference from the reference, and which transformations have no pass yet. The exit status
// is 0 when all results are the same, the pairs that the reference applies wrongly are refused, and
// no pass we have refuses what the reference applies, but for those argued below.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ir/verify.h"
#include "passes/pipeline.h"
#include "serialize/load.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "tools/common/arguments.h"
#include "tools/common/run.h"

namespace {

using namespace sdfg;
namespace fs = std::filesystem;
using Json = nlohmann::json;

/// What stands for a transformation of the reference: a pipeline, where $OPTIONS are the recorded
/// options under the same names, and $NAME is the option of that name.
const std::map<std::string, std::string> pipelines{
    {"DeadDataflowElimination", "dead-dataflow-elimination"},
    {"InLocalStorage", "in-local-storage{$OPTIONS}"},
    {"InlineMultistateSDFG", "inline-multistate-sdfg"},
    {"InlineSDFG", "inline-sdfg"},
    {"LoopToMap", "loop-to-map"},
    {"LoopUnroll", "loop-unrolling"},
    {"MapCollapse", "map-collapse{$OPTIONS}"},
    {"MapExpansion", "map-expansion{$OPTIONS}"},
    {"MapFission", "map-fission{$OPTIONS}"},
    {"MapFusionHorizontal", "map-fusion-horizontal{$OPTIONS}"},
    {"MapFusionVertical", "map-fusion-vertical{$OPTIONS}"},
    {"MapInterchange", "map-interchange"},
    {"MapTiling", "map-tiling{$OPTIONS}"},
    {"MapToForLoop", "map-to-loop"},
    {"MapUnroll", "map-unroll"},
    {"MoveLoopIntoMap", "move-loop-into-map"},
    {"OTFMapFusion", "inline-fusion{always}"},
    {"OutLocalStorage", "out-local-storage{$OPTIONS}"},
    {"RedundantArray", "redundant-array-elimination"},
    {"RedundantArrayCopying", "redundant-array-elimination"},
    {"RedundantSecondArray", "redundant-array-elimination"},
    {"ScalarToSymbolPromotion", "scalar-to-symbol-promotion"},
    {"StateFusion", "state-fusion"},
    {"StripMining", "strip-mining{$OPTIONS}"},
    {"TrivialMapElimination", "trivial-map-elimination"},
    {"gt4py.CopyChainRemover", "copy-chain-elimination"},
    {"gt4py.DoubleWriteRemover", "double-write-elimination"},
    {"gt4py.FuseHorizontalConditionBlocks", "fuse-conditionals"},
    {"gt4py.GT4PyMapBufferElimination", "map-buffer-elimination{$OPTIONS}"},
    {"gt4py.HorizontalMapSplitFusion",
     "map-split-horizontal{launch_bytes=0},map-fusion-horizontal"},
    {"gt4py.LoopBlocking", "loop-blocking{$OPTIONS}"},
    {"gt4py.MapFusionHorizontal", "map-fusion-horizontal{$OPTIONS}"},
    {"gt4py.MapFusionVertical", "map-fusion-vertical"},
    {"gt4py.MapPromoter", "map-promotion{$OPTIONS},map-fusion-vertical"},
    {"gt4py.MapSplitter", "map-dead-range-elimination"},
    {"gt4py.MapToCopy", "map-to-copy"},
    {"gt4py.MoveDataflowIntoIfBody", "move-into-if-body"},
    {"gt4py.MultiStateGlobalSelfCopyElimination", "self-copy-elimination"},
    {"gt4py.RemoveAccessNodeCopies", "access-node-copy-elimination"},
    {"gt4py.ScanLoopUnrolling", "scan-unrolling{$OPTIONS}"},
    {"gt4py.SingleStateGlobalDirectSelfCopyElimination", "self-copy-elimination"},
    {"gt4py.SingleStateGlobalSelfCopyElimination", "self-copy-elimination"},
    {"gt4py.SplitAccessNode", "split-access-nodes"},
    {"gt4py.VerticalMapSplitFusion", "map-split-vertical"},
    {"gt4py.gt_auto_optimize", "gt4py"},
    {"gt4py.gt_simplify", "simplify"},
    {"gt4py.inline_dataflow_into_map", "copy-to-map,inline-fusion{always shared}"},
    {"gt4py.split_node", "split-access-nodes"},
};

/// Pairs that the reference applies and we refuse, on purpose.
const std::map<std::string, std::string> refused_on_purpose{
    {"gt4py.VerticalMapSplitFusion/reversed_read",
     "no piece could be fused, so the reference only splits: one more map, nothing saved"},
};

/// Options of the reference that say which of several matches is meant (ours look at all), hold
/// Python code, or run another pass afterwards.
const std::vector<std::string> not_options{"class",
                                           "edges",
                                           "check_fusion_callback",
                                           "split_description",
                                           "run_simplify",
                                           "simplify",
                                           "fuse_map_fragments",
                                           "fuse_after_promotion",
                                           "remove_dead_dataflow"};

enum class Outcome { Same, Refused, NoPass, Differs };

struct Tried {
  Outcome outcome = Outcome::Refused;
  bool near = false;    ///< within the tolerance, but not bit for bit
  std::string message;  ///< the difference, or why it was refused
};

std::string option_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& element : value) list += (list.empty() ? "" : ",") + option_text(element);
  return list;
}

std::string pipeline_text(std::string text, const Json& options) {
  std::string all;
  for (const auto& [name, value] : options.items()) {
    if (std::ranges::find(not_options, name) != not_options.end()) continue;
    const std::string quoted = "'" + option_text(value) + "'";
    all += (all.empty() ? "" : " ") + name + "=" + quoted;
    if (const auto at = text.find("$" + name); at != text.npos)
      text.replace(at, name.size() + 1, quoted);
  }
  if (const auto at = text.find("$OPTIONS"); at != text.npos) text.replace(at, 8, all);
  if (const auto at = text.find("{}"); at != text.npos) text.erase(at, 2);
  return text;
}

Result<Sdfg> load_file(const fs::path& file) {
  SDFG_TRY(std::string bytes, read_file(file.string()));
  SDFG_TRY(Loaded loaded, load(std::move(bytes)));
  return std::move(loaded.sdfg);
}

/// The passes' own words.
class Remarks : public Observer {
 public:
  void after(const PassRun&, const Sdfg&, Changed, const PassContext& context) override {
    for (const Remark& remark : context.remarks)
      if (!remark.applied && reasons.find(remark.message) == reasons.npos)
        reasons += (reasons.empty() ? "" : "; ") + remark.message;
  }
  std::string reasons;
};

/// The first outcome that is not the same, for several values of the symbols; those for which the
/// program as it was leaves its arrays do not count. `even`: the options promise that tiles, of at
/// most 4 points, divide what they tile.
Result<Tried> compare(const Sdfg& before, const Sdfg& after, double tolerance, bool even) {
  std::optional<Diagnostic> stopped;
  Tried tried{Outcome::Same, false, ""};
  int ran = 0;
  for (const std::int64_t size : {8, 7, 6, 5, 4, 3, 1}) {
    if (even && size % 4 != 0) continue;
    SDFG_TRY(const NamedArrays arguments, make_arguments(before, {.size = size, .given = {}}));
    const auto expected = interpreter_backend()(before, arguments);
    if (!expected) {
      stopped = expected.error();
      continue;
    }
    ++ran;
    SDFG_TRY(const Executed computed, interpreter_backend()(after, arguments));
    SDFG_TRY(const RunReport report,
             compare_arguments(computed.arguments, expected->arguments, expected->arbitrary));
    if (!report.within(tolerance)) return Tried{Outcome::Differs, false, to_text(report)};
    tried.near = tried.near || !report.bit_for_bit();
  }
  if (ran == 0) return *stopped;
  return tried;
}

Result<Tried> try_pair(const Json& entry, const fs::path& root) {
  const auto known = pipelines.find(entry["transformation"].get<std::string>());
  if (known == pipelines.end()) return Tried{Outcome::NoPass, false, "no pipeline is named for it"};
  const std::string text = pipeline_text(known->second, entry.value("options", Json::object()));
  const auto pipeline = parse_pipeline(text, all_passes());
  if (!pipeline) return Tried{Outcome::NoPass, false, pipeline.error().text()};

  SDFG_TRY(const Sdfg before, load_file(root / entry["before"].get<std::string>()));
  Sdfg after = before;
  VerifyEach verify;
  Remarks remarks;
  Diagnostics warnings;
  SDFG_TRY(
      const Changed changed,
      run(*pipeline, after,
          {.observers = {&verify, &remarks}, .limits = {}, .collect_remarks = true}, warnings));
  if (changed == Changed::No) return Tried{Outcome::Refused, false, remarks.reasons};
  const bool even = entry["options"].value("divides_evenly", false);
  return compare(before, after, entry.value("bitwise_same", true) ? 0 : 1e-12, even);
}

/// One line of the table.
struct Counts {
  int applied = 0, of_applied = 0, refused = 0, of_refused = 0, no_pass = 0;
};

struct Totals {
  std::map<std::string, Counts> by_transformation;
  int failures = 0, on_purpose = 0;
};

void judge(const Json& entry, const Tried& tried, bool verbose, Totals& totals) {
  const std::string transformation = entry["transformation"];
  const std::string name = transformation + "/" + entry["case"].get<std::string>();
  const bool wrong = entry.contains("same_results") && !entry["same_results"].get<bool>();
  const bool applied = entry["applied"].is_number() && entry["applied"] != 0 && !wrong;
  Counts& counts = totals.by_transformation[transformation];
  ++(applied ? counts.of_applied : counts.of_refused);
  const auto fail = [&](std::string_view what) {
    ++totals.failures;
    fmt::print("{}: {}: {}\n", what, name, tried.message);
  };
  switch (tried.outcome) {
    case Outcome::NoPass:
      ++counts.no_pass;
      break;
    case Outcome::Differs:
      fail("OTHER RESULTS");
      break;
    case Outcome::Refused:
      if (!applied) {
        ++counts.refused;
        if (verbose) fmt::print("refused, too: {}: {}\n", name, tried.message);
      } else if (const auto why = refused_on_purpose.find(name); why != refused_on_purpose.end()) {
        ++totals.on_purpose;
        fmt::print("refused on purpose: {}: {}\n", name, why->second);
      } else {
        fail("REFUSED");
      }
      break;
    case Outcome::Same:
      if (tried.near) fmt::print("the same up to rounding: {}\n", name);
      if (applied)
        ++counts.applied;
      else if (wrong)
        fail("APPLIED, though the reference's result is wrong");
      else
        fmt::print("applied, though the reference refuses: {} ({})\n", name,
                   entry["shows"].get<std::string>());
      break;
  }
}

int run_all(const fs::path& root, const std::string& filter, bool verbose) {
  const auto text = read_file((root / "index.json").string());
  const Json index = Json::parse(text ? *text : "[]", nullptr, false);
  Totals totals;
  for (const Json& entry : index) {
    const std::string name =
        entry["transformation"].get<std::string>() + "/" + entry["case"].get<std::string>();
    if (name.find(filter) == name.npos) continue;
    const auto tried = try_pair(entry, root);
    judge(entry, tried ? *tried : Tried{Outcome::Differs, false, tried.error().text()}, verbose,
          totals);
    std::fflush(stdout);
  }
  Counts sum;
  std::string missing;
  fmt::print("\n{:<52} {:>9} {:>9}\n", "transformation", "applied", "refused");
  for (const auto& [name, c] : totals.by_transformation) {
    if (c.no_pass)
      missing += "  " + name + "\n";
    else
      fmt::print("{:<52} {:>4} of {:<2} {:>4} of {:<2}\n", name, c.applied, c.of_applied, c.refused,
                 c.of_refused);
    sum.applied += c.applied, sum.of_applied += c.of_applied;
    sum.refused += c.refused, sum.of_refused += c.of_refused, sum.no_pass += c.no_pass;
  }
  if (!missing.empty()) fmt::print("\nno pass yet ({} pairs):\n{}", sum.no_pass, missing);
  fmt::print(
      "\ntransforms: {} of {} applied with the same results, {} refused on purpose; "
      "{} of {} refused, too; {} without a pass; {} failures\n",
      sum.applied, sum.of_applied, totals.on_purpose, sum.refused, sum.of_refused, sum.no_pass,
      totals.failures);
  return totals.failures == 0 && sum.of_applied > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string filter;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--filter="))
      filter = argument.substr(9);
    else if (argument == "--verbose")
      verbose = true;
    else {
      fmt::print(stderr, "usage: transforms [--filter=TEXT] [--verbose]\n");
      return 2;
    }
  }
  const char* corpus = std::getenv("SDFG_CORPUS");
  if (!corpus) {
    fmt::print("[SKIP] SDFG_CORPUS does not name the corpus folder\n");
    return 77;
  }
  int status = 1;
  with_deep_stack([&] { status = run_all(fs::path(corpus) / "dace/transforms", filter, verbose); });
  return status;
}
