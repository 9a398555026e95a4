#include "passes/map_fusion/complete_writes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

#include "ir/analysis/order.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/accesses.h"
#include "passes/common/aliases.h"
#include "passes/common/assume.h"
#include "passes/common/order_edge.h"
#include "passes/common/scope.h"
#include "passes/common/tasklet_code.h"
#include "passes/common/walk_states.h"
#include "passes/map_fusion/iteration_match.h"

namespace sdfg {
namespace {

/// Is the name only ever assigned, as a whole?
bool is_only_assigned(const Statements& statements, const std::string& name) {
  const auto reads = [&](const Expr& e) { return uses_symbol(e, name); };
  return std::ranges::all_of(statements, [&](const Statement& statement) {
    if (const auto* assign = std::get_if<Assign>(&statement.kind))
      return !reads(assign->value) &&
             (assign->target.is_symbol(name) ? !assign->augmented && !assign->annotation
                                             : !reads(assign->target));
    if (const auto* choice = std::get_if<IfStatement>(&statement.kind))
      return !reads(choice->condition) && is_only_assigned(choice->then, name) &&
             is_only_assigned(choice->otherwise, name);
    return std::holds_alternative<PassStatement>(statement.kind);
  });
}

/// A tasklet in a map that may write an element, or not.
struct MaskedWrite {
  EdgeId inner, outer;
  NodeId tasklet, entry, after;
  std::string name;
  Subset element;
};

class Completer {
 public:
  Completer(Sdfg& sdfg, State& state, bool is_root, Accesses& accesses,
            const Aliases& aliases, const Assumptions& assumptions)
      : sdfg_(sdfg), state_(state), is_root_(is_root), accesses_(accesses), aliases_(aliases),
        assumptions_(assumptions), order_(state) {}

  Changed run(const Trail& trail, PassContext& context) {
    Changed changed = Changed::No;
    const Dataflow flow = dataflow_of(state_);
    for (NodeId n : flow.order) {
      if (const auto* access = state_[n].as<AccessNode>())
        pass(access->data, n, flow.tree.parent_of(n));
      const auto* exit = state_[n].as<MapExit>();
      if (!exit || flow.tree.parent_of(exit->entry)) continue;
      const std::vector<EdgeId> edges(state_.out(n).begin(), state_.out(n).end());
      for (EdgeId e : edges) {
        const auto write = find(e);
        if (!write) continue;
        const Trail here = trail.in(state_, write->tasklet);
        NodeId before;
        if (const Refusal why = check(*write, before)) {
          context.refused(here, why);
          continue;
        }
        if (!context.may_apply()) return changed;
        context.applied(here, "writes '" + write->name + "' always");
        apply(*write, before);
        changed = Changed::Yes;
      }
    }
    return changed;
  }

 private:
  /// What is known of a container on the way through the state.
  struct Seen {
    NodeId last;
    bool in_order = true;  ///< all nodes so far, one behind the other
  };

  void pass(const std::string& name, NodeId node, NodeId scope) {
    Seen& seen = seen_[name];
    if (scope || (seen.last && !order_.reaches(seen.last, node))) seen.in_order = false;
    seen.last = node;
  }

  std::optional<MaskedWrite> find(EdgeId outer) const {
    const Edge& edge = state_[outer];
    const NodeId exit = state_.source(outer);
    const auto* access = state_[state_.target(outer)].as<AccessNode>();
    if (!edge.memlet.dynamic || edge.memlet.wcr || !access || edge.memlet.data != access->data)
      return std::nullopt;
    std::optional<EdgeId> inner;
    for (EdgeId e : state_.in(exit))
      if (state_[e].dst_connector == matching_connector(edge.src_connector)) {
        if (inner) return std::nullopt;
        inner = e;
      }
    if (!inner || !state_[state_.source(*inner)].is<Tasklet>()) return std::nullopt;
    const Memlet& memlet = state_[*inner].memlet;
    if (!memlet.dynamic || memlet.wcr || memlet.data != access->data || !memlet.subset() ||
        memlet.other_subset() || !(num_elements(*memlet.subset()) == Expr(1)))
      return std::nullopt;
    return MaskedWrite{*inner, outer, state_.source(*inner), state_.get<MapExit>(exit).entry,
                       state_.target(outer), access->data, *memlet.subset()};
  }

