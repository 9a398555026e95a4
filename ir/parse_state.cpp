#include <algorithm>

#include "ir/parser.h"

namespace sdfg::detail {

void Parser::state_body(State& state, std::size_t indent) {
  PendingState pending;
  while (r_.ok() && !r_.at_end() && r_.indent() > indent) node(pending);
  if (r_.ok()) finish_state(state, pending);
}

NodeId Parser::node_id() {
  if (r_.accept("none")) return {};
  r_.at_line_end();
  if (!r_.accept_prefix('n')) {
    r_.expected("a node like n3");
    return {};
  }
  return {r_.number()};
}

/// A line of a state: a node, or an edge.
void Parser::node(PendingState& pending) {
  const std::size_t indent = r_.indent();
  PendingNode p;
  p.at = r_.at();
  p.id = node_id();
  if (!r_.accept("=")) return edge(pending, p.id);
  node_head(p.node);
  connectors(p.node, p);
  std::optional<Language> here;
  if (auto* tasklet = p.node.as<Tasklet>()) {
    r_.expect(":");
    Language language = Language::Python;
    if (r_.code_head(tasklet->code, language)) here = language;
  }
  r_.trailing([&](const std::string& key) {
    if (r_.field(key, p.node, node_fields) || order_field(key, p.id, pending.orders)) return true;
    return std::visit(
        [&](auto& kind) {
          return r_.field(key, kind, kind_fields<std::remove_cvref_t<decltype(kind)>>());
        },
        p.node.kind);
  });
  if (here) p.node.as<Tasklet>()->code = Code(r_.here_block(), *here);
  r_.end_line();
  if (auto* nested = p.node.as<NestedSdfg>(); nested && r_.indent() > indent && r_.peek("sdfg"))
    nested->sdfg = Box<Sdfg>(sdfg());
  pending.nodes.push_back(std::move(p));
}

std::string Parser::optional_label() { return r_.at_name() ? r_.name() : std::string(); }

void Parser::node_head(Node& n) {
  const auto is = [&](std::string_view keyword) { return r_.accept(keyword); };
  if (is("access")) {
    n.kind = AccessNode{r_.name()};
  } else if (is("tasklet")) {
    Tasklet k;
    k.label = optional_label();
    n.kind = std::move(k);
  } else if (is("map")) {
    MapEntry k;
    k.label = optional_label();
    r_.list("(", ")", [&] { k.params.push_back(r_.name()); });
    r_.expect("in");
    r_.value(k.ranges);
    n.kind = std::move(k);
  } else if (is("exit")) {
    n.kind = MapExit{node_id()};
  } else if (is("consume")) {
    ConsumeEntry k;
    k.label = optional_label();
    r_.expect("(");
    k.pe_index = r_.name();
    r_.expect(")");
    n.kind = std::move(k);
  } else if (is("consume_exit")) {
    n.kind = ConsumeExit{node_id()};
  } else if (is("nested_sdfg")) {
    NestedSdfg k;
    k.label = optional_label();
    if (is("with"))
      r_.list("(", ")", [&] {
        const std::string inner = r_.name();
        k.symbol_mapping[inner] = is("=") ? r_.expr() : Expr::symbol(inner);
      });
    n.kind = std::move(k);
  } else if (is("library")) {
    LibraryNode k;
    k.classpath = r_.name();
    k.label = optional_label();
    n.kind = std::move(k);
  } else if (is("node")) {
    OtherNode k;
    k.type = r_.string();
    k.label = optional_label();
    if (is("of")) k.entry = node_id();
    n.kind = std::move(k);
  } else {
    r_.expected("a kind of node (access, tasklet, map, exit, nested_sdfg, library, …)");
  }
}

void Parser::connectors(Node& n, PendingNode& pending) {
  const auto read = [&](Connectors& declared, std::vector<std::string>& undeclared) {
    r_.list("(", ")", [&] {
      if (r_.accept("not ")) {
        undeclared.push_back(r_.name());
        return;
      }
      std::string name = r_.name();
      declared[std::move(name)] = r_.accept(":") ? r_.type() : Type();
    });
  };
  if (r_.accept("in")) read(n.in_connectors, pending.undeclared_in);
  if (r_.accept("out")) read(n.out_connectors, pending.undeclared_out);
}

void Parser::edge(PendingState& pending, NodeId from) {
  PendingEdge e;
  e.at = r_.at();
  e.from = from;
  if (r_.accept(".")) e.edge.src_connector = r_.name();
  if (!r_.peek("->")) return r_.expected("'=' of a node or '->' of an edge");
  r_.expect("->");
  e.to = node_id();
  if (r_.accept(".")) e.edge.dst_connector = r_.name();
  if (r_.accept(":")) memlet(e);
  r_.trailing([&](const std::string& key) {
    if (key == "id") {
      e.id = r_.number();
      return true;
    }
    if (key == "is_data_src") {
      bool is_src = false;
      r_.value(is_src);
      e.data_is_src = is_src;
      return true;
    }
    e.volume_given |= key == "volume";
    return r_.field(key, e.edge.memlet, memlet_fields) || r_.field(key, e.edge, edge_fields);
  });
  r_.end_line();
  pending.edges.push_back(std::move(e));
}

/// DATA[subset], DATA[subset] -> [other], or [other] -> DATA[subset].
void Parser::memlet(PendingEdge& e) {
  if (r_.peek("[")) {
    e.other = r_.subset();
    r_.expect("->");
    e.data_is_src = false;
  }
  e.edge.memlet.data = r_.name();
  if (r_.peek("[")) e.own = r_.subset();
  if (!e.other && r_.accept("->")) {
    e.other = r_.subset();
    e.data_is_src = true;
  }
}

void Parser::finish_state(State& state, PendingState& pending) {
  std::ranges::stable_sort(pending.nodes, {}, &PendingNode::id);
  for (PendingNode& p : pending.nodes) {
    if (!p.id) r_.fail(p.at, "a node needs a number");
    const std::uint32_t id = next_id(p.at, state.id_bound(), p.id.value);
    if (!r_.ok()) return;
    state.skip_node_ids(id);
    state.add(std::move(p.node));
  }
  for (PendingEdge& e : pending.edges) {
    for (NodeId end : {e.from, e.to})
      if (!state.contains(end))
        return r_.fail(e.at, "there is no node n" + std::to_string(end.value) + " in this state");
    Node &source = state[e.from], &target = state[e.to];
    Memlet& m = e.edge.memlet;
    m.data_is_src =
        e.data_is_src ? *e.data_is_src : m.empty() || names_source(source, target, m.data);
    if (e.own) {
      if (!e.volume_given) m.volume = num_elements(*e.own);
      m.subset() = std::move(e.own);
    }
    if (e.other) m.other_subset() = std::move(e.other);
    if (!e.edge.src_connector.empty()) source.out_connectors.try_emplace(e.edge.src_connector);
    if (!e.edge.dst_connector.empty()) target.in_connectors.try_emplace(e.edge.dst_connector);
    const std::uint32_t id = next_id(e.at, state.edge_id_bound(), e.id);
    if (!r_.ok()) return;
    state.skip_edge_ids(id);
    state.connect(e.from, e.to, std::move(e.edge));
  }
  for (const PendingNode& p : pending.nodes) {
    for (const std::string& name : p.undeclared_in) state[p.id].in_connectors.erase(name);
    for (const std::string& name : p.undeclared_out) state[p.id].out_connectors.erase(name);
  }
  for (const auto& order : pending.orders.all)
    if (!state.contains(order.node)) return r_.fail(order.at, "this node needs a number");
  apply_orders(state, pending.orders);
}

}  // namespace sdfg::detail
