#include "passes/simplify/inline_sdfg.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/expression_types.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/hiding_names.h"
#include "ir/walk.h"
#include "passes/common/order_edge.h"
#include "passes/common/state_trails.h"
#include "passes/common/tidy.h"
#include "passes/simplify/inline_plan.h"

namespace sdfg {
namespace {

/// What inlining asks of a state, gathered once and kept up to date, so that each nested SDFG costs
/// its own size only.
struct StateIndex {
  TakenNames& names;
  std::optional<Assumptions>& shapes;  ///< see InlinePlan::check_values
  ScopeTree tree;  ///< of the nodes that were there at first
  ByName<std::set<NodeId>> accesses;  ///< container: its access nodes

  void add(const State& state, NodeId n) {
    if (const auto* access = state[n].as<AccessNode>()) accesses[access->data].insert(n);
  }
};

/// Nodes that a search for paths or containers looks at before it gives up.
constexpr std::size_t search_budget = 128;

class Inliner {
 public:
  Inliner(Sdfg& sdfg, State& state, StateIndex& index, NodeId node)
      : sdfg_(sdfg), state_(state), index_(index), node_(node) {}

  Refusal check() {
    const NestedSdfg& nested = state_.get<NestedSdfg>(node_);
    if (!nested.sdfg) return "the nested SDFG is not loaded";
    if (nested.no_inline) return "the node says no_inline";
    if (nested.instrument != Instrumentation::None) return "the node is instrumented";
    const Sdfg& inner = **nested.sdfg;
    if (inner.node_count() != 1)
      return "the nested SDFG has " + std::to_string(inner.node_count()) + " blocks";
    const Block& block = inner[*start(inner)];
    const State* body = block.as<State>();
    if (!body) return "the nested SDFG is a " + std::string(block.kind_name()) + ", no state";
    if (body->instrument != Instrumentation::None || !body->location->empty())
      return "the state inside is instrumented or has a location";
    if (const auto inner_tree = scope_tree(*body); !inner_tree) return inner_tree.error().message;
    scoped_ = bool(index_.tree.parent_of(node_));
    plan_.symbols = symbol_values(nested, sdfg_);
    if (Refusal why = check_types(inner)) return why;
    if (Refusal why = check_names(inner, *body)) return why;
    if (Refusal why = plan_.check_values(sdfg_, nested, index_.shapes)) return why;
    if (Refusal why = plan_.connect(sdfg_, state_, node_)) return why;
    if (Refusal why = check_accesses(*body)) return why;
    if (Refusal why = plan_.check_open_subsets(inner, *body)) return why;
    if (Refusal why = plan_.check_connector_names(index_.names, *body)) return why;
    return check_transients(inner);
  }

  void apply() {
    NestedSdfg& here = state_.get<NestedSdfg>(node_);
    plan_.choose_names(sdfg_, **here.sdfg, index_.names);
    NestedSdfg nested = std::move(here);
    Sdfg& inner = **nested.sdfg;
    State& body = *inner[*start(inner)].as<State>();
    replace_symbols(inner, plan_.replacements(), {inner.symbols, sdfg_.symbols});
    plan_.close_subsets(inner, body);
    plan_.free_places(sdfg_, inner);
    plan_.move_declarations(sdfg_, inner, scoped_);
    rename_accesses(body, plan_.moved);
    remember_surroundings();
    followed_elsewhere();
    splice(body);
    keep_order();
    for (EdgeId e : std::vector(state_.in(node_).begin(), state_.in(node_).end())) state_.erase(e);
    for (EdgeId e : std::vector(state_.out(node_).begin(), state_.out(node_).end()))
      state_.erase(e);
    state_.erase(node_);
    keep_across();
    tidy_surroundings();
  }

 private:
  // ---- Checks.

