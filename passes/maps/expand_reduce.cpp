#include "passes/maps/expand_reduce.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "ir/analysis/propagate.h"
#include "ir/library_node.h"
#include "ir/walk.h"
#include "passes/common/fresh_names.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/walk_states.h"
#include "passes/maps/library_end.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

/// A reduction in terms of loops: which dimension of each port follows which loop.
struct Plan {
  LibraryEnd in, out;
  /// Read beside the input: the table of neighbours, or the other factor of a dot product.
  std::optional<LibraryEnd> mask, factor;
  Code wcr;
  std::optional<Expr> begin;        ///< what the accumulator starts from; none: the output's value
  std::optional<Expr> identity;     ///< what counts where the mask says -1
  std::vector<Expr> kept, reduced;  ///< sizes
  std::vector<std::size_t> in_kept, in_reduced, out_kept;  ///< dimensions
  std::size_t beside_reduced = 0;                          ///< of the mask or the factor

  const LibraryEnd* beside() const { return mask ? &*mask : factor ? &*factor : nullptr; }
  std::vector<LibraryEnd> ends() const {
    std::vector<LibraryEnd> all{in, out};
    if (beside()) all.push_back(*beside());
    return all;
  }
};

/// A sum of products that leaves one element?
bool is_dot(const LibraryOperation& operation) {
  const auto* product = std::get_if<MatMul>(&operation);
  return std::holds_alternative<Dot>(operation) ||
         (product && product->alpha == Expr(1) && product->beta == Expr(0));
}

bool is_one(const Range& range) { return range.size() == Expr(1); }

/// The kept dimensions of the input in those of the output: as they are, or the wide ones of both.
bool match_kept(Plan& plan) {
  const auto wide = wide_dimensions(plan.out.subset);
  std::vector<std::size_t> kept_wide;
  for (std::size_t d : plan.in_kept)
    if (!is_one(plan.in.subset[d])) kept_wide.push_back(d);
  if (kept_wide.size() == wide.size()) {
    plan.in_kept = kept_wide;
    plan.out_kept = wide;
  } else if (plan.in_kept.size() == plan.out.subset.rank()) {
    for (std::size_t d = 0; d < plan.in_kept.size(); ++d) plan.out_kept.push_back(d);
  } else {
    return false;
  }
  for (std::size_t k = 0; k < plan.in_kept.size(); ++k)
    if (plan.in.subset[plan.in_kept[k]].size() != plan.out.subset[plan.out_kept[k]].size())
      return false;
  for (std::size_t d : plan.in_kept) plan.kept.push_back(plan.in.subset[d].size());
  return true;
}

Result<Plan> plan_reduce(const State& state, const Reduce& reduce, LibraryEnd in, LibraryEnd out) {
  Plan plan{.in = std::move(in),
            .out = std::move(out),
            .mask = {},
            .factor = {},
            .wcr = reduce.wcr,
            .begin = reduce.identity,
            .identity = {},
            .kept = {},
            .reduced = {},
            .in_kept = {},
            .in_reduced = {},
            .out_kept = {}};
  const std::size_t rank = plan.in.subset.rank();
  std::vector<bool> goes(rank, !reduce.axes);
  if (reduce.axes)
    for (const std::int64_t axis : *reduce.axes)
      goes[std::size_t(axis < 0 ? axis + std::int64_t(rank) : axis)] = true;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!goes[d])
      plan.in_kept.push_back(d);
    else if (!is_one(plan.in.subset[d]))
      plan.in_reduced.push_back(d);
  }
  for (std::size_t d : plan.in_reduced) plan.reduced.push_back(plan.in.subset[d].size());
  if (!match_kept(plan))
    return Diagnostic{{},
                      "what is left of " + to_text(plan.in.subset) +
                          " does not have the dimensions of " + to_text(plan.out.subset)};
  const Memlet& written = state[plan.out.edge].memlet;
  if (!plan.begin && written.wcr)
    return Diagnostic{{}, "it has no identity, and its output resolves conflicts"};
  return plan;
}

