#include "passes/simplify/control_flow_raising.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/edges.h"
#include "ir/graph_algorithms.h"
#include "passes/common/blocks.h"
#include "passes/common/decide.h"
#include "passes/common/mention_index.h"

namespace sdfg {
namespace {

/// Does exactly one of the two hold, whatever the values? Beyond the plain `not`, normal forms
/// count for arithmetic of integers (a comparison with nan and its opposite both fail).
bool complementary(const Code& a, const Code& b, const Sdfg& sdfg) {
  const Expr *x = a.expr(), *y = b.expr();
  if (!x || !y) return false;
  const auto negates = [](const Expr& p, const Expr& q) { return p.is(Op::Not) && p.arg(0) == q; };
  if (negates(*x, *y) || negates(*y, *x)) return true;
  const auto is_unequal = [](const Expr& p, const Expr& q) {
    return p.is(Op::Eq) && q.is(Op::Ne) && std::ranges::equal(p.args(), q.args());
  };
  if (is_unequal(*x, *y) || is_unequal(*y, *x)) return true;
  if (!is_integer_condition(*x) || !is_integer_condition(*y)) return false;
  for (const std::string& name : free_symbols(*x)) {
    const Data* data = sdfg.find_data(name);
    const auto symbol = sdfg.symbols.find(name);
    if (data ? !data->dtype.is_signed_integer()
             : symbol != sdfg.symbols.end() && !symbol->second.is_signed_integer())
      return false;
  }
  return logical_not(*x) == simplify(*y);
}

Code assignment(const std::string& target, const Expr& value) {
  return Code::from(Statements{Statement{Assign{Expr::symbol(target), value, {}, {}}}});
}

class Raiser {
 public:
  /// `is_new`: the region is the body of a loop that was raised just now.
  Raiser(Sdfg& sdfg, Region& region, const Trail& trail, PassContext& context, bool is_new = false)
      : sdfg_(sdfg), region_(region), trail_(trail), context_(context), is_new_(is_new),
        labels_(region), first_(start(region)) {}

  Changed run() {
    if (!first_) return Changed::No;
    const std::vector<BlockId> order = reverse_postorder(region_);
    rank_.assign(region_.id_bound(), unreachable);
    for (std::size_t i = 0; i < order.size(); ++i) rank_[order[i].value] = i;
    find_undeclared();
    Changed changed = Changed::No;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (!region_.contains(*at)) continue;
      BlockId block = *at;
      if (is_header(block)) {
        const auto loop = raise_loop(block);
        if (!loop) continue;
        block = *loop, changed = Changed::Yes;
      }
      changed |= raise_conditional(block);
    }
    if (changed == Changed::Yes) keep_start(region_, first_);
    return changed;
  }

 private:
  static constexpr std::size_t unreachable = ~std::size_t(0);

  /// Where variables of possible loops are not declared, it matters who else mentions them.
  void find_undeclared() {
    if (is_new_) return;
    for (InterstateEdgeId e : region_.edges())
      if (is_back(e))
        for (const auto& [name, value] : region_[e].assignments)
          if (!sdfg_.symbols.contains(name)) {
            index_.emplace(sdfg_, region_);
            return;
          }
  }

  std::size_t rank(BlockId b) const { return rank_[b.value]; }
  BlockId add(Block block, BlockId beside) {
    block.label = labels_.take(block.label);
    const BlockId id = region_.add(std::move(block));
    rank_.resize(region_.id_bound(), unreachable);
    rank_[id.value] = rank(beside);
    return id;
  }
  bool is_back(InterstateEdgeId e) const {
    return rank(region_.source(e)) >= rank(region_.target(e)) &&
           rank(region_.source(e)) != unreachable;
  }
  bool is_header(BlockId b) const {
    return std::ranges::any_of(region_.in(b), [&](InterstateEdgeId e) { return is_back(e); });
  }

  /// Is one of the edges always taken?
  bool goes_on(BlockId b) const {
    if (is_jump(region_[b])) return true;
    const auto out = region_.out(b);
    if (std::ranges::any_of(out, [&](InterstateEdgeId e) {
          return region_[e].condition.always_true();
        }))
      return true;
    return out.size() == 2 &&
           complementary(region_[out[0]].condition, region_[out[1]].condition, sdfg_);
  }

