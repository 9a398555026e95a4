#include "ir/analysis/order.h"

#include <algorithm>

#include "ir/analysis/scope_tree.h"

// The list has labels with gaps. An element that finds no gap makes room: the smallest aligned
// window of labels around it that is sparse enough is spread out evenly, which costs O(log n)
// amortized for each insertion (Bender et al., "Two simplified algorithms for maintaining order in
// a list").
//
// An edge u -> v against the list is repaired by moving either what leads to u to the place before
// v, or what v leads to behind u, whichever search ends first (after Pearce and Kelly, with the
// two-way search of Bender, Fineman, Gilbert and Tarjan).

namespace sdfg {
namespace {

constexpr std::uint64_t label_end = std::uint64_t(1) << 62;

/// The exit of a scope, by what the node says of itself.
NodeId closed_entry(const Node& node) {
  if (const auto* exit = node.as<MapExit>()) return exit->entry;
  if (const auto* exit = node.as<ConsumeExit>()) return exit->entry;
  if (const auto* other = node.as<OtherNode>(); other && other->entry) return *other->entry;
  return {};
}

}  // namespace

Order::Order(const State& state) : state_(state) {
  const auto [order, tree] = dataflow_of(state);
  grow();
  const std::uint64_t gap = label_end / (order.size() + 1);
  std::uint64_t at = 0;
  for (NodeId n : order) {
    slot(n).scope = tree.parent_of(n);
    slot(n).exit = tree.exit_of(n);
    if (closed_entry(state[n])) continue;
    slot(n).label = at += gap;
    slot(n).previous = last_;
    if (last_) slot(last_).next = n;
    if (!first_) first_ = n;
    last_ = n;
  }
}

void Order::grow() {
  if (slots_.size() < state_.id_bound()) slots_.resize(state_.id_bound());
}

// ---- Searching.

NodeId Order::element_in(NodeId scope, NodeId node) const {
  node = element(node);
  while (node && scope_of(node) != scope) node = scope_of(node);
  return node;
}

/// Replaces both nodes by the elements of their innermost common scope that hold them.
void Order::lift_to_common_scope(NodeId& a, NodeId& b) const {
  const auto depth = [&](NodeId n) {
    std::size_t d = 0;
    for (NodeId s = scope_of(n); s; s = scope_of(s)) ++d;
    return d;
  };
  a = element(a), b = element(b);
  std::size_t da = depth(a), db = depth(b);
  for (; da > db; --da) a = scope_of(a);
  for (; db > da; --db) b = scope_of(b);
  while (scope_of(a) != scope_of(b)) a = scope_of(a), b = scope_of(b);
}

bool Order::reaches(NodeId from, NodeId to, const EdgeFilter& accepts) const {
  NodeId a = from, b = to;
  lift_to_common_scope(a, b);
  // Equal: the same node, or an end of a scope with its other end or with what lies inside.
  if (a == b) return from == to || from == a || to == exit_of(a);
  if (label(a) > label(b)) return false;
  auto [ahead, back] = begin_search(a, b);
  while (true)
    for (Side* side : {&ahead, &back}) {
      const Step step = advance(*side, side->forward ? b : a, accepts);
      if (step != Step::Going) return step == Step::Met;
    }
}

std::pair<Order::Side, Order::Side> Order::begin_search(NodeId ahead_from, NodeId back_from) const {
  ++search_;
  for (auto& seen : seen_)
    if (seen.size() < slots_.size()) seen.resize(slots_.size());
  seen_[0][ahead_from.value] = seen_[1][back_from.value] = search_;
  return {Side{{ahead_from}, 0, 0, true}, Side{{back_from}, 0, 0, false}};
}

/// Is the neighbour an end of the scope around the element?
bool Order::leads_out(NodeId element, NodeId neighbour) const {
  const NodeId scope = scope_of(element);
  return scope && (neighbour == scope || neighbour == exit_of(scope));
}

/// Looks at one more edge. `other` is where the other side began: nothing beyond it in the list can
/// lie between the two.
Order::Step Order::advance(Side& side, NodeId other, const EdgeFilter& accepts) const {
  while (side.node < side.found.size()) {
    const NodeId at = side.found[side.node];
    const NodeId end = side.forward && exit_of(at) ? exit_of(at) : at;
    const auto edges = side.forward ? state_.out(end) : state_.in(end);
    if (side.edge == edges.size()) {
      ++side.node, side.edge = 0;
      continue;
    }
    const EdgeId edge = edges[side.edge++];
    const NodeId node = side.forward ? state_.target(edge) : state_.source(edge);
    if (leads_out(at, node) || (accepts && !accepts(edge))) return Step::Going;
    const NodeId next = element(node);
    if (seen_[side.forward ? 1 : 0][next.value] == search_) return Step::Met;
    if (side.forward ? label(next) >= label(other) : label(next) <= label(other))
      return Step::Going;
    if (std::exchange(seen_[side.forward ? 0 : 1][next.value], search_) != search_)
      side.found.push_back(next);
    return Step::Going;
  }
  return Step::Done;
}

// ---- Changes.

void Order::added(NodeId node, NodeId scope) {
  grow();
  slot(node).scope = scope;
  insert_after(node, last_);
}

void Order::added_scope(NodeId entry, NodeId exit, NodeId scope) {
  added(entry, scope);
  slot(entry).exit = exit;
  slot(exit).scope = entry;
}

void Order::connected(EdgeId edge) {
  const NodeId from = state_.source(edge), to = state_.target(edge);
  const NodeId u = element(from), v = element(to);
  if (scope_of(to) == from || leads_out(u, to)) return;  // into a scope, or out of it
  SDFG_ASSERT(scope_of(u) == scope_of(v)) << "an edge leads from one scope into another";
  if (label(u) < label(v)) return;
  auto [ahead, back] = begin_search(v, u);
  while (true)
    for (Side* side : {&ahead, &back}) {
      const Step step = advance(*side, side->forward ? u : v, {});
      SDFG_ASSERT(step != Step::Met) << "the edge closes a cycle";
      if (step == Step::Done) return move_all(side->found, side->forward ? u : slot(v).previous);
    }
}

/// Puts the elements, in the order in which they are in the list, behind another one (none: first).
void Order::move_all(std::vector<NodeId>& elements, NodeId before) {
  std::ranges::sort(elements, {}, [&](NodeId n) { return label(n); });
  for (NodeId n : elements) {
    unlink(n);
    insert_after(n, before);
    before = n;
  }
}

void Order::erased(NodeId node) {
  const NodeId scope = scope_of(node);
  if (scope && exit_of(scope) == node) slot(scope).exit = {};
  if (label(node) != 0) unlink(node);
  slot(node) = {};
}

void Order::moved(NodeId node, NodeId scope) { slot(node).scope = scope; }

// ---- The list.

void Order::unlink(NodeId element) {
  const auto [previous, next] = std::pair(slot(element).previous, slot(element).next);
  (previous ? slot(previous).next : first_) = next;
  (next ? slot(next).previous : last_) = previous;
}

std::uint64_t Order::next_label(NodeId node) const {
  const NodeId next = node ? slot(node).next : first_;
  return next ? label(next) : label_end;
}

void Order::insert_after(NodeId element, NodeId before) {
  const auto low = [&] { return before ? label(before) : 0; };
  if (next_label(before) - low() < 2) make_room_after(before);
  slot(element).label = low() + (next_label(before) - low()) / 2;
  const NodeId next = before ? slot(before).next : first_;
  slot(element).previous = before, slot(element).next = next;
  (before ? slot(before).next : first_) = element;
  (next ? slot(next).previous : last_) = element;
}

void Order::make_room_after(NodeId element) {
  NodeId low = element ? element : first_, high = low;
  std::uint64_t count = 1;
  double most = 1;  // elements that a window may hold
  for (std::uint64_t width = 2; width <= label_end; width *= 2) {
    most *= 1.5;
    const std::uint64_t begin = label(low) / width * width, end = begin + width;
    while (slot(low).previous && label(slot(low).previous) >= begin)
      low = slot(low).previous, ++count;
    while (slot(high).next && label(slot(high).next) < end) high = slot(high).next, ++count;
    if (double(count) >= most || width / (count + 1) < 2) continue;
    const std::uint64_t gap = width / (count + 1);
    std::uint64_t at = begin;
    for (NodeId n = low;; n = slot(n).next) {
      slot(n).label = at += gap;
      if (n == high) return;
    }
  }
  SDFG_ASSERT(false) << "too many nodes";
}

}  // namespace sdfg
