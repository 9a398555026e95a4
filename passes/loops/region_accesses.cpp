#include "passes/loops/region_accesses.h"

#include <algorithm>
#include <cstdlib>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/analysis/window.h"
#include "ir/walk.h"
#include "passes/common/loop_range.h"

namespace sdfg {

bool RegionAccesses::mentions(std::string_view container) const {
  return by_container.contains(container) || named.contains(container) ||
         locals.contains(container);
}

Refusal RegionAccesses::check_aliases(const Aliases& aliases) const {
  if (aliases.empty()) return {};
  for (const auto& [name, list] : by_container)
    for (const auto& [other, group] : aliases)
      if (other != name && may_be_same(aliases, name, other) && by_container.contains(other) &&
          std::ranges::any_of(list, &RegionAccess::write))
        return "'" + name + "' and '" + other + "' may be the same memory";
  return {};
}

namespace {

class Collector {
 public:
  Collector(const Sdfg& sdfg, const Region& region, const Assumptions& assumptions,
            SideEffects& effects, LoopRanges& ranges, const std::optional<MapPoints>& points)
      : sdfg_(sdfg), assumptions_(assumptions), effects_(effects), ranges_(ranges),
        assignments_(count_assignments(region)) {
    for (const auto& [name, count] : assignments_) changing_.insert(name);
    effects_.keep_only(sdfg);
    if (!points) return;
    entry_ = points->entry;
    if (!points->loop) return;
    loops_.push_back(points->loop);
    changing_.insert(points->loop->variable);
  }

  void on_region(const Region& region) {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      UsedNames(sdfg_.arrays, name_).add(block);
      if (const auto* loop = block.as<LoopRegion>()) {
        const auto range = ranges_.of(*loop);
        const bool known = range && !range->inverted && has_values(*loop, *range);
        loops_.push_back(known ? std::optional(*range) : std::nullopt);
        on_region(*loop);
        loops_.pop_back();
      } else if (const Region* inner = block.region()) {
        on_region(*inner);
      } else if (const auto* conditional = block.as<ConditionalBlock>()) {
        for (const Branch& branch : conditional->branches) on_region(branch.region());
      } else if (const auto* state = block.as<State>()) {
        on_state(*state, block.label);
      }
    }
    for (InterstateEdgeId e : region.edges()) {
      collect_symbols(region[e].condition, sdfg_.arrays, name_);
      for (const auto& [target, value] : region[e].assignments)
        for (const std::string& name : free_symbols(value)) name_(name);
    }
  }

  RegionAccesses out;

 private:
  void refuse(std::string why) {
    if (!out.refusal) out.refusal = Refusal(std::move(why));
  }

  /// Has the variable of a loop inside the values of its range, and no others?
  bool has_values(const LoopRegion& loop, const LoopRange& range) const {
    const auto count = [&](const std::string& name) {
      const auto found = assignments_.find(name);
      return found == assignments_.end() ? 0 : found->second;
    };
    const auto is_around = [&](const std::string& name) {
      return std::ranges::any_of(loops_, [&](const auto& l) { return l && l->variable == name; });
    };
    SymbolSet read;
    collect_symbols(range.begin, read), collect_symbols(range.end, read);
    const bool clear = std::ranges::all_of(read, [&](const std::string& name) {
      return !sdfg_.arrays.contains(name) && count(name) <= std::size_t(is_around(name));
    });
    return (clear && count(range.variable) == 1) || !check_values(loop, range);
  }

  void on_state(const State& state, const std::string& label) {
    const auto tree = scope_tree(state);
    if (!tree) return refuse(tree.error().message);
    UsedNames used(sdfg_.arrays, name_);
    for (NodeId n : state.nodes()) {
      used.add(state[n]);
      check_node(state[n]);
      if (const auto* access = state[n].as<AccessNode>())
        on_access(state, *tree, n, *access, label);
    }
    for (EdgeId e : state.edges()) {
      used.add(state[e]);
      const Memlet& memlet = state[e].memlet;
      if (!memlet.empty() && state[state.source(e)].is<Tasklet>() &&
          state[state.target(e)].is<Tasklet>())
        out.locals.insert(memlet.data);
    }
  }

