#include "passes/split/composed_copy_elimination.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/order.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/replace.h"
#include "passes/common/aliases.h"
#include "passes/common/assume.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/one_element.h"
#include "passes/common/scope.h"
#include "passes/common/state_trails.h"
#include "passes/split/conflict_order.h"
#include "passes/split/container_uses.h"
#include "passes/split/copy_pieces.h"
#include "passes/split/partition.h"

namespace sdfg {
namespace {

/// One copy into the container.
struct Part {
  EdgeId edge;
  NodeId source;
  CopySidesMatched sides;

  /// What of the source a subset inside this part is.
  Subset in_source(const Subset& subset) const { return sides.read_for(subset); }
};

/// An innermost edge that reads the container.
struct Leaf {
  EdgeId edge;
  std::vector<NodeId> entries;  ///< around it, the outermost first
  Subset subset;
  std::vector<std::size_t> parts;  ///< that it may read
  bool direct = false;             ///< it certainly lies in the only one
  bool covered = false;            ///< it certainly lies in one of them
};

struct ComposedPlan {
  NodeId node;
  std::vector<Part> parts;
  SymbolSet symbols;  ///< in their subsets
  std::vector<Leaf> leaves;
};

class StateRewriter {
 public:
  StateRewriter(Sdfg& sdfg, State& state, Accesses& accesses, const Aliases& aliases,
                const GpuMemory& gpu, const Trail& trail, const Assumptions& assumptions,
                PassContext& context)
      : sdfg_(sdfg), state_(state), accesses_(accesses), aliases_(aliases), gpu_(gpu),
        trail_(trail), assumptions_(assumptions), context_(context) {}

  /// What is composed of something composed waits for the next round, when it reads the first
  /// sources.
  Changed run() {
    Changed changed = Changed::No;
    std::set<NodeId> waiting;
    for (bool first = true; first || !waiting.empty(); first = false) {
      auto flow = dataflow(state_);
      if (!flow) break;
      tree_ = std::move(flow->tree);
      const std::set<NodeId> before = std::exchange(waiting, {});
      std::vector<NodeId> nodes;
      for (NodeId node : flow->order)
        if ((first || before.contains(node)) && is_candidate(node)) nodes.push_back(node);
      if (nodes.empty()) break;
      look_around(flow->order);
      std::set<NodeId> planned;
      std::vector<ComposedPlan> plans;
      for (NodeId node : nodes) {
        if (!context_.may_apply()) break;
        const bool wait = std::ranges::any_of(state_.in(node), [&](EdgeId e) {
          return planned.contains(state_.source(e)) || waiting.contains(state_.source(e));
        });
        if (wait) waiting.insert(node);
        else if (decide(node, plans)) planned.insert(node);
      }
      if (plans.empty()) break;
      for (const ComposedPlan& plan : plans) apply(plan);
      conflicts_->restore(sdfg_, state_, assumptions_);
      changed = Changed::Yes;
    }
    for (const std::string& name : gone_) sdfg_.arrays.erase(name);
    return changed;
  }

 private:
  const std::string& name(NodeId node) const { return state_.get<AccessNode>(node).data; }

  bool is_candidate(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    if (!access || tree_.parent_of(node)) return false;
    if (state_.in(node).size() < 2 || state_.out(node).empty()) return false;
    return std::ranges::all_of(state_.in(node), [&](EdgeId e) {
      return state_[e].memlet.empty() || state_[state_.source(e)].is<AccessNode>();
    });
  }

  // ---- Deciding.

  /// What all decisions of a round ask for.
  void look_around(const std::vector<NodeId>& sorted) {
    order_.emplace(state_);
    conflicts_.emplace(sdfg_, state_, assumptions_);
    written_.clear();
    for (NodeId n : sorted)
      if (state_[n].is<AccessNode>() && !state_.in(n).empty())
        written_[viewed_root(sdfg_, state_, n)].push_back(n);
  }

