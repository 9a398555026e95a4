#pragma once

#include <set>
#include <string>
#include <utility>

#include "passes/common/accesses.h"
#include "passes/common/copy.h"
#include "passes/common/relayout.h"
#include "passes/pass.h"

namespace sdfg {

/// Accesses to container `from` become accesses to container `to`, at the place that is theirs.
struct Relocation {
  std::string from, to;
  Placement placement;
};

/// Renames what scopes along a path inside (`read`: forward) bind, where that would hide symbols
/// that are brought in.
void keep_visible(State& state, const std::vector<EdgeId>& path, bool read,
                  const SymbolSet& symbols);

/// Moves edges of access nodes to access nodes of another container, and adapts what hangs on them:
///
/// - the memlets of the whole tree through scopes, whichever end they name;
/// - views and nested SDFGs behind them, which see other strides. Inside, symbols of the new
/// strides
///   come in through the symbol mapping, under fresh names where theirs are taken; views and nested
///   SDFGs there follow, too.
///
/// Empty edges stay empty; volumes, dynamic and wcr stay. Memlets around scopes are moved, not
/// computed anew. Which nodes there are, and their order, is the caller's business.
///
/// One object serves one relocation in one state: it remembers which connectors were adapted.
class Reroute {
 public:
  Reroute(Sdfg& sdfg, State& state, const Accesses& accesses, Relocation relocation);

  /// Why the one container cannot stand for the other at all: element type, storage, kind.
  static Refusal check_containers(const Sdfg& sdfg, const std::string& from, const std::string& to);
  /// Why this edge at this access node of `from` cannot follow. A connector that is an input and an
  /// output of a nested SDFG has one container: `all` says that every edge of `from` is going to
  /// move.
  Refusal check(EdgeId edge, NodeId at, bool all = true) const;
  /// Makes the edge one of `node`, an access node of `to`. Relies on the check.
  void move(EdgeId edge, NodeId at, NodeId node);
  /// The same, when the caller is about to give the node itself the other name.
  void rename(EdgeId edge, NodeId at);

 private:
  Refusal check_end(EdgeId leaf, bool read, const Subset& subset, bool all) const;
  void rename(Memlet& memlet, bool read) const;
  NewStrides new_strides() const;

  Sdfg& sdfg_;
  State& state_;
  const Accesses& accesses_;
  Relocation relocation_;
  std::set<std::pair<NodeId, std::string>> adapted_;  ///< connectors of nested SDFGs; views
};

}  // namespace sdfg
