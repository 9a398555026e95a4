#include "passes/gpu/host_copies.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
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
    if (const Expr* e = code.expr())
      if (Expr changed = rewritten(*e, always); changed != *e) code = Code::from(changed);
  }
  /// A state that makes the copies; without nodes when there are none.
  State take() { return std::move(state_); }
  const std::set<std::string>& arrays() const { return arrays_; }

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
      Data scalar = Data::scalar(data.dtype, true);
      scalar.storage = Storage::Register;
      found->second = add(array, std::move(scalar));
      connect(array, found->second, Memlet::copy(array, at, Subset{{Range::index(0)}}));
    }
    return Expr::symbol(found->second);
  }
  std::string whole(const std::string& array, const Data& data) {
    const auto [found, is_new] = names_.try_emplace(array + "[]");
    if (is_new) {
      Data twin = data;
      twin.transient = true;
      twin.storage = Storage::CpuHeap;
      twin.lifetime = Lifetime::Scope;
      if (auto* plain = std::get_if<Array>(&twin.kind)) plain->role = Role::Plain;
      const Subset all = all_elements(data);
      found->second = add(array, std::move(twin));
      connect(array, found->second, Memlet::copy(array, all, all));
    }
    return found->second;
  }
  std::string add(const std::string& array, Data data) {
    std::string name = sdfg_.fresh_name(array + "_host");
    sdfg_.arrays.insert(name, std::move(data));
    arrays_.insert(array);
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
  std::set<std::string> arrays_;              ///< that are copied
};

class Copier {
 public:
  Copier(const GpuPlacement& placement, PassContext& context)
      : placement_(placement), context_(context) {}

  void on_sdfg(Sdfg& sdfg, const Trail& trail) { on_region(sdfg, sdfg, trail); }
  Changed changed() const { return changed_; }

 private:
  void on_region(Sdfg& sdfg, Region& region, const Trail& trail) {
    Labels labels(region);
    const std::vector<BlockId> blocks(region.nodes().begin(), region.nodes().end());
    for (BlockId id : blocks) {
      const Trail here = trail.in(region[id]);
      if (Region* inner = region[id].region()) on_region(sdfg, *inner, here);
      if (auto* state = region[id].as<State>()) on_state(*state, here);
      if (region[id].is<ConditionalBlock>()) on_conditional(sdfg, region, id, trail, labels);
      on_edges(sdfg, region, id, trail, labels);
    }
  }

  void on_state(State& state, const Trail& trail) {
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
    const BlockId copies = add_state(region, id, reads, trail, labels);
    if (!copies) return;
    const std::vector<InterstateEdgeId> in(region.in(id).begin(), region.in(id).end());
    for (InterstateEdgeId e : in) region.set_target(e, copies);
    region.connect(copies, id, InterstateEdge{});
    if (region.start_block == id) region.start_block = copies;
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
    const BlockId copies = add_state(region, id, reads, trail, labels);
    if (!copies) return;
    for (InterstateEdgeId e : out) region.set_source(e, copies);
    region.connect(id, copies, InterstateEdge{});
  }

  BlockId add_state(Region& region, BlockId by, Reads& reads, const Trail& trail, Labels& labels) {
    if (reads.arrays().empty()) return {};
    std::string arrays;
    for (const std::string& array : reads.arrays())
      arrays += (arrays.empty() ? "'" : ", '") + array + "'";
    context_.applied(trail.in(region[by]),
                     "what control flow reads of " + arrays + " is copied to the host");
    changed_ = Changed::Yes;
    return region.add(Block{labels.take(region[by].label + "_to_host"), reads.take()});
  }

  const GpuPlacement& placement_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Changed copy_to_host(Sdfg& sdfg, const GpuPlacement& placement, PassContext& context) {
  Copier copier(placement, context);
  copier.on_sdfg(sdfg, {});
  return copier.changed();
}

}  // namespace sdfg
