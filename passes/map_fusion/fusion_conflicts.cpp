#include "passes/map_fusion/fusion_conflicts.h"

#include <algorithm>

#include "passes/common/copy.h"
#include "passes/common/scope.h"
#include "passes/split/container_uses.h"

namespace sdfg {
namespace {

/// Pairs of accesses that are compared before the question is given up.
constexpr std::size_t most_pairs = 4096;

class Conflicts {
 public:
  Conflicts(const FusionSite& site, const FusionMap& first, const FusionMap& second,
            const FusionRules& rules, FusionPlan& plan)
      : site_(site),
        state_(site.state),
        first_(first),
        second_(second),
        rules_(rules),
        plan_(plan) {}

  Refusal run() {
    Refusal why;
    const auto compare = [&](bool a_writes, bool b_writes) {
      for_each_shared(a_writes ? first_.writes : first_.reads,
                      b_writes ? second_.writes : second_.reads,
                      [&](const std::string& name, const auto& a, const auto& b) {
                        if (!why) why = check_container(name, a_writes, a, b_writes, b);
                      });
    };
    compare(false, true);
    compare(true, false);
    compare(true, true);
    return why ? why : check_aliases();
  }

 private:
  /// Under another name, a container may be what the other map writes.
  Refusal check_aliases() const {
    for (const auto& [name, same] : site_.aliases)
      for (const auto& [other, again] : site_.aliases) {
        if (name == other || same != again) continue;
        const bool a_writes = first_.writes.contains(name),
                   b_writes = second_.writes.contains(other);
        const bool a_uses = a_writes || first_.reads.contains(name);
        const bool b_uses = b_writes || second_.reads.contains(other);
        if (a_uses && b_uses && (a_writes || b_writes))
          return "'" + name + "' and '" + other +
                 "' may be the same memory, which one of the maps writes";
      }
    return {};
  }

  bool is_between(NodeId node) const {
    return std::ranges::any_of(plan_.intermediates,
                               [&](const Intermediate& i) { return i.node == node; });
  }

  Refusal check_container(const std::string& name, bool a_writes, const PortNames& a, bool b_writes,
                          const PortNames& b) {
    std::size_t pairs = 0;
    Refusal why;
    for (const std::string& y : b.all()) {
      const Port& q = (b_writes ? second_.out : second_.in).at(y);
      a.for_each_near(q, [&](const std::string& x) {
        const Port& p = (a_writes ? first_.out : first_.in).at(x);
        const bool flow = a_writes && !b_writes && p.node == q.node && is_between(p.node);
        if (why || flow) return;
        if (++pairs > most_pairs)
          why = "there are too many accesses of '" + name + "' to compare";
        else if (!never_meet(p, a_writes, q, b_writes))
          why = check_ports(name, p, a_writes, q, b_writes);
      });
    }
    return why;
  }

  Refusal check_ports(const std::string& name, const Port& p, bool a_writes, const Port& q,
                      bool b_writes) {
    for (EdgeId e : p.inner)
      for (EdgeId f : q.inner)
        if (Refusal why = check_pair(name, p, e, a_writes, q, f, b_writes)) return why;
    return {};
  }

  bool never_meet(const Port& p, bool a_writes, const Port& q, bool b_writes) const {
    if (!p.direct || !q.direct) return false;
    const auto whole = [&](const Port& port, bool writes) {
      const Memlet& m = state_[port.outer].memlet;
      if (m.data != port.container) return std::optional<Subset>();
      return m.src_subset && m.dst_subset ? (writes ? m.dst_subset : m.src_subset) : m.subset();
    };
    const auto x = whole(p, a_writes), y = whole(q, b_writes);
    return x && y && !(*x == *y) && intersects(*x, *y, site_.assumptions) == Truth::No;
  }

