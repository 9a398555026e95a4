#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/sdfg_function.h"

namespace sdfg {

/// A kernel while it is collected.
struct SdfgFunction::KernelText {
  const MapEntry& map;
  const KernelPlan& plan;
  std::vector<NodeId> nodes;  ///< inside of the map
  std::string name;
  /// One dimension of the grid, x first.
  struct Dimension {
    std::string param, count, step;
    Expr begin;
    std::int64_t fixed_step = 0;  ///< 0: known at run time only
    std::optional<std::int64_t> fixed_count;
  };
  std::vector<Dimension> dims;
  std::string rows_first;  ///< blocks go along y first: "true", what the host computes, or empty
  std::vector<Parameter> values;          ///< begins, counts and steps that the host computes
  std::map<std::string, std::string> arguments;  ///< of containers, where not their own name
  std::set<std::string> written;          ///< memory that the kernel writes
  std::vector<std::string_view> named;    ///< containers of its nodes and edges, sorted
  /// Booleans that all threads of a gather agree on: it is compiled once for each of their values,
  /// so that a branch that is not taken costs no registers. At most `most_flags`.
  std::vector<std::string> flags;
  static constexpr std::size_t most_flags = 2;
  std::string declarations, passed;
};

}  // namespace sdfg
