#include "codegen/interpreter/unit.h"
#include "ir/analysis/assigned_symbols.h"
#include "ir/edges.h"
#include "ir/graph_algorithms.h"
#include "ir/place.h"

namespace sdfg::interpreter {
namespace {

/// What follows a block: edges in the order in which they are tested.
struct Exit {
  Eval condition;  ///< empty: always
  Action assign;
  std::size_t next;
};
struct CompiledBlock {
  Action run;
  std::vector<Exit> exits;
};

}  // namespace

Action Unit::compile_region(const Region& region, const Where* place) {
  const auto first = start(region);
  if (!first) throw Stop("it is not clear where the region starts");
  std::vector<CompiledBlock> blocks(region.id_bound());
  for (BlockId id : region.nodes()) {
    const Where* at = machine_.new_place(place, Place().block(region[id]).text());
    try {
      blocks[id.value].run = compile_block(region[id], at);
    } catch (Stop& stop) {
      if (stop.why.place.empty()) stop.why.place = at->text();
      throw;
    }
  }
  for (BlockId id : region.nodes()) {
    std::vector<Exit>& exits = blocks[id.value].exits;
    for (InterstateEdgeId e : edges_as_tried(region, id)) {
      const InterstateEdge& edge = region[e];
      const Where* at = machine_.new_place(place, Place().edge(region, e).text());
      try {
        Exit exit;
        exit.next = region.target(e).value;
        exit.assign = compile_assignments(edge, at);
        if (!is_unconditional(edge)) exit.condition = compile_condition(edge.condition, at);
        exits.push_back(std::move(exit));
      } catch (Stop& stop) {
        if (stop.why.place.empty()) stop.why.place = at->text();
        throw;
      }
    }
  }
  constexpr std::size_t nowhere = ~std::size_t(0);
  return [machine = &machine_, blocks = std::move(blocks), first = std::size_t(first->value)] {
    std::size_t at = first;
    while (at != nowhere) {
      machine->step();
      if (const Flow flow = blocks[at].run(); flow != Flow::Normal) return flow;
      std::size_t next = nowhere;
      for (const Exit& exit : blocks[at].exits)
        if (!exit.condition || exit.condition().i) {
          if (exit.assign) exit.assign();
          next = exit.next;
          break;
        }
      at = next;
    }
    return Flow::Normal;
  };
}

Action Unit::compile_block(const Block& block, const Where* place) {
  if (const auto* state = block.as<State>()) return compile_state(*state, place);
  if (const auto* loop = block.as<LoopRegion>()) return compile_loop(*loop, place);
  if (const auto* region = block.region()) return compile_region(*region, place);
  if (const auto* conditional = block.as<ConditionalBlock>())
    return compile_conditional(*conditional, place);
  if (block.is<BreakBlock>()) return [] { return Flow::Break; };
  if (block.is<ContinueBlock>()) return [] { return Flow::Continue; };
  if (block.is<ReturnBlock>()) return [] { return Flow::Return; };
  throw Stop("the interpreter does not know blocks of the kind " + std::string(block.kind_name()));
}

Eval Unit::compile_condition(const Code& code, const Where* place) {
  if (code.always_true()) return [] { return Number(1); };
  const Expr* expr = code.expr();
  if (!expr) throw Stop("the condition '" + code.text() + "' is not a Python expression");
  return compile_as(*expr, BaseType::Bool, {machine_, names_, place});
}

Action Unit::compile_code(const Code& code, const Where* place) {
  const Statements* statements = code.statements();
  if (!statements) throw Stop("'" + code.text() + "' is not Python code");
  // Whatever is assigned here is a symbol.
  for (const Statement& s : *statements)
    if (const auto* assign = std::get_if<Assign>(&s.kind); assign && assign->target.is(Op::Symbol))
      assigned_symbol(assign->target.name());
  return compile_statements(*statements, machine_, names_, place);
}

Action Unit::compile_assignments(const InterstateEdge& edge, const Where* place) {
  if (edge.assignments.empty()) return {};
  struct Assignment {
    Number* slot;
    Eval value;
    Number result;
  };
  std::vector<Assignment> all;
  std::vector<Container*> reshaped;
  for (const auto& [name, value] : edge.assignments) {
    const Binding target = assigned_symbol(name);
    all.push_back({target.slot, compile_as(value, target.type, {machine_, names_, place}), {}});
    for (Container* c : containers_shaped_by(name)) reshaped.push_back(c);
  }
  return [all = std::move(all), reshaped = std::move(reshaped)]() mutable {
    for (Assignment& a : all) a.result = a.value();
    for (const Assignment& a : all) *a.slot = a.result;
    for (Container* c : reshaped) c->ready = false;
    return Flow::Normal;
  };
}

Action Unit::compile_loop(const LoopRegion& loop, const Where* place) {
  const Action nothing = [] { return Flow::Normal; };
  if (!loop.loop_variable.empty()) assigned_symbol(loop.loop_variable);
  Action init = loop.init_statement ? compile_code(*loop.init_statement, place) : nothing;
  Action update =
      loop.update_statement ? compile_code(*loop.update_statement, place) : nothing;
  if (!loop.loop_condition) throw Stop("a loop without a condition");
  Eval condition = compile_condition(*loop.loop_condition, place);
  Action body = compile_region(loop, place);
  std::vector<Container*> reshaped;
  for (const std::string& name : assigned_by_statements(loop))
    for (Container* c : containers_shaped_by(name)) reshaped.push_back(c);
  const auto then_reshape = [reshaped](Action step) {
    return [step = std::move(step), reshaped] {
      step();
      for (Container* c : reshaped) c->ready = false;
    };
  };
  // A `continue` goes on with the update and the condition in every form.
  return [machine = &machine_, init = then_reshape(std::move(init)),
          advance = then_reshape(std::move(update)),
          condition = std::move(condition), body = std::move(body), inverted = loop.inverted,
          update_first = loop.update_before_condition] {
    init();
    if (!inverted && !condition().i) return Flow::Normal;
    for (;;) {
      machine->step();
      const Flow flow = body();
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) break;
      if (inverted && !update_first) {
        if (!condition().i) break;
        advance();
      } else {
        advance();
        if (!condition().i) break;
      }
    }
    return Flow::Normal;
  };
}

Action Unit::compile_conditional(const ConditionalBlock& block, const Where* place) {
  struct Alternative {
    Eval condition;  ///< empty: else
    Action body;
  };
  std::vector<Alternative> all;
  for (const Branch& branch : block.branches) {
    Alternative a;
    if (branch.condition) a.condition = compile_condition(*branch.condition, place);
    a.body = compile_region(branch.region(), machine_.new_place(place, branch.block.label));
    all.push_back(std::move(a));
  }
  return [all = std::move(all)] {
    for (const Alternative& a : all)
      if (!a.condition || a.condition().i) return a.body();
    return Flow::Normal;
  };
}

}  // namespace sdfg::interpreter
