#include "passes/split/overlap.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/analysis/propagate.h"
#include "passes/common/assume.h"
#include "passes/common/scope.h"
#include "passes/split/container_uses.h"

namespace sdfg {
namespace {

/// One inner memlet at a map's border: what one iteration touches, and what all of them may.
struct Inner {
  EdgeId edge;
  Subset subset, all;
};

class OverlapCheck {
 public:
  OverlapCheck(const Sdfg& sdfg, const State& state, NodeId access, NodeId exit, NodeId consumer,
               const Order& order, const Assumptions& assumptions)
      : sdfg_(sdfg), state_(state), access_(access), exit_(exit),
        producer_(state.get<MapExit>(exit).entry), consumer_(consumer), order_(order),
        assumptions_(assumptions) {}

  /// What the node says, down to the parameters of the same iteration.
  Refusal check_maps(OverlapPair& pair) const {
    const MapEntry &p = state_.get<MapEntry>(producer_), &c = state_.get<MapEntry>(consumer_);
    if (p.schedule != c.schedule) return "the maps have different schedules";
    if (p.params.size() != c.params.size())
      return "the maps have " + std::to_string(p.params.size()) + " and " +
             std::to_string(c.params.size()) + " parameters";
    for (NodeId entry : {producer_, consumer_})
      for (const auto& [connector, type] : state_[entry].in_connectors)
        if (!connector.starts_with("IN_"))
          return "the range of a map comes from connector '" + connector + "'";
    for (const MapEntry* map : {&p, &c})
      for (const Range& r : map->ranges)
        if (r.step != Expr(1) || r.tile != Expr(1)) return "a map has a step or tiles";
    pair.producer = producer_, pair.consumer = consumer_;
    return match_parameters(pair);
  }
  /// All else, which is the same whichever node connects the two.
  Refusal check_all_between(const OverlapPair& pair) {
    if (Refusal why = check_exchanged(pair)) return why;
    if (Refusal why = check_other_containers(pair)) return why;
    if (reaches_besides()) return "the consumer depends on the producer in other ways, too";
    return {};
  }

 private:
  const std::string& name(NodeId node) const { return state_.get<AccessNode>(node).data; }

  /// What single iterations write to (read from) an access node; an edge that only keeps the order
  /// beside those that move data says nothing more.
  std::optional<std::vector<Inner>> inner(NodeId node, bool write) const {
    std::vector<Inner> out;
    for (EdgeId outer : write ? state_.in(node) : state_.out(node)) {
      const NodeId border = write ? state_.source(outer) : state_.target(outer);
      if (border != (write ? exit_ : consumer_)) continue;
      const Edge& edge = state_[outer];
      if (edge.memlet.empty()) continue;
      const std::string connector =
          matching_connector(write ? edge.src_connector : edge.dst_connector);
      for (EdgeId e : write ? state_.in(border) : state_.out(border)) {
        if ((write ? state_[e].dst_connector : state_[e].src_connector) != connector) continue;
        if (write && (state_[e].memlet.dynamic || state_[e].memlet.wcr)) return std::nullopt;
        auto part = footprint(sdfg_, state_, e, write, name(node), assumptions_);
        if (!part) return std::nullopt;
        Subset all = in_all_iterations(*part, write ? producer_ : consumer_, node);
        out.push_back({e, *std::move(part), std::move(all)});
      }
    }
    if (out.empty()) return std::nullopt;
    return out;
  }
  Subset in_all_iterations(const Subset& part, NodeId entry, NodeId node) const {
    const MapEntry& map = state_.get<MapEntry>(entry);
    Subset out = all_elements(*sdfg_.find_data(name(node)));
    const auto ranges = image(part, map.params, map.ranges, assumptions_);
    for (std::size_t d = 0; d < out.rank(); ++d)
      if (ranges[d]) out[d] = *ranges[d];
    return out;
  }

  /// Parameters that move the same dimension of the container belong together; what is left, by
  /// name and then in order.
  Refusal match_parameters(OverlapPair& pair) const {
    const MapEntry &p = state_.get<MapEntry>(producer_), &c = state_.get<MapEntry>(consumer_);
    const auto writes = inner(access_, true), reads = inner(access_, false);
    if (!writes || !reads)
      return "the memlets of '" + name(access_) +
             "' are dynamic, resolve conflicts or do not say what they touch";
    constexpr std::size_t none = ~std::size_t(0);
    pair.producer_parameter.assign(c.params.size(), none);
    std::vector<bool> taken(p.params.size());
    const auto moving = [](const Expr& e, const std::vector<std::string>& params) {
      std::size_t found = none;
      for (std::size_t i = 0; i < params.size(); ++i)
        if (uses_symbol(e, params[i])) found = found == none ? i : params.size();
      return found;
    };
    const Subset &w = writes->front().subset, &r = reads->front().subset;
    for (std::size_t d = 0; d < w.rank(); ++d) {
      const std::size_t from = moving(w[d].begin, p.params), to = moving(r[d].begin, c.params);
      if (from >= p.params.size() || to >= c.params.size()) continue;
      if (taken[from] || pair.producer_parameter[to] != none) continue;
      pair.producer_parameter[to] = from, taken[from] = true;
    }
    const auto fill = [&](bool by_name) {
      for (std::size_t q = 0; q < c.params.size(); ++q)
        for (std::size_t i = 0; i < p.params.size() && pair.producer_parameter[q] == none; ++i)
          if (!taken[i] && (!by_name || p.params[i] == c.params[q]))
            pair.producer_parameter[q] = i, taken[i] = true;
    };
    fill(true), fill(false);
    return {};
  }

