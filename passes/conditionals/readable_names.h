#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/connector_types.h"
#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"

namespace sdfg {

/// What can be read by name somewhere, containers apart.
struct ReadableNames {
  TypeTable symbols;
  SymbolSet names;  ///< of symbols and of constants
};
/// Everywhere in an SDFG. It takes a walk over the SDFG; what passes do to maps changes nothing.
ReadableNames readable_names(const Sdfg& sdfg);

/// Adds what a scope of a state, or none, and those around it bind, for as long as it lives.
class NamesInScope {
 public:
  NamesInScope(ReadableNames& names, const Sdfg& sdfg, const State& state, const ScopeTree& tree,
               NodeId scope);
  /// For a scope that lies in no other.
  NamesInScope(ReadableNames& names, const Sdfg& sdfg, const State& state, NodeId scope);
  NamesInScope(const NamesInScope&) = delete;
  NamesInScope& operator=(const NamesInScope&) = delete;
  ~NamesInScope();

 private:
  void add(const State& state, NodeId scope);

  ReadableNames& readable_;
  const Sdfg& sdfg_;
  /// What the names are outside, outer scopes first.
  std::vector<std::pair<std::string, std::optional<Type>>> outside_;
};

}  // namespace sdfg