  bool decide(NodeId node, std::vector<ComposedPlan>& plans) {
    const Trail here = trail_.in(state_, node);
    ComposedPlan plan{node, {}, {}, {}};
    Refusal why = conflicts_->refusal();
    if (!why) why = make_plan(plan);
    if (why) {
      context_.refused(here, why);
      return false;
    }
    context_.applied(here, describe(plan));
    plans.push_back(std::move(plan));
    return true;
  }

  Refusal make_plan(ComposedPlan& plan) {
    const std::string& container = name(plan.node);
    if (!accesses_.is_single_use(container)) return "'" + container + "' is used elsewhere, too";
    const FoundUses found = find_uses(sdfg_, accesses_, container, assumptions_);
    if (found.refusal) return found.refusal;
    const Data& data = *sdfg_.find_data(container);
    for (EdgeId e : state_.in(plan.node))
      if (Refusal why = add_part(e, data, plan)) return why;
    if (plan.parts.size() < 2) return "'" + container + "' is a single copy";
    std::vector<Subset> boxes;
    for (const Part& part : plan.parts) boxes.push_back(part.sides.dst);
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (intersects(boxes[a], boxes[b], assumptions_) != Truth::No)
          return "the copies to [" + to_text(boxes[b]) + "] and [" + to_text(boxes[a]) +
                 "] may overlap";
    for (EdgeId e : state_.out(plan.node)) {
      if (state_[e].memlet.empty())
        return "something waits for '" + container + "' without reading it";
      for (EdgeId inner : memlet_tree(state_, e, false))
        if (Refusal why = add_leaf(inner, plan)) return why;
    }
    return check_sources(plan);
  }

  Refusal add_part(EdgeId e, const Data& data, ComposedPlan& plan) const {
    if (state_[e].memlet.empty()) return {};
    const NodeId source = state_.source(e);
    const Data& from = *sdfg_.find_data(name(source));
    if (state_[e].memlet.wcr || state_[e].memlet.dynamic)
      return "the copy from '" + name(source) + "' resolves conflicts or is dynamic";
    if (!(from.dtype == data.dtype)) return "the copy from '" + name(source) + "' converts";
    if (gpu_.holds(sdfg_, name(source)) != gpu_.holds(sdfg_, name(plan.node)))
      return "the copy from '" + name(source) + "' is one between the host and the GPU";
    auto sides = match_copy(sdfg_, state_, e, assumptions_);
    if (!sides) return "the two sides of the copy from '" + name(source) + "' cannot be matched";
    collect_symbols(sides->src, plan.symbols);
    collect_symbols(sides->dst, plan.symbols);
    plan.parts.push_back({e, source, *std::move(sides)});
    return {};
  }

  std::vector<NodeId> entries_around(EdgeId leaf) const {
    std::vector<NodeId> out;
    for (NodeId at = state_.source(leaf); state_[at].is_entry(); at = tree_.parent_of(at)) {
      out.push_back(at);
      if (!tree_.parent_of(at)) break;
    }
    std::ranges::reverse(out);
    return out;
  }

