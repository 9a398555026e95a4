#include "ir/pointwise.h"

#include <algorithm>

#include "ir/subset.h"

namespace sdfg {

namespace {

std::string shape(const std::vector<Expr>& sizes) {
  std::string text;
  for (const Expr& size : sizes) text += (text.empty() ? "" : ", ") + to_text(size);
  return "[" + text + "]";
}

bool is_axis(std::int64_t axis, std::size_t rank) { return axis >= 0 && std::size_t(axis) < rank; }

}  // namespace

Result<PointwiseRead> pointwise_read(const Pointwise& operation, const std::vector<Expr>& input,
                                     const std::vector<Expr>& result) {
  PointwiseRead read;
  read.follows.resize(input.size());
  const auto wrong_axis = [&](std::int64_t axis, const std::vector<Expr>& sizes) {
    return Diagnostic{"", "axis " + std::to_string(axis + 1) + " (from 1) is not one of the " +
                              std::to_string(sizes.size()) + " of " + shape(sizes)};
  };
  const auto& missing = operation.missing_axis;
  if (missing && !is_axis(*missing, result.size())) return wrong_axis(*missing, result);
  if (operation.rotated_axis) {
    if (!is_axis(*operation.rotated_axis, input.size()))
      return wrong_axis(*operation.rotated_axis, input);
    read.rotated = std::size_t(*operation.rotated_axis);
    read.shift = operation.shift;
  }
  // One element goes everywhere, whatever its rank.
  if (std::ranges::all_of(input, [](const Expr& size) { return size == Expr(1); })) return read;
  const std::size_t rank = input.size() + (missing ? 1 : 0);
  bool fits = missing || read.rotated ? rank == result.size() : rank <= result.size();
  for (std::size_t d = 0; fits && d < input.size(); ++d) {
    std::size_t to = d + (result.size() - rank);
    if (missing && to >= std::size_t(*missing)) ++to;
    const bool stretched = !read.rotated && input[d] == Expr(1);
    if (!stretched) read.follows[d] = to;
    fits = stretched || equal(input[d], result[to]) != Truth::No;
  }
  if (!fits)
    return Diagnostic{"", "an input of " + shape(input) + " does not become " + shape(result)};
  return read;
}

std::vector<Expr> PointwiseRead::index(const std::vector<Expr>& sizes,
                                       const std::vector<Expr>& at) const {
  std::vector<Expr> out;
  for (std::size_t d = 0; d < follows.size(); ++d) {
    out.push_back(follows[d] ? at[*follows[d]] : Expr(0));
    if (rotated == d && follows[d]) out.back() = mod(out.back() + shift, sizes[d]);
  }
  return out;
}

}  // namespace sdfg
