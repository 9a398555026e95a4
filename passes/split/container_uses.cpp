#include "passes/split/container_uses.h"

#include <algorithm>

#include "ir/analysis/propagate.h"

namespace sdfg {
namespace {

/// The subset that a copy leaves out, where it can only be one: a box at 0 of the other side's
/// sizes, if the container has as many elements in each dimension.
std::optional<Subset> implied(const Data& data, const std::optional<Subset>& other,
                              const Assumptions& assumptions) {
  if (!other || other->rank() != data.shape.size()) return std::nullopt;
  for (std::size_t d = 0; d < other->rank(); ++d)
    if (!certain(equal((*other)[d].size(), data.shape[d], assumptions))) return std::nullopt;
  return Subset::whole(data.shape);
}

/// A box around the elements, from the first to the last, whichever way a copy goes.
Subset ascending(Subset subset) {
  for (Range& r : subset.ranges)
    if (r.step.as_integer().value_or(1) < 0 && r.tile == Expr(1)) r = {r.end, r.begin};
  return subset;
}

/// The way of one memlet inward through scopes.
class Footprint {
 public:
  Footprint(const Sdfg& sdfg, const State& state, bool write, const std::string& name,
            const Assumptions& assumptions)
      : state_(state), write_(write), name_(name), assumptions_(assumptions),
        data_(*sdfg.find_data(name)) {}

  std::optional<Subset> of(EdgeId edge) const {
    const Memlet& memlet = state_[edge].memlet;
    std::optional<Subset> own = subset_at(memlet, name_, write_);
    if (!own) own = implied(data_, write_ ? memlet.src_subset : memlet.dst_subset, assumptions_);
    if (own && own->rank() != data_.shape.size()) return std::nullopt;
    if (own) own = ascending(*std::move(own));
    const NodeId next = write_ ? state_.source(edge) : state_.target(edge);
    if (write_ ? !state_[next].is_exit() : !state_[next].is_entry()) return own;
    const NodeId entry = write_ ? entry_of(state_[next]) : next;
    const auto* map = state_[entry].as<MapEntry>();
    const std::string& connector = write_ ? state_[edge].src_connector : state_[edge].dst_connector;
    const std::string inner_connector = matching_connector(connector);
    if (inner_connector.empty()) return own;  // a dynamic range input
    if (!map) return all_elements(data_);
    std::optional<Subset> all;
    for (EdgeId e : write_ ? state_.in(next) : state_.out(next)) {
      const Edge& inner = state_[e];
      if ((write_ ? inner.dst_connector : inner.src_connector) != inner_connector) continue;
      const auto part = of(e);
      if (!part) return std::nullopt;
      const Subset outside = image_of(*part, entry);
      all = all ? bounding_box(*all, outside, assumptions_) : outside;
    }
    // The memlet outside is a summary; it is kept where it says the same or more.
    if (own && all && certain(covers(*own, *all, assumptions_))) return own;
    return all;
  }

 private:
  static NodeId entry_of(const Node& exit) {
    if (const auto* map = exit.as<MapExit>()) return map->entry;
    return exit.as<ConsumeExit>()->entry;
  }
  /// What the scope as a whole touches; a dimension that depends on what only the scope knows is
  /// taken whole.
  Subset image_of(const Subset& inside, NodeId entry) const {
    const MapEntry& map = state_.get<MapEntry>(entry);
    const auto ranges = image(inside, map.params, map.ranges, assumptions_);
    const auto known_outside = [&](const Range& r) {
      SymbolSet used;
      collect_symbols(Subset{{r}}, used);
      return std::ranges::none_of(used, [&](const std::string& name) {
        return state_[entry].in_connectors.contains(name) ||
               std::ranges::find(map.params, name) != map.params.end();
      });
    };
    Subset out = all_elements(data_);
    for (std::size_t d = 0; d < out.rank(); ++d)
      if (ranges[d] && known_outside(*ranges[d])) out[d] = *ranges[d];
    return out;
  }

