// Builds a vector addition, checks it, runs it with the interpreter, and writes it as JSON that
// DaCe reads: vector_add.sdfg.

#include <cstdio>
#include <cstring>

#include "codegen/interpreter.h"
#include "ir/builder.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "serialize/save.h"
#include "support/file.h"

int main() {
  sdfg::Builder builder("vector_add");
  builder.symbol("N");
  for (const char* name : {"A", "B", "C"}) builder.array(name, sdfg::BaseType::Float64, "N");
  builder.state("main").map("add", "i", "0:N", {{"a", "A[i]"}, {"b", "B[i]"}}, "c = a + b",
                            {{"c", "C[i]"}});
  const sdfg::Sdfg program = builder.take();
  std::fputs(sdfg::print(program).c_str(), stdout);

  for (const sdfg::Diagnostic& finding : sdfg::verify(program)) {
    std::fprintf(stderr, "%s\n", finding.text().c_str());
    return 1;
  }

  const auto numbers = [](std::vector<double> values) {
    sdfg::NdArray array = sdfg::NdArray::zeros(sdfg::BaseType::Float64, {3});
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
  };
  sdfg::NdArray n = sdfg::NdArray::zeros(sdfg::BaseType::Int64, {});
  n.bytes[0] = std::byte(3);
  const auto result = sdfg::interpret(program, {{"A", numbers({1, 2, 3})},
                                                {"B", numbers({10, 20, 30})},
                                                {"C", numbers({0, 0, 0})},
                                                {"N", n}});
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().text().c_str());
    return 1;
  }
  double sums[3];
  std::memcpy(sums, result->arguments.at("C").bytes.data(), sizeof sums);
  std::printf("C = %g %g %g\n", sums[0], sums[1], sums[2]);

  const auto json = sdfg::save(program);
  if (!json || !sdfg::write_file("vector_add.sdfg", *json)) return 1;
  return sums[0] == 11 && sums[1] == 22 && sums[2] == 33 ? 0 : 1;
}
