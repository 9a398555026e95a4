#pragma once

#include <map>

#include "passes/common/accesses.h"
#include "passes/common/loop_range.h"
#include "passes/common/taken_names.h"
#include "passes/map_fusion/fusion_plan.h"
#include "support/by_name.h"

namespace sdfg {

/// What a nested SDFG reads through one connector, when all of that happens in one loop and each
/// iteration of the loop reads one element.
struct LoopRead {
  LoopRegion* loop = nullptr;
  LoopRange range;  ///< in terms of the parent
  Subset element;   ///< of the parent's container; ScanBody::level is the loop's variable
  std::vector<AccessSite> sites;
};

/// A nested SDFG in a map, into whose loops fusion moves work. Answers in the terms of its parent.
class ScanBody {
 public:
  ScanBody(const FusionSite& site, NodeId node);

  NodeId node() const { return node_; }
  Sdfg& sdfg() const { return sdfg_; }
  /// Stands for the variable of a loop in expressions of the parent.
  const std::string& level() const { return level_; }

  /// What is read through the connector that the edge leads to, or why that cannot be told.
  Refusal find_read(const FusionSite& site, EdgeId edge, LoopRead& read);
  /// The container behind the connector goes, and its reads become reads of a scalar.
  void read_scalar(const LoopRead& read, const std::string& connector, const std::string& scalar);

  /// What symbols of the parent are called inside. Those that are not known there get new names …
  Substitution inner_names(const SymbolSet& outer, const LoopRegion& loop);
  /// … and are passed on from now on.
  void pass_symbols(const Substitution& names,
                    const ByName<Type>& types);
  /// What a constant of the parent is called inside: by its own name if that is free, or the same
  /// constant there.
  std::string inner_name(const std::string& name, const Constant& constant);
  /// A name that nothing inside has.
  std::string take_name(std::string_view base) { return names_.take(base); }
  /// Has the container behind a connector the elements of that container of the parent, in its
  /// order?
  bool is_all_of(const std::string& connector, const Data& outside) const;
  /// Nothing that gets a name from now on is called like a connector of the tasklet. False:
  /// something inside is already.
  bool admit(const Node& tasklet);

 private:
  void find_loops(Region& region, std::vector<LoopRegion*>& around);
  Substitution outer_values() const;
  Refusal find_loop(const std::string& connector, LoopRead& read) const;
  Refusal find_element(const std::string& connector, LoopRead& read) const;

  State& state_;
  NodeId node_;
  NestedSdfg& nested_;
  Sdfg& sdfg_;
  std::string level_;
  TakenNames names_;
  Accesses accesses_;
  SymbolSet assigned_;
  LoopRanges ranges_;
  std::map<const State*, std::vector<LoopRegion*>> loops_;  ///< around a state; looked up only
};

}  // namespace sdfg
