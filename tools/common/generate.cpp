#include "tools/common/generate.h"

#include <algorithm>

#include "ir/builder.h"
#include "tools/common/generate_mixed.h"

namespace sdfg {
namespace {

constexpr std::string_view clamp = "v = 2 * a - b\no = 64 if v > 64 else (-64 if v < -64 else v)";

std::string numbered(const char* name, std::size_t i) { return name + std::to_string(i); }

Builder with_array(const std::string& name) {
  Builder b(name);
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  return b;
}

/// A[i] = f(A[i], A[k]), where k is 0 or an index symbol; about 5 nodes.
void update(StateBuilder s, const std::string& k = "0") {
  // Element k is copied first: every iteration reads it.
  s.tasklet("pick", {{"a", "A[" + k + "]"}}, "o = a", {{"o", "t[0]"}});
  s.map("update", "i", "0:N", {{"a", "A[i]"}, {"b", "t[0]"}}, clamp, {{"o", "A[i]"}});
}
constexpr std::size_t update_nodes = 7;

Sdfg chain(std::size_t size) {
  Builder b = with_array("chain");
  const std::size_t steps = std::max<std::size_t>(1, size / 4);
  for (std::size_t i = 0; i + 1 < steps; ++i) b.transient(numbered("t", i), BaseType::Float64, "N");
  StateBuilder s = b.state("main");
  for (std::size_t i = 0; i < steps; ++i) {
    const std::string from = i == 0 ? "A" : numbered("t", i - 1);
    const std::string to = i + 1 == steps ? "A" : numbered("t", i);
    s.map(numbered("step", i), "i", "0:N", {{"a", from + "[i]"}, {"b", from + "[N - i - 1]"}},
          clamp, {{"o", to + "[i]"}});
  }
  return b.take();
}

Sdfg wide(std::size_t size) {
  Builder b = with_array("wide");
  const std::size_t rows = std::max<std::size_t>(1, size / 4);
  b.array("B", BaseType::Float64, std::to_string(rows) + ", N");
  StateBuilder s = b.state("main");
  for (std::size_t i = 0; i < rows; ++i)
    s.map(numbered("row", i), "i", "0:N", {{"a", "A[i]"}, {"b", "A[0]"}}, clamp,
          {{"o", "B[" + std::to_string(i) + ", i]"}});
  return b.take();
}

Sdfg nested_level(std::size_t level) {
  Builder b = with_array(numbered("level", level));
  b.transient("t", BaseType::Float64, "1");
  update(b.state("main"));
  if (level > 0)
    b.state("call").nested(nested_level(level - 1), {{"A", "A[0:N]"}}, {{"A", "A[0:N]"}});
  return b.take();
}

Sdfg nest(std::size_t size, std::size_t depth) {
  const std::size_t each = (update_nodes + 3) * depth;
  Builder b = with_array("nest");
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / each); ++i)
    b.state().nested(nested_level(depth - 1), {{"A", "A[0:N]"}}, {{"A", "A[0:N]"}});
  return b.take();
}

Sdfg states(std::size_t size) {
  Builder b = with_array("states");
  b.transient("t", BaseType::Float64, "1");
  b.assign({{"k", "0"}});
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / update_nodes); ++i) {
    update(b.state(), "k");
    b.assign({{"k", i % 4 ? "k + 1" : "0"}});
  }
  return b.take();
}

Sdfg conditionals(std::size_t size) {
  Builder b = with_array("conditionals");
  b.transient("t", BaseType::Float64, "1");
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / (2 * update_nodes)); ++i) {
    ConditionalBuilder choice = b.conditional();
    RegionBuilder then = choice.branch("N > " + std::to_string(4 + i % 5));
    update(then.state(), "0");
    RegionBuilder otherwise = choice.otherwise();
    update(otherwise.state(), "N - 1");
  }
  return b.take();
}

Sdfg loops(std::size_t size) {
  Builder b = with_array("loops");
  b.transient("t", BaseType::Float64, "1");
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / update_nodes); ++i) {
    RegionBuilder outer = b.loop("j", "0", "j < 2", "j + 1");
    RegionBuilder inner = outer.loop("k", "j", "k < 4", "k + 2");
    update(inner.state(), "k");
  }
  return b.take();
}

}  // namespace

Sdfg generate(const GenerateOptions& options) {
  switch (options.shape) {
    case Shape::Chain:
      return chain(options.size);
    case Shape::Conditionals:
      return conditionals(options.size);
    case Shape::Loops:
      return loops(options.size);
    case Shape::Nest:
      return nest(options.size, options.depth ? options.depth : 32);
    case Shape::States:
      return states(options.size);
    case Shape::Wide:
      return wide(options.size);
    case Shape::Mixed:
      break;
  }
  Random random(options.seed);
  return RandomProgram("random_" + std::to_string(options.seed), random, 0).run(options.size);
}

}  // namespace sdfg
