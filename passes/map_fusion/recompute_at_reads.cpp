#include "passes/map_fusion/recompute_at_reads.h"

#include <algorithm>

#include "ir/analysis/propagate.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/reroute.h"
#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/map_fusion/fusion_walk.h"
#include "passes/map_fusion/recompute_cost.h"
#include "passes/map_fusion/slice_sdfg.h"
#include "passes/map_fusion/writing_iteration.h"
#include "passes/split/conflict_order.h"

namespace sdfg {
namespace {

/// One element of the result that an iteration of a reader reads, and through which edges.
struct Element {
  Subset subset;
  Substitution params;            ///< of the first map, in terms of the reader's
  std::optional<Expr> condition;  ///< of the first map's parameters: it has written the element
  std::vector<std::pair<std::string, EdgeId>> edges;  ///< with the port of the reader
};
struct Reader {
  FusionMap* map;
  std::vector<Element> elements;
};

/// A result of a map, which all of its readers could compute.
class Recomputation {
 public:
  Recomputation(FusionMaps& maps, NodeId producer, const ScopeNester& nester,
                const RecomputeAtReads::Options& options)
      : maps_(maps),
        site_(maps.site()),
        state_(site_.state),
        first_(maps.at(producer)),
        nester_(nester),
        options_(options) {}

  /// With `from_stored`, what the first map stores is loaded rather than computed again, even by
  /// those that have not read it before.
  Refusal check(const std::string& port, bool from_stored) {
    if (Refusal why = check_first()) return why;
    const auto is_at_hand = [&](NodeId node) {
      return (from_stored || all_read(first_.out.at(port).node, node)) && is_written_once(node);
    };
    if (Refusal why = find_slice(site_, first_, port, is_at_hand, slice_)) return why;
    if (Refusal why = check_connectors(state_, slice_.nodes, {first_.entry})) return why;
    if (Refusal why = check_alone()) return why;
    if (Refusal why = check_container()) return why;
    if (Refusal why = find_readers()) return why;
    for (const Reader& reader : readers_)
      if (Refusal why = check_reader(*reader.map)) return why;
    return check_cost();
  }
  bool has_stored() const { return !slice_.stored.empty(); }

  /// `conflicts`: of the state, when its accesses were the first ones.
  void apply(ConflictOrder& conflicts) {
    for (const Reader& reader : readers_) {
      for (const Element& element : reader.elements) compute(*reader.map, element, conflicts);
      keep_in_scope(reader.map->entry);
      maps_.mark_stale(reader.map->entry);
    }
    const NodeId entry = first_.entry;
    if (erase_result(site_, first_, slice_, maps_.unused))
      keep_in_scope(entry), maps_.mark_stale(entry);
    else
      maps_.forget(entry, readers_.front().map->entry);
    if (state_.in(slice_.node).empty()) {  // edges that only say when were beside reads of readers
      for (EdgeId e : std::vector(state_.out(slice_.node).begin(), state_.out(slice_.node).end()))
        state_.erase(e);
      site_.accesses.remove(state_, slice_.node);
      site_.order.erased(slice_.node), state_.erase(slice_.node);
      maps_.unused.insert(slice_.container);
    }
  }

  const std::vector<Reader>& readers() const { return readers_; }
  const std::string& done() const { return done_; }

 private:
  const MapEntry& entry(const FusionMap& map) const { return state_.get<MapEntry>(map.entry); }

  // ---- Checks.

  /// Does everybody who reads the one node read the other one, too?
  bool all_read(NodeId node, NodeId other) const {
    return std::ranges::all_of(state_.out(node), [&](EdgeId e) {
      return std::ranges::any_of(state_.out(other),
                                 [&](EdgeId o) { return state_.target(o) == state_.target(e); });
    });
  }
  /// Is what the first map writes there still there whenever somebody reads it?
  bool is_written_once(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    return access && state_.in(node).size() == 1 && site_.accesses.is_single_use(access->data);
  }

  Refusal check_first() const {
    const std::string who = "map '" + entry(first_).label + "'";
    if (!first_.unfit.empty()) return who + ": " + first_.unfit;
    if (entry(first_).instrument != Instrumentation::None) return who + " is instrumented";
    if (!first_.dynamic.empty()) return who + " has dynamic range inputs";
    if (first_.side_effects) return who + " has side effects";
    return {};
  }

  /// Where the first map goes, its readers would have to take its place among what waits.
  Refusal check_alone() const {
    if (first_.out.size() > 1) return {};
    const std::string who = "map '" + entry(first_).label + "'";
    if (find_scope(state_, first_.entry)->nodes.size() != slice_.nodes.size())
      return who + " does something without a result";
    for (EdgeId e : state_.in(first_.entry))
      if (state_[e].memlet.empty()) return who + " waits for something";
    for (EdgeId e : state_.out(first_.exit))
      if (state_[e].memlet.empty()) return "something waits for " + who;
    return {};
  }