  // ---- Loops.

  struct Cycle {
    BlockId header;
    std::set<BlockId> blocks;             ///< with the header
    std::vector<InterstateEdgeId> back, exits, entries;
    std::optional<BlockId> target;        ///< where the exits lead; none: the region ends
  };
  enum class Form { Guard, Rotated, Breaks };

  std::optional<BlockId> raise_loop(BlockId header) {
    const Trail here = trail_.in(region_[header]);
    Cycle cycle;
    if (const Refusal why = find_cycle(header, cycle)) {
      context_.refused(here, why);
      return std::nullopt;
    }
    if (!context_.may_apply()) return std::nullopt;
    const Form form = form_of(cycle);
    LoopRegion loop;
    loop.inverted = form == Form::Rotated;
    loop.update_before_condition = form != Form::Rotated;
    std::string what = "became a loop";
    if (form == Form::Breaks) {
      loop.loop_condition = Code("1");
    } else {
      const BlockId decides = form == Form::Guard ? header : region_.source(cycle.back[0]);
      loop.loop_condition = stays(cycle, decides);
      take_variable(cycle, form, loop);
      if (!loop.loop_variable.empty()) what += " over '" + loop.loop_variable + "'";
    }
    context_.applied(here, what);
    return build(cycle, form, std::move(loop));
  }

  /// The blocks from which control comes back to the header without passing it again.
  Refusal find_cycle(BlockId header, Cycle& cycle) const {
    cycle.header = header;
    cycle.blocks = {header};
    std::vector<BlockId> open;
    for (InterstateEdgeId e : region_.in(header)) {
      if (!is_back(e)) {
        cycle.entries.push_back(e);
        continue;
      }
      cycle.back.push_back(e);
      if (cycle.blocks.insert(region_.source(e)).second) open.push_back(region_.source(e));
    }
    while (!open.empty()) {
      const BlockId at = open.back();
      open.pop_back();
      for (InterstateEdgeId e : region_.in(at)) {
        const BlockId before = region_.source(e);
        if (rank(before) == unreachable) continue;
        if (rank(before) < rank(header))
          return "the cycle is also entered at '" + region_[at].label + "'";
        if (cycle.blocks.insert(before).second) open.push_back(before);
      }
    }
    for (BlockId b : cycle.blocks) {
      for (InterstateEdgeId e : region_.out(b)) {
        if (cycle.blocks.contains(region_.target(e))) continue;
        if (cycle.target && *cycle.target != region_.target(e))
          return "the cycle leads to '" + region_[*cycle.target].label + "' and to '" +
                 region_[region_.target(e)].label + "'";
        cycle.target = region_.target(e);
        cycle.exits.push_back(e);
      }
    }
    for (BlockId b : cycle.blocks)
      if (!goes_on(b) && cycle.target)
        return "all conditions behind '" + region_[b].label + "' may fail, which ends the region";
    return {};
  }

  Form form_of(const Cycle& cycle) const {
    const auto decided_by = [&](BlockId b) {
      // One edge stays, and one leaves, or none, and then the region ends.
      const auto out = region_.out(b);
      const std::size_t leaving = std::size_t(std::ranges::count_if(out, [&](InterstateEdgeId e) {
        return !cycle.blocks.contains(region_.target(e));
      }));
      return leaving == (cycle.target ? 1 : 0) && out.size() == leaving + 1 && stays(cycle, b);
    };
    const auto others_go_on = [&](BlockId b) {
      return std::ranges::all_of(cycle.blocks,
                                 [&](BlockId other) { return other == b || goes_on(other); });
    };
    const BlockId header = cycle.header;
    const bool plain_exit = cycle.exits.size() <= 1 ||
                            std::ranges::all_of(cycle.exits, [&](InterstateEdgeId e) {
                              return region_.source(e) != header || region_[e].assignments.empty();
                            });
    if (is_empty_state(region_[header]) && cycle.blocks.size() > 1 && plain_exit &&
        decided_by(header) && others_go_on(header))
      return Form::Guard;
    const BlockId last = region_.source(cycle.back[0]);
    if (cycle.back.size() == 1 && cycle.exits.size() <= 1 && decided_by(last) &&
        others_go_on(last) && region_[cycle.back[0]].assignments.size() <= 1)
      return Form::Rotated;
    return Form::Breaks;
  }

