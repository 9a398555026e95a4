#include "passes/gpu/host_states.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/place.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/aliases.h"
#include "passes/common/blocks.h"
#include "passes/common/order_edge.h"
#include "passes/common/viewed.h"
#include "passes/gpu/host_copies.h"
#include "support/text.h"

namespace sdfg {
namespace {

/// What of an SDFG no kernel can touch.
struct Unfit {
  SymbolSet streams, structures, own_structures, callbacks;

  explicit Unfit(const Sdfg& sdfg) {
    for (const auto& [name, data] : sdfg.arrays) {
      if (data.is_stream()) streams.insert(name);
      if (data.is_structure()) structures.insert(name);
      // Their members are memory of the host; those of an argument are what the caller says.
      if (data.is_structure() && data.transient && !data.is_view()) own_structures.insert(name);
    }
    for (const auto& [name, type] : sdfg.symbols)
      if (type.base() == BaseType::Callback) callbacks.insert(name);
  }
  std::string called_by(const Tasklet& tasklet) const {
    if (callbacks.empty()) return {};
    SymbolSet names;
    collect_symbols(tasklet.code, callbacks, names);
    for (const std::string& name : names)
      if (callbacks.contains(name)) return name;
    return {};
  }
};

std::string touches(std::string_view container) {
  return "kernels take no structures or streams, and '" + std::string(container) + "' is one";
}

std::string why_not_inside(const Sdfg& sdfg);

/// Why kernels cannot do what the nodes say. `in_kernel` are nodes that become part of one; other
/// nested SDFGs are run by the host, and their own states are asked.
template <class InKernel>
std::string why_not(const Sdfg& sdfg, const Unfit& unfit, const State& state,
                    const InKernel& in_kernel) {
  for (NodeId n : state.nodes()) {
    const Node& node = state[n];
    if (node.is<ConsumeEntry>()) return "a consume scope cannot run on the GPU";
    if (const auto* tasklet = node.as<Tasklet>()) {
      if (const std::string name = unfit.called_by(*tasklet); !name.empty())
        return "a kernel cannot call '" + name + "' back";
      if (!tasklet->state_fields->empty())
        return "tasklet '" + tasklet->label + "' keeps something on the host";
    }
    if (node.is<AccessNode>() && !unfit.own_structures.empty())
      if (const auto memory = accessed_container(sdfg, state, n);
          memory && unfit.own_structures.contains(root_name(*memory)))
        return touches(root_name(*memory));
    if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg && in_kernel(n))
      if (std::string why = why_not_inside(**nested->sdfg); !why.empty()) return why;
  }
  if (unfit.streams.empty() && unfit.structures.empty()) return {};
  for (EdgeId e : state.edges()) {
    if (state[e].memlet.empty()) continue;
    const NodeId from = state.source(e), to = state.target(e);
    std::string name = root_name(state[e].memlet.data);
    // A copy names one of its ends.
    for (NodeId end : {from, to})
      if (const auto* access = state[end].as<AccessNode>();
          access && unfit.streams.contains(access->data))
        name = access->data;
    // Outside of kernels, structures are copied, and what is a nested SDFG's is its own affair.
    const bool nested = (state[from].is<NestedSdfg>() && !in_kernel(from)) ||
                        (state[to].is<NestedSdfg>() && !in_kernel(to));
    if (unfit.streams.contains(name) && !nested) return touches(name);
    if (unfit.structures.contains(name) && (in_kernel(from) || in_kernel(to)))
      return touches(name);
  }
  return {};
}

/// Why no kernel can contain the SDFG.
std::string why_not_inside(const Sdfg& sdfg) {
  const Unfit unfit(sdfg);
  std::string why;
  for_each_state(sdfg, [&](const State& state) {
    if (why.empty()) why = why_not(sdfg, unfit, state, [](NodeId) { return true; });
  });
  return why;
}

}  // namespace

bool is_written(const Sdfg& sdfg, const State& state, NodeId access) {
  const Data* data = sdfg.find_data(state.get<AccessNode>(access).data);
  const auto viewing =
      data && data->is_view() ? viewed_edge(sdfg, state, access) : std::optional<EdgeId>();
  return std::ranges::any_of(
      state.in(access), [&](EdgeId e) { return e != viewing && carries_data(state[e]); });
}

