#include "passes/gpu/gpu_transformation.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ir/analysis/scope_tree.h"
#include "ir/control_views.h"
#include "ir/walk.h"
#include "passes/gpu/boxes.h"
#include "passes/gpu/columns.h"
#include "passes/gpu/device_copies.h"
#include "passes/gpu/host_copies.h"
#include "passes/gpu/host_states.h"
#include "passes/gpu/placement.h"
#include "support/text.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// ---- Block sizes.

using BlockSize = std::array<std::int64_t, 3>;

BlockSize padded(const std::vector<std::int64_t>& size) {
  BlockSize out{1, 1, 1};
  std::copy_n(size.begin(), std::min<std::size_t>(size.size(), 3), out.begin());
  return out;
}

const std::vector<std::int64_t>& size_for(std::size_t rank, const GpuTransformation::Options& o) {
  const auto& own = rank == 1 ? o.gpu_block_size_1d : rank == 2 ? o.gpu_block_size_2d
                                                                 : o.gpu_block_size_3d;
  return own.empty() ? o.gpu_block_size : own;
}

/// The extent of the dimension that x, y or z runs along: x the last one, and so on.
Expr extent(const MapEntry& map, std::size_t axis) {
  return map.ranges[map.ranges.size() - 1 - axis].size();
}

void set_block_size(MapEntry& map, const GpuTransformation::Options& options) {
  const std::size_t rank = map.ranges.size(), axes = std::min<std::size_t>(rank, 3);
  std::vector<std::size_t> wide;
  for (std::size_t axis = 0; axis < axes; ++axis)
    if (extent(map, axis) != Expr(1)) wide.push_back(axis);
  BlockSize block = padded(size_for(rank, options));
  if (rank <= 3 && wide.size() <= 1) {
    const std::int64_t along = padded(size_for(1, options))[0];
    block = {1, 1, 1};
    block[wide.empty() ? 0 : wide[0]] = along;
  }
  for (std::size_t axis = axes; axis < 3; ++axis) block[axis] = 1;
  const std::int64_t threads = block[0] * block[1] * block[2];
  // Of more than three dimensions, z runs along several.
  for (std::size_t axis = 0; axis < (rank > 3 ? 2 : axes); ++axis)
    if (const auto size = extent(map, axis).as_integer()) 
      block[axis] = std::max<std::int64_t>(1, std::min(block[axis], *size));
  map.gpu_block_size = std::vector<std::int64_t>(block.begin(), block.end());
  if (options.gpu_maxnreg > 0 && map.gpu_maxnreg == 0)
    map.gpu_maxnreg = options.gpu_maxnreg;
  else if (!options.gpu_launch_bounds.empty())
    map.gpu_launch_bounds = options.gpu_launch_bounds;
  else if (options.gpu_launch_factor > 0)
    map.gpu_launch_bounds = std::to_string(options.gpu_launch_factor * threads);
}

// ---- Kernels and memory.

Schedule inside_kernel(Schedule schedule) {
  const bool host = schedule == Schedule::Default || schedule == Schedule::CpuMulticore ||
                    schedule == Schedule::CpuPersistent;
  return host ? Schedule::Sequential : schedule;
}

/// Not what outlives a call; what the program puts into the host's memory only inside of kernels.
bool fits_registers(const Data& data, bool in_kernel) {
  const bool host = data.storage == Storage::CpuHeap || data.storage == Storage::CpuThreadLocal;
  return data.transient && data.role() == Role::Plain &&
         (data.storage == Storage::Default || (in_kernel && host)) &&
         (data.lifetime == Lifetime::Scope || data.lifetime == Lifetime::State ||
          data.lifetime == Lifetime::Sdfg);
}

class Transformer {
 public:
  Transformer(Sdfg& root, const GpuTransformation::Options& options, const GpuPlacement& placement,
              PassContext& context)
      : options_(options), placement_(placement), context_(context), gpu_(root) {}

  /// An SDFG that the host runs.
  void on_host(Sdfg& sdfg, const Trail& trail) {
    SymbolSet shared;  // containers that are used outside of kernels
    for (BlockId b : sdfg.nodes()) on_block(sdfg, sdfg[b], trail, shared);
    for (auto& [name, data] : sdfg.arrays) {
      if (placement_.is_kept(sdfg, name)) continue;
      // What outlives a call is no thread's own, even if only one kernel uses it.
      const bool own = data.transient && !shared.contains(name) && data.lifetime <= Lifetime::Sdfg;
      if (placement_.on_device(sdfg, name) && !own)
        set(data, Storage::GpuGlobal);
      else if (fits_registers(data, !shared.contains(name)))
        set(data, Storage::Register);
    }
  }
  Changed changed() const { return changed_; }

 private:
  template <class T>
  void assign(T& field, T value) {
    if (field == value) return;
    field = std::move(value);
    changed_ = Changed::Yes;
  }
  void set(Data& data, Storage storage) { assign(data.storage, storage); }

