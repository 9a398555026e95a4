#include "passes/loops/loop_to_map.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"
#include "passes/common/aliases.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/private_data.h"
#include "passes/common/symbol_values.h"
#include "passes/loops/loop_body.h"
#include "passes/loops/nest_region.h"
#include "passes/loops/region_accesses.h"

namespace sdfg {
namespace {

/// Which symbols carry a value around which loop. Asked before anything changes, by loop.
class CarriedSymbols {
 public:
  explicit CarriedSymbols(const Sdfg& sdfg)
      : sdfg_(sdfg), types_(symbol_types(sdfg)), values_(sdfg, types_) {
    for (const auto& [name, data] : sdfg.arrays) collect_symbols(data, shapes_[name]);
    for (const auto& [name, type] : types_)
      if (values_.is_assigned(name)) assigned_.insert(name);
    on_region(sdfg, 0);
    find(sdfg, 0);
  }
  const std::string* find(const LoopRegion& loop) const {
    const auto found = carried_.find(&loop);
    return found == carried_.end() ? nullptr : &found->second;
  }

 private:
  using Point = SymbolValues::Point;

  void read(const SymbolSet& names, const Point& point) {
    for (const std::string& name : names) values_.read(name, point);
  }
  void read(const Code& code, const Point& point) {
    SymbolSet names;
    collect_symbols(code, {}, names);
    read(names, point);
  }
  void on_region(const Region& region, SymbolValues::RegionIndex index) {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      const Point before{Point::Before, index, id};
      if (const auto* state = block.as<State>()) on_state(*state, before);
      if (const auto* loop = block.as<LoopRegion>()) {
        const auto inner = values_.child(index, id);
        if (loop->init_statement) read(*loop->init_statement, before);
        for (const Point::Kind kind : {Point::Header, Point::Update})
          if (loop->loop_condition) read(*loop->loop_condition, {kind, inner, {}});
        if (loop->update_statement) read(*loop->update_statement, {Point::Update, inner, {}});
      }
      if (const Region* inner = block.region()) on_region(*inner, values_.child(index, id));
      if (const auto* conditional = block.as<ConditionalBlock>())
        for (std::size_t i = 0; i < conditional->branches.size(); ++i) {
          const Branch& branch = conditional->branches[i];
          if (branch.condition) read(*branch.condition, before);
          on_region(branch.region(), values_.child(index, id, i));
        }
      for (InterstateEdgeId e : region.out(id)) {
        SymbolSet names;
        collect_symbols(region[e].condition, {}, names);
        for (const auto& [target, value] : region[e].assignments) collect_symbols(value, names);
        read(names, {Point::After, index, id});
      }
    }
  }
  void on_state(const State& state, const Point& point) {
    SymbolSet names;
    collect_free_names(state, assigned_, names);
    for (NodeId n : state.nodes())
      if (const auto* access = state[n].as<AccessNode>())
        if (const auto shape = shapes_.find(access->data); shape != shapes_.end())
          names.insert(shape->second.begin(), shape->second.end());
    read(names, point);
  }

  void find(const Region& region, SymbolValues::RegionIndex index) {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      if (const auto* loop = block.as<LoopRegion>()) {
        for (const std::string& name : assigned_symbols(static_cast<const Region&>(*loop)))
          if (values_.carried(name, values_.child(index, id))) carried_.emplace(loop, name);
      }
      if (const Region* inner = block.region()) find(*inner, values_.child(index, id));
      if (const auto* conditional = block.as<ConditionalBlock>())
        for (std::size_t i = 0; i < conditional->branches.size(); ++i)
          find(conditional->branches[i].region(), values_.child(index, id, i));
    }
  }

  const Sdfg& sdfg_;
  const TypeTable types_;
  SymbolValues values_;
  SymbolSet assigned_;
  ByName<SymbolSet> shapes_;
  std::unordered_map<const LoopRegion*, std::string> carried_;  ///< looked up, never iterated
};

