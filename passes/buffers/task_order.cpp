#include "passes/buffers/task_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace sdfg {
namespace {

using Task = TaskGraph::Task;

std::vector<std::size_t> waits(const TaskGraph& graph) {
  std::vector<std::size_t> out(graph.size());
  for (const auto& next : graph.next)
    for (Task t : next) ++out[t];
  return out;
}

/// By buffer: the tasks that need it.
std::vector<std::vector<Task>> users(const TaskGraph& graph) {
  std::vector<std::vector<Task>> out(graph.buffers.size());
  for (Task t = 0; t < graph.size(); ++t)
    for (std::uint32_t b : graph.needs[t]) out[b].push_back(t);
  return out;
}

/// The same with time running backwards.
TaskGraph reversed(const TaskGraph& graph) {
  TaskGraph out{std::vector<std::vector<Task>>(graph.size()), graph.needs, graph.buffers};
  for (Task t = 0; t < graph.size(); ++t)
    for (Task after : graph.next[t]) out.next[after].push_back(t);
  for (TaskGraph::Buffer& b : out.buffers) std::swap(b.before, b.beyond);
  return out;
}

/// Always the task next that lets the memory in use grow least; among equals, that of the lowest
/// rank. What needs no memory runs as soon as it can.
class LeastGrowth {
 public:
  LeastGrowth(const TaskGraph& graph, std::vector<std::uint32_t> rank)
      : graph_(graph), rank_(std::move(rank)), waits_(waits(graph)), users_(users(graph)),
        key_(graph.size()), is_ready_(graph.size()) {
    for (std::size_t b = 0; b < users_.size(); ++b) {
      left_.push_back(users_[b].size() + graph.buffers[b].beyond);
      in_use_.push_back(graph.buffers[b].before);
    }
  }

  TaskOrder run() {
    for (Task t = 0; t < graph_.size(); ++t)
      if (waits_[t] == 0) make_ready(t);
    TaskOrder order;
    while (!ready_.empty()) {
      const Task t = ready_.begin()->task;
      ready_.erase(ready_.begin());
      is_ready_[t] = false;
      order.push_back(t);
      for (std::uint32_t b : graph_.needs[t]) use(b);
      for (Task next : graph_.next[t])
        if (--waits_[next] == 0) make_ready(next);
    }
    return order;
  }

 private:
  struct Key {
    std::int64_t growth;
    std::uint32_t rank;
    Task task;
    auto operator<=>(const Key&) const = default;
  };

  Key key(Task t) const {
    std::int64_t growth = graph_.needs[t].empty() ? std::numeric_limits<std::int64_t>::min() : 0;
    for (std::uint32_t b : graph_.needs[t]) {
      if (!in_use_[b]) growth += graph_.buffers[b].bytes;
      if (left_[b] == 1) growth -= graph_.buffers[b].bytes;
    }
    return {growth, rank_[t], t};
  }
  void make_ready(Task t) {
    is_ready_[t] = true;
    ready_.insert(key_[t] = key(t));
  }
  /// What a buffer means for others changes twice: when it is in use, and for its last user.
  void use(std::uint32_t b) {
    const bool first = !in_use_[b];
    in_use_[b] = true;
    if (--left_[b] != 1 && !first) return;
    for (Task t : users_[b]) {
      if (!is_ready_[t]) continue;
      ready_.erase(key_[t]);
      make_ready(t);
    }
  }

  const TaskGraph& graph_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::size_t> waits_;
  std::vector<std::vector<Task>> users_;
  std::vector<std::size_t> left_;  ///< by buffer: users to come
  std::vector<bool> in_use_;       ///< by buffer
  std::vector<Key> key_;
  std::vector<bool> is_ready_;
  std::set<Key> ready_;
};

/// Next what became ready last: results are used up before new ones are made.
TaskOrder depth_first(const TaskGraph& graph, const TaskOrder& given) {
  std::vector<std::size_t> waiting = waits(graph);
  TaskOrder ready, order;
  for (auto t = given.rbegin(); t != given.rend(); ++t)
    if (waiting[*t] == 0) ready.push_back(*t);
  while (!ready.empty()) {
    const Task t = ready.back();
    ready.pop_back();
    order.push_back(t);
    for (auto next = graph.next[t].rbegin(); next != graph.next[t].rend(); ++next)
      if (--waiting[*next] == 0) ready.push_back(*next);
  }
  return order;
}

}  // namespace

std::int64_t peak(const TaskGraph& graph, const TaskOrder& order) {
  std::vector<std::size_t> left;
  std::vector<bool> in_use;
  std::int64_t now = 0;
  const auto by_buffer = users(graph);
  for (std::size_t b = 0; b < graph.buffers.size(); ++b) {
    left.push_back(by_buffer[b].size() + graph.buffers[b].beyond);
    in_use.push_back(graph.buffers[b].before);
    if (in_use[b]) now += graph.buffers[b].bytes;
  }
  std::int64_t most = now;
  for (Task t : order) {
    for (std::uint32_t b : graph.needs[t]) {
      if (!in_use[b]) now += graph.buffers[b].bytes;
      in_use[b] = true;
    }
    most = std::max(most, now);
    for (std::uint32_t b : graph.needs[t])
      if (--left[b] == 0) now -= graph.buffers[b].bytes;
  }
  return most;
}

TaskOrder low_peak_order(const TaskGraph& graph, TaskOrder given) {
  std::vector<std::uint32_t> rank(graph.size()), rank_from_end(graph.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    rank[given[i]] = std::uint32_t(i);
    rank_from_end[given[i]] = std::uint32_t(given.size() - i);
  }
  std::vector<TaskOrder> others;
  others.push_back(LeastGrowth(graph, std::move(rank)).run());
  others.push_back(LeastGrowth(reversed(graph), std::move(rank_from_end)).run());
  std::ranges::reverse(others.back());
  others.push_back(depth_first(graph, given));
  std::int64_t lowest = peak(graph, given);
  for (TaskOrder& other : others)
    if (const std::int64_t its = peak(graph, other); its < lowest) {
      lowest = its;
      given = std::move(other);
    }
  return given;
}

}  // namespace sdfg
