#include "passes/map_fusion/fusion_plan.h"

#include <algorithm>
#include <set>

#include "passes/common/certain_writes.h"
#include "passes/common/outputs_read.h"
#include "passes/common/reroute.h"
#include "passes/common/same_layout.h"
#include "passes/common/scope.h"
#include "passes/common/state_counts.h"
#include "passes/map_fusion/follow_others.h"
#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/map_fusion/waits_through.h"
#include "passes/map_fusion/write_back.h"
#include "passes/split/container_uses.h"

namespace sdfg {
namespace {

class Planner {
 public:
  Planner(const FusionSite& site, const FusionMap& first, const FusionMap& second,
          const FusionRules& rules, FusionPlan& plan)
      : site_(site),
        state_(site.state),
        first_(first),
        second_(second),
        rules_(rules),
        plan_(plan) {}

  Refusal run() {
    if (Refusal why = check_maps()) return why;
    if (rules_.vertical) find_intermediates();
    if (rules_.require_all_intermediates && exchanged_ports() != first_.out.size())
      return "the first map writes what the second one does not read, too";
    decide_fates();
    if (Refusal why = match()) return why;
    if (Refusal why = check_path()) return why;
    inside_ = site_.assumptions;
    for (std::size_t k = 0; k < plan_.match.params.size(); ++k)
      inside_.assume(plan_.match.params[k], plan_.match.ranges[k].begin, plan_.match.ranges[k].end);
    for (Intermediate& between : plan_.intermediates)
      if (Refusal why = check_intermediate(between)) return why;
    if (Refusal why = check_conflicts(site_, inside_, first_, second_, rules_, plan_)) return why;
    for (const Intermediate& between : plan_.intermediates)
      if (Refusal why = waits_through(site_, first_, second_, between.node, plan_.waits))
        return why;
    if (Refusal why = follow_others(site_, first_, second_, plan_)) return why;
    return check_names(site_, first_, second_, plan_.match);
  }

 private:
  const MapEntry& entry(const FusionMap& map) const { return state_.get<MapEntry>(map.entry); }

  Refusal check_maps() const {
    for (const FusionMap* map : {&first_, &second_})
      if (!map->unfit.empty()) return "map '" + entry(*map).label + "': " + map->unfit;
    const MapEntry &a = entry(first_), &b = entry(second_);
    if (a.schedule != b.schedule)
      return "the schedules " + std::string(to_text(a.schedule)) + " and " +
             std::string(to_text(b.schedule)) + " differ";
    if (a.instrument != Instrumentation::None || b.instrument != Instrumentation::None)
      return "a map is instrumented";
    if (a.gpu_block_size != b.gpu_block_size) return "the GPU block sizes differ";
    if (first_.side_effects && second_.side_effects) return "both maps have side effects";
    return {};
  }

  void find_intermediates() {
    for_each_shared(first_.writes, second_.reads,
                    [&](const std::string& name, const auto& w, const auto& r) {
                      std::map<NodeId, Intermediate> found;
                      for (const std::string& out : w.all()) {
                        const Port& port = first_.out.at(out);
                        if (state_[port.node].is<AccessNode>())
                          found[port.node].out_ports.push_back(out);
                      }
                      for (const std::string& in : r.all())
                        if (const auto at = found.find(second_.in.at(in).node); at != found.end())
                          at->second.in_ports.push_back(in);
                      for (auto& [node, between] : found) {
                        if (between.in_ports.empty()) continue;
                        between.node = node, between.container = name;
                        plan_.intermediates.push_back(std::move(between));
                      }
                    });
  }

  // ---- What becomes of the nodes between the maps.

