#include <array>
#include <sstream>
#include <string>

#include <pugixml.hpp>

#include "ir/analysis/scope_tree.h"
#include "ir/print.h"
#include "ir/print_value.h"
#include "serialize/dot.h"
#include "serialize/graph_ids.h"

namespace sdfg {
namespace {

/// XML cannot hold most control characters, nor bytes that are no UTF-8, not even escaped.
std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char c = byte(i);
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : (c & 0xf0) == 0xe0    ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    bool valid = length > 0 && i + length <= text.size() && (c >= 0x20 || c == '\n' || c == '\t');
    for (std::size_t k = 1; valid && k < length; ++k) valid = (byte(i + k) & 0xc0) == 0x80;
    // Overlong forms, surrogates, what lies beyond Unicode, and the two non-characters.
    if (valid && length == 3)
      valid = !(c == 0xe0 && byte(i + 1) < 0xa0) && !(c == 0xed && byte(i + 1) > 0x9f) &&
              !(c == 0xef && byte(i + 1) == 0xbf && byte(i + 2) > 0xbd);
    if (valid && length == 4)
      valid = !(c == 0xf0 && byte(i + 1) < 0x90) && !(c == 0xf4 && byte(i + 1) > 0x8f);
    if (valid) {
      out += text.substr(i, length);
      i += length;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  return out;
}

template <class T>
constexpr std::string_view graphml_type() {
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  if constexpr (std::is_same_v<T, std::int64_t>) return "long";
  return "string";
}

class GraphmlWriter {
 public:
  std::string run(const Sdfg& sdfg) {
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    root_ = document.append_child("graphml");
    root_.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
    graph_ = root_.append_child("graph");
    graph_.append_attribute("id") = xml_text(sdfg.name).c_str();
    graph_.append_attribute("edgedefault") = "directed";
    top_ = graph_;
    region(sdfg, sdfg, "");
    // A line per element; no indentation, which would be most of the file for deep nests.
    std::ostringstream out;
    document.save(out, "", pugi::format_indent, pugi::encoding_utf8);
    return std::move(out).str();
  }

 private:
  using Element = pugi::xml_node;

  Element element(const char* kind, const std::string& id) {
    Element e = graph_.append_child(kind);
    e.append_attribute("id") = id.c_str();
    return e;
  }
  Element node_element(const std::string& id, std::string_view kind, std::string_view label,
                       const std::string& parent) {
    Element e = element("node", id);
    attribute(e, "kind", kind);
    attribute(e, "label", label);
    if (!parent.empty()) attribute(e, "parent", parent);
    return e;
  }
  /// What is added from here on goes into a graph inside that node; gives the graph to return to.
  Element enter(Element node) {
    node.append_attribute("yfiles.foldertype") = "group";
    const Element outside = graph_;
    graph_ = node.append_child("graph");
    graph_.append_attribute("id") = (std::string(node.attribute("id").value()) + ":").c_str();
    graph_.append_attribute("edgedefault") = "directed";
    return outside;
  }
  Element edge_element(const std::string& id, const std::string& from, const std::string& to) {
    Element e = element("edge", id);
    e.append_attribute("source") = from.c_str();
    e.append_attribute("target") = to.c_str();
    return e;
  }
  /// Adds a value, and declares its key when it is the first. A key of the same name may have
  /// another type on other elements, so the type is part of a key's id.
  void attribute(Element e, std::string_view name, std::string_view value,
                 std::string_view type = "string") {
    const std::string domain = e.name();
    const std::string id =
        domain + "." + std::string(name) + (type == "string" ? "" : "." + std::string(type));
    if (!std::exchange(keys_[id], true)) {
      Element key = root_.insert_child_before("key", top_);
      key.append_attribute("id") = id.c_str();
      key.append_attribute("for") = domain.c_str();
      key.append_attribute("attr.name") = std::string(name).c_str();
      key.append_attribute("attr.type") = std::string(type).c_str();
    }
    Element data = e.append_child("data");
    data.append_attribute("key") = id.c_str();
    data.append_child(pugi::node_pcdata).set_value(xml_text(value).c_str());
  }
  /// Every property that differs from its default, as the text form writes it.
  template <class T, class Fields>
  void properties(Element e, const T& object, const Fields& fields) {
    [[maybe_unused]] static const T defaults{};
    const auto put = [&](const auto& p) {
      const auto& value = object.*(p.member);
      if (value == defaults.*(p.member) || p.name == "label") return;
      using V = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<V, std::string>) {
        attribute(e, p.name, value);
      } else if constexpr (std::is_same_v<V, Code>) {
        attribute(e, p.name, value.text());
      } else {
        detail::TextWriter writer;
        writer.one_line = true;
        writer.value(value);
        attribute(e, p.name, writer.take(), graphml_type<V>());
      }
    };
    fields([&](const auto&... p) { (put(p), ...); });
  }

