#pragma once

#include <string>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Code of tasklets has an index for each dimension of more than one element of what a connector
/// is given. Whoever rewrites sizes (a symbol becomes a number, a maximum its winner) may leave
/// fewer of them: states are added before that, and settled after it. Nodes and edges stay
/// meanwhile.
class CodeIndices {
 public:
  void add(State& state);
  /// Takes the indices of dimensions that have turned out to have one element out of the code.
  void settle() const;

 private:
  /// A connector that a tasklet's code indexes, and the dimensions that its indices stand for.
  struct Indexed {
    State* state;
    NodeId tasklet;
    EdgeId edge;
    std::string connector;
    std::vector<std::size_t> dimensions;
  };
  static void drop_indices(const Indexed& indexed);

  std::vector<Indexed> indexed_;
};

}  // namespace sdfg