  /// Containers may be read only through memlets: names in expressions could not follow.
  Refusal check_names(const Sdfg& inner, const State& body) const {
    SymbolSet containers, used;
    for (const auto& [name, data] : inner.arrays) containers.insert(name);
    for (NodeId n : body.nodes()) collect_used_names(body[n], containers, used);
    for (EdgeId e : body.edges()) collect_used_names(body[e], containers, used);
    for (const std::string& name : used)
      if (containers.contains(name)) return "'" + name + "' is read by name inside";
    for (const auto& [symbol, value] : plan_.symbols)
      for (const std::string& name : free_symbols(value))
        if (sdfg_.arrays.contains(name))
          return "symbol '" + symbol + "' has the value of container '" + name + "'";
    return {};
  }

  Refusal check_types(const Sdfg& inner) const {
    for (const auto& [symbol, value] : plan_.symbols)
      if (const auto type = inner.symbols.find(symbol);
          type != inner.symbols.end() && !holds(type->second, value, sdfg_.symbols))
        return "symbol '" + symbol + "' inside is " + type->second.text() + ", and its value '" +
               to_text(value) + "' may become another in it";
    return {};
  }

  Refusal check_accesses(const State& body) {
    std::set<std::string_view> read;
    for (NodeId n : body.nodes_of<AccessNode>()) {
      const auto* access = body[n].as<AccessNode>();
      const auto found = plan_.connections.find(access->data);
      if (found == plan_.connections.end()) continue;
      const Connection& c = found->second;
      const bool reads = !body.out(n).empty(), writes = !body.in(n).empty() || access->setzero;
      if (reads) read.insert(access->data);
      if (Refusal why = check_view(body, n, c)) return why;
      if (writes && !c.out) return "input '" + access->data + "' is written inside";
      if (access->setzero) return "'" + access->data + "' is set to zero inside";
      if (reads && !writes && !c.in)
        return "output '" + access->data + "' is read before it is written";
      if (scoped_ && reads && writes)
        return "'" + access->data + "' is written and read again inside, within a map";
      for (EdgeId e : body.out(n)) {
        const Node& target = body[body.target(e)];
        const auto* to = target.as<AccessNode>();
        if (scoped_ && to && plan_.connections.contains(to->data))
          return "'" + access->data + "' is copied straight to '" + to->data + "', within a map";
        if (Refusal why = plan_.check_rank(body, c, e)) return why;
      }
      for (EdgeId e : body.in(n))
        if (Refusal why = plan_.check_rank(body, c, e)) return why;
      if (Refusal why = check_copies(body, n, c)) return why;
    }
    for (const auto& [connector, c] : plan_.connections)
      if (c.in && !read.contains(connector) && popped_by(state_, *c.in))
        return "'" + connector + "', which a consume scope pops, is not read inside, and has to go "
               "somewhere";
    return {};
  }

  /// A copy has no code that could wait, or be waited for, when it is between access nodes outside:
  /// these have to.
  Refusal check_copies(const State& body, NodeId n, const Connection& c) {
    if (scoped_) return {};
    const auto is_copy = [&](EdgeId e) {
      return !body[e].memlet.empty() && body[body.source(e)].is<AccessNode>() &&
             body[body.target(e)].is<AccessNode>();
    };
    if (c.in && std::ranges::any_of(body.out(n), is_copy)) {
      for (EdgeId e : state_.in(node_))
        if (state_[e].memlet.empty() && !reaches(state_.source(e), state_.source(*c.in)))
          return "a copy of '" + c.outer +
                 "' inside would not wait for what the nested SDFG waits for";
      if (followed_elsewhere().inputs)
        return "a copy of '" + c.outer +
               "' inside would not wait for who writes it at another access node";
    }
    if (c.out && std::ranges::any_of(body.in(n), is_copy)) {
      if (followed_elsewhere().outputs)
        return "who uses an output behind another one would not wait for a copy to '" + c.outer +
               "' inside";
      for (EdgeId e : state_.out(node_))
        if (state_[e].memlet.empty() && !reaches(state_.target(*c.out), state_.target(e)))
          return "what waits for the nested SDFG would not wait for a copy to '" + c.outer +
                 "' inside";
    }
    return {};
  }