  /// The condition under which control stays in the cycle behind a block that decides.
  std::optional<Code> stays(const Cycle& cycle, BlockId decides) const {
    std::optional<Code> stay, leave;
    const auto edges = edges_as_tried(region_, decides);
    // What stands behind an edge that is always taken decides nothing.
    if (edges.size() > 1 && region_[edges[0]].condition.always_true()) return std::nullopt;
    for (InterstateEdgeId e : edges)
      (cycle.blocks.contains(region_.target(e)) ? stay : leave) = region_[e].condition;
    if (!stay) return std::nullopt;
    if (!stay->always_true()) return stay->expr() ? stay : std::nullopt;
    return leave && !leave->always_true() ? negated(*leave) : std::nullopt;
  }

  /// Moves the assignments to one symbol from the way in and the way back to the loop.
  void take_variable(Cycle& cycle, Form form, LoopRegion& loop) {
    if (cycle.back.size() != 1) return;
    InterstateEdge& back = region_[cycle.back[0]];
    std::string variable;
    const SymbolSet read = free_symbols(*loop.loop_condition->expr());
    for (const auto& [name, value] : back.assignments)
      if (variable.empty() && (form == Form::Rotated || read.contains(name))) variable = name;
    if (variable.empty()) return;
    InterstateEdge* entry = cycle.entries.size() == 1 ? &region_[cycle.entries[0]] : nullptr;
    const bool has_init = entry && cycle.header != first_ && entry->assignments.contains(variable);
    if (form == Form::Guard && (!has_init || !may_own(cycle, variable))) return;
    loop.update_statement = assignment(variable, back.assignments.at(variable));
    back.assignments.erase(variable);
    if (!has_init || !may_own(cycle, variable)) return;
    loop.loop_variable = variable;
    loop.init_statement = assignment(variable, entry->assignments.at(variable));
    entry->assignments.erase(variable);
  }

  /// May the loop define the variable? It is then not known behind it, unless it is declared.
  bool may_own(const Cycle& cycle, const std::string& variable) {
    if (sdfg_.symbols.contains(variable)) return true;
    if (sdfg_.arrays.contains(variable)) return false;
    // Built before anything has moved; what moves since is found through its owner.
    if (!index_) return false;
    return index_->only_in(variable, [&](BlockId b) { return cycle.blocks.contains(owner(b)); });
  }

  /// The block of the region that a block has become part of.
  BlockId owner(BlockId block) {
    BlockId at = block;
    while (at.value < owner_.size() && owner_[at.value]) at = owner_[at.value];
    while (block != at) block = std::exchange(owner_[block.value], at);
    return at;
  }
  void set_owner(BlockId block, BlockId in) {
    if (owner_.size() <= block.value) owner_.resize(block.value + 1);
    owner_[block.value] = in;
  }

