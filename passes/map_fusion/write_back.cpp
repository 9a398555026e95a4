#include "passes/map_fusion/write_back.h"

#include <algorithm>

#include "ir/analysis/propagate.h"
#include "ir/walk.h"
#include "passes/common/certain_writes.h"

namespace sdfg {
namespace {

bool has_node_of(const State& state, const std::string& container, bool written) {
  return std::ranges::any_of(state.nodes_of<AccessNode>(), [&](NodeId n) {
    return state.get<AccessNode>(n).data == container && !(written && state.in(n).empty());
  });
}

/// The only conditional of blocks that run one after the other, if it may take no branch and no
/// other block has the container.
const ConditionalBlock* only_conditional(const Sdfg& sdfg, const std::string& container) {
  const ConditionalBlock* found = nullptr;
  for (BlockId b : sdfg.nodes()) {
    if (sdfg.in(b).size() > 1 || sdfg.out(b).size() > 1) return nullptr;
    const auto* conditional = sdfg[b].as<ConditionalBlock>();
    const auto* state = sdfg[b].as<State>();
    if (conditional ? found != nullptr : !state || has_node_of(*state, container, false))
      return nullptr;
    if (conditional) found = conditional;
  }
  for (InterstateEdgeId e : sdfg.edges())
    if (!sdfg[e].condition.always_true()) return nullptr;
  return found && !found->branches.empty() && found->branches.back().condition ? found : nullptr;
}

bool is_one_element(const Data& data) {
  return (data.is_scalar() || data.as_array()) && num_elements(all_elements(data)) == Expr(1);
}

}  // namespace

std::optional<std::string> input_to_write_back(const Sdfg& sdfg, const State& state, EdgeId write) {
  const NodeId node = state.source(write);
  const auto* nested = state[node].as<NestedSdfg>();
  const Memlet& memlet = state[write].memlet;
  if (!nested || !nested->sdfg || memlet.wcr || memlet.dynamic || !memlet.dst_subset)
    return std::nullopt;
  const Sdfg& inner = **nested->sdfg;
  const std::string& output = state[write].src_connector;
  const Data* written = inner.arrays.get(output);
  if (!written || !is_one_element(*written) || state[node].in_connectors.contains(output))
    return std::nullopt;
  // What came in is still there, unless others write the container, too.
  for (EdgeId e : state.in(state.target(write)))
    if (e != write && state[e].memlet.data == memlet.data) return std::nullopt;
  for (EdgeId e : state.in(node)) {
    const Memlet& read = state[e].memlet;
    const std::string& input = state[e].dst_connector;
    const Data* data = read.empty() ? nullptr : inner.arrays.get(input);
    if (!data || !state[state.source(e)].is_entry() || read.data != memlet.data || read.dynamic ||
        !(read.src_subset == memlet.dst_subset) || !is_one_element(*data) ||
        !(data->dtype == written->dtype) ||
        !(sdfg.find_data(memlet.data)->dtype == data->dtype))
      continue;
    const ConditionalBlock* conditional = only_conditional(inner, output);
    bool changes = false;
    for_each_state(inner, [&](const State& s) { changes |= has_node_of(s, input, true); });
    if (conditional && !changes &&
        std::ranges::all_of(conditional->branches, [&](const Branch& branch) {
          return writes_container(inner, branch.region(), output);
        }))
      return input;
  }
  return std::nullopt;
}

void write_back(State& state, EdgeId write, const std::string& input) {
  Sdfg& inner = **state.get<NestedSdfg>(state.source(write)).sdfg;
  const std::string& output = state[write].src_connector;
  for (BlockId b : inner.nodes()) {
    auto* conditional = inner[b].as<ConditionalBlock>();
    if (!conditional) continue;
    auto& branches = conditional->branches;
    if (branches.back().condition) {
      ControlFlowRegion region;
      region.start_block = region.add(Block{"otherwise_state", State{}});
      branches.push_back({{}, Block{"otherwise", std::move(region)}});
    }
    Region& otherwise = branches.back().region();
    State& copy = *otherwise[*otherwise.start_block].as<State>();
    const NodeId from = copy.add(Node{AccessNode{input}}), to = copy.add(Node{AccessNode{output}});
    copy.connect(from, to, {"", "", Memlet::copy(input, all_elements(inner.arrays.at(input)),
                                                 all_elements(inner.arrays.at(output)))});
  }
}

}  // namespace sdfg
