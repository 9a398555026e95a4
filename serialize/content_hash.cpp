#include "serialize/content_hash.h"

#include "ir/analysis/scope_tree.h"
#include "support/hash.h"

namespace sdfg {
namespace {

/// Adds values of any type that properties have.
struct Mixer {
  Hasher hasher;

  void operator()(std::uint64_t v) { hasher.add(v); }
  void operator()(std::int64_t v) { hasher.add(std::uint64_t(v)); }
  void operator()(bool v) { hasher.add(std::uint64_t(v)); }
  void operator()(std::string_view v) { hasher.add(v); }
  void operator()(const std::string& v) { hasher.add(std::string_view(v)); }
  template <NamedEnum E>
  void operator()(E v) {
    hasher.add(std::uint64_t(v));
  }
  void operator()(const Expr& v) { hasher.add(std::uint64_t(v.hash())); }
  void operator()(const Code& v) {
    (*this)(v.language());
    (*this)(v.text());
  }
  void operator()(const Type& v) {
    hasher.add(std::uint64_t(v.base()));
    if (v.base() < BaseType::Pointer) return;
    const CompoundType& c = v.compound();
    (*this)(c.name), (*this)(c.element), (*this)(c.length), (*this)(c.members), (*this)(c.lengths),
        (*this)(c.bytes), (*this)(c.arguments), (*this)(c.results);
  }
  template <Optional O>
  void operator()(const O& v) {
    (*this)(v.has_value());
    if (v) (*this)(*v);
  }
  template <class T, class Default>
  void operator()(const Rare<T, Default>& v) {
    (*this)(*v);
  }
  template <class A, class B>
  void operator()(const std::pair<A, B>& v) {
    (*this)(v.first);
    (*this)(v.second);
  }
  template <class T>
  void operator()(const std::vector<T>& v) {
    hasher.add(std::uint64_t(v.size()));
    for (const T& item : v) (*this)(item);
  }
  template <class T, class Less>
  void operator()(const std::map<std::string, T, Less>& v) {
    hasher.add(std::uint64_t(v.size()));
    for (const auto& item : v) (*this)(item);
  }
  template <class T>
  void operator()(const OrderedMap<T>& v) {
    hasher.add(std::uint64_t(v.size()));
    for (const auto& item : v) (*this)(item);
  }
  void operator()(const Subset& v) { (*this)(v.ranges); }
  void operator()(const Range& v) { properties(v); }
  void operator()(const DebugInfo& v) { properties(v); }
  void operator()(const Data& v) {
    (*this)(std::uint64_t(v.kind.index()));
    std::visit([&](const auto& kind) { data_kind(kind); }, v.kind);
    properties(v);
    (*this)(v.extras);
  }
  void data_kind(const Array& v) {
    (*this)(std::uint64_t(v.role));
    (*this)(v.is_parameter);
    properties(v);
  }
  void data_kind(const Scalar& v) { properties(v); }
  void data_kind(const Stream& v) { properties(v); }
  void data_kind(const Structure& v) {
    (*this)(std::uint64_t(v.role));
    (*this)(v.name);
    (*this)(std::uint64_t(v.members.size()));
    for (const auto& [name, member] : v.members) {
      (*this)(name);
      if (const auto* data = std::get_if<Box<Data>>(&member))
        (*this)(**data);
      else
        (*this)(std::get<Expr>(member));
    }
  }
  void data_kind(const ContainerArray& v) {
    data_kind(v.array);
    (*this)(v.stype.has_value());
    if (v.stype) (*this)(**v.stype);
  }
  void data_kind(const OtherData& v) { (*this)(v.type); }

  template <class T>
  void properties(const T& object) {
    for_each_property(object, [&](const auto&, const auto& field) { (*this)(field); });
  }
};

/// Positions of live ids in their graph: what JSON calls ids.
template <class Graph>
std::vector<std::uint32_t> positions(const Graph& graph) {
  std::vector<std::uint32_t> out(graph.id_bound(), ~0u);
  std::uint32_t next = 0;
  for (const auto id : graph.nodes()) out[id.value] = next++;
  return out;
}

// Sdfg::source, a text, hides Graph::source.
Region& as_region(Region& r) { return r; }
const Region& as_region(const Region& r) { return r; }

/// S, B, …: the types with or without const; without, each Origin learns its hash.
class Walk {
 public:
  explicit Walk(std::vector<ContentHash>& out) : out_(out) {}

  template <class S>
  std::uint64_t sdfg(S& s, bool root) {
    const std::size_t record = open();
    Mixer mix;
    number_graph(mix);
    mix.properties(s);
    mix(s.extras);
    if (root) {
      mix(s.root_extras);
      mix(s.dace_version);
      mix(std::uint64_t(s.dialect ? 1 + int(*s.dialect) : 0));
    }
    mix(std::uint64_t(s.constants.size()));
    for (const auto& [name, constant] : s.constants) {
      mix(name);
      mix(constant.data);
      mix(constant.value);
    }
    mix(std::uint64_t(s.arrays.size()));
    for (auto& [name, data] : s.arrays) {
      mix(name);
      const std::size_t own = open();
      Mixer inner;
      inner(data);
      mix(close(own, inner, data.origin));
    }
    mix(region(as_region(s)));
    return close(record, mix, s.origin);
  }

 private:
  std::size_t open() {
    out_.push_back({0, 0, next_graph_});
    return out_.size() - 1;
  }
  /// Every control-flow graph has a number (`cfg_list_id`), the outer before the inner.
  void number_graph(Mixer& mix) { mix(std::uint64_t(next_graph_++)); }
  template <class O>
  std::uint64_t close(std::size_t record, const Mixer& mix, O& origin) {
    const std::uint64_t hash = mix.hasher.value();
    out_[record] = {hash, std::uint32_t(out_.size()), next_graph_ - out_[record].graphs};
    if constexpr (!std::is_const_v<O>) origin.hash = hash;
    return hash;
  }

