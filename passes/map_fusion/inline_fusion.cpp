#include "passes/map_fusion/inline_fusion.h"

#include <algorithm>

#include "ir/replace.h"
#include "passes/common/assume.h"
#include "passes/common/order_edge.h"
#include "passes/common/outputs_read.h"
#include "passes/common/reroute.h"
#include "passes/common/scope.h"
#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/map_fusion/fusion_walk.h"
#include "passes/map_fusion/writing_iteration.h"

namespace sdfg {
namespace {

/// One element of the result that an iteration of the second map reads, and who reads it.
struct Element {
  Subset subset;
  Substitution params;  ///< of the first map, in terms of the second's
  std::vector<EdgeId> readers;
};

class Inliner {
 public:
  Inliner(const FusionSite& site, FusionMap& first, FusionMap& second,
          const InlineFusion::Options& options)
      : site_(site), state_(site.state), first_(first), second_(second), options_(options) {}

  Refusal check() {
    if (Refusal why = check_first()) return why;
    if (Refusal why = check_hidden_names(site_, first_, second_)) return why;
    if (Refusal why = collect_elements()) return why;
    if (Refusal why = check_later_inputs(site_, first_, second_, "the second one runs")) return why;
    return check_cost();
  }

  /// The memlets around the second map have to be propagated then.
  void apply(SymbolSet& unused) {
    for (const Element& element : elements_) copy_for(element);
    for (const std::string& in : in_ports_) drop_port(state_, second_, true, in);
    // Whoever writes the result again, behind the second map, still waits for the first one.
    if (stays_) return order(site_.sdfg, state_, node_, second_.entry);
    erase_first();
    unused.insert(container_);
  }
  /// Is the first map still there afterwards?
  bool stays() const { return stays_; }

  std::size_t copies() const { return elements_.size(); }
  const std::string& container() const { return container_; }

 private:
  const MapEntry& entry(const FusionMap& map) const { return state_.get<MapEntry>(map.entry); }

  Refusal check_first() {
    for (const FusionMap* map : {&first_, &second_})
      if (!map->unfit.empty()) return "map '" + entry(*map).label + "': " + map->unfit;
    if (entry(first_).schedule != entry(second_).schedule) return "the schedules differ";
    if (first_.out.size() != 1 || first_.out.begin()->second.inner.size() != 1)
      return "the first map writes more than one value";
    if (!first_.dynamic.empty()) return "the first map has dynamic range inputs";
    if (first_.side_effects) return "the first map has side effects";
    for (EdgeId e : state_.in(first_.entry))
      if (state_[e].memlet.empty()) return "the first map waits for something";
    if (state_.out(first_.exit).size() != 1) return "something waits until the first map has read";
    const Port& port = first_.out.begin()->second;
    node_ = port.node, container_ = port.container, write_ = port.inner[0];
    const Data* data = site_.sdfg.find_data(container_);
    if (!port.direct || state_.in(node_).size() != 1)
      return "'" + container_ + "' is not written by the first map alone";
    if (!data->transient || !site_.accesses.is_single_use(container_)) stays_ = true;
    for (EdgeId e : state_.out(node_))
      if (state_.target(e) != second_.entry || state_[e].memlet.empty()) stays_ = true;
    if (stays_ && !options_.shared) return "'" + container_ + "' is used elsewhere, too";
    for (const AccessSite& other : site_.accesses.sites(container_))
      if (other.state == &state_ && other.node != node_ && !state_.in(other.node).empty() &&
          !site_.order.reaches(other.node, first_.entry) &&
          !site_.order.reaches(second_.exit, other.node))
        return "'" + container_ + "' may be written again before the second map reads it";
    const Memlet& memlet = state_[write_].memlet;
    if (memlet.dynamic || combines(state_, write_))
      return "the first map combines values or may not write";
    const auto written = inner_subset(site_, write_, port, false);
    if (!written || !(num_elements(*written) == Expr(1)))
      return "the first map writes more than one element";
    written_ = *written;
    scope_ = *find_scope(state_, first_.entry);
    for (NodeId n : scope_.nodes) {
      const auto* access = state_[n].as<AccessNode>();
      const Data* inner = access ? site_.sdfg.find_data(access->data) : nullptr;
      const bool local = inner && inner->is_scalar() && inner->transient &&
                         site_.accesses.is_single_use(access->data);
      if (!state_[n].is<Tasklet>() && !local)
        return "'" + std::string(state_[n].label()) + "' inside is more than a tasklet or a scalar";
    }
    return {};
  }

