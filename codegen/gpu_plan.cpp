// The defaults of a plan: what is read off the maps, and what follows from it.

#include "codegen/gpu_plan.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "codegen/cpp_expr.h"
#include "codegen/local_names.h"
#include "codegen/lowering.h"
#include "codegen/program_file.h"
#include "codegen/scope_nodes.h"
#include "ir/analysis/cost.h"
#include "ir/analysis/graph_numbers.h"
#include "ir/analysis/memlet_path.h"
#include "ir/place.h"
#include "ir/walk.h"

namespace sdfg {

namespace {

bool is_kernel(const MapEntry& map) {
  return map.schedule == Schedule::GpuDevice || map.schedule == Schedule::GpuDefault;
}

bool contains_loop(const Sdfg& sdfg) {
  bool found = false;
  for_each_sdfg(sdfg, [&](const Sdfg& any) {
    for_each_block(any, [&](const Block& block) { found |= block.is<LoopRegion>(); });
  });
  return found;
}

/// Looks something up with an index that it has read.
bool is_lookup(const Expr& e, const Connectors& inputs, bool in_index = false) {
  if (e.is(Op::Symbol)) return in_index && inputs.contains(e.name());
  if (e.is(Op::Subscript)) {
    for (std::size_t i = 1; i < e.args().size(); ++i)
      if (is_lookup(e.arg(i), inputs, true)) return true;
    return is_lookup(e.arg(0), inputs, false);
  }
  return std::ranges::any_of(e.args(),
                             [&](const Expr& a) { return is_lookup(a, inputs, in_index); });
}

/// Some element is found with two indices that were read: neighbours along y, too.
bool is_double_lookup(const Expr& e, const Connectors& inputs) {
  if (e.is(Op::Subscript)) {
    const bool tuple = e.args().size() == 2 && e.arg(1).is(Op::Tuple);
    int read = 0;
    for (const Expr& index : tuple ? e.arg(1).args() : e.args().subspan(1))
      read += is_lookup(index, inputs, true);
    if (read > 1) return true;
  }
  return std::ranges::any_of(e.args(), [&](const Expr& a) { return is_double_lookup(a, inputs); });
}

/// What decides the defaults of one kernel.
struct Facts {
  ByName<int> unit;  ///< accesses in which the parameter has stride 1
  std::int64_t loads = 0, hoisted = 0, lookups = 0, accesses = 0;
  std::int64_t columns = 0;  ///< arrays of which a nested SDFG reads several elements
  bool loops = false, threads = false, reduces = false;
  bool double_lookups = false;
  bool y_neighbours = false;  ///< some container is read at several offsets of the second parameter

  void note_lookups(const Tasklet& tasklet, const Connectors& inputs) {
    if (!tasklet.code.statements()) return;
    for (const Statement& s : *tasklet.code.statements())
      if (const auto* assign = std::get_if<Assign>(&s.kind)) {
        lookups += is_lookup(assign->value, inputs);
        double_lookups |= is_double_lookup(assign->value, inputs);
      }
  }
  void note_lookups(const Sdfg& nested) {
    for_each_sdfg(nested, [&](const Sdfg& any) {
      for_each_state(any, [&](const State& state) {
        for (NodeId id : state.nodes_of<Tasklet>())
          note_lookups(state.get<Tasklet>(id), state[id].in_connectors);
      });
    });
  }
};

class Planner {
 public:
  Planner(Lowering& out, bool with_cost) : out_(out), with_cost_(with_cost) {}

  void program(const Sdfg& sdfg) {
    numbers_ = state_numbers(sdfg);
    this->sdfg(sdfg, Place());
  }


  static std::vector<std::string> params(const MapEntry& map, const Facts& facts) {
    std::vector<std::string> params(map.params.rbegin(), map.params.rend());
    order_params(params, facts);
    return params;
  }
  static Facts facts(const Sdfg& sdfg, const State& state, const ScopeTree& tree, NodeId entry,
                     const std::vector<NodeId>& inside);

 private:
  /// An SDFG outside of kernels, and the types of its symbols and scalars.
  struct HostSdfg {
    const Sdfg& sdfg;
    TypeTable types;
  };