std::string HostStates::why(const State& state) const {
  const auto found = why_.find(&state);
  return found == why_.end() ? std::string() : found->second;
}

void HostStates::add(const Sdfg& sdfg) {
  const Unfit unfit(sdfg);
  for_each_state(sdfg, [&](const State& state) {
    const auto nested = state.nodes_of<NestedSdfg>();
    std::optional<ScopeTree> tree;  // where it is asked for
    if (nested.begin() != nested.end() || !unfit.structures.empty())
      if (auto found = scope_tree(state)) tree = *std::move(found);
    const auto in_kernel = [&](NodeId n) { return tree && tree->parent_of(n); };
    std::string why = why_not(sdfg, unfit, state, in_kernel);
    if (!why.empty()) {
      why_.emplace(&state, std::move(why));
      return;
    }
    for (NodeId n : nested)
      if (const auto& node = state.get<NestedSdfg>(n); node.sdfg && !in_kernel(n))
        add(**node.sdfg);
  });
}

namespace {

class Keeper {
 public:
  Keeper(const Sdfg& root, PassContext& context)
      : root_(root), context_(context), host_states_(root), aliases_(root) {}

  Status on_sdfg(Sdfg& sdfg, const Trail& trail) {
    Shared shared;
    for_each_state(sdfg, [&](const State& state) {
      if (host_states_.contains(state)) return;
      for (NodeId n : state.nodes_of<AccessNode>()) {
        const std::string& name = state.get<AccessNode>(n).data;
        shared.used.insert(name);
        if (is_written(sdfg, state, n)) shared.written.insert(name);
      }
    });
    return on_region(sdfg, sdfg, trail, shared);
  }
  Changed changed() const { return kept_.empty() ? Changed::No : Changed::Yes; }
  void warn() const {
    if (kept_.empty()) return;
    context_.warnings.push_back(
        {root_.name, "the host runs what no kernel can do, on copies of the arrays: " +
                         join(kept_, "; "),
         {}, Severity::Warning});
  }

 private:
  /// What states that may run on the GPU use and write.
  struct Shared {
    SymbolSet used, written;
  };
  /// What is copied before and after a state.
  struct Copies {
    State before, after;
  };

  Status on_region(Sdfg& sdfg, Region& region, const Trail& trail, const Shared& shared) {
    Labels labels(region);
    // The states move when others join them, so they are asked before.
    std::vector<std::pair<BlockId, std::string>> kept;
    for (BlockId id : region.nodes()) {
      const Trail here = trail.in(region[id]);
      Status done = Ok{};
      if (auto* state = region[id].as<State>()) {
        if (host_states_.contains(*state)) kept.emplace_back(id, host_states_.why(*state));
        else done = on_nested(*state, here);
      } else if (Region* inner = region[id].region()) {
        done = on_region(sdfg, *inner, here, shared);
      } else if (auto* conditional = region[id].as<ConditionalBlock>()) {
        for (Branch& branch : conditional->branches)
          if (Region* body = branch.block.region(); body && done)
            done = on_region(sdfg, *body, here.in(branch.block), shared);
      }
      if (!done) return done;
    }
    for (const auto& [id, why] : kept)
      if (Status done = keep(sdfg, region, id, why, trail, shared, labels); !done) return done;
    return Ok{};
  }

  Status on_nested(State& state, const Trail& trail) {
    const auto all = state.nodes_of<NestedSdfg>();
    if (all.begin() == all.end()) return Ok{};
    const auto tree = scope_tree(state);
    if (!tree) return Ok{};
    for (NodeId n : all)
      if (auto* nested = state[n].as<NestedSdfg>(); nested->sdfg && !tree->parent_of(n))
        if (Status done = on_sdfg(**nested->sdfg, trail.in(state, n)); !done) return done;
    return Ok{};
  }

