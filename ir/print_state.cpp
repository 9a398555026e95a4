#include "ir/analysis/scope_tree.h"
#include "ir/printer.h"

namespace sdfg::detail {

void Printer::state_body(const State& s, std::size_t indent) {
  // Nodes of a scope stand between its entry and its exit, deeper; otherwise by id. A state whose
  // scopes are contradictory is printed flat.
  if (const Result<ScopeTree> tree = scope_tree(s)) {
    std::vector<std::vector<NodeId>> inside(s.id_bound() + 1);
    const auto slot = [&](NodeId scope) { return scope ? scope.value : inside.size() - 1; };
    for (NodeId id : s.nodes())
      if (!s[id].is_exit()) inside[slot(tree->parent_of(id))].push_back(id);
    for (NodeId id : s.nodes())
      if (s[id].is_exit()) inside[slot(tree->parent_of(id))].push_back(id);
    struct Level {
      const std::vector<NodeId>* nodes;
      std::size_t at;
    };
    std::vector<Level> open{{&inside.back(), 0}};
    while (!open.empty()) {
      Level& level = open.back();
      if (level.at == level.nodes->size()) {
        open.pop_back();
        continue;
      }
      const NodeId id = (*level.nodes)[level.at++];
      const std::size_t depth = open.size() - 1 - (s[id].is_exit() && open.size() > 1);
      node(s, id, indent + depth * step);
      if (s[id].is_entry()) open.push_back({&inside[id.value], 0});
    }
  } else {
    for (NodeId id : s.nodes()) node(s, id, indent);
  }
  std::uint32_t next = 0;
  for (EdgeId id : s.edges()) {
    w_.begin_line(indent);
    edge(s, id, next);
    w_.end_line();
    next = id.value + 1;
  }
}

void Printer::node(const State& s, NodeId id, std::size_t indent) {
  static const Node defaults;
  const Node& n = s[id];
  w_.begin_line(indent);
  node_id(id);
  w_.text(" = ");
  node_head(n);
  connectors(s, id);
  if (const auto* tasklet = n.as<Tasklet>()) code_head(tasklet->code);
  {
    const auto scope = w_.trailing();
    edge_orders(static_cast<const StateGraph&>(s), id);
    std::visit(
        [&](const auto& kind) {
          using K = std::remove_cvref_t<decltype(kind)>;
          static const K kind_defaults{};
          w_.fields(kind, kind_defaults, kind_fields<K>(),
                    {"data", "label", "code", "params", "range", "pe_index", "symbol_mapping"});
        },
        n.kind);
    w_.fields(n, defaults, node_fields);
  }
  if (const auto* tasklet = n.as<Tasklet>()) code_body(tasklet->code, indent + step);
  w_.end_line();
  if (const auto* nested = n.as<NestedSdfg>(); nested && nested->sdfg)
    sdfg(**nested->sdfg, indent + step);
}

void Printer::node_head(const Node& n) {
  struct Head {
    Printer& p;
    TextWriter& w = p.w_;
    void operator()(const AccessNode& k) const { w.text("access "), w.name(k.data); }
    void operator()(const Tasklet& k) const { w.text("tasklet"), p.label(k.label); }
    void operator()(const MapEntry& k) const {
      w.text("map");
      p.label(k.label);
      w.text(" ");
      w.list('(', ')', k.params, [&](const std::string& s) { w.name(s); });
      w.text(" in ");
      w.list('[', ']', k.ranges, [&](const Range& r) { w.range(r); });
    }
    void operator()(const MapExit& k) const { w.text("exit "), p.node_id(k.entry); }
    void operator()(const ConsumeEntry& k) const {
      w.text("consume");
      p.label(k.label);
      w.text(" ("), w.name(k.pe_index), w.text(")");
    }
    void operator()(const ConsumeExit& k) const { w.text("consume_exit "), p.node_id(k.entry); }
    void operator()(const NestedSdfg& k) const {
      w.text("nested_sdfg");
      p.label(k.label);
      if (k.symbol_mapping.empty()) return;
      w.text(" with ");
      w.list('(', ')', k.symbol_mapping, [&](const auto& m) {
        w.name(m.first);
        if (m.second.is_symbol(m.first)) return;
        w.text(" = ");
        w.expr(m.second);
      });
    }
    void operator()(const LibraryNode& k) const {
      w.text("library ");
      w.name(k.classpath);
      p.label(k.label);
    }
    void operator()(const OtherNode& k) const {
      w.text("node ");
      w.quoted(k.type);
      p.label(k.label);
      if (k.entry) w.text(" of "), p.node_id(*k.entry);
    }
  };
  std::visit(Head{*this}, n.kind);
}

/// Connectors that an edge uses are there without saying, unless their type is known.
void Printer::connectors(const State& s, NodeId id) {
  const Node& n = s[id];
  const auto write = [&](std::string_view word, const Connectors& declared,
                         const std::set<std::string_view>& used) {
    std::vector<std::pair<std::string_view, const Type*>> items;
    for (const auto& [name, type] : declared)
      if (type.known() || !used.contains(name)) items.emplace_back(name, &type);
    for (std::string_view name : used)
      if (!declared.contains(name)) items.emplace_back(name, nullptr);
    if (items.empty()) return;
    w_.text(word);
    w_.list('(', ')', items, [&](const auto& item) {
      if (!item.second) w_.text("not ");  // an edge ends at a connector that does not exist
      w_.name(item.first);
      if (item.second && item.second->known()) w_.text(": "), w_.type(*item.second);
    });
  };
  std::set<std::string_view> used;
  for (EdgeId e : s.in(id))
    if (!s[e].dst_connector.empty()) used.insert(s[e].dst_connector);
  write(" in ", n.in_connectors, used);
  used.clear();
  for (EdgeId e : s.out(id))
    if (!s[e].src_connector.empty()) used.insert(s[e].src_connector);
  write(" out ", n.out_connectors, used);
}

namespace {
bool needs_here_block(const Code& c) {
  return c.text().find('\n') != std::string::npos &&
         std::ranges::none_of(c.text(), [](unsigned char ch) {
           return (ch < 0x20 && ch != '\n' && ch != '\t') || ch == 0x7f;
         });
}
}  // namespace

/// `: "code"`; code of several lines is announced by `: |` and follows the line.
void Printer::code_head(const Code& c) {
  w_.text(": ");
  if (!needs_here_block(c)) return w_.code(c);
  if (c.language() != Language::Python) w_.text(to_text(c.language())), w_.text(" ");
  w_.text("|");
}

void Printer::code_body(const Code& c, std::size_t indent) {
  if (!needs_here_block(c)) return;
  std::string_view rest = c.text();
  for (bool more = true; more;) {
    const std::size_t end = rest.find('\n');
    more = end != std::string_view::npos;
    const std::string_view line = rest.substr(0, end);
    w_.end_line();
    w_.text(std::string(std::min(indent, max_indentation), ' '));
    w_.text(line.empty() ? "|" : "| ");
    w_.text(line);
    if (more) rest.remove_prefix(end + 1);
  }
}

void Printer::edge(const State& s, EdgeId id, std::uint32_t next) {
  static const Edge defaults;
  const Edge& e = s[id];
  const auto end = [&](NodeId node, const std::string& connector) {
    node_id(node);
    if (!connector.empty()) w_.text("."), w_.name(connector);
  };
  end(s.source(id), e.src_connector);
  w_.text(" -> ");
  end(s.target(id), e.dst_connector);
  const Memlet& m = e.memlet;
  const bool shown = !m.empty() || m.src_subset || m.dst_subset;
  if (shown) w_.text(" : ");
  const auto scope = w_.trailing();
  memlet(m, m.empty() || names_source(s[s.source(id)], s[s.target(id)], m.data));
  if (id.value != next) w_.field("id", [&] { w_.integer(id.value); });
  w_.fields(e, defaults, edge_fields);
}

void Printer::memlet(const Memlet& m, bool default_is_src) {
  static const Memlet defaults;
  const auto own = [&] {
    w_.name(m.data);
    if (m.subset()) w_.subset(*m.subset());
  };
  bool arrow = false;
  if (m.other_subset()) {
    arrow = true;
    if (m.data_is_src)
      own(), w_.text(" -> "), w_.subset(*m.other_subset());
    else
      w_.subset(*m.other_subset()), w_.text(" -> "), own();
  } else if (!m.empty() || m.subset()) {
    own();
  }
  if (!arrow && m.data_is_src != default_is_src)
    w_.field("is_data_src", [&] { w_.value(m.data_is_src); });
  const Expr volume = m.subset() ? num_elements(*m.subset()) : Expr(0);
  if (m.volume != volume) w_.field("volume", [&] { w_.value(m.volume); });
  w_.fields(m, defaults, memlet_fields,
            {"data", "is_data_src", "src_subset", "dst_subset", "volume"});
}

}  // namespace sdfg::detail