  Refusal add_leaf(EdgeId e, ComposedPlan& plan) const {
    const NodeId end = state_.target(e);
    const Memlet& memlet = state_[e].memlet;
    if (state_[end].is_entry()) {
      if (state_[e].dst_connector.starts_with("IN_") && state_[end].is<MapEntry>()) return {};
      return "a scope takes it at connector '" + state_[e].dst_connector + "'";
    }
    const auto& subset = subset_at(memlet, name(plan.node), false);
    const std::string who = "'" + std::string(state_[end].label()) + "'";
    if (!subset) return "the memlet at " + who + " does not say what it reads";
    if (memlet.wcr) return "the memlet at " + who + " resolves conflicts";
    Leaf leaf{e, entries_around(e), *subset, {}};
    for (NodeId entry : leaf.entries)
      for (const std::string& bound : names_of_scope(state_[entry]))
        if (plan.symbols.contains(bound))
          return "'" + bound + "', which says what is copied, means something else at " + who;
    Assumptions inside = assumptions_;
    for (NodeId entry : leaf.entries) assume_scope(state_.get<MapEntry>(entry), inside);
    std::vector<Subset> rest{leaf.subset};
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      const Subset& box = plan.parts[p].sides.dst;
      if (intersects(box, leaf.subset, inside) == Truth::No) continue;
      leaf.parts.push_back(p);
      if (certain(covers(box, leaf.subset, inside))) leaf.direct = true;
    }
    if (leaf.parts.empty())
      return who + " reads [" + to_text(leaf.subset) + "], which no copy writes";
    if (leaf.direct) leaf.parts = {direct_part(leaf, plan, inside)};
    leaf.covered = leaf.direct;
    if (!state_[end].is<Tasklet>() && !state_[end].is<AccessNode>() && !taken_inside(e))
      return who + " is a " + std::string(state_[end].kind_name()) + " and may look anywhere";
    const auto single = [](const Range& r) { return r.is_index(); };
    if (!leaf.direct && !std::ranges::all_of(leaf.subset.ranges, single))
      return who + " reads [" + to_text(leaf.subset) + "], which may lie in several parts";
    if (!leaf.direct && leaf.entries.empty() && gpu_.is_out_of_reach(sdfg_, name(plan.node)))
      return "the host would choose what " + who + " reads, but '" + name(plan.node) +
             "' is in memory of the GPU";
    plan.leaves.push_back(std::move(leaf));
    return {};
  }
  /// What a nested SDFG takes at the edge's end, if that is one element; else null.
  const Data* taken_inside(EdgeId e) const {
    const auto* nested = state_[state_.target(e)].as<NestedSdfg>();
    if (!nested || !nested->sdfg) return nullptr;
    const Data* inner = (*nested->sdfg)->arrays.get(state_[e].dst_connector);
    return is_one_element(*inner) ? inner : nullptr;
  }
  std::size_t direct_part(const Leaf& leaf, const ComposedPlan& plan,
                          const Assumptions& inside) const {
    return *std::ranges::find_if(leaf.parts, [&](std::size_t p) {
      return certain(covers(plan.parts[p].sides.dst, leaf.subset, inside));
    });
  }

  /// Whatever else writes a source comes before the copy, or after the last reader.
  Refusal check_sources(const ComposedPlan& plan) {
    for (const Part& part : plan.parts) {
      const std::string& source = name(part.source);
      if (const auto writers = written_.find(source); writers != written_.end())
        if (Refusal why = check_writers(plan, part, writers->second)) return why;
      if (!aliases_.contains(source)) continue;
      for (const auto& [other, writers] : written_)
        if (other != source && may_be_same(aliases_, other, source))
          if (Refusal why = check_writers(plan, part, writers)) return why;
    }
    return {};
  }
  Refusal check_writers(const ComposedPlan& plan, const Part& part,
                        const std::vector<NodeId>& writers) const {
    for (NodeId n : writers) {
      if (n == part.source || order_->reaches(n, part.source)) continue;
      for (EdgeId e : state_.in(n))
        if (Refusal why = check_write(plan, part, e, name(n) == name(part.source))) return why;
    }
    return {};
  }
  Refusal check_write(const ComposedPlan& plan, const Part& part, EdgeId write,
                      bool comparable) const {
    const Memlet& memlet = state_[write].memlet;
    if (memlet.empty()) return {};
    const auto& subset = subset_at(memlet, name(part.source), true);
    if (comparable && subset && intersects(*subset, part.sides.src, assumptions_) == Truth::No)
      return {};
    const NodeId writer = state_.source(write);
    for (EdgeId e : state_.out(plan.node)) {
      const NodeId reader = state_.target(e);
      const NodeId end = state_[reader].is_entry() ? tree_.exit_of(reader) : reader;
      if (order_->element(end) == order_->element(writer) || !order_->reaches(end, writer))
        return "'" + name(part.source) + "' may be overwritten before '" + name(plan.node) +
               "' is read";
    }
    return {};
  }

