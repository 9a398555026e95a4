#include "tools/common/generate.h"

#include <algorithm>

#include "ir/builder.h"
#include "tools/common/generate_mixed.h"
#include "tools/common/generate_patterns.h"
#include "tools/common/generate_pieces.h"
#include "tools/common/hide_names.h"
#include "tools/common/loosen_order.h"
#include "tools/common/split_reads.h"

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

Sdfg copies(std::size_t size) {
  Builder b = with_array("copies");
  b.array("B", BaseType::Float64, "N");
  StateBuilder s = b.state("main");
  std::string from = "A[0:N]";
  for (std::size_t i = 0; i + 2 < size; ++i) {
    b.transient(numbered("t", i), BaseType::Float64, "N");
    const std::string to = numbered("t", i) + "[0:N]";
    s.copy(from, to);
    from = to;
  }
  s.copy(from, "B[0:N]");
  return b.take();
}

/// What GT4Py makes of `o = x if c else y`: an SDFG of scalars that copies one of them. At a level
/// above 0 the first is the result of another choice.
Sdfg choice(std::size_t level) {
  Builder b(numbered("choice", level));
  for (const char* name : {"c", "x", "y", "o"}) b.scalar(name, BaseType::Float64);
  ConditionalBuilder decide = b.conditional();
  StateBuilder then = decide.branch("c > " + std::to_string(level % 4)).state();
  if (level > 0)
    then.nested(choice(level - 1), {{"c", "c[0]"}, {"x", "x[0]"}, {"y", "y[0]"}}, {{"o", "o[0]"}});
  else
    then.copy("x[0]", "o[0]");
  decide.otherwise().state().copy("y[0]", "o[0]");
  return b.take();
}

/// Inside of a map: next = choice(…) between two values computed from `value`; 9 nodes and those
/// of the choice.
std::string choose(Builder& b, StateBuilder& s, const std::string& value, std::size_t i,
                   Sdfg inner) {
  const std::string x = numbered("x", i), y = numbered("y", i), next = numbered("v", i);
  for (const std::string& name : {x, y, next}) b.scalar(name, BaseType::Float64, true);
  s.access(x);
  s.tasklet("then", {{"a", value}}, "o = a + 1 if a < 64 else -64", {{"o", x + "[0]"}});
  s.access(y);
  s.tasklet("otherwise", {{"a", value}}, "o = -a", {{"o", y + "[0]"}});
  s.access(next);
  s.nested(std::move(inner), {{"c", value}, {"x", x + "[0]"}, {"y", y + "[0]"}},
           {{"o", next + "[0]"}});
  return next + "[0]";
}

Sdfg branches(std::size_t size) {
  Builder b = with_array("branches");
  StateBuilder s = b.state("main");
  s.open_map("columns", "i", "0:N");
  std::string value = "A[i]";
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / 10); ++i)
    value = choose(b, s, value, i, choice(0));
  s.tasklet("store", {{"a", value}}, "o = a", {{"o", "A[i]"}});
  s.close_map();
  return b.take();
}

Sdfg branch_nest(std::size_t size, std::size_t depth) {
  Builder b = with_array("branch_nest");
  const std::size_t nodes = 9 + 7 * depth;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / nodes); ++i) {
    StateBuilder s = b.state();
    s.open_map("columns", "i", "0:N");
    const std::string value = choose(b, s, "A[i]", i, choice(depth - 1));
    s.tasklet("store", {{"a", value}}, "o = a", {{"o", "A[i]"}});
    s.close_map();
  }
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
    case Shape::BranchNest:
      return branch_nest(options.size, options.depth ? options.depth : 32);
    case Shape::Branches:
      return branches(options.size);
    case Shape::Copies:
      return copies(options.size);
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
    case Shape::Patterns:
    case Shape::Pieces:
      break;
  }
  Random random(options.seed);
  Sdfg made = options.shape == Shape::Patterns
                  ? random_patterns(options.size, options.pass, random)
              : options.shape == Shape::Pieces
                  ? RandomPieces("pieces_" + std::to_string(options.seed), random, 0)
                        .run(options.size)
                  : RandomProgram("random_" + std::to_string(options.seed), random, 0)
                        .run(options.size);
  hide_names(made, random);
  split_reads(made, random);
  loosen_order(made, random);
  return made;
}

}  // namespace sdfg