  void sdfg(const Sdfg& sdfg, const Place& place) {
    out_.plan.ranges |= sdfg.instrument == Instrumentation::GpuTxMarkers;
    region({sdfg, symbol_types(sdfg)}, sdfg, place);
  }

  void region(const HostSdfg& sdfg, const Region& region, const Place& place) {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      const Place here = place.block(block);
      if (const auto* state = block.as<State>()) {
        this->state(sdfg, *state, here);
      } else if (const auto* conditional = block.as<ConditionalBlock>()) {
        for (const Branch& branch : conditional->branches)
          this->region(sdfg, branch.region(), here.in(branch.block.label));
      } else if (const Region* inner = block.region()) {
        this->region(sdfg, *inner, here);
      }
    }
  }

  void state(const HostSdfg& sdfg, const State& state, const Place& place) {
    const ScopeTree& tree = out_.flows.at(&state).tree;
    std::int64_t index = -1;
    for (NodeId id : state.nodes()) {
      ++index;
      const std::uint8_t kind = state.kind_of(id);
      if (kind != Node::number_of<MapEntry> && kind != Node::number_of<NestedSdfg>) continue;
      const Node& node = state[id];
      const auto in_kernel = [&](NodeId around) {
        const auto* map = state[around].as<MapEntry>();
        return map && is_kernel(*map);
      };
      if (tree.any_around(id, in_kernel)) continue;
      if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg)
        this->sdfg(**nested->sdfg, place.node(state, id));
      if (const auto* map = node.as<MapEntry>(); map && is_kernel(*map))
        kernel(sdfg, state, tree, id, index, place.node(state, id));
    }
  }

  /// Indices along y that code uses on a connector.
  static void note_y(const Expr& e, const std::string& connector, const std::string& y,
                     std::set<std::string>& out) {
    if (connector.empty()) return;
    if (e.is(Op::Subscript) && e.arg(0).is_symbol(connector)) {
      const auto indices =
          e.args().size() == 2 && e.arg(1).is(Op::Tuple) ? e.arg(1).args() : e.args().subspan(1);
      for (const Expr& index : indices)
        if (uses_symbol(index, y)) out.insert(to_text(simplify(index)));
    }
    for (const Expr& a : e.args()) note_y(a, connector, y, out);
  }

  void kernel(const HostSdfg& host, const State& state, const ScopeTree& tree, NodeId entry,
              std::int64_t index, const Place& place) {
    const MapEntry& map = state.get<MapEntry>(entry);
    out_.plan.timers |= map.instrument == Instrumentation::GpuEvents;
    const std::vector<NodeId> inside = nodes_in_scope(state, tree, entry);
    const Facts found = facts(host.sdfg, state, tree, entry, inside);
    KernelPlan plan;
    plan.name = unique(map.label.empty() ? "kernel" : map.label);
    if (with_cost_) {
      plan.points = points_text(map);
      plan.place = place.text();
    }
    const StateNumber number = numbers_.at(&state);
    plan.element = {number.graph, number.block, index};
    plan.kind = found.threads   ? KernelClass::Blocks
                : found.loops   ? KernelClass::Scan
                : found.reduces ? KernelClass::Reduction
                : found.lookups ? KernelClass::Gather
                                : KernelClass::Pointwise;
    plan.params = params(map, found);
    plan.launched_if = launch_condition(host.sdfg, host.types, out_.flows, state, entry, inside);
    plan.hoisted = found.hoisted;
    if (plan.kind == KernelClass::Blocks) {
      plan.block = thread_block(state, entry, inside);
    } else if (plan.kind == KernelClass::Scan) {
      plan.block = {64, 1, 1};
      plan.batch = found.columns <= 6 ? 8 : found.columns <= 12 ? 4 : 2;  // 48 values in registers
    } else {
      shape(map, plan, found);
    }
    out_.kernels[{&state, entry}] = out_.plan.kernels.size();
    out_.plan.kernels.push_back(std::move(plan));
  }

  static constexpr std::int64_t l2_row = 1 << 17;  ///< so much of a few fields lies in the L2 cache
  static constexpr std::int64_t many_loads = 16;   ///< of so many fields even less does

