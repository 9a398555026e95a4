#include "passes/map_fusion/map_fusion_into_scan.h"

#include <algorithm>
#include <memory>
#include <set>

#include "ir/analysis/propagate.h"
#include "ir/graph_algorithms.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/blocks.h"
#include "passes/common/outputs_read.h"
#include "passes/common/scope.h"
#include "passes/loops/nest_scope.h"
#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/map_fusion/fusion_walk.h"
#include "passes/map_fusion/scan_body.h"
#include "passes/map_fusion/writing_iteration.h"

namespace sdfg {
namespace {

/// A container that the first map writes, and the connector through which the scan reads it.
struct Handed {
  std::string container;
  NodeId node;       ///< between the maps
  Subset written;    ///< by one iteration of the first map
  std::string port;  ///< of the second map
  EdgeId edge;       ///< from its entry to the nested SDFG
  std::string connector;
  LoopRead read;
};

bool has_loop_inside(const Node& node) {
  const auto* nested = node.as<NestedSdfg>();
  return nested && nested->sdfg && has_loop(**nested->sdfg);
}

/// Takes the first map's work into the second's scan.
class Mover {
 public:
  Mover(const FusionSite& site, FusionMap& first, FusionMap& second)
      : site_(site), state_(site.state), first_(first), second_(second) {}

  /// A nested SDFG with a loop that reads what the first map writes; without one there is nothing
  /// to ask.
  std::optional<NodeId> find_scan() const {
    for (const auto& [name, out] : first_.out)
      if (const auto reads = second_.reads.find(out.container); reads != second_.reads.end())
        for (const std::string& in : reads->second.all())
          for (EdgeId e : second_.in.at(in).inner)
            if (const NodeId reader = state_.target(e); has_loop_inside(state_[reader]))
              return reader;
    return std::nullopt;
  }

  Refusal check(NodeId scan) {
    for (const FusionMap* map : {&first_, &second_})
      if (!map->unfit.empty()) return "map '" + entry(*map).label + "': " + map->unfit;
    if (!state_.get<NestedSdfg>(scan).unique_name->empty())
      return "the scan shares its code with others";
    if (entry(first_).schedule != entry(second_).schedule) return "the schedules differ";
    if (entry(first_).instrument != Instrumentation::None) return "the first map is instrumented";
    if (!first_.dynamic.empty()) return "the first map has dynamic range inputs";
    if (first_.side_effects) return "the first map has side effects";
    for (const auto& [name, port] : first_.out)
      if (Refusal why = find_reader(port, scan)) return why;
    const auto around = [&](EdgeId e) {
      return state_.target(e) != second_.entry ||
             std::ranges::find(handed_, state_.source(e), &Handed::node) == handed_.end();
    };
    if (site_.order.reaches(first_.exit, second_.entry, around))
      return "something else lies on a path from the first map to the second";
    return {};
  }

  Refusal check(ScanBody& scan, const ScopeNester& nester) {
    for (Handed& h : handed_) {
      if (Refusal why = scan.find_read(site_, h.edge, h.read)) return why;
      if (h.read.loop != handed_.front().read.loop) return "the values are read in several loops";
    }
    if (Refusal why = check_hidden_names(site_, first_, second_)) return why;
    if (Refusal why = solve(scan)) return why;
    if (Refusal why = check_later_inputs(site_, first_, second_, "the scan reads it"))
      return why;
    return prepare(scan, nester);
  }

  /// The memlets around the second map have to be propagated then.
  void apply(ScanBody& scan, SymbolSet& unused) {
    Sdfg& one = **piece_.sdfg;
    State& moved = *one[*start(one)].as<State>();
    replace_symbols(one, inner_values_);
    scan.pass_symbols(inner_names_, types_);
    for (auto& [name, constant] : one.constants) {
      const auto renamed = inner_values_.find(name);
      scan.sdfg().constants.insert(renamed == inner_values_.end() ? name : renamed->second.name(),
                                   std::move(constant));
    }
    Renaming names;
    for (auto& [name, data] : one.arrays) names[name] = declare(scan, name, std::move(data));
    for (const Handed& h : handed_) become_scalar(moved, h.container);
    rename_data(moved, names);
    for (const Handed& h : handed_) {
      scan.read_scalar(h.read, h.connector, names.at(h.container));
      state_.erase(h.edge);
      drop_port(state_, second_, true, h.port);
    }
    put_first(*handed_.front().read.loop, std::move(one[*start(one)]), entry(first_).label);
    erase_first(unused);
    if (state_.in(scan.node()).empty())  // nothing but an edge keeps it in the map then
      site_.order.connected(state_.connect(second_.entry, scan.node(), Edge{}));
  }

