#include <algorithm>

#include "ir/analysis/scope_tree.h"
#include "serialize/loader.h"
#include "serialize/saver.h"

namespace sdfg::detail {

namespace {

/// The text that DaCe shows for a node; nobody reads it back.
std::string label_text(const Node& node) {
  std::string label(node.label());
  if (const auto* map = node.as<MapEntry>()) {
    label += '[';
    for (std::size_t d = 0; d < map->params.size() && d < map->ranges.size(); ++d)
      label += (d ? ", " : "") + map->params[d] + "=" + to_text(map->ranges[d]);
    label += ']';
  } else if (const auto* consume = node.as<ConsumeEntry>()) {
    label += " [" + consume->pe_index + "=0:" + to_text(consume->num_pes) + "]";
    if (consume->condition) label += ", Condition: " + consume->condition->text();
  }
  return label;
}

template <class K>
void put_kind(Members& m, const K& kind, const Node& node, std::size_t record) {
  Saver& to = m.saver();
  if constexpr (std::is_same_v<K, AccessNode>) {
    m.put("data", [&] { to.text(kind.data); });
    AccessNode rest = kind;
    rest.data.clear();
    put_properties(m, rest, node.extras);
  } else if constexpr (std::is_same_v<K, MapEntry>) {
    static const MapEntry fallback{};
    MapEntry map = kind;
    if (to.head() && map.schedule == Schedule::Unrolled) {
      // DaCe 2 says it so.
      map.schedule = Schedule::Sequential;
      map.unroll = true;
    }
    for_each_property(map, [&](const auto& p, const auto& value) {
      put_property(m, p, value, fallback.*(p.member), node.extras,
                   p.name == "params" || p.name == "range");
    });
  } else if constexpr (std::is_same_v<K, NestedSdfg>) {
    // Null only in company of ext_sdfg_path.
    if (!to.own_only) {
      m.put_always("sdfg", [&] {
        if (kind.sdfg)
          save_sdfg(to, **kind.sdfg, record + 1, false);
        else
          to.raw("null");
      });
    }
    put_properties(m, kind, node.extras);
  } else if constexpr (std::is_same_v<K, LibraryNode>) {
    put_extras(m, node.extras, "", [&](std::string_view name) { return is_set(kind, name); });
    put_properties(m, kind, node.extras);
  } else if constexpr (!std::is_same_v<K, OtherNode>) {
    put_properties(m, kind, node.extras);
  }
}

struct Place {
  std::uint32_t index = 0;
  std::optional<std::uint32_t> scope_entry, scope_exit;
};

void put_node(Members& m, const Node& node, const std::string& label, const Place& place,
              std::size_t record) {
  Saver& to = m.saver();
  m.put("type", [&] { to.text(node.kind_name()); });
  m.put("label", [&] { to.text(label); });
  m.put_object("attributes", [&](Members& a) {
    std::visit([&](const auto& kind) { put_kind(a, kind, node, record); }, node.kind);
    const auto put = [&](std::string_view name, const auto& value, bool present) {
      if (present) a.put(name, [&] { write_value(to, value); });
    };
    put("debuginfo", node.debuginfo, node.debuginfo.has_value());
    put("in_connectors", node.in_connectors, !node.in_connectors.empty());
    put("out_connectors", node.out_connectors, !node.out_connectors.empty());
    put("guid", node.guid, !node.guid.empty());
    if (!node.is<LibraryNode>())
      put_extras(a, node.extras, "", [&](std::string_view name) {
        return std::visit([&](const auto& kind) { return is_set(kind, name); }, node.kind);
      });
  });
  m.put_index("id", place.index, false);
  m.put_index("scope_entry", place.scope_entry, true);
  m.put_index("scope_exit", place.scope_exit, true);
  if (const auto* library = node.as<LibraryNode>())
    m.put("classpath", [&] { to.text(library->classpath); });
  put_extras(m, node.extras, "/", never);
}

/// With `ceiling(a/b)` for `int_ceil(a, b)`.
Expr with_ceilings(const Expr& e) {
  if (e.args().empty()) return e;
  std::vector<Expr> args;
  for (const Expr& a : e.args()) args.push_back(with_ceilings(a));
  if (e.is(Op::CeilDiv))
    return Expr::make(Op::Call, {Expr::make(Op::Div, std::move(args))}, "ceiling");
  return Expr::make(e.op(), std::move(args), e.name());
}

/// DaCe asks of a copy that the sizes of both sides be the same expression. It computes that of a
/// range with a step as `ceiling(a/b)`, which is not `int_ceil(a, b)` to it. Nothing without steps.
std::optional<Memlet> with_comparable_sizes(const Memlet& memlet) {
  const auto has_step = [](const Subset& side) {
    return std::ranges::any_of(side.ranges, [](const Range& r) {
      const auto step = r.step.as_integer();
      return step != 1 && step != -1;
    });
  };
  if (!memlet.src_subset || !memlet.dst_subset ||
      (!has_step(*memlet.src_subset) && !has_step(*memlet.dst_subset)))
    return std::nullopt;
  std::optional<Memlet> out = memlet;
  for (Subset* side : {&*out->src_subset, &*out->dst_subset})
    for (Range& r : side->ranges)
      for (Expr* e : {&r.begin, &r.end, &r.step}) *e = with_ceilings(*e);
  return out;
}

void put_memlet(Members& m, const Memlet& memlet) {
  Saver& to = m.saver();
  m.put("type", [&] { to.raw("\"Memlet\""); });
  m.put_object("attributes", [&](Members& a) {
    const auto put = [&](std::string_view name, const auto& value, bool present) {
      if (present) a.put(name, [&] { write_value(to, value); });
    };
    const auto extra = [&](std::string_view name) {
      return !memlet.extras.empty() && find_extra(memlet.extras, name);
    };
    put("volume", memlet.volume, !extra("volume"));
    put("dynamic", memlet.dynamic, memlet.dynamic);
    put("subset", memlet.subset(), memlet.subset().has_value());
    put("other_subset", memlet.other_subset(), memlet.other_subset().has_value());
    put("data", memlet.data, !memlet.empty());
    if (memlet.wcr) a.put("wcr", [&] { to.text(memlet.wcr->text()); });
    put("debuginfo", memlet.debuginfo, memlet.debuginfo.has_value());
    put("wcr_nonatomic", memlet.wcr_nonatomic, memlet.wcr_nonatomic);
    put("allow_oob", memlet.allow_oob, memlet.allow_oob);
    put("guid", memlet.guid, !memlet.guid.empty());
    put("src_subset", memlet.src_subset, true);
    put("dst_subset", memlet.dst_subset, true);
    put("is_data_src", !memlet.empty() && memlet.data_is_src, !extra("is_data_src"));
    a.put("num_accesses", [&] { memlet.dynamic ? to.raw("-1") : to.symbolic(memlet.volume); });
    put_extras(a, memlet.extras, "", [&](std::string_view name) { return is_set(memlet, name); });
  });
  put_extras(m, memlet.extras, "/", never);
}

void put_edge(Members& m, const Edge& edge, std::uint32_t src, std::uint32_t dst) {
  Saver& to = m.saver();
  m.put("type", [&] { to.raw("\"MultiConnectorEdge\""); });
  m.put_object("attributes", [&](Members& a) {
    a.put_object("data", [&](Members& d) {
      const std::optional<Memlet> comparable = with_comparable_sizes(edge.memlet);
      put_memlet(d, comparable ? *comparable : edge.memlet);
    });
    put_extras(a, edge.extras, "", never);
  });
  m.put_index("src", src, true);
  m.put_index("dst", dst, true);
  const auto connector = [&](std::string_view name, const std::string& value) {
    m.put(name, [&] { value.empty() ? to.raw("null") : to.text(value); });
  };
  connector("dst_connector", edge.dst_connector);
  connector("src_connector", edge.src_connector);
  put_extras(m, edge.extras, "/", never);
}

void save_edge(Saver& to, const Edge& edge, std::uint32_t src, std::uint32_t dst,
               std::size_t record) {
  if (to.copy_unchanged(edge.memlet.origin, record)) return;
  save_merged(
      to, edge, edge.memlet.origin,
      [&](json::Value original, Edge& old) {
        if (!read_edge(*to.loader, original, old)) return false;
        // Where the file leaves open which end the data is at, it meant what we found.
        const json::Value stored =
            original.find("attributes").find("data").find("attributes").find("is_data_src");
        if ((!stored.valid() || stored.is_null()) && old.memlet.data == edge.memlet.data &&
            old.memlet.data_is_src != edge.memlet.data_is_src) {
          old.memlet.data_is_src = edge.memlet.data_is_src;
          std::swap(old.memlet.src_subset, old.memlet.dst_subset);
        }
        return true;
      },
      [&](Members& m, const Edge& e) { put_edge(m, e, src, dst); });
}

/// Scopes as JSON has them: by entry, or at the top level, the direct children.
void save_scope_dict(Saver& to, const State& state, const ScopeTree& scopes,
                     const std::vector<std::uint32_t>& position) {
  std::vector<std::vector<std::uint32_t>> children(state.id_bound());
  std::vector<std::uint32_t> top;
  for (const NodeId id : state.nodes()) {
    const NodeId parent = scopes.parent_of(id);
    (parent ? children[parent.value] : top).push_back(position[id.value]);
  }
  const auto write = [&](const std::vector<std::uint32_t>& ids) {
    to.out += '[';
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i) to.out += ',';
      to.integer(ids[i]);
    }
    to.out += ']';
  };
  to.raw("{\"-1\":");
  write(top);
  for (const NodeId id : state.nodes()) {
    if (children[id.value].empty()) continue;
    to.raw(",\"");
    to.integer(position[id.value]);
    to.raw("\":");
    write(children[id.value]);
  }
  to.out += '}';
}

}  // namespace

