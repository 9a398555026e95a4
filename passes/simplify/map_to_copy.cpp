#include "passes/simplify/map_to_copy.h"

#include <algorithm>

#include "passes/common/empty_parts.h"

namespace sdfg {
namespace {

/// The four edges of the pattern, from the outside to the tasklet and out again.
struct Edges {
  EdgeId outer_in, in, out, outer_out;
};

std::optional<Edges> edges_of(const State& state, const MapToCopy::Match& match) {
  const auto [entry, tasklet, exit] = match.nodes;
  for (NodeId n : {entry, tasklet, exit})
    if (state.in(n).size() != 1 || state.out(n).size() != 1) return std::nullopt;
  return Edges{state.in(entry)[0], state.out(entry)[0], state.out(tasklet)[0], state.out(exit)[0]};
}

/// Is the code `output = input`?
bool only_assigns(const Tasklet& tasklet, const std::string& output, const std::string& input) {
  const Statements* all = tasklet.code.statements();
  if (!all || all->size() != 1 || tasklet.side_effects.value_or(false)) return false;
  const auto* assign = std::get_if<Assign>(&all->front().kind);
  return assign && !assign->augmented && !assign->annotation &&
         assign->target.is_symbol(output) && assign->value.is_symbol(input);
}

/// One side of the copy: the box that the map's points touch, and the parameters in the order of
/// the dimensions that they move along.
struct Side {
  Subset box;
  std::vector<std::string> order;
  std::vector<std::size_t> dimensions;  ///< of `order`
};

Result<Side> side(const Subset& point, const MapEntry& map) {
  const auto refuse = [](std::string why) { return Diagnostic{"", std::move(why)}; };
  Side out;
  for (const Range& r : point.ranges) {
    if (!r.is_index()) return refuse("the tasklet touches more than one element at a time");
    std::vector<std::size_t> used;
    for (std::size_t p = 0; p < map.params.size(); ++p)
      if (uses_symbol(r.begin, map.params[p])) used.push_back(p);
    if (used.empty()) {
      out.box.ranges.push_back(r);
      continue;
    }
    const std::string& param = map.params[used[0]];
    const auto affine = match_affine(r.begin, param);
    if (used.size() > 1 || !affine || less(0, affine->coefficient) != Truth::Yes)
      return refuse("index '" + to_text(r.begin) + "' does not grow with one parameter");
    if (std::ranges::count(out.order, param))
      return refuse("parameter '" + param + "' moves along two dimensions");
    const Range& range = map.ranges[used[0]];
    out.box.ranges.push_back({affine->coefficient * range.begin + affine->rest,
                              affine->coefficient * range.end + affine->rest,
                              affine->coefficient * range.step});
    out.order.push_back(param);
    out.dimensions.push_back(out.box.rank() - 1);
  }
  return out;
}

Refusal check_map(const MapEntry& map) {
  if (map.schedule != Schedule::Default && map.schedule != Schedule::Sequential &&
      map.schedule != Schedule::CpuMulticore)
    return "the schedule says where the map runs";
  if (map.instrument != Instrumentation::None) return "the map is instrumented";
  for (std::size_t d = 0; d < map.ranges.size(); ++d) {
    if (map.ranges[d].tile != Expr(1)) return "a range is tiled";
    for (const std::string& param : map.params)
      for (const Expr* e : {&map.ranges[d].begin, &map.ranges[d].end, &map.ranges[d].step})
        if (uses_symbol(*e, param))
          return "the range of '" + map.params[d] + "' depends on '" + param + "'";
  }
  return {};
}

/// Is there a dimension whose neighbours are neighbours in memory on both sides? A copy then goes
/// along it.
bool shows_neighbours(const Side& read, const Data& from, const Side& written, const Data& to) {
  const auto is_unit = [](const Data& data, std::size_t d) {
    return data.as_array() && data.as_array()->strides[d] == Expr(1);
  };
  for (std::size_t i = 0; i < read.order.size(); ++i)
    if (is_unit(from, read.dimensions[i]) && is_unit(to, written.dimensions[i])) return true;
  return false;
}

/// The types of connectors on the way convert, unless they are the containers' own.
bool same_type(const Connectors& connectors, const std::string& name, const Type& type) {
  const auto found = connectors.find(name);
  return found == connectors.end() || !found->second.known() || found->second == type;
}

}  // namespace

Refusal MapToCopy::check(const Sdfg& sdfg, const State& state, const Match& match, const Options&) {
  const auto [entry, tasklet, exit] = match.nodes;
  const auto edges = edges_of(state, match);
  if (!edges) return "more than one value goes through the map";
  const Edge &in = state[edges->in], &out = state[edges->out];
  if (!only_assigns(state.get<Tasklet>(tasklet), out.src_connector, in.dst_connector))
    return "the tasklet does more than to hand on a value";
  const auto* source = state[state.source(edges->outer_in)].as<AccessNode>();
  const auto* target = state[state.target(edges->outer_out)].as<AccessNode>();
  if (!source || !target) return "the map does not lie between two access nodes";
  const Data *from = sdfg.find_data(source->data), *to = sdfg.find_data(target->data);
  for (const Data* data : {from, to})
    if (data->role() != Role::Plain || !(data->as_array() || data->is_scalar()))
      return "one end is no plain array or scalar";
  if (source->data == target->data) return "both ends are '" + source->data + "'";
  if (!(from->dtype == to->dtype))
    return "the copy converts " + from->dtype.text() + " to " + to->dtype.text();
  const Node& node = state[tasklet];
  if (!same_type(node.in_connectors, in.dst_connector, from->dtype) ||
      !same_type(node.out_connectors, out.src_connector, to->dtype))
    return "a connector of the tasklet converts the type";
  for (EdgeId e : {edges->outer_in, edges->in, edges->out, edges->outer_out}) {
    const Memlet& memlet = state[e].memlet;
    if (memlet.wcr) return "a memlet resolves conflicts";
    if (memlet.allow_oob) return "a memlet may leave the bounds of its container";
  }
  if (!in.memlet.src_subset || !out.memlet.dst_subset)
    return "the memlets at the tasklet do not say what is read and written";
  const auto& map = state.get<MapEntry>(entry);
  if (Refusal why = check_map(map)) return why;
  if (certainly_empty(map.ranges)) return "the map has no iteration";
  const auto read = side(*in.memlet.src_subset, map), written = side(*out.memlet.dst_subset, map);
  if (!read) return read.error().message;
  if (!written) return written.error().message;
  if (read->order != written->order)
    return "the dimensions of '" + source->data + "' and '" + target->data +
           "' are walked in different orders";
  if (read->order.size() != map.params.size()) return "not every parameter moves along a dimension";
  if (read->order != map.params && !shows_neighbours(*read, *from, *written, *to))
    return "strides do not tell which dimension to copy along, and the map may know better";
  return {};
}

std::vector<NodeId> MapToCopy::apply(Sdfg&, State& state, const Match& match, const Options&) {
  const auto [entry, tasklet, exit] = match.nodes;
  const Edges edges = *edges_of(state, match);
  const auto& map = state.get<MapEntry>(entry);
  const Memlet &in = state[edges.in].memlet, &out = state[edges.out].memlet;
  Edge copy{state[edges.outer_in].src_connector, state[edges.outer_out].dst_connector,
            Memlet::copy(in.data, side(*in.src_subset, map)->box,
                         side(*out.dst_subset, map)->box)};
  const NodeId from = state.source(edges.outer_in), to = state.target(edges.outer_out);
  for (NodeId n : match.nodes) state.erase(n);
  state.connect(from, to, std::move(copy));
  return {from, to};
}

}  // namespace sdfg