  BlockId build(const Cycle& cycle, Form form, LoopRegion loop) {
    const BlockId header = cycle.header;
    const std::string label = region_[header].label;
    const BlockId latch = add(Block{label + "_latch", State{}}, header);
    const BlockId leave = add(Block{label + "_break", BreakBlock{}}, header);
    InterstateEdge behind;
    BlockId body = header;
    const auto decides = [&](BlockId b) {
      return form == Form::Guard ? b == header
                                 : form == Form::Rotated && b == region_.source(cycle.back[0]);
    };
    for (InterstateEdgeId e : cycle.exits) {
      if (decides(region_.source(e))) {
        behind.assignments = region_[e].assignments;
        region_.erase(e);
      } else {
        region_.set_target(e, leave);
      }
    }
    if (!cycle.target && form == Form::Breaks)
      for (BlockId b : cycle.blocks)
        if (!goes_on(b)) region_.connect(b, leave, {});
    // The decision is the loop's now.
    if (form == Form::Guard) body = enter_body(header);
    if (form == Form::Rotated) region_[cycle.back[0]].condition = Code("1");
    for (InterstateEdgeId e : cycle.back) {
      const bool only = region_.out(region_.source(e)).size() == 1;
      if (only && region_[e].condition.always_true() && region_[e].assignments.empty())
        region_.erase(e);
      else
        region_.set_target(e, latch);
    }

    const BlockId id = add(Block{"loop_" + label, State{}}, header);
    for (InterstateEdgeId e : cycle.entries) region_.set_target(e, id);
    if (cycle.target) region_.connect(id, *cycle.target, std::move(behind));
    if (first_ == header) first_ = id;
    std::vector<BlockId> inside{body};
    for (BlockId b : cycle.blocks)
      if (b != body && !(form == Form::Guard && b == header)) inside.push_back(b);
    std::sort(inside.begin() + 1, inside.end(),
              [&](BlockId a, BlockId b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
    for (BlockId b : {latch, leave})
      region_.in(b).empty() ? region_.erase(b) : inside.push_back(b);
    for (BlockId b : cycle.blocks) set_owner(b, id);
    if (form == Form::Guard) region_.erase(header);
    move_blocks(region_, inside, loop);
    region_[id].kind = std::move(loop);
    // Blocks that now end at a `break` may be branches.
    const Trail inner = trail_.in(region_[id]);
    Raiser(sdfg_, *region_[id].region(), inner, context_, true).run();
    return id;
  }

  /// The block behind the guard; after a new state when there are assignments on the way.
  BlockId enter_body(BlockId header) {
    const InterstateEdgeId in = region_.out(header)[0];
    const BlockId body = region_.target(in);
    if (region_[in].assignments.empty()) return body;
    const BlockId before = add(Block{region_[header].label + "_enter", State{}}, header);
    InterstateEdge edge;
    edge.assignments = region_[in].assignments;
    region_.connect(before, body, std::move(edge));
    return before;
  }

  // ---- Conditionals.

  /// One way from a block: the edge, the blocks in a row behind it, and the edge to where it ends.
  struct Way {
    InterstateEdgeId edge;
    std::vector<BlockId> blocks;
    std::optional<InterstateEdgeId> last;  ///< to the block where the ways meet
    bool jumps = false;
  };

  Changed raise_conditional(BlockId block) {
    const auto out = region_.out(block);
    if (out.empty() || (out.size() == 1 && region_[out[0]].condition.always_true()))
      return Changed::No;
    const Trail here = trail_.in(region_[block]);
    std::vector<Way> ways;
    std::optional<BlockId> meet;
    if (const Refusal why = find_ways(block, ways, meet)) {
      context_.refused(here, why);
      return Changed::No;
    }
    if (!context_.may_apply()) return Changed::No;
    context_.applied(here, "the ways behind it became a conditional");
    build(block, ways, meet);
    return Changed::Yes;
  }

  Refusal find_ways(BlockId block, std::vector<Way>& ways, std::optional<BlockId>& meet) const {
    std::optional<BlockId> ends;
    bool always = false;
    for (InterstateEdgeId e : edges_as_tried(region_, block)) {
      if (always)
        return "the edge to '" + region_[region_.target(e)].label +
               "' is never taken; dead-state-elimination removes it";
      always = region_[e].condition.always_true();
      Way way = follow(block, e);
      if (way.last) {
        const BlockId target = region_.target(*way.last);
        if (meet && *meet != target)
          return "the ways behind it lead to '" + region_[*meet].label + "' and to '" +
                 region_[target].label + "'";
        meet = target;
      } else if (!way.jumps) {
        ends = way.blocks.back();
      }
      ways.push_back(std::move(way));
    }
    if (meet && ends)
      return "one way behind it ends at '" + region_[*ends].label + "', another leads to '" +
             region_[*meet].label + "'";
    if (meet && !goes_on(block)) return "all conditions behind it may fail, which ends the region";
    return {};
  }

  Way follow(BlockId block, InterstateEdgeId edge) const {
    Way way{edge, {}, edge, false};
    while (true) {
      const BlockId next = region_.target(*way.last);
      if (next == block || next == first_ || region_.in(next).size() != 1) return way;
      way.blocks.push_back(next);
      const auto out = region_.out(next);
      if (out.empty() || is_jump(region_[next])) {
        way.last.reset();
        way.jumps = is_jump(region_[next]);
        return way;
      }
      // Where ways part again, the inner conditional could not be raised.
      if (out.size() != 1 || !region_[out[0]].condition.always_true()) {
        way.blocks.pop_back();
        return way;
      }
      way.last = out[0];
    }
  }

  void build(BlockId block, const std::vector<Way>& ways, std::optional<BlockId> meet) {
    ConditionalBlock conditional;
    const bool has_else = region_[ways.back().edge].condition.always_true();
    const bool pair = ways.size() == 2 && goes_on(block);
    for (const Way& way : ways) {
      Branch branch{region_[way.edge].condition,
                    {"branch_" + std::to_string(conditional.branches.size()), ControlFlowRegion{}}};
      if (&way == &ways.back() && (has_else || pair)) branch.condition.reset();
      fill(way, branch.region());
      conditional.branches.push_back(std::move(branch));
    }
    for (const Way& way : ways)
      if (region_.contains(way.edge)) region_.erase(way.edge);
    const std::string label = region_[block].label + "_if";
    const BlockId id = add(Block{label, std::move(conditional)}, block);
    for (const Way& way : ways)
      for (BlockId b : way.blocks) set_owner(b, id);
    region_.connect(block, id, {});
    if (meet) region_.connect(id, *meet, {});
  }

  /// A branch: the way's blocks; assignments at its ends get states of their own.
  void fill(const Way& way, Region& branch) {
    const InterstateEdge first = region_[way.edge];
    const bool direct = way.blocks.empty();
    InterstateEdge last;
    if (way.last && !direct) last = region_[*way.last];
    if (direct)
      branch.start_block = branch.add(Block{"start", State{}});
    else
      move_blocks(region_, way.blocks, branch);
    BlockId end = *start(branch);
    while (!branch.out(end).empty()) end = branch.target(branch.out(end)[0]);
    Labels labels(branch);
    const auto assignments_only = [](const InterstateEdge& edge) {
      InterstateEdge out;
      out.assignments = edge.assignments;
      return out;
    };
    if (!last.assignments.empty()) {
      const BlockId after = branch.add(Block{labels.take("end"), State{}});
      branch.connect(end, after, assignments_only(last));
    }
    if (first.assignments.empty()) return;
    const BlockId entry = *branch.start_block;
    if (direct) {
      const BlockId after = branch.add(Block{labels.take("end"), State{}});
      branch.connect(entry, after, assignments_only(first));
      return;
    }
    const BlockId before = branch.add(Block{labels.take("start"), State{}});
    branch.connect(before, entry, assignments_only(first));
    branch.start_block = before;
  }

  Sdfg& sdfg_;
  Region& region_;
  const Trail& trail_;
  PassContext& context_;
  const bool is_new_;
  Labels labels_;
  std::optional<BlockId> first_;
  std::vector<std::size_t> rank_;  ///< by block id: place in reverse postorder
  std::optional<MentionIndex> index_;
  std::vector<BlockId> owner_;  ///< by block id; none: it is still in the region
};

Changed run_on(Sdfg& sdfg, const Trail& trail, PassContext& context);

/// From the inside out.
Changed run_on(Sdfg& sdfg, Region& region, const Trail& trail, PassContext& context) {
  Changed changed = Changed::No;
  for (BlockId b : region.nodes()) {
    Block& block = region[b];
    const Trail here = trail.in(block);
    if (Region* inner = block.region()) changed |= run_on(sdfg, *inner, here, context);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= run_on(sdfg, branch.region(), here.in(branch.block), context);
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          changed |= run_on(**nested->sdfg, here.in(*state, n), context);
  }
  return changed | Raiser(sdfg, region, trail, context).run();
}

Changed run_on(Sdfg& sdfg, const Trail& trail, PassContext& context) {
  const Changed changed = run_on(sdfg, sdfg, trail, context);
  if (changed == Changed::Yes) sdfg.using_explicit_control_flow = true;
  return changed;
}

}  // namespace

Result<Changed> ControlFlowRaising::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return run_on(sdfg, Trail(), context);
}

}  // namespace sdfg