  Refusal collect_elements() {
    for (const auto& [name, port] : second_.in) {
      if (port.node != node_) continue;
      in_ports_.push_back(name);
      for (EdgeId e : port.inner) {
        const auto read = inner_subset(site_, e, port, true);
        if (!read) return "which part of '" + container_ + "' the second map reads cannot be told";
        if (!(num_elements(*read) == Expr(1)))
          return "the second map reads " + text(container_, *read) +
                 ", which is more than one element";
        const Node& reader = state_[state_.target(e)];
        const auto type = reader.in_connectors.find(state_[e].dst_connector);
        const bool by_address = type != reader.in_connectors.end() && type->second.is_pointer();
        if (by_address || (!reader.is<Tasklet>() && !reader.is<AccessNode>()))
          return "'" + std::string(reader.label()) + "' takes '" + container_ + "' by address";
        const auto known = std::ranges::find(elements_, *read, &Element::subset);
        if (known != elements_.end()) {
          known->readers.push_back(e);
          continue;
        }
        Element element{*read, {}, {e}};
        if (Refusal why = solve(element)) return why;
        elements_.push_back(std::move(element));
      }
    }
    return {};
  }

  /// Which iteration of the first map wrote the element? It must be one that the map has.
  Refusal solve(Element& element) {
    const std::string what = text(container_, element.subset);
    const auto iteration = writing_iteration(entry(first_), written_, element.subset);
    if (!iteration) return "which iteration wrote " + what + " cannot be told";
    element.params = *iteration;
    Assumptions inside = site_.assumptions;
    assume_scope(entry(second_), inside);
    if (uncertain_parameter(entry(first_), element.params, inside))
      return "that " + what + " has been written is not certain";
    return check_substitution(site_.sdfg, state_, scope_, element.params);
  }

  Refusal check_cost() const {
    const std::size_t nodes = scope_.nodes.size() * elements_.size();
    if (nodes > std::size_t(options_.most_nodes))
      return "the copies would have " + std::to_string(nodes) + " nodes";
    std::size_t inputs = 0;
    for (const auto& [name, port] : first_.in) inputs += port.inner.size();
    const std::size_t before = inputs + 1 + elements_.size(), after = inputs * elements_.size();
    if (after > before && !options_.always)
      return "an iteration would move " + std::to_string(after) + " elements, now " +
             std::to_string(before);
    return {};
  }

  // ---- Rewriting.

  void copy_for(const Element& element) {
    std::map<NodeId, NodeId> copies;
    ByName<std::string> names;
    for (NodeId n : scope_.nodes) {
      Node node = state_[n];
      if (auto* tasklet = node.as<Tasklet>())
        tasklet->code = with_parameters(node, element.params, site_.sdfg.symbols);
      if (auto* access = node.as<AccessNode>()) {
        const std::string fresh = site_.sdfg.fresh_name(access->data);
        site_.sdfg.arrays.insert(fresh, Data(*site_.sdfg.find_data(access->data)));
        names[access->data] = fresh;
        access->data = fresh;
      }
      copies[n] = add(std::move(node));
    }
    const std::string held = site_.sdfg.fresh_name(container_ + "_local");
    Data scalar = Data::scalar(site_.sdfg.find_data(container_)->dtype, true);
    scalar.storage = Storage::Register;
    site_.sdfg.arrays.insert(held, scalar);
    const NodeId value = add(Node{AccessNode{.data = held}});
    for (NodeId n : scope_.nodes)
      for (EdgeId e : std::vector<EdgeId>(state_.out(n).begin(), state_.out(n).end()))
        if (const auto to = copies.find(state_.target(e)); to != copies.end())
          connect(copies[n], to->second, copy_of(e, element, names));
        else if (e == write_)
          connect(copies[n], value, result_of(e, element, names, held));
        else
          connect(copies[n], value, Edge{});
    for (const auto& [name, port] : first_.in) copy_input(name, port, element, names, copies);
    // An edge to the exit says nothing.
    for (EdgeId e : state_.out(first_.entry))
      if (const auto to = copies.find(state_.target(e));
          to != copies.end() && state_[e].memlet.empty())
        connect(second_.entry, to->second, Edge{});
    Reroute reroute(site_.sdfg, state_, site_.accesses, {container_, held, Placement::single()});
    for (EdgeId e : element.readers) {
      reroute.move(e, second_.entry, value);
      state_[e].src_connector.clear();
      site_.order.connected(e);
    }
  }

