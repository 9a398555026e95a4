#include "passes/simplify/symbol_propagation.h"

#include <algorithm>
#include <functional>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/symbol_values.h"

namespace sdfg {
namespace {

using Point = SymbolValues::Point;

/// Decides first, for the whole SDFG, and changes it afterwards: the analysis reads it.
class Propagation {
 public:
  Propagation(Sdfg& sdfg, bool only_constants, Substitution entry, PassContext& context)
      : sdfg_(sdfg), only_constants_(only_constants), context_(context),
        types_(symbol_types(sdfg)), values_(sdfg, types_, std::move(entry)) {
    find_shapes();
  }

  Changed run(const Trail& trail) {
    if (only_constants_) compare_shapes(sdfg_, 0);
    on_region(sdfg_, 0, trail);
    Changed changed = Changed::No;
    // Recursion into nested SDFGs happens while the trail is at hand, so rewriting waits till now.
    for (const auto& rewrite : rewrites_) {
      rewrite();
      changed = Changed::Yes;
    }
    return changed | replace_shapes(trail);
  }

 private:
  /// Symbols that descriptors read. No replacement without all of them being replaced.
  void find_shapes() {
    for (const auto& [name, data] : sdfg_.arrays) {
      SymbolSet read;
      collect_symbols(data, read);
      for (const std::string& symbol : read) {
        if (!values_.is_assigned(symbol)) continue;
        shapes_.emplace(symbol, std::nullopt);
        shaped_[name].push_back(symbol);
      }
    }
  }

  /// A symbol of shapes has one value in all states that use a container of such a shape, or none.
  void compare_shapes(const Region& region, SymbolValues::RegionIndex index) {
    if (shapes_.empty()) return;
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      if (const Region* inner = block.region()) compare_shapes(*inner, values_.child(index, id));
      if (const auto* conditional = block.as<ConditionalBlock>())
        for (std::size_t i = 0; i < conditional->branches.size(); ++i)
          compare_shapes(conditional->branches[i].region(), values_.child(index, id, i));
      const auto* state = block.as<State>();
      if (!state) continue;
      NameSet symbols;
      for (NodeId n : state->nodes())
        if (const auto* access = (*state)[n].as<AccessNode>())
          if (const auto found = shaped_.find(access->data); found != shaped_.end())
            symbols.insert(found->second.begin(), found->second.end());
      for (const std::string& symbol : symbols) {
        const auto value = constant(values_.value(symbol, {Point::Before, index, id}));
        auto& shape = shapes_[symbol];
        const bool is_new = agreed_.insert(symbol).second;
        if (is_new) shape = value;
        if (shape != value) shape.reset();
      }
    }
  }

  Changed replace_shapes(const Trail& trail) {
    Substitution values;
    for (const auto& [name, value] : shapes_)
      if (value && context_.may_apply()) {
        context_.applied(trail, "'" + name + "' is " + to_text(*value) + " in shapes");
        values.emplace(name, *value);
      }
    if (values.empty()) return Changed::No;
    for (const auto& [container, symbols] : shaped_)
      substitute(sdfg_.arrays.at(container), values);
    return Changed::Yes;
  }

  static std::optional<Expr> constant(std::optional<Expr> value) {
    const bool is =
        value && (value->is(Op::Integer) || value->is(Op::True) || value->is(Op::False));
    return is ? value : std::nullopt;
  }

  /// What to put for each name that is read at a point.
  Substitution known(const SymbolSet& names, const Point& point) {
    Substitution out;
    for (const std::string& name : names) {
      if (!values_.is_assigned(name)) continue;
      if (const auto shape = shapes_.find(name); shape != shapes_.end() && !shape->second) continue;
      std::optional<Expr> value = values_.value(name, point);
      if (only_constants_) value = constant(std::move(value));
      if (value && !value->is_symbol(name)) out.emplace(name, *std::move(value));
    }
    return out;
  }

  bool announce(const Trail& trail, const Substitution& values) {
    if (values.empty() || !context_.may_apply()) return false;
    std::string what;
    for (const auto& [name, value] : values)
      what += (what.empty() ? "'" : ", '") + name + "' is " + to_text(value);
    context_.applied(trail, what);
    return true;
  }

  void on_region(Region& region, SymbolValues::RegionIndex index, const Trail& trail) {
    for (BlockId id : region.nodes()) {
      on_block(region, index, id, trail.in(region[id]));
      for (InterstateEdgeId e : region.out(id)) {
        SymbolSet names;
        collect_symbols(region[e].condition, all_names(), names);
        for (const auto& [target, value] : region[e].assignments) collect_symbols(value, names);
        Substitution values = known(names, {Point::After, index, id});
        std::erase_if(values, [&, edge = &region[e]](const auto& value) {
          return reads_other_target(*edge, value.first, value.second);
        });
        if (announce(trail.in(region[id]), values))
          rewrites_.push_back([edge = &region[e], values] { replace_symbols(*edge, values); });
      }
    }
  }

  /// Whether an assignment of `edge` that reads `name` would, with the value instead, read what
  /// another one assigns: those of an edge have no order.
  static bool reads_other_target(const InterstateEdge& edge, const std::string& name,
                                 const Expr& value) {
    SymbolSet read;
    collect_symbols(value, read);
    std::erase_if(read, [&](const auto& symbol) { return !edge.assignments.contains(symbol); });
    return !read.empty() && std::ranges::any_of(edge.assignments, [&](const auto& assignment) {
      return uses_symbol(assignment.second, name) &&
             (read.size() > 1 || !read.contains(assignment.first));
    });
  }

