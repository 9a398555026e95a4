#pragma once

#include <optional>
#include <string>
#include <vector>

#include "passes/map_fusion/fusion_plan.h"

namespace sdfg {

/// visit(container, ports of one, ports of the other), looking up what the smaller one has.
template <class Index, class F>
void for_each_shared(const Index& a, const Index& b, F&& visit) {
  const bool a_is_smaller = a.size() <= b.size();
  for (const auto& [name, ports] : a_is_smaller ? a : b) {
    const auto& other = a_is_smaller ? b : a;
    if (const auto found = other.find(name); found != other.end())
      a_is_smaller ? visit(name, ports, found->second) : visit(name, found->second, ports);
  }
}

/// What an edge at the inner side of a map's border moves, in elements of the container outside.
std::optional<Subset> inner_subset(const FusionSite& site, EdgeId edge, const Port& port,
                                   bool input);

/// Are these elements of a container (none: any) certainly others than those that a map writes, or
/// reads, in all of its iterations? What it writes, or reads, at one node may be left out.
bool apart_from(const FusionSite& site, const std::optional<Subset>& touched,
                const std::string& container, const FusionMap& map, bool writes, NodeId but = {});

/// The nodes inside a map that read what an edge from its entry brings, or write what one to its
/// exit takes along: where that is a view, those who use the view.
std::vector<NodeId> users(const FusionSite& site, EdgeId edge, bool read);

/// "A[i, 0:4]", for messages.
std::string text(const std::string& container, const Subset& subset);

/// Do two iterations get in each other's way once the maps are one? Adds to the plan which accesses
/// of the same iteration have to stay in order.
/// `inside` holds inside of the fused map.
Refusal check_conflicts(const FusionSite& site, const Assumptions& inside, const FusionMap& first,
                        const FusionMap& second, const FusionRules& rules, FusionPlan& plan);

/// When the second map reads what the first one read, inputs are read later: nobody may write them
/// but before the first map or when the second one is done. `later` says when they are read, for
/// messages: "the second one runs". Of `ports` only, if given.
Refusal check_later_inputs(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                           const std::string& later, const NameSet* ports = nullptr);

/// That a name which `first` reads from outside is a parameter or range input of `second`, in whose
/// scope the body of `first` is going to stand. (Its own parameters get values there.)
Refusal check_hidden_names(const FusionSite& site, const FusionMap& first,
                           const FusionMap& second);

/// Does a name mean one thing in one map and another thing in the other?
Refusal check_names(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                    const IterationMatch& match);

}  // namespace sdfg