/// How often the SDFG mentions each of the names: access nodes, and whatever reads them by name
/// (what a scope binds is not they).
using Uses = ByName<std::size_t>;
void count_roots(const SymbolSet& names, const SymbolSet& known, Uses& uses) {
  for (const std::string& name : names)
    if (const std::string root = name.substr(0, name.find('.')); known.contains(root)) ++uses[root];
}
/// In the block itself: not in the blocks of a region.
void count_uses_of(const Block& block, const SymbolSet& known, Uses& uses) {
  SymbolSet names;
  collect_used_names(block, known, names);
  if (const auto* state = block.as<State>()) {
    collect_free_names(*state, known, names);
    for (NodeId n : state->nodes_of<AccessNode>()) {
      const std::string& data = (*state)[n].as<AccessNode>()->data;
      ++uses[data.substr(0, data.find('.'))];
    }
    for (EdgeId e : state->edges()) {
      const Memlet& memlet = (*state)[e].memlet;
      if (!memlet.empty() && (*state)[state->source(e)].is<Tasklet>() &&
          (*state)[state->target(e)].is<Tasklet>())
        names.insert(memlet.data);
    }
  }
  count_roots(names, known, uses);
}
void count_uses(const Region& region, const SymbolSet& known, Uses& uses) {
  for_each_block(region, [&](const Block& block) { count_uses_of(block, known, uses); });
  for_each_interstate_edge(region, [&](const InterstateEdge& edge) {
    SymbolSet names;
    collect_symbols(edge.condition, known, names);
    for (const auto& [target, value] : edge.assignments) collect_symbols(value, names);
    count_roots(names, known, uses);
  });
}

/// An index that some iteration certainly reaches outside of the container. A loop hides it from
/// the verifier, a map would not.
std::optional<Expr> index_outside(const Subset& subset, const Data& data, const LoopRange& range) {
  std::vector<const Expr*> reached{&range.begin};
  if (std::abs(range.step) == 1) reached.push_back(&range.end);
  for (std::size_t d = 0; d < subset.rank(); ++d)
    for (const Expr* at : reached) {
      const auto [low, high, step, tile] =
          substitute(Subset{{subset[d]}}, {{range.variable, *at}}).ranges[0];
      const auto least = low.as_integer(), beyond = (high - data.shape[d]).as_integer();
      if (least && *least < 0) return low;
      if (beyond && *beyond >= 0) return high;
    }
  return std::nullopt;
}

struct Plan {
  LoopRange range;
  NestedContainers containers;
  Uses inside;
};

/// What is known of the whole program.
struct Program {
  explicit Program(const Sdfg& root) : gpu(root) {}

  const GpuMemory gpu;
  ApartPoints points;
};

class Converter {
 public:
  Converter(Sdfg& sdfg, const Aliases& aliases, const LazyAssumptions& known, Program& program,
            PassContext& context)
      : sdfg_(sdfg),
        aliases_(aliases),
        known_(known),
        program_(program),
        context_(context),
        types_(symbol_types(sdfg)),
        carried_(sdfg) {
    for (const auto& [name, data] : sdfg.arrays) containers_.insert(name);
    names_ = containers_;
    for (const auto& [name, type] : sdfg.symbols) names_.insert(name);
    count_uses(sdfg, names_, uses_);
    for (const auto& [name, data] : sdfg.arrays) {
      SymbolSet read;
      collect_symbols(data, read);
      for (const std::string& symbol : read) ++uses_[symbol];
    }
    assignments_ = count_assignments(sdfg);
  }

  Changed on_region(Region& region, const Trail& trail) {
    const auto visit = [&](Sdfg&, RegionEdit& edit, BlockId id, const Trail& here) {
      Plan plan;
      if (const Refusal why = check(*edit.region[id].as<LoopRegion>(), edit.ranges, plan)) {
        context_.refused(here, why);
        return Changed::No;
      }
      if (!context_.may_apply()) return Changed::No;
      context_.applied(here, "became a map over '" + plan.range.variable + "'");
      apply(edit, id, plan);
      return Changed::Yes;
    };
    return for_each_loop(sdfg_, region, trail, known_, visit, false);
  }