  /// Where levels are so large that what a block has read leaves the L2 cache before the block of
  /// the next levels reads it, too, or its neighbour, that one comes next; with two indices that
  /// were read, always (docs/benchmarks-gpu.md).
  std::int64_t rows_first(const MapEntry& map, const Facts& facts) const {
    if (out_.dialect == GpuDialect::Hip || map.params.size() != 2) return 0;
    if (facts.double_lookups) return 1;
    return facts.lookups || (facts.y_neighbours && facts.loads >= many_loads) ? l2_row : 0;
  }

  /// Measured on an H200 (docs/benchmarks-gpu.md). Levels per thread pay where they share what was
  /// looked up and have few loads of their own, or none at all. A gather with many of its own wants
  /// few registers and rows of neighbours near each other; neighbours along y are in the cache when
  /// one block has several levels. Where the neighbour tables do not stay in the L2 cache from
  /// level to level, or nobody knows whether they do, one thread takes all it can for what it
  /// looked up.
  void shape(const MapEntry& map, KernelPlan& plan, const Facts& facts) const {
    plan.rows_first = rows_first(map, facts);
    const std::int64_t own = facts.loads + facts.lookups - facts.hoisted;
    const std::int64_t narrow = out_.dialect == GpuDialect::Hip ? 64 : 32;  // a row is a whole wave
    const bool deep = map.params.size() > 1;
    const auto size = [&](std::size_t d) -> std::optional<std::int64_t> {
      if (d >= map.params.size()) return std::nullopt;
      const auto at = std::ranges::find(map.params, plan.params[d]) - map.params.begin();
      return map.ranges[std::size_t(at)].size().as_integer();
    };
    const auto x = size(0), y = size(1);
    constexpr std::int64_t l2_elements = 1 << 22;  // a field of so many lies in the L2 cache
    const bool small = x && y && *y > 0 && *x <= l2_elements / *y;
    const bool tables_stay = x && *x <= l2_row;
    const bool hip = out_.dialect == GpuDialect::Hip;
    const bool shares = facts.hoisted >= (facts.hoisted >= 20 ? 2 : 3) * own;
    const auto share_levels = [&] {
      plan.levels = 8;
      if (!hip) plan.min_blocks = shares ? 4 : 5;  // 128 or 96 registers
    };
    if (!deep) {
      plan.block = {facts.lookups ? 128 : 256, 1, 1};
    } else if (facts.loads + facts.lookups == 0) {
      plan.block = {512, 1, 1};
    } else if (facts.double_lookups) {
      plan.block = {narrow, 256 / narrow, 1};
      if (own <= 20) plan.levels = 4;
    } else if (facts.lookups && !tables_stay && !facts.reduces) {
      if (own > 12 && 4 * own >= 3 * facts.hoisted) plan.block = {64, 2, 1};
      else share_levels();
    } else if (facts.lookups && shares) {
      share_levels();
    } else if (facts.y_neighbours) {
      if (facts.lookups) plan.block = {64, own > 30 ? 4 : 2, 1};
      else if (small) plan.block = {64, 2, 1};
      else if (hip) plan.block = {narrow, 128 / narrow, 1};
      else if (facts.loads >= many_loads) plan.block = {64, 2, 1}, plan.levels = 2;
      else plan.levels = 2;
    } else if (!facts.lookups) {
      plan.block = {256, 1, 1};
    } else if (own > 20) {
      plan.block = {narrow, 256 / narrow, 1};
    } else {
      plan.block = {64, facts.hoisted >= 12 ? 4 : 2, 1};
    }
    if (!deep) return;
    if (y) plan.levels = std::min(plan.levels, std::max<std::int64_t>(*y, 1));
    while (y && plan.block[1] > 1 && plan.block[1] / 2 >= *y)
      plan.block = {plan.block[0] * 2, plan.block[1] / 2, 1};
    while (x && plan.block[0] > 1 && plan.block[0] / 2 >= *x)
      plan.block = {plan.block[0] / 2, plan.block[1] * 2, 1};
    constexpr std::int64_t enough_threads = 132 * 2048;  // every multiprocessor is full once
    while (plan.levels > 1 && x && y &&
           *x * ((*y + plan.levels - 1) / plan.levels) < enough_threads)
      plan.levels /= 2;
  }