  /// `before`: the node that has the value before the map; none: an argument that nobody uses yet.
  Refusal check(const MaskedWrite& write, NodeId& before) const {
    const std::string what = "'" + write.name + "'";
    if (Refusal why = check_code(write)) return why;
    const Data& data = *sdfg_.find_data(write.name);
    if (!data.as_array() || data.role() != Role::Plain || data.is_stream())
      return what + " is no plain array";
    if (!is_root_ && !data.transient) return what + " may be an output only of the nested SDFG";
    if (aliases_.contains(write.name) || accesses_.is_referenced(write.name) ||
        accesses_.is_named(write.name))
      return what + " may be used under another name, or by name";
    if (Refusal why = check_iterations(write)) return why;
    const auto seen = seen_.find(write.name);
    if (seen != seen_.end()) {
      before = seen->second.last;
      if (!seen->second.in_order || !order_.reaches(before, write.entry))
        return "which value " + what + " has before the map cannot be told";
    } else if (data.transient) {
      return "no value of " + what + " before the map is in the state";
    }
    const auto is_alike = [&](NodeId other) {
      const auto* map = state_[other].as<MapEntry>();
      return map && map->ranges == state_.get<MapEntry>(write.entry).ranges;
    };
    const auto is_written_alike = [&](EdgeId e) {
      const auto* exit = state_[state_.source(e)].as<MapExit>();
      return exit && carries_data(state_[e]) && is_alike(exit->entry);
    };
    const auto is_read_alike = [&](EdgeId e) { return is_alike(state_.target(e)); };
    if (!(before && std::ranges::any_of(state_.in(before), is_written_alike)) &&
        std::ranges::none_of(state_.out(write.after), is_read_alike))
      return "no map of the same ranges writes " + what + " before or reads it";
    if (const auto wider = wider_reader(write))
      return "map '" + *wider + "', which gets what comes of " + what + ", has more dimensions";
    return {};
  }

  /// A map with more dimensions that reads the container, or what maps make of it. At most 64 nodes
  /// are looked at.
  std::optional<std::string> wider_reader(const MaskedWrite& write) const {
    const std::size_t dimensions = state_.get<MapEntry>(write.entry).params.size();
    std::set<NodeId> seen{write.after};
    std::vector<NodeId> open{write.after};
    while (!open.empty() && seen.size() < 64) {
      const NodeId n = open.back();
      open.pop_back();
      for (EdgeId e : state_.out(n)) {
        const auto* map = state_[state_.target(e)].as<MapEntry>();
        if (!map || !carries_data(state_[e])) continue;
        if (map->params.size() > dimensions) return map->label;
        for (EdgeId f : state_.out(order_.exit_of(state_.target(e))))
          if (carries_data(state_[f]) && seen.insert(state_.target(f)).second)
            open.push_back(state_.target(f));
      }
    }
    return std::nullopt;
  }

  Refusal check_code(const MaskedWrite& write) const {
    const Node& node = state_[write.tasklet];
    const std::string who = "tasklet '" + std::string(node.label()) + "'";
    const std::string& out = state_[write.inner].src_connector;
    const Statements* statements = node.as<Tasklet>()->code.statements();
    if (!statements || !is_only_assigned(*statements, out))
      return who + " does more with its output '" + out + "' than to assign it";
    const auto uses = std::ranges::count_if(
        state_.out(write.tasklet), [&](EdgeId e) { return state_[e].src_connector == out; });
    const auto type = node.out_connectors.find(out);
    const Type& dtype = sdfg_.find_data(write.name)->dtype;
    if (uses != 1 || (type != node.out_connectors.end() && type->second.known() &&
                      !(type->second == dtype)))
      return who + " hands on its output '" + out + "' in other ways, too";
    return {};
  }

