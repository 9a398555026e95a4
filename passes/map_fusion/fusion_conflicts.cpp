#include "passes/map_fusion/fusion_conflicts.h"

#include <algorithm>
#include <iterator>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/used_names.h"
#include "passes/common/copy.h"
#include "passes/common/gathers.h"
#include "passes/common/order_edge.h"
#include "passes/common/scope.h"
#include "passes/split/container_uses.h"

namespace sdfg {
namespace {

/// Pairs of accesses that are compared before the question is given up.
constexpr std::size_t most_pairs = 4096;

class Conflicts {
 public:
  Conflicts(const FusionSite& site, const Assumptions& inside, const FusionMap& first,
            const FusionMap& second, const FusionRules& rules, FusionPlan& plan)
      : site_(site),
        inside_(inside),
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
      const bool apart = independent(*x, *y, plan_.match.params, plan_.match.ranges, inside_);
      const auto told = [&] {
        return shifted(*x, *y, plan_.match.params, plan_.match.ranges) ||
               gathers(state_, a_writes ? f : e);
      };
      if (!apart && (!trusted || told()) && !images_apart(*x, *y))
        return what + text(name, *x) + " and " + text(name, *y) +
               ": another iteration may touch the same element";
      if (intersects(*x, *y, inside_) == Truth::No) return {};
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
    for (const bool read : {true, false})
      for (const NodeId n : users(site_, read ? e : f, read)) {
        const std::string who = "'" + std::string(state_[n].label()) + "'";
        // Edges at library nodes are operands to DaCe, empty ones too.
        if (state_[n].is<LibraryNode>())
          return what + "'" + name + "' in the same iteration, and library node " + who +
                 " cannot wait or be waited for";
        if (n == (read ? first_.exit : second_.entry))
          return what + "'" + name + "' in the same iteration, through a view that is copied";
      }
    plan_.keep_order.emplace_back(e, f);
    return {};
  }

  /// Over all iterations, do the two touch different elements?
  bool images_apart(const Subset& x, const Subset& y) const {
    const auto box = [&](const Subset& s) -> std::optional<Subset> {
      Subset out;
      for (auto& r : image(s, plan_.match.params, plan_.match.ranges, inside_)) {
        if (!r) return std::nullopt;
        out.ranges.push_back(std::move(*r));
      }
      return out;
    };
    const auto a = box(x), b = box(y);
    return a && b && intersects(*a, *b, inside_) == Truth::No;
  }

  const FusionSite& site_;
  const Assumptions& inside_;
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
    if (Refusal why = check_read_by_name(first_, second_)) return why;
    if (Refusal why = check_read_by_name(second_, first_)) return why;
    if (Refusal why = check_dynamic_inputs()) return why;
    if (Refusal why = check_renaming(first_, match_.first)) return why;
    return check_renaming(second_, match_.second);
  }

 private:
  const MapEntry& entry(const FusionMap& map) const { return state_.get<MapEntry>(map.entry); }

  /// Code may read what the other map writes without an edge.
  Refusal check_read_by_name(const FusionMap& writer, const FusionMap& reader) const {
    const auto is_read = [&](const std::string& name) {
      return site_.accesses.is_named(name) && uses_name(reader, name);
    };
    for (const auto& [name, ports] : writer.writes)
      if (is_read(name)) return "one map writes '" + name + "', which the other reads by name";
    for (const std::string& name : writer.inside)
      if (is_read(name)) return "one map uses '" + name + "', which the other reads by name";
    return {};
  }

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

class HiddenNames {
 public:
  HiddenNames(const FusionSite& site, const FusionMap& first, const FusionMap& second)
      : site_(site), state_(site.state), first_(first), map_(state_.get<MapEntry>(first.entry)),
        second_(state_.get<MapEntry>(second.entry)),
        bound_(second_.params.begin(), second_.params.end()) {
    for (const auto& [name, edge] : second.dynamic) bound_.insert(name);
  }

  Refusal run() {
    for (std::size_t k = 0; k < map_.params.size(); ++k)
      for (const std::string& name : bound_)
        if ((uses_symbol(map_.ranges[k].begin, name) || uses_symbol(map_.ranges[k].end, name)) &&
            std::find(map_.params.begin(), map_.params.begin() + std::ptrdiff_t(k), name) ==
                map_.params.begin() + std::ptrdiff_t(k))
          return refusal(name);
    for (const std::string& param : map_.params) bound_.erase(param);
    if (bound_.empty()) return {};
    for (const auto& [name, port] : first_.in) look_at_container(port.container, first_.entry);
    const Scope scope = *find_scope(state_, first_.entry);
    for (EdgeId e : state_.out(first_.entry)) look_at(state_[e], first_.entry);
    for (NodeId n : scope.nodes) {
      const Node& node = state_[n];
      const NodeId around = site_.order.scope_of(n);
      if (const auto* access = node.as<AccessNode>()) look_at_container(access->data, around);
      look_at(node, around, node.is<Tasklet>() ? &node : nullptr);
      for (EdgeId e : state_.out(n)) look_at(state_[e], node.is_entry() ? n : around);
    }
    return why_;
  }