Result<Plan> plan_skip_values(const ReduceWithSkipValues& reduce, LibraryEnd in, LibraryEnd mask,
                              LibraryEnd out) {
  Plan plan{.in = std::move(in),
            .out = std::move(out),
            .mask = std::move(mask),
            .factor = {},
            .wcr = reduce.wcr,
            .begin = reduce.init ? reduce.init : reduce.identity,
            .identity = reduce.identity,
            .kept = {},
            .reduced = {},
            .in_kept = {},
            .in_reduced = {},
            .out_kept = {}};
  const auto wide = wide_dimensions(plan.in.subset), table = wide_dimensions(plan.mask->subset);
  if (!plan.identity) return Diagnostic{{}, "it has no identity"};
  if (wide.size() != 1 || table.size() != 1 || num_elements(plan.out.subset) != Expr(1) ||
      plan.in.subset[wide[0]].size() != plan.mask->subset[table[0]].size())
    return Diagnostic{{},
                      "the neighbours " + to_text(plan.in.subset) + " and their table " +
                          to_text(plan.mask->subset) + " do not fit"};
  plan.in_reduced = wide;
  plan.reduced = {plan.in.subset[wide[0]].size()};
  plan.beside_reduced = table[0];
  return plan;
}

/// Vectors may have one element. Products of matrices are asked about, too: what is more than a
/// vector has more than one element as its product.
Result<Plan> plan_dot(LibraryEnd in, LibraryEnd factor, LibraryEnd out) {
  const auto wide = wide_dimensions(in.subset), high = wide_dimensions(factor.subset);
  const auto along = [](const Subset& vector, const std::vector<std::size_t>& dimensions) {
    return dimensions.empty() ? vector.rank() - 1 : dimensions[0];
  };
  const std::size_t mine = along(in.subset, wide), other = along(factor.subset, high);
  const Expr length = in.subset[mine].size();
  if (num_elements(out.subset) != Expr(1) || length != factor.subset[other].size())
    return Diagnostic{{},
                      "the vectors " + to_text(in.subset) + " and " + to_text(factor.subset) +
                          " do not fit"};
  return Plan{.in = std::move(in),
              .out = std::move(out),
              .mask = {},
              .factor = std::move(factor),
              .wcr = Code("lambda a, b: a + b"),
              .begin = Expr(0),
              .identity = {},
              .kept = {},
              .reduced = {length},
              .in_kept = {},
              .in_reduced = {mine},
              .out_kept = {},
              .beside_reduced = other};
}

Result<Plan> make_plan(const Sdfg& sdfg, const State& state, NodeId id,
                       const LibraryOperation& operation, const Aliases& aliases) {
  std::vector<LibraryEnd> in;
  std::vector<std::string> connectors;
  std::optional<LibraryEnd> out;
  for (EdgeId e : state.in(id)) {
    if (state[e].memlet.empty()) continue;
    SDFG_TRY(LibraryEnd p, library_end(state, e));
    in.push_back(std::move(p));
    connectors.push_back(state[e].dst_connector);
  }
  for (EdgeId e : state.out(id)) {
    if (state[e].memlet.empty()) continue;
    if (out) return Diagnostic{{}, "it has more than one output"};
    SDFG_TRY(out, library_end(state, e));
  }
  if (!out) return Diagnostic{{}, "it has no output"};
  if (const Refusal why = check_reads_apart(sdfg, state, in, *out, aliases))
    return Diagnostic{{}, why.reason()};
  if (const auto* reduce = std::get_if<Reduce>(&operation)) {
    return plan_reduce(state, *reduce, std::move(in[0]), std::move(*out));
  }
  if (is_dot(operation)) {
    if (in.size() != 2) return Diagnostic{{}, "it has not two inputs"};
    return plan_dot(std::move(in[0]), std::move(in[1]), std::move(*out));
  }
  const auto& skip = std::get<ReduceWithSkipValues>(operation);
  const auto find = [&](const std::string& name) -> LibraryEnd* {
    const auto at = std::ranges::find(connectors, name);
    return at == connectors.end() ? nullptr : &in[std::size_t(at - connectors.begin())];
  };
  LibraryEnd* values = find(skip.input_conn);
  LibraryEnd* mask = find(skip.mask_conn);
  if (!values || !mask) return Diagnostic{{}, "an input is missing"};
  return plan_skip_values(skip, std::move(*values), std::move(*mask), std::move(*out));
}

