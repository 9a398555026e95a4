#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/accesses.h"
#include "passes/pass.h"

namespace sdfg {

/// A container whose elements lie at other distances from now on: what it was, and by dimension the
/// new stride; none where the dimension is gone, because only one of its indices was ever used.
struct NewStrides {
  Data before;
  std::vector<std::optional<Expr>> strides;
};

/// Makes everything follow that sees a container through its address: views, and the containers of
/// nested SDFGs behind connectors, with all that looks at those in turn. Shapes stay. In check mode
/// nothing changes, and the answer says what cannot follow.
class Relayout {
 public:
  enum class Mode { Check, Apply };
  explicit Relayout(Mode mode) : mode_(mode) {}

  /// What the innermost edge of a path gives an address to. `accesses`, if there is one, is of this
  /// SDFG and spares looking through all of it.
  Refusal follow(Sdfg& sdfg, State& state, EdgeId leaf, bool read, const Subset& subset,
                 const NewStrides& layout, const Accesses* accesses = nullptr);

 private:
  Refusal connector(Sdfg& sdfg, State& state, NodeId node, const std::string& name,
                    const Subset& subset, const NewStrides& layout);
  Refusal view(Sdfg& sdfg, State& state, NodeId node, const Subset& subset,
               const NewStrides& layout, const Accesses* accesses);
  Refusal users(Sdfg& sdfg, const std::string& name, const NewStrides& layout,
                const Accesses* accesses);

  Mode mode_;
  NameSet views_;  ///< of the SDFG in which the walk is
  /// Containers behind connectors that have their new strides: one that is an input and an output
  /// is met twice.
  std::set<std::pair<const Sdfg*, std::string>> adapted_;
};

/// The edges that carry what passes `edge` on the way from (or to) the access node `at`, the
/// nearest first; those that lead on to nothing are the leaves.
struct PathEdge {
  EdgeId edge;
  bool leaf;
};
std::vector<PathEdge> edges_from(const State& state, EdgeId edge, NodeId at);

/// Does the memlet's `data` mean the container at this end of the path, which is read there or
/// written? Copies from a container to itself name both ends; there `data_is_src` decides.
bool names_this_end(const Memlet& memlet, const std::string& data, bool read);
/// The subset that it says for that container.
std::optional<Subset>& side_of(Memlet& memlet, const std::string& data, bool read);

}  // namespace sdfg
