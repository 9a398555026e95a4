#pragma once

#include "ir/data.h"

namespace sdfg {

/// Is it, by its own descriptor, in memory of the GPU? Code on the host can only copy it.
inline bool is_gpu_memory(const Data* data) {
  return data && (data->storage == Storage::GpuGlobal || data->storage == Storage::GpuShared);
}
/// Is it in memory that kernels do not touch: that of the host, or none chosen yet?
inline bool is_host_memory(const Data* data) {
  return data && (data->storage == Storage::Default || data->storage == Storage::CpuHeap ||
                  data->storage == Storage::CpuPinned || data->storage == Storage::CpuThreadLocal);
}

}  // namespace sdfg
