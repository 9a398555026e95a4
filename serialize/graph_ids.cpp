#include "serialize/graph_ids.h"

#include <algorithm>

namespace sdfg {

std::string transition_text(const InterstateEdge& edge) {
  std::string text;
  if (!edge.condition.always_true()) text = "if " + edge.condition.text();
  for (const auto& [name, value] : edge.assignments) {
    if (!text.empty()) text += &name == &edge.assignments.begin()->first ? "\n" : ", ";
    text += name + " = " + print_python(value);
  }
  return text;
}

std::string node_text(const Node& node) {
  std::string text(node.label());
  if (const auto* tasklet = node.as<Tasklet>()) {
    text += (text.empty() ? "" : "\n") + tasklet->code.text();
  } else if (const auto* map = node.as<MapEntry>()) {
    text += text.empty() ? "[" : " [";
    for (std::size_t d = 0; d < std::max(map->params.size(), map->ranges.size()); ++d) {
      if (d) text += ", ";
      if (d < map->params.size()) text += map->params[d] + "=";
      if (d < map->ranges.size()) text += to_text(map->ranges[d]);
    }
    text += "]";
  } else if (const auto* consume = node.as<ConsumeEntry>()) {
    text += " [" + consume->pe_index + "=0:" + to_text(consume->num_pes) + "]";
  } else if (const auto* library = node.as<LibraryNode>(); library && text.empty()) {
    text = library->classpath;
  }
  return text;
}

}  // namespace sdfg
