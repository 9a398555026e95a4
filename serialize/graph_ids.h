#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// The region with its number in DOT and GraphML, and the ids of what is in it.
struct RegionIds {
  std::size_t number;
  std::string block(BlockId id) const {
    return "r" + std::to_string(number) + ".b" + std::to_string(id.value);
  }
};

inline std::string node_id(const std::string& state, NodeId id) {
  return state + ".n" + std::to_string(id.value);
}

/// "i = 0; i < N; i = i + 1"
inline std::string loop_text(const LoopRegion& loop) {
  const auto part = [](const RareOptional<Code>& code) {
    return code ? code->text() : std::string();
  };
  return part(loop.init_statement) + "; " + part(loop.loop_condition) + "; " +
         part(loop.update_statement);
}

/// "if i < N set i = i + 1"; nothing for a plain edge.
std::string transition_text(const InterstateEdge& edge);
/// "outer (i, j) in [0:N, 0:M]", "A", "add: c = a + b"
std::string node_text(const Node& node);

}  // namespace sdfg
