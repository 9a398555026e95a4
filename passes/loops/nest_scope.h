#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"
#include "passes/common/gpu_memory.h"
#include "passes/common/scope.h"
#include "passes/pass.h"
#include "support/by_name.h"

namespace sdfg {

/// A container that passes the border of a map, and the part of it that the map touches.
struct BorderContainer {
  std::optional<EdgeId> in, out;  ///< the edges outside
  Subset window;
};
using Border = ByName<BorderContainer>;

/// Parameters of maps around an SDFG are symbols of it: why it cannot hold these nodes, if one has
/// a connector of such a name.
Refusal check_connectors(const State& state, const std::vector<NodeId>& nodes,
                         const std::vector<NodeId>& around);

/// A map that the host runs may hand GPU memory to kernels inside, but not to an SDFG inside with
/// kernels: DaCe takes that for an access on the host.
Refusal check_gpu_memory(const GpuMemory& gpu, const Sdfg& sdfg, const Node& entry,
                         const Border& border);

/// The inside of a map, and the label that its state gets.
struct ScopeInside {
  const State& state;
  const Scope& scope;
  const Border& border;
  std::string label;
};

/// Makes nested SDFGs of the insides of an SDFG's maps.
class ScopeNester {
 public:
  explicit ScopeNester(const Sdfg& sdfg);
  const Sdfg& sdfg() const { return sdfg_; }

  /// What passes the border of a map, if the inside can become an SDFG of its own: each container
  /// comes from one place and goes to one place, nothing inside reads containers by name, and no
  /// conflict is resolved at the border. Otherwise says why not. `around`: entries of scopes
  /// around.
  Refusal find_border(const State& state, const Scope& scope, const std::vector<NodeId>& around,
                      Border& border, const Assumptions& assumptions) const;

  /// Copies the inside of a map into the state of a new SDFG, in which the parameters are symbols.
  /// The map itself stays as it is. `scope` may name some of the nodes inside only: what leads to
  /// others, or to containers that `border` does not let out, is left out. `enclose` may put the
  /// state into loops before it is looked up which symbols must come from outside; the node's
  /// mapping gives these.
  NestedSdfg nest(const State& state, const Scope& scope, const Border& border, std::string label,
                  const std::function<Block(Block state)>& enclose) const;
  /// The same for several maps with the same parameters, one after the other. Where two borders
  /// have a container in common, they have its window in common, too.
  NestedSdfg nest(const std::vector<ScopeInside>& scopes, std::string label) const;

 private:
  /// Adds what the scope uses to the containers of `inner`.
  State inside(const State& state, const Scope& scope, const Border& border, Sdfg& inner) const;
  NestedSdfg finish(Sdfg inner, std::string label) const;
  bool is_known(std::string_view symbol, const State& state,
                const std::vector<NodeId>& around) const;
  Refusal add_to_border(const State& state, EdgeId edge, bool in, const std::vector<NodeId>& around,
                        Border& border, const Assumptions& assumptions) const;

  const Sdfg& sdfg_;
  const TypeTable types_;
  SymbolSet containers_;
  ByName<std::size_t> access_nodes_;  ///< how many each container has
};

}  // namespace sdfg
