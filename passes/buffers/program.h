#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/analysis/order.h"
#include "passes/buffers/uses.h"
#include "passes/common/accesses.h"
#include "passes/common/aliases.h"
#include "passes/common/state_flow.h"
#include "support/ordered_map.h"

namespace sdfg {

/// One SDFG as the buffer passes see it: where each container is used, in which order states run,
/// and in which order nodes of a state do. Kept right while they rewrite.
struct BufferProgram {
  using Point = StateFlow::Point;

  /// `assumptions` know the shapes of arguments (`assume_shapes`).
  BufferProgram(Sdfg& sdfg, Assumptions assumptions, Aliases aliases);

  Order& order(Point p);
  /// Access nodes of a container by point.
  const std::map<Point, std::vector<NodeId>>& nodes(std::string_view container) const;
  /// The uses of a container in one state, those of its aliases included; or why they cannot be
  /// told. Found once and kept: call refresh before looking at one.
  struct Uses {
    std::vector<Use> reads, writes;
    Refusal why;
    std::size_t settled = 0;  ///< how many there were when those that are gone were last left out
  };
  Uses& uses(const std::string& container, Point p);
  /// The access node's edges are uses of its container from now on.
  void note_uses(Point p, NodeId node);
  /// Finds the uses anew when they are next asked for.
  void forget_uses(const std::string& container, Point p) { uses_.erase({container, p}); }

  /// An access node is new, with a container of its own.
  void added(Point p, NodeId node);
  /// An access node got another container, or goes.
  void renamed(Point p, NodeId node, const std::string& from);
  void erased(Point p, NodeId node, const std::string& container);
  /// The container has no uses any more. Declarations go all at once, in `finish`.
  void dropped(const std::string& container) { dropped_.insert(container); }
  bool is_dropped(const std::string& container) const { return dropped_.contains(container); }
  void finish();

  Sdfg& sdfg;
  Assumptions assumptions;
  Accesses accesses;
  StateFlow flow;
  SymbolSet varying;  ///< symbols that the SDFG itself assigns
  Aliases aliases;  ///< among the containers that the caller gives

 private:
  NameSet dropped_;
  std::vector<std::unique_ptr<Order>> orders_;
  /// Where a container is used: as it was at first, and by point since somebody asked.
  using Nodes = std::map<Point, std::vector<NodeId>>;
  struct Sites {
    std::vector<std::pair<Point, NodeId>> first;  ///< by point
    std::unique_ptr<Nodes> nodes;
  };
  Nodes& by_point(Sites& sites) const;
  Nodes& by_point(std::string_view container) { return by_point(sites_[container]); }
  void forget_node(const std::string& container, Point p, NodeId node);
  mutable OrderedMap<Sites> sites_;  ///< looked up, never iterated
  std::map<std::pair<std::string, Point>, Uses> uses_;
};

}  // namespace sdfg