  struct Elsewhere {
    bool inputs = false;   ///< one is written in front, by who leads to another input alone
    bool outputs = false;  ///< one is used behind, by who follows on another output alone
  };
  /// Where data alone does not keep the order of what is inside and what is outside.
  const Elsewhere& followed_elsewhere() {
    if (elsewhere_) return *elsewhere_;
    elsewhere_.emplace();
    for (const auto& [connector, c] : plan_.connections) {
      const NodeId in = c.in ? state_.source(*c.in) : NodeId{};
      const NodeId out = c.out ? state_.target(*c.out) : NodeId{};
      elsewhere_->outputs = elsewhere_->outputs || (out && is_written_behind(out));
      const auto found = index_.accesses.find(c.outer);
      if (found == index_.accesses.end()) continue;
      for (NodeId n : found->second) {
        if (!state_.contains(n) || n == in || n == out) continue;
        const auto comes_in_front = [&](EdgeId e) {
          const NodeId writer = state_.source(e);
          return path(writer, node_) != Truth::No && !reaches(writer, in);
        };
        const auto comes_behind = [&](NodeId user) {
          return path(node_, user) != Truth::No && !reaches(out, user);
        };
        if (in && !elsewhere_->inputs)
          elsewhere_->inputs = std::ranges::any_of(state_.in(n), comes_in_front);
        if (out && !elsewhere_->outputs)
          elsewhere_->outputs =
              comes_behind(n) || std::ranges::any_of(state_.out(n), [&](EdgeId e) {
                return comes_behind(state_.target(e));
              });
      }
    }
    return *elsewhere_;
  }
  /// Does something write there, too, that comes behind the nested SDFG?
  bool is_written_behind(NodeId out) const {
    return state_[out].is<AccessNode>() && std::ranges::any_of(state_.in(out), [&](EdgeId e) {
      return state_.source(e) != node_ && path(node_, state_.source(e)) != Truth::No;
    });
  }

  /// A view's access node outside can take over what one access node inside does, and no more:
  /// other nodes of the view would look at nothing.
  Refusal check_view(const State& body, NodeId n, const Connection& c) {
    if (sdfg_.find_data(c.outer)->role() == Role::Plain || body.in(n).empty()) return {};
    if (body.out(n).empty() && views_written_.insert(c.outer).second) return {};
    return "'" + c.outer + "' is a view or reference, and is written at several places inside";
  }

  /// The parent declares containers for the whole of it, where nothing that a map defines is known.
  Refusal check_transients(const Sdfg& inner) const {
    if (!scoped_) return {};
    const SymbolSet defined = defined_around();
    for (const auto& [name, data] : inner.arrays) {
      if (!data.transient) continue;
      if (data.lifetime != Lifetime::Scope && data.lifetime != Lifetime::State &&
          data.lifetime != Lifetime::Sdfg)
        return "transient '" + name + "' outlives an iteration of the map around";
      SymbolSet used;
      collect_symbols(data, used);
      for (const std::string& inside : used) {
        const auto value = plan_.symbols.find(inside);
        const Expr outside = value == plan_.symbols.end() ? Expr::symbol(inside) : value->second;
        for (const std::string& symbol : free_symbols(outside))
          if (defined.contains(symbol))
            return "the size of transient '" + name + "' depends on '" + symbol +
                   "', which a map around defines";
      }
    }
    return {};
  }

  /// Parameters and dynamic inputs of the scopes around the node.
  SymbolSet defined_around() const {
    TypeTable types;
    for (NodeId scope = index_.tree.parent_of(node_); scope; scope = index_.tree.parent_of(scope))
      add_scope_symbols(state_, scope, sdfg_, types);
    SymbolSet names;
    for (const auto& [name, type] : types) names.insert(name);
    return names;
  }

  // ---- Rewriting.

  void remember_surroundings() {
    for (EdgeId e : state_.in(node_)) {
      before_.push_back(state_.source(e));
      neighbours_.insert(state_.source(e));
      if (state_[e].memlet.empty()) waits_.push_back(state_.source(e));
    }
    for (EdgeId e : state_.out(node_)) {
      after_.push_back(state_.target(e));
      neighbours_.insert(state_.target(e));
      if (state_[e].memlet.empty()) releases_.push_back(state_.target(e));
    }
  }

