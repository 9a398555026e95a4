#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/gpu.h"
#include "ir/analysis/connector_types.h"
#include "ir/analysis/cost.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/signature.h"

namespace sdfg {

/// What a program's functions need to know of its device: the dialect, and the plan of each kernel.
struct Lowering {
  GpuDialect dialect = GpuDialect::Cuda;
  /// What callers give, by the SDFG as it was before it was made ready (which may add symbols of
  /// launches), and the containers that this tells of.
  Result<std::vector<Argument>> arguments = std::vector<Argument>{};
  std::deque<Data> described;
  Dataflows flows;
  GpuPlan plan;
  std::map<std::pair<const State*, NodeId>, std::size_t> kernels;  ///< by the entry of its map

  const KernelPlan* find(const State& state, NodeId entry) const {
    const auto found = kernels.find({&state, entry});
    return found == kernels.end() ? nullptr : &plan.kernels[found->second];
  }
  /// Are addresses a scalar row and a 32-bit lane (AMD), rather than a pointer per lane?
  bool scalar_rows() const { return dialect == GpuDialect::Hip; }
};

/// The parameters of a kernel's map, the one along the block's x first: that with stride 1 in most
/// accesses, else the last.
std::vector<std::string> kernel_params(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                                       NodeId entry);

/// What must hold for a kernel to do anything, where the host can tell at the launch: all that
/// others see of the kernel stands under conditions on symbols and scalars of the host. `types` are
/// those of symbols and scalars of the SDFG, `inside` the nodes in the kernel's scope.
std::optional<Expr> launch_condition(const Sdfg& sdfg, const TypeTable& types,
                                     const Dataflows& flows, const State& state, NodeId entry,
                                     const std::vector<NodeId>& inside);

/// Arrays inside kernels that no thread can hold move out of the map, with a slice for each
/// iteration. What cannot move stays. Returns whether any did: states have other nodes then.
bool move_large_arrays_out(Sdfg& sdfg, const Dataflows& flows);

/// Makes the SDFG ready to be lowered: connectors get types, containers their place. Returns a
/// lowering that only knows the arguments and the dataflow.
Result<Lowering> make_ready(Sdfg& sdfg);

/// Changes what the text (or JSON) of a plan chooses; what it says of other kernels, or what no
/// device can do, is an error.
Status override_plan(GpuPlan& plan, std::string_view text);

/// Iterations of a map, and bytes of what a kernel touches, as products of sizes: as one reads them
/// off the ranges, not as sums of all their terms. SymPy reads both.
std::string points_text(const MapEntry& map);
std::string bytes_text(const std::vector<TouchedElements>& touched);

/// Plans an SDFG that is ready, by the defaults and then what the options override; `place`,
/// `bytes` and `points` are told where there is the SDFG as it was before, which has the program's
/// own names.
Status make_plan(Lowering& lowering, const Sdfg& sdfg, const GpuOptions& options,
                 const Sdfg* with_cost_of = nullptr);

}  // namespace sdfg
