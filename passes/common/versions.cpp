#include "passes/common/versions.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/taken_names.h"

namespace sdfg {
namespace {

/// Collects what typical values decide.
class Decisions {
 public:
  /// `exact`: the values are known to occur, so that ties and bounds next to them say something.
  Decisions(const SymbolValues& values, bool exact) : values_(values), exact_(exact) {}

  /// A branch is taken, or not.
  void condition(const Code& code) {
    if (!exact_) return;
    const Expr* written = code.expr();
    if (!written || code.always_true()) return;
    const Expr e = simplify(*written);
    const auto value = evaluate(e, values_);
    if (value) add(*value ? e : logical_not(e));
  }
  void subset(const Subset& subset) {
    for (const Range& range : subset.ranges)
      for (const Expr* e : {&range.begin, &range.end})
        if (has_extremum(*e)) {
          in_ranges_ = true;
          order(*e);
        }
  }
  /// The expression with each Min and Max replaced by the argument that wins.
  Expr order(const Expr& e) {
    if (!has_extremum(e)) return e;
    std::vector<Expr> args;
    for (const Expr& arg : e.args()) args.push_back(order(arg));
    if (e.is(Op::Min) || e.is(Op::Max)) {
      if (const Expr* winner = decide(args, e.op())) return *winner;
    }
    return simplify(Expr::make(e.op(), std::move(args), e.name()));
  }

  /// `symbol:end` has points, and begins behind the last of the literals that lie before it.
  void begins(const Expr& symbol, const Expr& end, const std::vector<std::int64_t>& literals) {
    const auto value = symbol.is(Op::Symbol) ? evaluate(symbol, values_) : std::nullopt;
    if (!value) return;
    std::optional<std::int64_t> nearest;
    for (const std::int64_t literal : literals)
      if (literal < *value && (!nearest || *nearest < literal)) nearest = literal;
    if (!nearest) return;
    add(compare_expr(Op::Le, Expr(*nearest), symbol));
    add(compare_expr(Op::Le, symbol, end));
  }

  bool exact() const { return exact_; }
  bool empty() const { return conditions_.empty(); }
  /// Does a range or a subset have a Min or Max, not only an extent?
  bool in_ranges() const { return in_ranges_; }
  std::vector<Expr> take() { return std::move(conditions_); }

 private:
  const Expr* decide(const std::vector<Expr>& args, Op op) {
    std::vector<std::int64_t> found;
    for (const Expr& arg : args) {
      const auto value = evaluate(arg, values_);
      if (!value) return nullptr;
      found.push_back(*value);
    }
    const auto best =
        op == Op::Max ? std::ranges::max_element(found) : std::ranges::min_element(found);
    const auto winner = std::size_t(best - found.begin());
    for (std::size_t i = 0; i < args.size(); ++i)
      if (i != winner) relation(args[i], found[i], args[winner], found[winner], op);
    return &args[winner];
  }

  /// `loser` is at most (or at least) `winner`.
  void relation(const Expr& loser, std::int64_t lost, const Expr& winner, std::int64_t won, Op op) {
    const Expr &low = op == Op::Max ? loser : winner, &high = op == Op::Max ? winner : loser;
    if (!exact_) {
      if (lost == won && loser.is(Op::Symbol) && winner.is(Op::Symbol))
        return add(compare_expr(Op::Eq, loser, winner));
      // What begins before a level that the program names has a point there, and before level 1 is
      // only level 0; zones between symbols may be empty.
      const bool named = low.is(Op::Symbol) && high.is(Op::Integer) && lost != won;
      if (named && high.value() == 1) return add(compare_expr(Op::Eq, low, Expr(0)));
      return add(compare_expr(named ? Op::Lt : Op::Le, low, high));
    }
    for (const auto& [literal, other, value] :
         {std::tuple{&loser, &winner, won}, std::tuple{&winner, &loser, lost}}) {
      if (!literal->is(Op::Integer) || !other->is(Op::Symbol)) continue;
      if (std::abs(literal->value() - value) <= 1) return add(compare_expr(Op::Eq, *other, value));
    }
    if (lost == won && loser.is(Op::Symbol) && winner.is(Op::Symbol))
      return add(compare_expr(Op::Eq, loser, winner));
    // As much as is true: that a range is not empty is worth to know, too.
    if (lost != won) return add(compare_expr(Op::Lt, low, high));
    add(compare_expr(Op::Le, low, high));
    add(compare_expr(Op::Le, high, low));
  }

