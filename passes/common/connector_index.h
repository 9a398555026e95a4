#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// The edges behind connectors of scope nodes, looked up by name. Each scope node is gone through
/// once, when it is first asked about; edges that are added later are not known.
class ConnectorIndex {
 public:
  explicit ConnectorIndex(const State& state) : state_(state) {}

  /// Edges that carry on what an edge brings to a scope node; none at other nodes.
  const std::vector<EdgeId>& behind(EdgeId edge);
  /// Edges that bring to a scope node what an edge carries on; none at other nodes.
  const std::vector<EdgeId>& before(EdgeId edge);
  /// The innermost edges of what an edge carries into scopes (`read`) or out of scopes.
  std::vector<EdgeId> leaves(EdgeId edge, bool read);

  /// Visits the edge and, through scope nodes, all that carry on what it brings.
  template <class F>
  void for_each_onward(EdgeId edge, F&& visit) {
    visit(edge);
    for (EdgeId next : behind(edge)) for_each_onward(next, visit);
  }

 private:
  using Edges = std::unordered_map<std::string, std::vector<EdgeId>>;
  const State& state_;
  std::unordered_map<std::uint32_t, Edges> out_, in_;  ///< by scope node: edges by connector
};

/// Gives the container another name in the memlets of everything that an edge carries on.
void rename_onward(State& state, ConnectorIndex& index, EdgeId edge, const std::string& from,
                   const std::string& to);

}  // namespace sdfg