  /// What has been done, for the remark.
  std::string done() const {
    std::string gone;
    for (const Handed& h : handed_) gone += (gone.empty() ? "'" : ", '") + h.container + "'";
    return "computed in the loop over '" + handed_.front().read.range.variable + "'; without " +
           gone;
  }

 private:
  const MapEntry& entry(const FusionMap& map) const { return state_.get<MapEntry>(map.entry); }

  /// An element that the loop reads, for messages.
  static std::string what(const Handed& h, const ScanBody& scan) {
    return text(h.container,
                substitute(h.read.element, {{scan.level(), Expr::symbol(h.read.range.variable)}}));
  }

  // ---- Checks.

  /// All that one output holds goes to one connector of a nested SDFG in the second map.
  Refusal find_reader(const Port& port, NodeId scan) {
    const std::string& name = port.container;
    const Data* data = site_.sdfg.find_data(name);
    if (!port.direct || state_.in(port.node).size() != 1 || port.inner.size() != 1)
      return "'" + name + "' is not written at one place of the first map alone";
    if (!data->transient || !site_.accesses.is_single_use(name))
      return "'" + name + "' is used elsewhere, too";
    std::vector<std::string> ports;
    for (EdgeId e : state_.out(port.node))
      if (state_.target(e) != second_.entry || state_[e].memlet.empty())
        return "'" + name + "' is used elsewhere, too";
    for (const auto& [in, p] : second_.in)
      if (p.node == port.node) ports.push_back(in);
    if (ports.size() != 1 || second_.in.at(ports[0]).inner.size() != 1)
      return "'" + name + "' has several readers in the second map";
    const EdgeId edge = second_.in.at(ports[0]).inner[0];
    if (state_.target(edge) != scan) return "'" + name + "' goes elsewhere in the second map, too";
    const Memlet& memlet = state_[port.inner[0]].memlet;
    if (memlet.dynamic || combines(state_, port.inner[0]))
      return "the first map combines values or may not write";
    const auto written = inner_subset(site_, port.inner[0], port, false);
    if (!written || !(num_elements(*written) == Expr(1)))
      return "an iteration of the first map does not write one element of '" + name + "'";
    const Node& writer = state_[state_.source(port.inner[0])];
    if (!writer.is<Tasklet>() && !writer.is<AccessNode>())
      return "'" + std::string(writer.label()) + "' takes '" + name + "' by address";
    handed_.push_back({name, port.node, *written, ports[0], edge, state_[edge].dst_connector, {}});
    return {};
  }

  /// Which iteration of the first map wrote what the loop reads? It must be one that the map has,
  /// and no other iteration of the scan may ask for it.
  Refusal solve(const ScanBody& scan) {
    for (const Handed& h : handed_) {
      auto iteration = writing_iteration(entry(first_), h.written, h.read.element);
      if (!iteration) return "which iteration wrote " + what(h, scan) + " cannot be told";
      if (!params_.empty() && *iteration != params_)
        return "an iteration of the loop reads what several iterations of the first map write";
      params_ = *std::move(iteration);
    }
    return check_iterations(scan);
  }

  Refusal check_iterations(const ScanBody& scan) const {
    const LoopRange& loop = handed_.front().read.range;
    Assumptions inside = site_.assumptions;
    assume_scope(entry(second_), inside);
    const Range levels = loop.ascending();
    inside.assume(scan.level(), levels.begin, levels.end);
    const MapEntry& map = entry(first_);
    if (const auto k = uncertain_parameter(map, params_, inside))
      return "that " + what(handed_.front(), scan) +
             " has been written is not certain: the map has '" + map.params[*k] + "' in " +
             to_text(map.ranges[*k]) + ", the loop '" + loop.variable + "' in " + to_text(levels);
    std::vector<std::string> asking = entry(second_).params;
    asking.push_back(scan.level());
    for (const std::string& name : asking)
      if (std::ranges::none_of(params_, [&](const auto& p) { return uses_symbol(p.second, name); }))
        return "iterations that differ in '" + (name == scan.level() ? loop.variable : name) +
               "' read the same element";
    return {};
  }

