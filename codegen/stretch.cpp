#include "codegen/stretch.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/walk.h"

namespace sdfg {

namespace {

struct Shown {
  std::set<std::string> views;  ///< of the same SDFG
  std::vector<std::pair<NestedSdfg*, std::string>> nested;  ///< and the connector
  bool as_it_lies = false;      ///< something relies on the array's own layout
};

Shown shown(Sdfg& sdfg, const std::string& name) {
  Shown out;
  const Type& type = sdfg.find_data(name)->dtype;
  const auto end = [&](State& state, EdgeId e, NodeId id, const std::string& connector) {
    Node& node = state[id];
    if (const auto* access = node.as<AccessNode>()) {
      const Data* data = sdfg.find_data(access->data);
      out.as_it_lies |= connector == "set" || !data || data->is_reference();
      if (!data || !data->is_view() || access->data == name || viewed_edge(sdfg, state, id) != e)
        return;
      out.as_it_lies |= !(data->dtype == type);
      out.views.insert(access->data);
    } else if (auto* nested = node.as<NestedSdfg>()) {
      if (std::pair entry{nested, connector};
          std::ranges::find(out.nested, entry) == out.nested.end())
        out.nested.push_back(std::move(entry));
    } else if (const auto* tasklet = node.as<Tasklet>()) {
      out.as_it_lies |= tasklet->code.language() != Language::Python;
    } else {
      out.as_it_lies |= !node.is_entry() && !node.is_exit();
    }
  };
  for_each_state(sdfg, [&](State& state) {
    const auto is_access = [&](NodeId node) {
      const auto* access = state[node].as<AccessNode>();
      return access && access->data == name;
    };
    for (EdgeId e : state.edges()) {
      const Edge& edge = state[e];
      const NodeId source = state.source(e), target = state.target(e);
      if (edge.memlet.empty() ||
          (edge.memlet.data != name && !is_access(source) && !is_access(target)))
        continue;
      end(state, e, source, edge.src_connector);
      end(state, e, target, edge.dst_connector);
    }
  });
  return out;
}

}  // namespace

bool stretchable(Sdfg& sdfg, const std::string& name) {
  Data* data = sdfg.find_data(name);
  if (data && data->is_scalar()) return true;
  if (!data || !std::holds_alternative<Array>(data->kind) || data->is_reference()) return false;
  const Shown by = shown(sdfg, name);
  return !by.as_it_lies && std::ranges::all_of(by.views, [&](const std::string& view) {
    return stretchable(sdfg, view);
  }) && std::ranges::all_of(by.nested, [](const auto& inner) {
    return inner.first->sdfg && stretchable(**inner.first->sdfg, inner.second);
  });
}

Expr pass_down(NestedSdfg& nested, const std::string& name, const Expr& value) {
  if (value.as_integer()) return value;
  Sdfg& inner = **nested.sdfg;
  const std::string symbol = inner.fresh_name(name);
  inner.symbols[symbol] = BaseType::Int64;
  nested.symbol_mapping[symbol] = value;
  return Expr::symbol(symbol);
}

void stretch(Sdfg& sdfg, const std::string& name, const Expr& pitch) {
  Data& data = *sdfg.find_data(name);
  if (data.is_scalar()) return;
  Array& array = *data.as_array();
  for (Expr& stride : array.strides) stride = stride * pitch;
  array.total_size = array.total_size * pitch;
  array.start_offset = array.start_offset * pitch;
  const Shown by = shown(sdfg, name);
  for (const std::string& view : by.views) stretch(sdfg, view, pitch);
  for (const auto& [nested, connector] : by.nested)
    stretch(**nested->sdfg, connector, pass_down(*nested, connector + "_pitch", pitch));
}

}  // namespace sdfg