  /// Copies nodes and edges over; access nodes of connectors fall together with the node outside.
  void splice(State& body) {
    std::vector<NodeId> moved(body.id_bound());
    for (NodeId n : body.nodes()) {
      const auto* access = body[n].as<AccessNode>();
      const Connection* c = access ? plan_.at(access->data) : nullptr;
      if (!c) {
        moved[n.value] = state_.add(body[n]);
        index_.add(state_, moved[n.value]);
        continue;
      }
      const bool source = body.in(n).empty(), sink = is_last(body, n);
      const NodeId outer_in = c->in ? state_.source(*c->in) : NodeId{};
      const NodeId outer_out = c->out ? state_.target(*c->out) : NodeId{};
      if (source && outer_in && (scoped_ || state_[outer_in].is<AccessNode>())) {
        moved[n.value] = outer_in;
      } else if (sink && outer_out && (scoped_ || state_[outer_out].is<AccessNode>()) &&
                 (body.out(n).empty() || !is_written_behind(outer_out))) {
        moved[n.value] = outer_out;
        if (!body.out(n).empty()) {
          auto& followers = followers_[outer_out];
          for (EdgeId e : state_.out(outer_out)) followers.insert(state_.target(e));
        }
      } else {
        Node version = body[n];
        version.as<AccessNode>()->data = c->outer;
        moved[n.value] = state_.add(std::move(version));
        index_.add(state_, moved[n.value]);
        if (outer_out && !source) versions_.push_back({moved[n.value], outer_out});
      }
    }
    for (NodeId n : body.nodes()) {
      Node& node = state_[moved[n.value]];
      if (body[n].is_exit()) {
        if (auto* exit = node.as<MapExit>()) exit->entry = moved[exit->entry.value];
        if (auto* exit = node.as<ConsumeExit>()) exit->entry = moved[exit->entry.value];
      }
    }
    // Which nodes inside read and write what is outside: their ends and beginnings order the rest.
    const ScopeTree tree = scope_tree_of(body);
    for (EdgeId e : body.edges()) {
      const NodeId from = body.source(e), to = body.target(e);
      Edge edge = body[e];
      const Connection* at_source = plan_.at(body, from);
      const Connection* at_target = plan_.at(body, to);
      plan_.translate(body, e, edge.memlet);
      if (const Connection* named = plan_.at(edge.memlet.data)) edge.memlet.data = named->outer;
      if (at_source && moved[from.value] != NodeId{} && at_source->in &&
          moved[from.value] == state_.source(*at_source->in))
        edge.src_connector = state_[*at_source->in].src_connector;
      if (at_target && at_target->out && moved[to.value] == state_.target(*at_target->out))
        edge.dst_connector = state_[*at_target->out].dst_connector;
      if (edge.memlet.empty()) {
        if (at_source) edge.src_connector.clear();
        if (at_target) edge.dst_connector.clear();
      }
      state_.connect(moved[from.value], moved[to.value], std::move(edge));
      if (at_source && !body[to].is<AccessNode>()) {
        if (!tree.parent_of(to)) first_readers_.insert(moved[to.value]);
        readers_.insert(moved[(body[to].is_entry() ? tree.exit_of(to) : to).value]);
      }
      if (at_target && !body[from].is<AccessNode>()) {
        const NodeId begin = body[from].is_exit() ? tree.parent_of(from) : from;
        writers_.insert(moved[begin.value]);
        const NodeId outermost = tree.parent_of(begin) ? tree.enclosing(begin).back() : begin;
        const bool is_scope = body[outermost].is_entry();
        last_writers_.insert(moved[(is_scope ? tree.exit_of(outermost) : outermost).value]);
      }
    }
    for (NodeId n : body.nodes()) {
      if (plan_.at(body, n)) continue;
      if (body.in(n).empty()) first_.push_back(moved[n.value]);
      if (body.out(n).empty() && !tree.parent_of(n)) last_.push_back(moved[n.value]);
    }
  }

