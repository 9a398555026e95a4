// Loops inside a thread. A vertical recurrence waits for memory at each step unless the loads that
// do not depend on it are made before: of the next few iterations, into registers.

#include "codegen/sdfg_function.h"
#include "ir/analysis/assigned_symbols.h"
#include "ir/walk.h"

namespace sdfg {

namespace {

const Assign* only_assignment(const RareOptional<Code>& code) {
  const Statements* statements = code ? code->statements() : nullptr;
  if (!statements || statements->size() != 1) return nullptr;
  const auto* assign = std::get_if<Assign>(&statements->front().kind);
  return assign && assign->target.is(Op::Symbol) ? assign : nullptr;
}

}  // namespace

std::optional<CountedLoop> SdfgFunction::counted(const LoopRegion& loop) const {
  if (loop.inverted || loop.loop_variable.empty()) return std::nullopt;
  const Assign* init = only_assignment(loop.init_statement);
  const Assign* next = only_assignment(loop.update_statement);
  const Expr* test = loop.loop_condition ? loop.loop_condition->expr() : nullptr;
  if (!init || !next || !test || !init->target.is_symbol(loop.loop_variable) ||
      !next->target.is_symbol(loop.loop_variable) || init->augmented)
    return std::nullopt;
  const Expr variable = Expr::symbol(loop.loop_variable);
  const Expr after =
      next->augmented ? Expr::make(*next->augmented, {next->target, next->value}) : next->value;
  const auto step = (simplify(after) - variable).as_integer();
  const bool up = test->is(Op::Lt) || test->is(Op::Le), down = test->is(Op::Gt) || test->is(Op::Ge);
  if (!step || *step == 0 || !(up || down) || up != (*step > 0) || !(test->arg(0) == variable))
    return std::nullopt;
  if (!uniform(simplify(init->value)) || !uniform(simplify(test->arg(1)))) return std::nullopt;
  // The variable, and what the end depends on, must not change inside.
  SymbolSet fixed = free_symbols(test->arg(1));
  fixed.insert(loop.loop_variable);
  for (const std::string& name : assigned_symbols(loop))
    if (fixed.contains(name)) return std::nullopt;
  return CountedLoop{loop.loop_variable, *step};
}

void SdfgFunction::emit_counted_body(Writer& out, const LoopRegion& loop,
                                     const CountedLoop& counted, const Place& place) {
  const bool was_lane = lanes_.erase(counted.variable) > 0;
  open_frame(out, {counted.variable});
  emit_region(out, loop, place, {.continue_label = {}, .in_loop = true});
  close_frame(out);
  if (was_lane) lanes_.insert(counted.variable);
}

bool SdfgFunction::emit_batched(Writer& out, const LoopRegion& loop, const CountedLoop& counted,
                                const Place& place) {
  bool jumps = false;
  Batch batch{.frame = {0, {}, Writer(out.depth() + 2), {}},
              .written = {},
              .depth = frames_.size() + 1,
              .conditional = conditional_,
              .u = {},
              .names = {},
              .declarations = {},
              .loads = {}};
  for_each_block(loop, [&](const Block& block) {
    jumps |= block.is<BreakBlock>() || block.is<ContinueBlock>() || block.is<ReturnBlock>() ||
             block.is<LoopRegion>();
    const auto* state = block.as<State>();
    if (!state) return;
    for (NodeId id : state->nodes()) {
      const auto* access = (*state)[id].as<AccessNode>();
      if (!access || state->in(id).empty()) continue;
      const Data* data = sdfg_.find_data(access->data);
      if (data && (data->is_view() || data->is_reference())) jumps = true;  // it may be any memory
      if (const auto found = bindings_.find(access->data); found != bindings_.end())
        batch.written.insert(found->second.memory());
    }
  });
  if (jumps || batch_) return false;

  const std::string variable = cpp_name(counted.variable),
                    many = std::to_string(surroundings_.batch);
  const std::size_t begin = out.mark();
  batch.frame.defines.insert(counted.variable);
  batch.u = local_name("u");
  const std::string first = local_name(variable + "_first");
  const Expr& test = *loop.loop_condition->expr();
  const Expr last = Expr::make(
      Op::Add, {Expr::symbol(counted.variable), Expr((surroundings_.batch - 1) * counted.step)});
  const std::string goes_on =
      interstate_expr(substitute_as_written(test, {{counted.variable, last}}), place);
  const std::string init = loop_statement(loop.init_statement, place);
  const std::string index =
      "const int64_t " + variable + " = " + first + " + " +
      (counted.step == 1 ? batch.u : cpp_integer(counted.step) + " * " + batch.u) + ";";
  const std::string each =
      "for (int " + batch.u + " = 0; " + batch.u + " < " + many + "; ++" + batch.u + ")";

  out.open("for (" + init + "; " + goes_on + "; " + variable + " += " +
           cpp_integer(surroundings_.batch * counted.step) + ")");
  out.line("const int64_t " + first + " = " + variable + ";");
  const std::size_t loads_at = out.mark();
  out.flush_left("#pragma unroll");
  out.open(each);
  out.line(index);
  batch_ = &batch;
  emit_counted_body(out, loop, counted, place);
  batch_ = nullptr;
  out.close();
  if (batch.loads.empty()) {
    out.truncate(begin);
    out.close("");  // as deep as before
    out.truncate(begin);
    return false;
  }
  Writer loads(out.depth());
  loads.line("// Loads of " + many + " iterations go ahead of what these compute.");
  for (const std::string& declaration : batch.declarations)
    loads.line(declaration + "[" + many + "];");
  loads.flush_left("#pragma unroll");
  loads.open(each);
  loads.line(index);
  loads.raw(batch.frame.declarations.text());
  for (const std::string& line : batch.loads) loads.line(line);
  loads.close();
  out.insert(loads_at, loads.text());
  out.close();
  out.open("for (; " + interstate_expr(test, place) + "; " + variable +
           " += " + cpp_integer(counted.step) + ")");
  emit_counted_body(out, loop, counted, place);
  out.close();
  return true;
}

}  // namespace sdfg
