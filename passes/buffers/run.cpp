#include "passes/buffers/run.h"

#include <deque>

#include "passes/common/assume.h"

namespace sdfg {
namespace {

using Visit = std::function<void(BufferProgram&, const StateTrails&)>;

/// One SDFG with the trails to its blocks, which must stay where they are.
class Level {
 public:
  Level(Sdfg& sdfg, const Trail& trail, const Visit& visit) : sdfg_(sdfg), visit_(visit) {
    for (BlockId b : sdfg.nodes()) collect(sdfg[b], trail);
  }

  /// `known`: of the SDFG, shapes of its arguments included.
  void run(const Assumptions& known, const Aliases& aliases) {
    {
      BufferProgram program(sdfg_, known, aliases);
      StateTrails trails;
      for (const auto& [state, trail] : states_) trails.emplace(program.flow.point(*state), trail);
      visit_(program, trails);
      program.finish();
    }
    for (const auto& [state, trail] : states_)
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg) {
          Sdfg& sdfg = **nested->sdfg;
          Assumptions inside = assumptions_inside(sdfg_, *nested, known);
          assume_shapes(sdfg, inside);
          Level(sdfg, trail->in(*state, n), visit_)
              .run(inside, aliases_inside(sdfg_, *state, n, aliases));
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
  Level(root, top, visit).run(context.assumptions(), {});
}

}  // namespace sdfg
