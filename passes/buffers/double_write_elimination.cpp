#include "passes/buffers/double_write_elimination.h"

#include <algorithm>

#include "passes/buffers/elementwise.h"
#include "passes/buffers/rewrite.h"
#include "passes/buffers/run.h"
#include "passes/common/order_edge.h"
#include "passes/common/reroute.h"
#include "passes/common/scope.h"

namespace sdfg {
namespace {

using Point = StateFlow::Point;

/// A copy of what the map writes.
struct Target {
  EdgeId copy;
  NodeId node;  ///< the access node of the target
  Placement placement;
  std::vector<std::pair<NodeId, NodeId>> order;  ///< empty edges needed
};

/// How a value comes from inside the map to an access node outside: one edge per level, the
/// innermost last.
struct Output {
  EdgeId edge;
  std::vector<EdgeId> path;
  NodeId begin;  ///< the map's entry
};

class DoubleWrites {
 public:
  DoubleWrites(BufferProgram& program, Point point, bool pointwise, const Trail& trail,
               PassContext& context)
      : p_(program), point_(point), state_(*program.flow.state(point)), pointwise_(pointwise),
        trail_(trail), context_(context) {}

  Changed run() {
    Changed changed = Changed::No;
    for (NodeId n : state_.nodes())
      if (state_[n].is<AccessNode>() && !order().scope_of(n)) changed |= at_node(n);
    return changed;
  }

 private:
  Order& order() { return p_.order(point_); }

  Changed at_node(NodeId x) {
    const auto output = output_to(x);
    if (!output) return Changed::No;
    std::vector<Target> targets;
    for (EdgeId e : state_.out(x)) {
      const auto* access = state_[state_.target(e)].as<AccessNode>();
      if (!access || state_[e].memlet.empty()) continue;
      Target target{e, state_.target(e), {}, {}};
      if (Refusal why = check(x, *output, target)) {
        context_.refused(trail_.in(state_, x),
                         "copying to '" + access->data + "': " + why.reason());
        continue;
      }
      targets.push_back(std::move(target));
    }
    if (targets.empty() || !context_.may_apply()) return Changed::No;
    std::string names;
    for (const Target& t : targets)
      names += (names.empty() ? "'" : ", '") + state_.get<AccessNode>(t.node).data + "'";
    context_.applied(
        trail_.in(state_, x),
        "the map that writes '" + state_.get<AccessNode>(x).data + "' writes " + names);
    rewrite(x, *output, targets);
    return Changed::Yes;
  }

  /// The one edge that writes the node, if it comes from a map and writes each element of its
  /// subset.
  std::optional<Output> output_to(NodeId x) {
    std::optional<EdgeId> write;
    for (EdgeId e : state_.in(x)) {
      if (state_[e].memlet.empty()) continue;
      if (write || !state_[state_.source(e)].is<MapExit>()) return std::nullopt;
      write = e;
    }
    if (!write) return std::nullopt;
    std::vector<Use> uses;
    if (collect_uses(p_.sdfg, state_, order(), x, uses)) return std::nullopt;
    for (const Use& use : uses)
      if (use.edge == *write && use.exact) {
        Output out{*write, {}, order().element(state_.source(*write))};
        for (const auto& [edge, leaf] : edges_from(state_, *write, x)) out.path.push_back(edge);
        return out;
      }
    return std::nullopt;
  }

