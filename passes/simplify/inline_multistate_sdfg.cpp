#include "passes/simplify/inline_multistate_sdfg.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/split_state.h"
#include "passes/common/state_trails.h"
#include "passes/common/tidy.h"
#include "passes/simplify/inline_plan.h"

namespace sdfg {
namespace {

/// Labels of the blocks of one region, to find new ones.
class Labels {
 public:
  explicit Labels(const Region& region) {
    for (BlockId b : region.nodes()) taken_.insert(region[b].label);
  }
  std::string take(const std::string& base) {
    std::string label = base;
    if (taken_.contains(label)) {
      std::size_t& next = next_[base];
      do label = base + "_" + std::to_string(next++);
      while (taken_.contains(label));
    }
    taken_.insert(label);
    return label;
  }

 private:
  NameSet taken_;
  std::map<std::string, std::size_t> next_;
};

std::vector<InterstateEdgeId> copy(std::span<const InterstateEdgeId> edges) {
  return {edges.begin(), edges.end()};
}

/// Where a nested SDFG's node is, and what is known about the surroundings.
struct Site {
  Sdfg& sdfg;
  Region& region;
  BlockId block;
  NodeId node;
  TakenNames& names;
  std::optional<Assumptions>& shapes;  ///< see InlinePlan::check_values
  Labels& labels;
  const GpuMemory& gpu;

  State& state() const { return *region[block].as<State>(); }
};

using FindConnection = std::function<const Connection*(std::string_view)>;

/// The expression with inner containers read at their place in outer ones; nothing when one is read
/// in a way that cannot be told. The containers keep their names, but for those of scalars outside.
std::optional<Expr> moved_reads(const Expr& e, const Sdfg& outer, const FindConnection& find) {
  const auto place = [&](const Connection& c, const Subset& inside) -> std::optional<Expr> {
    const Data* data = outer.find_data(c.outer);
    if (!data) return std::nullopt;
    if (data->is_scalar()) return container_expr(c.outer);
    std::vector<Expr> args{container_expr(c.outer)};
    for (const Range& r : c.window.to_outer(inside).ranges) args.push_back(r.begin);
    return Expr::make(Op::Subscript, std::move(args));
  };
  if (e.is(Op::Symbol)) {
    const Connection* c = find(e.name());
    if (!c) return e;
    // By name alone: a scalar, or an element of one.
    const bool element = std::ranges::none_of(c->window.inner, [](const auto& d) { return !!d; });
    if (!element) return std::nullopt;
    return place(*c, Subset::index(std::vector<Expr>(c->window.offset.size(), 0)));
  }
  if (e.is(Op::Subscript) && e.arg(0).is(Op::Symbol))
    if (const Connection* c = find(e.arg(0).name())) {
      std::vector<Expr> indices;
      for (const Expr& index : e.args().subspan(1)) {
        const auto moved = moved_reads(index, outer, find);
        if (!moved || index.is(Op::Slice)) return std::nullopt;
        indices.push_back(*moved);
      }
      if (indices.size() != c->window.offset.size()) return std::nullopt;
      return place(*c, Subset::index(indices));
    }
  std::vector<Expr> args;
  bool same = true;
  for (const Expr& a : e.args()) {
    const auto moved = moved_reads(a, outer, find);
    if (!moved) return std::nullopt;
    same = same && moved->same(a);
    args.push_back(*moved);
  }
  return same ? e : Expr::make(e.op(), std::move(args), e.name());
}

/// Visits the conditions and assigned values of a region and of all in it, to be replaced.
void for_each_reading(Region& region, const std::function<void(Expr&)>& value,
                      const std::function<void(Code&)>& condition) {
  for_each_interstate_edge(region, [&](InterstateEdge& edge) {
    condition(edge.condition);
    for (auto& [name, assigned] : edge.assignments) value(assigned);
  });
  for_each_block(region, [&](Block& block) {
    if (auto* loop = block.as<LoopRegion>(); loop && loop->loop_condition)
      condition(*loop->loop_condition);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        if (branch.condition) condition(*branch.condition);
  });
}

class Inliner {
 public:
  explicit Inliner(const Site& site)
      : site_(site), sdfg_(site.sdfg), node_(site.node), cut_(sdfg_, site.state(), node_) {}