  Refusal check_container() {
    const std::string& name = slice_.container;
    if (!site_.sdfg.find_data(name)->transient || !site_.accesses.is_single_use(name))
      return "'" + name + "' is used elsewhere, too";
    const EdgeId mine = first_.out.at(slice_.port).outer;
    for (EdgeId e : state_.in(slice_.node)) {
      if (e == mine) continue;
      const auto &a = state_[e].memlet.dst_subset, &b = state_[mine].memlet.dst_subset;
      if (state_[e].memlet.empty()) return "'" + name + "' waits for something else";
      const bool apart = a && b && intersects(*a, *b, site_.assumptions) == Truth::No;
      if (!apart) return "somebody else may write the same elements of '" + name + "'";
      alone_ = false;
    }
    return {};
  }

  Refusal find_readers() {
    std::set<NodeId> entries;
    for (EdgeId e : state_.out(slice_.node)) {
      if (state_[e].memlet.empty()) continue;
      if (!state_[state_.target(e)].is<MapEntry>())
        return "not only maps read '" + slice_.container + "'";
      entries.insert(state_.target(e));
    }
    for (EdgeId e : state_.out(slice_.node))
      if (!entries.contains(state_.target(e)))
        return "'" + std::string(state_[state_.target(e)].label()) + "' waits for '" +
               slice_.container + "'";
    for (NodeId n : entries) {
      Reader reader{&maps_.at(n), {}};
      if (!reader.map->unfit.empty())
        return "map '" + entry(*reader.map).label + "': " + reader.map->unfit;
      if (Refusal why = check_hidden_names(site_, first_, *reader.map)) return why;
      if (Refusal why = find_elements(reader)) return why;
      if (!reader.elements.empty()) readers_.push_back(std::move(reader));
    }
    return readers_.empty() ? Refusal("nobody reads '" + slice_.container + "'") : Refusal();
  }

  Refusal find_elements(Reader& reader) {
    const std::string& name = slice_.container;
    const std::string who = "map '" + entry(*reader.map).label + "'";
    Assumptions inside = site_.assumptions;
    assume_scope(entry(*reader.map), inside);
    for (const auto& [port_name, port] : reader.map->in) {
      if (port.node != slice_.node) continue;
      for (EdgeId e : port.inner) {
        const auto read = inner_subset(site_, e, port, true);
        if (!read) return "which part of '" + name + "' " + who + " reads cannot be told";
        if (!(num_elements(*read) == Expr(1)))
          return who + " reads " + text(name, *read) + ", which is more than one element";
        if (Refusal why = check_end(e, *read)) return why;
        const auto known = std::ranges::find(reader.elements, *read, &Element::subset);
        if (known != reader.elements.end()) {
          known->edges.emplace_back(port_name, e);
          continue;
        }
        Element element{*read, {}, {}, {{port_name, e}}};
        bool elsewhere = false;
        if (Refusal why = solve(element, inside, elsewhere)) return why;
        if (!elsewhere) reader.elements.push_back(std::move(element));
      }
    }
    return {};
  }

  /// Does what is behind the edge take one value?
  Refusal check_end(EdgeId e, const Subset& read) const {
    const Node& end = state_[state_.target(e)];
    const std::string& connector = state_[e].dst_connector;
    const std::string by_address =
        "'" + std::string(end.label()) + "' takes '" + slice_.container + "' by address";
    if (const auto* nested = end.as<NestedSdfg>()) {
      const Data* inside = nested->sdfg ? (*nested->sdfg)->find_data(connector) : nullptr;
      if (!inside || !(num_elements(Subset::whole(inside->shape)) == Expr(1))) return by_address;
      return Relayout(Relayout::Mode::Check)
          .follow(site_.sdfg, state_, e, true, read, value_strides(), &site_.accesses);
    }
    const auto type = end.in_connectors.find(connector);
    if ((!end.is<Tasklet>() && !end.is<AccessNode>()) ||
        (type != end.in_connectors.end() && type->second.is_pointer()))
      return by_address;
    return {};
  }
  /// A single value has no strides.
  NewStrides value_strides() const {
    const Data& before = *site_.sdfg.find_data(slice_.container);
    return {before, std::vector<std::optional<Expr>>(before.shape.size())};
  }

