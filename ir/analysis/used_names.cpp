#include "ir/analysis/used_names.h"

#include <type_traits>

#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// Finds names in values of any type that a property may have, so that a new field of a known type
/// is seen without being listed here.
class Collector {
 public:
  Collector(KnownNames known, SymbolCollector& symbols, const NameSink& sink)
      : known_(known), symbols_(symbols), sink_(sink) {}

  void add(const Expr& e) { symbols_.add(e); }
  void add(const Code& c) { collect_symbols(c, known_, sink_); }
  void add(const Range& r) { add(r.begin), add(r.end), add(r.step), add(r.tile); }
  void add(const Subset& s) { add(s.ranges); }
  void add(const std::string& words) { collect_words(words, known_, sink_); }
  void add(const Type& type) {
    if (type.known() && !type.is_scalar()) add(type.text());
  }
  void add(const DebugInfo&) {}
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T) {}
  template <Optional O>
  void add(const O& value) {
    if (value) add(*value);
  }
  template <class T, class Default>
  void add(const Rare<T, Default>& value) {
    add(*value);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    for (const T& value : values) add(value);
  }
  template <class K, class T, class C>
  void add(const std::map<K, T, C>& values) {
    for (const auto& [key, value] : values) add(value);
  }

  void extras(const Extras& all) {
    for (const auto& [name, text] : all) add(text);
  }
  template <class T>
  void properties(const T& object) {
    for_each_property(object, [&](const auto& property, const auto& value) {
      if (!is_name(property.name)) add(value);
    });
  }

 private:
  /// Texts that name the element or its parameters rather than read something.
  static bool is_name(std::string_view property) {
    return property == "label" || property == "name" || property == "params" ||
           property == "pe_index" || property == "data" || property == "unique_name" ||
           property == "guid" || property == "ignored_symbols" || property == "loop_variable";
  }

  KnownNames known_;
  SymbolCollector& symbols_;
  const NameSink& sink_;
};

/// Calls visit(name) for what an entry binds for its inside.
template <class F>
void for_each_bound(const Node& node, F&& visit) {
  if (const auto* map = node.as<MapEntry>()) {
    for (const std::string& name : map->params) visit(name);
    for (const auto& [name, type] : node.in_connectors)
      if (!name.starts_with("IN_")) visit(name);
  }
  if (const auto* consume = node.as<ConsumeEntry>()) visit(consume->pe_index);
}

bool binds(const Node& node, const std::string& name) {
  bool found = false;
  for_each_bound(node, [&](const std::string& bound) { found |= bound == name; });
  return found;
}

/// What of a node may name a container.
void add_names_of(const Node& node, KnownNames containers, UsedNames& used,
                  SymbolCollector& symbols, const NameSink& named) {
  if (const auto* nested = node.as<NestedSdfg>())
    for (const auto& [symbol, value] : nested->symbol_mapping) symbols.add(value);
  const auto* tasklet = node.as<Tasklet>();
  if (tasklet && tasklet->code.language() == Language::Python)
    collect_symbols(tasklet->code, containers, named);
  else if (tasklet)
    used.add(node);
}

}  // namespace

NameSet containers_read_by_name(const Sdfg& sdfg) {
  NameSet out;
  const NameSink named = [&](const std::string& name) {
    const std::string_view root = std::string_view(name).substr(0, name.find('.'));
    if (sdfg.arrays.contains(root)) out.emplace(root);
  };
  const KnownNames containers(sdfg.arrays);
  UsedNames used(containers, named);
  SymbolCollector symbols(named);
  for (const auto& [name, constant] : sdfg.constants) named(name);
  for (const auto& [name, data] : sdfg.arrays) used.add(data);
  for_each_block(sdfg, [&](const Block& block) {
    used.add(block);
    if (const auto* state = block.as<State>())
      for (NodeId n : state->nodes())
        add_names_of((*state)[n], containers, used, symbols, named);
  });
  for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
    collect_symbols(edge.condition, containers, named);
    for (const auto& [name, value] : edge.assignments) symbols.add(value);
  });
  return out;
}

