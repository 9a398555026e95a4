// The two rules of check_sharing (shared_storage.h).

#include <algorithm>
#include <map>
#include <unordered_map>

#include "passes/buffers/sharing_check.h"
#include "passes/common/side_effects.h"

namespace sdfg {

/// Points to come to, and the boxes that have not been followed there yet. Points come in the order
/// of the flow (or the other way), so that what arrives on several paths goes on together: each
/// comes once, and again only where a cycle brings new boxes. Sets of boxes for each path would be
/// as many as there are paths.
class SharingCheck::Walk {
 public:
  Walk(const SharingCheck& check, bool ahead) : check_(check), ahead_(ahead) {}

  std::size_t steps = 0;  ///< of the budget

  void add(Point p, const std::vector<Subset>& boxes) {
    std::vector<Subset>& known = known_[p];
    for (const Subset& box : boxes) {
      steps += known.size() + 1;
      if (std::ranges::any_of(known, [&](const Subset& k) { return check_.contains(k, box); }))
        continue;
      known.push_back(box);
      const std::size_t rank = check_.p_.flow.rank(p);
      open_[{ahead_ ? rank : ~rank, p}].push_back(box);
    }
  }
  bool empty() const { return open_.empty(); }
  std::pair<Point, std::vector<Subset>> next() {
    const auto first = open_.extract(open_.begin());
    return {first.key().second, std::move(first.mapped())};
  }