  /// The last access node of an output inside: nothing writes the container after it. In a valid
  /// graph the versions of a container are ordered; the last in topological order counts.
  bool is_last(const State& body, NodeId node) {
    const std::string& data = body.get<AccessNode>(node).data;
    if (last_version_.empty()) {
      const auto order = topological_order(body);
      for (NodeId n : *order)
        if (const auto* a = body[n].as<AccessNode>(); a && !body.in(n).empty())
          last_version_[a->data] = n;
    }
    const auto found = last_version_.find(data);
    return found != last_version_.end() &&
           (found->second == node || (scoped_ && body.out(node).empty()));
  }

  // ---- Order. The node as a whole waited for all that led into it, and all behind it waited for
  // the node. Data that flows through keeps most of that; where a container is also used elsewhere
  // in the state, or an edge had no data, the rest is kept by empty memlets.

  void keep_order() {
    for (const auto& [version, final_node] : versions_)
      if (!state_[final_node].is_exit()) add_order(version, final_node);
    std::vector<NodeId> begins(first_), ends(last_);
    begins.insert(begins.end(), first_readers_.begin(), first_readers_.end());
    begins.insert(begins.end(), writers_.begin(), writers_.end());
    ends.insert(ends.end(), readers_.begin(), readers_.end());
    ends.insert(ends.end(), last_writers_.begin(), last_writers_.end());
    for (NodeId from : waits_)
      for (NodeId to : begins) add_order(from, to);
    for (NodeId to : releases_)
      for (NodeId from : ends) add_order(from, to);
    if (used_elsewhere()) {
      for (NodeId to : after_)
        for (NodeId from : readers_) add_order(from, to);
      for (NodeId from : before_)
        for (NodeId to : writers_) add_order(from, to);
    }
    if (elsewhere_->outputs)
      for (NodeId to : after_)
        for (NodeId from : ends) add_order(from, to);
    if (elsewhere_->inputs)
      for (NodeId from : before_)
        for (NodeId to : begins) add_order(from, to);
    // Within a map everything must stay between entry and exit.
    if (scoped_) attach_to_scope();
  }

  /// What is in front came before what is behind, though nothing inside may lead from one to the
  /// other: both may access a container that passes the node unused, or does not pass it at all.
  void keep_across() {
    // The scope's entry is in front of all inside, its exit behind.
    const NodeId entry = index_.tree.parent_of(node_);
    const NodeId exit = scoped_ ? index_.tree.exit_of(entry) : NodeId{};
    const auto is_between = [&](NodeId n) { return n != entry && n != exit && state_.contains(n); };
    std::map<NodeId, std::optional<Touched>> in_front;
    for (NodeId from : before_)
      if (is_between(from)) in_front.emplace(from, std::nullopt);
    for (NodeId to : std::set<NodeId>(after_.begin(), after_.end())) {
      if (!is_between(to)) continue;
      const std::set<NodeId> reaching = touched(to, true).nodes;
      std::optional<Touched> behind;
      for (auto& [from, by_then] : in_front) {
        if (reaching.contains(from)) continue;
        if (!by_then) by_then = touched(from, true);
        if (!behind) behind = touched(to, false);
        if (behind->conflicts_with(*by_then)) add_order(from, to);
      }
    }
  }

  /// The nodes in front of a node or behind it, itself included, and the containers of those that
  /// are access nodes.
  struct Touched {
    std::set<NodeId> nodes;
    NameSet all, written;
    bool is_known = true;  ///< else there are more

    bool conflicts_with(const Touched& other) const {
      const auto is_in = [](const NameSet& names) {
        return [&](const std::string& name) { return names.contains(name); };
      };
      return !is_known || !other.is_known || std::ranges::any_of(all, is_in(other.written)) ||
             std::ranges::any_of(written, is_in(other.all));
    }
  };
  Touched touched(NodeId node, bool in_front) const {
    Touched out{.nodes = {node}};
    std::vector<NodeId> open{node};
    for (std::size_t at = 0; at < open.size() && out.is_known; ++at) {
      out.is_known = at < search_budget;
      if (const auto* access = state_[open[at]].as<AccessNode>()) {
        out.all.insert(access->data);
        if (!state_.in(open[at]).empty()) out.written.insert(access->data);
      }
      for (EdgeId e : in_front ? state_.in(open[at]) : state_.out(open[at])) {
        const NodeId next = in_front ? state_.source(e) : state_.target(e);
        if (out.nodes.insert(next).second) open.push_back(next);
      }
    }
    return out;
  }