  NodeId add(Node node) {
    const bool access = node.is<AccessNode>();
    if (access) second_.inside.insert(node.as<AccessNode>()->data);
    const NodeId id = state_.add(std::move(node));
    site_.order.added(id, second_.entry);
    if (access) site_.accesses.add(state_, id);
    return id;
  }
  EdgeId connect(NodeId from, NodeId to, Edge edge) {
    const EdgeId id = state_.connect(from, to, std::move(edge));
    site_.order.connected(id);
    return id;
  }

  using Names = ByName<std::string>;
  Edge copy_of(EdgeId e, const Element& element, const Names& names) const {
    Edge edge = state_[e];
    Memlet& memlet = edge.memlet;
    replace_symbols(memlet, element.params);
    if (const auto name = names.find(memlet.data); name != names.end()) memlet.data = name->second;
    return edge;
  }
  Edge result_of(EdgeId e, const Element& element, const Names& names,
                 const std::string& held) const {
    Edge edge = copy_of(e, element, names);
    edge.dst_connector.clear();
    if (edge.memlet.data == container_) edge.memlet.data = held;
    if (edge.memlet.dst_subset) edge.memlet.dst_subset = Subset::index({Expr(0)});
    return edge;
  }

  void copy_input(const std::string& name, const Port& port, const Element& element,
                  const Names& names, const std::map<NodeId, NodeId>& copies) {
    const std::string& here = input_of(name, port);
    for (EdgeId e : port.inner) {
      Edge edge = copy_of(e, element, names);
      edge.src_connector = "OUT_" + here;
      second_.in.at(here).inner.push_back(
          connect(second_.entry, copies.at(state_.target(e)), std::move(edge)));
    }
  }

  /// The port of the second map through which it reads what the first one read there.
  const std::string& input_of(const std::string& name, const Port& port) {
    const auto [known, added] = inputs_.try_emplace(name);
    if (added)
      known->second =
          input_for(state_, site_.order, second_, name, port, state_[port.outer].memlet);
    return known->second;
  }

  void erase_first() {
    std::vector<NodeId> gone = scope_.nodes;
    gone.insert(gone.end(), {node_, first_.exit, first_.entry});
    for (NodeId n : gone) {
      if (const auto* access = state_[n].as<AccessNode>()) {
        if (n != node_) dead_.insert(access->data);
        site_.accesses.remove(state_, n);
      }
    }
    // A source that only the first map read.
    for (const auto& [name, port] : first_.in) state_.erase(port.outer);
    for (NodeId n : gone) site_.order.erased(n), state_.erase(n);
  }

 public:
  SymbolSet dead_;  ///< containers of the first map's body

 private:
  const FusionSite& site_;
  State& state_;
  FusionMap &first_, &second_;
  const InlineFusion::Options& options_;
  NodeId node_;            ///< between the maps
  std::string container_;  ///< of that node
  bool stays_ = false;     ///< somebody else needs what the first map writes
  EdgeId write_;
  Subset written_;
  Scope scope_;
  std::vector<std::string> in_ports_;
  std::vector<Element> elements_;
  std::map<std::string, std::string> inputs_;  ///< port of the first map: of the second
};

}  // namespace

Result<Changed> InlineFusion::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  const auto visit = [&](FusionMaps& maps, const std::vector<NodeId>& entries) {
    for_each_producer(
        maps, entries, [&](NodeId producer, NodeId consumer) -> std::optional<NodeId> {
          Inliner inliner(maps.site(), maps.at(producer), maps.at(consumer), options);
          const Refusal why = inliner.check();
          if (!maps.announce(
                  producer, consumer, why,
                  "computed here, " + std::to_string(inliner.copies()) + " times an iteration"))
            return std::nullopt;
          inliner.apply(maps.unused);
          maps.unused.merge(inliner.dead_);
          if (!inliner.stays()) maps.forget(producer, consumer);
          maps.mark_stale(consumer);
          return consumer;
        });
  };
  return walk_scopes(sdfg, {options.only_toplevel_maps, options.only_inner_maps}, {}, context,
                     visit);
}

}  // namespace sdfg
