#include "tools/common/summary.h"

#include <fmt/format.h>

#include <map>

#include "ir/analysis/signature.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

constexpr std::size_t max_lines = 12;    // of arguments
constexpr std::size_t max_columns = 80;  // of one of them

struct Counts {
  std::map<std::string_view, std::size_t> nodes, blocks;
  std::size_t edges = 0, sdfgs = 0, transients = 0, depth = 0;

  void add(const Sdfg& sdfg, std::size_t level) {
    ++sdfgs;
    depth = std::max(depth, level);
    for (const auto& [name, data] : sdfg.arrays) transients += data.transient;
    for_each_block(sdfg, [&](const Block& block) { ++blocks[block.kind_name()]; });
    for_each_node(sdfg, [&](const Node& node) {
      if (!node.is_exit()) ++nodes[node.kind_name()];
    });
    for_each_edge(sdfg, [&](const Edge&) { ++edges; });
    for_each_nested_sdfg(sdfg, [&](const NestedSdfg& nested) { add(**nested.sdfg, level + 1); });
  }
};

std::string list(const std::map<std::string_view, std::size_t>& counts) {
  std::string out;
  for (const auto& [kind, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, kind);
  return out.empty() ? "none" : out;
}

std::string describe(const Argument& argument) {
  std::string out = argument.type.text();
  if (!argument.data) return out + ", symbol";
  if (argument.data->is_scalar()) return out + ", scalar";
  out += '[';
  for (std::size_t d = 0; d < argument.data->shape.size(); ++d)
    out += (d ? ", " : "") + to_text(argument.data->shape[d]);
  return out + ']';
}

}  // namespace

std::string summary(const Sdfg& sdfg) {
  Counts counts;
  counts.add(sdfg, 1);
  std::string out = fmt::format("program    {}\n", sdfg.name);
  if (!sdfg.dace_version.empty()) out += fmt::format("file of    DaCe {}\n", sdfg.dace_version);
  out += fmt::format("blocks     {}\n", list(counts.blocks));
  out += fmt::format("nodes      {}\n", list(counts.nodes));
  out += fmt::format("edges      {} in states\n", counts.edges);
  out += fmt::format("SDFGs      {}, nested {} deep\n", counts.sdfgs, counts.depth);
  out += fmt::format("transients {}\n", counts.transients);
  const Result<std::vector<Argument>> arguments = signature(sdfg);
  if (!arguments) return out + "arguments  unknown: " + arguments.error().text() + "\n";
  out += fmt::format("arguments  {}\n", arguments->size());
  for (std::size_t i = 0; i < std::min(arguments->size(), max_lines); ++i) {
    std::string line = "  " + (*arguments)[i].name + ": " + describe((*arguments)[i]);
    if (line.size() > max_columns) line.replace(max_columns - 3, line.npos, "...");
    out += line + "\n";
  }
  if (arguments->size() > max_lines)
    out += fmt::format("  and {} more\n", arguments->size() - max_lines);
  return out;
}

}  // namespace sdfg