  /// Which iteration of the first map wrote the element, if one did?
  Refusal solve(Element& element, const Assumptions& inside, bool& elsewhere) const {
    const MapEntry& map = entry(first_);
    const std::string what = text(slice_.container, element.subset);
    auto params = possible_iteration(map, slice_.written, element.subset);
    if (!params) return "which iteration wrote " + what + " cannot be told";
    element.params = *std::move(params);
    const Subset written = substitute(slice_.written, element.params);
    if (!(written == element.subset)) {
      elsewhere = intersects(written, element.subset, inside) == Truth::No;
      return elsewhere ? Refusal() : Refusal("which iteration wrote " + what + " cannot be told");
    }
    for (std::size_t k = 0; k < map.params.size(); ++k) {
      const Expr& at = element.params.at(map.params[k]);
      const Expr param = Expr::symbol(map.params[k]);
      const Range& r = map.ranges[k];
      if (!(r.step == Expr(1))) return "map '" + map.label + "' takes steps";
      if (certain(less(at, r.begin, inside)) || certain(less(r.end, at, inside))) elsewhere = true;
      if (elsewhere && !alone_) return {};
      const auto require = [&](const Expr& low, const Expr& high, const Expr& condition) {
        if (certain(less_equal(low, high, inside))) return;
        element.condition =
            element.condition ? logical_and(*element.condition, condition) : condition;
      };
      require(r.begin, at, compare_expr(Op::Le, r.begin, param));
      require(at, r.end, compare_expr(Op::Le, param, r.end));
    }
    if (element.condition && alone_) return "that " + what + " has been written is not certain";
    return {};
  }

  Refusal check_reader(const FusionMap& reader) const {
    if (entry(reader).schedule != entry(first_).schedule) return "the schedules differ";
    return check_later_inputs(site_, first_, reader, "map '" + entry(reader).label + "' runs",
                              &slice_.inputs);
  }

  Refusal check_cost() {
    RecomputeCost cost(site_, first_, slice_, options_.assumed_extent, options_.load_bytes);
    std::size_t copies = 0;
    for (const Reader& reader : readers_) {
      cost.add_reader(*reader.map, reader.elements.size());
      copies += reader.elements.size();
    }
    const std::string where = "'" + slice_.container + "' where it is read, in " +
                              std::to_string(copies) + (copies == 1 ? " copy" : " copies");
    done_ = "computed " + where + ": " + cost.text();
    if (!cost.pays()) return "computing " + where + ", would move more: " + cost.text();
    const std::size_t nodes = nodes_at_any_depth() * copies;
    return nodes > std::size_t(options_.most_nodes)
               ? Refusal("the copies would have " + std::to_string(nodes) + " nodes")
               : Refusal();
  }

  /// Those of the slice and of its nested SDFGs.
  std::size_t nodes_at_any_depth() const {
    std::size_t count = slice_.nodes.size();
    for (NodeId n : slice_.nodes)
      if (const auto* nested = state_[n].as<NestedSdfg>(); nested && nested->sdfg)
        for_each_sdfg(**nested->sdfg, [&](const Sdfg& inner) {
          for_each_state(inner, [&](const State& body) { count += body.node_count(); });
        });
    return count;
  }

  // ---- Rewriting.

  void compute(FusionMap& reader, const Element& element, ConflictOrder& conflicts) {
    const std::string stored = site_.sdfg.fresh_name(slice_.container + "_stored");
    Node node{
        slice_sdfg(site_, first_, slice_, nester_, element.params, element.condition, stored)};
    const std::string held = site_.sdfg.fresh_name(slice_.container + "_local");
    const Type dtype = site_.sdfg.find_data(slice_.container)->dtype;
    const bool nested = std::ranges::any_of(element.edges, [&](const auto& edge) {
      return state_[state_.target(edge.second)].template is<NestedSdfg>();
    });
    Data one = nested ? Data::array(dtype, {Expr(1)}, true) : Data::scalar(dtype, true);
    one.storage = Storage::Register;
    site_.sdfg.arrays.insert(held, one);
    for (const std::string& name : slice_.inputs) node.in_connectors[first_.in.at(name).container];
    for (const StoredValue& value : slice_.stored)
      node.in_connectors[first_.out.at(value.port).container];
    node.out_connectors[slice_.container];
    if (element.condition) node.in_connectors[stored];
    const NodeId code = add(std::move(node), reader),
                 value = add(Node{AccessNode{.data = held}}, reader);
    reader.inside.insert(held);
    site_.accesses.add(state_, value);
    NameSet passed;
    const auto pass_whole = [&](const std::string& name, const Port& port) {
      if (!passed.insert(port.container).second) return;
      const Memlet whole =
          Memlet::read(port.container, all_elements(*site_.sdfg.find_data(port.container)));
      const std::string input = input_for(state_, site_.order, reader, name, port, whole);
      read(reader, input, code, port.container, whole);
      conflicts.cloned(port.outer, reader.in.at(input).outer);
    };
    for (const std::string& name : slice_.inputs) pass_whole(name, first_.in.at(name));
    for (const StoredValue& value : slice_.stored)
      pass_whole(value.port, first_.out.at(value.port));
    if (element.condition)
      read(reader, element.edges.front().first, code, stored,
           Memlet::read(slice_.container, element.subset));
    if (state_.in(code).empty()) connect(reader.entry, code, Edge{});
    connect(code, value, Edge{slice_.container, "", Memlet::write(held, Subset::index({Expr(0)}))});
    Reroute reroute(site_.sdfg, state_, site_.accesses,
                    {slice_.container, held, Placement::single()});
    for (const auto& [port, edge] : element.edges) {
      reroute.move(edge, reader.entry, value);
      state_[edge].src_connector.clear();
      site_.order.connected(edge);
      std::erase(reader.in.at(port).inner, edge);
      if (reader.in.at(port).inner.empty()) drop_port(state_, reader, true, port);
    }
  }

