#include "ir/compare.h"

#include <algorithm>

#include "ir/place.h"
#include "ir/print.h"
#include "ir/print_value.h"

namespace sdfg {

std::string Difference::text() const {
  switch (kind) {
    case Kind::Added:
      return "+ " + place + (after.empty() ? "" : ": " + after);
    case Kind::Removed:
      return "- " + place + (before.empty() ? "" : ": " + before);
    case Kind::Changed:
      break;
  }
  return "~ " + place + (place.empty() ? "" : ": ") + property + ": " + before + " -> " + after;
}

namespace {

using Kind = Difference::Kind;

template <class T>
std::string value_text(const T& value) {
  detail::TextWriter writer;
  writer.one_line = true;
  writer.value(value);
  return writer.take();
}

std::string node_text(std::optional<NodeId> id) {
  return id && *id ? "n" + std::to_string(id->value) : "none";
}

class Comparison {
 public:
  std::vector<Difference> take() { return std::move(found_); }

  void sdfgs(const Place& place, const Sdfg& a, const Sdfg& b);

 private:
  void add(Kind kind, const Place& place, std::string what) {
    found_.push_back({kind, place.text(), "", kind == Kind::Removed ? what : "",
                      kind == Kind::Added ? what : ""});
  }
  void changed(const Place& place, std::string_view property, std::string before,
               std::string after) {
    found_.push_back(
        {Kind::Changed, place.text(), std::string(property), std::move(before), std::move(after)});
  }
  template <class T, class Fields>
  void fields(const Place& place, const T& a, const T& b, const Fields& all) {
    const auto compare = [&](const auto& p) {
      const auto &before = a.*(p.member), &after = b.*(p.member);
      if (!(before == after)) changed(place, p.name, value_text(before), value_text(after));
    };
    all([&](const auto&... p) { (compare(p), ...); });
  }
  /// Ids of either graph in order, and who has them.
  template <class G, class OnlyA, class OnlyB, class Both>
  static void match_nodes(const G& a, const G& b, OnlyA&& removed, OnlyB&& added, Both&& both) {
    for (std::uint32_t i = 0; i < std::max(a.id_bound(), b.id_bound()); ++i) {
      const typename G::NodeId id{i};
      const bool in_a = a.contains(id), in_b = b.contains(id);
      if (in_a && in_b)
        both(id);
      else if (in_a)
        removed(id);
      else if (in_b)
        added(id);
    }
  }
  template <class G, class OnlyA, class OnlyB, class Both>
  static void match_edges(const G& a, const G& b, OnlyA&& removed, OnlyB&& added, Both&& both) {
    for (std::uint32_t i = 0; i < std::max(a.edge_id_bound(), b.edge_id_bound()); ++i) {
      const typename G::EdgeId id{i};
      const bool in_a = a.contains(id), in_b = b.contains(id);
      const bool same_ends =
          in_a && in_b && a.source(id) == b.source(id) && a.target(id) == b.target(id);
      if (same_ends) {
        both(id);
      } else {
        if (in_a) removed(id);
        if (in_b) added(id);
      }
    }
  }
  /// The order of a node's edges, where the edges themselves are the same.
  template <class G>
  void edge_order(const Place& place, const G& a, const G& b, typename G::NodeId id) {
    const auto differ = [](auto x, auto y) {
      return !std::ranges::equal(x, y) && std::ranges::is_permutation(x, y);
    };
    if (differ(a.in(id), b.in(id))) changed(place, "in_order", "before", "after");
    if (differ(a.out(id), b.out(id))) changed(place, "out_order", "before", "after");
  }

  void containers(const Place& place, const Sdfg& a, const Sdfg& b);
  void regions(const Place& place, const Region& a, const Region& b);
  void blocks(const Place& place, const Block& a, const Block& b);
  void conditionals(const Place& place, const ConditionalBlock& a, const ConditionalBlock& b);
  void states(const Place& place, const State& a, const State& b);
  void nodes(const Place& place, const Node& a, const Node& b);