 private:
  const SharingCheck& check_;
  bool ahead_;
  std::map<std::pair<std::size_t, Point>, std::vector<Subset>> open_;
  std::unordered_map<Point, std::vector<Subset>> known_;
};

/// Uses of `to` begin and end at its access nodes and their neighbours. (Asking for them here would
/// collect those through views anew, while somebody compares them.)
std::optional<Reachability> SharingCheck::find_reach(Point p) {
  std::vector<NodeId> nodes;
  if (const auto here = from_.find(p); here != from_.end())
    for (const Use& use : here->second) nodes.insert(nodes.end(), {use.begin, use.end});
  const State& state = *p_.flow.state(p);
  if (const auto there = nodes_of_to_.find(p); there != nodes_of_to_.end())
    for (NodeId n : there->second) {
      nodes.push_back(n);
      for (EdgeId e : state.in(n)) nodes.push_back(state.source(e));
      for (EdgeId e : state.out(n)) nodes.push_back(state.target(e));
    }
  if (nodes.size() < 2 * many_uses || nodes.size() * nodes.size() < many_pairs * state.node_count())
    return std::nullopt;
  return Reachability(state, order(p), nodes);
}

// ---- Rule 1: no foreign write into elements that are still read as `from`.

Refusal SharingCheck::check_read(Point p, const Placed& read) {
  auto& there = p_.uses(to(), p);
  if (there.why) return there.why;
  if (there.writes.size() > most_uses) return "'" + to() + "' is written too often in one state";
  std::vector<Subset> boxes{*read.box};
  for (const Placed& def : from_[p])
    if (def.write && def.exact && !def.combines && before(p, def, read)) subtract(boxes, *def.box);
  const bool earlier = defined_before(p);
  if (!earlier) boxes.clear();  // what is left was never written
  for (Use& write : there.writes) {
    if (!overlap(write.box, read.box) || is_link(p, write.edge) || !fresh(p, write)) continue;
    if (before(p, read, write)) continue;
    const Together both = together(p, read, true, write);
    if (both == Together::Fine) continue;
    if (both == Together::Apart && !before(p, write, read) && plan(p, read.end, write.begin))
      continue;
    for (const Subset& box : boxes)
      if (overlap(write.box, box))
        return "'" + to() + "' is written in " + where(p) + " while '" + from() +
               "' holds what is read there";
    if (Refusal w = define_after(p, write, read)) return w;
  }
  return boxes.empty() ? Refusal() : search_back(p, std::move(boxes));
}

/// The write comes before everything that gives `from` the values read.
Refusal SharingCheck::define_after(Point p, const Use& write, const Use& read) {
  for (const Placed& def : from_[p]) {
    if (!def.write || !overlap(def.box, write.box) || before(p, read, def)) continue;
    if (before(p, write, def)) continue;
    if (!before(p, def, write) && plan(p, write.end, def.begin)) continue;
    const auto text = write.box ? "[" + to_text(*write.box) + "]" : std::string();
    return "'" + to() + "'" + text + " is written in " + where(p) + " while '" + from() +
           "' is still read";
  }
  return {};
}

/// Can `from` have been written before this point is reached (again)?
bool SharingCheck::defined_before(Point p) const {
  return std::ranges::any_of(defining_, [&](Point d) {
    return d == p ? p_.flow.repeats(p) : p_.flow.rank(d) <= p_.flow.rank(p);
  });
}

SharingCheck::Point SharingCheck::straight_on(Point p, bool ahead, Ranks ranks,
                                              std::size_t& steps) const {
  const auto behind = [&](Point q, bool way) {
    return way ? p_.flow.next(q) : p_.flow.previous(q);
  };
  for (; steps <= most_steps; ++steps) {
    const std::size_t rank = p_.flow.rank(p);
    const auto next = behind(p, ahead);
    if (rank < ranks.first || rank > ranks.last || next.size() != 1 ||
        behind(next[0], !ahead).size() != 1 || !uses_neither(p))
      break;
    p = next[0];
  }
  return p;
}

Refusal SharingCheck::search_back(Point start, std::vector<Subset> boxes) {
  if (std::ranges::any_of(boxes, [&](const Subset& box) { return varies(box); }))
    return "what '" + from() + "' holds in " + where(start) +
           " is of an earlier state, and where it lies"
           " in '" +
           to() + "' changes";
  Walk walk(*this, false);
  const auto go_on = [&](Point p, const std::vector<Subset>& left) {
    for (Point q : p_.flow.previous(p))
      walk.add(straight_on(q, false, {.first = first_definition_}, walk.steps), left);
  };
  go_on(start, boxes);
  while (!walk.empty()) {
    auto [q, left] = walk.next();
    if (p_.flow.rank(q) < first_definition_) continue;
    if (walk.steps > most_steps) return "too many states between the uses of '" + from() + "'";
    if (uses_neither(q)) {
      go_on(q, left);
      continue;
    }
    const auto here = from_.find(q);
    auto& there = p_.uses(to(), q);
    if (there.why) return there.why;
    for (Use& write : there.writes) {
      if (is_link(q, write.edge) || !fresh(q, write)) continue;
      for (const Subset& box : left) {
        if (!overlap(abroad(write.box), box)) continue;
        const bool redefined =
            here != from_.end() && std::ranges::any_of(here->second, [&](const Placed& def) {
              return def.write && def.exact && before(q, write, def) &&
                     (contains(abroad(def.box), box) || contains(def.box, write.box));
            });
        if (!redefined)
          return "'" + to() + "' is written in " + where(q) + " while '" + from() +
                 "' is still read";
      }
    }
    if (here != from_.end())
      for (const Placed& def : here->second)
        if (def.write && def.exact && !def.combines && abroad(def.box)) subtract(left, *def.box);
    go_on(q, left);
  }
  return {};
}

// ---- Rule 2: nobody reads in `to` what a write to `from` now puts there too early.

Refusal SharingCheck::check_write(Point p, const Placed& write) {
  if (p_.accesses.is_named(to())) return "'" + to() + "' is read by name";
  auto& there = p_.uses(to(), p);
  if (there.why) return there.why;
  if (there.reads.size() + there.writes.size() > most_uses)
    return "'" + to() + "' is used too often in one state";
  std::vector<Subset> boxes = early(p, write, nullptr, there.writes);
  for (Use& read : there.reads)
    if (overlap(read.box, write.box) && fresh(p, read))
      if (Refusal why = check_write_and_read(p, write, read, there.writes)) return why;
  for (Use& other : there.writes) {
    if (!overlap(other.box, write.box) || is_link(p, other.edge) || !fresh(p, other)) continue;
    if (other.combines)
      if (Refusal why = check_write_and_read(p, write, other, there.writes)) return why;
    if (before(p, other, write) || before(p, write, other)) continue;
    const bool ordered = std::ranges::any_of(sharing_.order, [&](const Sharing::Ordering& o) {
      return o.point == p && o.from == other.end && o.to == write.begin;
    });
    if (!ordered)
      return "'" + from() + "' and '" + to() + "' are written in " + where(p) + " in any order";
  }
  return boxes.empty() ? Refusal() : search_ahead(p, std::move(boxes));
}

/// Is what `write` gave `from` copied by the link before `read` looks at `to` (none: ever)?
bool SharingCheck::is_copied(Point p, const Use& write, const Placed& link, const Use* read) {
  if (!link.link || link.write || !before(p, write, link)) return false;
  return !read || (link.edge != read->edge &&
                   reaches(p, p_.flow.state(p)->target(link.edge), read->begin));
}

/// The elements of `to` that hold what `write` gave `from` when they should not: it has neither
/// been copied nor overwritten by the time that `read` looks (none: by the end of the state).
/// `writes`: of `to`.
std::vector<Subset> SharingCheck::early(Point p, const Use& write, const Use* read,
                                        std::vector<Use>& writes) {
  std::vector<Subset> boxes{*write.box};
  for (const Placed& link : from_[p])
    if (is_copied(p, write, link, read)) subtract(boxes, *link.box);
  for (Use& other : writes) {
    if (boxes.empty()) break;
    if (other.exact && !other.combines && other.box && !is_link(p, other.edge) && fresh(p, other) &&
        before(p, write, other) && (!read || before(p, other, *read)))
      subtract(boxes, *other.box);
  }
  return boxes;
}

Refusal SharingCheck::check_write_and_read(Point p, const Use& write, const Use& read,
                                           std::vector<Use>& writes) {
  if (before(p, read, write)) return {};
  const Together both = together(p, read, false, write);
  if (both == Together::Fine) return {};
  for (const Placed& link : from_[p])
    if (is_copied(p, write, link, &read) && contains_both(link.box, write.box, read.box))
      return {};
  if (write.box && std::ranges::none_of(early(p, write, &read, writes), [&](const Subset& box) {
        return overlap(box, read.box);
      }))
    return {};
  if (both == Together::Apart && !before(p, write, read) && plan(p, read.end, write.begin))
    return {};
  const std::string box = read.box ? "[" + to_text(*read.box) + "]" : "";
  if (both == Together::Wrong)
    return "the node that writes '" + from() + "' reads '" + to() + "'" + box +
           ", not certainly the same elements";
  return "'" + to() + "'" + box + " is read in " + where(p) + " after '" + from() +
         "' is written and before that is copied";
}

std::size_t SharingCheck::last_touch() const {
  if (p_.aliases.contains(to())) return ~std::size_t(0);
  std::size_t last = 0;
  for (const auto& [p, nodes] : nodes_of_to_) last = std::max(last, p_.flow.rank(p));
  return last;
}

Refusal SharingCheck::search_ahead(Point start, std::vector<Subset> boxes) {
  const std::string clash = "part of '" + from() + "' is written and not copied to '" + to() + "'";
  if (std::ranges::any_of(boxes, [&](const Subset& box) { return varies(box); }))
    return clash + " in the same state";
  const Data& target = *p_.sdfg.arrays.get(to());
  const bool callers = !target.transient || outlives_run(target);
  const std::size_t last = last_touch();
  Walk walk(*this, true);
  const auto go_on = [&](Point p, const std::vector<Subset>& left) {
    for (Point q : p_.flow.next(p))
      walk.add(straight_on(q, true, {.last = last}, walk.steps), left);
  };
  go_on(start, boxes);
  while (!walk.empty()) {
    auto [q, left] = walk.next();
    if (walk.steps > most_steps) return "too many states behind '" + from() + "'";
    if (q == p_.flow.exit() || p_.flow.rank(q) > last) {
      if (callers && p_.flow.ends(q))
        return clash + " on every path, where the caller would see it";
      continue;
    }
    if (!uses_neither(q))
      if (Refusal why = pass(q, left)) return why;
    go_on(q, left);
  }
  return {};
}

/// What happens in one state to elements of `to` that hold a value of `from` too early.
Refusal SharingCheck::pass(Point p, std::vector<Subset>& boxes) {
  auto& there = p_.uses(to(), p);
  if (there.why) return there.why;
  std::vector<Use*> reads;
  for (Use& use : there.reads)
    if (fresh(p, use)) reads.push_back(&use);
  std::vector<Use*> writes;
  for (Use& use : there.writes) {
    if (!fresh(p, use)) continue;
    writes.push_back(&use);
    if (use.combines) reads.push_back(&use);
  }
  for (const Use* read : reads) {
    for (const Subset& box : boxes) {
      if (!overlap(abroad(read->box), box)) continue;
      const bool renewed = std::ranges::any_of(writes, [&](const Use* w) {
        return w->exact && !w->combines && before(p, *w, *read) &&
               (contains(abroad(w->box), box) || contains(w->box, read->box));
      });
      if (!renewed)
        return "'" + to() + "' is read in " + where(p) + ", where '" + from() +
               "' may have been written and not copied";
    }
  }
  for (const Use* w : writes)
    if (w->exact && !w->combines && abroad(w->box)) subtract(boxes, *w->box);
  if (const auto here = from_.find(p); here != from_.end())
    for (const Placed& w : here->second)
      if (w.write && w.exact && !w.combines && !w.link && abroad(w.box)) subtract(boxes, *w.box);
  return {};
}

}  // namespace sdfg
