#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/sdfg.h"
#include "support/by_name.h"
#include "support/json_tree.h"

namespace sdfg::detail {

/// What distinct texts of a file mean. Keys are as written in it, escapes included.
struct KnownTexts {
  template <class T>
  using Map = std::unordered_map<std::string_view, T>;
  Map<Expr> symbolic, python;
  Map<Code> code[std::size_t(Language::Undefined) + 1];
  Map<Type> types;
  std::deque<std::string> inner;  ///< texts inside strings of the file, to which keys refer, too
};

/// What load() keeps as Sdfg::source: also what it made of the text, for save() to look things up.
struct ReadSource : SourceText {
  json::Tree tree;
  Dialect dialect = Dialect::Typed;
  KnownTexts known;
  /// All sources are such: nobody else makes any.
  static const ReadSource& of(const SourceText& source) {
    return static_cast<const ReadSource&>(source);
  }
};

/// What reading one file needs everywhere: the texts, what was read before, and what to tell the
/// user. Functions return false when a value cannot be modelled; `error` is set when that is fatal.
class Loader {
 public:
  const json::Tree* tree = nullptr;
  std::uint64_t source_tag = 0;  ///< 0: elements get no Origin (a nested SDFG in a JSON string)
  Dialect dialect = Dialect::Typed;
  std::vector<std::string> source_files;
  /// Reads an element's own attributes only: no graphs, no containers, no nested SDFGs.
  bool shallow = false;
  int type_depth = 0;  ///< of the type being read; only whole types are looked up by their text
  std::string path_prefix;
  Diagnostics notes;
  std::optional<Diagnostic> error;

  std::string path(json::Value at) const;
  /// Records the fatal error, "expected …, found …", unless there is one already; gives false.
  bool fail(json::Value at, std::string_view expected);
  bool fail_with(json::Value at, std::string message, std::string hint = {});
  void note(json::Value at, std::string message, Severity severity = Severity::Note);
  /// Notes something that a file does in many places once, at its first place.
  void note_once(json::Value at, std::string_view what);

  /// The value of a required key of an object.
  bool require(json::Value object, std::string_view key, json::Value& out);
  bool require(json::Value object, std::string_view key, json::Kind kind, json::Value& out);

  KnownTexts known;
  const KnownTexts* before = nullptr;  ///< of an earlier reader of the same file

  /// Parsed once per distinct text.
  Expr symbolic(json::Value string);
  Expr python(json::Value string);
  Expr symbolic_text(const std::string& text, json::Value at);
  Code code(json::Value string, Language language);
  const Type* cached_type(std::string_view raw) const;
  void cache_type(std::string_view raw, Type type);

  Origin origin(json::Value element) const {
    if (!source_tag) return {};
    return {element.begin_offset(), element.end_offset(), 0, source_tag};
  }
  /// Keeps a text that trees and caches refer to.
  const std::string& keep_text(std::string text) {
    return known.inner.emplace_back(std::move(text));
  }
  const json::Tree& keep_tree(json::Tree tree) { return trees_.emplace_back(std::move(tree)); }

