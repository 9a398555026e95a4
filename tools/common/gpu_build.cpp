#include "tools/common/gpu_build.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "support/text.h"

namespace sdfg {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool can_run(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

/// The first of these that can be run; empty if none.
std::string first_of(const std::vector<fs::path>& files) {
  const auto found = std::ranges::find_if(files, can_run);
  return found == files.end() ? std::string() : found->string();
}

void add_path(std::vector<fs::path>& files, const std::string& name) {
  const std::string path = variable("PATH");  // the folders look into it
  for (std::string_view folder : split(path, ':'))
    if (!folder.empty()) files.push_back(fs::path(folder) / name);
}

/// nvcc in NVIDIA's wheels, of the active virtual environment or one named .venv here.
void add_wheels(std::vector<fs::path>& files) {
  for (const std::string& environment : {variable("VIRTUAL_ENV"), std::string(".venv")}) {
    std::error_code none;
    std::vector<fs::path> found;
    if (!environment.empty())
      for (const auto& entry : fs::directory_iterator(fs::path(environment) / "lib", none))
        found.push_back(fs::absolute(entry.path(), none) / "site-packages/nvidia/cu13/bin/nvcc");
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
}

}  // namespace

Result<std::vector<std::string>> gpu_compiler(GpuDialect dialect) {
  const bool cuda = dialect == GpuDialect::Cuda;
  const std::string chosen = variable(cuda ? "CUDACXX" : "HIPCXX");
  if (!chosen.empty()) return std::vector<std::string>{chosen};
  std::vector<fs::path> files;
  add_path(files, cuda ? "nvcc" : "hipcc");
  if (cuda) {
    if (const std::string home = variable("CUDA_HOME"); !home.empty())
      files.push_back(fs::path(home) / "bin/nvcc");
    files.push_back("/usr/local/cuda/bin/nvcc");
    add_wheels(files);
  } else {
    files.push_back("/opt/rocm/bin/hipcc");
  }
  const std::string found = first_of(files);
  if (found.empty() && cuda)
    return Diagnostic{"",
                      "there is no CUDA compiler: nvcc is not on the path, in CUDA_HOME, in "
                      "/usr/local/cuda or in .venv",
                      "name it in the environment variable CUDACXX, or install NVIDIA's wheels "
                      "with scripts/setup --gpu"};
  if (found.empty())
    return Diagnostic{"", "there is no HIP compiler: hipcc is not on the path or in /opt/rocm",
                      "name it in the environment variable HIPCXX, or install Debian's hipcc"};
  std::vector<std::string> command{found};
  // The wheels keep the runtime library where nvcc does not look.
  const fs::path libraries = fs::path(found).parent_path().parent_path() / "lib";
  if (cuda && fs::exists(libraries / "libcudart_static.a"))
    command.push_back("-L" + libraries.string());
  return command;
}

Result<BuildOptions> device_build(GpuDialect dialect) {
  SDFG_TRY(std::vector<std::string> command, gpu_compiler(dialect));
  BuildOptions options;
  options.compiler = command.front();
  options.flags.assign(command.begin() + 1, command.end());
  const auto add = [&](std::initializer_list<const char*> words) {
    options.flags.insert(options.flags.end(), words.begin(), words.end());
  };
  if (dialect == GpuDialect::Cuda) {
    add({"-std=c++20", "-O3", "-arch=native", "-fmad=false"});
  } else {
    add({"-std=c++20", "-O3", "-ffp-contract=off", "-x", "hip"});
  }
  return options;
}

BuildOptions stand_in_build() {
  BuildOptions options;
  options.flags = {"-std=c++20", "-O1", "-ffp-contract=off", "-fno-strict-aliasing",
                   "-Wno-unknown-pragmas", "-DSDFG_GPU_ON_CPU"};
  const std::string more = variable("CXXFLAGS");  // the words look into it
  for (std::string_view word : split(more, ' '))
    if (!trim(word).empty()) options.flags.emplace_back(trim(word));
  for (const char* word : {"-x", "c++"}) options.flags.emplace_back(word);
  return options;
}

}  // namespace sdfg
