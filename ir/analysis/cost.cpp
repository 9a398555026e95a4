#include "ir/analysis/cost.h"

#include <algorithm>
#include <map>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/window.h"
#include "ir/place.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

bool on_device(Schedule s) {
  return s == Schedule::GpuDevice || s == Schedule::GpuPersistent || s == Schedule::GpuDefault ||
         s == Schedule::GpuThreadBlock || s == Schedule::GpuThreadBlockDynamic;
}
bool on_device(const Data* data) { return data && data->storage == Storage::GpuGlobal; }

bool names_device(const Sdfg& sdfg) {
  bool found = false;
  for_each_sdfg(sdfg, [&](const Sdfg& s) {
    for (const auto& [name, data] : s.arrays) found |= on_device(&data);
    for_each_node(s, [&](const Node& node) {
      const auto* map = node.as<MapEntry>();
      found |= map && on_device(map->schedule);
    });
  });
  return found;
}

// ---- Operations of code.

std::int64_t operations_in(const Expr& e) {
  std::int64_t count = 0;
  for (const Expr& a : e.args()) count += operations_in(a);
  switch (e.op()) {
    case Op::Add:
    case Op::Mul:
    case Op::Min:
    case Op::Max: return count + std::int64_t(e.args().size()) - 1;
    case Op::Sub:
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Pow:
    case Op::Call: return count + 1;
    case Op::Subscript: return 0;  // an address
    default: return count;
  }
}

std::int64_t operations_in(const Statements& statements) {
  std::int64_t count = 0;
  for (const Statement& s : statements) {
    if (const auto* a = std::get_if<Assign>(&s.kind)) {
      count += operations_in(a->value) + (a->augmented ? 1 : 0);
    } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
      count += operations_in(i->condition) +
               std::max(operations_in(i->then), operations_in(i->otherwise));
    } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
      count += operations_in(w->condition) + operations_in(w->body);
    } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
      count += operations_in(f->body);
    }
  }
  return count;
}

Expr points(const Node& entry) {
  Expr count = 1;
  if (const auto* map = entry.as<MapEntry>())
    for (const Range& r : map->ranges) count = count * r.size();
  return count;
}

Expr product(const std::vector<Expr>& sizes) {
  Expr n = 1;
  for (const Expr& size : sizes) n = n * size;
  return n;
}

Expr bytes(const std::vector<TouchedElements>& touched) {
  Expr total;
  for (const TouchedElements& t : touched) {
    Expr elements;
    for (const std::vector<Expr>& box : t.boxes) elements = elements + product(box);
    if (t.boxes.size() > 1) elements = min(elements, product(t.container));
    total = total + elements * Expr(t.bytes);
  }
  return total;
}

/// The value that simple code gives a variable.
const Expr* value_of(const RareOptional<Code>& code, std::string_view variable) {
  const Statements* statements = code ? code->statements() : nullptr;
  if (!statements || statements->size() != 1) return nullptr;
  const auto* assign = std::get_if<Assign>(&statements->front().kind);
  return assign && assign->target.is_symbol(variable) ? &assign->value : nullptr;
}

Expr trips(const LoopRegion& loop, const std::string& label) {
  const Expr* begin = value_of(loop.init_statement, loop.loop_variable);
  const Expr* next = value_of(loop.update_statement, loop.loop_variable);
  const Expr* condition = loop.loop_condition ? loop.loop_condition->expr() : nullptr;
  const Expr variable = Expr::symbol(loop.loop_variable);
  const auto step = next ? (simplify(*next) - variable).as_integer() : std::nullopt;
  if (begin && condition && step && *step != 0 && condition->args().size() == 2 &&
      condition->arg(0) == variable) {
    Expr reach = (simplify(condition->arg(1)) - simplify(*begin)) * Expr(*step > 0 ? 1 : -1);
    if (condition->is(Op::Le) || condition->is(Op::Ge)) reach = reach + 1;
    return ceil_div(reach, Expr(std::abs(*step)));
  }
  return Expr::symbol("trips_" + label);
}

// ---- Operations of graphs.

Expr operations(const Region& region);

/// Of a node itself; a nested SDFG's with the symbols of the state around.
Expr operations(const Node& node) {
  if (const auto* tasklet = node.as<Tasklet>()) {
    const Statements* statements = tasklet->code.statements();
    return statements ? operations_in(*statements) : 0;
  }
  const auto* nested = node.as<NestedSdfg>();
  if (!nested || !nested->sdfg) return 0;
  return substitute(operations(**nested->sdfg), mapped_values(*nested));
}

