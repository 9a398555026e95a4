#include "passes/inside_maps/configure_transients.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/signature.h"
#include "ir/library_node.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Symbols that the program changes have no value for the whole run.
void remove_assigned(const Sdfg& sdfg, SymbolSet& known) {
  for (const std::string& symbol : assigned_symbols(sdfg)) known.erase(symbol);
}

/// What is known on the way down into nested SDFGs.
struct Surroundings {
  SymbolSet known;        ///< symbols that have their value when the program is loaded
  bool repeated = false;  ///< in a map: several of it run at a time
  bool on_gpu = false;    ///< in a kernel
};

class Configurer {
 public:
  Configurer(const ConfigureTransients::Options& options, PassContext& context)
      : options_(options), context_(context) {}

  void on_sdfg(Sdfg& sdfg, const Trail& trail, const Surroundings& around) {
    scoped_.clear();
    factors_.clear();
    for_each_state(sdfg, [&](State& state) {
      find_scoped(state);
      if (!around.on_gpu) find_factors(sdfg, state);
    });
    for (auto& [name, data] : sdfg.arrays) configure(sdfg, name, data, trail, around);
    for (BlockId b : sdfg.nodes()) on_block(sdfg[b], trail, around);
  }
  Changed changed() const { return changed_; }

 private:
  static bool has_inside(const State& state) {
    for (NodeId n : state.nodes())
      if (state[n].is_entry()) return true;
    return false;
  }
  void find_scoped(const State& state) {
    if (!has_inside(state)) return;
    const auto tree = scope_tree(state);
    for (NodeId n : state.nodes())
      if (const auto* access = state[n].as<AccessNode>())
        if (!tree || tree->parent_of(n) != NodeId{}) scoped_.insert(access->data);
  }

  static bool is_on_gpu(const State& state, const ScopeTree& tree, NodeId node) {
    return std::ranges::any_of(tree.enclosing(node), [&](NodeId entry) {
      const auto* map = state[entry].as<MapEntry>();
      return map && map->schedule == Schedule::GpuDevice;
    });
  }
  void find_factors(const Sdfg& sdfg, const State& state) {
    if (state.nodes_of<LibraryNode>().empty()) return;
    const auto tree = scope_tree(state);
    for (NodeId n : state.nodes_of<LibraryNode>()) {
      const auto operation = library_operation(state[n]);
      if (!operation || !(std::holds_alternative<MatMul>(*operation) ||
                          std::holds_alternative<BatchedMatMul>(*operation) ||
                          std::holds_alternative<Gemv>(*operation)))
        continue;
      if (tree && is_on_gpu(state, *tree, n)) continue;
      const auto in_memory = [&](EdgeId e) {
        const Data* data = sdfg.find_data(state[e].memlet.data);
        return data && (!data->transient || data->is_view() || state[state.source(e)].is_entry());
      };
      if (std::ranges::any_of(state.in(n), in_memory))
        for (EdgeId e : state.in(n)) factors_.insert(state[e].memlet.data);
    }
  }