  /// As Program::fresh_name makes a C++ name of it, so that the plan and the text agree.
  std::string unique(const std::string& label) {
    std::string name = cpp_function_name(label);
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
    return names_.fresh(name);
  }

  /// The parameter along which most accesses are contiguous comes first.
  static void order_params(std::vector<std::string>& params, const Facts& facts) {
    const auto votes = [&](const std::string& p) {
      const auto found = facts.unit.find(p);
      return found == facts.unit.end() ? 0 : found->second;
    };
    const auto best = std::ranges::max_element(params, {}, votes);
    if (best != params.end() && votes(*best) > votes(params.front()))
      std::rotate(params.begin(), best, best + 1);
  }

  /// The block of a kernel with thread-block maps: what the map says, or else its inner maps.
  static std::vector<std::int64_t> thread_block(const State& state, NodeId entry,
                                                const std::vector<NodeId>& inside) {
    std::vector<std::int64_t> block{1, 1, 1};
    if (const auto& given = state.get<MapEntry>(entry).gpu_block_size) {
      for (std::size_t d = 0; d < given->size() && d < 3; ++d) block[d] = (*given)[d];
      return block;
    }
    for (NodeId id : inside) {
      const auto* map = state[id].as<MapEntry>();
      if (!map || map->schedule != Schedule::GpuThreadBlock) continue;
      for (std::size_t d = 0; d < map->ranges.size() && d < 3; ++d) {
        const auto size = map->ranges[map->ranges.size() - 1 - d].size().as_integer();
        block[d] = std::max(block[d], size ? *size : d == 0 ? std::int64_t(128) : 1);
      }
    }
    while (block[0] * block[1] * block[2] > 1024) *std::ranges::max_element(block) /= 2;
    return block;
  }

  Lowering& out_;
  bool with_cost_;
  LocalNames names_;
  std::map<const State*, StateNumber> numbers_;
};

Facts Planner::facts(const Sdfg& sdfg, const State& state, const ScopeTree& tree, NodeId entry,
                     const std::vector<NodeId>& inside) {
  const MapEntry& map = state.get<MapEntry>(entry);
  Facts facts;
  const std::string& x = map.params.back();
  const std::string y = map.params.size() > 1 ? map.params[map.params.size() - 2] : "";
  ByName<std::set<std::string>> at_y;  // indices along y, by container
  std::set<std::string> local;
  for (NodeId id : inside)
    if (const auto* access = state[id].as<AccessNode>()) local.insert(access->data);
  for (NodeId id : inside) {
    const Node& node = state[id];
    if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
      facts.loops |= contains_loop(**nested->sdfg);
      facts.note_lookups(**nested->sdfg);
    }
    if (const auto* inner = node.as<MapEntry>())
      facts.threads |= inner->schedule == Schedule::GpuThreadBlock;
    if (const auto* tasklet = node.as<Tasklet>()) {
      facts.note_lookups(*tasklet, node.in_connectors);
      if (!y.empty() && tasklet->code.statements())
        for (const Statement& s : *tasklet->code.statements())
          if (const auto* a = std::get_if<Assign>(&s.kind))
            for (EdgeId e : state.in(id))
              note_y(a->value, state[e].dst_connector, y, at_y[state[e].memlet.data]);
    }
    std::int64_t times = 1;
    for (NodeId around : tree.enclosing(id))
      if (around != entry && state[around].is<MapEntry>())
        for (const Range& r : state[around].as<MapEntry>()->ranges)
          times *= std::clamp<std::int64_t>(r.size().as_integer().value_or(4), 1, 64);
    if (node.is_entry() || node.is_exit()) continue;
    const auto access = [&](EdgeId e, bool read) {
      const Memlet& memlet = state[e].memlet;
      const Data* data = memlet.empty() ? nullptr : sdfg.find_data(memlet.data);
      const Array* array = data ? data->as_array() : nullptr;
      if (!array || local.contains(memlet.data) || !memlet.subset()) return;
      facts.accesses += times;
      const auto uses = [&](const std::string& param) {
        return std::ranges::any_of(memlet.subset()->ranges, [&](const Range& r) {
          return uses_symbol(r.begin, param) || uses_symbol(r.end, param) ||
                 uses_symbol(r.step, param) || uses_symbol(r.tile, param);
        });
      };
      const bool one = std::ranges::all_of(memlet.subset()->ranges, &Range::is_index);
      if (read && !y.empty())
        for (const Range& r : memlet.subset()->ranges)
          if (uses_symbol(r.begin, y)) {
            at_y[memlet.data].insert(to_text(r.begin));
            if (!(r.size().as_integer() == 1)) facts.y_neighbours = true;
          }
      if (read && (one || node.is<NestedSdfg>())) {
        facts.loads += times;
        facts.columns += !one;
        if (one && !y.empty() && !uses(y) && uses(x)) facts.hoisted += times;
      }
      for (const std::string& param : map.params)
        for (std::size_t d = 0; d < memlet.subset()->rank() && d < array->strides.size(); ++d)
          if (array->strides[d].as_integer() == 1 &&
              uses_symbol((*memlet.subset())[d].begin, param))
            facts.unit[param] += int(times);
    };
    for (EdgeId e : state.in(id)) access(e, true);
    for (EdgeId e : state.out(id)) {
      access(e, false);
      facts.reduces |= state[e].memlet.wcr.has_value() && !local.contains(state[e].memlet.data);
    }
  }
  for (const auto& [container, indices] : at_y) facts.y_neighbours |= indices.size() > 1;
  return facts;
}

}  // namespace