  Refusal check() {
    const NestedSdfg& nested = site_.state().get<NestedSdfg>(node_);
    if (nested.no_inline) return "the node says no_inline";
    if (nested.instrument != Instrumentation::None) return "the node is instrumented";
    Sdfg& inner = const_cast<Sdfg&>(**nested.sdfg);  // read only; the visits serve apply, too
    if (Refusal why = check_blocks(inner)) return why;
    if (Refusal why = plan_.check_values(sdfg_, nested, site_.shapes)) return why;
    plan_.symbols = symbol_values(nested, sdfg_);
    find_own_symbols(nested, inner);
    if (Refusal why = plan_.connect(sdfg_, site_.state(), node_)) return why;
    for (const auto& [name, c] : plan_.connections)
      if (sdfg_.find_data(c.outer)->role() != Role::Plain)
        return "connector '" + name + "' leads to '" + c.outer + "', a view or reference";
    if (Refusal why = check_zeros()) return why;
    if (Refusal why = check_accesses(inner)) return why;
    if (Refusal why = check_names(inner)) return why;
    return cut_.check();
  }

  void apply() {
    NestedSdfg& here = site_.state().get<NestedSdfg>(node_);
    plan_.choose_names(sdfg_, **here.sdfg, site_.names);
    NestedSdfg nested = std::move(here);
    Sdfg& inner = **nested.sdfg;
    rename_own_symbols(nested, inner);
    replace_inside(inner);
    plan_.move_declarations(sdfg_, inner, false);
    for (const auto& [name, type] : inner.symbols)
      if (own_.contains(name)) sdfg_.symbols.emplace(name, type);
    sdfg_.using_explicit_control_flow |= inner.using_explicit_control_flow;
    splice(inner, nested.label);
  }

 private:
  // ---- Checks.

  static Refusal check_blocks(const Sdfg& inner) {
    std::size_t returns = 0, last = 0;
    for_each_block(inner, [&](const Block& b) { returns += b.is<ReturnBlock>(); });
    for (BlockId b : inner.nodes()) returns -= inner[b].is<ReturnBlock>() && inner.out(b).empty();
    if (returns) return "it returns from within a region, or in front of other blocks";
    for (BlockId b : inner.nodes()) last += is_exit(inner, b);
    if (!last) return "the nested SDFG never ends";
    return {};
  }

  /// May control leave the region behind this block?
  static bool is_exit(const Region& region, BlockId b) {
    return std::ranges::none_of(region.out(b), [&](InterstateEdgeId e) {
      return region[e].condition.always_true();
    });
  }

  /// Symbols that cannot be replaced by what is passed for them: they change inside, their type
  /// changes it, or their value is read from a container, which may change.
  void find_own_symbols(const NestedSdfg& nested, Sdfg& inner) {
    own_.merge(assigned_symbols(inner));
    for (const auto& [name, value] : nested.symbol_mapping)
      for (const std::string& read : free_symbols(value))
        if (sdfg_.arrays.contains(read)) own_.insert(name);
    for (const auto& [name, value] : plan_.symbols)
      if (const auto type = inner.symbols.find(name);
          type != inner.symbols.end() && !holds(type->second, value, sdfg_.symbols))
        own_.insert(name);
    for (const std::string& name : own_) plan_.symbols.erase(name);
  }

  /// A container that one state uses alone is set to zero in each run of that state; several states
  /// would use it.
  Refusal check_zeros() const {
    const State& state = site_.state();
    for (auto edges : {state.in(node_), state.out(node_)})
      for (EdgeId e : edges)
        for (NodeId n : {state.source(e), state.target(e)})
          if (const auto* access = state[n].as<AccessNode>(); access && access->setzero)
            return "'" + access->data + "', which it is given, is set to zero";
    return {};
  }

  Refusal check_accesses(const Sdfg& inner) const {
    Refusal why;
    for_each_node(inner, [&](const Node& node, const State& state, NodeId n) {
      const auto* access = node.as<AccessNode>();
      if (why || !access) return;
      // That is done in each call.
      if (access->setzero) why = "'" + access->data + "' is set to zero inside";
      if (inner.find_data(access->data)->transient) return;
      const Connection& c = plan_.connections.at(access->data);
      for (auto edges : {state.in(n), state.out(n)})
        for (EdgeId e : edges)
          if (!why) why = plan_.check_rank(state, c, e);
    });
    for_each_state(inner, [&](const State& state) {
      if (!why) why = plan_.check_open_subsets(inner, state);
      if (!why) why = plan_.check_connector_names(site_.names, state);
    });
    return why;
  }

  /// Is the inner container, in all that can be said about it, the outer one?
  bool same_spelling(const Sdfg& inner, const std::string& name, const Connection& c) const {
    const Data *inside = inner.find_data(name), *outside = sdfg_.find_data(c.outer);
    if (!inside || !outside) return false;
    return (inside->is_scalar() && outside->is_scalar()) ||
           (inside->as_array() && outside->as_array() && c.window.is_identity());
  }

