#include "ir/printer.h"

namespace sdfg {
namespace detail {

void Printer::sdfg(const Sdfg& s, std::size_t indent) {
  // The parentheses hold the containers before the first transient, if they fit on the line; the
  // rest follows in order.
  TextWriter arguments;
  arguments.details = w_.details;
  std::size_t in_head = 0;
  for (const auto& [name, data] : s.arrays) {
    if (data.transient) break;
    if (in_head++) arguments.text(", ");
    arguments.name(name);
    arguments.text(": ");
    arguments.data(data, false);
    if (!arguments.fits(0)) break;
  }
  const std::string head = arguments.take();
  w_.begin_line(indent);
  w_.text("sdfg ");
  w_.name(s.name);
  if (!w_.fits(head.size() + 2) || head.find('\n') != head.npos) in_head = 0;
  w_.text("(");
  if (in_head) w_.text(head);
  w_.text(")");
  {
    static const Sdfg defaults;
    const auto scope = w_.trailing();
    start_block(s);
    w_.fields(s, defaults, sdfg_fields, {"name", "symbols"});
  }
  w_.end_line();

  indent += step;
  for (const auto& [name, type] : s.symbols) {
    w_.begin_line(indent);
    w_.text("symbol ");
    w_.name(name);
    w_.text(": ");
    w_.type(type);
    w_.end_line();
  }
  for (const auto& [name, constant] : s.constants) {
    w_.begin_line(indent);
    w_.text("constant ");
    w_.name(name);
    w_.text(": ");
    w_.data(constant.data, false);
    w_.text(" = ");
    w_.json(constant.value);
    w_.end_line();
  }
  std::size_t position = 0;
  for (const auto& [name, data] : s.arrays) {
    if (position++ < in_head) continue;
    w_.begin_line(indent);
    w_.text(data.transient ? "transient " : "data ");
    w_.name(name);
    w_.text(": ");
    w_.data(data, data.transient);
    w_.end_line();
  }
  region_body(s, indent);
}

void Printer::region_body(const Region& r, std::size_t indent) {
  std::uint32_t next = 0;
  for (BlockId id : r.nodes()) {
    block(r, id, next, indent);
    next = id.value + 1;
  }
  if (r.edge_count() == 0) return;
  find_ambiguous(r);
  next = 0;
  for (InterstateEdgeId id : r.edges()) {
    w_.begin_line(indent);
    interstate_edge(r, id, next);
    w_.end_line();
    next = id.value + 1;
  }
}

/// Prints the trailing list, ends the line, and prints what is inside.
template <class F>
void Printer::finish_block(const Block& b, std::size_t indent, F&& more_fields) {
  {
    static const Block defaults;
    const auto list = w_.trailing();
    more_fields();
    if (const Region* inner = b.region()) start_block(*inner);
    std::visit(
        [&](const auto& kind) {
          using K = std::remove_cvref_t<decltype(kind)>;
          static const K kind_defaults{};
          w_.fields(kind, kind_defaults, kind_fields<K>(),
                    {"update_statement", "init_statement", "loop_condition", "loop_variable"});
        },
        b.kind);
    w_.fields(b, defaults, block_fields);
  }
  w_.end_line();
  if (const auto* state = b.as<State>()) return state_body(*state, indent + step);
  if (const auto* conditional = b.as<ConditionalBlock>())
    return conditional_body(*conditional, indent + step);
  if (const Region* inner = b.region()) region_body(*inner, indent + step);
}

void Printer::block(const Region& r, BlockId id, std::uint32_t next, std::size_t indent) {
  const Block& b = r[id];
  struct Keyword {
    std::string_view operator()(const State&) const { return "state"; }
    std::string_view operator()(const ControlFlowRegion&) const { return "region"; }
    std::string_view operator()(const LoopRegion&) const { return "loop"; }
    std::string_view operator()(const ConditionalBlock&) const { return "conditional"; }
    std::string_view operator()(const BreakBlock&) const { return "break"; }
    std::string_view operator()(const ContinueBlock&) const { return "continue"; }
    std::string_view operator()(const ReturnBlock&) const { return "return"; }
    std::string_view operator()(const OtherBlock&) const { return "block"; }
  };
  w_.begin_line(indent);
  w_.text(std::visit(Keyword{}, b.kind));
  if (const auto* other = b.as<OtherBlock>()) w_.text(" "), w_.quoted(other->type);
  w_.text(" ");
  w_.name(b.label);
  if (const auto* loop = b.as<LoopRegion>()) loop_head(*loop);
  finish_block(b, indent, [&] {
    if (id.value != next) w_.field("id", [&] { w_.integer(id.value); });
    edge_orders(static_cast<const RegionGraph&>(r), id);
  });
}

void Printer::loop_head(const LoopRegion& loop) {
  if (!loop.loop_variable.empty()) {
    w_.text(" (");
    w_.name(loop.loop_variable);
    w_.text(")");
  }
  const auto part = [&](std::string_view word, const RareOptional<Code>& code) {
    if (!code) return;
    w_.text(word);
    w_.code(*code);
  };
  part(" from ", loop.init_statement);
  part(" while ", loop.loop_condition);
  part(" next ", loop.update_statement);
}

void Printer::conditional_body(const ConditionalBlock& c, std::size_t indent) {
  for (const Branch& branch : c.branches) {
    w_.begin_line(indent);
    w_.text("branch ");
    w_.name(branch.block.label);
    if (branch.condition) {
      w_.text(" if ");
      w_.code(*branch.condition);
    }
    finish_block(branch.block, indent, [] {});
  }
}

void Printer::interstate_edge(const Region& r, InterstateEdgeId id, std::uint32_t next) {
  static const InterstateEdge defaults;
  const InterstateEdge& e = r[id];
  block_ref(r, r.source(id));
  w_.text(" -> ");
  block_ref(r, r.target(id));
  if (e.condition != defaults.condition) {
    w_.text(" if ");
    w_.code(e.condition);
  }
  if (!e.assignments.empty()) {
    w_.text(" set");
    bool first = true;
    for (const auto& [name, value] : e.assignments) {
      w_.text(first ? " " : ", ");
      first = false;
      w_.name(name);
      w_.text(" = ");
      w_.python(value);
    }
  }
  const auto scope = w_.trailing();
  if (id.value != next) w_.field("id", [&] { w_.integer(id.value); });
  w_.fields(e, defaults, interstate_fields, {"condition", "assignments"});
}

}  // namespace detail

std::string print(const Sdfg& sdfg, const PrintOptions& options) {
  detail::Printer printer(options);
  printer.sdfg(sdfg, 0);
  return printer.take();
}

std::string to_text(const Data& data) {
  detail::TextWriter writer;
  writer.one_line = true;
  writer.data(data, data.transient);
  return writer.take();
}

std::string to_text(const Memlet& memlet) {
  detail::Printer printer({.details = false});
  printer.memlet_alone(memlet);
  return printer.take();
}

}  // namespace sdfg