  const State& state_;
  bool write_;
  const std::string& name_;
  const Assumptions& assumptions_;
  const Data& data_;
};

}  // namespace

std::vector<EdgeId> memlet_tree(const State& state, EdgeId edge, bool write) {
  std::vector<EdgeId> tree{edge};
  for (std::size_t at = 0; at < tree.size(); ++at) {
    const NodeId next = write ? state.source(tree[at]) : state.target(tree[at]);
    if (write ? !state[next].is_exit() : !state[next].is_entry()) continue;
    const std::string inner = matching_connector(write ? state[tree[at]].src_connector
                                                       : state[tree[at]].dst_connector);
    if (inner.empty()) continue;
    for (EdgeId e : write ? state.in(next) : state.out(next))
      if ((write ? state[e].dst_connector : state[e].src_connector) == inner) tree.push_back(e);
  }
  return tree;
}

std::optional<Subset> footprint(const Sdfg& sdfg, const State& state, EdgeId edge, bool write,
                                const std::string& name, const Assumptions& assumptions) {
  return Footprint(sdfg, state, write, name, assumptions).of(edge);
}

FoundUses find_uses(const Sdfg& sdfg, const Accesses& accesses, const std::string& name,
                    const Assumptions& assumptions) {
  const auto no = [](std::string why) { return FoundUses{{}, std::move(why)}; };
  const Data* data = sdfg.find_data(name);
  if (!data || !data->transient || !std::holds_alternative<Array>(data->kind) ||
      data->role() != Role::Plain)
    return no("'" + name + "' is no array that the program owns");
  for (const Expr& offset : data->as_array()->offset)
    if (!(offset == Expr(0))) return no("the elements of '" + name + "' do not count from 0");
  if (accesses.is_named(name)) return no("'" + name + "' is read by name");
  if (accesses.is_referenced(name)) return no("a reference is set to '" + name + "'");
  FoundUses out;
  out.value.name = name;
  const auto sites = accesses.sites(name);
  out.value.sites.assign(sites.begin(), sites.end());
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const AccessSite& site = sites[s];
    State& state = *site.state;
    if (const std::string& other = state.get<AccessNode>(site.node).data; other != name)
      return no("'" + name + "' is a member, and '" + other + "' is used, too");
    const auto add = [&](EdgeId e, bool write) -> Refusal {
      const Memlet& memlet = state[e].memlet;
      if (memlet.empty()) return {};
      // A copy within the container: each side must be given, for neither can be told from it.
      const auto* other_end = state[write ? state.source(e) : state.target(e)].as<AccessNode>();
      if (other_end && other_end->data == name && !(memlet.src_subset && memlet.dst_subset))
        return "a copy within '" + name + "' does not say from where to where";
      auto subset = footprint(sdfg, state, e, write, name, assumptions);
      if (!subset) return "a memlet of '" + name + "' does not say which part it " +
                          (write ? "writes" : "reads");
      for (EdgeId inner : memlet_tree(state, e, write)) {
        const NodeId end = write ? state.source(inner) : state.target(inner);
        if (state[end].is_exit() && !write) return "'" + name + "' passes the border of a scope";
        if (state[end].is_entry() && write) return "'" + name + "' passes the border of a scope";
        if (inner != e && !subset_at(state[inner].memlet, name, write))
          return "a memlet of '" + name + "' inside a scope names the other container only";
        const auto* access = state[end].as<AccessNode>();
        const Data* other = access ? sdfg.find_data(access->data) : nullptr;
        if (state[end].is<NestedSdfg>() || state[end].is<LibraryNode>() ||
            (other && (other->is_view() || other->is_reference())))
          out.value.through_pointers = true;
      }
      out.value.uses.push_back({&state, s, e, write, *std::move(subset)});
      return {};
    };
    for (EdgeId e : state.in(site.node))
      if (Refusal why = add(e, true)) return no(why.reason());
    for (EdgeId e : state.out(site.node))
      if (Refusal why = add(e, false)) return no(why.reason());
  }
  return out;
}

}  // namespace sdfg