  /// Makes an SDFG of the first map's body, and chooses what its symbols are called in the scan.
  Refusal prepare(ScanBody& scan, const ScopeNester& nester) {
    scope_ = *find_scope(state_, first_.entry);
    std::vector<NodeId> around;
    for (NodeId s = site_.order.scope_of(first_.entry); s; s = site_.order.scope_of(s))
      around.push_back(s);
    if (Refusal why = check_connectors(state_, scope_.nodes, {first_.entry})) return why;
    Border border;
    if (Refusal why = nester.find_border(state_, scope_, around, border, site_.assumptions))
      return why;
    for (auto& [name, container] : border)
      container.window = all_elements(*site_.sdfg.find_data(name));
    piece_ =
        nester.nest(state_, scope_, border, entry(first_).label, [](Block body) { return body; });
    Sdfg& one = **piece_.sdfg;
    types_ = {one.symbols.begin(), one.symbols.end()};
    SymbolSet outer;
    for (const auto& [param, value] : params_) collect_symbols(value, outer);
    for (const auto& [name, type] : one.symbols)
      if (!params_.contains(name)) outer.insert(name);
    inner_names_ = scan.inner_names(outer, *handed_.front().read.loop);
    for (const auto& [name, type] : one.symbols) {
      const auto param = params_.find(name);
      inner_values_[name] =
          param == params_.end() ? inner_names_.at(name) : substitute(param->second, inner_names_);
    }
    for (const auto& [name, constant] : one.constants)
      if (const std::string inner = scan.inner_name(name, constant); inner != name)
        inner_values_[name] = Expr::symbol(inner);
    for (NodeId n : scope_.nodes)
      if (state_[n].is<Tasklet>() && !scan.admit(state_[n]))
        return "a connector of tasklet '" + std::string(state_[n].label()) +
               "' has the name of something in the scan";
    return check_substitution(site_.sdfg, state_, scope_, inner_values_);
  }

  // ---- Rewriting.

  /// Declares a container of the moved body in the scan, and says under what name.
  std::string declare(ScanBody& scan, const std::string& name, Data data) {
    const auto handed = std::ranges::find(handed_, name, &Handed::container);
    if (handed != handed_.end()) {
      data = Data::scalar(data.dtype, true);
      data.storage = Storage::Register;
      data.lifetime = Lifetime::Scope;
    } else if (!data.transient) {
      if (const auto known = known_input(scan, name)) return *known;
    }
    const bool input = !data.transient;
    const std::string inside = scan.take_name(name);
    scan.sdfg().arrays.insert(inside, std::move(data));
    if (input) pass_input(scan, name, inside);
    return inside;
  }

  /// The connector through which the scan is given all of a container already.
  std::optional<std::string> known_input(const ScanBody& scan, const std::string& name) const {
    const Data& data = *site_.sdfg.find_data(name);
    const Subset whole = all_elements(data);
    for (EdgeId e : state_.in(scan.node())) {
      const Memlet& memlet = state_[e].memlet;
      const std::string& connector = state_[e].dst_connector;
      if (memlet.data == name && memlet.subset() == whole && scan.is_all_of(connector, data) &&
          !state_[scan.node()].out_connectors.contains(connector))
        return connector;
    }
    return std::nullopt;
  }

  void pass_input(const ScanBody& scan, const std::string& name, const std::string& inside) {
    const auto port =
        std::ranges::find_if(first_.in, [&](const auto& p) { return p.second.container == name; });
    const std::string here = input_for(state_, site_.order, second_, port->first, port->second,
                                       state_[port->second.outer].memlet);
    state_[scan.node()].in_connectors[inside];
    const EdgeId e =
        state_.connect(second_.entry, scan.node(),
                       {"OUT_" + here, inside,
                        Memlet::read(name, all_elements(*site_.sdfg.find_data(name)))});
    second_.in.at(here).inner.push_back(e);
    site_.order.connected(e);
  }

  /// One element was written to the container; now it is all of it.
  static void become_scalar(State& moved, const std::string& name) {
    const Subset only = Subset::index({Expr(0)});
    for (EdgeId e : moved.edges()) {
      Memlet& memlet = moved[e].memlet;
      const auto* target = moved[moved.target(e)].as<AccessNode>();
      if (memlet.data == name)
        memlet.subset() = only;
      else if (target && target->data == name && memlet.dst_subset)
        memlet.dst_subset = only;
    }
  }