void collect_words(std::string_view text, const SymbolSet& known, SymbolSet& out) {
  collect_words(text, known, into(out));
}
void collect_words(std::string_view text, KnownNames known, const NameSink& sink) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > at)
      if (const std::string* name = known.find(text.substr(at, end - at))) sink(*name);
    at = end + 1;
  }
}

void UsedNames::add(const Node& node) {
  Collector collector(known_, symbols_, sink_);
  std::visit(
      [&]<class K>(const K& kind) {
        if constexpr (requires { K::properties; }) collector.properties(kind);
      },
      node.kind);
  collector.extras(node.extras);
  for (const auto& [name, type] : node.in_connectors) collector.add(type);
  for (const auto& [name, type] : node.out_connectors) collector.add(type);
}

void UsedNames::add(const Edge& edge) {
  Collector collector(known_, symbols_, sink_);
  collector.properties(edge.memlet);
  collector.extras(edge.memlet.extras);
  collector.extras(edge.extras);
}

void UsedNames::add(const Data& data) {
  collect_symbols(data, symbols_);
  Collector collector(known_, symbols_, sink_);
  collector.properties(data);
  collector.extras(data.extras);
  if (const auto* structure = std::get_if<Structure>(&data.kind))
    for (const auto& [name, member] : structure->members) {
      if (const auto* inner = std::get_if<Box<Data>>(&member))
        add(**inner);
      else
        collector.add(std::get<Expr>(member));
    }
  if (const auto* array = std::get_if<ContainerArray>(&data.kind); array && array->stype)
    add(**array->stype);
}

void UsedNames::add(const Block& block) {
  Collector collector(known_, symbols_, sink_);
  collector.extras(block.extras);
  if (const auto* state = block.as<State>()) collector.properties(*state);
  if (const auto* loop = block.as<LoopRegion>()) {
    collector.properties(*loop);
    sink_(loop->loop_variable);
  }
  if (const auto* region = block.as<ControlFlowRegion>()) collector.add(region->arguments);
  if (const auto* conditional = block.as<ConditionalBlock>())
    for (const Branch& branch : conditional->branches) collector.add(branch.condition);
}

void collect_used_names(const Node& node, const SymbolSet& known, SymbolSet& out) {
  UsedNames(known, out).add(node);
}
void collect_used_names(const Edge& edge, const SymbolSet& known, SymbolSet& out) {
  UsedNames(known, out).add(edge);
}
void collect_used_names(const Data& data, const SymbolSet& known, SymbolSet& out) {
  UsedNames(known, out).add(data);
}
void collect_used_names(const Block& block, const SymbolSet& known, SymbolSet& out) {
  UsedNames(known, out).add(block);
}

void collect_free_names(const State& state, const SymbolSet& known, SymbolSet& out) {
  bool hides = false;
  for (NodeId n : state.nodes())
    for_each_bound(state[n], [&](const std::string& name) { hides |= known.contains(name); });
  std::optional<ScopeTree> tree;
  if (hides)
    if (auto found = scope_tree(state)) tree = *std::move(found);
  if (!tree) {
    UsedNames used(known, out);
    for (NodeId n : state.nodes()) used.add(state[n]);
    for (EdgeId e : state.edges()) used.add(state[e]);
    return;
  }
  SymbolSet names;
  const auto add_free = [&](NodeId scope) {
    for (const std::string& name : names) {
      NodeId around = scope;
      while (around && !binds(state[around], name)) around = tree->parent_of(around);
      if (!around) out.insert(name);
    }
    names.clear();
  };
  for (NodeId n : state.nodes()) {
    collect_used_names(state[n], known, names);
    if (state[n].is<MapEntry>())  // its range inputs hold in its own ranges, too
      std::erase_if(names, [&](const auto& name) { return state[n].in_connectors.contains(name); });
    add_free(tree->parent_of(n));
  }
  for (EdgeId e : state.edges()) {
    collect_used_names(state[e], known, names);
    add_free(tree->parent_of(state.target(e)));
  }
}

}  // namespace sdfg