/// Puts the maps in place of the library node.
class Expander {
 public:
  Expander(Sdfg& sdfg, State& state, const ScopeTree& tree, ScopeNames& names,
           FreshNames& transients, NodeId node, const Plan& plan, Schedule inner)
      : sdfg_(sdfg),
        state_(state),
        names_(names),
        transients_(transients),
        node_(node),
        plan_(plan),
        inner_(inner),
        scope_(tree.parent_of(node)) {}

  void run() {
    const auto& library = state_.get<LibraryNode>(node_);
    label_ = name_of(library, "reduce");
    if (!plan_.kept.empty()) outer_ = add_map(plan_.kept, "__o_", library.schedule, kept_);
    // What is inside of maps runs in order by itself, and may be joined with other maps there.
    const Schedule inner = plan_.factor ? library.schedule : inner_;
    if (!plan_.reduced.empty()) body_ = add_map(plan_.reduced, "__r_", inner, reduced_);
    tasklet_ = add_tasklet();
    read(plan_.in, value_, point(plan_.in.subset, plan_.in_kept, kept_, {}, {}),
         point(plan_.in.subset, plan_.in_kept, kept_, plan_.in_reduced, reduced_));
    if (const LibraryEnd* beside = plan_.beside())
      read(*beside, beside_, beside->subset,
           point(beside->subset, {}, {}, {plan_.beside_reduced}, reduced_));
    if (plan_.begin)
      write_through_accumulator();
    else
      write_directly();
    move_ordering_edges();
    state_.erase(node_);
  }