/// Of one run of each scope, by its entry; without an entry, of the state.
std::map<NodeId, Expr> operations(const State& state, const ScopeTree& tree) {
  std::map<NodeId, Expr> count;
  for (NodeId id : state.nodes()) {
    Expr own = operations(state[id]);
    if (own == Expr(0)) continue;
    for (NodeId around = tree.parent_of(id); around; around = tree.parent_of(around)) {
      own = own * points(state[around]);
      count[around] = count[around] + own;
    }
    count[NodeId()] = count[NodeId()] + own;
  }
  return count;
}

/// Loops multiplied, all branches added.
Expr operations(const Region& region) {
  Expr count;
  for (BlockId id : region.nodes()) {
    const Block& block = region[id];
    if (const auto* state = block.as<State>()) {
      if (const auto tree = scope_tree(*state)) count = count + operations(*state, *tree)[NodeId()];
    } else if (const auto* conditional = block.as<ConditionalBlock>()) {
      for (const Branch& branch : conditional->branches)
        count = count + operations(branch.region());
    } else if (const Region* inner = block.region()) {
      const auto* loop = block.as<LoopRegion>();
      count = count + (loop ? trips(*loop, block.label) : Expr(1)) * operations(*inner);
    }
  }
  return count;
}

// ---- One SDFG.

class Counter {
 public:
  struct What {
    bool device;      ///< the program says what runs on a device
    bool operations;  ///< count them, too
  };
  Counter(const Sdfg& sdfg, What what, ProgramCost& out)
      : sdfg_(sdfg), what_(what), out_(out) {}