 private:
  Refusal check(const LoopRegion& loop, LoopRanges& ranges, Plan& plan) {
    const auto found = ranges.of(loop);
    if (!found) return found.error().message;
    plan.range = found->tested_first(known_.get());
    if (Refusal why = check_iterations(loop, plan.range)) return why;
    if (const std::string* symbol = carried_.find(loop))
      return "symbol '" + *symbol + "' carries a value to the next iteration or behind the loop";
    if (Refusal why = check_symbolic(sdfg_, plan.range)) return why;
    const RegionAccesses accesses =
        region_accesses(sdfg_, loop, known_.get(), effects_, ranges);
    if (accesses.refusal) return accesses.refusal;
    count_uses(loop, names_, plan.inside);
    if (Refusal why = accesses.check_aliases(aliases_)) return why;
    for (const auto& [name, list] : accesses.by_container)
      if (Refusal why = check_container(loop, name, list, accesses, plan)) return why;
    for (const std::string& name : accesses.locals) {
      if (plan.containers.contains(name)) continue;
      if (uses_[name] != plan.inside[name])
        return "'" + name + "' between tasklets is also used outside of the loop";
      plan.containers[name].is_private = true;
    }
    return check_views(loop, plan);
  }

  Refusal check_container(const LoopRegion& loop, const std::string& name,
                          const std::vector<RegionAccess>& list, const RegionAccesses& accesses,
                          Plan& plan) {
    // A map without a schedule runs where its data is; the loop runs on the host.
    if (program_.gpu.is_out_of_reach(sdfg_, name))
      return "'" + name + "' is in GPU memory, where the map would be a kernel";
    const Data& data = sdfg_.arrays.at(name);
    Nested& how = plan.containers[name];
    if (data.is_view()) {
      how.is_private = true;
      return {};
    }
    const bool local = data.transient && uses_[name] == plan.inside[name] &&
                       !outlives_run(data);
    if (local && written_before_read(sdfg_, loop, name)) {
      how.is_private = true;
      return {};
    }
    how.read = list.empty();  // what only orders is seen inside, too
    for (const RegionAccess& a : list) (a.write ? how.written : how.read) = true;
    SymbolSet shape;
    collect_symbols(data, shape);
    if (shape.contains(plan.range.variable))
      return "the shape of '" + name + "' depends on '" + plan.range.variable + "'";
    if (how.written)
      if (Refusal why = program_.points.check(name, list, {plan.range.variable},
                                              {plan.range.ascending()}, known_.get()))
        return why;
    // Names in conditions could not follow a window.
    how.window = accesses.named.contains(name) ? all_elements(data)
                                               : box_of(data, list, known_.get());
    if (const Array* array = data.as_array())
      for (const Expr& e : array->offset)
        if (!(e == Expr(0)) || !(array->start_offset == Expr(0)))
          return "'" + name + "' has an offset";
    if (const auto index = index_outside(how.window, data, plan.range))
      return "index " + to_text(*index) + " lies outside of '" + name + "'";
    return {};
  }

  /// A view goes with what it looks at; nothing outside may use it.
  Refusal check_views(const LoopRegion& loop, Plan& plan) {
    Refusal why;
    for_each_node(static_cast<const Region&>(loop), [&](const Node& node) {
      const auto* access = node.as<AccessNode>();
      const Data* data = access ? sdfg_.arrays.get(access->data) : nullptr;
      if (!data || !data->is_view() || why) return;
      if (uses_[access->data] != plan.inside[access->data])
        why = "view '" + access->data + "' is also used outside of the loop";
      plan.containers[access->data].is_private = true;
    });
    return why;
  }

