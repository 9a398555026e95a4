#include "codegen/interpreter/statements.h"

#include <array>

#include "codegen/block_locals.h"
#include "ir/result_arguments.h"

namespace sdfg::interpreter {
namespace {

class StatementCompiler {
 public:
  StatementCompiler(Machine& machine, Names& own, const Where* place, SymbolSet all_blocks)
      : machine_(machine), own_(own), context_{machine, own, place},
        all_blocks_(std::move(all_blocks)) {}

  Action compile(const Statements& statements) const {
    std::vector<Action> actions;
    for (const Statement& s : statements)
      actions.push_back(std::visit([&](const auto& kind) { return compile(kind); }, s.kind));
    if (actions.size() == 1) return std::move(actions[0]);
    return [actions = std::move(actions)] {
      for (const Action& action : actions)
        if (const Flow flow = action(); flow != Flow::Normal) return flow;
      return Flow::Normal;
    };
  }

 private:
  static Action jump(Flow flow) {
    return [flow] { return flow; };
  }
  Action compile(const PassStatement&) const { return jump(Flow::Normal); }
  Action compile(const BreakStatement&) const { return jump(Flow::Break); }
  Action compile(const ContinueStatement&) const { return jump(Flow::Continue); }
  Action compile(const ReturnStatement&) const { return jump(Flow::Return); }

  Action compile(const ExprStatement& s) const {
    if (s.value.is(Op::String)) return jump(Flow::Normal);  // a comment
    if (const Statements results = results_assigned(s.value); !results.empty())
      return compile(results);
    return [eval = interpreter::compile(s.value, context_).eval] {
      eval();
      return Flow::Normal;
    };
  }

  /// Forgets the locals of the block at its end.
  Action block(const Statements& statements) const {
    const std::size_t outer = in_block_.size();
    Action action = compile(statements);
    for (; in_block_.size() > outer; in_block_.pop_back()) own_.erase(in_block_.back());
    return action;
  }

  Action compile(const IfStatement& s) const {
    return [condition = condition_of(s.condition), then = block(s.then),
            otherwise = block(s.otherwise)] { return condition().i ? then() : otherwise(); };
  }

  Action compile(const WhileStatement& s) const {
    return [machine = &machine_, condition = condition_of(s.condition), body = block(s.body)] {
      while (condition().i) {
        machine->step();
        const Flow flow = body();
        if (flow == Flow::Break) break;
        if (flow == Flow::Return) return flow;
      }
      return Flow::Normal;
    };
  }

  Action compile(const ForStatement& s) const {
    const Expr& range = s.iterable;
    const std::span<const Expr> args = range.args();
    if (!s.target.is(Op::Symbol) || !range.is(Op::Call) || range.name() != "range" ||
        args.empty() || args.size() > 3)
      throw Stop("a for statement needs a name and a range(…)");
    const auto bound = [&](std::size_t i) {
      return compile_as(args[i], BaseType::Int64, context_);
    };
    const Eval zero = [] { return Number(0); }, one = [] { return Number(1); };
    const Eval begin = args.size() > 1 ? bound(0) : zero, end = bound(args.size() > 1 ? 1 : 0),
               step = args.size() > 2 ? bound(2) : one;
    Number* slot = machine_.new_slot();
    own_.set(s.target.name(), {BaseType::Int64, slot, nullptr});
    return [machine = &machine_, slot, begin, end, step, body = block(s.body)] {
      const std::int64_t stop = end().i, by = step().i;
      for (std::int64_t i = begin().i; by > 0 ? i < stop : i > stop; i += by) {
        machine->step();
        slot->i = i;
        const Flow flow = body();
        if (flow == Flow::Break) break;
        if (flow == Flow::Return) return flow;
      }
      return Flow::Normal;
    };
  }

  Eval condition_of(const Expr& e) const { return compile_as(e, BaseType::Bool, context_); }

  Action compile(const Assign& s) const {
    Expr value = s.value;
    // x op= v is x = x op v: there is no operator whose result differs.
    if (s.augmented) value = Expr::make(*s.augmented, {s.target, s.value});
    if (s.only_declares()) return compile_declaration(s);
    if (s.target.is(Op::Tuple) || s.target.is(Op::List)) return compile_tuple(s);
    if (s.target.is(Op::Subscript)) return compile_element(s.target, value);
    const std::string name = dotted_name(s.target);
    if (name.empty()) throw Stop("cannot assign to '" + print_python(s.target) + "'");
    if (const Binding* known = own_.find_own(name)) return compile_known(*known, value);
    if (s.target.is(Op::Attribute)) return compile_member(s.target, value);
    if (s.augmented)
      throw Stop("'" + name + "' is changed, which is no value of the tasklet",
                 "an edge between states can assign a symbol");

    Typed typed = interpreter::compile(value, context_);
    BaseType type = typed.type;
    if (s.annotation) type = annotated_type(s).value_or(type);
    // Compiled before the name is known: on the right it still means what it meant outside.
    Eval eval = compile_as(value, type, context_, typed.record);
    Number* slot = machine_.new_slot(typed.record);
    own_.set(name, {type, slot, nullptr, typed.record});
    if (!all_blocks_.contains(name)) in_block_.push_back(name);
    return store_to(slot, std::move(eval), typed.record);
  }