  template <class R>
  std::uint64_t region(R& r) {
    Mixer mix;
    const auto position = positions(r);
    mix(std::uint64_t(r.start_block && r.contains(*r.start_block) ? position[r.start_block->value]
                                                                  : ~0u));
    mix(std::uint64_t(r.node_count()));
    for (const BlockId id : r.nodes()) mix(block(r[id], position[id.value]));
    mix(std::uint64_t(r.edge_count()));
    for (const InterstateEdgeId id : r.edges()) {
      const std::size_t record = open();
      auto& edge = r[id];
      Mixer inner;
      inner(std::uint64_t(position[r.source(id).value]));
      inner(std::uint64_t(position[r.target(id).value]));
      inner.properties(edge);
      inner(edge.extras);
      mix(close(record, inner, edge.origin));
    }
    return mix.hasher.value();
  }

  template <class B>
  std::uint64_t block(B& b, std::uint32_t position) {
    const std::size_t record = open();
    Mixer mix;
    mix(std::uint64_t(position));
    mix(b.label);
    mix(b.is_collapsed);
    mix(b.debuginfo);
    mix(b.guid);
    mix(b.extras);
    mix(std::uint64_t(b.kind.index()));
    std::visit([&](auto& kind) { block_kind(mix, kind); }, b.kind);
    return close(record, mix, b.origin);
  }

  template <class K>
  void block_kind(Mixer& mix, K& kind) {
    using Kind = std::remove_const_t<K>;
    if constexpr (requires { Kind::properties; }) mix.properties(kind);
    if constexpr (std::is_same_v<Kind, State>) {
      state(mix, kind);
    } else if constexpr (std::is_same_v<Kind, ControlFlowRegion>) {
      number_graph(mix);
      mix(std::uint64_t(kind.flavor));
      mix(kind.arguments);
      mix(region(as_region(kind)));
    } else if constexpr (std::is_same_v<Kind, LoopRegion>) {
      number_graph(mix);
      mix(region(as_region(kind)));
    } else if constexpr (std::is_same_v<Kind, ConditionalBlock>) {
      number_graph(mix);
      std::uint32_t position = 0;
      for (auto& branch : kind.branches) {
        mix(branch.condition);
        mix(block(branch.block, position++));
      }
    } else if constexpr (std::is_same_v<Kind, OtherBlock>) {
      mix(kind.type);
    }
  }

  template <class S>
  void state(Mixer& mix, S& s) {
    const auto position = positions(s);
    const auto position_of = [&](NodeId id) {
      return std::uint64_t(id && s.contains(id) ? position[id.value] : ~0u);
    };
    const auto scopes = scope_tree(s);
    mix(std::uint64_t(s.node_count()));
    for (const NodeId id : s.nodes()) {
      const std::size_t record = open();
      Mixer inner;
      inner(position_of(id));
      if (scopes) {
        const NodeId parent = scopes->parent_of(id);
        inner(position_of(parent));
        inner(position_of(s[id].is_entry() ? scopes->exit_of(id)
                          : parent         ? scopes->exit_of(parent)
                                           : NodeId{}));
      }
      node(inner, s[id], position_of);
      mix(close(record, inner, s[id].origin));
    }
    mix(std::uint64_t(s.edge_count()));
    for (const EdgeId id : s.edges()) {
      const std::size_t record = open();
      auto& edge = s[id];
      Mixer inner;
      inner(position_of(s.source(id)));
      inner(position_of(s.target(id)));
      inner(edge.src_connector);
      inner(edge.dst_connector);
      inner(edge.extras);
      inner.properties(edge.memlet);
      inner(edge.memlet.extras);
      mix(close(record, inner, edge.memlet.origin));
    }
  }

  template <class N, class F>
  void node(Mixer& mix, N& n, const F& position_of) {
    mix(n.in_connectors);
    mix(n.out_connectors);
    mix(n.debuginfo);
    mix(n.guid);
    mix(n.extras);
    mix(std::uint64_t(n.kind.index()));
    std::visit(
        [&](auto& kind) {
          using Kind = std::remove_cvref_t<decltype(kind)>;
          if constexpr (requires { Kind::properties; }) mix.properties(kind);
          if constexpr (std::is_same_v<Kind, MapExit> || std::is_same_v<Kind, ConsumeExit>) {
            mix(position_of(kind.entry));
          } else if constexpr (std::is_same_v<Kind, NestedSdfg>) {
            mix(kind.sdfg.has_value());
            if (kind.sdfg) mix(sdfg(**kind.sdfg, false));
          } else if constexpr (std::is_same_v<Kind, LibraryNode>) {
            mix(kind.classpath);
          } else if constexpr (std::is_same_v<Kind, OtherNode>) {
            mix(kind.type);
            mix(kind.label);
            mix(position_of(kind.entry.value_or(NodeId{})));
          }
        },
        n.kind);
  }

  std::vector<ContentHash>& out_;
  std::uint32_t next_graph_ = 0;
};

}  // namespace

std::vector<ContentHash> content_hashes(const Sdfg& sdfg) {
  std::vector<ContentHash> out;
  Walk(out).sdfg(sdfg, true);
  return out;
}

void store_content_hashes(Sdfg& sdfg) {
  std::vector<ContentHash> out;
  Walk(out).sdfg(sdfg, true);
}

}  // namespace sdfg