  void region(const Region& region, const Place& place, const Expr& times) {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      const Place here = place.block(block);
      if (const auto* state = block.as<State>()) {
        count(*state, here, times);
      } else if (const auto* loop = block.as<LoopRegion>()) {
        this->region(*loop, here, times * trips(*loop, block.label));
      } else if (const auto* conditional = block.as<ConditionalBlock>()) {
        for (const Branch& branch : conditional->branches)
          this->region(branch.region(), here.in(branch.block.label), times);
      } else if (const Region* inner = block.region()) {
        this->region(*inner, here, times);
      }
    }
  }

 private:
  /// The elements of each array on these edges.
  std::vector<TouchedElements> touched(const State& state, std::span<const EdgeId> edges,
                                       bool read) const {
    std::map<std::string, std::vector<Subset>> touched;
    for (EdgeId e : edges) {
      const Memlet& memlet = state[e].memlet;
      if (memlet.empty() || !memlet.subset()) continue;
      const auto* ends = state[read ? state.source(e) : state.target(e)].as<AccessNode>();
      const auto& own = read ? memlet.src_subset : memlet.dst_subset;
      if (ends && own)
        touched[ends->data].push_back(*own);
      else
        touched[memlet.data].push_back(*memlet.subset());
    }
    std::vector<TouchedElements> out;
    for (const auto& [name, subsets] : touched) {
      const Data* data = sdfg_.find_data(name);
      if (!data || (data->is_scalar() && !on_device(data)) || data->is_stream()) continue;
      // Each box is compared with all others: of a container of many, all of it counts.
      constexpr std::size_t most_boxes = 32;
      std::vector<Subset> kept;
      for (const Subset& s : subsets) {
        if (kept.size() > most_boxes) break;
        if (std::ranges::find(kept, s) != kept.end()) continue;
        const auto holds = [&](const Subset& k) { return certain(covers(k, s)); };
        if (std::ranges::any_of(kept, holds)) continue;
        std::erase_if(kept, [&](const Subset& k) { return certain(covers(s, k)); });
        kept.push_back(s);
      }
      TouchedElements& elements = out.emplace_back();
      elements.bytes = std::int64_t(data->dtype.bytes().value_or(0));
      elements.container = data->shape;
      if (kept.size() > most_boxes) kept = {Subset::whole(data->shape)};
      for (const Subset& s : kept) elements.boxes.push_back(sizes(s));
    }
    return out;
  }

  void add(std::string kind, const Place& place, const Expr& times,
           std::vector<TouchedElements> read, const std::vector<TouchedElements>& written,
           Expr operations = {}) {
    Expr bytes_read = bytes(read), bytes_written = bytes(written);
    read.insert(read.end(), written.begin(), written.end());
    out_.kernels.push_back({place.text(), std::move(kind), times, std::move(bytes_read),
                            std::move(bytes_written), std::move(read), std::move(operations)});
  }

  void count(const State& state, const Place& place, const Expr& times) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    Parts parts{state, *tree, {}, {}};
    if (what_.operations) parts.operations = operations(state, *tree);
    for (NodeId id : state.nodes()) parts.children[tree->parent_of(id)].push_back(id);
    scope(parts, NodeId(), place, times);
  }

  struct Parts {
    const State& state;
    const ScopeTree& tree;
    std::map<NodeId, Expr> operations;
    std::map<NodeId, std::vector<NodeId>> children;
  };
  /// The kernels in a scope of the host, or in the state itself.
  void scope(const Parts& parts, NodeId around, const Place& place, const Expr& times) {
    const State& state = parts.state;
    const auto children = parts.children.find(around);
    if (children == parts.children.end()) return;
    for (NodeId id : children->second) {
      const Node& node = state[id];
      const Place here = place.node(state, id);
      if (node.is_entry()) {
        const auto* map = node.as<MapEntry>();
        if (what_.device && map && !on_device(map->schedule)) {
          scope(parts, id, place, times * points(node));
        } else {
          const auto ops = parts.operations.find(id);
          add(map ? "map" : "consume", here, times, touched(state, state.in(id), true),
              touched(state, state.out(parts.tree.exit_of(id)), false),
              ops == parts.operations.end() ? Expr() : ops->second);
        }
      } else if (node.is<LibraryNode>()) {
        add(std::string(node.label()), here, times, touched(state, state.in(id), true),
            touched(state, state.out(id), false));
      } else if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
        inner(*nested, here, times);
      } else if (node.is<AccessNode>()) {
        copies(state, id, place, times);
      }
    }
  }

  void copies(const State& state, NodeId from, const Place& place, const Expr& times) {
    for (EdgeId e : state.out(from)) {
      const auto* target = state[state.target(e)].as<AccessNode>();
      if (!target || state[e].memlet.empty()) continue;
      const Data* a = sdfg_.find_data(state.get<AccessNode>(from).data);
      const Data* b = sdfg_.find_data(target->data);
      if (!a || !b || a->is_view() || b->is_view()) continue;
      const bool on_host = what_.device ? !on_device(a) && !on_device(b)
                                       : a->is_scalar() && b->is_scalar();
      if (on_host) continue;
      const EdgeId only[] = {e};
      add("copy", place.edge(state, e), times, touched(state, only, true),
          touched(state, only, false));
    }
  }

  void inner(const NestedSdfg& nested, const Place& place, const Expr& times) {
    ProgramCost cost;
    Counter counter(**nested.sdfg, what_, cost);
    counter.region(**nested.sdfg, place, 1);
    counter.transients();
    const Substitution names = mapped_values(nested);
    const auto outside = [&](Expr& e) { e = substitute(e, names); };
    for (KernelCost& k : cost.kernels) {
      for (Expr* e : {&k.launches, &k.bytes_read, &k.bytes_written, &k.operations}) outside(*e);
      for (TouchedElements& t : k.touched) {
        std::ranges::for_each(t.container, outside);
        for (std::vector<Expr>& box : t.boxes) std::ranges::for_each(box, outside);
      }
      k.launches = k.launches * times;
      out_.kernels.push_back(std::move(k));
    }
    outside(cost.transient_bytes);
    out_.transient_bytes = out_.transient_bytes + cost.transient_bytes;
  }

 public:
  /// Arrays that some access node outside of kernels names.
  void transients() {
    std::map<std::string, bool> outside;
    for_each_state(sdfg_, [&](const State& state) {
      const auto tree = scope_tree(state);
      if (!tree) return;
      for (NodeId id : state.nodes())
        if (const auto* access = state[id].as<AccessNode>(); access && !tree->parent_of(id))
          outside[access->data] = true;
    });
    for (const auto& [name, data] : sdfg_.arrays) {
      const Array* array = data.as_array();
      if (!data.transient || !array || data.is_view() || data.is_reference()) continue;
      if (outside.contains(name))
        out_.transient_bytes =
            out_.transient_bytes + array->total_size * Expr(data.dtype.bytes().value_or(0));
    }
  }

 private:
  const Sdfg& sdfg_;
  What what_;
  ProgramCost& out_;
};

}  // namespace

Expr ProgramCost::launches() const {
  Expr sum;
  for (const KernelCost& k : kernels) sum = sum + k.launches;
  return sum;
}
Expr ProgramCost::bytes() const {
  Expr sum;
  for (const KernelCost& k : kernels) sum = sum + k.launches * (k.bytes_read + k.bytes_written);
  return sum;
}
Expr ProgramCost::operations() const {
  Expr sum;
  for (const KernelCost& k : kernels) sum = sum + k.launches * k.operations;
  return sum;
}

Expr node_operations(const Node& node) { return operations(node); }

ProgramCost program_cost(const Sdfg& sdfg) {
  ProgramCost cost;
  Counter counter(sdfg, {names_device(sdfg), true}, cost);
  counter.region(sdfg, Place(), 1);
  counter.transients();
  return cost;
}
ProgramCost program_traffic(const Sdfg& sdfg) {
  ProgramCost cost;
  Counter(sdfg, {names_device(sdfg), false}, cost).region(sdfg, Place(), 1);
  return cost;
}

}  // namespace sdfg
