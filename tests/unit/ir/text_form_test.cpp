#include <gtest/gtest.h>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "support/deep_stack.h"
#include "support/file.h"

namespace sdfg {
namespace {

/// Parses, prints, and parses again; gives the printed text.
std::string round_trip(std::string_view text) {
  const Result<Sdfg> first = parse(text);
  if (!first) return first.error().text();
  const std::string printed = print(*first);
  const Result<Sdfg> second = parse(printed);
  if (!second) return printed + second.error().text();
  EXPECT_TRUE(*first == *second) << printed;
  EXPECT_EQ(print(*second), printed);
  return printed;
}

std::string error_of(std::string_view text) {
  const Result<Sdfg> parsed = parse(text);
  return parsed ? "no error" : parsed.error().text();
}

TEST(TextForm, TheExamplesOfItsDocumentRoundTrip) {
  const Result<std::string> document = read_file(SDFG_SOURCE_DIR "/docs/text-format.md");
  ASSERT_TRUE(document) << document.error().text();
  std::string_view rest = *document;
  int examples = 0;
  for (std::size_t at; (at = rest.find("```sdfg\n")) != rest.npos; ++examples) {
    rest.remove_prefix(at + 8);
    const std::string_view example = rest.substr(0, rest.find("```"));
    const std::string printed = round_trip(example);
    EXPECT_TRUE(printed.starts_with("sdfg ")) << printed << "\n" << example;
  }
  EXPECT_EQ(examples, 4);
}

constexpr std::string_view copy = R"(sdfg copy(A: float64[N, M], B: float64[N, M])
  symbol M: int64
  symbol N: int64
  state main
    n0 = access A
    n1 = map rows (i) in [0:N]
      n3 = map columns (j) in [0:M]
        n5 = tasklet copy: "b = a"
      n4 = exit n3
    n2 = exit n1
    n6 = access B
    n0 -> n1.IN_A : A[0:N, 0:M]
    n1.OUT_A -> n3.IN_A : A[i, 0:M]
    n3.OUT_A -> n5.a : A[i, j]
    n5.b -> n4.IN_B : B[i, j]
    n4.OUT_B -> n2.IN_B : B[i, 0:M]
    n2.OUT_B -> n6 : B[0:N, 0:M]
)";

TEST(TextForm, PrintsWhatItReads) { EXPECT_EQ(round_trip(copy), copy); }

TEST(TextForm, ReadsWhatTheTextSays) {
  const Result<Sdfg> parsed = parse(copy);
  ASSERT_TRUE(parsed) << parsed.error().text();
  const Sdfg& sdfg = *parsed;
  EXPECT_EQ(sdfg.name, "copy");
  EXPECT_EQ(sdfg.arrays.at("A").shape, (std::vector{Expr::symbol("N"), Expr::symbol("M")}));
  ASSERT_TRUE(sdfg.start_block);
  const State& state = *sdfg[*sdfg.start_block].as<State>();
  EXPECT_EQ(state.node_count(), 7u);
  EXPECT_EQ(state.get<MapExit>(NodeId{4}).entry, NodeId{3});
  EXPECT_TRUE(state[NodeId{1}].in_connectors.contains("IN_A"));
  const Memlet& in = state[EdgeId{2}].memlet;
  EXPECT_TRUE(in.data_is_src);
  EXPECT_EQ(in.volume, Expr(1));
  const Memlet& out = state[EdgeId{3}].memlet;
  EXPECT_FALSE(out.data_is_src);
  EXPECT_EQ(out.dst_subset->rank(), 2u);
  EXPECT_EQ(state[EdgeId{0}].memlet.volume, Expr::symbol("N") * Expr::symbol("M"));
}

TEST(TextForm, KeepsGapsInIdsAndTheOrderOfEdges) {
  Result<Sdfg> parsed = parse(R"(sdfg s()
  state a
  state b
  state c
  a -> b
  b -> c
  a -> c
)");
  ASSERT_TRUE(parsed);
  Sdfg sdfg = *parsed;
  State& state = *sdfg[BlockId{2}].as<State>();
  const NodeId n0 = state.add(Node{AccessNode{"A"}}), n1 = state.add(Node{AccessNode{"B"}}),
               n2 = state.add(Node{AccessNode{"C"}});
  state.connect(n0, n1, {});
  state.connect(n0, n2, {});
  const EdgeId e2 = state.connect(n0, n2, {});
  state.connect(n0, n2, {});
  state.erase(n1);
  state.erase(e2);
  state.set_target(EdgeId{1}, n2);
  sdfg.erase(BlockId{1});
  sdfg.connect(BlockId{0}, BlockId{2}, {});
  const std::string printed = print(sdfg);
  EXPECT_NE(printed.find("state c {id = 2}"), printed.npos) << printed;
  EXPECT_NE(printed.find("in_order = [3, 1]"), printed.npos) << printed;
  const Result<Sdfg> again = parse(printed);
  ASSERT_TRUE(again) << again.error().text() << printed;
  EXPECT_TRUE(*again == sdfg) << printed;
}

TEST(TextForm, AmbiguousLabelsAreNamedById) {
  const std::string printed = round_trip("sdfg s()\n  state a\n  state a\n  #0 -> #1\n");
  EXPECT_EQ(printed, "sdfg s()\n  state a\n  state a\n  #0 -> #1\n");
}

TEST(TextForm, LongListsAreBrokenAtTheirOutermostItems) {
  EXPECT_EQ(
      round_trip(
          R"(sdfg s() {arg_names = ["argument_one", "argument_two"], instrument = Timer, callback_mapping = {a = "0123456789", b = "0123456789", c = "0123456789"}, guid = "last"}
)"),
      R"(sdfg s() {arg_names = ["argument_one", "argument_two"], instrument = Timer,
    callback_mapping = {a = "0123456789", b = "0123456789", c = "0123456789"}, guid = "last"}
)");
}

