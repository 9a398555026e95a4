#include "passes/buffers/run.h"

#include <deque>

#include "passes/common/assume.h"

namespace sdfg {
namespace {

using Aliases = std::map<std::string, std::set<std::string>>;
using Visit = std::function<void(BufferProgram&, const StateTrails&)>;

/// Which containers of a nested SDFG are the same memory, because one container is given twice.
Aliases aliases_inside(const State& state, NodeId node) {
  std::map<std::string, std::set<std::string>> by_container;
  for (EdgeId e : state.in(node))
    if (!state[e].memlet.empty()) by_container[state[e].memlet.data].insert(state[e].dst_connector);
  for (EdgeId e : state.out(node))
    if (!state[e].memlet.empty()) by_container[state[e].memlet.data].insert(state[e].src_connector);
  Aliases out;
  for (const auto& [container, names] : by_container)
    for (const std::string& name : names)
      for (const std::string& other : names)
        if (other != name) out[name].insert(other);
  return out;
}

/// One SDFG with the trails to its blocks, which must stay where they are.
class Level {
 public:
  Level(Sdfg& sdfg, const Trail& trail, const Visit& visit) : sdfg_(sdfg), visit_(visit) {
    for (BlockId b : sdfg.nodes()) collect(sdfg[b], trail);
  }

  /// `known`: of the SDFG, shapes of its arguments included.
  void run(const Assumptions& known, Aliases aliases) {
    {
      BufferProgram program(sdfg_, known, std::move(aliases));
      StateTrails trails;
      for (const auto& [state, trail] : states_) trails.emplace(program.flow.point(*state), trail);
      visit_(program, trails);
      program.finish();
    }
    for (const auto& [state, trail] : states_)
      for (NodeId n : state->nodes())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested && nested->sdfg) {
          Sdfg& sdfg = **nested->sdfg;
          Assumptions inside = assumptions_inside(*nested, known);
          assume_shapes(sdfg, inside);
          Level(sdfg, trail->in(*state, n), visit_).run(inside, aliases_inside(*state, n));
        }
  }

 private:
  void collect(Block& block, const Trail& outer) {
    const Trail& here = trails_.emplace_back(outer.in(block));
    if (auto* state = block.as<State>()) states_.emplace_back(state, &here);
    if (Region* inner = block.region())
      for (BlockId b : inner->nodes()) collect((*inner)[b], here);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) collect(branch.block, here);
  }

  Sdfg& sdfg_;
  const Visit& visit_;
  std::deque<Trail> trails_;  ///< elements keep their places
  std::vector<std::pair<State*, const Trail*>> states_;
};

}  // namespace

void for_each_program(Sdfg& root, PassContext& context,
                      const std::function<void(BufferProgram&, const StateTrails&)>& visit) {
  const Trail top;
  Level(root, top, visit).run(context.assumptions, {});
}

}  // namespace sdfg
