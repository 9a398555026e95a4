#include "passes/buffers/twin_writes.h"

namespace sdfg {

std::optional<ExitValue> exit_value(const Sdfg& sdfg, const State& state, EdgeId write) {
  const NodeId exit = state.source(write);
  if (!state[exit].is<MapExit>() || state[write].memlet.wcr) return std::nullopt;
  const std::string& out = state[write].src_connector;
  if (!out.starts_with("OUT_")) return std::nullopt;
  const std::string in = "IN_" + out.substr(4);
  std::optional<ExitValue> value;
  for (EdgeId e : state.in(exit)) {
    if (state[e].dst_connector != in) continue;
    const Memlet& memlet = state[e].memlet;
    if (value || memlet.empty() || memlet.wcr || memlet.dynamic) return std::nullopt;
    const bool named = memlet.data == state[write].memlet.data;
    const auto* container = state[state.source(e)].as<AccessNode>();
    const Data* data = container ? sdfg.find_data(container->data) : nullptr;
    if (data && data->is_stream()) return std::nullopt;
    value = {e, state.source(e), state[e].src_connector,
             container ? (named ? memlet.other_subset() : memlet.subset()) : std::nullopt,
             named ? memlet.subset() : memlet.other_subset()};
  }
  if (!value || state[value->source].is<MapExit>()) return std::nullopt;
  return value;
}

std::optional<EdgeId> twin_of(const Sdfg& sdfg, const State& state, EdgeId write,
                              const std::string& to, const Placement& placement,
                              const Assumptions& assumptions) {
  const auto value = exit_value(sdfg, state, write);
  if (!value || !value->written) return std::nullopt;
  const Subset placed = placement.map(*value->written);
  for (EdgeId e : state.out(state.source(write))) {
    const auto* access = state[state.target(e)].as<AccessNode>();
    if (e == write || !access || access->data != to || state[e].memlet.empty()) continue;
    const auto other = exit_value(sdfg, state, e);
    if (!other || !other->same(*value)) continue;
    const auto& there = other->written;
    if (there && same_sequence(placed, *there, assumptions)) return e;
  }
  return std::nullopt;
}

}  // namespace sdfg