  void check_node(const Node& node) {
    if (node.is<ConsumeEntry>())
      return refuse("'" + std::string(node.label()) + "' is a " + std::string(node.kind_name()));
    if (effects_.of(sdfg_, node))
      return refuse("'" + std::string(node.label()) + "' may have side effects");
    const auto* nested = node.as<NestedSdfg>();
    if (!nested) return;
    for_each_sdfg(**nested->sdfg, [&](const Sdfg& inner) {
      for (const auto& [name, data] : inner.arrays)
        if (data.is_stream() || data.is_reference())
          refuse("nested SDFG '" + nested->label + "' has a " + data.json_type());
    });
  }

  void on_access(const State& state, const ScopeTree& tree, NodeId n, const AccessNode& access,
                 const std::string& label) {
    const Data* data = sdfg_.arrays.get(access.data);
    if (!data || data->is_stream() || data->is_reference() || data->is_structure())
      return refuse("'" + access.data + "' is a " +
                    (data ? data->json_type() : std::string("member of a structure")));
    auto& list = out.by_container[access.data];
    if (data->is_view())
      return on_view(state, tree, n, viewed_edge(sdfg_, state, n).value(), label);
    if (access.setzero) list.push_back({all_elements(*data), true, label});
    for (EdgeId e : state.out(n)) {
      if (state[e].memlet.empty()) continue;
      for (EdgeId leaf : path_leaves(state, e))
        list.push_back({image_of(state, tree, leaf, false, *data), false, label});
    }
    for (EdgeId e : state.in(n)) {
      if (state[e].memlet.empty()) continue;
      for (EdgeId leaf : path_leaves(state, e)) {
        list.push_back({image_of(state, tree, leaf, true, *data), true, label});
        // What resolves a conflict reads the old value.
        if (state[leaf].memlet.wcr) list.push_back({list.back().subset, false, label});
      }
    }
  }

  /// What goes in and out of a view happens to the part of a container that it looks at.
  void on_view(const State& state, const ScopeTree& tree, NodeId view, EdgeId viewing,
               const std::string& label) {
    const NodeId source = path_source(state, viewing), target = path_target(state, viewing);
    const bool outward = source == view;
    const NodeId looked_at = outward ? target : source;
    const auto* access = state[looked_at].as<AccessNode>();
    const Data* data = access ? sdfg_.arrays.get(access->data) : nullptr;
    if (!data || data->is_view()) return refuse("a view looks at a view");
    Data seen = sdfg_.arrays.at(state.get<AccessNode>(view).data);
    if (seen.as_array()) seen.as_array()->role = Role::Plain;
    const Memlet& memlet = state[viewing].memlet;
    const auto& subset = outward ? memlet.dst_subset : memlet.src_subset;
    const bool is_part = subset && is_all_inside(seen, *subset, *data);
    const auto part = is_part ? image_of(state, tree, viewing, outward, *data)
                              : std::optional(all_elements(*data));
    auto& list = out.by_container[access->data];
    list.push_back({part, false, label});
    if (outward || state.in(view).size() > 1) list.push_back({part, true, label});
  }

