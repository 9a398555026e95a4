#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "passes/map_fusion/join_maps.h"

namespace sdfg {

/// The options that all passes of the family share, under GT4Py's names.
struct FusionScopeOptions {
  bool only_toplevel_maps = false, only_inner_maps = false;
};

/// The maps of one state while a pass fuses them.
class FusionMaps {
 public:
  FusionMaps(FusionSite& site, const Trail& trail, PassContext& context, JoinOptions join)
      : site_(site), trail_(trail), context_(context), join_(join) {}

  /// What is known of a map; looked up when first asked for.
  FusionMap& at(NodeId entry);
  /// The map that this one has become part of.
  NodeId current(NodeId entry) const;
  bool is_map(NodeId entry) const { return site_.state[entry].is<MapEntry>(); }

  /// Joins the two if the rules and the filter allow it; says so, or why not. Returns the fused
  /// map.
  using Filter = std::function<Refusal(const FusionMap& first, const FusionPlan&)>;
  std::optional<NodeId> fuse(NodeId first, NodeId second, const FusionRules& rules,
                             const Filter& filter = {});
  /// Says that the pair is refused, or else what is done with it now; false: leave it as it is.
  bool announce(NodeId first, NodeId second, const Refusal& why, const std::string& what);
  /// The first map is gone, its work is done in the second.
  void forget(NodeId gone, NodeId into);
  /// Looks at assumptions as they are inside of the scope (none: at the top level).
  void enter(NodeId scope);

  /// What the memlets around the map say will not do any more …
  void mark_stale(NodeId entry) { stale_.insert(entry); }
  /// … and is brought up to date, for all such maps at once: that looks at the whole state.
  void propagate();

  FusionSite& site() { return site_; }
  SymbolSet unused;
  Changed changed = Changed::No;

 private:
  FusionSite& site_;
  const Trail& trail_;
  PassContext& context_;
  JoinOptions join_;
  std::map<NodeId, FusionMap> maps_;
  std::map<NodeId, NodeId> joined_into_;
  std::set<NodeId> stale_;
  std::optional<Assumptions> outside_;
  NodeId scope_;
};

/// Calls visit(maps, entries) for each scope with two or more maps, in every state of every SDFG,
/// nested ones first; entries in the order of the dataflow. Removes what becomes unused.
using VisitScope = std::function<void(FusionMaps&, const std::vector<NodeId>&)>;
Changed walk_scopes(Sdfg& root, const FusionScopeOptions& options, const JoinOptions& join,
                    PassContext& context, const VisitScope& visit);

/// Calls visit(producer, consumer) for each map and the maps that write what it reads, the nearest
/// first. It returns what the consumer has become, if the two have been joined.
using VisitPair = std::function<std::optional<NodeId>(NodeId producer, NodeId consumer)>;
void for_each_producer(FusionMaps& maps, const std::vector<NodeId>& entries,
                       const VisitPair& visit);

/// Joins each map with the maps that write what it reads.
void fuse_with_producers(FusionMaps& maps, const std::vector<NodeId>& entries,
                         const FusionRules& rules, const FusionMaps::Filter& filter = {});

}  // namespace sdfg
