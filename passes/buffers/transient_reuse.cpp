#include "passes/buffers/transient_reuse.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/order.h"
#include "ir/graph_algorithms.h"
#include "ir/replace.h"
#include "passes/common/accesses.h"
#include "passes/common/state_trails.h"

namespace sdfg {
namespace {

/// Containers that are asked whether they are free: those before have been passed often enough.
constexpr std::size_t most_candidates = 16;

bool has_cycle(const Region& region) {
  std::map<BlockId, std::size_t> open;
  std::vector<BlockId> ready;
  for (BlockId b : region.nodes())
    if ((open[b] = region.in(b).size()) == 0) ready.push_back(b);
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const BlockId b = ready.back();
    ready.pop_back();
    for (InterstateEdgeId e : region.out(b))
      if (--open[region.target(e)] == 0) ready.push_back(region.target(e));
  }
  return done != open.size();
}

/// States that run at most once in a call.
void collect_single(Region& region, std::set<const State*>& out) {
  if (has_cycle(region)) return;
  for (BlockId b : region.nodes()) {
    Block& block = region[b];
    if (const auto* state = block.as<State>()) out.insert(state);
    if (block.is<LoopRegion>()) continue;
    if (Region* inner = block.region()) collect_single(*inner, out);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) collect_single(branch.region(), out);
  }
}

/// A container of the state, or several that share its memory by now.
struct Slot {
  std::string name;
  std::set<NodeId> first;  ///< elements: nothing touches the container before them
  std::set<NodeId> last;   ///< elements: once they are done, what it holds last is left alone
};

class StateReuse {
 public:
  StateReuse(Sdfg& sdfg, State& state, const Accesses& accesses, const Trail& trail,
             PassContext& context)
      : sdfg_(sdfg), state_(state), accesses_(accesses), trail_(trail), context_(context) {}

  Changed run(NameSet& gone) {
    const auto sorted = topological_order(state_);
    if (!sorted) return Changed::No;
    NameSet seen;
    std::map<std::string, std::vector<Slot>> groups;
    Renaming names;
    for (NodeId n : *sorted) {
      const auto* access = state_[n].as<AccessNode>();
      if (!access || !seen.insert(access->data).second || !is_candidate(access->data)) continue;
      Slot slot = slot_of(access->data);
      auto& known = groups[layout(access->data)];
      Slot* free = known.empty() ? nullptr : find_free(known, slot);
      if (!free) {
        if (!known.empty())
          context_.refused(trail_.in(state_, n),
                           "'" + slot.name + "': no transient like it is free by then");
        known.push_back(std::move(slot));
        continue;
      }
      if (!context_.may_apply()) break;
      context_.applied(trail_.in(state_, n),
                       "'" + slot.name + "' lies where '" + free->name + "' did");
      names.emplace(slot.name, free->name);
      gone.insert(slot.name);
      free->last = std::move(slot.last);
    }
    if (names.empty()) return Changed::No;
    rename_data(state_, names);
    return Changed::Yes;
  }

 private:
  const Order& order() {
    if (!order_) order_.emplace(state_);
    return *order_;
  }

  bool is_candidate(const std::string& name) {
    const Data* data = sdfg_.arrays.get(name);
    if (!data || !data->transient || !data->as_array() || data->role() != Role::Plain ||
        data->storage == Storage::Register ||
        (data->lifetime != Lifetime::Scope && data->lifetime != Lifetime::Sdfg) ||
        accesses_.is_named(name))
      return false;
    const auto sites = accesses_.sites(name);
    return std::ranges::all_of(sites, [&](const AccessSite& site) {
      return site.state == &state_ && is_plain(site.node);
    });
  }

  /// Written before it is read, looked at by no view or reference, and at the top of the state:
  /// what lies in a scope is written in each iteration, while later ones may read what came from
  /// outside.
  bool is_plain(NodeId n) {
    const auto& access = state_.get<AccessNode>(n);
    if (access.setzero || (state_.in(n).empty() && !state_.out(n).empty())) return false;
    if (order().scope_of(n)) return false;
    const auto plain = [&](NodeId other, EdgeId e) {
      const auto* neighbour = state_[other].as<AccessNode>();
      const Data* data = neighbour ? sdfg_.find_data(neighbour->data) : nullptr;
      return state_[e].memlet.empty() || !neighbour || (data && data->role() == Role::Plain);
    };
    for (EdgeId e : state_.in(n)) {
      if (!plain(state_.source(e), e)) return false;
      if (state_[e].memlet.wcr) return false;  // combines with what was there
    }
    return std::ranges::all_of(state_.out(n), [&](EdgeId e) { return plain(state_.target(e), e); });
  }

  std::string layout(const std::string& name) const {
    const Data& data = sdfg_.arrays.at(name);
    const Array& array = *data.as_array();
    std::string key = data.dtype.text() + ';' + std::string(to_text(data.storage)) + ';' +
                      std::string(to_text(data.lifetime)) + ';' + to_text(array.total_size);
    for (const auto* list : {&data.shape, &array.strides, &array.offset})
      for (const Expr& e : *list) key += ';' + to_text(e);
    return key;
  }

  /// Touched by writers and readers, of which a scope counts by its entry. A copy begins after its
  /// source, and is done where it arrives.
  Slot slot_of(const std::string& name) {
    Slot slot{name, {}, {}};
    for (const AccessSite& site : accesses_.sites(name)) {
      for (EdgeId e : state_.in(site.node)) {
        const NodeId writer = order().element(state_.source(e));
        slot.first.insert(writer);
        slot.last.insert(state_[writer].is<AccessNode>() ? site.node : writer);
      }
      for (EdgeId e : state_.out(site.node)) {
        const NodeId reader = order().element(state_.target(e));
        slot.first.insert(reader);
        slot.last.insert(reader);
      }
    }
    return slot;
  }

  Slot* find_free(std::vector<Slot>& known, const Slot& next) {
    std::size_t tried = 0;
    for (Slot& slot : known) {
      if (++tried > most_candidates) break;
      const bool before = std::ranges::all_of(slot.last, [&](NodeId last) {
        return std::ranges::all_of(next.first, [&](NodeId first) {
          return last != first && order().reaches(last, first);
        });
      });
      if (before) return &slot;
    }
    return nullptr;
  }

  Sdfg& sdfg_;
  State& state_;
  const Accesses& accesses_;
  const Trail& trail_;
  PassContext& context_;
  std::optional<Order> order_;
};

}  // namespace

Result<Changed> TransientReuse::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context), [&](Sdfg& each, const Trail& trail,
                                                            const LazyAssumptions&) {
    const bool has_references = std::ranges::any_of(
        each.arrays, [](const auto& entry) { return entry.second.role() == Role::Reference; });
    if (has_references) return Changed::No;
    std::set<const State*> single;
    collect_single(each, single);
    Changed changed = Changed::No;
    const StateTrails states(each, trail);
    const Accesses accesses(each);
    NameSet gone;
    for (const auto& [state, here] : states.states())
      if (single.contains(state))
        changed |= StateReuse(each, *state, accesses, *here, context).run(gone);
    each.arrays.erase_if([&](const auto& entry) { return gone.contains(entry.first); });
    return changed;
  });
}

}  // namespace sdfg