  std::string describe(const ComposedPlan& plan) const {
    const auto chosen =
        std::size_t(std::ranges::count_if(plan.leaves, [](const Leaf& l) { return !l.direct; }));
    NameSet sources;
    for (const Part& part : plan.parts) sources.insert(name(part.source));
    std::string out;
    for (const std::string& s : sources) out += (out.empty() ? "'" : ", '") + s + "'";
    return "'" + name(plan.node) + "', composed of " + std::to_string(plan.parts.size()) +
           " copies from " + out + ", is read there: " + std::to_string(chosen) +
           " reads choose by their index, " + std::to_string(plan.leaves.size() - chosen) +
           " need not";
  }

  // ---- Rewriting.

  void apply(const ComposedPlan& plan) {
    const std::string container = name(plan.node);
    type_ = sdfg_.find_data(container)->dtype;
    brought_.clear();
    // What had to come before the copies comes before the readers.
    for (EdgeId e : state_.in(plan.node))
      if (state_[e].memlet.empty())
        for (EdgeId reader :
             std::vector(state_.out(plan.node).begin(), state_.out(plan.node).end()))
          state_.connect(state_.source(e), state_.target(reader), {});
    std::vector<std::vector<EdgeId>> old;
    for (EdgeId e : state_.out(plan.node)) old.push_back(memlet_tree(state_, e, false));
    for (const Leaf& leaf : plan.leaves)
      leaf.direct ? read_directly(plan, leaf) : choose(plan, leaf);
    for (const auto& edges : old)
      for (EdgeId e : edges) remove(e);
    propagate_around(plan);
    std::set<NodeId> sources;
    for (const Part& part : plan.parts) sources.insert(part.source);
    accesses_.remove(state_, plan.node);
    state_.erase(plan.node);
    for (NodeId source : sources)
      if (state_.in(source).empty() && state_.out(source).empty()) {
        accesses_.remove(state_, source);
        state_.erase(source);
      }
    gone_.insert(container);
  }

  /// Takes the edge away, with the connectors that only it used.
  void remove(EdgeId e) {
    const auto drop = [](Connectors& connectors, const std::string& connector) {
      if (!connector.empty()) connectors.erase(connector);
    };
    const NodeId source = state_.source(e), target = state_.target(e);
    const Edge edge = state_[e];
    state_.erase(e);
    if (state_[target].is_entry()) drop(state_[target].in_connectors, edge.dst_connector);
    // Several edges may leave by one connector of an entry.
    const bool last = std::ranges::none_of(state_.out(source), [&](EdgeId other) {
      return state_[other].src_connector == edge.src_connector;
    });
    if (state_[source].is_entry() && last) drop(state_[source].out_connectors, edge.src_connector);
  }

  /// The node and connector inside all the scopes where the part's source can be read.
  std::pair<NodeId, std::string> bring(const Part& part, const std::vector<NodeId>& entries) {
    NodeId at = part.source;
    std::string connector;
    for (NodeId entry : entries) {
      const auto [known, added] = brought_.try_emplace({entry, part.source});
      if (added) {
        known->second = add_port(state_[entry], name(part.source));
        Edge edge{connector, "IN_" + known->second,
                  Memlet::read(name(part.source), part.sides.src)};
        state_.connect(at, entry, std::move(edge));
      }
      at = entry;
      connector = "OUT_" + known->second;
    }
    return {at, connector};
  }

  void read_directly(const ComposedPlan& plan, const Leaf& leaf) {
    const Part& part = plan.parts[leaf.parts.front()];
    const auto [node, connector] = bring(part, leaf.entries);
    Edge edge = state_[leaf.edge];
    edge.src_connector = connector;
    Memlet& memlet = edge.memlet;
    const std::string& source = name(part.source);
    if (memlet.data == name(plan.node)) memlet.data = source, memlet.data_is_src = true;
    memlet.src_subset = part.in_source(leaf.subset);
    if (memlet.data == source && !state_[state_.target(leaf.edge)].is<AccessNode>())
      memlet.dst_subset.reset();
    memlet.origin = {}, memlet.guid.clear();
    state_.connect(node, state_.target(leaf.edge), std::move(edge));
  }