void save_state(Members& m, const State& state, std::size_t record) {
  Saver& to = m.saver();
  const auto position = positions(state);
  const auto scopes = scope_tree(state);
  const auto position_of = [&](NodeId id) -> std::optional<std::uint32_t> {
    if (!id || !state.contains(id)) return std::nullopt;
    return position[id.value];
  };
  m.put_always("scope_dict", [&] {
    if (scopes)
      save_scope_dict(to, state, *scopes, position);
    else
      to.raw("{}");
  });
  m.put_always("nodes", [&] {
    to.out += '[';
    bool first = true;
    for (const NodeId id : state.nodes()) {
      if (!first) to.out += ',';
      first = false;
      const Node& node = state[id];
      const std::size_t own = record;
      record = to.end_of(own);
      if (to.copy_unchanged(node.origin, own)) continue;
      Place place{position[id.value], {}, {}};
      if (scopes) {
        const NodeId parent = scopes->parent_of(id);
        place.scope_entry = position_of(parent);
        if (node.is_entry())
          place.scope_exit = position_of(scopes->exit_of(id));
        else if (parent)
          place.scope_exit = position_of(scopes->exit_of(parent));
      } else if (const auto* exit = node.as<MapExit>()) {
        place.scope_entry = position_of(exit->entry);
      } else if (const auto* exit = node.as<ConsumeExit>()) {
        place.scope_entry = position_of(exit->entry);
      }
      // An exit is labelled like its entry.
      const auto label = [&](const Node& n) {
        const Node* named = &n;
        if (n.is_exit() && place.scope_entry && scopes) named = &state[scopes->parent_of(id)];
        return label_text(*named);
      };
      save_merged(
          to, node, node.origin,
          [&](json::Value original, Node& old) {
            return read_node(*to.loader, original, old) && old.kind.index() == node.kind.index();
          },
          [&](Members& inner, const Node& n) { put_node(inner, n, label(n), place, own); });
    }
    to.out += ']';
  });
  m.put_always("edges", [&] {
    to.out += '[';
    bool first = true;
    for (const EdgeId id : state.edges()) {
      if (!first) to.out += ',';
      first = false;
      save_edge(to, state[id], position[state.source(id).value], position[state.target(id).value],
                record);
      record = to.end_of(record);
    }
    to.out += ']';
  });
}

}  // namespace sdfg::detail
