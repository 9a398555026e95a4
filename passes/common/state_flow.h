#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// The control flow of one SDFG as one graph of points: a point per state, and points where
/// regions, loops and conditionals begin and end. Every way that control can take is a path;
/// conditions are not looked at. Loops are cycles. Built in linear time; changes of what is inside
/// states leave it valid.
class StateFlow {
 public:
  using Point = std::size_t;
  explicit StateFlow(Sdfg& sdfg);

  std::size_t size() const { return states_.size(); }
  Point entry() const { return entry_; }
  Point exit() const { return exit_; }
  /// The state at a point, or null.
  State* state(Point p) const { return states_[p] ? states_[p]->as<State>() : nullptr; }
  const Block* block(Point p) const { return states_[p]; }
  Point point(const State& state) const { return points_.at(&state); }
  std::span<const std::uint32_t> next(Point p) const { return next_.of(p); }
  std::span<const std::uint32_t> previous(Point p) const { return previous_.of(p); }
  /// Grows along every path, and is equal for points that lie on one cycle.
  std::size_t rank(Point p) const { return rank_[p]; }
  /// Is the point on a cycle: can it come again?
  bool repeats(Point p) const { return repeats_[p]; }
  /// Does a path lead from here to the exit?
  bool ends(Point p) const { return ends_[p]; }

 private:
  struct Ends {
    Point entry, exit;
  };
  struct Loop {
    Point again, leave;
  };
  /// Points by point, all in one row: those of p begin at first[p].
  struct Neighbours {
    std::vector<std::uint32_t> first, all;
    std::span<const std::uint32_t> of(Point p) const {
      return std::span(all).subspan(first[p], first[p + 1] - first[p]);
    }
  };
  Point add(Block* state = nullptr);
  void connect(Point from, Point to) {
    edges_.emplace_back(std::uint32_t(from), std::uint32_t(to));
  }
  void connect();
  Ends add(Region& region, const Loop* loop);
  Ends add(Block& block, const Loop* loop);
  void order();
  void find_ends();

  std::vector<Block*> states_;  ///< null: where something begins or ends
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  ///< while the points are made
  Neighbours next_, previous_;
  std::vector<std::uint32_t> rank_;
  std::vector<bool> repeats_, ends_;
  Point entry_ = 0, exit_ = 0;
  std::unordered_map<const State*, Point> points_;  ///< looked up, never iterated
};

}  // namespace sdfg
