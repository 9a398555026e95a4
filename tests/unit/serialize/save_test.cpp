#include "serialize/save.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ir/parse.h"
#include "serialize/load.h"

namespace sdfg {
namespace {

using nlohmann::json;

// White space, unknown keys, explicit defaults and an odd order: all of it must survive.
constexpr std::string_view source = R"({
  "type": "SDFG", "dace_version": "1.0.0", "my_key": 1.50,
  "attributes": {
    "name": "p", "hash": "abc", "novel": {"x": [1, 2.0]}, "openmp_sections": false,
    "_arrays": {
      "A": {"type": "Array", "attributes": {"total_size": "N", "strides": ["1"], "shape": ["N"],
            "offset": ["0"], "pool": false, "dtype": "float64", "hbm": 3}},
      "B": {"type": "Array", "attributes": {"shape": ["N*1"], "strides": ["1"], "offset": ["0"],
            "total_size": "N", "debuginfo": null, "storage": "Moon"}}
    }
  },
  "nodes": [
    {"type": "SDFGState", "label": "s", "id": 0, "collapsed": false, "scope_dict": {"-1": [0, 1]},
     "attributes": {"executions": "N"},
     "nodes": [
       {"type": "AccessNode", "label": "A!", "id": 0, "scope_entry": null, "scope_exit": null,
        "attributes": {"data": "A", "setzero": false, "layout": {"x": 1}}},
       {"type": "AccessNode", "label": "B", "id": 1, "scope_entry": null, "scope_exit": null,
        "attributes": {"data": "B"}}],
     "edges": [
       {"type": "MultiConnectorEdge", "src": "0", "dst": "1", "src_connector": null,
        "dst_connector": null, "height": 7, "attributes": {"data": {"type": "Memlet", "attributes": {
          "data": "A", "volume": "1*N", "num_accesses": "N",
          "subset": {"type": "Range", "ranges": [{"start": "0", "end": "N - 1", "step": "1", "tile": "1"}]}}}}}]}
  ],
  "edges": []
})";

Sdfg loaded(std::string_view text) {
  auto result = load(std::string(text));
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? std::move(result->sdfg) : Sdfg{};
}
std::string saved(const Sdfg& sdfg, SaveProfile profile = SaveProfile::Keep) {
  const auto text = save(sdfg, {profile});
  EXPECT_TRUE(text) << (text ? "" : text.error().text());
  return text ? *text : "";
}
State& state_of(Sdfg& sdfg) { return std::get<State>(sdfg[BlockId{0}].kind); }

TEST(Keep, NothingChangedGivesTheSameBytes) {
  const Sdfg sdfg = loaded(source);
  EXPECT_EQ(saved(sdfg), source);
  const Sdfg copy = sdfg;
  EXPECT_EQ(saved(copy), source);
}

/// The source with `change` made in it must be what saving gives after `edit`, as JSON values.
template <class Edit, class Change>
void expect_only(Edit edit, Change change) {
  Sdfg sdfg = loaded(source);
  edit(sdfg);
  json expected = json::parse(source);
  expected["attributes"].erase("hash");  // it would be stale
  change(expected);
  json found = json::parse(saved(sdfg));
  // Keys that the file lacked and a rewritten element has.
  for (const char* key : {"cfg_list_id", "start_block", "label", "id", "collapsed"})
    if (!expected.contains(key)) found.erase(key);
  EXPECT_EQ(found, expected) << json::diff(expected, found).dump(1);
}

TEST(Keep, AChangedNameChangesNothingElse) {
  expect_only([](Sdfg& s) { s.name = "q"; }, [](json& j) { j["attributes"]["name"] = "q"; });
}

TEST(Keep, AChangedContainerKeepsItsOtherAttributes) {
  expect_only([](Sdfg& s) { s.arrays.at("B").transient = true; },
              [](json& j) { j["attributes"]["_arrays"]["B"]["attributes"]["transient"] = true; });
  expect_only(
      [](Sdfg& s) { s.arrays.at("A").dtype = BaseType::Int32; },
      [](json& j) { j["attributes"]["_arrays"]["A"]["attributes"].erase("dtype"); });
}