  /// A container that is a part of the outer one can be read by name where an expression can say
  /// which: in conditions and assigned values.
  Refusal check_names(Sdfg& inner) const {
    SymbolSet parts, used;
    for (const auto& [name, c] : plan_.connections)
      if (!same_spelling(inner, name, c)) parts.insert(name);
    if (parts.empty()) return {};
    UsedNames names(parts, used);
    for (const auto& [name, data] : inner.arrays) names.add(data);
    for_each_node(inner, [&](const Node& n) { names.add(n); });
    for_each_edge(inner, [&](const Edge& e) { names.add(e); });
    for_each_block(inner, [&](const Block& b) {
      const auto* loop = b.as<LoopRegion>();
      if (!loop) return;
      if (loop->init_statement) collect_symbols(*loop->init_statement, parts, used);
      if (loop->update_statement) collect_symbols(*loop->update_statement, parts, used);
    });
    for (const std::string& name : parts)
      if (used.contains(name))
        return "'" + name + "', a part of '" + plan_.at(name)->outer + "', is read by name inside";
    bool readable = true;
    const FindConnection find = [&](std::string_view name) {
      return parts.contains(name) ? plan_.at(name) : nullptr;
    };
    // The host gets a scalar's value from wherever it lies; an element of an array it does not.
    const std::string* on_gpu = nullptr;
    const auto test = [&](const Expr& e) {
      for (const std::string& name : parts)
        if (const Data* data = inner.find_data(name);
            data && data->is_scalar() && uses_symbol(e, name) &&
            site_.gpu.is_out_of_reach(sdfg_, plan_.at(name)->outer))
          on_gpu = &name;
      readable = readable && moved_reads(e, sdfg_, find);
    };
    for_each_reading(inner, test, [&](const Code& code) {
      SymbolSet read;
      collect_symbols(code, parts, read);
      const bool any = std::ranges::any_of(parts, [&](const auto& p) { return read.contains(p); });
      if (any && code.expr()) test(*code.expr());
      readable = readable && (!any || code.expr());
    });
    if (on_gpu)
      return "control flow inside reads '" + *on_gpu + "', an element of '" +
             plan_.at(*on_gpu)->outer + "', which is in memory of the GPU";
    return readable ? Refusal() : "a condition inside reads a part of a container as a whole";
  }

  // ---- Rewriting.

  void rename_own_symbols(const NestedSdfg& nested, Sdfg& inner) {
    SymbolSet renamed;
    for (const std::string& name : own_) {
      std::string fresh = site_.names.take(name);
      while (fresh != name && (inner.arrays.contains(fresh) || inner.symbols.contains(fresh)))
        fresh = site_.names.take(name);
      if (fresh != name) rename_symbol(inner, name, fresh);
      renamed.insert(fresh);
      if (const auto value = nested.symbol_mapping.find(name); value != nested.symbol_mapping.end())
        assignments_.set(fresh, value->second);
    }
    own_ = std::move(renamed);
  }

  /// Says everything inside in the parent's terms, in one step, so that no name is met twice.
  void replace_inside(Sdfg& inner) {
    Substitution all = plan_.replacements();
    Renaming containers = plan_.moved;
    ByName<const Connection*> parts;  // by a name for the time being
    for (const auto& [name, c] : plan_.connections) {
      containers.insert_or_assign(name, c.outer);
      std::string in_between = c.outer;
      if (!same_spelling(inner, name, c)) {
        in_between = site_.names.take("__part_" + name);
        parts.emplace(in_between, &c);
      }
      if (in_between != name) all.insert_or_assign(name, container_expr(in_between));
    }
    for_each_state(inner, [&](State& state) { plan_.close_subsets(inner, state); });
    replace_symbols(inner, all, {inner.symbols, sdfg_.symbols});
    const FindConnection find = [&](std::string_view name) {
      const auto found = parts.find(name);
      return found == parts.end() ? nullptr : found->second;
    };
    for_each_reading(
        inner, [&](Expr& e) { e = *moved_reads(e, sdfg_, find); },
        [&](Code& code) {
          if (!code.expr()) return;
          const Expr moved = *moved_reads(*code.expr(), sdfg_, find);
          if (!moved.same(*code.expr())) code = Code::from(moved);
        });
    plan_.free_places(sdfg_, inner);
    for_each_state(inner, [&](State& state) {
      for (EdgeId e : state.edges()) plan_.translate(state, e, state[e].memlet);
      rename_accesses(state, containers);
    });
  }