  void decide_fates() {
    for (Intermediate& between : plan_.intermediates) {
      const bool only_first = comes_after_only(state_, between.node, first_);
      const bool only_second = std::ranges::all_of(state_.out(between.node), [&](EdgeId e) {
        return state_.target(e) == second_.entry || state_[e].memlet.empty();
      });
      if (rules_.assume_always_shared) continue;
      between.has_others = !only_first || !only_second;
      if (!between.has_others && is_local(between)) between.fate = Intermediate::Fate::Gone;
    }
  }
  /// Does nobody know the container but those at the node?
  bool is_local(const Intermediate& between) const {
    return site_.sdfg.find_data(between.container)->transient &&
           site_.accesses.is_single_use(between.container);
  }
  /// When all else has been checked: comparing parts takes time.
  Intermediate::Fate fate_beside_others(const Intermediate& between) const {
    const bool local = is_local(between);
    if (rules_.assume_always_shared ||
        (!local && !second_.writes.contains(between.container)) ||
        (between.has_others &&
         !(others_touch_other_parts(between) && others_may_come_first(between))))
      return Intermediate::Fate::Stays;
    if (local) return Intermediate::Fate::Unread;
    return is_overwritten(between) ? Intermediate::Fate::Overwritten : Intermediate::Fate::Stays;
  }
  /// The node comes before the fused map. Does everybody who came after the first map only by
  /// coming after the node leave alone what that map reads, and what it writes elsewhere?
  bool others_may_come_first(const Intermediate& between) const {
    const auto moves = [&](NodeId node) {
      return comes_only_after(site_, first_, second_, plan_, between.node, node);
    };
    const auto may = [&](const std::string& container, bool written) {
      for (const AccessSite& site : site_.accesses.sites(container)) {
        if (site.state != &state_) continue;
        for (EdgeId e : state_.in(site.node))
          if (moves(state_.source(e)) && !apart(e, true, container)) return false;
        for (EdgeId e : state_.out(site.node))
          if (written && moves(state_.target(e)) && !apart(e, false, container)) return false;
      }
      return true;
    };
    const auto all_may = [&](const auto& touched, bool written) {
      return std::ranges::all_of(touched, [&](const auto& container) {
        return container.first == between.container || may(container.first, written);
      });
    };
    return all_may(first_.reads, false) && all_may(first_.writes, true);
  }
  /// Does an edge certainly touch other elements of a container than the first map?
  bool apart(EdgeId edge, bool write, const std::string& container) const {
    if (state_[edge].memlet.empty()) return true;
    const auto touched =
        footprint(site_.sdfg, state_, edge, write, container, site_.assumptions);
    return apart_from(site_, touched, container, first_, true) &&
           (!write || apart_from(site_, touched, container, first_, false));
  }
  /// Do all others at the node leave alone what the first map writes there?
  bool others_touch_other_parts(const Intermediate& between) const {
    const auto part = [&](EdgeId e, bool written) -> const std::optional<Subset>& {
      return subset_at(state_[e].memlet, between.container, written);
    };
    const auto apart = [&](EdgeId e, bool writes) {
      return std::ranges::all_of(between.out_ports, [&](const std::string& out) {
        const auto& mine = part(first_.out.at(out).outer, true);
        const auto& other = part(e, writes);
        return mine && other && intersects(*mine, *other, site_.assumptions) == Truth::No;
      });
    };
    // Whoever only waits for the node may do so still, unless it waits for the first map alone.
    const auto waits_for_second = [&](NodeId node) {
      return node == second_.entry || std::ranges::any_of(state_.in(node), [&](EdgeId e) {
               return state_.source(e) == second_.exit;
             });
    };
    return std::ranges::all_of(state_.in(between.node),
                               [&](EdgeId e) {
                                 return state_.source(e) == first_.exit ||
                                        state_[e].memlet.empty() || apart(e, true);
                               }) &&
           std::ranges::all_of(state_.out(between.node), [&](EdgeId e) {
             return state_[e].memlet.empty() ? waits_for_second(state_.target(e))
                                             : state_.target(e) == second_.entry || apart(e, false);
           });
  }

  std::size_t exchanged_ports() const {
    std::size_t ports = 0;
    for (const Intermediate& between : plan_.intermediates) ports += between.out_ports.size();
    return ports;
  }

  /// Does nothing of the first map remain outside of the fused one?
  bool is_absorbed() const {
    return exchanged_ports() == first_.out.size() && !first_.side_effects &&
           std::ranges::all_of(plan_.intermediates, [](const Intermediate& i) {
             return i.fate == Intermediate::Fate::Gone;
           });
  }