  void on_block(Block& block, const Trail& outer, const Surroundings& around) {
    const Trail trail = outer.in(block);
    if (Region* region = block.region())
      for (BlockId b : region->nodes()) on_block((*region)[b], trail, around);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) on_block(branch.block, trail, around);
    auto* state = block.as<State>();
    if (!state) return;
    std::optional<ScopeTree> tree;
    if (has_inside(*state))
      if (auto found = scope_tree(*state)) tree = *std::move(found);
    for (NodeId n : state->nodes_of<NestedSdfg>()) {
      auto* nested = (*state)[n].as<NestedSdfg>();
      if (!nested->sdfg) continue;
      Surroundings inside;
      inside.repeated = around.repeated || (tree && tree->parent_of(n) != NodeId{});
      inside.on_gpu = around.on_gpu || (tree && is_on_gpu(*state, *tree, n));
      for (const auto& [symbol, value] : nested->symbol_mapping)
        if (value.is_symbol(symbol) && around.known.contains(symbol)) inside.known.insert(symbol);
      remove_assigned(**nested->sdfg, inside.known);
      on_sdfg(**nested->sdfg, trail.in(*state, n), inside);
    }
  }

  void configure(const Sdfg& sdfg, const std::string& name, Data& data, const Trail& trail,
                 const Surroundings& around) {
    // DaCe takes what is in a map for a local variable, views of memory, too.
    if (data.is_view() && data.storage == Storage::Default && factors_.contains(name) &&
        (around.repeated || scoped_.contains(name)) && context_.may_apply()) {
      data.storage = Storage::CpuHeap;
      return done(trail, "view " + quoted(name) + ", a factor, looks at memory");
    }
    if (!data.transient || data.role() != Role::Plain || data.is_stream() || data.is_structure())
      return;
    make_local(name, data, trail);
    Array* array = data.as_array();
    switch (options_.transient_memory_mode) {
      case TransientMemoryMode::Scoped:
        return;
      case TransientMemoryMode::Pool:
        if (!array || array->pool || data.storage != Storage::GpuGlobal) return;
        if (!context_.may_apply()) return;
        array->pool = true;
        return done(trail, quoted(name) + " comes from the pool");
      case TransientMemoryMode::Persistent:
        return set_lifetime(sdfg, name, data, Lifetime::Persistent, trail, around);
      case TransientMemoryMode::External:
        return set_lifetime(sdfg, name, data, Lifetime::External, trail, around);
    }
  }

  void make_local(const std::string& name, Data& data, const Trail& trail) {
    const Array* array = data.as_array();
    if (!array || data.storage != Storage::Default || data.lifetime != Lifetime::Scope) return;
    const auto size = array->total_size.as_integer();
    if (!size || *size > options_.small_size) return;
    if (factors_.contains(name))
      return context_.refused(trail, quoted(name) + " is no local variable: the other factor of a "
                                                    "product is in memory, as DaCe wants both");
    if (!context_.may_apply()) return;
    data.storage = Storage::Register;
    done(trail, quoted(name) + " is a local variable of " + std::to_string(*size) + " elements");
  }

  void set_lifetime(const Sdfg& sdfg, const std::string& name, Data& data, Lifetime lifetime,
                    const Trail& trail, const Surroundings& around) {
    if (data.lifetime == lifetime || data.lifetime == Lifetime::External) return;
    if (const Refusal why = check(sdfg, name, data, around))
      return context_.refused(trail, quoted(name) + " keeps its lifetime: " + why.reason());
    if (!context_.may_apply()) return;
    data.lifetime = lifetime;
    if (data.as_array() && data.storage == Storage::Default) data.storage = Storage::CpuHeap;
    done(trail, quoted(name) + " has lifetime " + std::string(to_text(lifetime)));
  }

  Refusal check(const Sdfg& sdfg, const std::string& name, const Data& data,
                const Surroundings& around) const {
    if (sdfg.constants.contains(name)) return "it is a constant";
    if (data.storage == Storage::Register) return "it is a local variable";
    if (around.repeated) return "the nested SDFG runs inside a map";
    if (scoped_.contains(name)) return "it is used inside a map";
    SymbolSet used;
    collect_symbols(data, used);
    for (const std::string& symbol : used)
      if (!around.known.contains(symbol))
        return "its size depends on '" + symbol + "', which is not known beforehand";
    return {};
  }

  void done(const Trail& trail, const std::string& what) {
    context_.applied(trail, what);
    changed_ = Changed::Yes;
  }

  const ConfigureTransients::Options& options_;
  PassContext& context_;
  SymbolSet scoped_;  ///< containers with an access node in a scope, of the SDFG at hand
  SymbolSet factors_;  ///< containers that a matrix product takes, at least one in memory
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> ConfigureTransients::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  Surroundings outside;
  outside.known = free_symbols(sdfg);
  remove_assigned(sdfg, outside.known);
  Configurer configurer(options, context);
  configurer.on_sdfg(sdfg, {}, outside);
  return configurer.changed();
}

}  // namespace sdfg
