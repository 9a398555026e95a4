#include "passes/simplify/unused_symbol_elimination.h"

#include <algorithm>
#include <utility>

#include "ir/analysis/used_names.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

class Eliminator {
 public:
  Eliminator(const UnusedSymbolElimination::Options& options, PassContext& context)
      : options_(options), context_(context) {}

  /// Works from the inside out: what a nested SDFG does not use, it is not passed.
  void on_sdfg(Sdfg& sdfg, NestedSdfg* caller, const Trail& trail) {
    nested_in_region(sdfg, trail);
    const SymbolSet used = used_names(sdfg);
    const auto unused = [&](const std::string& name) {
      return !used.contains(name) && !stays(sdfg, name);
    };
    // All of it or nothing: one of the names may be computed from another.
    std::vector<std::string> going;
    const auto list = [&](const auto& names, const std::string& what) {
      for (const auto& [name, value] : names)
        if (unused(name)) going.push_back(what + " '" + name + "'");
    };
    for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
      list(edge.assignments, "the assignment to");
    });
    list(sdfg.symbols, "symbol");
    if (caller) list(caller->symbol_mapping, "the value passed for");
    if (going.empty() || !context_.may_apply(going.size())) return;
    for (const std::string& what : going) context_.applied(trail, "removed " + what);
    const auto is_unused = [&](const auto& entry) { return unused(entry.first); };
    for_each_interstate_edge(
        sdfg, [&](InterstateEdge& edge) { edge.assignments.erase_if(is_unused); });
    std::erase_if(sdfg.symbols, is_unused);
    if (caller) std::erase_if(caller->symbol_mapping, is_unused);
    changed_ = Changed::Yes;
  }

  Changed changed() const { return changed_; }

 private:
  void nested_in_region(Region& region, const Trail& trail) {
    for (BlockId id : region.nodes()) nested_in_block(region[id], trail.in(region[id]));
  }
  void nested_in_block(Block& block, const Trail& trail) {
    if (Region* inner = block.region()) nested_in_region(*inner, trail);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        nested_in_block(branch.block, trail.in(branch.block));
    if (auto* state = block.as<State>())
      for (NodeId id : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[id].as<NestedSdfg>(); nested->sdfg)
          on_sdfg(**nested->sdfg, nested, trail.in(*state, id));
  }

  /// Whether a name stays although nothing in the SDFG reads it.
  bool stays(const Sdfg& sdfg, const std::string& name) const {
    return name.starts_with("__") || sdfg.arrays.contains(name) ||
           std::ranges::find(sdfg.arg_names, name) != sdfg.arg_names.end() ||
           std::ranges::find(options_.keep, name) != options_.keep.end();
  }

  /// What the SDFG reads or keeps, and what the symbols among these are computed from, and so on.
  SymbolSet used_names(const Sdfg& sdfg) const {
    SymbolSet known;
    for (const auto& [name, type] : sdfg.symbols) known.insert(name);
    ByName<std::vector<const Expr*>> definitions;
    for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
      for (const auto& [name, value] : edge.assignments) {
        known.insert(name);
        definitions[name].push_back(&value);
      }
    });

    SymbolSet used = read_names(sdfg, known);
    for (const auto& [name, values] : definitions)
      if (stays(sdfg, name)) used.insert(name);
    std::vector<std::string> todo(used.begin(), used.end());
    while (!todo.empty()) {
      const auto found = definitions.find(todo.back());
      todo.pop_back();
      if (found == definitions.end()) continue;
      SymbolSet read;
      for (const Expr* value : found->second) collect_symbols(*value, read);
      definitions.erase(found);
      for (const std::string& name : read)
        if (used.insert(name).second) todo.push_back(name);
    }
    return used;
  }

  /// What everything but assignments on interstate edges reads.
  static SymbolSet read_names(const Sdfg& sdfg, const SymbolSet& known) {
    SymbolSet used;
    UsedNames names(known, used);
    for (const auto& [name, data] : sdfg.arrays) names.add(data);
    for (const auto& [name, constant] : sdfg.constants)
      names.add(constant.data);
    for (const auto* codes : {&sdfg.global_code, &sdfg.init_code, &sdfg.exit_code})
      for (const auto& [target, code] : *codes) collect_symbols(code, known, used);
    for (const auto& [name, target] : sdfg.callback_mapping) used.insert(name);
    for (const auto* extras : {&sdfg.extras, &sdfg.root_extras})
      for (const auto& [name, text] : *extras) collect_words(text, known, used);
    for_each_block(sdfg, [&](const Block& block) {
      names.add(block);
      if (const auto* state = block.as<State>()) collect_free_names(*state, known, used);
    });
    for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
      collect_symbols(edge.condition, known, used);
      for (const auto& [name, text] : edge.extras) collect_words(text, known, used);
    });
    return used;
  }

  const UnusedSymbolElimination::Options& options_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> UnusedSymbolElimination::run(Sdfg& sdfg, const Options& options,
                                             PassContext& context) {
  Eliminator eliminator(options, context);
  eliminator.on_sdfg(sdfg, nullptr, {});
  return eliminator.changed();
}

}  // namespace sdfg
