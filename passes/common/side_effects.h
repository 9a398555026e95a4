#pragma once

#include <optional>
#include <unordered_map>

#include "ir/sdfg.h"

namespace sdfg {

/// Does a container live on after a run of its SDFG?
bool outlives_run(const Data& data);
/// The first transient that is written in an SDFG, or one nested in it, and lives on after a run;
/// null when there is none.
const std::string* find_kept(const Sdfg& sdfg);

/// Does running a node do more than its memlets say? A tasklet says so itself, or calls a callback,
/// or keeps state; one in another language than Python that has no output runs for nothing else. So
/// does a nested SDFG that keeps values for its next run. Of nested SDFGs that are not loaded,
/// library nodes of unknown meaning, and nodes and blocks of unknown kinds, the answer is yes. Each
/// SDFG is looked through once; answers hold for those that are there, by address.
class SideEffects {
 public:
  bool of(const Sdfg& sdfg, const Node& node);
  /// Others may be gone.
  void keep_only(const Sdfg& sdfg);

 private:
  struct Known {
    SymbolSet callbacks;
    std::optional<bool> inside;
  };
  Known& known(const Sdfg& sdfg);
  bool inside(const Sdfg& sdfg);
  std::unordered_map<const Sdfg*, Known> known_;  ///< looked up, never iterated
};

}  // namespace sdfg