  /// A map without inputs hangs on the scope around.
  void keep_in_scope(NodeId entry) {
    const NodeId around = site_.order.scope_of(entry);
    if (around && state_.in(entry).empty()) connect(around, entry, Edge{});
  }

  NodeId add(Node node, const FusionMap& reader) {
    const NodeId id = state_.add(std::move(node));
    site_.order.added(id, reader.entry);
    return id;
  }
  EdgeId connect(NodeId from, NodeId to, Edge edge) {
    const EdgeId id = state_.connect(from, to, std::move(edge));
    site_.order.connected(id);
    return id;
  }
  void read(FusionMap& reader, const std::string& port, NodeId node, const std::string& connector,
            Memlet memlet) {
    reader.in.at(port).inner.push_back(
        connect(reader.entry, node, Edge{"OUT_" + port, connector, std::move(memlet)}));
  }

  FusionMaps& maps_;
  const FusionSite& site_;
  State& state_;
  FusionMap& first_;
  const ScopeNester& nester_;
  const RecomputeAtReads::Options& options_;
  ValueSlice slice_;
  bool alone_ = true;  ///< nobody else writes the container
  std::vector<Reader> readers_;
  std::string done_;
};

/// A map that reads what goes through a port of another one; none, when none does.
NodeId reading_map(const FusionSite& site, const Port& port) {
  if (site.state[port.node].is<AccessNode>())
    for (EdgeId e : site.state.out(port.node))
      if (site.state[site.state.target(e)].is<MapEntry>()) return site.state.target(e);
  return {};
}

}  // namespace

Result<Changed> RecomputeAtReads::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  struct Candidate {
    std::int64_t bytes;  ///< of the result
    NodeId producer, reader;
    std::string port;
  };
  // Knows the types of symbols, which stay. Nested SDFGs come and go.
  std::optional<ScopeNester> of_root;
  const auto visit = [&](FusionMaps& maps, const std::vector<NodeId>& entries) {
    const FusionSite& site = maps.site();
    std::vector<Candidate> candidates;
    for (NodeId producer : entries)
      for (const auto& [name, port] : maps.at(producer).out)
        if (const NodeId reader = reading_map(site, port); reader && !port.container.empty())
          candidates.push_back(
              {expected_bytes(site, port, options.assumed_extent), producer, reader, name});
    // Of several maps that write parts of one container, the one that writes most of it.
    std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::bytes);
    std::optional<ScopeNester> of_nested;
    std::optional<ScopeNester>& nester = &site.sdfg == &sdfg ? of_root : of_nested;
    std::optional<ConflictOrder> conflicts;
    for (const auto& [bytes, producer, reader, port] : candidates) {
      if (maps.current(producer) != producer || !maps.at(producer).out.contains(port)) continue;
      if (!nester) nester.emplace(site.sdfg);
      Recomputation all(maps, producer, *nester, options), part(maps, producer, *nester, options);
      Refusal why = all.check(port, false);
      const bool from_stored = why && !part.check(port, true) && part.has_stored();
      Recomputation& recomputation = from_stored ? part : all;
      if (from_stored) why = {};
      if (!why && !conflicts) conflicts.emplace(site.sdfg, site.state, site.assumptions);
      if (!why) why = conflicts->refusal();
      if (maps.announce(producer, maps.current(reader), why, recomputation.done()))
        recomputation.apply(*conflicts);
    }
    // What came after a reader need not come after the first map any more.
    if (conflicts) conflicts->restore(site.sdfg, site.state, site.assumptions);
  };
  return walk_scopes(sdfg, {options.only_toplevel_maps, false}, {}, context, visit);
}

}  // namespace sdfg