  Refusal match() {
    std::vector<ParameterPair> wanted;
    for (const Intermediate& between : plan_.intermediates)
      for (const std::string& out : between.out_ports)
        for (EdgeId w : first_.out.at(out).inner)
          for (const std::string& in : between.in_ports)
            for (EdgeId r : second_.in.at(in).inner) {
              const auto written = inner_subset(site_, w, first_.out.at(out), false);
              const auto read = inner_subset(site_, r, second_.in.at(in), true);
              if (written && read)
                collect_pairs(*written, entry(first_).params, *read, entry(second_).params, wanted);
            }
    const bool absorbed = is_absorbed();
    const MatchOptions options{.shrink = rules_.shrink && absorbed,
                               .promote = rules_.promote && absorbed};
    if (Refusal why = match_iterations(entry(first_), entry(second_), wanted, options,
                                       site_.assumptions, plan_.match))
      return why;
    return plan_.match.shrinks || plan_.match.promotes ? check_repeatable() : Refusal();
  }
  /// A map that runs less or more often may write nothing inside that is known elsewhere.
  Refusal check_repeatable() const {
    const Scope scope = *find_scope(state_, first_.entry);
    for (NodeId n : scope.nodes) {
      const auto* access = state_[n].as<AccessNode>();
      if (!access || std::ranges::none_of(state_.in(n), [&](EdgeId e) {
            return !state_[e].memlet.empty();
          }))
        continue;
      const Data* data = site_.sdfg.find_data(access->data);
      if (data && data->is_view()) continue;  // of what lies inside or leaves through the exit
      const auto inside = [&](const AccessSite& site) {
        return site.state == &state_ && site_.order.element_in(first_.entry, site.node);
      };
      if (!data || !data->transient || data->is_reference() ||
          site_.accesses.is_named(access->data) ||
          !std::ranges::all_of(site_.accesses.sites(access->data), inside))
        return "'" + access->data + "', which the first map writes inside, is known elsewhere, too";
    }
    return {};
  }

  // ---- Paths around the nodes between.

  /// An empty memlet that keeps the maps themselves in order: the conflicts are looked at one by
  /// one.
  bool orders_only(EdgeId edge) const {
    if (!state_[edge].memlet.empty()) return false;
    const NodeId from = state_.source(edge);
    if (from == first_.exit || plan_.is_between(from)) return true;
    return state_[from].is<AccessNode>() && !state_.in(from).empty() &&
           comes_after_only(state_, from, first_);
  }

  Refusal check_path() {
    std::set<EdgeId> ordering;
    for (EdgeId e : second_.waits)
      if (state_.contains(e) && orders_only(e)) ordering.insert(e);
    plan_.order_only.assign(ordering.begin(), ordering.end());
    const auto around = [&](EdgeId e) {
      return state_.target(e) != second_.entry ||
             !(ordering.contains(e) || plan_.is_between(state_.source(e)));
    };
    bool found = site_.order.reaches(first_.exit, second_.entry, around);
    for (const Intermediate& between : plan_.intermediates)
      found |= is_reached_besides(between.node);
    if (!found) return {};
    return rules_.vertical ? "something else lies on a path from the first map to the second"
                           : "a path leads from the first map to the second";
  }
  /// Does a node between wait for something else that comes after the first map?
  bool is_reached_besides(NodeId between) const {
    return !comes_after_only(state_, between, first_) &&
           site_.order.reaches(first_.exit, between, [&](EdgeId e) {
             return state_.target(e) != between || state_.source(e) != first_.exit;
           });
  }

  // ---- The values between.

  Refusal check_intermediate(Intermediate& between) {
    const std::string& name = between.container;
    const Data& data = *site_.sdfg.find_data(name);
    if (!std::holds_alternative<Array>(data.kind) && !data.is_scalar())
      return "'" + name + "' is a " + data.json_type();
    for (const std::string& out : between.out_ports)
      for (EdgeId w : first_.out.at(out).inner)
        if (Refusal why = check_write(between, out, w)) return why;
    for (const std::string& in : between.in_ports)
      for (EdgeId r : second_.in.at(in).inner)
        if (Refusal why = check_read(between, in, r)) return why;
    for (KeptValue& value : between.values)
      if (Refusal why = place(between, value)) return why;
    if (between.fate != Intermediate::Fate::Gone) between.fate = fate_beside_others(between);
    // Whoever comes after the second map came after the others, too.
    if (between.fate != Intermediate::Fate::Stays && between.has_others)
      plan_.waits.push_back(between.node);
    if (between.fate != Intermediate::Fate::Gone && rules_.require_exclusive_intermediates)
      return "'" + name + "' is used elsewhere, too";
    if (is_new(between, data)) return {};
    for (const std::string& out : between.out_ports)
      for (EdgeId w : first_.out.at(out).inner)
        if (const Subset subset = *inner_subset(site_, w, first_.out.at(out), false);
            !is_written(w, subset))
          return "an iteration of the first map may leave parts of " + text(name, subset) +
                 " unwritten";
    return {};
  }

  /// Is all of the subset written, or can it be?
  bool is_written(EdgeId edge, const Subset& subset) const {
    if (writes_all(site_.sdfg, state_, edge, subset, inside_)) return true;
    if (plan_.write_back.contains(edge)) return true;
    const auto input = input_to_write_back(site_.sdfg, state_, edge);
    if (input) plan_.write_back.emplace(edge, *input);
    return input.has_value();
  }
  /// Can nobody have left anything in the container where the first map does not write?
  bool is_new(const Intermediate& between, const Data& data) const {
    return may_begin_anew(data) && site_.accesses.is_single_use(between.container) &&
           std::ranges::all_of(state_.in(between.node),
                               [&](EdgeId e) { return state_.source(e) == first_.exit; });
  }

