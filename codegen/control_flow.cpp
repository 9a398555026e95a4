#include "codegen/sdfg_function.h"
#include "ir/edges.h"
#include "ir/graph_algorithms.h"
#include "support/text.h"

namespace sdfg {

std::string SdfgFunction::interstate_expr(const Expr& expr, const Place& place) {
  CppExpr printer = between_states(place);
  const auto access = printer.override;
  printer.override = [this, access](const Expr& e) -> std::optional<std::string> {
    // Asking whether an optional array is there looks at the pointer.
    if ((e.is(Op::Is) || e.is(Op::IsNot)) && e.arg(0).is(Op::Symbol) && e.arg(1).is(Op::None)) {
      const auto found = bindings_.find(e.arg(0).name());
      const std::string name =
          found == bindings_.end() ? cpp_name(e.arg(0).name()) : found->second.text;
      return "(" + name + (e.is(Op::Is) ? " == nullptr)" : " != nullptr)");
    }
    return access(e);
  };
  std::string text = printer.print(expr);
  if (!printer.problem.empty()) program_.fail(place, printer.problem);
  return text;
}

std::string SdfgFunction::condition(const Code& code, const Place& place) {
  if (code.always_true()) return "true";
  if (code.language() != Language::Python) return code.text();
  if (const Expr* expr = code.expr()) return interstate_expr(*expr, place);
  fail(place, "the condition `" + code.text() + "` is not one expression");
  return "false";
}

std::string SdfgFunction::loop_statement(const RareOptional<Code>& code, const Place& place) {
  if (!code || code->empty()) return {};
  const Statements* statements = code->statements();
  if (!statements || statements->empty()) {
    fail(place, "the loop's statement `" + code->text() + "` does not parse");
    return {};
  }
  std::string text;
  for (const Statement& s : *statements) {
    const auto* assign = std::get_if<Assign>(&s.kind);
    if (!assign || !assign->target.is(Op::Symbol)) {
      fail(place, "the loop's statement `" + code->text() + "` assigns no symbol");
      return {};
    }
    const Expr value = assign->augmented
                           ? Expr::make(*assign->augmented, {assign->target, assign->value})
                           : assign->value;
    text += (text.empty() ? "" : ", ") + cpp_name(assign->target.name()) + " = " +
            interstate_expr(value, place);
  }
  return text;
}

/// The value as the symbol's type holds it, which inside functions has 64 bits, where it is
/// computed of wider ones.
std::string SdfgFunction::narrowed(std::string text, const Type& symbol, const Expr& value) const {
  if (!symbol.is_signed_integer() || symbol.bytes() == 8) return text;
  if (type_of(value, types_).base() == BaseType::Bool) return text;
  for (const std::string& name : free_symbols(value)) {
    const Data* data = sdfg_.find_data(name);
    const auto found = types_.find(name);
    const Type type = data ? data->dtype : found != types_.end() ? found->second : Type();
    if (type.known() && type.base() != BaseType::Bool &&
        !(type.is_signed_integer() && type.bytes() <= symbol.bytes()))
      return *cpp_type(symbol) + "(" + text + ")";
  }
  return text;
}

void SdfgFunction::emit_assignments(Writer& out, const InterstateEdge& edge, const Place& place) {
  // All right sides see the old values. A valid edge does not read what it assigns elsewhere, so
  // plain statements do unless it does.
  SymbolSet targets, read;
  for (const auto& [symbol, value] : edge.assignments) {
    targets.insert(symbol);
  }
  const auto text = [&](const std::string& symbol, const Expr& value) {
    const auto type = types_.find(symbol);
    return narrowed(interstate_expr(value, place), type == types_.end() ? Type() : type->second,
                    value);
  };
  bool crossing = false;
  for (const auto& [symbol, value] : edge.assignments)
    for (const std::string& name : free_symbols(value))
      crossing |= name != symbol && targets.contains(name);
  if (crossing) {
    out.open("");
    int i = 0;
    for (const auto& [symbol, value] : edge.assignments)
      out.line("const auto value_" + std::to_string(i++) + " = " + text(symbol, value) + ";");
    i = 0;
    for (const auto& [symbol, value] : edge.assignments)
      out.line(cpp_name(symbol) + " = value_" + std::to_string(i++) + ";");
    out.close();
    return;
  }
  for (const auto& [symbol, value] : edge.assignments)
    out.line(cpp_name(symbol), " = ", text(symbol, value), ";");
}

void SdfgFunction::emit_loop(Writer& out, const Block& block, const LoopRegion& loop,
                             const Place& place) {
  const std::string init = loop_statement(loop.init_statement, place);
  const std::string update = loop_statement(loop.update_statement, place);
  const std::string test = loop.loop_condition ? condition(*loop.loop_condition, place) : "true";
  out.line("// loop " + block.label);
  const auto uniform_loop = on_device_ ? counted(loop) : std::nullopt;
  if (uniform_loop && surroundings_.batch > 1 &&
      emit_batched(out, loop, *uniform_loop, place))
    return;
  if (uniform_loop) {
    out.open("for (" + init + "; " + test + "; " + update + ")");
    emit_counted_body(out, loop, *uniform_loop, place);
    return out.close();
  }
  if (!loop.inverted) {
    if (loop.unroll && loop.unroll_factor >= 0)
      out.flush_left(std::string(program_.target.gpu ? "#pragma unroll " : "#pragma GCC unroll ") +
                     std::to_string(loop.unroll_factor ? loop.unroll_factor : 65534));
    out.open(init.empty() && update.empty() ? "while (" + test + ")"
                                            : "for (" + init + "; " + test + "; " + update + ")");
    emit_region(out, loop, place, {.continue_label = {}, .in_loop = true});
    out.close();
    return;
  }
  // The condition is tested at the end; `continue` goes to what follows the body.
  if (!init.empty()) out.line(init + ";");
  Jumps jumps{.continue_label = "next_" + std::to_string(++labels_), .in_loop = true};
  out.open("for (;;)");
  Writer body(out.depth());
  emit_region(body, loop, place, jumps);
  const bool jumped = has_word(body.text(), jumps.continue_label);
  out.raw(body.text());
  if (jumped) out.flush_left(jumps.continue_label + ":;");
  if (loop.update_before_condition && !update.empty()) out.line(update + ";");
  out.line("if (!(" + test + ")) break;");
  if (!loop.update_before_condition && !update.empty()) out.line(update + ";");
  out.close();
}

void SdfgFunction::emit_conditional(Writer& out, const ConditionalBlock& block,
                                    const Place& place, const Jumps& jumps) {
  bool first = true;
  for (std::size_t i = 0; i < block.branches.size(); ++i) {
    const Branch& branch = block.branches[i];
    const bool otherwise = !branch.condition;
    if (otherwise && i + 1 < block.branches.size()) {
      fail(place, "the else branch is not the last");
      return;
    }
    std::string head = otherwise ? "" : "if (" + condition(*branch.condition, place) + ")";
    if (first && otherwise) {
      out.open("");
    } else if (first) {
      out.open(head);
    } else {
      out.close("} else" + std::string(otherwise ? "" : " " + head) + " {");
      out.indent();
    }
    first = false;
    ++conditional_;
    emit_region(out, branch.region(), place.in("branch " + branch.block.label), jumps);
    --conditional_;
  }
  if (!first) out.close();
}

void SdfgFunction::emit_block(Writer& out, const Block& block, const Place& place,
                              const Jumps& jumps) {
  if (const auto* state = block.as<State>()) return emit_state(out, *state, block.label, place);
  if (const auto* loop = block.as<LoopRegion>()) return emit_loop(out, block, *loop, place);
  if (const auto* conditional = block.as<ConditionalBlock>())
    return emit_conditional(out, *conditional, place, jumps);
  if (const auto* region = block.as<ControlFlowRegion>())
    return emit_region(out, *region, place, jumps);
  if (block.is<ReturnBlock>()) return out.line("return;");
  if (block.is<BreakBlock>() || block.is<ContinueBlock>()) {
    if (!jumps.in_loop) return fail(place, "a jump that is in no loop");
    if (block.is<BreakBlock>()) return out.line("break;");
    return out.line(jumps.continue_label.empty() ? "continue;"
                                                 : "goto " + jumps.continue_label + ";");
  }
  fail(place, "no code for blocks of kind " + std::string(block.kind_name()));
}

namespace {

/// Does control go from each block to the next one?
bool is_chain(const Region& region, const std::vector<BlockId>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto out_edges = region.out(order[i]);
    if (out_edges.size() > 1) return false;
    for (InterstateEdgeId e : out_edges)
      if (!region[e].condition.always_true() || i + 1 >= order.size() ||
          region.target(e) != order[i + 1])
        return false;
  }
  return true;
}

}  // namespace

