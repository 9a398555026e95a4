#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/sdfg.h"

namespace sdfg {

/// Which containers lie in memory of the GPU, and which code could touch them: the host can only
/// copy them. A nested SDFG may be given such memory where its own descriptor chooses none, and one
/// inside of a kernel is code of the GPU. Nested SDFGs in scopes without a schedule count as such,
/// too: where data lies in GPU memory, these become kernels.
///
/// In time linear in the program's nodes if anything lies in GPU memory, else in its containers.
/// Valid for the SDFGs that the program had, while their containers stay where they are.
class GpuMemory {
 public:
  explicit GpuMemory(const Sdfg& root);

  /// Is the container in GPU memory, by its own descriptor or where it comes from?
  bool holds(const Sdfg& sdfg, std::string_view container) const;
  /// Is it, and does the host run control flow of this SDFG and what is in none of its scopes?
  bool is_out_of_reach(const Sdfg& sdfg, std::string_view container) const {
    return host_.contains(&sdfg) && holds(sdfg, container);
  }

 private:
  void add(const Sdfg& sdfg);
  void add_nested(const Sdfg& sdfg, const State& state);

  /// SDFGs that the host runs, and what each is given of GPU memory; empty if nothing lies there.
  std::unordered_map<const Sdfg*, SymbolSet> host_;
};

/// Does the GPU run what is in the scope, or may it come to that?
bool may_be_kernel(const Node& entry);
/// Is it, by its own descriptor, in memory of the GPU?
inline bool is_gpu_memory(const Data* data) {
  return data && (data->storage == Storage::GpuGlobal || data->storage == Storage::GpuShared);
}
/// Is it in memory that kernels do not touch: that of the host, or none chosen yet?
inline bool is_host_memory(const Data* data) {
  return data && (data->storage == Storage::Default || data->storage == Storage::CpuHeap ||
                  data->storage == Storage::CpuPinned || data->storage == Storage::CpuThreadLocal);
}

}  // namespace sdfg
