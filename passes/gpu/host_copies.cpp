#include "passes/gpu/host_copies.h"

#include <algorithm>
#include <map>

#include "ir/analysis/connector_types.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/graph_algorithms.h"
#include "ir/walk.h"
#include "passes/common/blocks.h"

namespace sdfg {
namespace {

/// Does a memlet say the same with these indices as code does?
bool is_plain(const Expr& e) {
  const bool known = e.is(Op::Integer) || e.is(Op::Symbol) || e.is(Op::Add) || e.is(Op::Sub) ||
                     e.is(Op::Neg) || e.is(Op::Mul);
  return known && std::ranges::all_of(e.args(), is_plain);
}

/// The reads of one group of expressions, which the same state serves.
class Reads {
 public:
  Reads(Sdfg& sdfg, const GpuPlacement& placement) : sdfg_(sdfg), placement_(placement) {}

  /// The expression with containers of the host; `always`: all of it is evaluated.
  Expr rewritten(const Expr& e, bool always) {
    const bool asks_for_pointer = (e.is(Op::Is) || e.is(Op::IsNot)) && e.arg(1).is(Op::None);
    if (asks_for_pointer) return e;
    if (const Data* data = array_of(e)) return read(e, *data, always);
    std::vector<Expr> args;
    for (const Expr& a : e.args()) {
      const bool guarded = !args.empty() && (e.is(Op::And) || e.is(Op::Or) || e.is(Op::Select));
      args.push_back(rewritten(a, always && !guarded));
    }
    return args.empty() ? e : Expr::make(e.op(), std::move(args), e.name());
  }
  void rewrite(Code& code, bool always) {
    if (const Expr* e = code.expr()) {
      if (Expr changed = rewritten(*e, always); changed != *e) code = Code::from(changed);
    } else if (code.statements()) {
      Statements changed = *code.statements();
      for (Statement& statement : changed)
        if (auto* assign = std::get_if<Assign>(&statement.kind))
          assign->value = rewritten(assign->value, always);
      if (changed != *code.statements()) code = Code::from(std::move(changed));
    }
  }
  /// A state that makes the copies; without nodes when there are none.
  State take() { return std::move(state_); }
  const NameSet& arrays() const { return arrays_; }
  /// Does the expression read an array in GPU memory?
  bool reads_array(const Expr& e) const {
    return array_of(e) ||
           std::ranges::any_of(e.args(), [&](const Expr& a) { return reads_array(a); });
  }
  /// One of them that may be null.
  const std::string& optional() const { return optional_; }

 private:
  /// The array in GPU memory that the expression reads, by itself or with indices.
  const Data* array_of(const Expr& e) const {
    const Expr& base = e.is(Op::Subscript) ? e.arg(0) : e;
    if (!base.is(Op::Symbol) || !placement_.on_device(sdfg_, base.name())) return nullptr;
    const Data* data = sdfg_.find_data(base.name());
    return data && data->as_array() && !data->is_scalar() ? data : nullptr;
  }

  Expr read(const Expr& e, const Data& data, bool always) {
    const std::string& array = (e.is(Op::Subscript) ? e.arg(0) : e).name();
    std::vector<Expr> index(data.shape.size(), 0);
    if (e.is(Op::Subscript)) {
      const bool tuple = e.args().size() == 2 && e.arg(1).is(Op::Tuple);
      const auto given = tuple ? e.arg(1).args() : e.args().subspan(1);
      index.assign(given.begin(), given.end());
    }
    const auto unit = [](const Expr& size) { return size.as_integer() == 1; };
    const bool names_element = e.is(Op::Subscript) || std::ranges::all_of(data.shape, unit);
    if (names_element && always && index.size() == data.shape.size() &&
        std::ranges::all_of(index, [&](const Expr& i) { return is_plain(i) && !reads_any(i); }))
      return element(array, data, std::move(index));
    const Expr twin = Expr::symbol(whole(array, data));
    if (!e.is(Op::Subscript)) return twin;
    std::vector<Expr> args{twin};
    for (const Expr& a : e.args().subspan(1)) args.push_back(rewritten(a, always));
    return Expr::make(Op::Subscript, std::move(args));
  }
  bool reads_any(const Expr& e) const {
    if (e.is(Op::Symbol) && sdfg_.find_data(e.name())) return true;
    return std::ranges::any_of(e.args(), [&](const Expr& a) { return reads_any(a); });
  }

