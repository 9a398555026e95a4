#include "ir/analysis/graph_numbers.h"

namespace sdfg {

namespace {

struct Numbering {
  std::map<const State*, StateNumber> states;
  std::int64_t next = 0;

  void sdfg(const Sdfg& sdfg) { region(sdfg, next++); }

  void region(const Region& region, std::int64_t graph) {
    std::int64_t index = 0;
    for (BlockId id : region.nodes()) block(region[id], graph, index++);
  }

  void block(const Block& block, std::int64_t graph, std::int64_t index) {
    if (const auto* state = block.as<State>()) {
      states[state] = {graph, index};
      for (NodeId id : state->nodes_of<NestedSdfg>())
        if (const auto* nested = (*state)[id].as<NestedSdfg>(); nested->sdfg)
          sdfg(**nested->sdfg);
    } else if (const auto* conditional = block.as<ConditionalBlock>()) {
      const std::int64_t own = next++;
      for (const Branch& branch : conditional->branches) this->block(branch.block, own, 0);
    } else if (const Region* inner = block.region()) {
      region(*inner, next++);
    }
  }
};

}  // namespace

std::map<const State*, StateNumber> state_numbers(const Sdfg& sdfg) {
  Numbering numbering;
  numbering.sdfg(sdfg);
  return std::move(numbering.states);
}

}  // namespace sdfg
