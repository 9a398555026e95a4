#pragma once

#include <cstdint>
#include <vector>

namespace sdfg {

/// Tasks that run one at a time, each after those that it waits for, and the memory they need.
struct TaskGraph {
  using Task = std::uint32_t;
  /// In use from the first to the last task that needs it.
  struct Buffer {
    std::int64_t bytes;
    bool before = false, beyond = false;  ///< in use already, or still, when no task runs
  };
  std::vector<std::vector<Task>> next;            ///< by task: who waits for it; maybe repeatedly
  std::vector<std::vector<std::uint32_t>> needs;  ///< by task: its buffers, each once
  std::vector<Buffer> buffers;

  std::size_t size() const { return next.size(); }
};
using TaskOrder = std::vector<TaskGraph::Task>;

/// The most bytes that are in use at one time.
std::int64_t peak(const TaskGraph& graph, const TaskOrder& order);

/// An order with a low peak, in n log n: the given one, unless one of a few others is lower. (The
/// lowest of all is too much to ask for: the problem is that of the fewest registers.)
TaskOrder low_peak_order(const TaskGraph& graph, TaskOrder given);

}  // namespace sdfg