  void add(const Expr& condition) {
    if (condition.is(Op::And)) {
      for (const Expr& part : condition.args()) add(part);
      return;
    }
    if (condition.is(Op::True)) return;
    if (std::ranges::find(conditions_, condition) == conditions_.end())
      conditions_.push_back(condition);
  }

  const SymbolValues& values_;
  bool exact_, in_ranges_ = false;
  std::vector<Expr> conditions_;
};

/// What a condition says a symbol is.
struct Binding {
  std::string symbol;
  Expr value;
};
std::optional<Binding> binding(const Expr& e) {
  if (e.is(Op::Symbol)) return Binding{e.name(), Expr::boolean(true)};
  if (e.is(Op::Not) && e.arg(0).is(Op::Symbol))
    return Binding{e.arg(0).name(), Expr::boolean(false)};
  if (!e.is(Op::Eq)) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    const Expr &symbol = e.arg(i), &value = e.arg(1 - i);
    const bool constant = value.is(Op::Integer) || value.is(Op::True) || value.is(Op::False);
    if (symbol.is(Op::Symbol) && (constant || value.is(Op::Symbol)))
      return Binding{symbol.name(), value};
  }
  return std::nullopt;
}

bool can_bind(const Sdfg& program, const Binding& b) {
  const auto type = program.symbols.find(b.symbol);
  if (type == program.symbols.end() || !cannot_bind(program, b.symbol).empty()) return false;
  if (b.value.is(Op::Integer)) return type->second.is_integer();
  if (!b.value.is(Op::Symbol)) return type->second.is_bool();
  const auto other = program.symbols.find(b.value.name());
  return other != program.symbols.end() && other->second == type->second &&
         cannot_bind(program, b.value.name()).empty();
}

Region take_region(Sdfg& sdfg) {
  Region region = std::move(static_cast<Region&>(sdfg));
  static_cast<Region&>(sdfg) = Region{};
  return region;
}

Branch branch(std::string label, std::optional<Code> condition, Region region) {
  ControlFlowRegion inner;
  static_cast<Region&>(inner) = std::move(region);
  return Branch{std::move(condition), Block{std::move(label), std::move(inner)}};
}

}  // namespace

namespace {

/// Conditions inside of a nested SDFG that are about symbols of the program: those that keep their
/// names.
void collect_inside(const NestedSdfg& nested, const SymbolSet& outside, Decisions& decisions) {
  if (!nested.sdfg) return;
  SymbolSet same;
  for (const auto& [name, value] : nested.symbol_mapping)
    if (value.is_symbol(name) && outside.contains(name)) same.insert(name);
  for_each_block(**nested.sdfg, [&](const Block& block) {
    const auto* conditional = block.as<ConditionalBlock>();
    if (!conditional) return;
    for (const Branch& b : conditional->branches) {
      SymbolSet used;
      if (b.condition && b.condition->expr()) collect_symbols(*b.condition->expr(), used);
      if (!used.empty() && std::ranges::includes(same, used)) decisions.condition(*b.condition);
    }
  });
  for_each_node(**nested.sdfg, [&](const Node& node) {
    if (const auto* inner = node.as<NestedSdfg>()) collect_inside(*inner, same, decisions);
  });
}

/// In each state, the order of levels at which maps begin that end alike: what one of them has
/// before the other can be cut off then, and the rest joined.
void collect_begins(const Sdfg& program, Decisions& decisions) {
  for_each_block(program, [&](const Block& block) {
    const auto* state = block.as<State>();
    if (!state) return;
    std::vector<std::pair<Expr, Expr>> extents;  // begin, end; each once
    for (NodeId n : state->nodes_of<MapEntry>())
      for (const Range& range : state->get<MapEntry>(n).ranges) {
        std::pair extent(decisions.order(range.begin), decisions.order(range.end));
        if (std::ranges::find(extents, extent) == extents.end())
          extents.push_back(std::move(extent));
      }
    for (const auto& [begin, end] : extents) {
      std::vector<std::int64_t> literals;
      for (const auto& [other, same_end] : extents)
        if (other.is(Op::Integer) && same_end == end) literals.push_back(other.value());
      decisions.begins(begin, end, literals);
    }
  });
}

std::vector<Expr> collect(const Sdfg& program, Decisions decisions) {
  SymbolSet symbols;
  for (const auto& [name, type] : program.symbols) symbols.insert(name);
  for_each_interstate_edge(
      program, [&](const InterstateEdge& edge) { decisions.condition(edge.condition); });
  for_each_block(program, [&](const Block& block) {
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& b : conditional->branches)
        if (b.condition) decisions.condition(*b.condition);
  });
  for (const auto& [name, data] : program.arrays)
    if (data.transient)
      for (const Expr& extent : data.shape) decisions.order(extent);
  for_each_node(program, [&](const Node& node) {
    if (const auto* map = node.as<MapEntry>()) decisions.subset(Subset{map->ranges});
    if (const auto* nested = node.as<NestedSdfg>()) collect_inside(*nested, symbols, decisions);
  });
  for_each_edge(program, [&](const Edge& edge) {
    for (const auto* subset : {&edge.memlet.src_subset, &edge.memlet.dst_subset})
      if (*subset) decisions.subset(**subset);
  });
  if (decisions.exact()) return decisions.take();
  if (!decisions.in_ranges()) return {};
  if (!decisions.empty()) collect_begins(program, decisions);
  return decisions.take();
}

}  // namespace