// DaCe would take the name for a symbol that nobody gives it.
TEST(Keep, WordsThatNameASymbolWhichIsGoneDoNotStay) {
  std::string text(source);
  const auto change = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  change(R"("shape": ["N*1"])", R"("shape": ["N + i - i"])");
  change(R"("_arrays": {)", R"("symbols": {"N": "int64", "i": "int64"}, "_arrays": {)");
  Sdfg sdfg = loaded(text);
  sdfg.symbols.erase("i");
  const json found = json::parse(saved(sdfg));
  EXPECT_EQ(found["attributes"]["symbols"], json::parse(R"({"N": "int64"})"));
  const json& b = found["attributes"]["_arrays"]["B"]["attributes"];
  EXPECT_EQ(b["shape"], json::parse(R"(["N"])"));
  EXPECT_EQ(b["storage"], "Moon");
  EXPECT_EQ(found["attributes"]["_arrays"]["A"], json::parse(source)["attributes"]["_arrays"]["A"]);
}

TEST(Keep, AChangedNodeKeepsItsOtherAttributes) {
  expect_only([](Sdfg& s) { std::get<AccessNode>(state_of(s)[NodeId{0}].kind).setzero = true; },
              [](json& j) { j["nodes"][0]["nodes"][0]["attributes"]["setzero"] = true; });
}

TEST(Keep, AChangedMemletKeepsItsOtherAttributes) {
  expect_only([](Sdfg& s) { state_of(s)[EdgeId{0}].memlet.dynamic = true; },
              [](json& j) {
                json& a = j["nodes"][0]["edges"][0]["attributes"]["data"]["attributes"];
                a["dynamic"] = true;
                a["num_accesses"] = -1;
              });
}

TEST(Keep, AnErasedNodeRenumbersTheOthersAndTheirWordsStay) {
  expect_only([](Sdfg& s) { state_of(s).erase(NodeId{0}); },
              [](json& j) {
                json& state = j["nodes"][0];
                state["nodes"].erase(0);
                state["nodes"][0]["id"] = 0;
                state["edges"] = json::array();
                state["scope_dict"] = {{"-1", {0}}};
              });
}

TEST(Keep, AnUnknownEnumerationValueGivesWayToAKnownOne) {
  expect_only(
      [](Sdfg& s) { s.arrays.at("B").storage = Storage::CpuHeap; },
      [](json& j) { j["attributes"]["_arrays"]["B"]["attributes"]["storage"] = "CPU_Heap"; });
}

TEST(Head, WritesTypedSymbolsAndCarriesTheRest) {
  const json j = json::parse(saved(loaded(source), SaveProfile::Head));
  EXPECT_EQ(j["dace_version"], "2.0.0a6");
  EXPECT_EQ(j["attributes"]["_arrays"]["A"]["attributes"]["shape"][0], "$N");
  EXPECT_EQ(j["attributes"]["novel"]["x"][1], 2.0);
  EXPECT_FALSE(j["attributes"].contains("hash"));
  EXPECT_EQ(j["start_block"], 0);
  EXPECT_EQ(j["cfg_list_id"], 0);
  EXPECT_EQ(j["nodes"][0]["attributes"]["executions"], "$N");
  EXPECT_EQ(j["nodes"][0]["nodes"][0]["label"], "A");
  const json& memlet = j["nodes"][0]["edges"][0]["attributes"]["data"]["attributes"];
  EXPECT_EQ(memlet["volume"], "$N");
  EXPECT_EQ(memlet["num_accesses"], "$N");
  EXPECT_EQ(memlet["src_subset"], memlet["subset"]);
  EXPECT_TRUE(memlet["dst_subset"].is_null());
  EXPECT_EQ(memlet["is_data_src"], true);
}

TEST(Compat, WritesPlainSymbolsAndWholeDebugInformation) {
  std::string typed = saved(loaded(source), SaveProfile::Head);
  Sdfg sdfg = loaded(typed);
  sdfg.debuginfo = DebugInfo{.start_line = 3, .filename = "a.py"};
  const json j = json::parse(saved(sdfg, SaveProfile::Compat));
  EXPECT_EQ(j["dace_version"], "1.0.0");
  EXPECT_EQ(j["attributes"]["_arrays"]["A"]["attributes"]["shape"][0], "N");
  EXPECT_EQ(j["nodes"][0]["attributes"]["executions"], "N");
  EXPECT_EQ(j["attributes"]["debuginfo"],
            (json{{"type", "DebugInfo"}, {"start_line", 3}, {"end_line", 3}, {"start_column", 0},
                  {"end_column", 0}, {"filename", "a.py"}}));
  const json head = json::parse(saved(sdfg, SaveProfile::Head));
  EXPECT_EQ(head["attributes"]["debuginfo"],
            (json{{"type", "DebugInfo"}, {"start_line", 3}, {"file_index", 0}}));
  EXPECT_EQ(head["source_files"], json::array({"a.py"}));
  EXPECT_EQ(loaded(saved(sdfg, SaveProfile::Head)).debuginfo->filename, "a.py");
}