TEST(TextForm, ManyArgumentsTakeALineEach) {
  EXPECT_EQ(round_trip("sdfg s(argument_one: float64[N, M], argument_two: float64[N, M], "
                       "argument_three: float64[N, M], a: int32)"),
            R"(sdfg s()
  data argument_one: float64[N, M]
  data argument_two: float64[N, M]
  data argument_three: float64[N, M]
  data a: int32
)");
}

TEST(TextForm, AnyTextSurvives) {
  Sdfg sdfg;
  sdfg.name = "odd \"name\"\n\x01\xff";
  sdfg.global_code["frame"] = Code("line 1\n\tline 2\r\n", Language::Cpp);
  sdfg.extras = {{"key with blanks", "{\"a\": [1, \"}\"]}"}, {"x", "[\n1]"}, {"x", "raw"}};
  sdfg.constants.set("none", Constant{Data::scalar(BaseType::Int32), "1"});
  State state;
  Tasklet tasklet;
  tasklet.code = Code("a\n\n  b  \n", Language::OpenCl);
  state.add(Node{tasklet});
  tasklet.code = Code("a\rb\n", Language::Python);
  tasklet.label = "in";
  state.add(Node{tasklet});
  MapEntry map;
  map.params = {"not an identifier"};
  map.ranges = {Range{Expr::leaf(Op::Opaque, "]{,"), 0}};
  state.add(Node{map});
  state.add(Node{MapExit{}});
  sdfg.add(Block{"state", state});
  sdfg.connect(BlockId{0}, BlockId{0}, {});
  const std::string printed = print(sdfg);
  const Result<Sdfg> again = parse(printed);
  ASSERT_TRUE(again) << again.error().text() << "\n" << printed;
  EXPECT_TRUE(*again == sdfg) << printed;
}

TEST(TextForm, LinesMayEndAsOnWindows) {
  std::string text(copy);
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2)
    text.insert(at, 1, '\r');
  EXPECT_EQ(round_trip(text), copy);
}