  static void put_first(LoopRegion& loop, Block block, const std::string& label) {
    const auto first = start(loop);
    Labels labels(loop);
    block.label = labels.take(label);
    const BlockId added = loop.add(std::move(block));
    if (first) loop.connect(added, *first, InterstateEdge{});
    loop.start_block = added;
  }

  void erase_first(SymbolSet& unused) {
    // What the first map waited for, the second waits for.
    for (EdgeId e : state_.in(first_.entry))
      if (state_[e].memlet.empty())
        site_.order.connected(state_.connect(state_.source(e), second_.entry, Edge{}));
    for (EdgeId e : state_.out(first_.exit))
      if (state_[e].memlet.empty())
        site_.order.connected(state_.connect(second_.exit, state_.target(e), Edge{}));
    std::vector<NodeId> gone = scope_.nodes;
    for (const Handed& h : handed_) gone.push_back(h.node);
    for (NodeId n : gone)
      if (const auto* access = state_[n].as<AccessNode>()) {
        unused.insert(access->data);
        site_.accesses.remove(state_, n);
      }
    for (const auto& [name, data] : (**piece_.sdfg).arrays)
      if (data.transient) unused.insert(name);
    for (NodeId n : inputs_not_passed_on()) {
      site_.accesses.remove(state_, n);
      gone.push_back(n);
    }
    gone.insert(gone.end(), {first_.exit, first_.entry});
    for (NodeId n : gone) site_.order.erased(n), state_.erase(n);
  }

  /// Nodes from which the first map alone reads, because the scan is given what they hold already.
  std::set<NodeId> inputs_not_passed_on() const {
    std::set<NodeId> inputs;
    for (EdgeId e : state_.in(first_.entry)) inputs.insert(state_.source(e));
    std::erase_if(inputs, [&](NodeId n) {
      return !state_.in(n).empty() || std::ranges::any_of(state_.out(n), [&](EdgeId e) {
        return state_.target(e) != first_.entry;
      });
    });
    return inputs;
  }

  const FusionSite& site_;
  State& state_;
  FusionMap &first_, &second_;
  std::vector<Handed> handed_;
  Substitution params_;        ///< of the first map, in terms of the parent and the level
  Scope scope_;                ///< of the first map
  NestedSdfg piece_;           ///< its body
  Substitution inner_names_;   ///< symbol of the parent: what it is called in the scan
  Substitution inner_values_;  ///< symbol or constant of the body: what it is in the scan
  ByName<Type> types_;
};

/// What is looked at again and again: nested SDFGs, and the SDFG around.
class Known {
 public:
  explicit Known(std::optional<ScopeNester>& nester) : nester_(nester) {}
  ScanBody& scan(const FusionSite& site, NodeId node) {
    auto& known = scans_[node];
    if (!known) known = std::make_unique<ScanBody>(site, node);
    return *known;
  }
  const ScopeNester& nester(const Sdfg& sdfg) {
    if (!nester_) nester_.emplace(sdfg);
    return *nester_;
  }
  void changed(NodeId node) { scans_.erase(node); }

 private:
  std::map<NodeId, std::unique_ptr<ScanBody>> scans_;
  std::optional<ScopeNester>& nester_;
};

}  // namespace

Result<Changed> MapFusionIntoScan::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  // No container or symbol is added around a scan. Nested SDFGs come and go.
  std::optional<ScopeNester> of_root;
  const auto visit = [&](FusionMaps& maps, const std::vector<NodeId>& entries) {
    std::optional<ScopeNester> of_nested;
    Known known(&maps.site().sdfg == &sdfg ? of_root : of_nested);
    for_each_producer(maps, entries,
                      [&](NodeId producer, NodeId consumer) -> std::optional<NodeId> {
                        FusionSite& site = maps.site();
                        Mover mover(site, maps.at(producer), maps.at(consumer));
                        const auto node = mover.find_scan();
                        if (!node) return std::nullopt;
                        Refusal why = mover.check(*node);
                        if (!why)
                          why = mover.check(known.scan(site, *node), known.nester(site.sdfg));
                        if (!maps.announce(producer, consumer, why, why ? "" : mover.done()))
                          return std::nullopt;
                        mover.apply(known.scan(site, *node), maps.unused);
                        known.changed(*node);
                        maps.forget(producer, consumer);
                        maps.mark_stale(consumer);
                        return consumer;
                      });
  };
  return walk_scopes(sdfg, {options.only_toplevel_maps, options.only_inner_maps}, {}, context,
                     visit);
}

}  // namespace sdfg
