#include "serialize/loader.h"

namespace sdfg::detail {

using json::Value;

namespace {

bool read_common(Loader& in, Value member, Block& out) {
  const std::string_view key = member.raw_key();
  const auto read = [&](auto& field) {
    if (!read_value(in, member, field)) carry_unread(in, out.extras, member);
    return true;
  };
  if (key == "guid") return read(out.guid);
  if (key == "is_collapsed") return read(out.is_collapsed);
  if (key == "debuginfo") return read(out.debuginfo);
  return false;
}

/// The attributes of a block; those of its kind go to `kind` if it has properties.
template <class K>
void read_attributes(Loader& in, Value attributes, K& kind, Block& out) {
  if (!attributes.valid()) return;
  for (Value member : attributes) {
    if (read_common(in, member, out)) continue;
    if constexpr (requires { K::properties; })
      if (read_property(in, member, kind, out.extras)) continue;
    if constexpr (std::is_same_v<K, ControlFlowRegion>)
      if (member.raw_key() == "arguments" && read_value(in, member, kind.arguments)) continue;
    carry(out.extras, member);
  }
}

bool read_branches(Loader& in, Value element, const Sdfg& sdfg, ConditionalBlock& out) {
  Value branches;
  if (!in.require(element, "branches", json::Kind::Array, branches)) return false;
  if (in.shallow) return true;
  for (Value item : branches) {
    if (!item.is_array() || item.size() != 2)
      return in.fail(item, "a pair of condition and region");
    auto at = item.begin();
    const Value condition = *at, region = *++at;
    Branch branch;
    if (!read_value(in, condition, branch.condition))
      return in.fail(condition, "code or null");
    if (!read_block(in, region, sdfg, branch.block)) return false;
    if (!branch.block.is<ControlFlowRegion>())
      return in.fail_with(region, "expected a ControlFlowRegion");
    out.branches.push_back(std::move(branch));
  }
  return true;
}

std::optional<ControlFlowRegion::Flavor> region_flavor(std::string_view type) {
  using Flavor = ControlFlowRegion::Flavor;
  if (type == "ControlFlowRegion") return Flavor::Plain;
  if (type == "UnstructuredControlFlow") return Flavor::Unstructured;
  if (type == "NamedRegion") return Flavor::Named;
  if (type == "FunctionCallRegion") return Flavor::FunctionCall;
  return std::nullopt;
}

}  // namespace

bool read_block(Loader& in, Value element, const Sdfg& sdfg, Block& out) {
  Value type, label;
  if (!in.require(element, "type", json::Kind::String, type) ||
      !in.require(element, "label", json::Kind::String, label))
    return false;
  Value attributes = element.find("attributes");
  if (attributes.valid() && !attributes.is_object()) return in.fail(attributes, "an object");
  out.label = label.string();
  out.origin = in.origin(element);
  const std::string_view kind = element_type(element);
  const bool known = kind == "SDFGState" || kind == "LoopRegion" || kind == "ConditionalBlock" ||
                     kind == "BreakBlock" || kind == "ContinueBlock" || kind == "ReturnBlock" ||
                     region_flavor(kind);
  if (!known) {
    in.note(element, "blocks of kind " + std::string(kind) + " are carried, not understood");
    out.kind = OtherBlock{type.string()};
    out.extras.emplace_back("", std::string(element.raw()));
    return true;
  }
  for (Value member : element) {
    const std::string_view key = member.raw_key();
    constexpr std::string_view ours[] = {"type",       "label",       "id",          "collapsed",
                                         "attributes", "scope_dict",  "nodes",       "edges",
                                         "cfg_list_id", "start_block", "branches",   "sdfg_list_id",
                                         "start_state"};
    bool skip = false;
    for (const std::string_view name : ours) skip |= key == name;
    if (!skip) carry_positional(out.extras, member);
  }
  if (kind == "SDFGState") {
    State& state = out.kind.emplace<State>();
    read_attributes(in, attributes, state, out);
    return !in.error && read_state_graph(in, element, sdfg, state);
  }
  if (const auto flavor = region_flavor(kind)) {
    ControlFlowRegion& region = out.kind.emplace<ControlFlowRegion>();
    region.flavor = *flavor;
    read_attributes(in, attributes, region, out);
    return !in.error && read_region_graph(in, element, sdfg, region);
  }
  if (kind == "LoopRegion") {
    LoopRegion& loop = out.kind.emplace<LoopRegion>();
    read_attributes(in, attributes, loop, out);
    return !in.error && read_region_graph(in, element, sdfg, loop);
  }
  if (kind == "ConditionalBlock") {
    ConditionalBlock& conditional = out.kind.emplace<ConditionalBlock>();
    read_attributes(in, attributes, conditional, out);
    return !in.error && read_branches(in, element, sdfg, conditional);
  }
  if (kind == "BreakBlock") out.kind.emplace<BreakBlock>();
  if (kind == "ContinueBlock") out.kind.emplace<ContinueBlock>();
  if (kind == "ReturnBlock") out.kind.emplace<ReturnBlock>();
  BreakBlock none;
  read_attributes(in, attributes, none, out);
  return !in.error;
}

bool read_interstate_edge(Loader& in, Value element, InterstateEdge& out) {
  Value outer, data, attributes;
  if (!in.require(element, "attributes", json::Kind::Object, outer) ||
      !in.require(outer, "data", json::Kind::Object, data) ||
      !in.require(data, "attributes", json::Kind::Object, attributes))
    return false;
  if (element_type(data) != "InterstateEdge")
    return in.fail_with(data, "expected an InterstateEdge");
  for (Value member : attributes)
    if (!read_property(in, member, out, out.extras)) carry(out.extras, member);
  // Beside `src` and `dst` under "/key", beside `data` under "//key".
  for (Value member : element) {
    const std::string_view key = member.raw_key();
    if (key != "type" && key != "src" && key != "dst" && key != "attributes")
      carry_positional(out.extras, member);
  }
  for (Value member : outer)
    if (member.raw_key() != "data")
      out.extras.emplace_back("//" + member.key(), std::string(member.raw()));
  out.origin = in.origin(element);
  return !in.error;
}

bool read_region_graph(Loader& in, Value element, const Sdfg& sdfg, Region& out) {
  Value nodes, edges;
  if (!in.require(element, "nodes", json::Kind::Array, nodes) ||
      !in.require(element, "edges", json::Kind::Array, edges))
    return false;
  if (in.shallow) return true;
  for (Value item : nodes) {
    Block block;
    if (!read_block(in, item, sdfg, block)) return false;
    out.add(std::move(block));
  }
  for (Value item : edges) {
    Value ends[2];
    if (!in.require(item, "src", ends[0]) || !in.require(item, "dst", ends[1])) return false;
    BlockId ids[2];
    for (int i = 0; i < 2; ++i) {
      const auto index = read_index(ends[i], out.id_bound());
      if (!index)
        return in.fail(ends[i], "the id of one of the region's " + std::to_string(out.id_bound()) +
                                    " blocks");
      ids[i] = {*index};
    }
    InterstateEdge edge;
    if (!read_interstate_edge(in, item, edge)) return false;
    out.connect(ids[0], ids[1], std::move(edge));
  }
  Value start = element.find("start_block");
  if (const Value old = element.find("start_state"); !start.valid() && old.valid()) {
    start = old;
    in.note_once(old, "'start_state' becomes 'start_block'");
  }
  if (start.valid() && !start.is_null()) {
    const auto index = read_index(start, out.id_bound());
    if (!start.is_number() && !start.is_string()) return in.fail(start, "a block's id or null");
    if (index)
      out.start_block = BlockId{*index};
    else
      // Old DaCe left it there when it took blocks out.
      in.note(start, "no block has the id " + std::string(start.raw()) + "; ignored");
  }
  return true;
}

namespace {

bool read_arrays(Loader& in, Value v, OrderedMap<Data>& out) {
  if (!v.is_object()) return in.fail(v, "an object of containers");
  for (Value member : v) {
    // Structures' members may be listed once more under dotted names that are null.
    Data data;
    if (!read_data(in, member, data)) return false;
    out.set(member.key(), std::move(data));
  }
  return true;
}

bool read_constants(Loader& in, Value v, Sdfg& out) {
  if (v.is_null()) return true;
  if (!v.is_object()) return in.fail(v, "an object of constants");
  for (Value member : v) {
    if (!member.is_array() || member.size() != 2)
      return in.fail(member, "a pair of container and value");
    auto at = member.begin();
    Constant constant;
    if (!read_data(in, *at, constant.data)) return false;
    constant.value = (*++at).raw();
    out.constants.set(member.key(), std::move(constant));
  }
  return true;
}

/// Process grids and the like had tables of their own before version 2.
bool read_grids(Loader& in, Value v, Sdfg& out) {
  if (!v.is_object() || v.size() == 0) return true;
  in.note_once(v, "'" + v.key() + "' moves into '_arrays'");
  return read_arrays(in, v, out.arrays);
}

}  // namespace

bool read_sdfg(Loader& in, Value element, Sdfg& out) {
  Value type, attributes;
  if (!in.require(element, "type", json::Kind::String, type)) return false;
  if (!type.string_is("SDFG")) return in.fail(type, "the type 'SDFG'");
  if (!in.require(element, "attributes", json::Kind::Object, attributes)) return false;
  Value name;
  if (!in.require(attributes, "name", json::Kind::String, name)) return false;
  out.origin = in.origin(element);
  for (Value member : attributes) {
    const std::string_view key = member.raw_key();
    if (key == "_arrays") {
      if (in.shallow) continue;
      if (!read_arrays(in, member, out.arrays)) return false;
    } else if (key == "constants_prop") {
      if (!read_constants(in, member, out)) return false;
    } else if (key == "_pgrids" || key == "_subarrays" || key == "_rdistrarrays") {
      if (!read_grids(in, member, out)) return false;
    } else if (key == "using_experimental_blocks") {
      in.note_once(member, "'using_experimental_blocks' becomes 'using_explicit_control_flow'");
      if (!read_value(in, member, out.using_explicit_control_flow))
        carry_unread(in, out.extras, member);
    } else if (!read_property(in, member, out, out.extras)) {
      carry(out.extras, member);
    }
  }
  for (Value member : element) {
    const std::string_view key = member.raw_key();
    constexpr std::string_view ours[] = {
        "type", "attributes",  "nodes",       "edges",       "collapsed",    "label",
        "id",   "cfg_list_id", "start_block", "start_state", "sdfg_list_id", "dace_version"};
    bool skip = false;
    for (const std::string_view known : ours) skip |= key == known;
    if (!skip) carry_positional(out.extras, member);
    if (key == "sdfg_list_id") in.note_once(member, "'sdfg_list_id' becomes 'cfg_list_id'");
  }
  return !in.error && read_region_graph(in, element, out, out);
}

}  // namespace sdfg::detail
