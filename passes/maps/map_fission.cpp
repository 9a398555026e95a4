#include "passes/maps/map_fission.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/propagate.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/accesses.h"
#include "passes/common/aliases.h"
#include "passes/common/assume.h"
#include "passes/common/scope.h"
#include "passes/common/side_effects.h"
#include "passes/common/viewed.h"
#include "passes/common/walk_states.h"
#include "passes/maps/map_body.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

std::vector<EdgeId> copy(std::span<const EdgeId> edges) { return {edges.begin(), edges.end()}; }

/// What is found out once for an SDFG. Splitting maps keeps the access nodes that there were.
struct Facts {
  Facts(Sdfg& sdfg, LazyAliases& aliases) : accesses(sdfg), aliases(aliases) {
    assume_shapes(sdfg, known);
    for_each_state(sdfg, [&](const State& state) {
      for (EdgeId e : state.edges())
        if (state[state.source(e)].is<Tasklet>() && state[state.target(e)].is<Tasklet>() &&
            !state[e].memlet.empty())
          ++direct[state[e].memlet.data];
    });
  }
  Accesses accesses;
  LazyAliases& aliases;
  Assumptions known;
  /// By container: edges from tasklet to tasklet that name it.
  ByName<std::size_t> direct;
};

class Fission {
 public:
  Fission(Sdfg& sdfg, State& state, Facts& facts, MapEnds ends)
      : sdfg_(sdfg),
        state_(state),
        facts_(facts),
        ends_(ends),
        map_(state.get<MapEntry>(ends.entry)) {}

  Refusal check(const ScopeTree& tree, const std::vector<NodeId>& children) {
    std::vector<NodeId> code;
    for (NodeId n : children) {
      if (n == ends_.exit) continue;
      if (state_[n].is<AccessNode>())
        add_access(n);
      else
        code.push_back(n);
    }
    for (NodeId n : std::vector<NodeId>(code))
      if (state_[n].is_entry()) code.push_back(tree.exit_of(n));
    std::ranges::sort(code);
    for (const NodeId around : tree.enclosing(ends_.entry))
      if (const auto* map = state_[around].as<MapEntry>())
        outer_params_.insert(outer_params_.end(), map->params.begin(), map->params.end());
    if (!mentions(Subset{map_.ranges}, outer_params_))
      for (NodeId n : code)
        for (EdgeId e : state_.out(n))
          if (is_handed_on(e)) handed_on_.insert(e);
    body_.number(state_, tree, code, handed_on_);
    if (body_.parts < 2) return "there is only one computation in the map";
    for (const auto& [connector, type] : state_[ends_.entry].in_connectors)
      if (!connector.starts_with("IN_")) return "the map has dynamic range inputs";
    for (const Range& range : map_.ranges)
      if (mentions(Subset{{range}}, map_.params))
        return "the range " + to_text(range) + " uses another parameter of the map";
    outer_ = tree.parent_of(ends_.entry);
    if (outer_) outer_exit_ = tree.exit_of(outer_);
    for (NodeId n : body_.access)
      if (const Refusal why = check_access(n)) return why;
    shares_ = is_met_elsewhere(tree);
    if (has_cycle(state_, body_)) return "a computation both needs another and hands values to it";
    return {};
  }

  /// Gives the new entries.
  std::vector<NodeId> apply() {
    store_handed_on();
    if (!body_.grown.empty()) free_names();
    for (const std::string& name : body_.grown) grow(name);
    std::vector<NodeId> entries;
    for (std::size_t p = 0; p < body_.parts; ++p) {
      Node node = state_[ends_.entry];
      node.in_connectors.clear(), node.out_connectors.clear(), node.guid.clear();
      const NodeId entry = state_.add(std::move(node));
      parts_.push_back({entry, state_.add(Node{MapExit{entry}})});
      entries.push_back(entry);
    }
    for (const auto& [node, part] : body_.part_of) {
      // Behind an entry, and before an exit, is the inside of a computation.
      if (!state_[node].is_exit())
        for (EdgeId e : copy(state_.in(node))) lead_in(e, parts_[part]);
      if (!state_[node].is_entry())
        for (EdgeId e : copy(state_.out(node))) lead_out(e, parts_[part]);
    }
    keep_order_around();
    state_.erase(ends_.entry);
    state_.erase(ends_.exit);
    close_parts();
    return entries;
  }

 private:
  void add_access(NodeId n) {
    body_.access.push_back(n);
    access_nodes_.insert(n);
    nodes_of_[state_.get<AccessNode>(n).data].push_back(n);
  }

