#include "passes/inside_maps/local_double_buffering.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/order.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/connector_index.h"
#include "passes/common/state_trails.h"
#include "passes/common/tidy.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Does code in the state name the container?
bool names(const State& state, const std::string& container) {
  SymbolSet found;
  collect_free_names(state, {container}, found);
  return found.contains(container);
}

std::vector<NodeId> nodes_of(const State& state, const std::string& container) {
  std::vector<NodeId> out;
  for (NodeId n : state.nodes_of<AccessNode>())
    if (state.get<AccessNode>(n).data == container) out.push_back(n);
  return out;
}

/// Has the state an access node of the container that is read, or one that is written?
bool accesses(const State& state, const std::string& container, bool reads) {
  return std::ranges::any_of(nodes_of(state, container), [&](NodeId n) {
    return !(reads ? state.out(n) : state.in(n)).empty();
  });
}

bool reads_first(const State& state, const Order& order, EdgeId read, EdgeId write);

/// Is everything read from one container before anything is written to the other? Told of a single
/// state, or of a conditional of such.
bool reads_first(const Region& region, const std::string& read, const std::string& written) {
  if (region.node_count() > 1) return false;
  for (BlockId b : region.nodes()) {
    if (const auto* conditional = region[b].as<ConditionalBlock>()) {
      if (!std::ranges::all_of(conditional->branches, [&](const Branch& branch) {
            return reads_first(branch.region(), read, written);
          }))
        return false;
      continue;
    }
    const auto* state = region[b].as<State>();
    if (!state) return false;
    if (accesses(*state, written, false) && names(*state, read)) return false;
    const Order order(*state);
    const std::vector<NodeId> writes = nodes_of(*state, written);
    for (NodeId r : nodes_of(*state, read))
      for (NodeId w : writes)
        for (EdgeId from : state->out(r))
          for (EdgeId to : state->in(w))
            if (!reads_first(*state, order, from, to)) return false;
  }
  return true;
}

/// Is the read over when the write begins? One piece of code reads its inputs first; but behind two
/// connectors of a nested SDFG anything may be going on.
bool reads_first(const State& state, const Order& order, EdgeId read, EdgeId write) {
  const NodeId reader = state.target(read), writer = state.source(write);
  if (order.element(reader) != order.element(writer)) return order.reaches(reader, writer);
  if (state[reader].is_entry()) return true;  // the inner map has a look of its own
  const auto* nested = state[reader].as<NestedSdfg>();
  const std::string &in = state[read].dst_connector, &out = state[write].src_connector;
  return !nested || in == out || (nested->sdfg && reads_first(**nested->sdfg, in, out));
}

/// Does the region read the container, at access nodes or by name, or does it write it?
bool accesses(const Region& region, const std::string& name, bool reads) {
  bool found = false;
  for_each_state(region, [&](const State& state) {
    found = found || accesses(state, name, reads) || (reads && names(state, name));
  });
  if (!reads || found) return found;
  const SymbolSet known{name};
  SymbolSet named;
  for_each_block(region, [&](const Block& block) { collect_used_names(block, known, named); });
  for_each_interstate_edge(region, [&](const InterstateEdge& edge) {
    collect_symbols(edge.condition, known, named);
    for (const auto& [target, value] : edge.assignments) collect_symbols(value, named);
  });
  return named.contains(name);
}

bool reads_behind(const State& state, const Order& order, EdgeId read, EdgeId write);

/// May something be read behind a write, because control flow or an edge says so? Then that order
/// has to stay; what nothing orders may become either.
bool reads_behind(const Region& region, const std::string& read, const std::string& written) {
  for (BlockId b : region.nodes()) {
    const auto* conditional = region[b].as<ConditionalBlock>();
    const auto* state = region[b].as<State>();
    if (region.node_count() > 1 || !(conditional || state))
      return accesses(region, read, true) && accesses(region, written, false);
    if (conditional)
      return std::ranges::any_of(conditional->branches, [&](const Branch& branch) {
        return reads_behind(branch.region(), read, written);
      });
    const Order order(*state);
    const std::vector<NodeId> readers = nodes_of(*state, read);
    for (NodeId w : nodes_of(*state, written)) {
      for (NodeId r : readers) {
        if (order.reaches(w, r)) return true;
        for (EdgeId from : state->out(r))
          for (EdgeId to : state->in(w))
            if (reads_behind(*state, order, from, to)) return true;
      }
    }
  }
  return false;
}
bool reads_behind(const State& state, const Order& order, EdgeId read, EdgeId write) {
  const NodeId reader = state.target(read), writer = state.source(write);
  if (order.element(reader) != order.element(writer)) return order.reaches(writer, reader);
  const auto* nested = state[reader].as<NestedSdfg>();
  return nested && nested->sdfg &&
         reads_behind(**nested->sdfg, state[read].dst_connector, state[write].src_connector);
}

/// What the body of a map reads and writes of one container, by edges at its entry and exit.
struct Uses {
  std::vector<EdgeId> reads, writes;
};