  Refusal check_write(Intermediate& between, const std::string& port, EdgeId edge) {
    const Memlet& memlet = state_[edge].memlet;
    const std::string& name = between.container;
    if (memlet.dynamic) return "the first map may or may not write '" + name + "'";
    if (combines(state_, edge)) return "the first map combines values in '" + name + "'";
    const auto subset = inner_subset(site_, edge, first_.out.at(port), false);
    if (!subset) return "which part of '" + name + "' the first map writes cannot be told";
    KeptValue value{edge, port, substitute(*subset, plan_.match.first), {}, {}, {}};
    for (const Range& r : value.written.ranges) {
      if (!(r.step == Expr(1)) || !(r.tile == Expr(1)))
        return "the first map writes " + text(name, *subset) + " with a step";
      const Expr size = r.size();
      for (const std::string& p : plan_.match.params)
        if (uses_symbol(size, p))
          return "the size of what the first map writes, " + text(name, *subset) +
                 ", depends on '" + p + "'";
    }
    between.values.push_back(std::move(value));
    return {};
  }

  /// One written index cannot be a read one that keeps moving away from it: this is asked most
  /// often, and covers() would look at it for long.
  bool may_cover(const Subset& written, const Subset& read) const {
    if (written.rank() != read.rank()) return false;
    for (std::size_t d = 0; d < written.rank(); ++d) {
      if (!written[d].is_index()) continue;
      const Expr distance = read[d].begin - written[d].begin;
      if (const auto literal = distance.as_integer(); literal && *literal != 0) return false;
      for (std::size_t k = 0; k < plan_.match.params.size(); ++k) {
        const std::string& param = plan_.match.params[k];
        // Min(i, N - 1) is i where the range says so.
        if (!plan_.match.ranges[k].is_index() && uses_symbol(distance, param) &&
            match_affine(distance, param))
          return false;
      }
    }
    return true;
  }

  Refusal check_read(Intermediate& between, const std::string& port, EdgeId edge) {
    const std::string& name = between.container;
    const auto subset = inner_subset(site_, edge, second_.in.at(port), true);
    if (!subset) return "which part of '" + name + "' the second map reads cannot be told";
    if (state_[edge].memlet.wcr) return "the second map combines values of '" + name + "'";
    const Subset read = substitute(*subset, plan_.match.second);
    std::optional<std::size_t> from;
    for (std::size_t v = 0; v < between.values.size(); ++v) {
      const Subset& written = between.values[v].written;
      if (written == read ||
          (may_cover(written, read) && certain(covers(written, read, inside_)) &&
           !leaves(written, read))) {
        if (from) return text(name, read) + " is written twice in the first map";
        from = v;
      } else if (between.values.size() > 1 &&
                 intersects(written, read, inside_) != Truth::No) {
        return "the second map reads " + text(name, read) +
               ", which several writes of the first make up";
      }
    }
    if (!from) {
      std::string written;
      for (const KeptValue& v : between.values)
        written += (written.empty() ? "" : ", ") + text(name, v.written);
      return "an iteration of the second map reads " + text(name, read) +
             ", that of the first writes " + written;
    }
    between.reads.push_back({edge, *from});
    return {};
  }

  /// Where the value is kept, and whether all who see it by address can follow: the node it comes
  /// from, a buffer without the dimensions that have one index, or at last one that has them all.
  Refusal place(const Intermediate& between, KeptValue& value) {
    if (reuse_node(between, value) && !check_users(between, value)) return {};
    value.node = {};
    new_buffer(value, false);
    if (value.shape.empty() && wants_address(between, value)) value.shape = {Expr(1)};
    if (!check_users(between, value)) return {};
    if (value.shape.empty()) value.shape = {Expr(1)};
    if (!check_users(between, value)) return {};
    new_buffer(value, true);
    return check_users(between, value);
  }

  /// Does code of the second map take the value by address, although it is one element?
  bool wants_address(const Intermediate& between, const KeptValue& value) const {
    const auto index = std::size_t(&value - between.values.data());
    return std::ranges::any_of(between.reads, [&](const KeptRead& read) {
      const Node& node = state_[state_.target(read.edge)];
      const auto type = node.in_connectors.find(state_[read.edge].dst_connector);
      return read.value == index && node.is<Tasklet>() && type != node.in_connectors.end() &&
             type->second.is_pointer();
    });
  }

