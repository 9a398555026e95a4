#pragma once

#include <string>
#include <vector>

#include "passes/split/container_uses.h"
#include "passes/split/partition.h"

namespace sdfg {

/// A part of a container that becomes a container of its own.
struct Fragment {
  Subset box;  ///< of step 1: what uses with steps leave out lies in it, too
  std::vector<std::size_t> uses;  ///< indices into ContainerUses::uses
  bool read = false, written = false;
};

/// Which parts of a container have nothing to do with one another: each use lies in one fragment,
/// and the boxes of fragments are disjoint for all values of symbols.
struct FragmentPlan {
  std::vector<Fragment> fragments;
  Refusal refusal;  ///< why there are not at least two
};

/// Uses that may touch a common element share a fragment. A part that is written and never read is
/// a fragment, too. In n log n for uses whose borders differ by numbers.
FragmentPlan find_fragments(const ContainerUses& uses, const Assumptions& assumptions);

/// Refuses when splitting would need an order that a graph without cycles cannot express: a copy
/// into one fragment and a copy out of another touch a common element of some container.
Refusal check_copies(const Sdfg& sdfg, const ContainerUses& uses, const FragmentPlan& plan,
                     const Assumptions& assumptions);

/// The part of a container as a container of its own. Where somebody knows the strides
/// (`keep_strides`) or they are in no simple order, they stay as they are.
Data part_of(const Data& data, const Subset& box, bool keep_strides,
             const Assumptions& assumptions);

/// Makes the fragments containers of their own and gives every access node one node for each
/// fragment it touches; empty memlets stay at all of them. Edges keep their ids. Returns the names,
/// by fragment. Nothing uses the old container any more; the caller erases it.
std::vector<std::string> split_container(Sdfg& sdfg, Accesses& accesses, const ContainerUses& uses,
                                         const FragmentPlan& plan, const Assumptions& assumptions);

/// Lets one side of an edge (with its memlet tree) name another container, whose element 0 is
/// `origin` of the old one. The edge's end is the caller's business.
void move_use(const Sdfg& sdfg, State& state, const ContainerUse& use, const std::string& from,
              const std::string& to, const Subset& origin, const Assumptions& assumptions);

}  // namespace sdfg