 private:
  ByName<bool> noted_;
  std::deque<json::Tree> trees_;
};

// ---- Values of attributes (load_values.cpp; types: load_types.cpp). False: it is not of that
// type.
bool read_value(Loader& in, json::Value v, bool& out);
bool read_value(Loader& in, json::Value v, std::int64_t& out);
bool read_value(Loader& in, json::Value v, std::string& out);
bool read_value(Loader& in, json::Value v, Expr& out);
bool read_value(Loader& in, json::Value v, Type& out);
bool read_value(Loader& in, json::Value v, Code& out);
bool read_value(Loader& in, json::Value v, DebugInfo& out);
bool read_value(Loader& in, json::Value v, Range& out);
bool read_value(Loader& in, json::Value v, std::vector<Range>& out);
bool read_value(Loader& in, json::Value v, Subset& out);
bool read_value(Loader& in, json::Value v, std::vector<Expr>& out);
bool read_value(Loader& in, json::Value v, std::vector<std::string>& out);
bool read_value(Loader& in, json::Value v, std::vector<std::int64_t>& out);
/// Interstate assignments: Python expressions.
bool read_value(Loader& in, json::Value v, OrderedMap<Expr>& out);

template <NamedEnum E>
bool read_value(Loader&, json::Value v, E& out) {
  if (!v.is_string() || v.has_escapes()) return false;
  const auto found = from_text<E>(v.raw_string());
  if (!found || *found == E::Undefined) return false;
  out = *found;
  return true;
}
template <Optional O>
bool read_value(Loader& in, json::Value v, O& out) {
  out.reset();
  if (v.is_null()) return true;
  typename O::value_type value{};
  if (!read_value(in, v, value)) return false;
  out = std::move(value);
  return true;
}
template <class T, class Default>
bool read_value(Loader& in, json::Value v, Rare<T, Default>& out) {
  T value{};
  const bool read = read_value(in, v, value);
  out = std::move(value);
  return read;
}
template <class T, class Less>
bool read_value(Loader& in, json::Value v, std::map<std::string, T, Less>& out) {
  out.clear();
  if (!v.is_object()) return false;
  for (json::Value member : v) {
    T value{};
    if (!read_value(in, member, value)) return out.clear(), false;
    // Members usually come sorted.
    out.insert_or_assign(out.end(), member.key(), std::move(value));
  }
  return true;
}

/// Keeps an attribute of a name that is not ours, verbatim.
void carry(Extras& extras, json::Value member);
/// Keeps one whose property cannot hold its value. An unknown word of an enumeration is from
/// another DaCe and only noted; anything else but null is an error.
void carry_unread(Loader& in, Extras& extras, json::Value member, bool enumeration = false);
/// Keeps an unknown key that stands beside `type`, under "/key".
void carry_positional(Extras& extras, json::Value member);

template <class T>
constexpr bool is_enumeration = NamedEnum<T>;
template <class T>
constexpr bool is_enumeration<std::optional<T>> = NamedEnum<T>;

/// Reads a member of an attributes object into the property of that name. True when there is one;
/// a value that it cannot hold goes to `extras`.
template <class T>
bool read_property(Loader& in, json::Value member, T& object, Extras& extras) {
  const std::string_view key = member.raw_key();
  const auto read = [&](const auto& property) {
    if (key != property.name) return false;
    auto& field = object.*(property.member);
    if (!read_value(in, member, field))
      carry_unread(in, extras, member, is_enumeration<std::decay_t<decltype(field)>>);
    return true;
  };
  return T::properties([&](const auto&... property) { return (read(property) || ...); });
}

// ---- Elements.
bool read_data(Loader& in, json::Value element, Data& out);
bool read_memlet(Loader& in, json::Value element, Memlet& out);
bool read_node(Loader& in, json::Value element, Node& out);
/// An edge of a state without its ends.
bool read_edge(Loader& in, json::Value element, Edge& out);
/// Nodes and edges of a state; `sdfg` knows the containers.
bool read_state_graph(Loader& in, json::Value element, const Sdfg& sdfg, State& out);
bool read_block(Loader& in, json::Value element, const Sdfg& sdfg, Block& out);
bool read_interstate_edge(Loader& in, json::Value element, InterstateEdge& out);
bool read_region_graph(Loader& in, json::Value element, const Sdfg& sdfg, Region& out);
bool read_sdfg(Loader& in, json::Value element, Sdfg& out);
/// An index that edges and scopes store as text or number; nothing when it is not one below
/// `bound`.
std::optional<std::uint32_t> read_index(json::Value v, std::size_t bound);
/// An element's type name, cut at the first dot as DaCe does.
std::string_view element_type(json::Value element);

}  // namespace sdfg::detail
