#include "passes/common/tidy.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/walk.h"
#include "passes/common/blocks.h"
#include "support/text.h"

namespace sdfg {

void drop_unused_inputs(State& state, NodeId entry) {
  std::unordered_set<std::string> used;
  for (EdgeId e : state.out(entry)) used.insert(state[e].src_connector);
  std::vector<EdgeId> unused;
  for (EdgeId e : state.in(entry)) {
    const std::string& connector = state[e].dst_connector;
    if (connector.starts_with("IN_") && !used.contains(matching_connector(connector)))
      unused.push_back(e);
  }
  for (EdgeId e : unused) {
    const std::string connector = state[e].dst_connector;
    const NodeId from = state.source(e);
    state.erase(e);
    state[entry].in_connectors.erase(connector);
    state[entry].out_connectors.erase(matching_connector(connector));
    const bool waits = state[from].is_entry() || !state.in(from).empty();
    const auto comes_from = [&](EdgeId other) { return state.source(other) == from; };
    if (waits && !std::ranges::any_of(state.in(entry), comes_from)) state.connect(from, entry, {});
    if (state[from].is_entry())
      drop_unused_inputs(state, from);
    else if (state.in(from).empty() && state.out(from).empty())
      state.erase(from);
  }
}

void drop_if_loose(State& state, NodeId node) {
  if (state.contains(node) && state[node].is<AccessNode>() && state.in(node).empty() &&
      state.out(node).empty())
    state.erase(node);
}

void drop_idle_connectors(Sdfg& sdfg) {
  for_each_sdfg(sdfg, [](Sdfg& each) {
    for_each_state(each, [&](State& state) {
      for (NodeId n : state.nodes_of<AccessNode>()) {
        Node& node = state[n];
        if (node.in_connectors.empty() && node.out_connectors.empty()) continue;
        const Data* data = each.find_data(state.get<AccessNode>(n).data);
        if (!data || data->role() != Role::Plain) continue;
        for (EdgeId e : state.in(n)) state[e].dst_connector.clear();
        for (EdgeId e : state.out(n)) state[e].src_connector.clear();
        node.in_connectors.clear(), node.out_connectors.clear();
      }
    });
  });
}

std::string as_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return is_valid_name(text) ? text : "_" + text;
}

void name_blocks(Sdfg& sdfg) {
  for_each_sdfg(sdfg, [](Sdfg& each) {
    for_each_region(each, [](Region& region) {
      std::optional<Labels> labels;
      for (BlockId b : region.nodes()) {
        Block& block = region[b];
        if (!is_valid_name(block.label)) {
          if (!labels) labels.emplace(region);
          block.label = labels->take(as_name(block.label));
        }
        if (auto* conditional = block.as<ConditionalBlock>())
          for (Branch& branch : conditional->branches)
            if (std::string& label = branch.block.label; !label.empty() && !is_valid_name(label))
              label = as_name(label);
      }
    });
  });
}

}  // namespace sdfg