  void splice(Sdfg& inner, const std::string& name) {
    Region& region = site_.region;
    State& state = site_.state();
    const std::string label = region[site_.block].label;
    const bool started = is_start(region, site_.block);
    State after;
    cut_.apply(state, after);
    erase_node(state);

    const BlockId first = *start(inner);
    std::vector<BlockId> exits;
    std::map<BlockId, BlockId> moved;
    for (BlockId b : inner.nodes()) {
      Block block = std::move(inner[b]);
      if (block.is<ReturnBlock>()) block.kind = State();
      block.label = site_.labels.take(name.empty() ? block.label : name + "_" + block.label);
      moved[b] = region.add(std::move(block));
      if (is_exit(inner, b)) exits.push_back(moved[b]);
    }
    const Region& body = inner;
    for (InterstateEdgeId e : body.edges())
      region.connect(moved.at(body.source(e)), moved.at(body.target(e)), std::move(inner[e]));

    BlockId last = exits.front();
    if (exits.size() > 1 || !region.out(last).empty() || after.node_count() > 0) {
      after.nosync = state.nosync;
      last = region.add(
          Block{site_.labels.take(label + "_after"), std::move(after)});
      for (BlockId b : exits) region.connect(b, last, {});
    }
    for (InterstateEdgeId e : copy(region.out(site_.block))) region.set_source(e, last);
    enter(moved.at(first), started);
  }

  /// Leads to the inner blocks, from the first part of the state or, where nothing is left of it,
  /// from what led there.
  void enter(BlockId first, bool started) {
    Region& region = site_.region;
    if (site_.state().node_count() > 0 || !assignments_.empty()) {
      InterstateEdge edge;
      edge.assignments = std::move(assignments_);
      region.connect(site_.block, first, std::move(edge));
      return;
    }
    for (InterstateEdgeId e : copy(region.in(site_.block))) region.set_target(e, first);
    region.erase(site_.block);
    if (started) region.start_block = first;
  }

  /// The node goes, and access nodes that were there only for it.
  void erase_node(State& state) {
    std::set<NodeId> neighbours;
    for (EdgeId e : state.in(node_)) neighbours.insert(state.source(e));
    state.erase(node_);
    for (NodeId n : neighbours) drop_if_loose(state, n);
  }

  const Site& site_;
  Sdfg& sdfg_;
  const NodeId node_;
  StateCut cut_;
  InlinePlan plan_;
  SymbolSet own_;  ///< inner symbols that stay symbols
  OrderedMap<Expr> assignments_;
};

class Walk {
 public:
  Walk(Sdfg& sdfg, const GpuMemory& gpu, PassContext& context)
      : sdfg_(sdfg), gpu_(gpu), names_(sdfg), context_(context) {}

  /// Nested SDFGs before their parents.
  Changed run(const Trail& trail) {
    const StateTrails states(sdfg_, trail);
    for (const auto& [state, here] : states.states())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto& nested = state->get<NestedSdfg>(n); nested.sdfg)
          changed_ |= Walk(**nested.sdfg, gpu_, context_).run(here->in(*state, n));
    on_region(sdfg_, trail);
    return changed_;
  }

 private:
  void on_region(Region& region, const Trail& trail) {
    Labels labels(region);
    const std::vector<BlockId> blocks(region.nodes().begin(), region.nodes().end());
    for (BlockId b : blocks) {
      Block& block = region[b];
      const Trail here = trail.in(block);
      if (Region* inner = block.region()) on_region(*inner, here);
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches)
          on_region(branch.region(), here.in(branch.block));
      if (block.is<State>()) on_state(region, b, labels, here);
    }
  }

  /// From the last node to the first, so that what is cut off does not come up again.
  void on_state(Region& region, BlockId block, Labels& labels, const Trail& trail) {
    State& state = *region[block].as<State>();
    if (std::ranges::empty(state.nodes_of<NestedSdfg>())) return;
    const auto flow = dataflow(state);
    if (!flow) return;
    for (NodeId n : flow->order | std::views::reverse) {
      const auto* nested = state.contains(n) ? state[n].as<NestedSdfg>() : nullptr;
      if (!nested || !nested->sdfg || flow->tree.parent_of(n)) continue;
      const Trail here = trail.in(state, n);
      const Site site{sdfg_, region, block, n, names_, shapes_, labels, gpu_};
      Inliner inliner(site);
      if (const Refusal why = inliner.check()) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) return;
      context_.applied(here, "inlined");
      inliner.apply();
      changed_ = Changed::Yes;
      if (!region.contains(block)) return;
    }
  }

  Sdfg& sdfg_;
  const GpuMemory& gpu_;
  TakenNames names_;
  std::optional<Assumptions> shapes_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> InlineMultistateSdfg::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Walk(sdfg, GpuMemory(sdfg), context).run({});
}

}  // namespace sdfg
