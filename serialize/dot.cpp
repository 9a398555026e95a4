#include "serialize/dot.h"

#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/print.h"
#include "serialize/graph_ids.h"

namespace sdfg {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

class DotWriter {
 public:
  std::string run(const Sdfg& sdfg) {
    out_ = "digraph " + quoted(sdfg.name) +
           " {\n  compound=true; fontname=\"sans-serif\"; node [fontname=\"sans-serif\"];\n";
    region(sdfg, sdfg);
    return std::move(out_) + "}\n";
  }

 private:
  void line(std::string_view text) { out_ += "  ", out_ += text, out_ += '\n'; }
  void open(const std::string& id, std::string_view label, std::string_view style) {
    line("subgraph " + quoted("cluster_" + id) + " {");
    line("label=" + quoted(label) + "; " + std::string(style));
  }
  void close() { line("}"); }

  void region(const Region& r, const Sdfg& sdfg);
  void block(const Block& b, const std::string& id, const Sdfg& sdfg);
  void state(const State& s, const std::string& id, const Sdfg& sdfg);
  void node(const State& s, NodeId node, const std::string& id, const Sdfg& sdfg);

  std::string out_;
  std::size_t regions_ = 0;
};

void DotWriter::region(const Region& r, const Sdfg& sdfg) {
  const RegionIds ids{regions_++};
  for (BlockId id : r.nodes()) block(r[id], ids.block(id), sdfg);
  for (InterstateEdgeId e : r.edges()) {
    const std::string from = ids.block(r.source(e)), to = ids.block(r.target(e));
    line(quoted(from) + " -> " + quoted(to) +
         " [color=\"blue\", ltail=" + quoted("cluster_" + from) +
         ", lhead=" + quoted("cluster_" + to) + ", label=" + quoted(transition_text(r[e])) + "];");
  }
}

/// Edges between blocks end at an invisible point in each block's cluster.
void DotWriter::block(const Block& b, const std::string& id, const Sdfg& sdfg) {
  std::string label = b.label;
  if (const auto* loop = b.as<LoopRegion>()) label += "\n" + loop_text(*loop);
  if (!b.is<State>()) label = std::string(b.kind_name()) + " " + label;
  open(id, label,
       b.is<State>() ? "color=\"deepskyblue\";" : "color=\"orange\"; style=\"rounded\";");
  line(quoted(id) + " [shape=point, style=invis];");
  if (const auto* s = b.as<State>()) state(*s, id, sdfg);
  if (const Region* inner = b.region()) region(*inner, sdfg);
  if (const auto* conditional = b.as<ConditionalBlock>()) {
    for (const Branch& branch : conditional->branches) {
      open("r" + std::to_string(regions_),
           branch.condition ? "if " + branch.condition->text() : "else", "style=\"dashed\";");
      region(branch.region(), sdfg);
      close();
    }
  }
  close();
}

void DotWriter::state(const State& s, const std::string& id, const Sdfg& sdfg) {
  // Each scope is a cluster inside its parent's; a state with contradictory scopes has none.
  std::vector<std::vector<NodeId>> inside(s.id_bound() + 1);
  const Result<ScopeTree> tree = scope_tree(s);
  for (NodeId n : s.nodes()) {
    const NodeId parent = tree ? tree->parent_of(n) : NodeId{};
    inside[parent ? parent.value : s.id_bound()].push_back(n);
  }
  struct Level {
    std::size_t scope, at;
  };
  std::vector<Level> stack{{s.id_bound(), 0}};
  while (!stack.empty()) {
    Level& level = stack.back();
    if (level.at == inside[level.scope].size()) {
      stack.pop_back();
      if (!stack.empty()) close();
      continue;
    }
    const NodeId n = inside[level.scope][level.at++];
    if (tree && s[n].is_entry()) {
      open(node_id(id, n), "", "style=\"dotted\";");
      stack.push_back({n.value, 0});
    }
    node(s, n, id, sdfg);
  }
  for (EdgeId e : s.edges()) {
    const Memlet& m = s[e].memlet;
    std::string attributes = "label=" + quoted(m.empty() ? "" : to_text(m));
    if (m.empty()) attributes += ", style=\"dotted\"";
    if (m.wcr) attributes += ", style=\"dashed\"";
    line(quoted(node_id(id, s.source(e))) + " -> " + quoted(node_id(id, s.target(e))) + " [" +
         attributes + "];");
  }
}

void DotWriter::node(const State& s, NodeId n, const std::string& id, const Sdfg& sdfg) {
  struct Shape {
    const Sdfg& sdfg;
    std::string operator()(const AccessNode& k) const {
      const Data* data = sdfg.find_data(k.data);
      return data && data->transient ? "ellipse, style=dashed" : "ellipse";
    }
    std::string operator()(const Tasklet&) const { return "octagon"; }
    std::string operator()(const MapEntry&) const { return "trapezium"; }
    std::string operator()(const MapExit&) const { return "invtrapezium"; }
    std::string operator()(const ConsumeEntry&) const { return "trapezium, style=dashed"; }
    std::string operator()(const ConsumeExit&) const { return "invtrapezium, style=dashed"; }
    std::string operator()(const NestedSdfg&) const { return "doubleoctagon"; }
    std::string operator()(const LibraryNode&) const { return "folder"; }
    std::string operator()(const OtherNode&) const { return "box"; }
  };
  const Node& data = s[n];
  const std::string own = node_id(id, n);
  const auto* nested = data.as<NestedSdfg>();
  const bool inlined = nested && nested->sdfg;
  if (inlined) open(own, (*nested->sdfg)->name, "color=\"black\";");
  line(quoted(own) + " [label=" + quoted(node_text(data)) +
       ", shape=" + std::visit(Shape{sdfg}, data.kind) + "];");
  if (inlined) {
    region(**nested->sdfg, **nested->sdfg);
    close();
  }
}

}  // namespace

std::string to_dot(const Sdfg& sdfg) { return DotWriter().run(sdfg); }

}  // namespace sdfg
