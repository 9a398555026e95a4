#include "serialize/dot.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "support/deep_stack.h"

namespace sdfg {
namespace {

Sdfg sample() {
  Builder inner("inner");
  inner.array("x", BaseType::Float64, "4");
  inner.state("only").tasklet("set", {}, "o = \"<&>\"", {{"o", "x[0]"}});
  Builder b("outer");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  b.transient("t", BaseType::Float64, "N");
  StateBuilder s = b.state("main");
  s.map("add", "i", "0:N", {{"a", "A[i]"}}, "b = a", {{"b", "t[i]"}});
  s.nested(inner.take(), {}, {{"x", "A[0:4]"}});
  b.loop("i", "0", "i < N", "i + 1", "sweep").conditional("if").branch("i > 2").state("then");
  return b.take();
}

TEST(Dot, ShowsBlocksScopesAndNestedSdfgs) {
  EXPECT_EQ(to_dot(sample()), R"(digraph "outer" {
  compound=true; fontname="sans-serif"; node [fontname="sans-serif"];
  subgraph "cluster_r0.b0" {
  label="main"; color="deepskyblue";
  "r0.b0" [shape=point, style=invis];
  subgraph "cluster_r0.b0.n0" {
  label=""; style="dotted";
  "r0.b0.n0" [label="add [i=0:N]", shape=trapezium];
  "r0.b0.n1" [label="", shape=invtrapezium];
  "r0.b0.n2" [label="add\nb = a", shape=octagon];
  }
  "r0.b0.n3" [label="A", shape=ellipse];
  "r0.b0.n4" [label="t", shape=ellipse, style=dashed];
  subgraph "cluster_r0.b0.n5" {
  label="inner"; color="black";
  "r0.b0.n5" [label="inner", shape=doubleoctagon];
  subgraph "cluster_r1.b0" {
  label="only"; color="deepskyblue";
  "r1.b0" [shape=point, style=invis];
  "r1.b0.n0" [label="set\no = \"<&>\"", shape=octagon];
  "r1.b0.n1" [label="x", shape=ellipse];
  "r1.b0.n0" -> "r1.b0.n1" [label="x[0]"];
  }
  }
  "r0.b0.n6" [label="A", shape=ellipse];
  "r0.b0.n3" -> "r0.b0.n0" [label="A[0:N]"];
  "r0.b0.n0" -> "r0.b0.n2" [label="A[i]"];
  "r0.b0.n2" -> "r0.b0.n1" [label="t[i]"];
  "r0.b0.n1" -> "r0.b0.n4" [label="t[0:N]"];
  "r0.b0.n5" -> "r0.b0.n6" [label="A[0:4]"];
  }
  subgraph "cluster_r0.b1" {
  label="LoopRegion sweep\ni = 0; i < N; i = i + 1"; color="orange"; style="rounded";
  "r0.b1" [shape=point, style=invis];
  subgraph "cluster_r2.b0" {
  label="ConditionalBlock if"; color="orange"; style="rounded";
  "r2.b0" [shape=point, style=invis];
  subgraph "cluster_r3" {
  label="if i > 2"; style="dashed";
  subgraph "cluster_r3.b0" {
  label="then"; color="deepskyblue";
  "r3.b0" [shape=point, style=invis];
  }
  }
  }
  }
  "r0.b0" -> "r0.b1" [color="blue", ltail="cluster_r0.b0", lhead="cluster_r0.b1", label=""];
}
)");
}

TEST(Graphml, DeclaresItsKeysAndNestsGraphs) {
  const std::string text = to_graphml(sample());
  for (
      const char* part :
      {R"(<key id="node.kind" for="node" attr.name="kind" attr.type="string" />)",
       R"(<key id="node.transient.boolean" for="node" attr.name="transient" attr.type="boolean" />)",
       R"(<data key="node.text">add
b = a</data>)",
       R"(<node id="r0.b0.n5" yfiles.foldertype="group">)",
       R"(<data key="node.scope">r0.b0.n0</data>)", R"(o = "&lt;&amp;&gt;")"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(Graphml, ReplacesWhatXmlCannotHold) {
  Builder b("s");
  b.state("a\x01z \xff \xc3\xa9 \xed\xa0\x80");
  const std::string text = to_graphml(b.take());
  EXPECT_NE(text.find("a\xef\xbf\xbdz \xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd<"),
            text.npos)
      << text;
}

TEST(Graphml, AndDotGrowLinearlyWithDepth) {
  with_deep_stack([] {
    Sdfg sdfg;
    for (int i = 0; i < 10'000; ++i) {
      Builder b("s");
      b.state("main").nested(std::move(sdfg), {}, {});
      sdfg = b.take();
    }
    EXPECT_LT(to_dot(sdfg).size(), 10'000u * 1000);
    EXPECT_LT(to_graphml(sdfg).size(), 10'000u * 1500);
  });
}

}  // namespace
}  // namespace sdfg