  Refusal check(NodeId x, const Output& output, Target& target) {
    const std::string& from = state_.get<AccessNode>(x).data;
    const std::string& to = state_.get<AccessNode>(target.node).data;
    if (from == to) return "it is the same container";
    if (Refusal why = Reroute::check_containers(p_.sdfg, from, to)) return why;
    for (const std::string& name : {from, to})
      if (p_.sdfg.find_data(name)->is_view()) return "'" + name + "' is a view";
    for (const std::string& name : {from, to})
      if (p_.accesses.is_referenced(name)) return "a reference is set to '" + name + "'";
    const Memlet& memlet = state_[target.copy].memlet;
    if (memlet.wcr || memlet.dynamic) return "the copy combines or is dynamic";
    const auto sides = copy_sides(p_.sdfg, state_, target.copy);
    const auto& written = state_[output.edge].memlet.dst_subset;
    const bool copies_all =
        sides && written &&
        (sides->src == *written || certain(same_points(sides->src, *written, p_.assumptions)));
    if (!copies_all) return "what is copied is not what the map writes";
    const auto placed = placement(sides->src, sides->dst, p_.assumptions);
    if (!placed) return "the copy changes the order of elements";
    target.placement = *placed;
    const Data& data = *p_.sdfg.find_data(from);
    for (std::size_t d = 0; d < data.shape.size(); ++d)
      if (!placed->carrier(d) && !(*written)[d].is_index())
        return "a dimension of '" + from + "' has no place in '" + to + "'";
    const EdgeId leaf = output.path.back();
    const Node& source = state_[state_.source(leaf)];
    const auto* access = source.as<AccessNode>();
    const Data* inside = access ? p_.sdfg.find_data(access->data) : nullptr;
    if (access ? !inside || inside->is_view() || inside->is_stream() : !source.is<Tasklet>())
      return "'" + std::string(source.label()) + "' in the map cannot give its value to two";
    return check_order(output, target, *sides, to);
  }

  /// The target is written from when the map begins, no longer only when the copy runs.
  Refusal check_order(const Output& output, Target& target, const CopySides& sides,
                      const std::string& to) {
    p_.forget_uses(to, point_);
    BufferProgram::Uses& uses = p_.uses(to, point_);
    if (uses.why) return uses.why;
    std::vector<Use> written;
    if (Refusal why = collect_uses(p_.sdfg, state_, order(), state_.source(target.copy), written))
      return why;
    if (p_.aliases.contains(to))
      return "'" + to + "' is given under several names";
    const auto write = std::ranges::find(written, output.edge, &Use::edge);
    std::vector<Use> all = uses.reads;
    all.insert(all.end(), uses.writes.begin(), uses.writes.end());
    for (const Use& use : all) {
      if (use.edge == target.copy) continue;
      if (use.box && intersects(*use.box, sides.dst, p_.assumptions) == Truth::No) continue;
      if (order().reaches(target.node, use.begin) && (use.begin != target.node || !use.write))
        continue;
      if (order().element(use.end) != output.begin && order().reaches(use.end, output.begin))
        continue;
      if (order().element(use.end) == output.begin && !use.write) {
        const Coordinates plain = [](const Subset& s) { return s; };
        const Coordinates placed = [&](const Subset& s) { return target.placement.map(s); };
        const auto same = same_element(p_.sdfg, state_, order(), use, plain, *write, placed);
        if (same.early.empty() &&
            (same.answer == Truth::Yes || (same.answer == Truth::Unknown && pointwise_))) {
          target.order.insert(target.order.end(), same.order.begin(), same.order.end());
          continue;
        }
        return "the map reads '" + to + "', not certainly the elements that it would write";
      }
      if (order().reaches(output.begin, use.end))
        return "'" + to + "' is used after the map begins and before the copy";
      const auto end = end_to_wait_for(state_, use.end);
      if (!end)
        return "the map would have to wait for library node '" +
               std::string(state_[use.end].label()) + "', which reads or writes '" + to + "'";
      target.order.emplace_back(*end, output.begin);
    }
    // Several new edges may close a cycle that none closes alone.
    for (const auto& [a, b] : target.order)
      for (const auto& [c, d] : target.order)
        if (order().reaches(b, c)) return "'" + to + "' is used between the map and the copy";
    return {};
  }

  void rewrite(NodeId x, const Output& output, std::vector<Target>& targets) {
    const std::string name = state_.get<AccessNode>(x).data;
    for (const Target& t : targets) state_.erase(t.copy);
    const bool drop = is_dead(x, name);
    const EdgeId leaf = output.path.back();
    if (state_[state_.source(leaf)].is<Tasklet>() && (!drop || targets.size() > 1))
      distribute(name, leaf);
    for (const Target& t : targets) {
      add_output(output, t);
      for (const auto& [from, to] : t.order)
        if (!order().reaches(from, to)) order().connected(state_.connect(from, to, {}));
    }
    if (drop) remove_output(x, output, targets.front().node, name);
  }

