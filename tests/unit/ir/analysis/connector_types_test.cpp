#include "ir/analysis/connector_types.h"

#include <gtest/gtest.h>

#include "ir/analysis/defaults.h"
#include "ir/parse.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

Sdfg program(std::string_view text) {
  Result<Sdfg> sdfg = parse(text);
  EXPECT_TRUE(sdfg) << (sdfg ? "" : sdfg.error().text());
  return *std::move(sdfg);
}

/// "3: a float64 | b pointer(float64)" for each node with connectors.
std::string connectors(const Sdfg& sdfg) {
  std::string all;
  for_each_node(sdfg, [&](const Node& node, const State&, const NodeId& id) {
    if (!node.is_code()) return;
    all += std::to_string(id.value) + ":";
    for (const auto& [name, type] : node.in_connectors) all += " " + name + " " + type.text();
    all += " |";
    for (const auto& [name, type] : node.out_connectors) all += " " + name + " " + type.text();
    all += "\n";
  });
  return all;
}

TEST(ConnectorTypes, OneElementIsAValueMoreAreAPointer) {
  Sdfg sdfg = program(R"sdfg(
sdfg p(A: float64[4, N], s: int32)
  symbol N: int32
  transient t: float32
  state main
    n0 = access A
    n1 = access s
    n2 = tasklet one: "c = a[0] + b"
    n3 = tasklet two: "e = d > 1"
    n4 = access A
    n5 = access t
    n0 -> n2.a : A[0:4, 0]
    n1 -> n2.b : s[0]
    n2.c -> n4 : A[1, 2] {dynamic = true}
    n0 -> n3.d : A[2, 2]
    n3.e -> n5 : t[0]
)sdfg");
  const Status status = infer_connector_types(sdfg);
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(connectors(sdfg),
            "2: a pointer(float64) b int32 | c pointer(float64)\n3: d float64 | e float32\n");
}

TEST(ConnectorTypes, BetweenTaskletsTheCodeTells) {
  Sdfg sdfg = program(R"sdfg(
sdfg p(A: int32[4])
  symbol N: int64
  state main
    n0 = access A
    n1 = tasklet one: "b = a * 2.5"
    n2 = tasklet two: "d = c + N"
    n3 = access A
    n0 -> n1.a : A[0]
    n1.b -> n2.c
    n2.d -> n3 : A[1]
)sdfg");
  const Status status = infer_connector_types(sdfg);
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(connectors(sdfg), "1: a int32 | b float64\n2: c float64 | d int32\n");
}

TEST(ConnectorTypes, WhatNothingTellsIsAnError) {
  Sdfg sdfg = program(R"sdfg(
sdfg p(A: int32[4])
  state main
    n1 = tasklet one: "b = mystery(1)"
    n2 = tasklet two: "d = c"
    n3 = access A
    n1.b -> n2.c
    n2.d -> n3 : A[1]
)sdfg");
  const Status status = infer_connector_types(sdfg);
  ASSERT_FALSE(status);
  EXPECT_EQ(
      status.error().text(),
      "state main / node 1 (tasklet one): the type of connector 'b' cannot be inferred: the code "
      "does not tell it; give the connector a type");
}

TEST(ConnectorTypes, ExpressionsFollowDaCe) {
  const TypeTable names{{"i", BaseType::Int32}, {"f", BaseType::Float32}, {"u", BaseType::UInt32}};
  const auto type = [&](std::string_view text) {
    return type_of(*parse_python(text), names).text();
  };
  EXPECT_EQ(type("i + u"), "uint32");
  EXPECT_EQ(type("i + 1"), "int64");
  EXPECT_EQ(type("i * f"), "float32");
  EXPECT_EQ(type("f / 2.0"), "float64");
  EXPECT_EQ(type("i < f"), "bool");
  EXPECT_EQ(type("math.sqrt(f)"), "float32");
  EXPECT_EQ(type("dace.int8(f)"), "int8");
  EXPECT_EQ(type("f if i > 0 else 1.0"), "float64");
  EXPECT_EQ(type("f ** 2"), "float32");
}

TEST(Defaults, FollowTheScopesAround) {
  Sdfg sdfg = program(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  transient t: float64
  transient h: float64[4]
  state main
    n0 = access A
    n1 = map outer (i) in [0:4]
      n2 = map inner (j) in [0:1]
        n3 = tasklet one: "b = a"
        n4 = access t
        n5 = tasklet two: "d = c"
      n6 = exit n2
    n7 = exit n1
    n8 = access h
    n9 = access B
    n0 -> n1.IN_A : A[0:4]
    n1.OUT_A -> n2.IN_A : A[i]
    n2.OUT_A -> n3.a : A[i]
    n3.b -> n4 : t[0]
    n4 -> n5.c : t[0]
    n5.d -> n6.IN_h : h[i]
    n6.OUT_h -> n7.IN_h : h[i]
    n7.OUT_h -> n8 : h[0:4]
    n8 -> n9 : h[0:4]
)sdfg");
  const Status status = set_defaults(sdfg);
  ASSERT_TRUE(status) << status.error().text();
  std::string schedules;
  for_each_node(sdfg, [&](const Node& node) {
    if (const auto* map = node.as<MapEntry>())
      schedules += std::string(to_text(map->schedule)) + " ";
  });
  EXPECT_EQ(schedules, "CPU_Multicore Sequential ");
  EXPECT_EQ(sdfg.arrays.at("t").storage, Storage::Register);
  EXPECT_EQ(sdfg.arrays.at("h").storage, Storage::CpuHeap);
  EXPECT_EQ(sdfg.arrays.at("A").storage, Storage::CpuHeap);
}

}  // namespace
}  // namespace sdfg