  static bool mentions(const Subset& subset, const std::vector<std::string>& params) {
    SymbolSet used;
    collect_symbols(subset, used);
    return std::ranges::any_of(params, [&](const auto& p) { return used.contains(p); });
  }

  /// A single value that one tasklet hands to another: a container can hold it.
  bool is_handed_on(EdgeId e) const {
    const Memlet& memlet = state_[e].memlet;
    if (!state_[state_.source(e)].is<Tasklet>() || !state_[state_.target(e)].is<Tasklet>())
      return false;
    return !memlet.empty() && !memlet.wcr && !memlet.dynamic && memlet.subset() &&
           num_elements(*memlet.subset()) == Expr(1);
  }

  /// Each value that went from tasklet to tasklet goes through a container of its own.
  void store_handed_on() {
    const Subset element = Subset::index({Expr(0)});
    for (EdgeId e : handed_on_) {
      const NodeId from = state_.source(e), to = state_.target(e);
      if (body_.part_of.at(from) == body_.part_of.at(to)) continue;
      const Edge edge = state_[e];
      const std::string& before = edge.memlet.data;
      const std::string name = sdfg_.fresh_name(before);
      sdfg_.arrays.insert(name, Data::scalar(sdfg_.find_data(before)->dtype, true));
      const NodeId stored = state_.add(Node{AccessNode{name}});
      add_access(stored);
      body_.grown.insert(name);
      state_.connect(from, stored, Edge{edge.src_connector, "", Memlet::write(name, element)});
      state_.connect(stored, to, Edge{"", edge.dst_connector, Memlet::read(name, element)});
      state_.erase(e);
      if (--facts_.direct.at(before) == 0 && facts_.accesses.sites(before).empty() &&
          !facts_.accesses.is_named(before))
        sdfg_.arrays.erase(before);
    }
  }

  /// Has one of the containers that pass the map's border, or that nodes of the body touch, another
  /// access node outside of the map, or another writer of the same node? Then who comes before or
  /// after the map may depend on parts with which it exchanges nothing.
  bool is_met_elsewhere(const ScopeTree& tree) const {
    std::set<NodeId> beside;
    SymbolSet names;
    const auto add = [&](NodeId node, EdgeId e) {
      beside.insert(node);
      if (!state_[e].memlet.empty()) names.insert(state_[e].memlet.data);
      if (!state_[node].is<AccessNode>()) return;
      names.insert(state_.get<AccessNode>(node).data);
      if (auto looked_at = accessed_container(sdfg_, state_, node))
        names.insert(std::move(*looked_at));
    };
    const std::optional<Scope> scope = find_scope(state_, ends_.entry);
    for (NodeId n : scope->nodes)
      if (const auto* access = state_[n].as<AccessNode>())
        if (const Data* data = sdfg_.find_data(access->data); data && !data->transient)
          names.insert(access->data);
    for (EdgeId e : state_.in(ends_.entry)) add(state_.source(e), e);
    for (EdgeId e : state_.out(ends_.exit)) {
      add(state_.target(e), e);
      for (EdgeId other : state_.in(state_.target(e)))
        if (state_.source(other) != ends_.exit && !state_[other].memlet.empty() &&
            state_[state_.target(e)].is<AccessNode>())
          return true;
    }
    add_aliases(facts_.aliases.of(sdfg_), names);
    const auto elsewhere = [&](const AccessSite& site) {
      if (site.state != &state_ || beside.contains(site.node) ||
          site.node.value >= tree.parent.size())
        return false;
      NodeId around = tree.parent_of(site.node);
      while (around && around != outer_ && around != ends_.entry) around = tree.parent_of(around);
      return around == outer_;
    };
    return std::ranges::any_of(names, [&](const std::string& name) {
      return std::ranges::any_of(facts_.accesses.sites(name), elsewhere);
    });
  }

  /// Is the container one for all iterations, or does each have its own?
  Refusal check_access(NodeId node) {
    const std::string& name = state_.get<AccessNode>(node).data;
    const std::string quoted = "'" + name + "'";
    const Data& data = *sdfg_.find_data(name);
    if (data.is_view() || data.is_reference()) return quoted + " looks at another container";
    for (const bool reads : {true, false})
      for (EdgeId e : reads ? state_.out(node) : state_.in(node)) {
        const NodeId other = reads ? state_.target(e) : state_.source(e);
        if (state_[e].memlet.empty()) continue;
        if (!body_.part_of.contains(other))
          return quoted + " is copied in the body without a computation";
      }
    if (const Data* root = sdfg_.find_data(root_name(name)); root != &data && root->transient)
      return quoted + " is a member of a structure of which each iteration may have its own";
    if (!data.transient) return {};
    if (const Refusal why = check_grown(node, name, data)) return why;
    body_.grown.insert(name);
    return {};
  }