  void apply(RegionEdit& edit, BlockId id, const Plan& plan) {
    const std::string label = edit.region[id].label;
    Uses before = plan.inside, after;
    count_uses_of(edit.region[id], names_, before);
    Region body = std::move(static_cast<Region&>(*edit.region[id].as<LoopRegion>()));
    Block block{label, State{}};
    State& state = *block.as<State>();
    const AssignmentCounts assigned = count_assignments(body);
    NestedSdfg nested =
        nest_region(sdfg_, std::move(body), label + "_body", plan.containers, types_);
    const NodeId entry = state.add(Node{MapEntry{
        .label = label, .params = {plan.range.variable}, .ranges = {plan.range.ascending()}}});
    const NodeId exit = state.add(Node{MapExit{entry}});
    const NodeId node = state.add(Node{std::move(nested)});
    for (const auto& [name, how] : plan.containers)
      if (!how.is_private) connect(state, entry, exit, node, name, how);
    if (state.in(node).empty()) state.connect(entry, node, {});
    if (state.out(node).empty()) state.connect(node, exit, {});
    propagate_memlets(sdfg_, state, entry, known_.get());
    count_uses_of(block, names_, after);
    for (const auto& [name, count] : after) uses_[name] += count;
    for (const auto& [name, count] : before) uses_[name] -= count;
    // A symbol that only the body knew is none of the parent's any more.
    for (const auto& [name, count] : assigned)
      if ((assignments_[name] -= count) == 0 && uses_[name] == 0) sdfg_.symbols.erase(name);
    std::vector<Block> chain;
    chain.push_back(std::move(block));
    const Expr last = plan.range.last();
    if (sdfg_.symbols.contains(plan.range.variable))  // it is assigned behind the map
      count_roots(free_symbols(last), names_, uses_);
    replace_by_chain(sdfg_, edit, id, std::move(chain), plan.range.variable, last);
  }

  void connect(State& state, NodeId entry, NodeId exit, NodeId node, const std::string& name,
               const Nested& how) const {
    if (how.read) {
      state[entry].in_connectors["IN_" + name];
      state[entry].out_connectors["OUT_" + name];
      state[node].in_connectors[name];
      const NodeId access = state.add(Node{AccessNode{name}});
      const Memlet memlet = Memlet::read(name, how.window);
      state.connect(access, entry, {"", "IN_" + name, memlet});
      state.connect(entry, node, {"OUT_" + name, name, memlet});
    }
    if (how.written) {
      state[exit].in_connectors["IN_" + name];
      state[exit].out_connectors["OUT_" + name];
      state[node].out_connectors[name];
      const NodeId access = state.add(Node{AccessNode{name}});
      const Memlet memlet = Memlet::write(name, how.window);
      state.connect(node, exit, {name, "IN_" + name, memlet});
      state.connect(exit, access, {"OUT_" + name, "", memlet});
    }
  }

  Sdfg& sdfg_;
  const Aliases& aliases_;
  const LazyAssumptions& known_;
  Program& program_;
  PassContext& context_;
  SideEffects effects_;
  const TypeTable types_;
  const CarriedSymbols carried_;
  SymbolSet containers_, names_;  ///< names_: containers and declared symbols
  Uses uses_;
  AssignmentCounts assignments_;
};

/// Nested SDFGs before their parents, so that loops inside are maps when those around are looked
/// at.
Changed run_on(Sdfg& sdfg, const Trail& trail, const Aliases& aliases,
               const LazyAssumptions& known, Program& program, PassContext& context);
Changed on_nested(Sdfg& sdfg, Region& region, const Trail& trail, const Aliases& aliases,
                  const LazyAssumptions& known, Program& program, PassContext& context) {
  Changed changed = Changed::No;
  for (BlockId id : region.nodes()) {
    Block& block = region[id];
    const Trail here = trail.in(block);
    if (Region* inner = block.region())
      changed |= on_nested(sdfg, *inner, here, aliases, known, program, context);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= on_nested(sdfg, branch.region(), here.in(branch.block), aliases, known,
                             program, context);
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          changed |= run_on(**nested->sdfg, here.in(*state, n),
                            aliases_inside(sdfg, *state, n, aliases),
                            known.inside(sdfg, *nested), program, context);
  }
  return changed;
}

Changed run_on(Sdfg& sdfg, const Trail& trail, const Aliases& aliases,
               const LazyAssumptions& known, Program& program, PassContext& context) {
  const Changed changed = on_nested(sdfg, sdfg, trail, aliases, known, program, context);
  if (!has_loop(sdfg)) return changed;
  return changed | Converter(sdfg, aliases, known, program, context).on_region(sdfg, trail);
}

}  // namespace

Result<Changed> LoopToMap::run(Sdfg& sdfg, const Options&, PassContext& context) {
  Program program(sdfg);
  return run_on(sdfg, Trail(), {}, LazyAssumptions(context), program, context);
}

}  // namespace sdfg
