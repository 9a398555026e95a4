#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/expression_types.h"
#include "ir/analysis/free_symbols.h"
#include "ir/graph_algorithms.h"
#include "ir/verify_context.h"
#include "support/text.h"

namespace sdfg::detail {
namespace {

using Point = SymbolFlow::Point;

/// Containers whose elements the expression reads.
void collect_containers(const Expr& expr, const Sdfg& sdfg, NameSet& out) {
  if (expr.is(Op::Subscript) && expr.arg(0).is(Op::Symbol) &&
      sdfg.arrays.contains(expr.arg(0).name()))
    out.insert(expr.arg(0).name());
  for (const Expr& arg : expr.args()) collect_containers(arg, sdfg, out);
}

/// A subscript of a container that tells no element: one with a slice or with too many indices.
const Expr* no_element(const Expr& expr, const Sdfg& sdfg) {
  if (expr.is(Op::Subscript) && expr.arg(0).is(Op::Symbol)) {
    const auto indices = expr.args().subspan(1);
    const Data* data = sdfg.find_data(expr.arg(0).name());
    const auto is_slice = [](const Expr& index) { return index.is(Op::Slice); };
    if (data && (indices.size() > data->shape.size() || std::ranges::any_of(indices, is_slice)))
      return &expr;
  }
  for (const Expr& arg : expr.args())
    if (const Expr* found = no_element(arg, sdfg)) return found;
  return nullptr;
}

bool has_opaque(const Expr& expr) {
  if (expr.is(Op::Opaque)) return !unsigned_literal(expr);
  return std::ranges::any_of(expr.args(), has_opaque);
}

/// The rules for one region; nested ones follow by recursion.
class RegionRules {
 public:
  RegionRules(const SdfgScope& scope, const Region& region, SymbolFlow::RegionIndex index,
              bool in_loop, Findings& findings)
      : scope_(scope), region_(region), index_(index), in_loop_(in_loop), findings_(findings) {}

  void verify() {
    if (!start(region_))
      findings_.error(
          {},
          "where it starts is open: " +
              std::string(region_.node_count() == 0
                              ? "it has no blocks"
                              : "not exactly one block has no predecessor, and no start "
                                "block is stored"),
          region_.node_count() == 0 ? "add a state" : "store a start block");
    std::set<std::string_view> labels;
    const std::vector<BlockId> reachable = reachable_blocks(region_);
    std::vector<bool> reached(region_.id_bound());
    for (BlockId b : reachable) reached[b.value] = true;
    const auto first = start(region_);
    const bool branches = std::ranges::any_of(
        region_.edges(), [&](InterstateEdgeId e) { return !region_[e].condition.always_true(); });
    for (BlockId id : region_.nodes()) {
      const Block& block = region_[id];
      if (!labels.insert(block.label).second)
        findings_.error(Place().block(block), "another block of the region has the same label",
                        "rename one of them");
      if (!reachable.empty() && !reached[id.value])
        findings_.warning(Place().block(block), "cannot be reached from the start");
      const Findings::Level level(findings_, [&block] { return Place().block(block).text(); });
      const Findings::Maybe maybe(findings_, branches && id != first);
      this->block(block, id);
    }
    edges();
  }

 private:
  void block(const Block& block, BlockId id) {
    const Point at{index_, id};
    if (const auto* state = block.as<State>()) {
      if (!is_valid_name(block.label))
        findings_.error({}, "the state's label '" + block.label + "' is not a valid name");
      verify_state(scope_, *state, at, findings_);
    } else if (const auto* loop = block.as<LoopRegion>()) {
      this->loop(*loop, id);
      const Findings::Maybe maybe(findings_);
      verify_region(scope_, *loop, scope_.flow.child(index_, id), true, findings_);
    } else if (const Region* region = block.region()) {
      verify_region(scope_, *region, scope_.flow.child(index_, id), in_loop_, findings_);
    } else if (const auto* conditional = block.as<ConditionalBlock>()) {
      this->conditional(*conditional, id);
    } else if (block.is<BreakBlock>() || block.is<ContinueBlock>()) {
      if (!in_loop_)
        findings_.error({}, "a " + std::string(block.kind_name()) + " must be inside a LoopRegion");
    } else if (const auto* other = block.as<OtherBlock>()) {
      findings_.error({},
                      "blocks of kind " + other->type + " are not known, so this cannot be run");
    }
  }

