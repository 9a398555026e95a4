#include <algorithm>

#include "serialize/loader.h"

namespace sdfg::detail {

using json::Value;

namespace {

/// Attributes that every kind of node has.
bool read_common(Loader& in, Value member, Node& out) {
  const std::string_view key = member.raw_key();
  const auto read = [&](auto& field) {
    if (!read_value(in, member, field)) carry_unread(in, out.extras, member);
    return true;
  };
  if (key == "in_connectors") return read(out.in_connectors);
  if (key == "out_connectors") return read(out.out_connectors);
  if (key == "guid") return read(out.guid);
  if (key == "debuginfo") return read(out.debuginfo);
  return false;
}

/// A nested SDFG: an element, or in old files its JSON as a string.
bool read_nested_sdfg(Loader& in, Value v, NestedSdfg& out) {
  if (v.is_null() || in.shallow) return true;
  Sdfg nested;
  if (v.is_object()) {
    if (!read_sdfg(in, v, nested)) return false;
  } else if (v.is_string()) {
    in.note_once(v, "a nested SDFG stored as JSON in a string becomes an element");
    const std::string place = in.path(v);
    auto parsed = json::Tree::parse(in.keep_text(v.string()));
    if (!parsed)
      return in.fail_with(v, "the string is not JSON: " + parsed.error().text());
    const json::Tree& inner = in.keep_tree(*std::move(parsed));
    const auto outer_tree = std::exchange(in.tree, &inner);
    const auto outer_prefix = std::exchange(in.path_prefix, place + ".(text)");
    const auto outer_tag = std::exchange(in.source_tag, 0);
    const bool read = read_sdfg(in, inner.root(), nested);
    in.tree = outer_tree, in.path_prefix = outer_prefix, in.source_tag = outer_tag;
    if (!read) return false;
  } else {
    return in.fail(v, "an SDFG");
  }
  out.sdfg.emplace(std::move(nested));
  return true;
}

/// Class paths under which DaCe's library nodes were known before.
void upgrade_classpath(Loader& in, Value at, std::string& path) {
  constexpr std::pair<std::string_view, std::string_view> moved[] = {
      {"dace.libraries.blas.nodes.transpose.", "dace.libraries.linalg.nodes.transpose."},
      {"dace.libraries.standard.nodes.transpose.", "dace.libraries.linalg.nodes.transpose."},
      {"dace.libraries.standard.nodes.ttranspose.", "dace.libraries.linalg.nodes.ttranspose."}};
  for (const auto& [from, to] : moved)
    if (path.starts_with(from)) {
      in.note_once(at, "library nodes of class path " + path + " are now found elsewhere");
      path = std::string(to) + path.substr(from.size());
      return;
    }
}

template <class K>
bool read_kind(Loader& in, Value attributes, Node& out) {
  K& kind = out.kind.emplace<K>();
  for (Value member : attributes) {
    if constexpr (std::is_same_v<K, NestedSdfg>)
      if (member.raw_key() == "sdfg") {
        if (!read_nested_sdfg(in, member, kind)) return false;
        continue;
      }
    if (read_common(in, member, out)) continue;
    if constexpr (!std::is_same_v<K, OtherNode>)
      if (read_property(in, member, kind, out.extras)) continue;
    carry(out.extras, member);
  }
  return !in.error;
}

}  // namespace

bool read_node(Loader& in, Value element, Node& out) {
  Value type, attributes;
  if (!in.require(element, "type", json::Kind::String, type)) return false;
  if (!in.require(element, "attributes", json::Kind::Object, attributes)) return false;
  const std::string_view kind = element_type(element);
  std::string label;
  Value classpath;
  for (Value member : element) {
    const std::string_view key = member.raw_key();
    if (key == "type" || key == "attributes" || key == "id" || key == "scope_entry" ||
        key == "scope_exit" || key == "scope_exits")
      continue;
    if (key == "label")
      read_value(in, member, label);
    else if (key == "classpath" && kind == "LibraryNode")
      classpath = member;
    else
      carry_positional(out.extras, member);
  }
  bool read = true;
  if (kind == "AccessNode") {
    Value data;
    if (!in.require(attributes, "data", json::Kind::String, data)) return false;
    read = read_kind<AccessNode>(in, attributes, out);
  } else if (kind == "Tasklet") {
    read = read_kind<Tasklet>(in, attributes, out);
  } else if (kind == "MapEntry") {
    read = read_kind<MapEntry>(in, attributes, out);
  } else if (kind == "MapExit") {
    read = read_kind<MapExit>(in, attributes, out);
  } else if (kind == "ConsumeEntry") {
    read = read_kind<ConsumeEntry>(in, attributes, out);
  } else if (kind == "ConsumeExit") {
    read = read_kind<ConsumeExit>(in, attributes, out);
  } else if (kind == "NestedSDFG") {
    read = read_kind<NestedSdfg>(in, attributes, out);
  } else if (kind == "LibraryNode") {
    if (!classpath.valid() || !classpath.is_string())
      return in.fail_with(element, "a library node needs its 'classpath'");
    read = read_kind<LibraryNode>(in, attributes, out);
    auto* library = out.as<LibraryNode>();
    library->classpath = classpath.string();
    upgrade_classpath(in, classpath, library->classpath);
  } else {
    in.note(element, "nodes of kind " + std::string(kind) + " are carried, not understood");
    read = read_kind<OtherNode>(in, attributes, out);
    auto* other = out.as<OtherNode>();
    other->type = type.string();
    other->label = std::move(label);
  }
  out.origin = in.origin(element);
  return read && !in.error;
}

bool read_memlet(Loader& in, Value element, Memlet& out) {
  if (element.is_null()) return true;  // an empty memlet
  Value attributes;
  if (!in.require(element, "attributes", json::Kind::Object, attributes)) return false;
  if (element_type(element) != "Memlet") return in.fail_with(element, "expected a Memlet");
  // As long as the ends of the path are not known, the subset of `data` is read as the source's.
  bool is_data_src = true;
  for (Value member : attributes) {
    const std::string_view key = member.raw_key();
    const auto read = [&](auto& field) {
      if (!read_value(in, member, field)) carry_unread(in, out.extras, member);
    };
    if (key == "data") {
      if (member.is_null()) continue;
      if (!read_value(in, member, out.data)) return in.fail(member, "a container's name");
    } else if (key == "subset") {
      read(out.src_subset);
    } else if (key == "other_subset") {
      read(out.dst_subset);
    } else if (key == "volume") {
      read(out.volume);
    } else if (key == "is_data_src") {
      if (!member.is_null()) read(is_data_src);
    } else if (key == "src_subset" || key == "dst_subset" || key == "num_accesses") {
      continue;  // derived
    } else if (!read_property(in, member, out, out.extras)) {
      carry(out.extras, member);
    }
  }
  for (Value member : element)
    if (member.raw_key() != "type" && member.raw_key() != "attributes")
      carry_positional(out.extras, member);
  if (out.empty() && (out.src_subset || out.dst_subset))
    in.note(element, "a memlet with a subset names no container in 'data', so nothing moves",
            Severity::Error);
  if (!is_data_src && !out.empty()) {
    out.data_is_src = false;
    std::swap(out.src_subset, out.dst_subset);
  }
  return !in.error;
}

namespace {

/// Where memlet paths begin and end. Each edge through a scope node is looked up once per
/// connector, not once per path.
class PathEnds {
 public:
  explicit PathEnds(const State& state) : state_(state), sides_(state.id_bound()) {}