class Buffering {
 public:
  Buffering(Sdfg& sdfg, State& state, const Trail& trail, const Assumptions& known,
            PassContext& context)
      : sdfg_(sdfg), state_(state), trail_(trail), known_(known), context_(context),
        order_(state), index_(state) {}

  Changed run() {
    Changed changed = Changed::No;
    for (NodeId n : state_.nodes())
      if (state_[n].is<MapEntry>()) changed |= on_map(n);
    for (NodeId entry : buffered_) drop_unused_inputs(state_, entry);
    return changed;
  }

 private:
  Changed on_map(NodeId entry) {
    std::map<std::string, Uses> containers = uses(entry);
    Changed changed = Changed::No;
    for (const auto& [name, uses] : containers)
      if (!uses.reads.empty() && !uses.writes.empty()) changed |= on_container(entry, name, uses);
    return changed;
  }

  /// The outer edge of each connector tells the container; so each is asked once.
  std::map<std::string, Uses> uses(NodeId entry) {
    std::map<std::string, Uses> out;
    std::map<std::string, std::string> names;
    for (EdgeId e : state_.in(entry)) {
      if (state_[e].memlet.empty() || !state_[e].dst_connector.starts_with("IN_")) continue;
      const auto* access = state_[path_source(state_, e)].as<AccessNode>();
      names[matching_connector(state_[e].dst_connector)] =
          access ? access->data : state_[e].memlet.data;
    }
    const NodeId exit = order_.exit_of(entry);
    bool writes_what_is_read = false;
    std::map<std::string, std::string> written;
    for (EdgeId e : state_.out(exit)) {
      if (state_[e].memlet.empty()) continue;
      const auto* access = state_[path_target(state_, e)].as<AccessNode>();
      const std::string name = access ? access->data : state_[e].memlet.data;
      written[matching_connector(state_[e].src_connector)] = name;
      const auto is_it = [&](const auto& n) { return n.second == name; };
      writes_what_is_read = writes_what_is_read || std::ranges::any_of(names, is_it);
    }
    if (!writes_what_is_read) return out;
    for (EdgeId e : state_.out(entry))
      if (const auto name = names.find(state_[e].src_connector); name != names.end())
        out[name->second].reads.push_back(e);
    for (EdgeId e : state_.in(exit))
      if (const auto name = written.find(state_[e].dst_connector); name != written.end())
        out[name->second].writes.push_back(e);
    return out;
  }

  Subset part(const std::string& container, const std::optional<Subset>& subset) const {
    const Data* data = sdfg_.find_data(container);
    return subset || !data ? subset.value_or(Subset{}) : all_elements(*data);
  }

  /// What all iterations together touch.
  Subset swept(NodeId entry, const std::string& container, const Subset& subset) const {
    const MapEntry& map = state_.get<MapEntry>(entry);
    Subset all = all_elements(*sdfg_.find_data(container));
    const auto ranges = image(subset, map.params, map.ranges, known_);
    for (std::size_t d = 0; d < ranges.size() && d < all.rank(); ++d)
      if (ranges[d]) all[d] = *ranges[d];
    return all;
  }

  Changed on_container(NodeId entry, const std::string& name, const Uses& uses) {
    const Trail here = trail_.in(state_, entry);
    Assumptions assumptions = known_;
    assume_scope(state_.get<MapEntry>(entry), assumptions);
    std::optional<Subset> element;  // that has to be buffered
    for (EdgeId r : uses.reads)
      for (EdgeId w : uses.writes) {
        const Subset read = part(name, state_[r].memlet.src_subset);
        const Subset written = part(name, state_[w].memlet.dst_subset);
        if (!(read == written) && intersects(swept(entry, name, read), swept(entry, name, written),
                                             known_) != Truth::No) {
          context_.refused(here, quoted(name) + " is read at [" + to_text(read) +
                                     "] and written at [" + to_text(written) +
                                     "]: another iteration may come first");
          return Changed::No;
        }
        if (reads_first(state_, order_, r, w) ||
            intersects(read, written, assumptions) == Truth::No)
          continue;
        if (reads_behind(state_, order_, r, w)) {
          context_.refused(here, quoted(name) + " is read at [" + to_text(read) +
                                     "] behind a write" +
                                     (state_.target(r) == state_.source(w) ? " inside " : ", in ") +
                                     quoted(state_[state_.target(r)].label()));
          return Changed::No;
        }
        const bool same = read == written && num_elements(read) == Expr(1);
        if (!same || (element && !(*element == read))) {
          context_.refused(here, quoted(name) + " is read at [" + to_text(read) +
                                     "] and written at [" + to_text(written) +
                                     "] in one iteration, in no certain order");
          return Changed::No;
        }
        element = read;
      }
    if (!element) return Changed::No;
    for (EdgeId r : uses.reads)
      if (const Node& reader = state_[state_.target(r)];
          reader.is<NestedSdfg>() && reader.out_connectors.contains(state_[r].dst_connector)) {
        context_.refused(here, quoted(reader.label()) + " reads and writes " + quoted(name) +
                                   " through one connector");
        return Changed::No;
      }
    if (const Data* data = sdfg_.arrays.get(name);
        !data || !(data->is_scalar() || data->as_array()) || data->is_reference()) {
      context_.refused(here, quoted(name) + ", which is read and written, is no array");
      return Changed::No;
    }
    if (!exists(name, *element, uses, assumptions)) {
      context_.refused(here, quoted(name) + " may have no element [" + to_text(*element) +
                                 "], which only maps that may have no points touch");
      return Changed::No;
    }
    if (!context_.may_apply()) return Changed::No;
    context_.applied(here, quoted(name) + " at [" + to_text(*element) +
                               "] is read once, before it is written");
    buffer(entry, name, *element, uses);
    buffered_.insert(entry);
    return Changed::Yes;
  }

