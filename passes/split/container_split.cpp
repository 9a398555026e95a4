#include "passes/split/container_split.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/analysis/propagate.h"
#include "ir/expr_budget.h"
#include "passes/common/reroute.h"
#include "passes/common/same_layout.h"

namespace sdfg {
namespace {

/// Sets of numbers that are joined; each set is known by its smallest member.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Were they apart?
  bool join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Joins whatever may touch a common element, then the sets whose hulls may. None when a hull has
/// more bounds than anything could be said of.
std::vector<Fragment> fragments_of(const std::vector<ContainerUse>& uses, DisjointSets& sets,
                                   const Assumptions& assumptions) {
  std::vector<Fragment> fragments;
  for (bool joined = true; joined;) {
    joined = false;
    std::map<std::size_t, std::size_t> number;  // set: fragment
    fragments.clear();
    for (std::size_t u = 0; u < uses.size(); ++u) {
      const auto [at, added] = number.emplace(sets.find(u), fragments.size());
      if (added) fragments.push_back({without_gaps(uses[u].subset), {}});
      Fragment& f = fragments[at->second];
      if (!extend(f.box, uses[u].subset, assumptions)) return {};
      f.uses.push_back(u);
      (uses[u].write ? f.written : f.read) = true;
    }
    std::vector<Subset> boxes;
    for (const Fragment& f : fragments) boxes.push_back(f.box);
    const auto apart = [&](std::size_t f, std::size_t other) {
      return sets.find(fragments[f].uses[0]) != sets.find(fragments[other].uses[0]);
    };
    BoxIndex index(boxes, assumptions);
    for (std::size_t f = 0; f < boxes.size(); ++f)
      for (std::size_t other :
           index.may_intersect(boxes[f], [&](std::size_t i) { return i < f && apart(f, i); }))
        joined |= sets.join(fragments[f].uses[0], fragments[other].uses[0]);
  }
  return fragments;
}

/// A side of a copy between access nodes: the container at its other end and what of it.
struct Copied {
  std::size_t fragment;
  const Memlet* memlet;
};

}  // namespace

FragmentPlan find_fragments(const ContainerUses& uses, const Assumptions& assumptions) {
  FragmentPlan plan;
  if (uses.uses.size() < 2) {
    plan.refusal = "'" + uses.name + "' is used once only";
    return plan;
  }
  DisjointSets sets(uses.uses.size());
  // Most uses repeat the box of another one.
  std::vector<Subset> boxes;
  std::vector<std::size_t> first;  // use with the box
  std::map<Subset, std::size_t, decltype(&structurally_less)> known(&structurally_less);
  for (std::size_t u = 0; u < uses.uses.size(); ++u) {
    const Subset& box = uses.uses[u].subset;
    const auto [at, added] = known.emplace(box, u);
    if (added)
      boxes.push_back(box), first.push_back(u);
    else if (intersects(box, box, assumptions) != Truth::No)
      sets.join(at->second, u);
  }
  BoxIndex index(boxes, assumptions);
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const auto wanted = [&](std::size_t i) {
      return i < b && sets.find(first[i]) != sets.find(first[b]);
    };
    for (std::size_t other : index.may_intersect(boxes[b], wanted))
      sets.join(first[b], first[other]);
  }
  plan.fragments = fragments_of(uses.uses, sets, assumptions);
  if (plan.fragments.size() < 2)
    plan.refusal = "all uses of '" + uses.name + "' may touch common elements";
  for (const Fragment& f : plan.fragments) {
    if (!f.written)
      plan.refusal =
          "'" + uses.name + "[" + to_text(f.box) + "]' is read and certainly not written";
    for (std::size_t u : f.uses)
      if (leaves(f.box, uses.uses[u].subset))
        plan.refusal = "'" + uses.name + "[" + to_text(uses.uses[u].subset) +
                       "]' has no elements here, and would leave its part";
  }
  return plan;
}

Refusal check_copies(const Sdfg& sdfg, const ContainerUses& uses, const FragmentPlan& plan,
                     const Assumptions& assumptions) {
  // By container at the other end (views stand for anything they may show): copies into and out of.
  std::map<std::string, std::pair<std::vector<Copied>, std::vector<Copied>>> copies;
  for (std::size_t f = 0; f < plan.fragments.size(); ++f)
    for (std::size_t u : plan.fragments[f].uses) {
      const ContainerUse& use = uses.uses[u];
      const NodeId end = use.write ? use.state->source(use.edge) : use.state->target(use.edge);
      const auto* access = (*use.state)[end].as<AccessNode>();
      if (!access) continue;
      const Data* data = sdfg.find_data(access->data);
      const bool plain = data && data->role() == Role::Plain;
      auto& [in, out] = copies[plain ? access->data : ""];
      (use.write ? in : out).push_back({f, &(*use.state)[use.edge].memlet});
    }
  for (const auto& [name, sides] : copies)
    for (const Copied& in : sides.first)
      for (const Copied& out : sides.second) {
        if (in.fragment == out.fragment) continue;
        const auto &read = in.memlet->src_subset, &written = out.memlet->dst_subset;
        if (read && written && intersects(*read, *written, assumptions) == Truth::No) continue;
        return "copies from '" + name + "' into one part and to it from another one may touch the "
               "same elements, and their order would be lost";
      }
  return {};
}