 private:
  template <class Element>
  void look_at(const Element& element, NodeId around, const Node* tasklet = nullptr) {
    if (why_) return;
    SymbolSet used;
    collect_used_names(element, bound_, used);
    for (const std::string& name : bound_)
      if (used.contains(name) && !(tasklet && is_connector(*tasklet, name)) &&
          !is_bound_inside(name, around))
        why_ = refusal(name);
  }
  void look_at_container(const std::string& name, NodeId around) {
    if (const Data* data = site_.sdfg.find_data(name)) look_at(*data, around);
  }
  static bool is_connector(const Node& node, const std::string& name) {
    return node.in_connectors.contains(name) || node.out_connectors.contains(name);
  }
  /// By a scope inside of the first map.
  bool is_bound_inside(const std::string& name, NodeId scope) const {
    for (; scope != first_.entry; scope = site_.order.scope_of(scope)) {
      if (is_connector(state_[scope], name)) return true;
      const auto* map = state_[scope].as<MapEntry>();
      const auto* consume = state_[scope].as<ConsumeEntry>();
      if (map && std::ranges::find(map->params, name) != map->params.end()) return true;
      if (consume && consume->pe_index == name) return true;
    }
    return false;
  }
  Refusal refusal(const std::string& name) const {
    return "'" + name + "' means something else outside of map '" + second_.label + "'";
  }

  const FusionSite& site_;
  const State& state_;
  const FusionMap& first_;
  const MapEntry &map_, &second_;
  SymbolSet bound_;  ///< by the second map
  Refusal why_;
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

std::vector<NodeId> users(const FusionSite& site, EdgeId edge, bool read) {
  const State& state = site.state;
  const NodeId end = read ? state.target(edge) : state.source(edge);
  const auto* access = state[end].as<AccessNode>();
  const Data* data = access ? site.sdfg.find_data(access->data) : nullptr;
  if (!data || !data->is_view() || viewed_edge(site.sdfg, state, end) != edge) return {end};
  std::vector<NodeId> found;
  for (EdgeId e : read ? state.out(end) : state.in(end))
    if (!state[e].memlet.empty())
      std::ranges::copy(users(site, e, read), std::back_inserter(found));
  return found;
}

Refusal check_conflicts(const FusionSite& site, const Assumptions& inside, const FusionMap& first,
                        const FusionMap& second, const FusionRules& rules, FusionPlan& plan) {
  return Conflicts(site, inside, first, second, rules, plan).run();
}

Refusal check_hidden_names(const FusionSite& site, const FusionMap& first,
                           const FusionMap& second) {
  return HiddenNames(site, first, second).run();
}

namespace {
/// Does all that is written at the node come from what runs when the map is done?
bool is_written_behind(const FusionSite& site, NodeId node, const FusionMap& map) {
  return std::ranges::all_of(site.state.in(node), [&](EdgeId e) {
    return !carries_data(site.state[e]) || site.order.reaches(map.exit, site.state.source(e));
  });
}
}  // namespace

Refusal check_later_inputs(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                           const std::string& later, const NameSet* ports) {
  const State& state = site.state;
  for (const auto& [name, port] : first.in) {
    if (ports && !ports->contains(name)) continue;
    if (site.references)
      return "'" + port.container +
             "', which the first map reads, may be what a reference of the SDFG leads to";
    if (site.aliases.contains(port.container))
      return "'" + port.container +
             "', which the first map reads, may be known under another name, too";
    if (second.writes.contains(port.container))
      return "the second map writes '" + port.container + "', which the first one reads";
    if (!state[port.node].is<AccessNode>() || !port.direct)
      return "the first map lies in a scope or reads a view";
    for (const AccessSite& other : site.accesses.sites(port.container))
      if (other.state == &state && !state.in(other.node).empty() &&
          !site.order.reaches(other.node, first.entry) &&
          !is_written_behind(site, other.node, second))
        return "'" + port.container + "', which the first map reads, may be written before " +
               later;
  }
  SymbolSet names;
  const Scope scope = *find_scope(state, first.entry);
  for (NodeId n : scope.nodes)
    if (state[n].is_code()) collect_used_names(state[n], {}, names);
  for (const std::string& name : names)
    if (site.sdfg.find_data(name) && site.accesses.is_named(name))
      for (const AccessSite& other : site.accesses.sites(name))
        if (other.state == &state && !state.in(other.node).empty())
          return "'" + name + "', which the first map reads by name, may be written before " +
                 later;
  return {};
}

bool apart_from(const FusionSite& site, const std::optional<Subset>& touched,
                const std::string& container, const FusionMap& map, bool writes, NodeId but) {
  const auto& uses = writes ? map.writes : map.reads;
  const auto names = uses.find(container);
  if (names == uses.end()) return true;
  return std::ranges::all_of(names->second.all(), [&](const auto& name) {
    const Port& port = (writes ? map.out : map.in).at(name);
    if (port.node == but) return true;
    if (!touched || !port.direct) return false;
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