  /// A tasklet that tests the index, and one element that takes its result to the reader.
  void choose(const ComposedPlan& plan, const Leaf& leaf) {
    Assumptions inside = assumptions_;
    for (NodeId entry : leaf.entries) assume_scope(state_.get<MapEntry>(entry), inside);
    Node tasklet{Tasklet{}};
    Expr value = Expr::number(0);
    struct Input {
      std::string connector;
      std::size_t part;
      Subset subset;
    };
    std::vector<Input> inputs;
    // No container may have a connector's name, and no symbol in the code.
    SymbolSet taken = plan.symbols;
    collect_symbols(leaf.subset, taken);
    const auto connector_like = [&](std::string wish) {
      while (taken.contains(wish) || sdfg_.fresh_name(wish) != wish) wish += "_";
      taken.insert(wish);
      return wish;
    };
    for (std::size_t i = leaf.parts.size(); i-- > 0;) {
      const Part& part = plan.parts[leaf.parts[i]];
      const std::string connector = connector_like("part_" + std::to_string(i));
      inputs.push_back({connector, leaf.parts[i], needed(part, leaf.subset, inside)});
      const Expr read = element_at(connector, part.in_source(leaf.subset), inputs.back().subset);
      const Expr test = inside_of(part.sides.dst, leaf.subset, inside);
      const bool always = i + 1 == leaf.parts.size() && in_one_of(plan, leaf, inside);
      value = always ? read : Expr::make(Op::Select, {test, read, value});
    }
    auto& code = std::get<Tasklet>(tasklet.kind);
    code.label = "choose_" + name(plan.node);
    const std::string out = connector_like("chosen");
    code.code = Code(out + " = " + print_python(value));
    for (const Input& in : inputs) tasklet.in_connectors.emplace(in.connector, Type{});
    tasklet.out_connectors.emplace(out, Type{});
    const NodeId chooser = state_.add(std::move(tasklet));
    for (const Input& in : inputs) {
      const auto [node, from] = bring(plan.parts[in.part], leaf.entries);
      Memlet memlet = Memlet::read(name(plan.parts[in.part].source), in.subset);
      memlet.dynamic = true;
      memlet.volume = 1;
      state_.connect(node, chooser, {from, in.connector, std::move(memlet)});
    }
    const std::string element = sdfg_.fresh_name(name(plan.node) + "_chosen");
    const Data* inner = taken_inside(leaf.edge);
    Data data = inner && inner->as_array() ? Data::array(type_, inner->shape, true)
                                           : Data::scalar(type_, true);
    const Subset whole = all_elements(data);
    sdfg_.arrays.set(element, std::move(data));
    const NodeId chosen = state_.add(Node{AccessNode{element}});
    accesses_.add(state_, chosen);
    state_.connect(chooser, chosen, {out, "", Memlet::write(element, whole)});
    Edge edge = state_[leaf.edge];
    edge.src_connector.clear();
    Memlet onward = Memlet::read(element, whole);
    if (state_[state_.target(leaf.edge)].is<AccessNode>())
      onward.dst_subset = edge.memlet.dst_subset;
    edge.memlet = std::move(onward);
    state_.connect(chosen, state_.target(leaf.edge), std::move(edge));
  }