Data part_of(const Data& data, const Subset& box, bool keep_strides,
             const Assumptions& assumptions) {
  Data out = data;
  Array& array = *out.as_array();
  const auto not_negative = [&](const Expr& e) {
    return certain(less_equal(0, e, assumptions)) ? e : max(e, 0);
  };
  for (std::size_t d = 0; d < box.rank(); ++d) out.shape[d] = not_negative(box[d].size());
  array.offset.assign(box.rank(), Expr(0));
  array.start_offset = 0;
  // Row order and column order, without gaps, become the same of the smaller shape.
  const auto reversed = [](std::vector<Expr> list) {
    std::ranges::reverse(list);
    return list;
  };
  if (array.strides == c_strides(data.shape) && !keep_strides) {
    array.strides = c_strides(out.shape);
  } else if (array.strides == reversed(c_strides(reversed(data.shape))) && !keep_strides) {
    array.strides = reversed(c_strides(reversed(out.shape)));
  } else {
    array.total_size = not_negative(elements_spanned(out.shape, array.strides));
    return out;
  }
  array.total_size = num_elements(Subset::whole(out.shape));
  return out;
}

void move_use(const Sdfg& sdfg, State& state, const ContainerUse& use, const std::string& from,
              const std::string& to, const Subset& origin, const Assumptions& assumptions) {
  const Subset whole = all_elements(*sdfg.find_data(from));
  const std::vector<EdgeId> edges = memlet_tree(state, use.edge, use.write);
  // A parameter inside with the name of a symbol that says where the part lies would hide it.
  SymbolSet symbols;
  collect_symbols(origin, symbols);
  keep_visible(state, edges, !use.write, symbols);
  // Memlets around scopes may say more than is touched, which the part need not have.
  std::vector<std::pair<EdgeId, std::optional<Subset>>> tree;
  for (EdgeId e : edges) {
    const Node& end = state[use.write ? state.source(e) : state.target(e)];
    const bool scope = end.is_entry() || end.is_exit();
    tree.emplace_back(
        e, scope ? footprint(sdfg, state, e, use.write, from, assumptions) : std::nullopt);
  }
  for (const auto& [e, touched] : tree) {
    Memlet& memlet = state[e].memlet;
    auto& side = subset_at(memlet, from, use.write);
    if (touched) {
      side = touched;
      // Where it is not known what is touched, it is all of the part, and not of the container.
      for (std::size_t d = 0; d < side->rank(); ++d)
        if ((*side)[d] == whole[d]) (*side)[d] = origin[d];
    }
    // Only the outermost memlet may have left it out.
    if (!side) side = use.subset;
    side = offset_by(*side, origin, true);
    if (memlet.data == from && &memlet.subset() == &side) memlet.data = to;
  }
}

std::vector<std::string> split_container(Sdfg& sdfg, Accesses& accesses, const ContainerUses& uses,
                                         const FragmentPlan& plan, const Assumptions& assumptions) {
  std::vector<std::string> names;
  const Data old = *sdfg.find_data(uses.name);
  for (std::size_t f = 0; f < plan.fragments.size(); ++f) {
    names.push_back(sdfg.fresh_name(uses.name + "_part_" + std::to_string(f)));
    sdfg.arrays.set(names.back(),
                    part_of(old, plan.fragments[f].box, uses.through_pointers, assumptions));
  }
  // Access nodes of the parts, by site of the whole.
  std::vector<std::map<std::size_t, NodeId>> parts(uses.sites.size());
  const bool setzero = std::ranges::any_of(uses.sites, [](const AccessSite& site) {
    return site.state->get<AccessNode>(site.node).setzero;
  });
  const auto part_at = [&](std::size_t site, std::size_t f) {
    const auto [at, added] = parts[site].try_emplace(f);
    if (added) {
      State& state = *uses.sites[site].state;
      Node copy = state[uses.sites[site].node];
      copy.as<AccessNode>()->data = names[f];
      copy.as<AccessNode>()->setzero = setzero;
      copy.origin = {};
      at->second = state.add(std::move(copy));
      accesses.add(state, at->second);
    }
    return at->second;
  };
  for (std::size_t f = 0; f < plan.fragments.size(); ++f)
    for (std::size_t u : plan.fragments[f].uses) {
      const ContainerUse& use = uses.uses[u];
      move_use(sdfg, *use.state, use, uses.name, names[f], plan.fragments[f].box, assumptions);
      const NodeId node = part_at(use.site, f);
      if (use.write) use.state->set_target(use.edge, node);
      else use.state->set_source(use.edge, node);
    }
  // What only orders stays before, or after, all parts.
  for (std::size_t s = 0; s < uses.sites.size(); ++s) {
    const auto& [state, node] = uses.sites[s];
    for (const auto& [f, part] : parts[s]) {
      for (EdgeId e : std::vector(state->in(node).begin(), state->in(node).end()))
        state->connect(state->source(e), part, (*state)[e]);
      for (EdgeId e : std::vector(state->out(node).begin(), state->out(node).end()))
        state->connect(part, state->target(e), (*state)[e]);
    }
    accesses.remove(*state, node);
    state->erase(node);
  }
  return names;
}

}  // namespace sdfg