  /// The container's elements that an innermost edge moves, for all iterations inside the region.
  std::optional<Subset> image_of(const State& state, const ScopeTree& tree, EdgeId leaf, bool write,
                                 const Data& data) {
    const Memlet& memlet = state[leaf].memlet;
    std::optional<Subset> subset = write ? memlet.dst_subset : memlet.src_subset;
    if (!subset || subset->rank() != data.shape.size()) return all_elements(data);
    const NodeId from = state.source(leaf), to = state.target(leaf);
    const NodeId inner = write ? from : to;
    if (const auto* nested = state[inner].as<NestedSdfg>(); nested && nested->sdfg)
      if (!is_all_inside(*nested,
                         write ? state[leaf].src_connector : state[leaf].dst_connector, *subset,
                         data))
        return all_elements(data);
    SymbolSet changing = changing_;
    NodeId scope = state[from].is_entry() ? from : tree.parent_of(from);
    if (state[from].is_exit()) scope = tree.parent_of(scope);
    for (; scope; scope = tree.parent_of(scope)) {
      if (scope == entry_) continue;
      const auto* map = state[scope].as<MapEntry>();
      for (const auto& [name, type] : state[scope].in_connectors)
        if (!name.starts_with("IN_")) changing.insert(name);
      if (!map) return all_elements(data);
      changing.insert(map->params.begin(), map->params.end());
      widen(*subset, image(*subset, map->params, map->ranges, assumptions_), data);
    }
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop)
      if (*loop)
        widen(*subset,
              image(*subset, {(*loop)->variable}, {(*loop)->ascending()}, assumptions_), data);
    for (std::size_t d = 0; d < subset->rank(); ++d) {
      SymbolSet names;
      collect_symbols(Subset{{(*subset)[d]}}, names);
      for (const std::string& name : names)
        if (changing.contains(name) || sdfg_.arrays.contains(name)) {
          (*subset)[d] = all_elements(data)[d];
          break;
        }
    }
    return subset;
  }

  static void widen(Subset& subset, const std::vector<std::optional<Range>>& image,
                    const Data& data) {
    for (std::size_t d = 0; d < subset.rank(); ++d)
      subset[d] = image[d] ? *image[d] : all_elements(data)[d];
  }

  const Sdfg& sdfg_;
  const Assumptions& assumptions_;
  SideEffects& effects_;
  LoopRanges& ranges_;
  const AssignmentCounts assignments_;  ///< of the region
  SymbolSet changing_;
  NodeId entry_;  ///< of the map whose parameters stay, if any
  const NameSink name_ = [this](const std::string& name) {
    const std::string root = name.substr(0, name.find('.'));
    if (sdfg_.arrays.contains(root)) out.named.insert(root);
  };
  std::vector<std::optional<LoopRange>> loops_;  ///< around, innermost last; none: no range
};

}  // namespace

RegionAccesses region_accesses(const Sdfg& sdfg, const Region& region,
                               const Assumptions& assumptions, SideEffects& effects,
                               LoopRanges& ranges, const std::optional<MapPoints>& points) {
  Collector collector(sdfg, region, assumptions, effects, ranges, points);
  collector.on_region(region);
  RegionAccesses out = std::move(collector.out);
  for (const std::string& name : out.named)
    if (const Data* data = sdfg.arrays.get(name))
      out.by_container[name].push_back(
          {all_elements(*data), false, "a condition or an assignment"});
  return out;
}

namespace {
/// A budget: each access that writes is compared with all others to its container.
constexpr std::size_t most_accesses = 64;

std::string describe(const std::string& container, const RegionAccess& access) {
  return std::string(access.write ? "the write of " : "the read of ") + container + "[" +
         (access.subset ? to_text(*access.subset) : "?") + "] in '" + access.place + "'";
}

/// Are they the same in a dimension that moves on by at least its own width with each step of the
/// parameter? The usual case, decided without further ado.
bool moves_apart(const Subset& a, const Subset& b, const std::string& param, const Range& range,
                 const std::vector<std::string>& params) {
  const auto step = range.step.as_integer();
  for (std::size_t d = 0; step && d < a.rank() && d < b.rank(); ++d) {
    if (!(a[d] == b[d]) || !(a[d].step == Expr(1)) || !(a[d].tile == Expr(1))) continue;
    const auto affine = match_affine(a[d].begin, param);
    const auto moved = affine ? affine->coefficient.as_integer() : std::nullopt;
    const auto width = (a[d].end - a[d].begin).as_integer();
    if (!moved || !width || *width < 0 || *width >= std::abs(*moved * *step)) continue;
    if (std::ranges::none_of(params, [&](const std::string& other) {
          return other != param && uses_symbol(affine->rest, other);
        }))
      return true;
  }
  return false;
}
}  // namespace

