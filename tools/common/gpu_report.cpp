#include "tools/common/gpu_report.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "codegen/gpu.h"
#include "support/file.h"
#include "support/text.h"
#include "tools/common/gpu_build.h"

namespace sdfg {

namespace {

/// The function's name without its parameters.
std::string plain_name(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : mangled;
  std::free(text);
  // Of templates the result stands before the name.
  if (name.starts_with("void ")) name.erase(0, 5);
  constexpr std::string_view hidden = "(anonymous namespace)::";
  if (name.starts_with(hidden)) name.erase(0, hidden.size());
  return name.substr(0, name.find('('));
}

/// The number right before `word` in the line.
std::int64_t number_before(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

/// The number behind `word`, if the line begins with it.
std::optional<std::int64_t> number_behind(std::string_view line, std::string_view word) {
  line = trim(line);
  if (!line.starts_with(word)) return std::nullopt;
  line = trim(line.substr(word.size()));
  std::int64_t value = 0;
  std::from_chars(line.data(), line.data() + line.size(), value);
  return value;
}

/// Sizes of the sections `.text.KERNEL` of an ELF file, by KERNEL.
ByName<std::int64_t> code_sizes(std::string_view file) {
  ByName<std::int64_t> sizes;
  const auto read = [&]<class T>(std::uint64_t at, T) {
    T value{};
    if (at <= file.size() && sizeof(T) <= file.size() - at)
      std::memcpy(&value, file.data() + at, sizeof(T));
    return value;
  };
  const auto header = read(0, Elf64_Ehdr{});
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return sizes;
  const auto section = [&](std::uint64_t i) {
    return read(header.e_shoff + i * sizeof(Elf64_Shdr), Elf64_Shdr{});
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    const std::uint64_t at = names.sh_offset + s.sh_name;
    if (at >= file.size()) continue;
    const std::string_view rest = file.substr(at);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (name.starts_with(".text.")) sizes[std::string(name.substr(6))] = std::int64_t(s.sh_size);
  }
  return sizes;
}

struct Tried {
  const char* architecture;
  GpuDialect dialect;
  std::vector<std::string> flags;
};

std::string table(const std::vector<KernelResources>& kernels, bool amd) {
  std::size_t width = 6;
  for (const KernelResources& k : kernels) width = std::max(width, k.name.size());
  std::string text =
      fmt::format("{:<{}}  {:>9}  {:>7}  {:>7}  {:>6}  {:>6}  {:>6}\n", "kernel", width,
                  "registers", "scalar", "spilled", "stack", "shared", "code");
  for (const KernelResources& k : kernels)
    text += fmt::format("{:<{}}  {:>9}  {:>7}  {:>7}  {:>6}  {:>6}  {:>6}\n", k.name, width,
                        k.registers, amd ? fmt::to_string(k.scalar_registers) : "-", k.spilled,
                        k.stack, k.shared, k.code);
  for (const KernelResources& k : kernels) {
    if (k.spilled)
      text +=
          fmt::format("warning: {} spills {} {}\n", k.name, k.spilled, amd ? "registers" : "bytes");
    // 512 vector registers of a lane are shared by the waves of a SIMD: 128 leave room for 4.
    if (amd && k.registers > 128)
      text += fmt::format("warning: {} needs {} vector registers: at most {} waves per SIMD\n",
                          k.name, k.registers, std::max<std::int64_t>(1, 512 / k.registers));
  }
  return text;
}

}  // namespace

std::vector<KernelResources> parse_ptxas(std::string_view printed, std::string_view cubin) {
  std::vector<KernelResources> kernels;
  const auto sizes = code_sizes(cubin);
  for (std::string_view line : split(printed, '\n')) {
    constexpr std::string_view entry = "Compiling entry function '";
    if (const std::size_t at = line.find(entry); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + entry.size());
      const std::string mangled(rest.substr(0, rest.find('\'')));
      const auto size = sizes.find(mangled);
      kernels.push_back(
          {.name = plain_name(mangled), .code = size == sizes.end() ? 0 : size->second});
    } else if (!kernels.empty()) {
      KernelResources& k = kernels.back();
      if (line.find("bytes stack frame") != std::string_view::npos) {
        k.stack = number_before(line, " bytes stack frame");
        k.spilled =
            number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
      } else if (line.find("Used ") != std::string_view::npos) {
        k.registers = number_before(line, " registers");
        k.shared = number_before(line, " bytes smem");
      }
    }
  }
  std::ranges::sort(kernels, {}, &KernelResources::name);
  return kernels;
}

std::vector<KernelResources> parse_amdgpu(std::string_view assembly) {
  // Metadata of all kernels stands at the end; the comment with a kernel's size behind its code.
  std::vector<KernelResources> kernels;
  ByName<std::int64_t> sizes;
  KernelResources k;
  std::string function;
  bool metadata = false;
  for (std::string_view line : split(assembly, '\n')) {
    if (trim(line) == "amdhsa.kernels:") metadata = true;
    if (!metadata) {
      constexpr std::string_view begins = "; -- Begin function ";
      if (const std::size_t at = line.find(begins); at != std::string_view::npos)
        function = std::string(trim(line.substr(at + begins.size())));
      if (const auto size = number_behind(line, "; codeLenInByte =")) sizes[function] = *size;
      continue;
    }
    if (const auto v = number_behind(line, ".group_segment_fixed_size:")) k.shared = *v;
    if (const auto v = number_behind(line, ".private_segment_fixed_size:")) k.stack = *v;
    if (const auto v = number_behind(line, ".sgpr_count:")) k.scalar_registers = *v;
    if (const auto v = number_behind(line, ".sgpr_spill_count:")) k.spilled += *v;
    if (const auto v = number_behind(line, ".vgpr_count:")) k.registers = *v;
    // The entries of a kernel are sorted by name: this line is close to the last.
    constexpr std::string_view name = ".name:";
    if (std::string_view rest = trim(line);
        rest.starts_with(name) && line.starts_with("    .name")) {
      const std::string mangled(trim(rest.substr(name.size())));
      k.name = plain_name(mangled);
      const auto size = sizes.find(mangled);
      k.code = size == sizes.end() ? 0 : size->second;
    }
    if (const auto v = number_behind(line, ".vgpr_spill_count:")) {
      k.spilled += *v;
      kernels.push_back(std::exchange(k, {}));
    }
  }
  std::ranges::sort(kernels, {}, &KernelResources::name);
  return kernels;
}

Result<std::string> gpu_report(const Sdfg& sdfg, const std::string& plan) {
  const Tried all[] = {
      {"sm_90", GpuDialect::Cuda, {"-std=c++20", "-O3", "-arch=sm_90", "-Xptxas=-v", "-cubin"}},
      {"gfx90a", GpuDialect::Hip,
       {"-std=c++20", "-O3", "--offload-arch=gfx90a", "--offload-device-only", "-S", "-x", "hip"}}};
  std::string text;
  std::optional<Diagnostic> missing;
  for (const Tried& tried : all) {
    const bool amd = tried.dialect == GpuDialect::Hip;
    const auto compiler = gpu_compiler(tried.dialect);
    if (!compiler) {
      missing = compiler.error();
      text += fmt::format("{}{}: not compiled: {}\n", text.empty() ? "" : "\n", tried.architecture,
                          compiler.error().message);
      continue;
    }
    GpuOptions generator;
    generator.dialect = tried.dialect;
    generator.plan = plan;
    SDFG_TRY(const Bundle bundle, generate_gpu(sdfg, generator));
    BuildOptions options{.compiler = compiler->front(), .flags = tried.flags, .cache = {}};
    SDFG_TRY(const Built built, build(bundle, options));
    SDFG_TRY(const std::string made, read_file(built.path));
    SDFG_TRY(const std::string printed, read_file(built.output));
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", tried.architecture) +
            table(amd ? parse_amdgpu(made) : parse_ptxas(printed, made), amd);
    missing.reset();
  }
  if (missing && text.find("kernel") == std::string::npos) return *missing;
  return text;
}

}  // namespace sdfg