  /// What the reader may take of the part's source: one index in each dimension where the index
  /// certainly lies in the part, all of the part in the others.
  Subset needed(const Part& part, const Subset& at, const Assumptions& inside) const {
    const Subset exact = part.in_source(at);
    Subset out = part.sides.src;
    for (std::size_t d = 0; d < out.rank(); ++d) {
      const auto& to = part.sides.dst_of[d];
      const bool certainly =
          to && certain(less_equal(part.sides.dst[*to].begin, at[*to].begin, inside)) &&
          certain(less_equal(at[*to].begin, part.sides.dst[*to].end, inside));
      if (certainly) out[d] = exact[d];
    }
    return out;
  }
  /// The element at a connector that has `given`: indices count from where that begins; dimensions
  /// of one element have none.
  static Expr element_at(const std::string& connector, const Subset& at, const Subset& given) {
    std::vector<Expr> arguments{Expr::symbol(connector)};
    for (std::size_t d : wide_dimensions(given)) arguments.push_back(at[d].begin - given[d].begin);
    return arguments.size() == 1 ? arguments[0] : Expr::make(Op::Subscript, std::move(arguments));
  }
  static Expr inside_of(const Subset& box, const Subset& at, const Assumptions& inside) {
    Expr out = Expr::boolean(true);
    for (std::size_t d = 0; d < box.rank(); ++d) {
      const auto add = [&](const Expr& a, const Expr& b) {
        if (!certain(less_equal(a, b, inside))) out = logical_and(out, compare_expr(Op::Le, a, b));
      };
      add(box[d].begin, at[d].begin);
      add(at[d].begin, box[d].end);
    }
    return out;
  }
  /// Does one of the leaf's parts certainly hold the element, so that the last needs no test?
  bool in_one_of(const ComposedPlan& plan, const Leaf& leaf, const Assumptions& inside) const {
    Expr some = Expr::boolean(false);
    for (std::size_t p : leaf.parts)
      some = logical_or(some, inside_of(plan.parts[p].sides.dst, leaf.subset, inside));
    return certain(is_true(some, inside));
  }

  /// The memlets around the scopes that have new inputs, inner scopes first.
  void propagate_around(const ComposedPlan& plan) {
    std::set<NodeId> seen;
    std::vector<NodeId> entries;
    for (const Leaf& leaf : plan.leaves)
      for (std::size_t i = 0; i < leaf.entries.size(); ++i)
        if (seen.insert(leaf.entries[i]).second) entries.push_back(leaf.entries[i]);
    std::ranges::stable_sort(entries, std::greater(),
                             [&](NodeId e) { return tree_.enclosing(e).size(); });
    for (NodeId entry : entries) propagate_memlets(sdfg_, state_, tree_, entry, assumptions_);
  }

  Sdfg& sdfg_;
  State& state_;
  Accesses& accesses_;
  const Aliases& aliases_;
  const GpuMemory& gpu_;
  const Trail& trail_;
  const Assumptions& assumptions_;
  PassContext& context_;
  ScopeTree tree_;  ///< of the nodes that were there when the round began
  std::optional<Order> order_;
  std::optional<ConflictOrder> conflicts_;
  std::map<std::string, std::vector<NodeId>> written_;  ///< container: access nodes, views included
  Type type_;       ///< of the container's elements
  std::map<std::pair<NodeId, NodeId>, std::string> brought_;  ///< entry and source: port
  NameSet gone_;
};

Changed run_on(Sdfg& sdfg, const Trail& trail, const AllAliases& aliases, const GpuMemory& gpu,
               const Assumptions& assumptions, PassContext& context) {
  Changed changed = Changed::No;
  const StateTrails states(sdfg, trail);
  Accesses accesses(sdfg);
  for (const auto& [state, here] : states.states()) {
    StateRewriter rewriter(sdfg, *state, accesses, aliases.at(&sdfg), gpu, *here, assumptions,
                           context);
    changed |= rewriter.run();
    for (NodeId n : state->nodes_of<NestedSdfg>())
      if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
        changed |= run_on(**nested->sdfg, here->in(*state, n), aliases, gpu,
                          assumptions_inside(sdfg, *nested, assumptions), context);
  }
  return changed;
}

}  // namespace

Result<Changed> ComposedCopyElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return run_on(sdfg, {}, find_aliases(sdfg), GpuMemory(sdfg), context.assumptions(), context);
}

}  // namespace sdfg