void SdfgFunction::emit_region(Writer& out, const Region& region, const Place& place,
                               const Jumps& jumps) {
  const auto first = start(region);
  if (!first) {
    if (region.node_count() > 0) fail(place, "it is not clear where control enters this region");
    return;
  }
  // A chain of blocks is printed as it is; anything else with labels and jumps.
  const std::vector<BlockId> order = reverse_postorder(region);
  if (!is_chain(region, order)) return emit_with_jumps(out, region, order, place, jumps);
  for (BlockId id : order) {
    emit_block(out, region[id], place.block(region[id]), jumps);
    for (InterstateEdgeId e : region.out(id))
      emit_assignments(out, region[e], place.edge(region, e));
  }
}

void SdfgFunction::emit_with_jumps(Writer& out, const Region& region,
                                   const std::vector<BlockId>& order, const Place& place,
                                   const Jumps& jumps) {
  const std::string prefix = "block_" + std::to_string(++labels_);
  const auto label = [&](BlockId id) { return prefix + "_" + std::to_string(id.value); };
  const std::string end = prefix + "_end";
  // Labels that nothing jumps to would be warned about, so blocks wait until all jumps are known.
  std::set<BlockId> targets;
  bool ends = false;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BlockId id = order[i];
    const std::optional<BlockId> next =
        i + 1 < order.size() ? std::optional(order[i + 1]) : std::nullopt;
    Writer body(out.depth());
    emit_block(body, region[id], place.block(region[id]), jumps);
    const auto follow = [&](InterstateEdgeId e, bool last) {
      emit_assignments(body, region[e], place.edge(region, e));
      const BlockId target = region.target(e);
      if (last && target == next) return;
      targets.insert(target);
      body.line("goto " + label(target) + ";");
    };
    bool always = false;
    for (InterstateEdgeId e : edges_as_tried(region, id)) {
      if (always = is_unconditional(region[e]); always) {
        follow(e, true);
        break;
      }
      body.open("if (" + condition(region[e].condition, place.edge(region, e)) + ")");
      follow(e, false);
      body.close();
    }
    if (!always && next && !region[id].is<ReturnBlock>() && !region[id].is<BreakBlock>() &&
        !region[id].is<ContinueBlock>()) {
      ends = true;
      body.line("goto " + end + ";");
    }
    texts.push_back(body.take());
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (targets.contains(order[i])) out.flush_left(label(order[i]) + ":;");
    out.raw(texts[i]);
  }
  if (ends) out.flush_left(end + ":;");
}

}  // namespace sdfg
