#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "passes/common/aliases.h"
#include "passes/common/assume.h"
#include "passes/common/fresh_names.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"
#include "passes/pass.h"

namespace sdfg {

// What in-local-storage, out-local-storage and accumulate-transient share: a transient between two
// nested maps that holds what the inner map touches of a container.

/// A place for such a transient: the edge between two entries, or between two exits.
struct StoragePlace {
  MapEnds outer, inner;
  EdgeId edge;
  bool reads;  ///< between the entries; otherwise between the exits
};
/// The places of a state whose data has that name (any, if it is empty), in order.
std::vector<StoragePlace> storage_places(const State& state, bool reads, const std::string& array,
                                         const std::vector<std::string>& maps);

/// All edges behind an edge into an entry's IN_x (or out of an exit's OUT_x), inward: through inner
/// scopes to the code that reads or writes.
struct InnerEdges {
  std::vector<EdgeId> all, leaves;
  std::vector<NodeId> entries;  ///< of the scopes passed, the first included
};
InnerEdges inner_edges(const State& state, const StoragePlace& place);

/// What an outer map's scope does with containers by itself, found once for all its places.
class ScopeUse {
 public:
  ScopeUse(const Sdfg& sdfg, const State& state, NodeId outer_entry, Aliases aliases);
  /// May it? A view may be of any container.
  bool reads(const std::string& data) const {
    return reads_view_ || reads_.contains(group_of(aliases_, data));
  }
  bool writes(const std::string& data) const { return writes_view_ || writers(data) > 0; }
  /// May it write the container by more than one way out, or at a node inside?
  bool writes_more_than_once(const std::string& data) const {
    return writes_view_ || writers(data) > 1;
  }
  /// May writes of the two touch the same memory?
  bool may_be_same(const std::string& a, const std::string& b) const {
    return writes_view_ || group_of(aliases_, a) == group_of(aliases_, b);
  }

 private:
  std::size_t writers(const std::string& data) const {
    const auto found = writers_.find(group_of(aliases_, data));
    return found == writers_.end() ? 0 : found->second;
  }

  Aliases aliases_;
  SymbolSet reads_;
  ByName<std::size_t> writers_;
  bool reads_view_ = false, writes_view_ = false;
};

/// The container's box that a transient holds, and how much memory it gets: bounds of the box's
/// sizes that no parameter occurs in.
struct LocalBox {
  Subset box;
  std::vector<Expr> shape;
};

/// The box around all that the leaves touch, in terms of what is known between the two maps. What
/// memlets on the way say does not matter. The error says why the box cannot be told, may leave the
/// container, or has a size that is not bounded without parameters of scopes, or that no iteration
/// touches anything.
Result<LocalBox> touched_box(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                             const StoragePlace& place, const InnerEdges& inner,
                             const Assumptions& outside);
/// Is every element of that box certainly written? Only one leaf may write, each dimension of its
/// subset must follow one parameter with step 1 or none, no two dimensions the same one, and maps
/// whose parameters do not occur must have points. Empty: yes.
Refusal check_all_written(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                          const StoragePlace& place, const InnerEdges& inner, Assumptions known);
/// Why the inner map's writes of the container cannot come out later than now: something that waits
/// for the map may write it, too, or something inside that may wait for them.
Refusal check_written_last(const State& state, const StoragePlace& place, const ScopeUse& use,
                           const std::string& array);

/// Why the inner edges cannot be pointed at another container, with their subsets moved: a kernel
/// would read a transient of the host, among others.
Refusal check_redirect(const Sdfg& sdfg, const State& state, const StoragePlace& place,
                       const InnerEdges& inner, const std::string& array);
/// Points them there. The transient's element 0 is where the box begins.
void redirect(State& state, const StoragePlace& place, const InnerEdges& inner,
              const std::string& array, const std::string& transient, const Subset& box);
/// The part of the transient that is in use: from 0 on, as long as the box.
Subset used_part(const Subset& box);

/// Declares a transient of that shape with the container's element type.
std::string add_local(Sdfg& sdfg, FreshNames& names, const std::string& base,
                      const std::string& array, const std::vector<Expr>& shape, Storage storage);

/// What a pass about such transients does at each place. `Plan` starts with {place, inner, array}.
template <class Plan, class Options>
struct LocalStoragePass {
  bool reads;
  std::string_view verb, where;  ///< of the remark: "copied" X[…] "into a transient before the map"
  bool (*wanted)(const State&, const StoragePlace&, const Options&);
  Refusal (*check)(const Sdfg&, const State&, const ScopeTree&, const ScopeUse&, const Assumptions&,
                   Plan&);
  void (*apply)(Sdfg&, State&, const Plan&, Storage, FreshNames&);

  Changed run(Sdfg& root, const Options& options, PassContext& context) const {
    Changed changed = Changed::No;
    FreshNames names;
    LazyAliases aliases(root);
    std::unordered_map<const Sdfg*, Assumptions> shapes;  // looked up, never iterated
    walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
      std::optional<ScopeUse> use;
      std::optional<ScopeTree> tree;
      const Assumptions* known = nullptr;
      NodeId used_by;
      for (const StoragePlace& place : storage_places(state, reads, options.array, options.maps)) {
        if (!wanted(state, place, options)) continue;
        if (!tree) {
          tree = scope_tree_of(state);  // new nodes need not be in it
          const auto [at, is_new] = shapes.try_emplace(&sdfg);
          if (is_new && &sdfg == &root) at->second = context.assumptions();
          if (is_new) assume_shapes(sdfg, at->second);
          known = &at->second;
        }
        if (!use || used_by != place.outer.entry)
          use.emplace(sdfg, state, used_by = place.outer.entry, aliases.of(sdfg));
        Plan plan{place, inner_edges(state, place), state[place.edge].memlet.data};
        const Trail here = trail.in(state, place.inner.entry);
        if (const Refusal why = check(sdfg, state, *tree, *use, *known, plan)) {
          context.refused(here, why);
          continue;
        }
        if (!context.may_apply()) return;
        context.applied(here, std::string(verb) + ' ' + plan.array + '[' +
                                  to_text(plan.local.box) + "] " + std::string(where));
        apply(sdfg, state, plan, options.storage, names);
        changed = Changed::Yes;
      }
    });
    return changed;
  }
};

}  // namespace sdfg