  Expr element(const std::string& array, const Data& data, std::vector<Expr> index) {
    Subset at;
    std::string key = array;
    for (const Expr& i : index) {
      at.ranges.push_back(Range::index(simplify(i)));
      key += " " + to_text(at.ranges.back().begin);
    }
    const auto [found, is_new] = names_.try_emplace(key);
    if (is_new) {
      found->second = add(array, on_host(Data::scalar(data.dtype)));
      connect(array, found->second, Memlet::copy(array, at, Subset{{Range::index(0)}}));
    }
    return Expr::symbol(found->second);
  }
  std::string whole(const std::string& array, const Data& data) {
    const auto [found, is_new] = names_.try_emplace(array + "[]");
    if (is_new) {
      const Subset all = all_elements(data);
      found->second = add(array, on_host(data));
      connect(array, found->second, Memlet::copy(array, all, all));
    }
    return found->second;
  }
  std::string add(const std::string& array, Data data) {
    std::string name = sdfg_.fresh_name(array + "_host");
    sdfg_.arrays.insert(name, std::move(data));
    arrays_.insert(array);
    if (sdfg_.find_data(array)->as_array()->optional == true) optional_ = array;
    return name;
  }
  void connect(const std::string& from, const std::string& to, Memlet memlet) {
    const NodeId a = state_.add(Node{AccessNode{.data = from}});
    const NodeId b = state_.add(Node{AccessNode{.data = to}});
    state_.connect(a, b, {"", "", std::move(memlet)});
  }

  Sdfg& sdfg_;
  const GpuPlacement& placement_;
  State state_;
  std::map<std::string, std::string> names_;  ///< of the copies, by what they copy
  NameSet arrays_;                            ///< that are copied
  std::string optional_;
};

class Copier {
 public:
  Copier(const GpuPlacement& placement, PassContext& context)
      : placement_(placement), context_(context) {}

  void on_sdfg(Sdfg& sdfg, const Trail& trail) { on_region(sdfg, sdfg, trail); }
  Changed changed() const { return changed_; }
  /// Of these, a copy would be made of null.
  const std::string& optional() const { return optional_; }

 private:
  void on_region(Sdfg& sdfg, Region& region, const Trail& trail) {
    Labels labels(region);
    const std::vector<BlockId> blocks(region.nodes().begin(), region.nodes().end());
    for (BlockId id : blocks) {
      const Trail here = trail.in(region[id]);
      if (auto* loop = region[id].as<LoopRegion>()) ask_inside(sdfg, *loop, here);
      if (Region* inner = region[id].region()) on_region(sdfg, *inner, here);
      if (auto* state = region[id].as<State>()) on_state(*state, here);
      if (region[id].is<ConditionalBlock>()) on_conditional(sdfg, region, id, trail, labels);
      if (region[id].is<LoopRegion>()) on_loop(sdfg, region, id, trail, labels);
      on_edges(sdfg, region, id, trail, labels);
    }
  }

  void on_state(State& state, const Trail& trail) {
    if (placement_.stays_on_host(state)) return;
    const auto nested_sdfgs = state.nodes_of<NestedSdfg>();
    if (nested_sdfgs.begin() == nested_sdfgs.end()) return;
    const auto tree = scope_tree(state);
    if (!tree) return;
    for (NodeId n : nested_sdfgs)
      if (auto* nested = state[n].as<NestedSdfg>(); nested->sdfg && !tree->parent_of(n))
        on_sdfg(**nested->sdfg, trail.in(state, n));
  }

  void on_conditional(Sdfg& sdfg, Region& region, BlockId id, const Trail& trail, Labels& labels) {
    const Trail here = trail.in(region[id]);
    Reads reads(sdfg, placement_);
    auto& branches = region[id].as<ConditionalBlock>()->branches;
    for (Branch& branch : branches) {
      if (branch.condition) reads.rewrite(*branch.condition, &branch == &branches.front());
      if (Region* inner = branch.block.region())
        on_region(sdfg, *inner, here.in(branch.block));
    }
    copy_before(region, id, reads, trail, labels);
  }

  /// A condition on what the body changes becomes a conditional in front of the body, which has
  /// copies of its own.
  void ask_inside(Sdfg& sdfg, LoopRegion& loop, const Trail& trail) {
    if (!placement_.is_asked_inside(loop)) return;
    const Expr* condition = loop.loop_condition->expr();
    if (!Reads(sdfg, placement_).reads_array(*condition)) return;
    // No negation: of numbers that are none, neither may hold.
    ControlFlowRegion goes_on, leaves;
    goes_on.add(Block{"goes_on", State{}});
    leaves.add(Block{"leaves", BreakBlock{}});
    ConditionalBlock asked;
    asked.branches.push_back({*loop.loop_condition, Block{"holds", std::move(goes_on)}});
    asked.branches.push_back({{}, Block{"holds_no_more", std::move(leaves)}});
    const std::string label = Labels(loop).take("condition");
    put_before(loop, *start(loop), Block{label, std::move(asked)});
    loop.loop_condition = Code::from(Expr::boolean(true));
    context_.applied(trail, "its condition reads what the body changes: asked at the head of it");
    changed_ = Changed::Yes;
  }