  bool is_dead(NodeId x, const std::string& name) {
    const auto& nodes = p_.nodes(name);
    const bool read = std::ranges::any_of(
        state_.out(x), [&](EdgeId e) { return !state_[e].memlet.empty(); });
    return !read && p_.sdfg.find_data(name)->transient && !p_.accesses.is_named(name) &&
           nodes.size() == 1 && nodes.begin()->second.size() == 1;
  }

  /// Puts a scalar between a tasklet and the exit, from which the value can go on to several.
  void distribute(const std::string& base, EdgeId leaf) {
    const std::string scalar = p_.sdfg.fresh_name(base + "_value");
    Data data = Data::scalar(p_.sdfg.find_data(base)->dtype, true);
    data.storage = Storage::Register;
    p_.sdfg.arrays.insert(scalar, std::move(data));
    const NodeId tasklet = state_.source(leaf);
    const NodeId node = state_.add(Node{AccessNode{scalar}});
    order().added(node, order().scope_of(tasklet));
    p_.added(point_, node);
    const Subset zero = Subset::index({Expr(0)});
    Edge value;
    value.src_connector = std::exchange(state_[leaf].src_connector, {});
    value.memlet = Memlet::write(scalar, zero);
    order().connected(state_.connect(tasklet, node, std::move(value)));
    state_.set_source(leaf, node);
    state_[leaf].memlet.src_subset = zero;
    order().connected(leaf);
  }

  void add_output(const Output& output, const Target& target) {
    const std::string& to = state_.get<AccessNode>(target.node).data;
    keep_visible(state_, output.path, false, target.placement.symbols());
    std::string onward;
    for (std::size_t i = output.path.size(); i-- > 0;) {
      const EdgeId like = output.path[i];
      Edge edge = state_[like];
      if (!onward.empty()) edge.src_connector = "OUT_" + onward;
      if (i > 0) {
        const NodeId exit = state_.target(like);
        onward = add_port(state_[exit], to);
        edge.dst_connector = "IN_" + onward;
      }
      edge.memlet.data = to;
      edge.memlet.data_is_src = false;
      edge.memlet.dst_subset = target.placement.map(*state_[like].memlet.dst_subset);
      const NodeId end = i > 0 ? state_.target(like) : target.node;
      order().connected(state_.connect(state_.source(like), end, std::move(edge)));
    }
  }

  /// The container that nobody reads any more goes. What waited for it waits for another target,
  /// or, where that comes later, for the map.
  void remove_output(NodeId x, const Output& output, NodeId instead, const std::string& name) {
    const NodeId exit = state_.source(output.edge);
    for (EdgeId e : output.path) {
      const NodeId from = state_.source(e);
      if (!state_[from].is<MapExit>()) continue;
      const std::string connector = state_[e].src_connector;
      state_[from].out_connectors.erase(connector);
      state_[from].in_connectors.erase(matching_connector(connector));
    }
    for (auto e = output.path.rbegin(); e != output.path.rend(); ++e) state_.erase(*e);
    for (EdgeId e : std::vector(state_.out(x).begin(), state_.out(x).end())) {
      const NodeId waiting = state_.target(e);
      if (waiting == instead) continue;
      state_.set_source(e, order().reaches(waiting, instead) ? exit : instead);
      order().connected(e);
    }
    erase_access(p_, point_, x);
    p_.dropped(name);
  }

  BufferProgram& p_;
  Point point_;
  State& state_;
  bool pointwise_;
  const Trail& trail_;
  PassContext& context_;
};

}  // namespace

Result<Changed> DoubleWriteElimination::run(Sdfg& sdfg, const Options& options,
                                            PassContext& context) {
  Changed changed = Changed::No;
  for_each_program(sdfg, context, [&](BufferProgram& program, const StateTrails& trails) {
    for (const auto& [point, trail] : trails)
      changed |= DoubleWrites(program, point, options.assume_pointwise, *trail, context).run();
  });
  return changed;
}

}  // namespace sdfg