  /// The consumer's subset with the producer's parameters.
  Subset renamed(const Subset& subset, const OverlapPair& pair) const {
    const MapEntry &p = state_.get<MapEntry>(producer_), &c = state_.get<MapEntry>(consumer_);
    Substitution names;
    for (std::size_t q = 0; q < c.params.size(); ++q)
      names.emplace(c.params[q], Expr::symbol(p.params[pair.producer_parameter[q]]));
    return substitute(subset, names);
  }

  /// Every container that goes from one map to the other: read where the same iteration has
  /// written, or where no iteration has.
  Refusal check_exchanged(const OverlapPair& pair) {
    Assumptions inside = assumptions_;
    assume_scope(state_.get<MapEntry>(producer_), inside);
    bool some = false;
    std::set<NodeId> nodes;
    for (EdgeId e : state_.out(exit_))
      for (EdgeId next : state_.out(state_.target(e)))
        if (state_.target(next) == consumer_) nodes.insert(state_.target(e));
    for (NodeId node : nodes) {
      if (!state_[node].is<AccessNode>())
        return "the maps are connected by a node that is no access node";
      if (sdfg_.find_data(name(node))->role() != Role::Plain)
        return "'" + name(node) + "' is a view or a reference";
      exchanged_.insert(name(node));
      const auto writes = inner(node, true), reads = inner(node, false);
      if (!writes || !reads)
        return "the memlets of '" + name(node) +
               "' are dynamic, resolve conflicts or do not say what they touch";
      for (const Inner& read : *reads) {
        const Subset wanted = renamed(read.subset, pair);
        const bool same = std::ranges::any_of(*writes, [&](const Inner& write) {
          return certain(covers(write.subset, wanted, inside));
        });
        const bool apart = std::ranges::all_of(*writes, [&](const Inner& write) {
          return intersects(write.all, read.all, assumptions_) == Truth::No;
        });
        some = some || same;
        if (!same && !apart)
          return "an iteration reads " + name(node) + "[" + to_text(read.subset) +
                 "], which the same iteration of the producer does not write";
      }
    }
    if (!some) return "the consumer reads nothing that the producer writes";
    exchanged_nodes_ = std::move(nodes);
    return {};
  }

  /// Containers at the outside of a map.
  NameSet around(NodeId border, bool written) const {
    NameSet out;
    for (EdgeId e : written ? state_.out(border) : state_.in(border)) {
      if (state_[e].memlet.empty()) continue;
      const NodeId end = written ? state_.target(e) : state_.source(e);
      if (const auto* access = state_[end].as<AccessNode>()) out.insert(access->data);
    }
    return out;
  }

  /// Other containers that both touch, one of them writing, would be touched in another order; but
  /// the consumer may write again what the producer hands it.
  Refusal check_other_containers(const OverlapPair& pair) const {
    const NodeId c_exit = find_scope(state_, consumer_)->exit;
    const auto p_reads = around(producer_, false), p_writes = around(exit_, true);
    const auto c_reads = around(consumer_, false), c_writes = around(c_exit, true);
    for (const std::string& n : c_writes)
      if (p_reads.contains(n) || (p_writes.contains(n) && !updates(n, c_exit, pair)))
        return "the consumer writes '" + n + "', which the producer touches, too";
    for (const std::string& n : p_writes)
      if (c_reads.contains(n) && !exchanged_.contains(n))
        return "both touch '" + n + "' through different access nodes";
    for (const std::string& n : p_writes)
      if (exchanged_.contains(n) && p_reads.contains(n))
        return "the producer reads and writes '" + n + "'";
    return {};
  }

  /// Does each iteration of the consumer write of a container only what the same iteration of the
  /// producer has written and handed to it?
  bool updates(const std::string& container, NodeId c_exit, const OverlapPair& pair) const {
    std::vector<Inner> given;
    for (NodeId node : exchanged_nodes_)
      if (name(node) == container)
        std::ranges::copy(inner(node, true).value(), std::back_inserter(given));
    Assumptions inside = assumptions_;
    assume_scope(state_.get<MapEntry>(producer_), inside);
    return std::ranges::all_of(state_.out(c_exit), [&](EdgeId outer) {
      const auto* access = state_[state_.target(outer)].as<AccessNode>();
      if (!access || access->data != container) return true;
      const std::string connector = matching_connector(state_[outer].src_connector);
      return std::ranges::all_of(state_.in(c_exit), [&](EdgeId e) {
        if (state_[e].dst_connector != connector) return true;
        if (state_[e].memlet.dynamic || state_[e].memlet.wcr) return false;
        const auto part = footprint(sdfg_, state_, e, true, container, assumptions_);
        if (!part) return false;
        const Subset written = renamed(*part, pair);
        return std::ranges::any_of(given, [&](const Inner& w) {
          return certain(covers(w.subset, written, inside));
        });
      });
    });
  }

  /// Is there a path from producer to consumer through anything but what they exchange?
  bool reaches_besides() const {
    return order_.reaches(producer_, consumer_, [&](EdgeId e) {
      return state_.target(e) != consumer_ || !exchanged_nodes_.contains(state_.source(e));
    });
  }

  const Sdfg& sdfg_;
  const State& state_;
  NodeId access_, exit_, producer_, consumer_;
  const Order& order_;
  const Assumptions& assumptions_;
  NameSet exchanged_;
  std::set<NodeId> exchanged_nodes_;
};

}  // namespace

Refusal Overlaps::check(NodeId access, NodeId producer_exit, NodeId consumer, OverlapPair& pair) {
  OverlapCheck maps(sdfg_, state_, access, producer_exit, consumer, order_, assumptions_);
  if (Refusal why = maps.check_maps(pair)) return why;
  const Key key{producer_exit, consumer, pair.producer_parameter};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, maps.check_all_between(pair)).first->second;
}

}  // namespace sdfg