TEST(TextForm, WithoutDetailsWhatIsCarriedIsLeftOut) {
  Sdfg sdfg;
  sdfg.name = "s";
  sdfg.guid = "g";
  sdfg.is_collapsed = true;
  EXPECT_EQ(print(sdfg, {.details = false}), "sdfg s() {is_collapsed = true}\n");
}

TEST(TextForm, NestsTenThousandDeep) {
  with_deep_stack([] {
    Sdfg sdfg;
    sdfg.name = "s";
    for (int i = 0; i < 10'000; ++i) {
      NestedSdfg nested;
      nested.sdfg = Box<Sdfg>(std::move(sdfg));
      State state;
      state.add(Node{std::move(nested)});
      sdfg = Sdfg();
      sdfg.name = "s";
      sdfg.start_block = sdfg.add(Block{"main", std::move(state)});
    }
    const std::string printed = print(sdfg);
    EXPECT_LT(printed.size(), 10'000u * 600);
    const Result<Sdfg> again = parse(printed);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(*again == sdfg);
  });
}

TEST(TextForm, ErrorsSayWhereWhatWasExpectedAndFound) {
  EXPECT_EQ(error_of(""), "1:1: expected 'sdfg', found the end of the text");
  EXPECT_EQ(error_of("sdfg s(A float64)"), "1:10: expected ':', found 'float64'");
  EXPECT_EQ(error_of("sdfg s(A: float46[3])"), "1:11: expected a type, found 'float46'");
  EXPECT_EQ(error_of("sdfg s()\n  state a {nosink = true}"),
            "2:12: there is no property 'nosink' here; did you mean 'nosync'?");
  EXPECT_EQ(error_of("sdfg s()\n  state a {nosync = yes}"),
            "2:21: expected true or false, found 'yes'");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n0 = acess A"),
            "3:10: expected a kind of node (access, tasklet, map, exit, nested_sdfg, library, …), "
            "found 'acess'");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n0 -> n1"),
            "3:8: there is no node n0 in this state");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n  a -> b"), "3:8: there is no block 'b' in this region");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n  state a\n  a -> a"),
            "4:3: several blocks are labelled 'a'; say which by its number: #0");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n0 = map (i) in [0:N {schedule = GPU_Devise}"),
            "3:26: expected ',' or ']', found '{'");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n0 = map (i) in [0:N] {schedule = GPU_Devise}"),
            "3:39: unknown value 'GPU_Devise'; did you mean 'GPU_Device'?");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n0 = tasklet: \"b = a"),
            "3:19: the text in quotes does not end on its line");
  EXPECT_EQ(error_of("sdfg s()\n  symbol N: int32\n  symbol N: int32"),
            "3:10: symbol 'N' is declared twice");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n5 = access A\n    n5 = access A"),
            "4:5: id 5 is taken or not in order; the next free id is 6");
  EXPECT_EQ(error_of("sdfg s()\n  state a\n    n4000000000 = access A"),
            "3:5: id 4000000000 is too large");
  EXPECT_EQ(error_of("sdfg s()\nstate a"), "2:1: expected the end of the text, found 'state'");
}

TEST(TextForm, MutatedTextNeverBreaksTheParser) {
  // Every prefix, and single changes at every place.
  const std::string text(copy);
  for (std::size_t i = 0; i < text.size(); ++i) {
    (void)parse(text.substr(0, i));
    for (const char c : {'\n', ' ', '"', '(', ']', '}', '{', ':', '9', '@', '\\', '<', 'x'}) {
      std::string changed = text;
      changed[i] = c;
      if (const Result<Sdfg> parsed = parse(changed)) {
        const Result<Sdfg> again = parse(print(*parsed));
        ASSERT_TRUE(again) << changed << "\n" << print(*parsed) << again.error().text();
        EXPECT_TRUE(*again == *parsed) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace sdfg