  /// What it reads of arrays does not change in the loop (GpuPlacement::check).
  void on_loop(Sdfg& sdfg, Region& region, BlockId id, const Trail& trail, Labels& labels) {
    Reads reads(sdfg, placement_);
    auto& loop = *region[id].as<LoopRegion>();
    // Indices of what is read later may be those of iterations.
    if (loop.init_statement) reads.rewrite(*loop.init_statement, true);
    if (loop.loop_condition) reads.rewrite(*loop.loop_condition, false);
    if (loop.update_statement) reads.rewrite(*loop.update_statement, false);
    copy_before(region, id, reads, trail, labels);
  }

  void on_edges(Sdfg& sdfg, Region& region, BlockId id, const Trail& trail, Labels& labels) {
    Reads reads(sdfg, placement_);
    const std::vector<InterstateEdgeId> out(region.out(id).begin(), region.out(id).end());
    for (InterstateEdgeId e : out) {
      // Of several edges only the first condition is certainly looked at.
      reads.rewrite(region[e].condition, e == out.front());
      for (auto& [symbol, value] : region[e].assignments)
        value = reads.rewritten(value, out.size() == 1 && region[e].condition.always_true());
    }
    if (auto copies = state_of(region, id, reads, trail, labels))
      put_after(region, id, *std::move(copies));
  }

  void copy_before(Region& region, BlockId id, Reads& reads, const Trail& trail, Labels& labels) {
    if (auto copies = state_of(region, id, reads, trail, labels))
      put_before(region, id, *std::move(copies));
  }

  std::optional<Block> state_of(const Region& region, BlockId by, Reads& reads,
                                const Trail& trail, Labels& labels) {
    if (reads.arrays().empty()) return std::nullopt;
    if (!reads.optional().empty()) optional_ = reads.optional();
    std::string arrays;
    for (const std::string& array : reads.arrays())
      arrays += (arrays.empty() ? "'" : ", '") + array + "'";
    context_.applied(trail.in(region[by]),
                     "what control flow reads of " + arrays + " is copied to the host");
    changed_ = Changed::Yes;
    return Block{labels.take(region[by].label + "_to_host"), reads.take()};
  }

  const GpuPlacement& placement_;
  PassContext& context_;
  Changed changed_ = Changed::No;
  std::string optional_;
};

}  // namespace

namespace {

class ScalarsGiven {
 public:
  ScalarsGiven(const Sdfg& root, const GpuPlacement& placement, PassContext& context)
      : root_(root), placement_(placement), context_(context) {}

  /// An SDFG that the host runs.
  void on_host(Sdfg& sdfg) {
    SymbolSet written;
    for_each_state(sdfg, [&](const State& state) {
      if (placement_.stays_on_host(state)) return;
      for (NodeId n : state.nodes_of<AccessNode>())
        if (const auto& access = state.get<AccessNode>(n);
            is_bound_to_host(sdfg, access.data) && is_written(sdfg, state, n))
          written.insert(access.data);
    });
    std::map<std::string, std::string> copies;  // by scalar
    for_each_state(sdfg, [&](State& state) {
      if (!placement_.stays_on_host(state)) on_state(sdfg, state, written, copies);
    });
    for (const auto& [scalar, copy] : copies)
      context_.applied({}, "'" + scalar + "' is copied to the GPU for nested SDFGs whose kernels "
                           "take its address");
    if (!copies.empty()) changed_ = Changed::Yes;
  }
  Changed changed() const { return changed_; }

 private:
  /// Is it, although kernels take its address?
  bool is_bound_to_host(const Sdfg& sdfg, const std::string& name) const {
    const Data* data = sdfg.find_data(name);
    if (!data || !data->is_scalar() || !placement_.on_device(sdfg, name)) return false;
    return placement_.is_kept(sdfg, name) || (&sdfg == &root_ && !data->transient);
  }

  void on_state(Sdfg& sdfg, State& state, const SymbolSet& written,
                std::map<std::string, std::string>& copies) {
    const auto all = state.nodes_of<NestedSdfg>();
    const std::vector<NodeId> nested(all.begin(), all.end());
    if (nested.empty()) return;
    const auto tree = scope_tree(state);
    if (!tree) return;
    ByName<NodeId> copied;
    for (NodeId n : nested) {
      if (tree->parent_of(n)) continue;
      const std::vector<EdgeId> in(state.in(n).begin(), state.in(n).end());
      for (EdgeId e : in)
        if (const auto* access = state[state.source(e)].as<AccessNode>();
            access && is_bound_to_host(sdfg, access->data) && !written.contains(access->data))
          give_copy(sdfg, state, e, copies[access->data], copied);
      if (auto* node = state[n].as<NestedSdfg>(); node->sdfg) on_host(**node->sdfg);
    }
  }