  /// No iteration touches the element of another one.
  Refusal check_iterations(const MaskedWrite& write) const {
    const auto& map = state_.get<MapEntry>(write.entry);
    const std::string who = "map '" + map.label + "'";
    Assumptions inside = assumptions_;
    assume_scope(map, inside);
    // What is written dynamically need not exist where it is not written.
    const Subset all = all_elements(*sdfg_.find_data(write.name));
    if (!certain(covers(all, write.element, inside)))
      return who + " may mean an element that '" + write.name + "' does not have";
    if (!independent(write.element, write.element, map.params, map.ranges, inside))
      return who + " may write an element of '" + write.name + "' more than once";
    for (EdgeId e : state_.out(state_.source(write.outer)))
      if (e != write.outer && state_[e].memlet.data == write.name)
        return who + " writes '" + write.name + "' in other ways, too";
    for (EdgeId e : state_.in(write.entry)) {
      const auto* access = state_[state_.source(e)].as<AccessNode>();
      if (!carries_data(state_[e]) || !access || access->data != write.name) continue;
      for (EdgeId f : state_.out(write.entry))
        if (state_[f].src_connector == matching_connector(state_[e].dst_connector) &&
            !(state_[f].memlet.data == write.name && state_[f].memlet.subset() == write.element))
          return who + " reads other elements of '" + write.name + "'";
    }
    return {};
  }

  void apply(const MaskedWrite& write, NodeId before) {
    Node& node = state_[write.tasklet];
    auto& tasklet = *node.as<Tasklet>();
    std::string old = "old";
    for (int i = 0; node.in_connectors.contains(old) || node.out_connectors.contains(old) ||
                    mentions(tasklet.code, old) || sdfg_.symbols.contains(old) ||
                    sdfg_.find_data(old);
         ++i)
      old = "old_" + std::to_string(i);
    const Expr out = Expr::symbol(state_[write.inner].src_connector);
    Statements statements{Statement{Assign{out, Expr::symbol(old), {}, {}}}};
    std::ranges::copy(*tasklet.code.statements(), std::back_inserter(statements));
    tasklet.code = Code::from(std::move(statements));
    node.in_connectors[old];
    const std::string port = add_port(state_[write.entry], write.name);
    const Subset all = *state_[write.outer].memlet.subset();
    if (!before) {
      before = state_.add(Node{AccessNode{.data = write.name}});
      order_.added(before, {});
      accesses_.add(state_, before);
    }
    order_.connected(state_.connect(before, write.entry,
                                    Edge{"", "IN_" + port, Memlet::read(write.name, all)}));
    order_.connected(state_.connect(write.entry, write.tasklet,
                                    Edge{"OUT_" + port, old,
                                         Memlet::read(write.name, write.element)}));
    for (EdgeId e : {write.inner, write.outer}) {
      Memlet& memlet = state_[e].memlet;
      memlet.dynamic = false;
      memlet.volume = num_elements(*memlet.subset());
    }
  }

  Sdfg& sdfg_;
  State& state_;
  bool is_root_;
  Accesses& accesses_;
  const Aliases& aliases_;
  const Assumptions& assumptions_;
  Order order_;
  ByName<Seen> seen_;
};

bool has_masked_write(const State& state) {
  return std::ranges::any_of(state.nodes_of<MapExit>(), [&](NodeId n) {
    return std::ranges::any_of(state.out(n), [&](EdgeId e) {
      return state[e].memlet.dynamic && !state[e].memlet.wcr;
    });
  });
}

}  // namespace

Result<Changed> CompleteWrites::run(Sdfg& root, const Options&, PassContext& context) {
  Changed changed = Changed::No;
  LazyAliases aliases(root);
  std::unordered_map<const Sdfg*, Accesses> known;  // looked up only
  walk_states(root, Trail(), [&](Sdfg& sdfg, State& state, const Trail& trail) {
    if (!has_masked_write(state)) return;
    Accesses& accesses = known.try_emplace(&sdfg, sdfg).first->second;
    const Aliases same = aliases.of(sdfg);
    const bool is_root = &sdfg == &root;
    // Symbols of nested SDFGs are others.
    const Assumptions assumptions = is_root ? context.assumptions() : Assumptions{};
    changed |= Completer(sdfg, state, is_root, accesses, same, assumptions).run(trail, context);
  });
  return changed;
}

}  // namespace sdfg