  std::vector<Difference> found_;
};

void Comparison::sdfgs(const Place& place, const Sdfg& a, const Sdfg& b) {
  fields(place, a, b, detail::sdfg_fields);
  containers(place, a, b);
  regions(place, a, b);
}

void Comparison::containers(const Place& place, const Sdfg& a, const Sdfg& b) {
  const auto names = [](const auto& map) {
    std::vector<std::string_view> all;
    for (const auto& entry : map) all.push_back(entry.first);
    return all;
  };
  const auto word = [](const Data& data) {
    return (data.transient ? "transient " : "") + to_text(data);
  };
  for (const auto& [name, data] : a.arrays)
    if (!b.arrays.contains(name)) add(Kind::Removed, place.data(name), word(data));
  for (const auto& [name, data] : b.arrays) {
    const Data* before = a.arrays.get(name);
    if (!before)
      add(Kind::Added, place.data(name), word(data));
    else if (!(*before == data))
      changed(place.data(name), "desc", word(*before), word(data));
  }
  if (names(a.arrays) != names(b.arrays)) {
    std::vector<std::string_view> x = names(a.arrays), y = names(b.arrays);
    std::ranges::sort(x), std::ranges::sort(y);
    if (x == y) changed(place, "arrays", "one order", "another order");
  }
  if (!(a.constants == b.constants)) {
    const auto text = [](const Sdfg& s) {
      std::string all;
      for (const auto& [name, c] : s.constants)
        all += (all.empty() ? "" : ", ") + name + " = " + c.value;
      return "{" + all + "}";
    };
    changed(place, "constants", text(a), text(b));
  }
}

void Comparison::regions(const Place& place, const Region& a, const Region& b) {
  if (a.start_block != b.start_block) {
    const auto text = [](const Region& r) {
      if (!r.start_block) return std::string("none");
      return r.contains(*r.start_block) ? r[*r.start_block].label
                                        : "#" + std::to_string(r.start_block->value);
    };
    changed(place, "start", text(a), text(b));
  }
  match_nodes(
      static_cast<const RegionGraph&>(a), static_cast<const RegionGraph&>(b),
      [&](BlockId id) { add(Kind::Removed, place.block(a[id]), ""); },
      [&](BlockId id) { add(Kind::Added, place.block(b[id]), ""); },
      [&](BlockId id) {
        if (a[id].kind.index() != b[id].kind.index()) {
          add(Kind::Removed, place.block(a[id]), "");
          add(Kind::Added, place.block(b[id]), "");
          return;
        }
        const Place inside = place.block(b[id]);
        blocks(inside, a[id], b[id]);
        edge_order(inside, static_cast<const RegionGraph&>(a), static_cast<const RegionGraph&>(b),
                   id);
      });
  match_edges(
      static_cast<const RegionGraph&>(a), static_cast<const RegionGraph&>(b),
      [&](InterstateEdgeId id) { add(Kind::Removed, place.edge(a, id), ""); },
      [&](InterstateEdgeId id) { add(Kind::Added, place.edge(b, id), ""); },
      [&](InterstateEdgeId id) {
        fields(place.edge(b, id), a[id], b[id], detail::interstate_fields);
      });
}

void Comparison::blocks(const Place& place, const Block& a, const Block& b) {
  if (a.label != b.label) changed(place, "label", a.label, b.label);
  fields(place, a, b, detail::block_fields);
  std::visit(
      [&](const auto& before) {
        using K = std::remove_cvref_t<decltype(before)>;
        const K& after = std::get<K>(b.kind);
        fields(place, before, after, detail::kind_fields<K>());
        if constexpr (std::is_same_v<K, OtherBlock>)
          if (before.type != after.type) changed(place, "type", before.type, after.type);
        if constexpr (std::is_same_v<K, State>) states(place, before, after);
        if constexpr (std::is_same_v<K, ConditionalBlock>) conditionals(place, before, after);
        if constexpr (std::is_base_of_v<Region, K>) regions(place, before, after);
      },
      a.kind);
}

void Comparison::conditionals(const Place& place, const ConditionalBlock& a,
                              const ConditionalBlock& b) {
  const std::size_t common = std::min(a.branches.size(), b.branches.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Place inside = place.in("branch " + b.branches[i].block.label);
    if (a.branches[i].condition != b.branches[i].condition)
      changed(inside, "condition", value_text(a.branches[i].condition),
              value_text(b.branches[i].condition));
    blocks(inside, a.branches[i].block, b.branches[i].block);
  }
  for (std::size_t i = common; i < a.branches.size(); ++i)
    add(Kind::Removed, place.in("branch " + a.branches[i].block.label), "");
  for (std::size_t i = common; i < b.branches.size(); ++i)
    add(Kind::Added, place.in("branch " + b.branches[i].block.label), "");
}

void Comparison::states(const Place& place, const State& a, const State& b) {
  match_nodes(
      static_cast<const StateGraph&>(a), static_cast<const StateGraph&>(b),
      [&](NodeId id) { add(Kind::Removed, place.node(a, id), ""); },
      [&](NodeId id) { add(Kind::Added, place.node(b, id), ""); },
      [&](NodeId id) {
        if (a[id].kind.index() != b[id].kind.index()) {
          add(Kind::Removed, place.node(a, id), "");
          add(Kind::Added, place.node(b, id), "");
          return;
        }
        // Nested SDFGs are compared once, on the way down.
        if (b[id].is<NestedSdfg>() || !(a[id] == b[id])) nodes(place.node(b, id), a[id], b[id]);
        edge_order(place.node(b, id), static_cast<const StateGraph&>(a),
                   static_cast<const StateGraph&>(b), id);
      });
  const auto text = [](const Memlet& m) { return m.empty() ? std::string() : to_text(m); };
  match_edges(
      static_cast<const StateGraph&>(a), static_cast<const StateGraph&>(b),
      [&](EdgeId id) { add(Kind::Removed, place.edge(a, id), text(a[id].memlet)); },
      [&](EdgeId id) { add(Kind::Added, place.edge(b, id), text(b[id].memlet)); },
      [&](EdgeId id) {
        if (a[id] == b[id]) return;
        const Place at = place.edge(b, id);
        if (a[id].src_connector != b[id].src_connector)
          changed(at, "src_connector", a[id].src_connector, b[id].src_connector);
        if (a[id].dst_connector != b[id].dst_connector)
          changed(at, "dst_connector", a[id].dst_connector, b[id].dst_connector);
        fields(at, a[id].memlet, b[id].memlet, detail::memlet_fields);
        fields(at, a[id], b[id], detail::edge_fields);
      });
}

void Comparison::nodes(const Place& place, const Node& a, const Node& b) {
  std::visit(
      [&](const auto& before) {
        using K = std::remove_cvref_t<decltype(before)>;
        const K& after = std::get<K>(b.kind);
        fields(place, before, after, detail::kind_fields<K>());
        if constexpr (requires { before.entry; })
          if (before.entry != after.entry)
            changed(place, "entry", node_text(before.entry), node_text(after.entry));
        if constexpr (std::is_same_v<K, OtherNode>) {
          if (before.type != after.type) changed(place, "type", before.type, after.type);
          if (before.label != after.label) changed(place, "label", before.label, after.label);
        }
        if constexpr (std::is_same_v<K, LibraryNode>)
          if (before.classpath != after.classpath)
            changed(place, "classpath", before.classpath, after.classpath);
        if constexpr (std::is_same_v<K, NestedSdfg>) {
          if (before.sdfg && after.sdfg)
            sdfgs(place, **before.sdfg, **after.sdfg);
          else if (before.sdfg.has_value() != after.sdfg.has_value())
            changed(place, "sdfg", before.sdfg ? "here" : "none", after.sdfg ? "here" : "none");
        }
      },
      a.kind);
  if (a.in_connectors != b.in_connectors)
    changed(place, "in_connectors", value_text(a.in_connectors), value_text(b.in_connectors));
  if (a.out_connectors != b.out_connectors)
    changed(place, "out_connectors", value_text(a.out_connectors), value_text(b.out_connectors));
  fields(place, a, b, detail::node_fields);
}

}  // namespace

std::vector<Difference> compare(const Sdfg& before, const Sdfg& after) {
  Comparison comparison;
  comparison.sdfgs(Place(), before, after);
  return comparison.take();
}

}  // namespace sdfg