  static std::optional<BaseType> annotated_type(const Assign& s) {
    std::string text = dotted_name(*s.annotation);
    if (const std::size_t dot = text.rfind('.'); dot != std::string::npos) text.erase(0, dot + 1);
    const auto type = Type::scalar_from_text(text);
    return type ? std::optional(type->base()) : std::nullopt;
  }

  Action compile_declaration(const Assign& s) const {
    const std::string name = dotted_name(s.target);
    const auto type = annotated_type(s);
    if (name.empty() || !type)
      throw Stop("cannot declare '" + print_python(s.target) + "'");
    if (!own_.find_own(name)) own_.set(name, {*type, machine_.new_slot(), nullptr});
    return jump(Flow::Normal);
  }

  static Action store_to(Number* slot, Eval eval, const Record* record) {
    return [slot, record, eval = std::move(eval)] {
      assign(slot, eval(), record);
      return Flow::Normal;
    };
  }

  /// `x.m = value` of a structure x that is a variable.
  Action compile_member(const Expr& target, const Expr& value) const {
    const std::string name = dotted_name(target.arg(0));
    const Binding* known = own_.find_own(name);
    const Record* record = known ? known->layout() : nullptr;
    const Record::Member* member = record ? record->find(target.name()) : nullptr;
    if (!member || !known->slot)
      throw Stop("cannot assign to '" + print_python(target) + "'", "assign the whole structure");
    return [slot = known->slot, offset = member->offset, store = storer(member->type),
            eval = compile_as(value, member->type, context_)] {
      store(slot->record + offset, eval());
      return Flow::Normal;
    };
  }

  Action compile_known(const Binding& known, const Expr& value) const {
    Eval eval = compile_as(value, known.type, context_, known.layout());
    if (known.slot) return store_to(known.slot, std::move(eval), known.record);
    const std::shared_ptr<Window> window = known.window;
    if (window->container->is_stream())
      return [window, eval = std::move(eval)] {
        push_stream(*window, eval());
        return Flow::Normal;
      };
    if (!window->wide.empty() && window->begin.size() != 1)
      throw Stop("'" + window->container->name + "' is assigned as a whole, but is an array");
    return [window, eval = std::move(eval)] {
      const Number result = eval();
      const std::int64_t zero = 0;
      window->write({&zero, window->wide.empty() ? std::size_t(0) : 1}, result);
      return Flow::Normal;
    };
  }

  Action compile_element(const Expr& target, const Expr& value) const {
    const std::string name = dotted_name(target.arg(0));
    const Binding* known = name.empty() ? nullptr : own_.find_own(name);
    if (!known) throw Stop("'" + print_python(target.arg(0)) + "' is not defined here");
    if (known->slot) return compile_known(*known, value);
    std::vector<Eval> index;
    for (const Expr& i : target.args().subspan(1))
      for (const Expr& part : i.is(Op::Tuple) ? i.args() : std::span(&i, 1))
        index.push_back(compile_as(part, BaseType::Int64, context_));
    const std::shared_ptr<Window> window = known->window;
    if (!window->takes(index.size()) || index.size() > 16)
      throw Stop("'" + window->container->name + "' is assigned with " +
                 std::to_string(index.size()) + " indices, the memlet has " +
                 std::to_string(window->wide.size()) + " dimensions of more than one element");
    Eval eval = compile_as(value, known->type, context_, known->layout());
    return [window, index = std::move(index), eval = std::move(eval)] {
      std::array<std::int64_t, 16> at;
      for (std::size_t d = 0; d < index.size(); ++d) at[d] = index[d]().i;
      window->write({at.data(), index.size()}, eval());
      return Flow::Normal;
    };
  }

  /// a, b = x, y: all values first.
  Action compile_tuple(const Assign& s) const {
    if (!s.value.is(Op::Tuple) || s.augmented || s.value.args().size() != s.target.args().size())
      throw Stop("only a tuple of as many values can be assigned to a tuple");
    std::vector<Action> first, second;
    for (std::size_t i = 0; i < s.target.args().size(); ++i) {
      const std::string temporary = "(tuple " + std::to_string(i) + ")";
      Typed value = interpreter::compile(s.value.arg(i), context_);
      Number* slot = machine_.new_slot(value.record);
      own_.set(temporary, {value.type, slot, nullptr, value.record});
      first.push_back(store_to(slot, std::move(value.eval), value.record));
      second.push_back(compile(Assign{s.target.arg(i), Expr::symbol(temporary), {}, {}}));
    }
    return [first = std::move(first), second = std::move(second)] {
      for (const Action& a : first) a();
      for (const Action& a : second) a();
      return Flow::Normal;
    };
  }

  Machine& machine_;
  Names& own_;
  Context context_;
  SymbolSet all_blocks_;                       ///< locals that do not live in one block alone
  mutable std::vector<std::string> in_block_;  ///< what this block and those around it assign
};

}  // namespace

Action compile_statements(const Statements& statements, Machine& machine, Names& own,
                          const Where* place) {
  return StatementCompiler(machine, own, place, locals_of_all_blocks(statements))
      .compile(statements);
}

}  // namespace sdfg::interpreter