  Refusal check_users(const Intermediate& between, const KeptValue& value) const {
    const auto index = std::size_t(&value - between.values.data());
    // What hangs on the edges is asked through a container that exists.
    std::string held = site_.scratch;
    if (value.node)
      held = state_.get<AccessNode>(value.node).data;
    else
      site_.sdfg.arrays.set(held, buffer(*site_.sdfg.find_data(between.container), value));
    const Reroute reroute(site_.sdfg, state_, site_.accesses,
                          {between.container, held, value.placement});
    Refusal why;
    if (!value.node) why = reroute.check(value.edge, first_.exit, false);
    for (const KeptRead& read : between.reads)
      if (!why && read.value == index) why = reroute.check(read.edge, second_.entry, false);
    return why;
  }

  static void new_buffer(KeptValue& value, bool keep_rank) {
    value.placement = {}, value.shape = {};
    for (std::size_t d = 0; d < value.written.rank(); ++d) {
      const Expr size = value.written[d].size();
      if (size == Expr(1) && !keep_rank) continue;
      value.shape.push_back(size);
      value.placement.from.push_back(d);
      value.placement.at.ranges.push_back(Range::index(-value.written[d].begin));
    }
    if (value.shape.empty()) value.placement = Placement::single();
  }

  /// The value comes from an access node that nobody else can change: then that node is the buffer.
  bool reuse_node(const Intermediate& between, KeptValue& value) const {
    const NodeId node = state_.source(value.edge);
    const auto* access = state_[node].as<AccessNode>();
    const Data* data = access ? site_.sdfg.find_data(access->data) : nullptr;
    if (!data || !data->transient || data->role() != Role::Plain) return false;
    if (!std::holds_alternative<Array>(data->kind) && !data->is_scalar()) return false;
    if (!(data->dtype == site_.sdfg.find_data(between.container)->dtype)) return false;
    if (!site_.accesses.is_single_use(access->data)) return false;
    const auto sides = copy_sides(site_.sdfg, state_, value.edge);
    if (!sides) return false;
    auto found = placement(substitute(sides->dst, plan_.match.first),
                           substitute(sides->src, plan_.match.first), inside_);
    if (!found) return false;
    value.placement = std::move(*found);
    value.node = node;
    return true;
  }

  /// Does the second map write all of it again?
  bool is_overwritten(const Intermediate& between) const {
    const auto written = second_.writes.find(between.container);
    if (written == second_.writes.end()) return false;
    return std::ranges::all_of(between.values, [&](const KeptValue& value) {
      for (const std::string& out : written->second.all())
        for (EdgeId e : second_.out.at(out).inner) {
          const auto subset = inner_subset(site_, e, second_.out.at(out), false);
          if (!subset || !is_written(e, *subset)) continue;
          if (certain(covers(substitute(*subset, plan_.match.second), value.written, inside_)))
            return true;
        }
      return false;
    });
  }

  const FusionSite& site_;
  State& state_;
  const FusionMap &first_, &second_;
  const FusionRules& rules_;
  FusionPlan& plan_;
  /// What holds inside of the fused map. (Outside, its parameters' names may be those of symbols.)
  Assumptions inside_;
};

}  // namespace

bool exchange_data(const State& state, const FusionMap& first, const FusionMap& second) {
  bool found = false;
  for_each_shared(first.writes, second.reads,
                  [&](const std::string&, const auto& w, const auto& r) {
                    for (const std::string& out : w.all())
                      for (const std::string& in : r.all())
                        found = found || (first.out.at(out).node == second.in.at(in).node &&
                                          state[first.out.at(out).node].is<AccessNode>());
                  });
  return found;
}

bool comes_only_after(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      const FusionPlan& plan, NodeId between, NodeId node) {
  if (node == second.entry || node == second.exit) return false;
  const auto beside = [&](EdgeId e) { return !plan.is_between(site.state.target(e)); };
  return site.order.reaches(between, node) && !site.order.reaches(second.exit, node) &&
         !site.order.reaches(first.exit, node, beside);
}

Refusal plan_fusion(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                    const FusionRules& rules, FusionPlan& plan) {
  return Planner(site, first, second, rules, plan).run();
}

Data buffer(const Data& container, const KeptValue& value) {
  const auto literal = [](const Expr& e) { return e.as_integer().has_value(); };
  Data data = value.shape.empty() ? Data::scalar(container.dtype, true)
                                  : Data::array(container.dtype, value.shape, true);
  if (std::ranges::all_of(value.shape, literal)) data.storage = Storage::Register;
  return data;
}

}  // namespace sdfg
