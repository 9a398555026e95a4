#include "passes/simplify/optional_array_inference.h"

#include <set>

#include "ir/graph_algorithms.h"
#include "ir/walk.h"
#include "passes/common/blocks.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

/// By name: can the array be absent? Those that nobody has decided are missing.
using Known = ByName<bool>;

/// visit(state) for the states that run whenever the region does.
template <class F>
void for_each_certain_state(const Region& region, const F& visit) {
  std::set<BlockId> seen;
  std::optional<BlockId> at = start(region);
  while (at && seen.insert(*at).second) {
    const Block& block = region[*at];
    if (const auto* state = block.as<State>()) visit(*state);
    if (const Region* inner = block.region(); inner && !block.is<LoopRegion>())
      for_each_certain_state(*inner, visit);
    const auto out = region.out(*at);
    if (may_return(block) || out.size() != 1 || !region[out[0]].condition.always_true()) return;
    at = region.target(out[0]);
  }
}

class Inference {
 public:
  explicit Inference(PassContext& context) : context_(context) {}

  void run(Sdfg& sdfg, const Trail& trail, const Known& given) {
    for (auto& [name, data] : sdfg.arrays)
      if (const auto found = given.find(name); found != given.end())
        decide(data, name, found->second, trail);
      else if (data.transient)
        decide(data, name, false, trail);
    for_each_certain_state(sdfg, [&](const State& state) {
      for (NodeId n : state.nodes())
        if (const auto* access = state[n].as<AccessNode>())
          if (Data* data = sdfg.arrays.get(access->data); data && !is_optional(*data))
            decide(*data, access->data, false, trail);
    });
  }
  Changed changed() const { return changed_; }

  static std::optional<bool> is_optional(const Data& data) {
    const Array* array = data.as_array();
    return array ? array->optional : std::nullopt;
  }

 private:
  void decide(Data& data, const std::string& name, bool optional, const Trail& trail) {
    Array* array = data.as_array();
    if (!array || array->optional == optional || !context_.may_apply()) return;
    array->optional = optional;
    context_.applied(trail, "'" + name + (optional ? "' may be absent" : "' is never absent"));
    changed_ = Changed::Yes;
  }

  PassContext& context_;
  Changed changed_ = Changed::No;
};

/// What is known of the arrays that a nested SDFG is given.
Known given_to(const Sdfg& sdfg, const State& state, NodeId nested) {
  Known known;
  const auto pass = [&](const Memlet& memlet, const std::string& connector) {
    const Data* data = memlet.empty() ? nullptr : sdfg.find_data(memlet.data);
    if (const auto optional = data ? Inference::is_optional(*data) : std::nullopt)
      known[connector] = *optional;
  };
  for (EdgeId e : state.in(nested)) pass(state[e].memlet, state[e].dst_connector);
  for (EdgeId e : state.out(nested)) pass(state[e].memlet, state[e].src_connector);
  return known;
}

}  // namespace

Result<Changed> OptionalArrayInference::run(Sdfg& sdfg, const Options&, PassContext& context) {
  Inference inference(context);
  inference.run(sdfg, {}, {});
  walk_states(sdfg, {}, [&](Sdfg& around, State& state, const Trail& trail) {
    for (NodeId n : state.nodes_of<NestedSdfg>())
      if (auto* nested = state[n].as<NestedSdfg>(); nested->sdfg)
        inference.run(**nested->sdfg, trail.in(state, n), given_to(around, state, n));
  });
  return inference.changed();
}

}  // namespace sdfg
