#include "ir/place.h"

#include <algorithm>

#include "support/text.h"

namespace sdfg {
namespace {

/// "map outer": the kind in one word, and the name if there is one.
void describe(std::string& text, const StateGraph& state, NodeId id) {
  struct Word {
    std::string_view operator()(const AccessNode&) const { return "access"; }
    std::string_view operator()(const Tasklet&) const { return "tasklet"; }
    std::string_view operator()(const MapEntry&) const { return "map"; }
    std::string_view operator()(const MapExit&) const { return "exit of map"; }
    std::string_view operator()(const ConsumeEntry&) const { return "consume"; }
    std::string_view operator()(const ConsumeExit&) const { return "exit of consume"; }
    std::string_view operator()(const NestedSdfg&) const { return "nested"; }
    std::string_view operator()(const LibraryNode&) const { return "library"; }
    std::string_view operator()(const OtherNode& other) const { return other.type; }
  };
  const Node& node = state[id];
  text.append(std::visit(Word{}, node.kind));
  NodeId named = id;
  if (const auto* exit = node.as<MapExit>()) named = exit->entry;
  if (const auto* exit = node.as<ConsumeExit>()) named = exit->entry;
  if (!state.contains(named)) return;
  if (const std::string_view label = state[named].label(); !label.empty())
    text.append(" ").append(label);
}

void add_end(std::string& text, NodeId node, const std::string& connector) {
  text.append("n").append(std::to_string(node.value));
  if (!connector.empty()) text.append(".").append(connector);
}

std::string label_of(const RegionGraph& region, BlockId id) {
  const std::string& label = region[id].label;
  return label.empty() ? "block " + std::to_string(id.value) : label;
}

}  // namespace

Place Place::block(const Block& block) const {
  struct Word {
    std::string_view operator()(const State&) const { return "state"; }
    std::string_view operator()(const ControlFlowRegion&) const { return "region"; }
    std::string_view operator()(const LoopRegion&) const { return "loop"; }
    std::string_view operator()(const ConditionalBlock&) const { return "conditional"; }
    std::string_view operator()(const BreakBlock&) const { return "break"; }
    std::string_view operator()(const ContinueBlock&) const { return "continue"; }
    std::string_view operator()(const ReturnBlock&) const { return "return"; }
    std::string_view operator()(const OtherBlock& other) const { return other.type; }
  };
  std::string text(std::visit(Word{}, block.kind));
  if (!block.label.empty()) text.append(" ").append(block.label);
  return in(std::move(text));
}

Place Place::node(const StateGraph& state, NodeId id) const {
  std::string text;
  text.reserve(60);  // places are made for each node, and seldom read
  text.append("node ").append(std::to_string(id.value));
  if (state.contains(id)) {
    text += " (";
    describe(text, state, id);
    text += ')';
  }
  return in(std::move(text));
}

Place Place::edge(const StateGraph& state, EdgeId id) const {
  const Edge& edge = state[id];
  std::string text;
  text.reserve(60);
  text += "edge ";
  add_end(text, state.source(id), edge.src_connector);
  text += " -> ";
  add_end(text, state.target(id), edge.dst_connector);
  return in(std::move(text));
}

Place Place::edge(const RegionGraph& region, InterstateEdgeId id) const {
  return in("edge " + label_of(region, region.source(id)) + " -> " +
            label_of(region, region.target(id)));
}

Place Place::data(std::string_view name) const {
  std::string text;
  text.reserve(60);
  return in(std::move(text.append("data '").append(name).append("'")));
}

std::string Place::text() const {
  std::vector<std::string> parts;
  for (const Part* part = last_.get(); part; part = part->outer.get()) parts.push_back(part->text);
  std::ranges::reverse(parts);
  return place_text(parts);
}

Diagnostic inside(const Place& place, Diagnostic error) {
  error.place = place.text() + (error.place.empty() ? "" : " / ") + error.place;
  return error;
}

std::string place_text(std::span<const std::string> parts) {
  constexpr std::size_t most = 40, half = most / 2;
  if (parts.size() <= most) return join(parts, " / ");
  return join(parts.first(half), " / ") + " / ... " + std::to_string(parts.size() - most) +
         " more ... / " + join(parts.last(half), " / ");
}

}  // namespace sdfg