  void on_block(Region& region, SymbolValues::RegionIndex index, BlockId id, const Trail& trail) {
    Block& block = region[id];
    const Point before{Point::Before, index, id};
    if (auto* state = block.as<State>()) {
      on_state(*state, before, trail);
    } else if (auto* loop = block.as<LoopRegion>()) {
      on_loop(*loop, values_.child(index, id), before, trail);
      on_region(*loop, values_.child(index, id), trail);
    } else if (Region* inner = block.region()) {
      on_region(*inner, values_.child(index, id), trail);
    } else if (auto* conditional = block.as<ConditionalBlock>()) {
      for (std::size_t i = 0; i < conditional->branches.size(); ++i) {
        Branch& branch = conditional->branches[i];
        if (branch.condition) replace(*branch.condition, before, trail, {});
        on_region(branch.region(), values_.child(index, id, i), trail.in(branch.block));
      }
    }
  }

  void on_state(State& state, const Point& point, const Trail& trail) {
    SymbolSet names;
    collect_free_names(state, all_names(), names);
    Substitution values = known(names, point);
    if (!announce(trail, values)) return;
    rewrites_.push_back([this, &state, values = std::move(values)] {
      replace_in_state(state, values);
    });
  }

  void replace_in_state(State& state, const Substitution& values) const {
    Block holder{"", std::move(state)};
    replace_symbols(holder, values, types_);
    state = std::move(*holder.as<State>());
  }

  void on_loop(LoopRegion& loop, SymbolValues::RegionIndex inner, const Point& before,
               const Trail& trail) {
    const std::string& own = loop.loop_variable;
    if (loop.init_statement) replace(*loop.init_statement, before, trail, own);
    // An inverted loop tests its condition after the body: only what the loop leaves alone counts.
    if (loop.loop_condition)
      replace(*loop.loop_condition, {Point::Header, inner, {}}, trail, own, loop.inverted);
    if (loop.update_statement)
      replace(*loop.update_statement, {Point::Update, inner, {}}, trail, own, loop.inverted);
  }

  void replace(Code& code, const Point& point, const Trail& trail, const std::string& own,
               bool only_fixed = false) {
    SymbolSet names;
    collect_symbols(code, all_names(), names);
    names.erase(own);
    if (only_fixed)
      std::erase_if(names, [&](const auto& n) { return !values_.fixed_in_loop(n, point.region); });
    Substitution values = known(names, point);
    if (announce(trail, values))
      rewrites_.push_back([&code, values] { code = substitute(code, values); });
  }

  const SymbolSet& all_names() {
    if (!names_) {
      names_.emplace();
      for (const auto& [name, type] : types_)
        if (values_.is_assigned(name)) names_->insert(name);
    }
    return *names_;
  }

  Sdfg& sdfg_;
  const bool only_constants_;
  PassContext& context_;
  const TypeTable types_;
  SymbolValues values_;
  std::optional<SymbolSet> names_;  ///< assigned symbols, when they have been asked for
  ByName<std::optional<Expr>> shapes_;  ///< symbol of shapes: its value
  ByName<std::vector<std::string>> shaped_;  ///< by container
  NameSet agreed_;  ///< symbols of shapes that a state has been asked for
  std::vector<std::function<void()>> rewrites_;
};

Changed run_on(Sdfg& sdfg, bool only_constants, Substitution entry, const Trail& trail,
               PassContext& context);

Changed on_nested(Region& region, bool only_constants, const Trail& trail, PassContext& context) {
  Changed changed = Changed::No;
  for (BlockId id : region.nodes()) {
    Block& block = region[id];
    const Trail here = trail.in(block);
    if (Region* inner = block.region()) changed |= on_nested(*inner, only_constants, here, context);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= on_nested(branch.region(), only_constants, here.in(branch.block), context);
    auto* state = block.as<State>();
    if (!state) continue;
    for (NodeId n : state->nodes_of<NestedSdfg>()) {
      auto* nested = (*state)[n].as<NestedSdfg>();
      if (!nested->sdfg) continue;
      const Trail at = here.in(*state, n);
      Substitution entry;
      if (only_constants) {
        const bool bound = bind_constant_mapping(*nested, [&](const std::string& symbol) {
          if (!context.may_apply()) return false;
          context.applied(at, "'" + symbol + "' is always given the same value");
          return true;
        });
        if (bound) changed = Changed::Yes;
        for (const auto& [symbol, value] : nested->symbol_mapping)
          if (value.is(Op::Integer)) entry.emplace(symbol, value);
      }
      changed |= run_on(**nested->sdfg, only_constants, std::move(entry), at, context);
    }
  }
  return changed;
}

Changed run_on(Sdfg& sdfg, bool only_constants, Substitution entry, const Trail& trail,
               PassContext& context) {
  Changed changed = Changed::No;
  if (!assigned_symbols(sdfg).empty())
    changed = Propagation(sdfg, only_constants, std::move(entry), context).run(trail);
  return changed | on_nested(sdfg, only_constants, trail, context);
}

}  // namespace

Result<Changed> ConstantPropagation::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return run_on(sdfg, true, {}, {}, context);
}

Result<Changed> SymbolPropagation::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return run_on(sdfg, false, {}, {}, context);
}

}  // namespace sdfg
