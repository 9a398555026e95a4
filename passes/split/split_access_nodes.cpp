#include "passes/split/split_access_nodes.h"

#include <algorithm>
#include <map>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/assume.h"
#include "passes/common/state_trails.h"
#include "passes/split/conflict_order.h"
#include "passes/split/container_split.h"

namespace sdfg {
namespace {

class Splitter {
 public:
  Splitter(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known, PassContext& context)
      : sdfg_(sdfg), states_(sdfg, trail), accesses_(sdfg), known_(known),
        context_(context), assigned_(assigned_symbols(sdfg)) {}

  Changed run() {
    NameSet done;
    for (const std::string& name : candidates()) {
      if (!context_.may_apply()) break;
      if (split(name)) done.insert(name);
    }
    if (done.empty()) return Changed::No;
    sdfg_.arrays.erase_if([&](const auto& entry) { return done.contains(entry.first); });
    for (auto& [state, order] : orders_)
      order.restore(sdfg_, *states_.states()[state].state, known_.get());
    return Changed::Yes;
  }

 private:
  /// Transient arrays with two writing edges, all at the top level of states.
  std::vector<std::string> candidates() const {
    std::map<std::string, std::size_t> writers;
    NameSet in_scope;
    for (const auto& [state, trail] : states_.states()) {
      const auto tree = scope_tree(*state);
      for (NodeId n : state->nodes_of<AccessNode>()) {
        const auto* access = (*state)[n].as<AccessNode>();
        if (!tree || tree->parent_of(n)) in_scope.insert(access->data);
        else writers[access->data] += state->in(n).size();
      }
    }
    std::vector<std::string> out;
    for (const auto& [name, data] : sdfg_.arrays)
      if (const auto found = writers.find(name); data.transient && found != writers.end() &&
                                                 found->second >= 2 && !in_scope.contains(name))
        out.push_back(name);
    return out;
  }

  bool split(const std::string& name) {
    const FoundUses found = find_uses(sdfg_, accesses_, name, known_.get());
    const AccessSite& first = accesses_.sites(name).front();
    const Trail here = states_.of(*first.state).in(*first.state, first.node);
    const auto no = [&](const Refusal& why) { return context_.refused(here, why), false; };
    if (found.refusal) return no(found.refusal);
    const FragmentPlan plan = find_fragments(found.value, known_.get());
    if (plan.refusal) return no(plan.refusal);
    if (Refusal why = check_symbols(name, plan)) return no(why);
    if (Refusal why = check_copies(sdfg_, found.value, plan, known_.get())) return no(why);
    for (const AccessSite& site : found.value.sites)
      if (const Refusal& why = order_of(*site.state).refusal()) return no(why);
    context_.applied(here, describe(name, plan));
    split_container(sdfg_, accesses_, found.value, plan, known_.get());
    return true;
  }

  Refusal check_symbols(const std::string& name, const FragmentPlan& plan) const {
    SymbolSet used;
    for (const Fragment& f : plan.fragments) collect_symbols(f.box, used);
    for (const std::string& symbol : used)
      if (assigned_.contains(symbol))
        return "where the parts of '" + name + "' begin and end depends on '" + symbol +
               "', which the SDFG assigns";
    return {};
  }

  /// Made before the first change of a state.
  ConflictOrder& order_of(const State& state) {
    const auto& states = states_.states();
    const auto index = std::size_t(std::ranges::find(states, &state, &StateTrails::Entry::state) -
                                   states.begin());
    const auto known = orders_.find(index);
    if (known != orders_.end()) return known->second;
    return orders_.emplace(index, ConflictOrder(sdfg_, state, known_.get())).first->second;
  }

  static std::string describe(const std::string& name, const FragmentPlan& plan) {
    std::string out = "'" + name + "' becomes " + std::to_string(plan.fragments.size()) +
                      " containers:";
    for (std::size_t f = 0; f < plan.fragments.size(); ++f)
      out += (f ? ", [" : " [") + to_text(plan.fragments[f].box) + "]";
    return out;
  }

  Sdfg& sdfg_;
  StateTrails states_;
  Accesses accesses_;
  const LazyAssumptions& known_;
  PassContext& context_;
  SymbolSet assigned_;
  std::map<std::size_t, ConflictOrder> orders_;  ///< by number of the state
};

}  // namespace

Result<Changed> SplitAccessNodes::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context),
                      [&](Sdfg& inner, const Trail& trail, const LazyAssumptions& known) {
                        return Splitter(inner, trail, known, context).run();
                      });
}

}  // namespace sdfg
