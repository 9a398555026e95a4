#include "serialize/load.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ir/parse.h"
#include "ir/walk.h"
#include "serialize/save.h"
#include "support/deep_stack.h"
#include "support/file.h"

namespace sdfg {
namespace {

/// A program of one state in which `nodes` and `edges` stand, with containers A and B.
std::string program(std::string nodes, std::string edges, std::string attributes = "",
                    std::string version = "2.0.0a6") {
  const std::string n = version == "2.0.0a6" ? "$N" : "N";
  const std::string array = R"({"type":"Array","attributes":{"dtype":"float64","shape":[")" + n +
                            R"("],"strides":["1"],"offset":["0"],"total_size":")" + n + R"("}})";
  return R"({"type":"SDFG","dace_version":")" + version + R"(","attributes":{"name":"p")" +
         attributes + R"(,"_arrays":{"A":)" + array + R"(,"B":)" + array +
         R"(}},"nodes":[{"type":"SDFGState","label":"s","id":0,"attributes":{},"nodes":[)" + nodes +
         R"(],"edges":[)" + edges + R"(]}],"edges":[]})";
}
std::string access(std::string name) {
  return R"({"type":"AccessNode","attributes":{"data":")" + name + R"("}})";
}
std::string edge(std::string src, std::string dst, std::string memlet) {
  return R"({"type":"MultiConnectorEdge","src":")" + src + R"(","dst":")" + dst +
         R"(","src_connector":null,"dst_connector":null,"attributes":{"data":{"type":"Memlet","attributes":{)" +
         memlet + "}}}}";
}

Sdfg loaded(std::string text) {
  auto result = load(std::move(text));
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? std::move(result->sdfg) : Sdfg{};
}
std::string error_of(std::string text) {
  const auto result = load(std::move(text));
  return result ? "" : result.error().text();
}
std::string notes_of(std::string text) {
  const auto result = load(std::move(text));
  if (!result) return result.error().text();
  std::string out;
  for (const Diagnostic& note : result->notes) out += note.text() + "\n";
  return out;
}
const State& state_of(const Sdfg& sdfg) { return std::get<State>(sdfg[BlockId{0}].kind); }

TEST(Load, ReadsBothDialects) {
  const Sdfg typed = loaded(program("", "")), plain = loaded(program("", "", "", "1.0.0"));
  EXPECT_EQ(typed.dialect, Dialect::Typed);
  EXPECT_EQ(plain.dialect, Dialect::Plain);
  EXPECT_EQ(typed.arrays.at("A").shape[0], Expr::symbol("N"));
  EXPECT_EQ(plain.arrays.at("A").shape[0], Expr::symbol("N"));
}

TEST(Load, BelievesTheTextMoreThanTheVersion) {
  std::string text = program("", "");
  text.replace(text.find("2.0.0a6"), 7, "2.0.0a3");
  EXPECT_EQ(loaded(text).dialect, Dialect::Typed);
  EXPECT_EQ(notes_of(text),
            "dace_version: warning: the file says version 2.0.0a3 but marks symbols with '$', as "
            "2.0.0a4 and later do; read as such\n");
}

TEST(Load, FindsWhichEndAMemletDescribes) {
  const std::string range =
      R"("subset":{"type":"Range","ranges":[{"start":"0","end":"3","step":"1","tile":"1"}]})";
  const Sdfg sdfg = loaded(program(
      access("A") + "," + access("B"),
      edge("0", "1", R"("data":"B","volume":"4","is_data_src":true,)" + range)));
  const State& state = state_of(sdfg);
  const Memlet& memlet = state[EdgeId{0}].memlet;
  EXPECT_FALSE(memlet.data_is_src);
  EXPECT_TRUE(memlet.dst_subset);
  EXPECT_FALSE(memlet.src_subset);
}

TEST(Load, AMemletWithoutSubsetMeansTheWholeContainer) {
  const Sdfg sdfg =
      loaded(program(access("A") + "," + access("B"), edge("0", "1", R"("data":"A")")));
  const Memlet& memlet = state_of(sdfg)[EdgeId{0}].memlet;
  ASSERT_TRUE(memlet.src_subset);
  EXPECT_EQ(*memlet.src_subset, Subset::whole({Expr::symbol("N")}));
  EXPECT_EQ(memlet.volume, Expr(0));
}

TEST(Load, KeepsWhatItDoesNotKnow) {
  const auto result = load(program(
      R"({"type":"Novel","x":1,"attributes":{"y":[1, 2]}})", "",
      R"(,"instrument":"Sundial","mine":{"a": NaN})"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->sdfg.extras, (Extras{{"instrument", "\"Sundial\""}, {"mine", "{\"a\": NaN}"}}));
  const Node& node = state_of(result->sdfg)[NodeId{0}];
  EXPECT_EQ(node.extras, (Extras{{"/x", "1"}, {"y", "[1, 2]"}}));
  ASSERT_EQ(result->notes.size(), 2u);
  EXPECT_EQ(result->notes[0].text(),
            "attributes.instrument: warning: 'instrument' has a value that is not known here, kept "
            "as it is: the string 'Sundial'");
  EXPECT_EQ(result->notes[1].text(),
            "nodes[0].nodes[0]: note: nodes of kind Novel are carried, not understood");
}

TEST(Load, AValueOfTheWrongTypeIsAFindingAndIsKept) {
  const auto result = load(program("", "", R"(,"openmp_sections":[3])"));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->notes.size(), 1u);
  EXPECT_EQ(result->notes[0].text(),
            "attributes.openmp_sections: 'openmp_sections' cannot be an array");
  EXPECT_EQ(result->notes[0].severity, Severity::Error);
  const auto head = save(result->sdfg, {SaveProfile::Head});
  EXPECT_NE(head->find(R"("openmp_sections":[3])"), std::string::npos);
}

TEST(Load, ANestedSdfgSavedAloneHasNoListOfSourceFiles) {
  const Sdfg sdfg = loaded(
      program("", "", R"(,"debuginfo":{"type":"DebugInfo","start_line":3,"file_index":1})"));
  EXPECT_EQ(sdfg.debuginfo, (DebugInfo{.start_line = 3}));
}

TEST(Load, UpgradesOldForms) {
  std::string text = program(access("A"), "", R"(,"using_experimental_blocks":true)", "0.14.1");
  text.replace(text.find("\"Array\""), 7, "\"View\"");
  text.insert(text.size() - 1, R"(,"start_state":0,"sdfg_list_id":0)");
  const Sdfg sdfg = loaded(text);
  EXPECT_EQ(sdfg.start_block, BlockId{0});
  EXPECT_TRUE(sdfg.arrays.at("A").is_view());
  EXPECT_TRUE(sdfg.using_explicit_control_flow);
  EXPECT_EQ(notes_of(text),
            "attributes.using_experimental_blocks: note: 'using_experimental_blocks' becomes "
            "'using_explicit_control_flow'\n"
            "attributes._arrays.A: note: containers of type View become ArrayView\n"
            "sdfg_list_id: note: 'sdfg_list_id' becomes 'cfg_list_id'\n"
            "start_state: note: 'start_state' becomes 'start_block'\n");
}

TEST(Load, ReadsOldSubsets) {
  const Sdfg sdfg = loaded(program(
      access("A") + "," + access("B"),
      edge("0", "1",
           R"("data":"A","subset":{"type":"Indices","indices":["i"]},"other_subset":"0:N, 2")") + "," +
          edge("0", "1",
               R"("data":"A","subset":{"type":"Range","ranges":[{"start":"0","end":{"main":"N","approx":"M"},"step":"1","tile":"1"}]})"),
      "", "0.15.1"));
  const State& state = state_of(sdfg);
  EXPECT_EQ(*state[EdgeId{0}].memlet.src_subset, Subset::index({Expr::symbol("i")}));
  EXPECT_EQ(state[EdgeId{0}].memlet.dst_subset->rank(), 2u);
  EXPECT_EQ((*state[EdgeId{1}].memlet.src_subset)[0].end, Expr::symbol("N"));
}

TEST(Load, ReadsANestedSdfgStoredAsText) {
  std::string inner = R"({\"type\":\"SDFG\",\"attributes\":{\"name\":\"inner\"},\"nodes\":[],\"edges\":[]})";
  const Sdfg sdfg = loaded(program(
      R"({"type":"NestedSDFG","attributes":{"label":"n","sdfg":")" + inner + R"("}})", ""));
  const auto* nested = state_of(sdfg)[NodeId{0}].as<NestedSdfg>();
  ASSERT_TRUE(nested->sdfg);
  EXPECT_EQ((*nested->sdfg)->name, "inner");
}

TEST(Load, SinceDace200b1NestedSdfgsAreGivenWholeContainers) {
  const Result<Sdfg> made = parse(R"sdfg(
sdfg p(A: float64[8], B: float64[8])
  state main
    n0 = access A
    n1 = map rows (i) in [2:6]
      n2 = nested_sdfg inner with (i)
        sdfg inner(a: float64[8], b: float64[8])
          symbol i: int64
          state inside
            n0 = access a
            n1 = access b
            n0 -> n1 : a[i] -> [i]
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[2:6]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[2:6]
)sdfg");
  ASSERT_TRUE(made) << made.error().text();
  std::string text = *save(*made, {});
  const auto memlets = [](const Sdfg& sdfg) {
    std::string all;
    for_each_state(sdfg, [&](const State& state) {
      for (EdgeId e : state.edges())
        all += to_text(*state[e].memlet.subset()) + (state[e].memlet.dynamic ? "? " : " ");
    });
    return all;
  };
  const auto as_of = [&](std::string version) {
    std::string other = text;
    other.replace(other.find("2.0.0a6"), 7, version);
    return load(other);
  };
  const Result<Loaded> before = as_of("2.0.0a10"), since = as_of("2.0.0b1");
  ASSERT_TRUE(before && since);
  EXPECT_EQ(memlets(before->sdfg), "2:6 i i 2:6 ");
  EXPECT_EQ(before->sdfg.dace_version, "2.0.0a10");
  EXPECT_TRUE(before->notes.empty());
  EXPECT_EQ(memlets(since->sdfg), "0:8 0:8 0:8? 0:8? ");
  EXPECT_EQ(since->sdfg.dace_version, "2.0.0a10");  // of the same meaning as what is in memory
  ASSERT_EQ(since->notes.size(), 1u);
  EXPECT_EQ(since->notes[0].text(),
            "note: DaCe 2.0.0b1 gives nested SDFGs whole containers: memlets at their connectors "
            "cover these now, and the SDFG counts as one of DaCe 2.0.0a10; --refine-nested-access "
            "finds out what is used of them");
  // Whatever is written says so, too.
  for (const SaveProfile profile : {SaveProfile::Keep, SaveProfile::Head}) {
    const Result<Loaded> again = load(*save(since->sdfg, {.profile = profile}));
    ASSERT_TRUE(again);
    EXPECT_EQ(memlets(again->sdfg), memlets(since->sdfg));
    EXPECT_EQ(again->sdfg.dace_version, "2.0.0a10");
  }
}

TEST(Load, ReadsGzipWhateverTheName) {
  EXPECT_EQ(loaded(gzip(program("", ""))).name, "p");
}

TEST(Load, DropsWhatStandsBeforeTheFirstBrace) {
  EXPECT_EQ(notes_of("\xef\xbb\xbf \n" + program("", "")),
            "1:1: note: DaCe reads no file that does not begin with '{'; the byte order mark or "
            "white space before it is dropped\n");
}

TEST(Load, SaysWhatElseAFileIs) {
  EXPECT_EQ(error_of(""), "expected SDFG JSON, found an empty file");
  EXPECT_EQ(error_of("\x80\x04\x95"),
            "expected SDFG JSON, found a Python pickle; pickles run code when they are read; save "
            "the SDFG as JSON with DaCe");
  EXPECT_EQ(error_of("../other/a.sdfgz"),
            "expected SDFG JSON, found the path of another file, '../other/a.sdfgz'; a symbolic "
            "link that was stored as text; read the file it names");
  EXPECT_EQ(error_of("<html>"),
            "expected SDFG JSON, found a document that begins with '<' (HTML or XML)");
  EXPECT_EQ(error_of("{}"), "the key 'type' is missing");
  EXPECT_EQ(error_of(R"({"type":"Point"})"), "type: expected the type 'SDFG', found the string 'Point'");
}

TEST(Load, SaysWhereTheStructureIsBroken) {
  EXPECT_EQ(error_of(R"({"type":"SDFG","attributes":[]})"),
            "attributes: expected an object, found an array");
  EXPECT_EQ(error_of(R"({"type":"SDFG","attributes":{},"nodes":[],"edges":[]})"),
            "attributes: the key 'name' is missing");
  EXPECT_EQ(error_of(R"({"type":"SDFG","attributes":{"name":"p"},"nodes":{},"edges":[]})"),
            "nodes: expected an array, found an object");
  EXPECT_EQ(
      error_of(program(access("A"), edge("0", "7", ""))),
      "nodes[0].edges[0].dst: expected the id of one of the state's 1 nodes, found the string '7'");
  EXPECT_EQ(error_of(program(access("A"), edge("0", "-1", ""))),
            "nodes[0].edges[0].dst: expected the id of one of the state's 1 nodes, found the "
            "string '-1'");
  EXPECT_EQ(error_of(program(access("A"), R"({"src":"0","dst":"0","attributes":{}})")),
            "nodes[0].edges[0].attributes: the key 'data' is missing");
  EXPECT_EQ(error_of(program(R"({"type":"AccessNode"})", "")),
            "nodes[0].nodes[0]: the key 'attributes' is missing");
  EXPECT_EQ(error_of(program(R"({"type":"AccessNode","attributes":{"data":3}})", "")),
            "nodes[0].nodes[0].attributes.data: expected a string, found the number 3");
  EXPECT_EQ(error_of(program(R"({"type":"MapExit","scope_entry":"1","attributes":{}},)" + access("A"), "")),
            "nodes[0].nodes[0].scope_entry: expected the id of the entry that this exit closes, "
            "found the string '1'");
  EXPECT_EQ(error_of(program(R"({"type":"LibraryNode","attributes":{}})", "")),
            "nodes[0].nodes[0]: a library node needs its 'classpath'");
}

TEST(Load, SaysWhereTheFileEnds) {
  const std::string whole = gzip(program("", ""));
  EXPECT_EQ(error_of(whole.substr(0, 98)),
            "byte 98: the compressed data is cut short; copy the file again");
  EXPECT_EQ(error_of(program("", "").substr(0, 60)),
            "1:61: expected ':' after the key, found the end of the file");
  EXPECT_NE(error_of(whole + "trailing").find("byte " + std::to_string(whole.size())),
            std::string::npos)
      << error_of(whole + "trailing");
}

// Each is a file that once did harm, with the message it must get. See tests/fuzz.
TEST(Load, BadFilesGetTheirMessages) {
  namespace fs = std::filesystem;
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(SDFG_SOURCE_DIR) / "tests/data/bad")) {
    if (entry.path().extension() != ".sdfg") continue;
    ++seen;
    fs::path expected = entry.path();
    expected.replace_extension(".expected");
    std::string message = notes_of(*read_file(entry.path().string()));
    if (message.ends_with('\n')) message.pop_back();
    EXPECT_EQ(message + "\n", *read_file(expected.string())) << entry.path();
  }
  EXPECT_GT(seen, 0u);
}