  Refusal check_pair(const std::string& name, const Port& p, EdgeId e, bool a_writes, const Port& q,
                     EdgeId f, bool b_writes) {
    const std::string what = "the first map " + std::string(a_writes ? "writes" : "reads") +
                             " and the second " + (b_writes ? "writes" : "reads") + " ";
    const bool trusted = rules_.assume_pointwise && !(a_writes && b_writes) &&
                         !site_.sdfg.find_data(name)->transient;
    auto x = inner_subset(site_, e, p, !a_writes), y = inner_subset(site_, f, q, !b_writes);
    if (x && y) {
      x = substitute(*x, plan_.match.first), y = substitute(*y, plan_.match.second);
      const bool apart =
          independent(*x, *y, plan_.match.params, plan_.match.ranges, site_.assumptions);
      const bool told = shifted(*x, *y, plan_.match.params, plan_.match.ranges);
      if (!apart && (!trusted || told) && !images_apart(*x, *y))
        return what + text(name, *x) + " and " + text(name, *y) +
               ": another iteration may touch the same element";
      if (intersects(*x, *y, site_.assumptions) == Truth::No) return {};
    } else if (!trusted) {
      return what + "'" + name + "', and which parts cannot be told";
    }
    // They meet within the iteration.
    if (a_writes && b_writes) {
      const bool goes = std::ranges::any_of(plan_.intermediates, [&](const Intermediate& i) {
        return i.node == p.node && i.fate == Intermediate::Fate::Overwritten;
      });
      return goes ? Refusal() : Refusal("both maps write '" + name + "'");
    }
    // Reads of the first before writes of the second: said by the edge between the maps.
    const bool ordered = rules_.vertical || !plan_.order_only.empty();
    if (!ordered || a_writes) return what + "'" + name + "' in the same iteration";
    // Edges at library nodes are operands to DaCe, empty ones too.
    for (const NodeId n : {state_.target(e), state_.source(f)})
      if (state_[n].is<LibraryNode>())
        return what + "'" + name + "' in the same iteration, and library node '" +
               std::string(state_[n].label()) + "' cannot wait or be waited for";
    plan_.keep_order.emplace_back(e, f);
    return {};
  }

  /// Over all iterations, do the two touch different elements?
  bool images_apart(const Subset& x, const Subset& y) const {
    const auto box = [&](const Subset& s) -> std::optional<Subset> {
      Subset out;
      for (auto& r : image(s, plan_.match.params, plan_.match.ranges, site_.assumptions)) {
        if (!r) return std::nullopt;
        out.ranges.push_back(std::move(*r));
      }
      return out;
    };
    const auto a = box(x), b = box(y);
    return a && b && intersects(*a, *b, site_.assumptions) == Truth::No;
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap &first_, &second_;
  const FusionRules& rules_;
  FusionPlan& plan_;
};

class Names {
 public:
  Names(const FusionSite& site, const FusionMap& first, const FusionMap& second,
        const IterationMatch& match)
      : site_(site), state_(site.state), first_(first), second_(second), match_(match) {}

  Refusal run() const {
    // A container inside one scope must not be known to the other.
    const bool first_is_smaller = first_.size <= second_.size;
    const FusionMap &few = first_is_smaller ? first_ : second_,
                    &many = first_is_smaller ? second_ : first_;
    for (const std::string& name : few.inside)
      if (many.inside.contains(name) || many.reads.contains(name) || many.writes.contains(name))
        return "both maps use '" + name + "' inside";
    for (const auto* index : {&few.reads, &few.writes})
      for (const auto& [name, ports] : *index)
        if (many.inside.contains(name)) return "both maps use '" + name + "', one of them inside";
    if (Refusal why = check_dynamic_inputs()) return why;
    if (Refusal why = check_renaming(first_, match_.first)) return why;
    return check_renaming(second_, match_.second);
  }

 private:
  const MapEntry& entry(const FusionMap& map) const { return state_.get<MapEntry>(map.entry); }

  Refusal check_dynamic_inputs() const {
    for (const auto& [name, edge] : second_.dynamic) {
      const auto same = first_.dynamic.find(name);
      if (same != first_.dynamic.end()) {
        const Memlet &a = state_[same->second].memlet, &b = state_[edge].memlet;
        if (state_.source(same->second) == state_.source(edge) && a.data == b.data &&
            a.src_subset == b.src_subset)
          continue;
        return "range input '" + name + "' means something else in the other map";
      }
      if (comes_from_first(edge)) return "range input '" + name + "' comes from the first map";
      if (uses_name(first_, name)) return "the first map knows another '" + name + "'";
    }
    for (const auto& [name, edge] : first_.dynamic)
      if (!second_.dynamic.contains(name) && uses_name(second_, name))
        return "the second map knows another '" + name + "'";
    return {};
  }