std::vector<std::string> kernel_params(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                                       NodeId entry) {
  return Planner::params(
      state.get<MapEntry>(entry),
      Planner::facts(sdfg, state, tree, entry, nodes_in_scope(state, tree, entry)));
}

/// Is there work, and no memory of the device? Moving single elements on the host is no work for a
/// GPU.
static bool is_for_host(const Sdfg& sdfg) {
  bool has_memory = false, has_work = false;
  for_each_sdfg(sdfg, [&](const Sdfg& any) {
    for (const auto& [name, data] : any.arrays) has_memory |= data.storage == Storage::GpuGlobal;
    for_each_node(any, [&](const Node& node, const State& state, NodeId n) {
      has_work |= node.is<MapEntry>() || node.is<LibraryNode>();
      if (has_work || !node.is<AccessNode>()) return;
      for (EdgeId e : state.out(n)) {
        const std::optional<Subset>& moved = state[e].memlet.subset();
        has_work |=
            state[state.target(e)].is<AccessNode>() && moved && num_elements(*moved) != Expr(1);
      }
    });
  });
  return has_work && !has_memory;
}

Status make_plan(Lowering& lowering, const Sdfg& sdfg, const GpuOptions& options,
                 const Sdfg* with_cost_of) {
  lowering.dialect = options.dialect;
  lowering.plan.program = sdfg.name;
  Planner(lowering, with_cost_of != nullptr).program(sdfg);
  if (lowering.plan.kernels.empty() && is_for_host(sdfg))
    return Diagnostic{
        Place().text(), "the program has no maps for a GPU",
        "run --gt4py=target=cuda (programs lowered by GT4Py) or --auto=target=cuda first"};
  if (!options.plan.empty())
    if (auto status = override_plan(lowering.plan, options.plan); !status) return status.error();
  if (with_cost_of) {
    const ProgramCost cost = program_cost(*with_cost_of);
    for (KernelPlan& kernel : lowering.plan.kernels)
      for (const KernelCost& known : cost.kernels)
        if (known.place == kernel.place)
          kernel.bytes = bytes_text(known.touched);
  }
  return Ok{};
}

Result<GpuPlan> gpu_plan(const Sdfg& sdfg, const GpuOptions& options) {
  Sdfg ready = sdfg;
  SDFG_TRY(Lowering lowering, make_ready(ready));
  if (auto status = make_plan(lowering, ready, options, &sdfg); !status) return status.error();
  Target target;
  target.gpu = &lowering;
  GpuPlan plan = lowering.plan;
  if (auto bundle = generate(ready, lowering.flows, target, &plan); !bundle) return bundle.error();
  return plan;
}

}  // namespace sdfg
