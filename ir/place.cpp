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

std::string_view word_for(const Block& block) {
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
  return std::visit(Word{}, block.kind);
}

}  // namespace

std::string Place::text_of(const Thing& thing) {
  struct Writer {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const Block* block) const {
      std::string text(word_for(*block));
      return block->label.empty() ? text : text + " " + block->label;
    }
    std::string operator()(const NodeIn& in) const {
      std::string text = "node " + std::to_string(in.id.value);
      if (!in.state->contains(in.id)) return text;
      text += " (";
      describe(text, *in.state, in.id);
      return text + ")";
    }
    std::string operator()(const EdgeIn& in) const {
      const Edge& edge = (*in.state)[in.id];
      std::string text = "edge ";
      add_end(text, in.state->source(in.id), edge.src_connector);
      text += " -> ";
      add_end(text, in.state->target(in.id), edge.dst_connector);
      return text;
    }
    std::string operator()(const InterstateEdgeIn& in) const {
      return "edge " + label_of(*in.region, in.region->source(in.id)) + " -> " +
             label_of(*in.region, in.region->target(in.id));
    }
    std::string operator()(std::string_view data) const {
      return "data '" + std::string(data) + "'";
    }
  };
  return std::visit(Writer{}, thing);
}

std::string Place::text() const {
  std::vector<std::string> parts;
  if (!std::holds_alternative<std::monostate>(thing_)) parts.push_back(text_of(thing_));
  for (const Part* part = around_.get(); part; part = part->outer.get()) {
    const bool has_thing = !std::holds_alternative<std::monostate>(part->thing);
    parts.push_back(has_thing ? text_of(part->thing) : part->text);
  }
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