TEST(Save, WhatIsWrittenReadsBackAsTheSameProgram) {
  Sdfg sdfg = loaded(saved(loaded(source), SaveProfile::Head));
  const Sdfg again = loaded(saved(sdfg, SaveProfile::Head));
  EXPECT_EQ(sdfg, again);
  EXPECT_EQ(saved(again, SaveProfile::Head), saved(sdfg, SaveProfile::Head));
}

TEST(Head, LeavesOutWhatDaceTwoCannotRead) {
  Sdfg sdfg = loaded(source);
  sdfg.arrays.at("A").storage = Storage::FpgaGlobal;
  MapEntry map;
  map.schedule = Schedule::Unrolled;
  state_of(sdfg).add(Node{map});
  const json head = json::parse(saved(sdfg, SaveProfile::Head));
  EXPECT_FALSE(head["attributes"]["_arrays"]["A"]["attributes"].contains("storage"));
  EXPECT_EQ(head["nodes"][0]["nodes"][2]["attributes"]["schedule"], "Sequential");
  EXPECT_EQ(head["nodes"][0]["nodes"][2]["attributes"]["unroll"], true);
  const json compat = json::parse(saved(sdfg, SaveProfile::Compat));
  EXPECT_EQ(compat["attributes"]["_arrays"]["A"]["attributes"]["storage"], "FPGA_Global");
}

// DaCe compares the sizes of both sides by form, and makes that of a range with a step so.
TEST(Head, CopiesWithAStepHaveSizesThatDaceCanCompare) {
  const auto sdfg = parse(R"(sdfg p(A: float64[N], B: float64[N])
  symbol N: int64
  state main
    n0 = access A
    n1 = access B
    n0 -> n1 : A[0:N:2] -> [0:int_ceil(N, 2)]
)");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  EXPECT_NE(saved(*sdfg, SaveProfile::Head).find("\"-1 + ceiling($N/2)\""), std::string::npos);
  EXPECT_NE(saved(*sdfg, SaveProfile::Compat).find("\"ceiling(N/2) - 1\""), std::string::npos);
}

TEST(Save, NumbersGraphsOuterBeforeInner) {
  Sdfg inner;
  inner.name = "inner";
  inner.add({"t", State{}});
  State state;
  NestedSdfg nested;
  nested.label = "n";
  nested.sdfg.emplace(inner);
  state.add(Node{nested});
  LoopRegion loop;
  loop.add({"s", state});
  Sdfg outer;
  outer.name = "outer";
  outer.add({"a", State{}});
  outer.add({"loop", loop});
  outer.add({"b", state});
  outer.connect(BlockId{0}, BlockId{1}, {});
  outer.connect(BlockId{1}, BlockId{2}, {});
  const json j = json::parse(saved(outer));
  EXPECT_EQ(j["cfg_list_id"], 0);
  EXPECT_EQ(j["nodes"][1]["cfg_list_id"], 1);
  EXPECT_EQ(j["nodes"][1]["nodes"][0]["nodes"][0]["attributes"]["sdfg"]["cfg_list_id"], 2);
  EXPECT_EQ(j["nodes"][2]["nodes"][0]["attributes"]["sdfg"]["cfg_list_id"], 3);
}

TEST(Save, ScopesAreWrittenAsDaceReadsThem) {
  State state;
  MapEntry map;
  map.label = "m";
  map.params = {"i"};
  map.ranges = {Range{0, Expr::symbol("N") - 1}};
  const NodeId entry = state.add(Node{map});
  const NodeId tasklet = state.add(Node{Tasklet{.label = "t"}});
  const NodeId exit = state.add(Node{MapExit{entry}});
  state.connect(entry, tasklet, {});
  state.connect(tasklet, exit, {});
  Sdfg sdfg;
  sdfg.name = "p";
  sdfg.add({"s", state});
  const json j = json::parse(saved(sdfg))["nodes"][0];
  EXPECT_EQ(j["scope_dict"], (json{{"-1", {0}}, {"0", {1, 2}}}));
  EXPECT_EQ(j["nodes"][0]["label"], "m[i=0:N]");
  EXPECT_EQ(j["nodes"][0]["scope_entry"], nullptr);
  EXPECT_EQ(j["nodes"][0]["scope_exit"], "2");
  EXPECT_EQ(j["nodes"][1]["scope_entry"], "0");
  EXPECT_EQ(j["nodes"][2]["scope_exit"], "2");
  EXPECT_EQ(j["nodes"][2]["label"], "m[i=0:N]");
}

}  // namespace
}  // namespace sdfg