// Quadratic time would show here: minutes instead of milliseconds.
TEST(Load, ManyUnknownAttributesAndDeepTypesAreQuick) {
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  Sdfg sdfg = loaded(program("", "", many));
  EXPECT_EQ(sdfg.extras.size(), 100'000u);
  sdfg.name = "q";
  EXPECT_EQ(loaded(*save(sdfg)).extras, sdfg.extras);
  with_deep_stack([] {
    std::string type = "\"int32\"";
    constexpr int depth = 60'000;
    std::string open, close(depth, '}');
    for (int i = 0; i < depth; ++i) open += R"({"type":"pointer","dtype":)";
    const Sdfg deep = loaded(program("", "", ",\"symbols\":{\"M\":" + open + type + close + "}"));
    EXPECT_TRUE(deep.symbols.at("M").is_pointer());
  });
}

TEST(Load, TenThousandLevelsOfNestingWork) {
  const auto open = [](int i) {
    return R"({"type":"SDFG","attributes":{"name":"p)" + std::to_string(i) +
           R"("},"edges":[],"nodes":[{"type":"SDFGState","label":"s","attributes":{},"edges":[],"nodes":[{"type":"NestedSDFG","attributes":{"label":"n","sdfg":)";
  };
  constexpr int levels = 10'000;
  std::string text;
  for (int i = 0; i < levels; ++i) text += open(i);
  text += "null";
  for (int i = 0; i < levels; ++i) text += "}}]}]}";
  with_deep_stack([&] {
    auto result = load(text);
    ASSERT_TRUE(result) << result.error().text();
    std::size_t count = 0;
    for_each_sdfg(result->sdfg, [&](const Sdfg&) { ++count; });
    EXPECT_EQ(count, std::size_t(levels));
    EXPECT_EQ(*save(result->sdfg), text);
    EXPECT_TRUE(load(*save(result->sdfg, {SaveProfile::Head})));
  });
}

}  // namespace
}  // namespace sdfg