  Refusal check_grown(NodeId node, const std::string& name, const Data& data) const {
    const std::string quoted = "'" + name + "'";
    if (facts_.accesses.is_named(name)) return quoted + " is read by name, too";
    for (const AccessSite& site : facts_.accesses.sites(name))
      if (site.state != &state_ || !access_nodes_.contains(site.node))
        return quoted + " is used elsewhere, too";
    if (!(data.as_array() || data.is_scalar())) return quoted + " is no array";
    if (outlives_run(data)) return quoted + " lives longer than the program runs";
    SymbolSet used;
    collect_symbols(data, used);
    if (std::ranges::any_of(map_.params, [&](const auto& p) { return used.contains(p); }))
      return "the shape or layout of " + quoted + " depends on the map";
    if (mentions(Subset{map_.ranges}, outer_params_))
      return "the map's size, which " + quoted + " would get, depends on the maps around it";
    for (const bool reads : {true, false})
      for (EdgeId border : reads ? state_.out(node) : state_.in(node)) {
        if (state_[border].memlet.empty()) continue;
        for (EdgeId e : edges_inward(state_, border, reads))
          if (const Refusal why = check_edge(e, name, reads)) return why;
      }
    return {};
  }

  Refusal check_edge(EdgeId e, const std::string& name, bool reads) const {
    const Memlet& memlet = state_[e].memlet;
    const auto& subset = reads ? memlet.src_subset : memlet.dst_subset;
    if (memlet.wcr) return "writes of '" + name + "' resolve conflicts";
    if (!subset) return "a memlet of '" + name + "' has no subset";
    const Node& end = state_[reads ? state_.target(e) : state_.source(e)];
    if (end.is<LibraryNode>())
      return "the library node '" + std::string(end.label()) + "' looks at the shape of '" + name +
             "'";
    if (const auto* access = end.as<AccessNode>())
      if (sdfg_.find_data(access->data)->is_view())
        return "'" + access->data + "' looks at '" + name + "'";
    return {};
  }

  /// The map's parameters come into memlets in scopes inside, where they must mean the same.
  void free_names() {
    SymbolSet names(map_.params.begin(), map_.params.end());
    for (const Range& range : map_.ranges) collect_symbols(range.begin, names);
    for (const auto& [node, part] : body_.part_of)
      if (state_[node].is_entry()) rename_bound_names(state_, node, names);
  }

  /// Puts the map's dimensions in front of the container's own. The strides of these stay, so that
  /// nested SDFGs find their elements where they expect them.
  void grow(const std::string& name) {
    Data& data = sdfg_.arrays.at(name);
    const bool scalar = data.is_scalar();
    Array array = scalar ? *Data::array(data.dtype, {}, true).as_array() : *data.as_array();
    std::vector<Expr> shape, strides, at;
    Expr stride = array.total_size;
    for (std::size_t d = map_.params.size(); d-- > 0;) {
      const Range& range = map_.ranges[d];
      Expr size = range.end - range.begin + 1;
      if (!certain(less_equal(0, size, facts_.known))) size = max(0, size);
      shape.insert(shape.begin(), size);
      strides.insert(strides.begin(), stride);
      at.insert(at.begin(), Expr::symbol(map_.params[d]) - range.begin);
      stride = stride * size;
    }
    if (!scalar) {
      shape.insert(shape.end(), data.shape.begin(), data.shape.end());
      strides.insert(strides.end(), array.strides.begin(), array.strides.end());
    }
    array.offset.insert(array.offset.begin(), map_.params.size(), Expr(0));
    array.strides = std::move(strides);
    array.total_size = std::move(stride);
    data.kind = std::move(array);
    data.shape = std::move(shape);
    if (data.storage == Storage::Register) data.storage = Storage::Default;
    for (NodeId node : nodes_of_.at(name)) move_subsets(node, at, scalar);
  }

  void move_subsets(NodeId node, const std::vector<Expr>& at, bool scalar) {
    for (const bool reads : {true, false})
      for (EdgeId border : copy(reads ? state_.out(node) : state_.in(node))) {
        if (state_[border].memlet.empty()) continue;
        for (EdgeId e : edges_inward(state_, border, reads)) {
          Memlet& memlet = state_[e].memlet;
          Subset& subset = *(reads ? memlet.src_subset : memlet.dst_subset);
          Subset moved = Subset::index(at);
          if (!scalar)
            moved.ranges.insert(moved.ranges.end(), subset.ranges.begin(), subset.ranges.end());
          subset = std::move(moved);
        }
      }
  }