  bool comes_from_first(EdgeId edge) const {
    return std::ranges::any_of(state_.in(state_.source(edge)),
                               [&](EdgeId e) { return state_.source(e) == first_.exit; });
  }

  bool uses_name(const FusionMap& map, const std::string& name) const {
    return sdfg::uses_name(state_, *find_scope(state_, map.entry), name);
  }

  /// The map gets new values for its parameters, and parameters that it may know as something else.
  Refusal check_renaming(const FusionMap& map, const Substitution& values) const {
    if (values.empty() && match_.params.size() == entry(map).params.size()) return {};
    const Scope scope = *find_scope(state_, map.entry);
    if (Refusal why = check_parameters(site_.sdfg, state_, scope, match_.params)) return why;
    if (values.empty()) return {};
    return check_substitution(site_.sdfg, state_, scope, values);
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap &first_, &second_;
  const IterationMatch& match_;
};

}  // namespace

std::string text(const std::string& container, const Subset& subset) {
  return container + "[" + to_text(subset) + "]";
}

/// What an edge at the inner side of a map's border moves, in elements of the container outside.
std::optional<Subset> inner_subset(const FusionSite& site, EdgeId edge, const Port& port,
                                   bool input) {
  if (!port.direct) return std::nullopt;
  const Memlet& memlet = site.state[edge].memlet;
  if (memlet.src_subset && memlet.dst_subset) return input ? memlet.src_subset : memlet.dst_subset;
  if (memlet.data == port.container) return memlet.subset();
  if (const auto sides = copy_sides(site.sdfg, site.state, edge))
    return input ? sides->src : sides->dst;
  return std::nullopt;
}

Refusal check_conflicts(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                        const FusionRules& rules, FusionPlan& plan) {
  return Conflicts(site, first, second, rules, plan).run();
}

const std::string* hidden_symbol(const Sdfg& sdfg, const MapEntry& map, const MapEntry& around) {
  for (const std::string& param : around.params)
    if (std::ranges::find(map.params, param) == map.params.end() && sdfg.symbols.contains(param))
      return &param;
  return nullptr;
}

Refusal check_later_inputs(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                           const std::string& later, const NameSet* ports) {
  const State& state = site.state;
  for (const auto& [name, port] : first.in) {
    if (ports && !ports->contains(name)) continue;
    if (site.aliases.contains(port.container))
      return "'" + port.container +
             "', which the first map reads, may be known under another name, too";
    if (second.writes.contains(port.container))
      return "the second map writes '" + port.container + "', which the first one reads";
    if (!state[port.node].is<AccessNode>() || !port.direct)
      return "the first map lies in a scope or reads a view";
    for (const AccessSite& other : site.accesses.sites(port.container))
      if (other.state == &state && !state.in(other.node).empty() &&
          !site.order.reaches(other.node, first.entry))
        return "'" + port.container + "', which the first map reads, may be written before " +
               later;
  }
  return {};
}

bool apart_from(const FusionSite& site, const std::optional<Subset>& touched,
                const std::string& container, const FusionMap& map, bool writes) {
  const auto& uses = writes ? map.writes : map.reads;
  const auto names = uses.find(container);
  if (names == uses.end()) return true;
  return touched && std::ranges::all_of(names->second.all(), [&](const auto& name) {
    const Port& port = (writes ? map.out : map.in).at(name);
    if (!port.direct) return false;
    const auto used =
        footprint(site.sdfg, site.state, port.outer, writes, container, site.assumptions);
    return used && intersects(*touched, *used, site.assumptions) == Truth::No;
  });
}

Refusal check_names(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                    const IterationMatch& match) {
  return Names(site, first, second, match).run();
}

}  // namespace sdfg