  void loop(const LoopRegion& loop, BlockId id) {
    const Point before{index_, id}, after{index_, id, true};
    const std::string& variable = loop.loop_variable;
    if (!loop.loop_condition || loop.loop_condition->empty()) {
      findings_.error({}, "the loop has no condition");
    } else if (verify_syntax(*loop.loop_condition, {}, "the loop condition", findings_)) {
      if (!loop.loop_condition->expr())
        findings_.error({}, "the loop condition must be one expression");
      const bool has_variable = loop.init_statement && !variable.empty();
      code_symbols(*loop.loop_condition, loop.inverted ? after : before, "the loop condition",
                   has_variable ? variable : std::string());
    }
    if (!variable.empty() && !is_valid_name(variable))
      findings_.error({}, "the loop variable '" + variable + "' is no valid name");
    if (scope_.sdfg.arrays.contains(variable))
      findings_.error({}, "the loop variable '" + variable + "' is a container",
                      "use a symbol: containers are written in states only");
    if (!variable.empty() && !loop.init_statement && !scope_.defines(variable, before))
      findings_.error({}, "the loop variable '" + variable + "' has no value before the loop",
                      "give the loop an init statement");
    if (loop.init_statement) statement(*loop.init_statement, "the init statement", before, {});
    if (loop.update_statement)
      statement(*loop.update_statement, "the update statement", after, variable);
  }

  /// An init or update statement: one assignment to a symbol.
  void statement(const Code& code, std::string_view what, const Point& at,
                 const std::string& variable) {
    if (!verify_syntax(code, {}, what, findings_)) return;
    code_symbols(code, at, what, variable);
    const Statements* statements = code.statements();
    if (!statements) return;
    if (statements->size() > 1)
      findings_.warning({},
                        std::string(what) + " should be one statement, found " +
                            std::to_string(statements->size()),
                        "DaCe's generated code runs only the first");
    for (const Statement& s : *statements)
      if (const auto* assign = std::get_if<Assign>(&s.kind))
        if (assign->target.is(Op::Symbol) && scope_.sdfg.arrays.contains(assign->target.name()))
          if (assign->target.name() != variable)
            findings_.error(
                {}, std::string(what) + " assigns to the container '" + assign->target.name() + "'",
                "assign to a symbol: containers are written in states only");
  }

  void conditional(const ConditionalBlock& conditional, BlockId id) {
    if (conditional.branches.empty()) findings_.error({}, "the conditional has no branches");
    for (std::size_t i = 0; i < conditional.branches.size(); ++i) {
      const Branch& branch = conditional.branches[i];
      const std::string what = "the condition of branch " + std::to_string(i);
      if (!branch.condition) {
        if (i + 1 < conditional.branches.size())
          findings_.error({},
                          "branch " + std::to_string(i) + " is the else branch, but not the last",
                          "move it to the end");
      } else if (branch.condition->empty()) {
        findings_.error({}, what + " is empty", "remove it to make this the else branch");
      } else if (verify_syntax(*branch.condition, {}, what, findings_)) {
        if (!branch.condition->expr()) findings_.error({}, what + " must be one expression");
        code_symbols(*branch.condition, {index_, id}, what, {});
      }
      const Findings::Level level(findings_, [&branch, i] {
        return "branch " + (branch.block.label.empty() ? std::to_string(i) : branch.block.label);
      });
      const Findings::Maybe maybe(findings_);
      verify_region(scope_, branch.region(), scope_.flow.child(index_, id, i), in_loop_, findings_);
    }
  }

  void code_symbols(const Code& code, const Point& at, std::string_view what,
                    const std::string& variable) {
    SymbolSet used, missing;
    collect_code_symbols(code, used);
    undefined(used, at, missing);
    missing.erase(variable);
    report_undefined(missing, {}, std::string(what) + " uses");
    if (code.expr()) elements(*code.expr(), {}, what);
  }

  void undefined(const SymbolSet& used, const Point& at, SymbolSet& missing) const {
    for (const std::string& name : used)
      if (!scope_.defines(name, at)) missing.insert(name);
  }
  void report_undefined(const SymbolSet& missing, const Place& where, std::string what) {
    if (missing.empty()) return;
    findings_.error(where,
                    std::move(what) + " " + quoted_list({missing.begin(), missing.end()}) +
                        ", which " + (missing.size() == 1 ? "is" : "are") + " not defined here",
                    "declare a symbol, or assign it on an edge before");
  }