 private:
  MapEnds add_map(const std::vector<Expr>& sizes, const std::string& base, Schedule schedule,
                  std::vector<Expr>& params) {
    MapEntry map;
    map.label = label_;
    map.schedule = schedule;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      map.params.push_back(names_.fresh(base, std::to_string(d), 0));
      map.ranges.push_back({0, sizes[d] - 1});
      params.push_back(Expr::symbol(map.params.back()));
    }
    const NodeId entry = state_.add(Node{std::move(map)});
    return {entry, state_.add(Node{MapExit{entry}})};
  }

  NodeId add_tasklet() {
    Tasklet tasklet;
    tasklet.label = label_;
    tasklet.code = Code(out_ + " = " + value_);
    if (plan_.mask)
      tasklet.code = Code(out_ + " = " + value_ + " if " + beside_ + " != -1 else " +
                          print_python(*plan_.identity));
    if (plan_.factor) tasklet.code = Code(out_ + " = " + value_ + " * " + beside_);
    Node node{std::move(tasklet)};
    node.in_connectors[value_] = {};
    if (plan_.beside()) node.in_connectors[beside_] = {};
    node.out_connectors[out_] = {};
    return state_.add(std::move(node));
  }

  /// One element (or, without the second list, one row) of a subset at a point of the loops.
  static Subset point(const Subset& subset, const std::vector<std::size_t>& first,
                      const std::vector<Expr>& first_at, const std::vector<std::size_t>& second,
                      const std::vector<Expr>& second_at) {
    return at_point(at_point(subset, first, first_at), second, second_at);
  }

  /// Leads an input through both maps to the tasklet.
  void read(const LibraryEnd& port, const std::string& connector, const Subset& row,
            Subset element) {
    EdgeId last = port.edge;
    const auto through = [&](MapEnds map, Subset subset) {
      state_.set_target(last, map.entry);
      state_[last].dst_connector = "IN_" + connector;
      state_[map.entry].in_connectors["IN_" + connector] = {};
      state_[map.entry].out_connectors["OUT_" + connector] = {};
      last =
          state_.connect(map.entry, node_,
                         Edge{"OUT_" + connector, "", Memlet::read(port.data, std::move(subset))});
    };
    if (outer_) through(*outer_, row);
    if (body_) through(*body_, element);
    state_.set_target(last, tasklet_);
    state_[last].dst_connector = connector;
    if (!body_ && !outer_) state_[last].memlet = Memlet::read(port.data, std::move(element));
  }

  /// Leads what the tasklet writes out of the inner map, with conflict resolution; gives the edge,
  /// whose target is still the library node.
  EdgeId write_out_of_body(const std::string& data, const Subset& subset) {
    Memlet memlet = Memlet::write(data, subset);
    memlet.wcr = plan_.wcr;
    if (!body_) return state_.connect(tasklet_, node_, Edge{out_, "", std::move(memlet)});
    state_[body_->exit].in_connectors["IN_out"] = {};
    state_[body_->exit].out_connectors["OUT_out"] = {};
    state_.connect(tasklet_, body_->exit, Edge{out_, "IN_out", memlet});
    return state_.connect(body_->exit, node_, Edge{"OUT_out", "", std::move(memlet)});
  }

  /// Leads an edge to where the library node's output went, through the outer map.
  void write_outward(EdgeId edge) {
    const NodeId target = state_.target(plan_.out.edge);
    const std::string connector = state_[plan_.out.edge].dst_connector;
    if (outer_) {
      state_.set_target(edge, outer_->exit);
      state_[edge].dst_connector = "IN_out";
      state_[outer_->exit].in_connectors["IN_out"] = {};
      state_[outer_->exit].out_connectors["OUT_out"] = {};
      Memlet memlet = Memlet::write(plan_.out.data, plan_.out.subset);
      memlet.wcr = state_[edge].memlet.wcr;
      state_.connect(outer_->exit, target, Edge{"OUT_out", connector, std::move(memlet)});
    } else {
      state_.set_target(edge, target);
      state_[edge].dst_connector = connector;
    }
  }

  void write_directly() {
    last_ = outer_ ? outer_->exit : body_ ? body_->exit : tasklet_;
    write_outward(
        write_out_of_body(plan_.out.data, point(plan_.out.subset, plan_.out_kept, kept_, {}, {})));
  }

  /// acc = begin; body: acc += …; output = acc
  void write_through_accumulator() {
    const std::string acc = transients_(sdfg_, "__acc_" + plan_.out.data);
    sdfg_.arrays.set(acc, Data::scalar(sdfg_.find_data(plan_.out.data)->dtype, true));
    const Subset one = Subset::index({0});
    Node init{Tasklet{.label = "init_" + label_,
                      .code = Code(out_ + " = " + print_python(*plan_.begin))}};
    init.out_connectors[out_] = {};
    init_ = state_.add(std::move(init));
    const NodeId begin = state_.add(Node{AccessNode{acc}}), end = state_.add(Node{AccessNode{acc}});
    const NodeId around = outer_ ? outer_->entry : scope_;
    if (around) state_.connect(around, init_, Edge{});
    state_.connect(init_, begin, Edge{out_, "", Memlet::write(acc, one)});
    state_.connect(begin, body_ ? body_->entry : tasklet_, Edge{});
    state_.set_target(write_out_of_body(acc, one), end);

    const Subset to = point(plan_.out.subset, plan_.out_kept, kept_, {}, {});
    Memlet copy = Memlet::copy(acc, one, to);
    copy.data = plan_.out.data;  // as on the rest of the path
    copy.data_is_src = false;
    copy.wcr = state_[plan_.out.edge].memlet.wcr;
    last_ = outer_ ? outer_->exit : end;
    write_outward(state_.connect(end, node_, Edge{"", "", std::move(copy)}));
  }

  /// Empty memlets at the library node keep what was before it before all, and what was after
  /// after.
  void move_ordering_edges() {
    const NodeId first = outer_ ? outer_->entry : body_ ? body_->entry : tasklet_;
    const std::vector<EdgeId> in(state_.in(node_).begin(), state_.in(node_).end());
    const std::vector<EdgeId> out(state_.out(node_).begin(), state_.out(node_).end());
    for (EdgeId e : in) {
      if (!state_[e].memlet.empty() || state_.source(e) == scope_) continue;
      if (init_ && !outer_) state_.connect(state_.source(e), init_, Edge{});
      state_.connect(state_.source(e), first, Edge{});
    }
    for (EdgeId e : out)
      if (state_[e].memlet.empty()) state_.connect(last_, state_.target(e), Edge{});
  }

  Sdfg& sdfg_;
  State& state_;
  ScopeNames& names_;
  FreshNames& transients_;
  NodeId node_;
  const Plan& plan_;
  Schedule inner_;
  NodeId scope_;  ///< entry of the scope around; none at the top level
  std::string label_;
  // Connectors of tasklets must not have the name of a container or symbol.
  const std::string value_ = sdfg_.fresh_name("value"),
                    beside_ = sdfg_.fresh_name(plan_.factor ? "factor" : "mask"),
                    out_ = sdfg_.fresh_name("out");
  std::optional<MapEnds> outer_, body_;
  std::vector<Expr> kept_, reduced_;
  NodeId tasklet_, init_, last_;
};