  void region(const Region& r, const Sdfg& sdfg, const std::string& parent);
  void block(const Block& b, const std::string& id, const Sdfg& sdfg, const std::string& parent);
  void state(const State& s, const Sdfg& sdfg, const std::string& id);

  Element root_, top_, graph_;
  ByName<bool> keys_;  ///< declared
  std::size_t regions_ = 0;
};

void GraphmlWriter::region(const Region& r, const Sdfg& sdfg, const std::string& parent) {
  const RegionIds ids{regions_++};
  for (BlockId id : r.nodes()) block(r[id], ids.block(id), sdfg, parent);
  for (InterstateEdgeId e : r.edges()) {
    Element edge = edge_element("r" + std::to_string(ids.number) + ".e" + std::to_string(e.value),
                                ids.block(r.source(e)), ids.block(r.target(e)));
    attribute(edge, "label", transition_text(r[e]));
    properties(edge, r[e], InterstateEdge::properties);
  }
}

void GraphmlWriter::block(const Block& b, const std::string& id, const Sdfg& sdfg,
                          const std::string& parent) {
  Element e = node_element(id, b.kind_name(), b.label, parent);
  std::visit(
      [&](const auto& kind) {
        properties(e, kind, detail::kind_fields<std::remove_cvref_t<decltype(kind)>>());
      },
      b.kind);
  const Element outside = enter(e);
  if (const auto* s = b.as<State>()) state(*s, sdfg, id);
  if (const Region* inner = b.region()) region(*inner, sdfg, id);
  if (const auto* conditional = b.as<ConditionalBlock>()) {
    for (const Branch& branch : conditional->branches) {
      const std::string branch_id = "r" + std::to_string(regions_);
      Element inner = node_element(branch_id, branch.block.kind_name(), branch.block.label, id);
      if (branch.condition) attribute(inner, "condition", branch.condition->text());
      const Element conditional_graph = enter(inner);
      region(branch.region(), sdfg, branch_id);
      graph_ = conditional_graph;
    }
  }
  graph_ = outside;
}

void GraphmlWriter::state(const State& s, const Sdfg& sdfg, const std::string& id) {
  const Result<ScopeTree> tree = scope_tree(s);
  for (NodeId n : s.nodes()) {
    const Node& node = s[n];
    const std::string own = node_id(id, n);
    Element e = node_element(own, node.kind_name(), node.label(), id);
    if (const std::string text = node_text(node); text != node.label()) attribute(e, "text", text);
    if (tree && tree->parent_of(n)) attribute(e, "scope", node_id(id, tree->parent_of(n)));
    if (const auto* access = node.as<AccessNode>())
      if (const Data* data = sdfg.find_data(access->data)) {
        attribute(e, "dtype", data->dtype.text());
        attribute(e, "transient", data->transient ? "true" : "false", "boolean");
        attribute(e, "desc", to_text(*data));
      }
    std::visit(
        [&](const auto& kind) {
          using K = std::remove_cvref_t<decltype(kind)>;
          if constexpr (requires { kind.entry; }) {
            const std::optional<NodeId> entry = kind.entry;
            if (entry && *entry) attribute(e, "entry", node_id(id, *entry));
          }
          properties(e, kind, detail::kind_fields<K>());
        },
        node.kind);
    if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
      const Element outside = enter(e);
      region(**nested->sdfg, **nested->sdfg, own);
      graph_ = outside;
    }
  }
  for (EdgeId edge : s.edges()) {
    Element e = edge_element(id + ".e" + std::to_string(edge.value), node_id(id, s.source(edge)),
                             node_id(id, s.target(edge)));
    const Memlet& m = s[edge].memlet;
    attribute(e, "label", m.empty() ? "" : to_text(m));
    if (!s[edge].src_connector.empty()) attribute(e, "src_connector", s[edge].src_connector);
    if (!s[edge].dst_connector.empty()) attribute(e, "dst_connector", s[edge].dst_connector);
    properties(e, m, Memlet::properties);
  }
}

}  // namespace

std::string to_graphml(const Sdfg& sdfg) { return GraphmlWriter().run(sdfg); }

}  // namespace sdfg