void add_distinct(const std::vector<RegionAccess>& accesses, std::vector<RegionAccess>& all) {
  for (const RegionAccess& a : accesses)
    if (std::ranges::none_of(all, [&](const RegionAccess& b) {
          return a.write == b.write && a.subset == b.subset;
        }))
      all.push_back(a);
}

Refusal ApartPoints::check(const std::string& container, const std::vector<RegionAccess>& accesses,
                           const std::vector<std::string>& params, const std::vector<Range>& ranges,
                           const Assumptions& assumptions) {
  std::vector<RegionAccess> distinct;
  add_distinct(accesses, distinct);
  if (distinct.size() > most_accesses)
    return "'" + container + "' has more than " + std::to_string(most_accesses) +
           " separate accesses";
  const Space& both = space(params, ranges, assumptions);
  for (std::size_t p = 0; p < params.size(); ++p)
    for (const RegionAccess& a : distinct)
      for (const RegionAccess& b : distinct) {
        if (!a.write && !b.write) continue;
        if (a.subset && b.subset && moves_apart(*a.subset, *b.subset, params[p], ranges[p], params))
          continue;
        const auto& [other, known] = both.pairs[p];
        if (a.subset && b.subset &&
            intersects(*a.subset, substitute(*b.subset, other), known) == Truth::No)
          continue;
        return describe(container, a) + " may meet " + describe(container, b) + " for another '" +
               params[p] + "'";
      }
  return {};
}

const ApartPoints::Space& ApartPoints::space(const std::vector<std::string>& params,
                                             const std::vector<Range>& ranges,
                                             const Assumptions& assumptions) {
  if (!assumptions_.shared_by(assumptions)) {
    spaces_.clear();
    assumptions_ = assumptions;
  }
  for (const Space& known : spaces_)
    if (known.params == params && known.ranges == ranges) return known;
  if (spaces_.size() == most_spaces) spaces_.clear();
  Space& added = spaces_.emplace_back(Space{params, ranges, {}});
  for (std::size_t p = 0; p < params.size(); ++p) {
    // The other point has a later value of this parameter, and any of the others.
    auto& [other, known] = added.pairs.emplace_back(Pair{{}, assumptions});
    for (std::size_t q = 0; q < params.size(); ++q) {
      known.assume(params[q], ranges[q].begin, ranges[q].end);
      const std::string name = "__other_" + params[q];
      if (q != p) {
        other.emplace(params[q], Expr::symbol(name));
        known.assume(name, ranges[q].begin, ranges[q].end);
        continue;
      }
      const Expr later = Expr::symbol(params[q]) + ranges[q].step * Expr::symbol(name);
      known.assume(name, Expr(1), std::nullopt);
      known.add_fact(compare_expr(Op::Le, later, ranges[q].end));
      other.emplace(params[q], later);
    }
    known.keep_answers();
  }
  return added;
}

Subset box_of(const Data& data, const std::vector<RegionAccess>& accesses,
              const Assumptions& assumptions) {
  if (accesses.empty() || !data.as_array()) return all_elements(data);
  for (const RegionAccess& a : accesses)
    if (!a.subset) return all_elements(data);
  Subset box = *accesses.front().subset;
  for (const RegionAccess& a : accesses)
    if (!(a.subset == box)) box = bounding_box(box, *a.subset, assumptions);
  const auto is_choice = [](const Expr& e) { return e.is(Op::Min) || e.is(Op::Max); };
  for (std::size_t d = 0; d < box.rank(); ++d) {
    // A step inside the window would have to be divided out of every subset.
    box[d].step = 1;
    box[d].tile = 1;
    if (is_choice(box[d].begin) || is_choice(box[d].end) || has_negative_size(box[d]))
      box[d] = all_elements(data)[d];
  }
  return box;
}

}  // namespace sdfg