/// The SDFGs that lie in scopes, at any depth; `here`: whether this one does.
void add_sdfgs_in_scopes(const Sdfg& sdfg, bool here, std::unordered_set<const Sdfg*>& out) {
  if (here) out.insert(&sdfg);
  for_each_nested_sdfg(sdfg, [&](const NestedSdfg& nested, const State& state, NodeId n) {
    add_sdfgs_in_scopes(**nested.sdfg, here || scope_tree_of(state).parent_of(n), out);
  });
}

}  // namespace

Result<Changed> ExpandReduce::run(Sdfg& root, const Options& options, PassContext& context) {
  Changed changed = Changed::No;
  FreshNames transients;
  AssignedNames assigned;
  const GpuMemory gpu(root);
  std::optional<std::unordered_set<const Sdfg*>> inside;  // SDFGs that maps run, when asked for
  LazyAliases aliases(root);
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    std::optional<ScopeTree> tree;
    std::optional<ScopeNames> names;
    std::optional<Aliases> same;
    for (NodeId id : state.nodes()) {
      if (!state[id].is<LibraryNode>()) continue;
      const auto operation = library_operation(state[id]);
      if (!operation) continue;
      const bool reduces = std::holds_alternative<Reduce>(*operation) ||
                           std::holds_alternative<ReduceWithSkipValues>(*operation);
      const Trail here = trail.in(state, id);
      if (!reduces && !is_dot(*operation)) continue;
      if (!same) same = aliases.of(sdfg);
      const auto plan = make_plan(sdfg, state, id, *operation, *same);
      if (!plan) {
        context.refused(here, plan.error().message);
        continue;
      }
      if (!tree) tree = scope_tree_of(state);  // new nodes are looked up by outer neighbours only
      if (!reduces && !inside) add_sdfgs_in_scopes(root, false, inside.emplace());
      if (!reduces && !tree->parent_of(id) && !inside->contains(&sdfg)) {
        context.refused(here, "outside of maps, a library computes the dot product");
        continue;
      }
      if (!tree->parent_of(id))
        if (const Refusal why = check_within_reach(sdfg, plan->ends(), gpu)) {
          context.refused(here, why);
          continue;
        }
      if (!context.may_apply()) return;
      if (!names) names.emplace(sdfg, state, assigned);
      context.applied(here, plan->out.data + "[" + to_text(plan->out.subset) + "] from " +
                                plan->in.data + "[" + to_text(plan->in.subset) + "]");
      Expander(sdfg, state, *tree, *names, transients, id, *plan, options.inner_schedule).run();
      changed = Changed::Yes;
    }
  });
  return changed;
}

}  // namespace sdfg
