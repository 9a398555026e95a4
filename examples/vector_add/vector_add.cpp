// Builds a vector addition, checks it, runs it with the interpreter, and writes it as JSON that
// DaCe reads: vector_add.sdfg.

#include <cstdint>
#include <cstdio>
#include <vector>

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

  const sdfg::Diagnostics findings = sdfg::verify(program);
  for (const sdfg::Diagnostic& finding : findings)
    std::fprintf(stderr, "%s\n", finding.text().c_str());
  if (sdfg::has_errors(findings)) return 1;

  using sdfg::NdArray;
  const auto result = sdfg::interpret(program, {{"A", NdArray::of<double>({3}, {1, 2, 3})},
                                                {"B", NdArray::of<double>({3}, {10, 20, 30})},
                                                {"C", NdArray::of<double>({3}, {0, 0, 0})},
                                                {"N", NdArray::scalar<std::int64_t>(3)}});
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().text().c_str());
    return 1;
  }
  const std::vector<double> sums = result->arguments.at("C").values<double>();
  std::printf("C = %g %g %g\n", sums[0], sums[1], sums[2]);

  const auto json = sdfg::save(program);
  if (!json || !sdfg::write_file("vector_add.sdfg", *json)) return 1;
  return sums[0] == 11 && sums[1] == 22 && sums[2] == 33 ? 0 : 1;
}