  NodeId source(EdgeId edge) { return walk(edge, true); }
  NodeId target(EdgeId edge) { return walk(edge, false); }

 private:
  using Side = std::unordered_map<std::string_view, EdgeId>;
  struct Sides {
    bool known = false;
    Side in, out;  // first edge by connector, without its IN_ or OUT_
  };

  NodeId walk(EdgeId edge, bool backward) {
    // Contradictory graphs can run in circles.
    for (std::size_t steps = 0; steps <= state_.edge_count(); ++steps) {
      const NodeId node = backward ? state_.source(edge) : state_.target(edge);
      const std::string_view connector =
          backward ? state_[edge].src_connector : state_[edge].dst_connector;
      const Node& data = state_[node];
      const std::string_view prefix = backward ? "OUT_" : "IN_";
      if (!(data.is_entry() || data.is_exit() || data.is<OtherNode>()) ||
          !connector.starts_with(prefix))
        return node;
      const Sides& sides = sides_of(node);
      const Side& side = backward ? sides.in : sides.out;
      const auto found = side.find(connector.substr(prefix.size()));
      if (found == side.end()) return node;
      edge = found->second;
    }
    return backward ? state_.source(edge) : state_.target(edge);
  }

  const Sides& sides_of(NodeId node) {
    Sides& sides = sides_[node.value];
    if (std::exchange(sides.known, true)) return sides;
    for (EdgeId e : state_.in(node)) {
      const std::string_view name = state_[e].dst_connector;
      if (name.starts_with("IN_")) sides.in.emplace(name.substr(3), e);
    }
    for (EdgeId e : state_.out(node)) {
      const std::string_view name = state_[e].src_connector;
      if (name.starts_with("OUT_")) sides.out.emplace(name.substr(4), e);
    }
    return sides;
  }