  /// The edge reads a copy of its scalar: one for all of the state, since nobody writes the scalar.
  static void give_copy(Sdfg& sdfg, State& state, EdgeId e, std::string& copy,
                        ByName<NodeId>& copied) {
    const NodeId from = state.source(e), reader = state.target(e);
    const std::string scalar = state.get<AccessNode>(from).data;
    if (copy.empty()) {
      copy = sdfg.fresh_name(scalar + "_gpu");
      Data data = Data::scalar(sdfg.find_data(scalar)->dtype, true);
      data.storage = Storage::GpuGlobal;
      sdfg.arrays.insert(copy, std::move(data));
    }
    const bool waits = !state.in(from).empty();
    const auto [found, is_first] = copied.try_emplace(scalar);
    if (is_first) {
      const NodeId source = waits ? state.add(Node{AccessNode{.data = scalar}}) : from;
      const Subset element{{Range::index(0)}};
      found->second = state.add(Node{AccessNode{.data = copy}});
      state.connect(source, found->second, {"", "", Memlet::copy(scalar, element, element)});
    }
    state.set_source(e, found->second);
    state[e].memlet.data = copy;
    if (waits) state.connect(from, reader, {});
    if (!waits && state.out(from).empty()) state.erase(from);
  }

  const Sdfg& root_;
  const GpuPlacement& placement_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Changed scalars_to_gpu(Sdfg& root, const GpuPlacement& placement, PassContext& context) {
  ScalarsGiven given(root, placement, context);
  given.on_host(root);
  return given.changed();
}

Result<Changed> values_into_scalars(Sdfg& root, const GpuPlacement& placement,
                                    PassContext& context) {
  if (placement.handed_values().empty()) return Changed::No;
  SDFG_TRY([[maybe_unused]] const Ok typed, infer_connector_types(root));
  for (const GpuPlacement::HandedValue& value : placement.handed_values()) {
    State& state = *value.state;
    const NodeId from = state.source(value.edge), to = state.target(value.edge);
    const Edge edge = state[value.edge];
    const Data* named = value.sdfg->find_data(edge.memlet.data);
    const auto connector = state[from].out_connectors.find(edge.src_connector);
    Type type;
    if (named)
      type = named->dtype;
    else if (connector != state[from].out_connectors.end())
      type = connector->second;
    const auto& subset = edge.memlet.subset();
    const bool single = !subset || num_elements(*subset) == Expr(1);
    if (!state[to].is<Tasklet>() || !type.is_scalar() || !single) return value.refusal;
    const std::string name = value.sdfg->fresh_name(edge.src_connector + "_handed");
    value.sdfg->arrays.insert(name, Data::scalar(type, true));
    const NodeId between = state.add(Node{AccessNode{.data = name}});
    const Subset element{{Range::index(0)}};
    state.connect(from, between, {edge.src_connector, "", Memlet::write(name, element)});
    state.connect(between, to, {"", edge.dst_connector, Memlet::read(name, element)});
    state.erase(value.edge);
    context.applied({}, "'" + name + "' holds what '" + std::string(state[from].label()) +
                            "' hands to '" + std::string(state[to].label()) + "'");
  }
  return Changed::Yes;
}

Data on_host(const Data& data) {
  Data twin = data;
  twin.transient = true;
  twin.storage = data.is_scalar() ? Storage::Register : Storage::CpuHeap;
  twin.lifetime = Lifetime::Scope;
  if (auto* array = std::get_if<Array>(&twin.kind)) {
    array->role = Role::Plain;
    array->optional = false;
    // A nested SDFG may see a part of an array with the strides of all of it, and the size of the
    // part alone.
    const Expr spanned = elements_spanned(data.shape, array->strides) + array->start_offset;
    if (!certain(less_equal(spanned, array->total_size))) array->total_size = max(0, spanned);
  }
  return twin;
}

Result<Changed> copy_to_host(Sdfg& sdfg, const GpuPlacement& placement, PassContext& context) {
  Copier copier(placement, context);
  copier.on_sdfg(sdfg, {});
  if (!copier.optional().empty())
    return Diagnostic{"",
                      "'" + copier.optional() + "' may be null, and control flow reads it, for "
                      "which it would always be copied to the host",
                      "copy what is read to a scalar where it is not null"};
  return copier.changed();
}

}  // namespace sdfg
