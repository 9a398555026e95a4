#include "tools/common/backends.h"

#include "codegen/gpu.h"
#include "tools/common/gpu_build.h"
#include "tools/common/caller.h"

namespace sdfg {

Result<Backend> backend_by_name(std::string_view name, bool count, const std::string& plan) {
  if (name == "interpreter") return interpreter_backend({.count = count});
  if (name == "cpu") return cpu_backend();
  GpuOptions gpu;
  gpu.dialect = name.starts_with("hip") ? GpuDialect::Hip : GpuDialect::Cuda;
  gpu.plan = plan;
  BuildOptions build = stand_in_build();
  if (!name.ends_with("-on-cpu")) {
    SDFG_TRY(build, device_build(gpu.dialect));
  }
  return gpu_backend([gpu](const Sdfg& sdfg) { return generate_gpu(sdfg, gpu); }, build);
}

}  // namespace sdfg
