#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/sdfg.h"
#include "passes/common/aliases.h"
#include "passes/gpu/host_states.h"
#include "support/name_index.h"
#include "support/result.h"

namespace sdfg {

/// Which containers have to lie in GPU memory when every map at the top of a state becomes a
/// kernel, in an SDFG and those nested in it outside of maps. Arrays do; scalars do when a kernel
/// writes them, because a kernel can be given a host's scalar, but not write it. What a nested SDFG
/// gets lies where it lies outside. What states use that stay on the host (HostStates) does, too:
/// keep_on_host gave them copies of all else.
class GpuPlacement {
 public:
  explicit GpuPlacement(Sdfg& root);

  bool on_device(const Sdfg& sdfg, const std::string& container) const;
  /// Does a tasklet outside of maps touch GPU memory, so that it has to become a kernel?
  bool becomes_kernel(const State& state, NodeId tasklet) const;
  bool stays_on_host(const State& state) const { return host_states_.contains(state); }
  /// Is the loop's condition, tested before the body, asked anew in the body? So it is where that
  /// or another statement of the loop reads an array that the body may change.
  bool is_asked_inside(const LoopRegion& loop) const { return asked_inside_.contains(&loop); }
  /// Does such a state use the container?
  bool is_kept(const Sdfg& sdfg, const std::string& container) const;
  /// A value that passes between code outside of maps without a container: kernels take none.
  struct HandedValue {
    Sdfg* sdfg;
    State* state;
    EdgeId edge;
    Diagnostic refusal;  ///< if it cannot get one
  };
  const std::vector<HandedValue>& handed_values() const { return handed_; }
  /// What cannot be: an argument that is passed by value is written by a kernel; a loop's
  /// init or update statement, or the condition behind its body, reads an array that the body
  /// writes; the symbols of a nested SDFG read an array.
  Status check() const;
  /// Containers on the device that control flow on the host reads by name, and who does.
  std::vector<std::string> host_reads() const;

 private:
  using Index = std::size_t;
  struct Container {
    const Sdfg* sdfg;
    const std::string* name;
    const Data* data;
    bool device = false;
    bool kept = false;             ///< used by a state that stays on the host
    std::string named_by;          ///< who reads it by name on the host
    std::string kept_by;           ///< … where no copy can come before
    std::vector<Index> same;       ///< the same memory under another name
    std::vector<Index> tasklets;   ///< outside of maps that touch it
  };
  struct FreeTasklet {
    const State* state;
    NodeId node;
    std::vector<Index>
        needed;  ///< on the device if it is a kernel: what it writes, arrays it reads
  };

  struct HashOfPlace {
    std::size_t operator()(const std::pair<const State*, std::uint32_t>& at) const {
      return std::hash<const State*>()(at.first) + at.second * 0x9e3779b97f4a7c15u;
    }
  };

  void add(Sdfg& sdfg);
  void add_names(const Sdfg& sdfg);
  void on_state(Sdfg& sdfg, State& state, const Block& block);
  void on_node(Sdfg& sdfg, State& state, NodeId n);
  void look_for_handed_values(Sdfg& sdfg, State& state, const Block& block, NodeId n);
  void link(Index a, Index b);
  Index find(const Sdfg& sdfg, std::string_view name) const;
  void name(const Sdfg& sdfg, const SymbolSet& names, const std::string& by, bool keeps = false);
  void put_on_device(Index container);
  void propagate();

  const Sdfg* root_;
  HostStates host_states_;
  std::unordered_set<const LoopRegion*> asked_inside_;
  LazyAliases aliases_;
  std::vector<HandedValue> handed_;
  std::vector<Container> containers_;
  std::vector<FreeTasklet> tasklets_;
  std::unordered_map<const Sdfg*, NameIndex> index_;  ///< of the containers of each SDFG
  std::unordered_set<std::pair<const State*, std::uint32_t>, HashOfPlace>
      kernels_;  ///< tasklets that become one
  std::vector<Index> open_;  ///< put on the device, to be followed
};

}  // namespace sdfg