  /// An edge into a computation now passes the entry of its own map.
  void lead_in(EdgeId e, MapEnds part) {
    const NodeId from = state_.source(e);
    if (body_.part_of.contains(from)) {
      if (!state_[e].memlet.empty()) return;  // within the computation
      if (parts_[body_.part_of.at(from)].entry != part.entry) {
        state_.connect(parts_[body_.part_of.at(from)].exit, part.entry, Edge{});
        state_.erase(e);
      }
      return;
    }
    if (state_[e].memlet.empty()) {
      if (from != ends_.entry) state_.connect(from, part.entry, Edge{});
      state_.erase(e);
      return;
    }
    const std::string name = add_port(state_[part.entry], state_[e].memlet.data);
    Edge outside{"", "IN_" + name, state_[e].memlet};
    NodeId source = from;
    if (from == ends_.entry) {
      const EdgeId incoming = outer_edge(state_.in(from), state_[e].src_connector, true);
      outside = state_[incoming];
      outside.dst_connector = "IN_" + name;
      source = state_.source(incoming);
    }
    outside.memlet.guid.clear(), outside.memlet.origin = {};
    state_.connect(source, part.entry, std::move(outside));
    state_.set_source(e, part.entry);
    state_[e].src_connector = "OUT_" + name;
  }

  void lead_out(EdgeId e, MapEnds part) {
    const NodeId to = state_.target(e);
    if (body_.part_of.contains(to)) return;  // its other end has seen to it
    if (state_[e].memlet.empty()) {
      if (to != ends_.exit) state_.connect(part.exit, to, Edge{});
      state_.erase(e);
      return;
    }
    const std::string name = add_port(state_[part.exit], state_[e].memlet.data);
    Edge outside{"OUT_" + name, "", state_[e].memlet};
    NodeId target = to;
    if (to == ends_.exit) {
      const EdgeId outgoing = outer_edge(state_.out(to), state_[e].dst_connector, false);
      outside = state_[outgoing];
      outside.src_connector = "OUT_" + name;
      target = state_.target(outgoing);
    }
    outside.memlet.guid.clear(), outside.memlet.origin = {};
    state_.connect(part.exit, target, std::move(outside));
    state_.set_target(e, part.exit);
    state_[e].dst_connector = "IN_" + name;
  }

  /// The edge outside the old map that continues a connector of its inner side.
  EdgeId outer_edge(std::span<const EdgeId> edges, const std::string& inner, bool into) const {
    const std::string outer = matching_connector(inner);
    for (EdgeId e : edges)
      if ((into ? state_[e].dst_connector : state_[e].src_connector) == outer) return e;
    SDFG_ASSERT(false) << "no edge continues " << inner;
    return {};
  }

  /// Whatever waited for the map, or the map for it, without data; with data as well where that may
  /// matter to other parts than those that exchange it.
  void keep_order_around() {
    const auto order = [&](NodeId from, NodeId to) {
      const auto out = state_.out(from);
      if (std::ranges::none_of(out, [&](EdgeId e) { return state_.target(e) == to; }))
        state_.connect(from, to, Edge{});
    };
    if (shares_)
      for (const MapEnds& part : parts_) {
        for (EdgeId e : copy(state_.in(ends_.entry)))
          if (state_.source(e) != outer_) order(state_.source(e), part.entry);
        for (EdgeId e : copy(state_.out(ends_.exit)))
          if (state_.target(e) != outer_exit_) order(part.exit, state_.target(e));
      }
    if (shares_) return;
    for (EdgeId e : copy(state_.in(ends_.entry)))
      if (state_[e].memlet.empty())
        for (const MapEnds& part : parts_) state_.connect(state_.source(e), part.entry, Edge{});
    for (EdgeId e : copy(state_.out(ends_.exit)))
      if (state_[e].memlet.empty())
        for (const MapEnds& part : parts_) state_.connect(part.exit, state_.target(e), Edge{});
  }

  /// In another scope, every node hangs on that scope's ends; a scope without data hangs together
  /// by an empty memlet.
  void close_parts() {
    for (const auto& [node, part] : body_.part_of) {
      if (state_.in(node).empty()) state_.connect(parts_[part].entry, node, Edge{});
      if (state_.out(node).empty()) state_.connect(node, parts_[part].exit, Edge{});
    }
    if (!outer_) return;
    for (const MapEnds& part : parts_) {
      if (state_.in(part.entry).empty()) state_.connect(outer_, part.entry, Edge{});
      if (state_.out(part.exit).empty()) state_.connect(part.exit, outer_exit_, Edge{});
    }
    for (NodeId node : body_.access) {
      if (state_.in(node).empty()) state_.connect(outer_, node, Edge{});
      if (state_.out(node).empty()) state_.connect(node, outer_exit_, Edge{});
    }
  }