  void on_block(Sdfg& sdfg, Block& block, const Trail& outer, SymbolSet& shared) {
    const Trail trail = outer.in(block);
    if (Region* region = block.region())
      for (BlockId b : region->nodes()) on_block(sdfg, (*region)[b], trail, shared);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) on_block(sdfg, branch.block, trail, shared);
    if (auto* state = block.as<State>()) on_state(sdfg, *state, trail, shared);
  }

  void on_state(Sdfg& sdfg, State& state, const Trail& trail, SymbolSet& shared) {
    if (placement_.stays_on_host(state)) return;
    changed_ |=
        make_copies_feasible(sdfg, state, placement_, gpu_, assigned_, trail, context_);
    const auto tree = scope_tree(state);
    if (!tree) return context_.refused(trail, tree.error().message);
    for (NodeId n : state.nodes()) {
      if (n.value >= tree->parent.size()) break;  // kernels made below
      const bool inside = tree->parent_of(n) != NodeId{};
      Node& node = state[n];
      if (auto* map = node.as<MapEntry>()) {
        inside ? assign(map->schedule, inside_kernel(map->schedule))
               : make_kernel(sdfg, state, {n, tree->exit_of(n)}, trail.in(state, n));
      } else if (auto* library = node.as<LibraryNode>()) {
        assign(library->schedule, inside ? Schedule::Sequential : Schedule::GpuDevice);
      } else if (auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
        inside ? on_device(**nested->sdfg) : on_host(**nested->sdfg, trail.in(state, n));
      } else if (const auto* access = node.as<AccessNode>(); access && !inside) {
        shared.insert(access->data);
      } else if (node.is<Tasklet>() && !inside && placement_.becomes_kernel(state, n)) {
        wrap(sdfg, state, n, trail);
      }
    }
  }

  void make_kernel(const Sdfg& sdfg, State& state, MapEnds ends, const Trail& here) {
    const auto& given = state.get<MapEntry>(ends.entry);
    const bool box = is_rectangular(given);
    if (box && given.schedule == Schedule::GpuDevice && given.gpu_block_size) return;
    MapEntry& map = state.get<MapEntry>(put_into_box(sdfg, state, ends, assigned_));
    map.schedule = Schedule::GpuDevice;
    if (!map.gpu_block_size) set_block_size(map, options_);
    std::string block;
    for (std::int64_t size : *map.gpu_block_size)
      block += (block.empty() ? "" : ", ") + std::to_string(size);
    context_.applied(here, "a kernel with blocks of (" + block + ") threads" +
                               (box ? "" : ", of which some have nothing to do"));
    changed_ = Changed::Yes;
  }

  /// What a thread runs: nothing in parallel, transients in registers.
  void on_device(Sdfg& sdfg) {
    for_each_node(sdfg, [&](Node& node) {
      if (auto* map = node.as<MapEntry>()) assign(map->schedule, inside_kernel(map->schedule));
      if (auto* library = node.as<LibraryNode>()) assign(library->schedule, Schedule::Sequential);
      if (auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) on_device(**nested->sdfg);
    });
    for (auto& [name, data] : sdfg.arrays)
      if (fits_registers(data, true)) set(data, Storage::Register);
  }

  /// A map of one point around a tasklet.
  void wrap(const Sdfg& sdfg, State& state, NodeId tasklet, const Trail& trail) {
    const std::string label = state.get<Tasklet>(tasklet).label;
    context_.applied(trail.in(state, tasklet), quoted(label) + " is a kernel of its own");
    MapEntry& map = state.get<MapEntry>(put_into_map_of_one_point(sdfg, state, tasklet));
    map.schedule = Schedule::GpuDevice;
    set_block_size(map, options_);
    changed_ = Changed::Yes;
  }

  const GpuTransformation::Options& options_;
  const GpuPlacement& placement_;
  PassContext& context_;
  const GpuMemory gpu_;
  AssignedNames assigned_;
  Changed changed_ = Changed::No;
};

Result<Changed> move_to_gpu(Sdfg& sdfg, const GpuTransformation::Options& options,
                            PassContext& context) {
  SDFG_TRY(const bool referred, refer_to_views(sdfg));
  SDFG_TRY(const Changed kept, keep_on_host(sdfg, context));
  std::optional<GpuPlacement> placement(sdfg);
  SDFG_TRY(const Changed handed, values_into_scalars(sdfg, *placement, context));
  if (handed == Changed::Yes) placement.emplace(sdfg);
  const Changed given = scalars_to_gpu(sdfg, *placement, context);
  if (given == Changed::Yes) placement.emplace(sdfg);
  const Changed columns = columns_into_kernels(sdfg, *placement, context);
  if (columns == Changed::Yes) placement.emplace(sdfg);
  SDFG_TRY([[maybe_unused]] const Ok placed, placement->check());
  if (const auto reads = placement->host_reads(); !reads.empty())
    context.warnings.push_back(
        {sdfg.name, "the host waits for the GPU where control flow reads what kernels write: " +
                        join(reads, ", "),
         {}, Severity::Warning});
  SDFG_TRY(const Changed copied, copy_to_host(sdfg, *placement, context));
  if (copied == Changed::Yes) placement.emplace(sdfg);
  Transformer transformer(sdfg, options, *placement, context);
  transformer.on_host(sdfg, {});
  const Changed shown = referred ? Changed::Yes : Changed::No;
  return shown | kept | handed | given | columns | copied | transformer.changed();
}

}  // namespace

Result<Changed> GpuTransformation::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  if (!options.gpu_launch_bounds.empty() && options.gpu_launch_factor != 0)
    return Diagnostic{"", "'gpu_launch_bounds' and 'gpu_launch_factor' exclude each other",
                      "leave one of them out"};
  // A program that has moved in part is none: a limit allows all of it or nothing.
  if (context.limit) {
    Sdfg moved = sdfg;
    PassContext trial(info.name);
    SDFG_TRY([[maybe_unused]] const Changed tried, move_to_gpu(moved, options, trial));
    if (!context.may_apply(trial.applied_count())) {
      context.refused({}, "the program moves as a whole, by " +
                              std::to_string(trial.applied_count()) +
                              " applications; the limit allows " + std::to_string(*context.limit));
      return Changed::No;
    }
  }
  return move_to_gpu(sdfg, options, context);
}

}  // namespace sdfg