  void add_order(NodeId from, NodeId to) {
    if (from == to || !state_.contains(from) || !state_.contains(to)) return;
    // What is written inside and read again there lies before its readers: who follows waits.
    if (const auto node = followers_.find(to); node != followers_.end()) {
      for (NodeId follower : node->second) add_order(from, follower);
      return;
    }
    if (!reaches(from, to)) order(sdfg_, state_, from, to);
  }

  /// Is there certainly a path? All orders lead from before the node to inside, from inside to
  /// behind, or from before to behind (see above), so an edge too many closes no cycle.
  bool reaches(NodeId from, NodeId to) const { return path(from, to) == Truth::Yes; }
  /// Is there a path, as far as a short search tells?
  Truth path(NodeId from, NodeId to) const {
    std::vector<NodeId> open{to};
    std::set<NodeId> seen{to};
    for (std::size_t at = 0; at < open.size(); ++at) {
      if (at == search_budget) return Truth::Unknown;
      if (open[at] == from) return Truth::Yes;
      for (EdgeId e : state_.in(open[at]))
        if (seen.insert(state_.source(e)).second) open.push_back(state_.source(e));
    }
    return Truth::No;
  }

  /// Is a container of a connector also at another place of this state, one of the two a write?
  bool used_elsewhere() const {
    NameSet read, written;
    for (const auto& [name, c] : plan_.connections) {
      if (c.in) read.insert(c.outer);
      if (c.out) written.insert(c.outer);
    }
    const auto elsewhere = [&](const std::string& data, bool only_writes) {
      const auto found = index_.accesses.find(data);
      if (found == index_.accesses.end()) return false;
      return std::ranges::any_of(found->second, [&](NodeId n) {
        return state_.contains(n) && !neighbours_.contains(n) &&
               !(only_writes && state_.in(n).empty());
      });
    };
    for (const std::string& data : written)
      if (read.contains(data) || elsewhere(data, false)) return true;
    for (const std::string& data : read)
      if (elsewhere(data, true)) return true;
    return scoped_ && exchanged_in_scope(read, written);
  }

  bool exchanged_in_scope(const NameSet& read, const NameSet& written) const {
    NameSet in, out;
    for (NodeId n : neighbours_) {
      if (!state_.contains(n)) continue;
      if (state_[n].is_entry())
        for (EdgeId e : state_.out(n)) in.insert(state_[e].memlet.data);
      if (state_[n].is_exit())
        for (EdgeId e : state_.in(n)) out.insert(state_[e].memlet.data);
    }
    return std::ranges::any_of(read, [&](const auto& d) { return out.contains(d); }) ||
           std::ranges::any_of(written, [&](const auto& d) { return in.contains(d); });
  }

  void attach_to_scope() {
    for (NodeId n : first_) attach_to_entry(n);
    for (NodeId n : last_) attach_to_exit(n);
  }
  NodeId entry() const { return index_.tree.parent_of(node_); }
  NodeId exit() const { return index_.tree.exit_of(entry()); }
  void attach_to_entry(NodeId n) {
    if (state_.contains(n) && state_.in(n).empty()) state_.connect(entry(), n, {});
  }
  void attach_to_exit(NodeId n) {
    if (state_.contains(n) && state_.out(n).empty()) state_.connect(n, exit(), {});
  }

  /// Neighbours that lost their last edge go, and others stay in the scope; connectors of scope
  /// nodes that nobody uses inside go with the path outside.
  void tidy_surroundings() {
    for (NodeId n : neighbours_) {
      if (!state_.contains(n) || state_[n].is_entry() || state_[n].is_exit()) continue;
      if (state_[n].is<AccessNode>() && has_no_use(n)) {
        state_.erase(n);
      } else if (scoped_) {
        attach_to_entry(n);
        attach_to_exit(n);
      }
    }
    for (NodeId n : neighbours_) {
      if (!state_.contains(n)) continue;
      if (state_[n].is_entry()) drop_unused_inputs(state_, n);
      if (state_[n].is_exit()) drop_unused_outputs(n);
    }
    if (scoped_ && state_.in(exit()).empty()) state_.connect(entry(), exit(), {});
  }