  Sdfg& sdfg_;
  State& state_;
  Facts& facts_;
  MapEnds ends_;
  MapEntry map_;  ///< a copy: the node goes
  MapBody body_;
  std::set<EdgeId> handed_on_;  ///< from tasklet to tasklet
  std::set<NodeId> access_nodes_;                        ///< of the body
  std::map<std::string, std::vector<NodeId>> nodes_of_;  ///< the same, by container
  NodeId outer_, outer_exit_;  ///< the scope around; none at the top level
  bool shares_ = false;        ///< see is_met_elsewhere
  std::vector<std::string> outer_params_;
  std::vector<MapEnds> parts_;
};

/// Splits the maps of one state, outer ones first.
class StateFission {
 public:
  StateFission(Sdfg& sdfg, State& state, const Trail& trail, const MapFission::Options& options,
               PassContext& context, std::optional<Facts>& facts, LazyAliases& aliases)
      : sdfg_(sdfg),
        state_(state),
        trail_(trail),
        options_(options),
        context_(context),
        facts_(facts),
        aliases_(aliases) {}

  /// Gives the entries of the maps that came out.
  std::vector<NodeId> run() {
    std::vector<NodeId> made;
    bool changed = true;
    // What is split moves the maps inside into other scopes, so each level needs a new tree once
    // anything has changed.
    for (std::size_t depth = 0, levels = 1; depth < levels; ++depth) {
      if (changed) look();
      levels = by_depth_.size();
      const std::size_t before = made.size();
      if (depth < levels)
        for (const MapEnds ends : by_depth_[depth])
          if (!split(ends, made)) return made;
      changed = made.size() != before;
    }
    return made;
  }

 private:
  void look() {
    by_depth_.clear();
    children_.clear();
    tree_ = scope_tree_of(state_);
    for (NodeId n : state_.nodes())
      if (const NodeId parent = tree_.parent_of(n)) children_[parent].push_back(n);
    std::map<NodeId, std::size_t> depth;
    for (const MapEnds ends : maps_of(state_, tree_, {})) {
      const auto around = depth.find(tree_.parent_of(ends.entry));
      const std::size_t at = depth[ends.entry] = around == depth.end() ? 0 : around->second + 1;
      if (by_depth_.size() <= at) by_depth_.resize(at + 1);
      by_depth_[at].push_back(ends);
    }
  }

  /// False when the limit on applications is reached.
  bool split(MapEnds ends, std::vector<NodeId>& made) {
    const auto& map = state_.get<MapEntry>(ends.entry);
    if (!options_.maps.empty() &&
        std::ranges::find(options_.maps, map.label) == options_.maps.end())
      return true;
    if (!facts_) facts_.emplace(sdfg_, aliases_);
    const Trail here = trail_.in(state_, ends.entry);
    Fission fission(sdfg_, state_, *facts_, ends);
    if (const Refusal why = fission.check(tree_, children_[ends.entry])) {
      context_.refused(here, why);
      return true;
    }
    if (!context_.may_apply()) return false;
    context_.applied(here, "split the map " + describe(map));
    const std::vector<NodeId> parts = fission.apply();
    made.insert(made.end(), parts.begin(), parts.end());
    return true;
  }

  Sdfg& sdfg_;
  State& state_;
  const Trail& trail_;
  const MapFission::Options& options_;
  PassContext& context_;
  ScopeTree tree_;
  std::map<NodeId, std::vector<NodeId>> children_;
  std::vector<std::vector<MapEnds>> by_depth_;
  std::optional<Facts>& facts_;  ///< of the SDFG, made when first needed
  LazyAliases& aliases_;
};

}  // namespace

Result<Changed> MapFission::run(Sdfg& root, const Options& options, PassContext& context) {
  Changed changed = Changed::No;
  LazyAliases aliases(root);
  std::map<const Sdfg*, std::optional<Facts>> facts;  // looked up, never iterated
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    if (!scope_tree(state)) return;
    const std::vector<NodeId> split =
        StateFission(sdfg, state, trail, options, context, facts[&sdfg], aliases)
            .run();
    std::vector<NodeId> entries;
    for (NodeId entry : split)
      if (state.contains(entry)) entries.push_back(entry);
    propagate_memlets(sdfg, state, entries);
    if (!split.empty()) changed = Changed::Yes;
  });
  return changed;
}

}  // namespace sdfg
