#pragma once

#include "ir/sdfg.h"
#include "ir/symbol_collector.h"

namespace sdfg {

/// Names that elements read, whatever their kind: every expression, range and code among their
/// properties. In code of other languages than Python and in attributes we do not know, each word
/// that is in `known` counts. Declarations are not reads: the parameters of a map are not included
/// unless something reads them. Nothing is subtracted: a name bound inside is included as well.
/// The elements must not change before the last is added.
class UsedNames {
 public:
  UsedNames(KnownNames known, SymbolSet& out) : UsedNames(known, into(out)) {}
  UsedNames(KnownNames known, const NameSink& sink)
      : known_(known), sink_(sink), symbols_(sink) {}

  void add(const Node& node);
  void add(const Edge& edge);
  void add(const Data& data);
  /// The block's own attributes: conditions and statements, not what is inside.
  void add(const Block& block);

 private:
  KnownNames known_;
  NameSink sink_;
  SymbolCollector symbols_;
};

/// Those of one element.
void collect_used_names(const Node& node, const SymbolSet& known, SymbolSet& out);
void collect_used_names(const Edge& edge, const SymbolSet& known, SymbolSet& out);
void collect_used_names(const Data& data, const SymbolSet& known, SymbolSet& out);
void collect_used_names(const Block& block, const SymbolSet& known, SymbolSet& out);
/// Those of `known` that nodes and edges of the state read where no scope around binds the name.
/// Containers are not looked into.
void collect_free_names(const State& state, const SymbolSet& known, SymbolSet& out);
/// Containers that the SDFG reads by name: in a condition, an assignment, a loop, the mapping of a
/// nested SDFG, another descriptor, or code (of a structure, its own name); and those that hold the
/// constant of that name, which nobody writes. Memlets and ranges of maps see symbols only, as the
/// verifier makes sure, and library nodes their connectors. Linear in the SDFG; nested SDFGs are
/// not entered.
NameSet containers_read_by_name(const Sdfg& sdfg);
void collect_words(std::string_view text, const SymbolSet& known, SymbolSet& out);
void collect_words(std::string_view text, KnownNames known, const NameSink& sink);

}  // namespace sdfg