  Status keep(Sdfg& sdfg, Region& region, BlockId id, const std::string& why, const Trail& trail,
              const Shared& shared, Labels& labels) {
    const std::string label = region[id].label;
    State& state = *region[id].as<State>();
    Renaming renamed;
    Copies copies;
    const auto all_uses = uses(sdfg, state);
    const Aliases aliases = aliases_.of(sdfg);
    for (const auto& [name, use] : all_uses) {
      const Data* data = sdfg.find_data(name);
      if (!data) continue;
      if (data->is_reference())
        return Diagnostic{Place().block(region[id]).text(),
                          "the state stays on the host (" + why + "), and '" + name +
                              "' is a reference, which may lead to memory of the GPU",
                          "copy what it leads to in a state before"};
      const Data* memory = sdfg.find_data(use.memory);
      if (!memory || !may_be_on_gpu(sdfg, use.memory, *memory, shared)) continue;
      for (const auto& [other, again] : all_uses)
        if (aliases.contains(name) && name != other && (use.written || again.written) &&
            may_be_same(aliases, name, other))
          return Diagnostic{Place().block(region[id]).text(),
                            "the state stays on the host (" + why + "), and '" + name +
                                "' and '" + other + "', of which it would get two copies, may be "
                                "the same memory",
                            "give the nested SDFG the memory under one name"};
      const std::string twin = sdfg.fresh_name(name + "_host");
      renamed.emplace(name, twin);
      Data copy = on_host(*data);
      if (name != use.memory) {  // a view of another copy
        copy.kind = data->kind;
        sdfg.arrays.insert(twin, std::move(copy));
        continue;
      }
      const Subset all = all_elements(copy);
      sdfg.arrays.insert(twin, std::move(copy));
      // What is set to zero is the container, which the first of the copies reads.
      connect(copies.before, name, twin, all, take_setzero(state, name));
      if (use.written) connect(copies.after, twin, name, all);
    }
    rename_data(state, renamed);
    context_.applied(trail.in(region[id]), "stays on the host: " + why);
    kept_.push_back("state " + label + " (" + why + ")");
    if (!copies.before.nodes().empty())
      put_before(region, id, Block{labels.take(label + "_to_host"), std::move(copies.before)});
    if (!copies.after.nodes().empty())
      put_after(region, id, Block{labels.take(label + "_to_gpu"), std::move(copies.after)});
    return Ok{};
  }

  struct Use {
    std::string memory;  ///< the container, or what it is a view of; empty if that cannot be told
    bool written = false;  ///< what lies there, by this name or another
  };
  /// By container.
  static std::map<std::string, Use> uses(const Sdfg& sdfg, const State& state) {
    std::map<std::string, Use> found;
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const auto memory = accessed_container(sdfg, state, n);
      const std::string root = memory ? root_name(*memory) : "";
      found[root_name(state.get<AccessNode>(n).data)].memory = root;
      if (memory) found[root].written |= is_written(sdfg, state, n);
    }
    return found;
  }

  /// May the container lie in memory of the GPU for the sake of another state or of the caller?
  bool may_be_on_gpu(const Sdfg& sdfg, const std::string& name, const Data& data,
                     const Shared& shared) const {
    const bool given = !data.transient && &sdfg != &root_;
    if (data.is_scalar()) return given || shared.written.contains(name);
    return data.as_array() && (!data.transient || shared.used.contains(name));
  }

  static bool take_setzero(State& state, const std::string& name) {
    bool taken = false;
    for (NodeId n : state.nodes_of<AccessNode>())
      if (auto& access = state.get<AccessNode>(n); access.data == name)
        taken |= std::exchange(access.setzero, false);
    return taken;
  }

  static void connect(State& state, const std::string& from, const std::string& to,
                      const Subset& all, bool setzero = false) {
    const NodeId a = state.add(Node{AccessNode{.data = from, .setzero = setzero}});
    const NodeId b = state.add(Node{AccessNode{.data = to}});
    state.connect(a, b, {"", "", Memlet::copy(from, all, all)});
  }

  const Sdfg& root_;
  PassContext& context_;
  const HostStates host_states_;
  LazyAliases aliases_;
  std::vector<std::string> kept_;
};

}  // namespace

Result<Changed> keep_on_host(Sdfg& sdfg, PassContext& context) {
  Keeper keeper(sdfg, context);
  SDFG_TRY([[maybe_unused]] const Ok done, keeper.on_sdfg(sdfg, {}));
  keeper.warn();
  return keeper.changed();
}

}  // namespace sdfg
