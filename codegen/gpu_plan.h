#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/property.h"
#include "ir/sdfg.h"

namespace sdfg {

/// The two languages of one lowering.
enum class GpuDialect : std::uint8_t { Cuda, Hip };

/// What bounds a kernel, which decides its defaults.
enum class KernelClass : std::uint8_t {
  Pointwise, Gather, Scan, Reduction, Blocks, Copy, Undefined
};
template <>
inline constexpr std::array<std::string_view, 7> names<KernelClass>{
    "pointwise", "gather", "scan", "reduction", "blocks", "copy", "undefined"};

/// How one kernel is run. Plain data: printed, read back and overridden.
struct KernelPlan {
  std::string name;   ///< of the generated function
  std::string place;  ///< in the SDFG
  KernelClass kind = KernelClass::Pointwise;
  std::vector<std::string> params;          ///< of the map, the first one along the block's x
  std::vector<std::int64_t> block{128, 1, 1};  ///< threads in x, y, z
  std::int64_t levels = 1;  ///< points per thread along the second parameter
  std::int64_t batch = 1;   ///< iterations whose loads go ahead in vertical loops
  std::int64_t min_blocks = 0;  ///< per multiprocessor, for __launch_bounds__; 0: not said
  /// Blocks follow each other along the second parameter where the first has as many points as this
  /// or more; 0: never.
  std::int64_t rows_first = 0;
  std::int64_t hoisted = 0;     ///< loads that all levels of a thread share
  std::optional<Expr> launched_if;  ///< the host asks first; none: it always launches
  std::string points;           ///< iterations of the map
  std::string bytes;            ///< distinct elements read, plus those written, times their size
  /// In the JSON form of the program: control-flow graph, state, node.
  std::array<std::int64_t, 3> element{};

  std::int64_t threads() const { return block[0] * block[1] * block[2]; }

  static constexpr auto properties = property_list(
      property("name", &KernelPlan::name), property("place", &KernelPlan::place),
      property("class", &KernelPlan::kind), property("params", &KernelPlan::params, "x first"),
      property("block", &KernelPlan::block, "threads in x, y, z"),
      property("levels", &KernelPlan::levels, "points per thread along the second parameter"),
      property("batch", &KernelPlan::batch, "iterations whose loads go ahead"),
      property("min_blocks", &KernelPlan::min_blocks, "per multiprocessor; 0: not said"),
      property("rows_first", &KernelPlan::rows_first,
               "points along x from which blocks go along y first; 0: never"),
      property("hoisted", &KernelPlan::hoisted, "loads that the levels of a thread share"),
      property("launched_if", &KernelPlan::launched_if, "asked by the host before the launch"),
      property("points", &KernelPlan::points), property("bytes", &KernelPlan::bytes));
  bool operator==(const KernelPlan&) const = default;
};

/// A part of the program's block of device memory, and the containers that share it in turn.
struct MemorySlot {
  std::vector<std::string> containers;
  std::string size;  ///< bytes, as C++
  bool operator==(const MemorySlot&) const = default;
};

/// All kernels of a program, in the order of its text.
struct GpuPlan {
  std::string program;
  bool graph = false;   ///< calls with the arguments of an earlier one are one launch
  bool timers = false;  ///< kernels are timed, for a report as DaCe writes
  bool ranges = false;  ///< profilers see the names of the program and its kernels
  std::vector<KernelPlan> kernels;
  std::vector<MemorySlot> memory;
  std::vector<std::string> waits;  ///< places where the host waits for the device, and why

  static constexpr auto properties =
      property_list(property("graph", &GpuPlan::graph, "one launch per call"),
                    property("timers", &GpuPlan::timers, "kernels are timed"),
                    property("ranges", &GpuPlan::ranges, "names for profilers"));
  bool operator==(const GpuPlan&) const = default;
};

struct GpuOptions {
  GpuDialect dialect = GpuDialect::Cuda;
  std::string plan;  ///< text of a plan that overrides the defaults; empty: none
};

/// The plan by the defaults, with what `options.plan` overrides.
Result<GpuPlan> gpu_plan(const Sdfg& sdfg, const GpuOptions& options = {});

std::string to_text(const GpuPlan& plan);
std::string to_json(const GpuPlan& plan);

}  // namespace sdfg