  /// Is it only kept in its scope?
  bool has_no_use(NodeId n) const {
    return std::ranges::all_of(state_.in(n), [&](EdgeId e) {
             return state_[e].memlet.empty() && state_[state_.source(e)].is_entry();
           }) &&
           std::ranges::all_of(state_.out(n), [&](EdgeId e) {
             return state_[e].memlet.empty() && state_[state_.target(e)].is_exit();
           });
  }

  void drop_unused_outputs(NodeId exit) {
    NameSet used;
    for (EdgeId e : state_.in(exit)) used.insert(state_[e].dst_connector);
    for (EdgeId e : std::vector(state_.out(exit).begin(), state_.out(exit).end())) {
      const std::string connector = state_[e].src_connector;
      const std::string inside = matching_connector(connector);
      if (!connector.starts_with("OUT_") || used.contains(inside)) continue;
      const NodeId to = state_.target(e);
      state_.erase(e);
      state_[exit].out_connectors.erase(connector);
      state_[exit].in_connectors.erase(inside);
      // What follows there goes on waiting for what the scope has waited for.
      const bool releases = state_[to].is_exit() || !state_.out(to).empty();
      const auto goes_to = [&](EdgeId other) { return state_.target(other) == to; };
      if (releases && std::ranges::none_of(state_.out(exit), goes_to))
        state_.connect(exit, to, {});
      if (state_[to].is_exit()) drop_unused_outputs(to);
      else drop_if_loose(state_, to);
    }
  }

  Sdfg& sdfg_;
  State& state_;
  StateIndex& index_;
  const NodeId node_;
  bool scoped_ = false;
  InlinePlan plan_;
  NameSet views_written_;
  ByName<NodeId> last_version_;
  std::vector<NodeId> before_, after_, waits_, releases_, first_, last_;
  std::set<NodeId> neighbours_, readers_, first_readers_, writers_, last_writers_;
  std::optional<Elsewhere> elsewhere_;
  std::vector<std::pair<NodeId, NodeId>> versions_;
  /// Of access nodes behind the nested SDFG that are read inside, too: who followed before.
  std::map<NodeId, std::set<NodeId>> followers_;
};

Changed run_on_state(Sdfg& sdfg, TakenNames& names, std::optional<Assumptions>& shapes,
                     State& state, const Trail& trail, PassContext& context) {
  Changed changed = Changed::No;
  std::optional<StateIndex> index;
  for (NodeId n : state.nodes_of<NestedSdfg>()) {
    const Trail here = trail.in(state, n);
    if (!index) {
      auto tree = scope_tree(state);
      if (!tree) {
        context.refused(here, tree.error().message);
        return changed;
      }
      index.emplace(StateIndex{names, shapes, *std::move(tree), {}});
      for (NodeId other : state.nodes()) index->add(state, other);
    }
    Inliner inliner(sdfg, state, *index, n);
    if (const Refusal why = inliner.check()) {
      context.refused(here, why);
      continue;
    }
    if (!context.may_apply()) break;
    context.applied(here, "inlined");
    inliner.apply();
    changed = Changed::Yes;
  }
  if (changed == Changed::Yes) rename_hiding_names(sdfg, state);
  return changed;
}

/// Nested SDFGs before their parents.
Changed run_on(Sdfg& sdfg, const Trail& trail, PassContext& context) {
  Changed changed = Changed::No;
  const StateTrails states(sdfg, trail);
  for (const auto& [state, here] : states.states())
    for (NodeId n : state->nodes_of<NestedSdfg>())
      if (auto& nested = state->get<NestedSdfg>(n); nested.sdfg)
        changed |= run_on(**nested.sdfg, here->in(*state, n), context);
  TakenNames names(sdfg);
  std::optional<Assumptions> shapes;
  for (const auto& [state, here] : states.states())
    changed |= run_on_state(sdfg, names, shapes, *state, *here, context);
  return changed;
}

}  // namespace

Result<Changed> InlineSdfg::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return run_on(sdfg, Trail(), context);
}

}  // namespace sdfg