  const State& state_;
  std::vector<Sides> sides_;
};

bool names(const Node& node, std::string_view data) {
  const auto* access = node.as<AccessNode>();
  return access && access->data == data;
}

/// DaCe's rule for which end a memlet's data is at. The stored flag counts only if both fit.
void place_subsets(State& state, const Sdfg& sdfg) {
  PathEnds ends(state);
  for (EdgeId e : state.edges()) {
    Memlet& memlet = state[e].memlet;
    if (memlet.empty()) continue;
    const bool src = names(state[ends.source(e)], memlet.data);
    const bool dst = names(state[ends.target(e)], memlet.data);
    if (src != dst || !src) {
      if (memlet.data_is_src != src) {
        memlet.data_is_src = src;
        std::swap(memlet.src_subset, memlet.dst_subset);
      }
    }
    if (!memlet.subset()) {
      // No subset means the whole container.
      const bool unread = std::ranges::any_of(
          memlet.extras, [](const auto& extra) { return extra.first == "subset"; });
      const Data* data = sdfg.find_data(memlet.data);
      if (data && !unread) memlet.subset() = Subset::whole(data->shape);
    }
  }
}

bool read_connected_edge(Loader& in, Value element, State& out) {
  NodeId ends[2];
  for (int i = 0; i < 2; ++i) {
    Value id;
    if (!in.require(element, i == 0 ? "src" : "dst", id)) return false;
    const auto index = read_index(id, out.id_bound());
    if (!index)
      return in.fail(id,
                     "the id of one of the state's " + std::to_string(out.id_bound()) + " nodes");
    ends[i] = {*index};
  }
  Edge edge;
  if (!read_edge(in, element, edge)) return false;
  out.connect(ends[0], ends[1], std::move(edge));
  return true;
}

/// Exits learn their entries: from the exit's `scope_entry`, else from an entry's `scope_exit`.
bool link_scopes(Loader& in, Value nodes, State& out) {
  std::uint32_t at = 0;
  for (Value element : nodes) {
    const NodeId id{at++};
    Node& node = out[id];
    auto* other = node.as<OtherNode>();
    if (!node.is_exit() && !other) continue;
    const Value entry = element.find("scope_entry");
    if (!entry.valid() || entry.is_null()) continue;
    const auto index = read_index(entry, out.id_bound());
    const bool fits = index && (node.is<MapExit>()       ? out[NodeId{*index}].is<MapEntry>()
                                : node.is<ConsumeExit>() ? out[NodeId{*index}].is<ConsumeEntry>()
                                                         : true);
    if (!fits) return in.fail(entry, "the id of the entry that this exit closes");
    if (auto* exit = node.as<MapExit>()) exit->entry = {*index};
    if (auto* exit = node.as<ConsumeExit>()) exit->entry = {*index};
    if (other) {
      const Value own = element.find("scope_exit");
      if (own.valid() && read_index(own, out.id_bound()) == id.value) other->entry = NodeId{*index};
    }
  }
  at = 0;
  for (Value element : nodes) {
    const NodeId id{at++};
    if (!out[id].is_entry()) continue;
    Value named = element.find("scope_exit");
    if (const Value list = element.find("scope_exits"); !named.valid() && list.valid()) {
      if (!list.is_array() || list.size() != 1) return in.fail(list, "an array with one id");
      named = *list.begin();
    }
    if (!named.valid() || named.is_null()) continue;
    const auto index = read_index(named, out.id_bound());
    if (!index) return in.fail(named, "the id of the exit of this scope");
    Node& exit = out[NodeId{*index}];
    if (auto* map = exit.as<MapExit>(); map && !map->entry && out[id].is<MapEntry>())
      map->entry = id;
    if (auto* consume = exit.as<ConsumeExit>();
        consume && !consume->entry && out[id].is<ConsumeEntry>())
      consume->entry = id;
  }
  return true;
}

}  // namespace

bool read_edge(Loader& in, Value element, Edge& out) {
  Value attributes, data;
  if (!in.require(element, "attributes", json::Kind::Object, attributes) ||
      !in.require(attributes, "data", data))
    return false;
  for (Value member : element) {
    const std::string_view key = member.raw_key();
    if (key == "type" || key == "src" || key == "dst" || key == "attributes") continue;
    if (key == "src_connector" || key == "dst_connector") {
      std::string& name = key == "src_connector" ? out.src_connector : out.dst_connector;
      if (!member.is_null() && !read_value(in, member, name))
        return in.fail(member, "a connector's name or null");
    } else {
      carry_positional(out.extras, member);
    }
  }
  for (Value member : attributes)
    if (member.raw_key() != "data") carry(out.extras, member);
  if (!read_memlet(in, data, out.memlet)) return false;
  out.memlet.origin = in.origin(element);
  return true;
}

bool read_state_graph(Loader& in, Value element, const Sdfg& sdfg, State& out) {
  Value nodes, edges;
  if (!in.require(element, "nodes", json::Kind::Array, nodes) ||
      !in.require(element, "edges", json::Kind::Array, edges))
    return false;
  if (in.shallow) return true;
  for (Value item : nodes) {
    Node node{AccessNode{}};
    if (!read_node(in, item, node)) return false;
    out.add(std::move(node));
  }
  for (Value item : edges)
    if (!read_connected_edge(in, item, out)) return false;
  if (!link_scopes(in, nodes, out)) return false;
  place_subsets(out, sdfg);
  return true;
}

}  // namespace sdfg::detail