  /// Single elements are read, which lie where the code runs.
  void elements(const Expr& expr, const Place& where, std::string_view what) {
    if (const Expr* wrong = no_element(expr, scope_.sdfg)) {
      const std::string& name = wrong->arg(0).name();
      findings_.error(where,
                      std::string(what) + " reads " + print_python(*wrong) +
                          ", which is no single element: '" + name + "' has " +
                          counted(scope_.sdfg.find_data(name)->shape.size(), "dimension"),
                      "give one index for each dimension");
    }
    storages(expr, where, what);
  }

  /// Conditions are evaluated by the host unless the whole SDFG is inside a GPU scope.
  void storages(const Expr& expr, const Place& where, std::string_view what) {
    if (scope_.in_gpu || scope_.in_default) return;
    NameSet containers;
    collect_containers(expr, scope_.sdfg, containers);
    for (const std::string& name : containers) {
      const Data& data = scope_.sdfg.arrays.at(name);
      const Storage storage = scope_.storage(name, data);
      if (is_gpu(storage))
        findings_.error(where,
                        std::string(what) + " reads '" + name +
                            "' on the host, but it is stored in " +
                            std::string(to_text(storage)),
                        "copy it to host memory first");
    }
  }

  void edges() {
    std::set<std::pair<BlockId, BlockId>> pairs;
    std::map<BlockId, std::size_t> unconditional;
    for (InterstateEdgeId e : region_.edges()) {
      const auto where = [&] { return Place().edge(region_, e); };
      if (!pairs.insert({region_.source(e), region_.target(e)}).second)
        findings_.error(where(), "there is another edge between the same two blocks",
                        "join the two conditions");
      if (region_[e].condition.always_true() && ++unconditional[region_.source(e)] == 2)
        findings_.warning(where(),
                          "is the second edge without a condition from its source, so it is "
                          "never taken");
      edge(e);
    }
  }

  void edge(InterstateEdgeId e) {
    const InterstateEdge& edge = region_[e];
    if (edge.condition.always_true() && edge.assignments.empty()) return;
    const Place where = Place().edge(region_, e);
    const bool reads = verify_syntax(edge.condition, where, "the condition", findings_);
    if (reads && !edge.condition.empty() && !edge.condition.expr())
      findings_.error(where, "the condition must be one expression");
    SymbolSet missing;
    undefined(free_symbols(edge), {index_, region_.source(e), true, e}, missing);
    report_undefined(missing, where, "uses");
    if (edge.condition.expr()) elements(*edge.condition.expr(), where, "the condition");
    for (const auto& [name, value] : edge.assignments) assignment(edge, name, value, where);
  }

  void assignment(const InterstateEdge& edge, const std::string& name, const Expr& value,
                  const Place& where) {
    if (!is_valid_name(name))
      findings_.error(where, "assigns to '" + name + "', which is no valid name");
    if (scope_.sdfg.arrays.contains(name))
      findings_.error(where, "assigns to the container '" + name + "'",
                      "assign to a symbol: containers are written in states only");
    if (has_opaque(value))
      findings_.error(where, "the value of '" + name + "' cannot be read: " + to_text(value));
    elements(value, where, "the value of '" + name + "'");
    SymbolSet used;
    collect_symbolic(value, used);
    std::vector<std::string> also;
    for (const std::string& other : used)
      if (other != name && edge.assignments.contains(other)) also.push_back(other);
    if (!also.empty())
      findings_.error(
          where,
          "the value of '" + name + "' uses " + quoted_list(also) + ", which the same edge assigns",
          "split the assignments over two edges with a state between them");
  }

  const SdfgScope& scope_;
  const Region& region_;
  SymbolFlow::RegionIndex index_;
  bool in_loop_;
  Findings& findings_;
};

}  // namespace

void verify_region(const SdfgScope& scope, const Region& region, SymbolFlow::RegionIndex index,
                   bool in_loop, Findings& findings) {
  RegionRules(scope, region, index, in_loop, findings).verify();
}

}  // namespace sdfg::detail