bool has_extremum(const Expr& e) {
  return e.is(Op::Min) || e.is(Op::Max) || std::ranges::any_of(e.args(), has_extremum);
}

std::vector<Expr> typical_decisions(const Sdfg& program, const SymbolValues& typical) {
  return collect(program, Decisions(typical, true));
}

std::vector<Expr> likely_decisions(const Sdfg& program, const SymbolValues& likely) {
  return collect(program, Decisions(likely, false));
}

std::vector<Expr> bind_conditions(Sdfg& program, const std::vector<Expr>& conditions) {
  std::vector<Expr> open = conditions, rest;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto b = binding(open[i]);
    if (!b || !can_bind(program, *b)) {
      rest.push_back(open[i]);
      continue;
    }
    const Substitution known{{b->symbol, b->value}};
    bind_symbols(program, known);
    for (std::vector<Expr>* list : {&open, &rest})
      for (Expr& e : *list) e = substitute(e, known);
  }
  std::erase_if(rest, [](const Expr& e) { return e.is(Op::True); });
  return rest;
}

namespace {

/// What the arguments' descriptors mention.
SymbolSet mentioned_by_arguments(const Sdfg& sdfg) {
  SymbolSet out;
  for (const auto& [name, data] : sdfg.arrays)
    if (!data.transient) collect_symbols(data, out);
  return out;
}

/// Names that mean one thing in both versions: a symbol of one that is a container of the other
/// gets another name, and so does what the special version calls like a symbol that it knows and
/// arguments' descriptors mention, a loop variable or a parameter.
void tell_names_apart(Sdfg& special, const Sdfg& general, TakenNames& names) {
  const TakenNames special_names(special);
  const auto rename = [&](const std::string& name) {
    std::string fresh;
    do fresh = names.take(name);
    while (special_names.taken(fresh));
    rename_symbol(special, name, fresh);
  };
  for (const auto& [name, type] : ByName<Type>(special.symbols))
    if (general.arrays.contains(name)) rename(name);
  SymbolSet known = mentioned_by_arguments(general);
  for (const std::string& name : mentioned_by_arguments(special)) known.erase(name);
  if (known.empty()) return;
  for (const std::string& name : assigned_symbols(special))
    if (known.contains(name)) rename(name);
  for_each_state(special, [&](State& state) { rename_bound_names(state, known); });
}

}  // namespace

void join_versions(Sdfg& general, Sdfg special, const std::vector<Expr>& conditions) {
  TakenNames names(general);
  tell_names_apart(special, general, names);
  general.symbols.insert(special.symbols.begin(), special.symbols.end());
  Renaming renamed;
  for (auto& [name, data] : special.arrays) {
    const Constant *mine = special.constants.get(name), *its = general.constants.get(name);
    if (!data.transient || (mine && its && *mine == *its)) {
      general.arrays.insert(name, data);
      continue;
    }
    // Equal ones, too: a container of two scopes would be shared by the iterations of both.
    const std::string fresh = names.take(name);
    if (fresh != name) renamed.emplace(name, fresh);
    general.arrays.set(fresh, data);
  }
  rename_data(special, renamed);
  for (const auto& [name, constant] : special.constants) {
    const auto other = renamed.find(name);
    general.constants.insert(other == renamed.end() ? name : other->second, constant);
  }
  general.using_explicit_control_flow = true;

  Expr all = Expr::boolean(true);
  for (const Expr& condition : conditions)
    all = all.is(Op::True) ? condition : Expr::make(Op::And, {all, condition});
  ConditionalBlock choice;
  choice.branches.push_back(branch("special", Code::from(all), take_region(special)));
  choice.branches.push_back(branch("general", std::nullopt, take_region(general)));
  general.start_block = general.add(Block{"versions", std::move(choice)});
}

}  // namespace sdfg