  /// Is the element certainly there in each iteration?
  bool exists(const std::string& name, const Subset& element, const Uses& uses,
              const Assumptions& assumptions) {
    const auto is_it = [&](const std::optional<Subset>& subset) {
      return part(name, subset) == element;
    };
    return std::ranges::any_of(uses.reads, [&](EdgeId e) {
             return is_it(state_[e].memlet.src_subset) && is_read(e, assumptions);
           }) ||
           std::ranges::any_of(uses.writes, [&](EdgeId e) {
             return is_it(state_[e].memlet.dst_subset) && !state_[state_.source(e)].is_exit();
           }) ||
           certain(covers(all_elements(*sdfg_.find_data(name)), element, assumptions));
  }

  /// Does some code get what the edge carries?
  bool is_read(EdgeId edge, const Assumptions& assumptions) {
    const Node& reader = state_[state_.target(edge)];
    if (!reader.is_entry()) return true;
    const auto* map = reader.as<MapEntry>();
    const auto has_points = [&](const Range& r) {
      return certain(less_equal(r.begin, r.end, assumptions));
    };
    return map && std::ranges::all_of(map->ranges, has_points) &&
           std::ranges::any_of(index_.behind(edge),
                               [&](EdgeId e) { return is_read(e, assumptions); });
  }

  void buffer(NodeId entry, const std::string& name, const Subset& element, const Uses& uses) {
    const std::string local = sdfg_.fresh_name(name + "_read");
    Data scalar = Data::scalar(sdfg_.arrays.at(name).dtype, true);
    scalar.storage = Storage::Register;
    sdfg_.arrays.insert(local, std::move(scalar));
    const NodeId node = state_.add(Node{AccessNode{local}});
    order_.added(node, entry);
    bool connected = false;
    for (EdgeId e : uses.reads) {
      if (!(part(name, state_[e].memlet.src_subset) == element)) continue;
      if (!connected) {
        const Subset zero = Subset::index({0});
        order_.connected(state_.connect(entry, node,
                                        Edge{state_[e].src_connector, "",
                                             Memlet::copy(name, element, zero)}));
        connected = true;
      }
      read_from(e, name, local);
      state_.set_source(e, node);
      order_.connected(e);
    }
    for (EdgeId w : uses.writes) {
      const NodeId writer = state_[state_.source(w)].is_exit() ? order_.element(state_.source(w))
                                                              : state_.source(w);
      if (!order_.reaches(node, writer)) order_.connected(state_.connect(node, writer, {}));
    }
  }

  /// The edge, and what it carries on, reads the scalar.
  void read_from(EdgeId edge, const std::string& name, const std::string& local) {
    state_[edge].src_connector.clear();
    index_.for_each_onward(edge, [&](EdgeId e) {
      Memlet& memlet = state_[e].memlet;
      if (memlet.data == name && memlet.data_is_src) memlet.data = local;
      if (memlet.src_subset) memlet.src_subset = Subset::index({0});
    });
  }

  Sdfg& sdfg_;
  State& state_;
  const Trail& trail_;
  const Assumptions& known_;
  PassContext& context_;
  Order order_;
  ConnectorIndex index_;
  std::set<NodeId> buffered_;  ///< entries: connectors may have lost their readers
};

/// Is there a map that reads and writes one container?
bool has_candidate(const State& state) {
  for (NodeId n : state.nodes())
    if (state[n].is<MapEntry>() && !state.in(n).empty()) return true;
  return false;
}

}  // namespace

Result<Changed> LocalDoubleBuffering::run(Sdfg& sdfg, const Options&, PassContext& context) {
  const auto visit = [&](Sdfg& each, const Trail& outer, const LazyAssumptions& known) {
    Changed changed = Changed::No;
    const StateTrails states(each, outer);
    for (const auto& [state, trail] : states.states())
      if (has_candidate(*state))
        changed |= Buffering(each, *state, *trail, known.get(), context).run();
    return changed;
  };
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context), visit);
}

}  // namespace sdfg
