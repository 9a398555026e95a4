#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sdfg {

/// An enumeration's texts, by value, in DaCe's spelling. `names<E>` is specialised per enumeration.
template <class E>
inline constexpr int names = 0;

// Every enumeration ends in Undefined: a name we do not know, whose text is carried among the
// element's unknown attributes (see serialize/).

/// Where data lives. Members that only old files use (FPGA_*) are known so that they are kept.
enum class Storage : std::uint8_t {
  Default, Register, CpuPinned, CpuHeap, CpuThreadLocal, GpuGlobal, GpuShared, SveRegister,
  SnitchTcdm, SnitchL2, SnitchSsr, FpgaGlobal, FpgaLocal, FpgaRegisters, FpgaShiftRegister,
  Undefined
};
template <>
inline constexpr std::array<std::string_view, 16> names<Storage>{
    "Default", "Register", "CPU_Pinned", "CPU_Heap", "CPU_ThreadLocal", "GPU_Global", "GPU_Shared",
    "SVE_Register", "Snitch_TCDM", "Snitch_L2", "Snitch_SSR", "FPGA_Global", "FPGA_Local",
    "FPGA_Registers", "FPGA_ShiftRegister", "Undefined"};

/// Who runs the iterations of a scope.
enum class Schedule : std::uint8_t {
  Default, Sequential, Mpi, CpuMulticore, CpuPersistent, SveMap, GpuDevice, GpuThreadBlock,
  GpuThreadBlockDynamic, GpuPersistent, Snitch, SnitchMulticore, Unrolled, GpuDefault, FpgaDevice,
  FpgaMultiPumped, Undefined
};
template <>
inline constexpr std::array<std::string_view, 17> names<Schedule>{
    "Default", "Sequential", "MPI", "CPU_Multicore", "CPU_Persistent", "SVE_Map", "GPU_Device",
    "GPU_ThreadBlock", "GPU_ThreadBlock_Dynamic", "GPU_Persistent", "Snitch", "Snitch_Multicore",
    "Unrolled", "GPU_Default", "FPGA_Device", "FPGA_Multi_Pumped", "Undefined"};

/// When a transient is allocated: see docs/ir.md.
enum class Lifetime : std::uint8_t { Scope, State, Sdfg, Global, Persistent, External, Undefined };
template <>
inline constexpr std::array<std::string_view, 7> names<Lifetime>{
    "Scope", "State", "SDFG", "Global", "Persistent", "External", "Undefined"};

enum class Instrumentation : std::uint8_t {
  None, Timer, PapiCounters, LikwidCpu, LikwidGpu, GpuEvents, GpuTxMarkers, Fpga, Undefined
};
template <>
inline constexpr std::array<std::string_view, 9> names<Instrumentation>{
    "No_Instrumentation", "Timer", "PAPI_Counters", "LIKWID_CPU", "LIKWID_GPU", "GPU_Events",
    "GPU_TX_MARKERS", "FPGA", "Undefined"};

enum class DataInstrumentation : std::uint8_t { None, Save, Restore, Undefined };
template <>
inline constexpr std::array<std::string_view, 4> names<DataInstrumentation>{
    "No_Instrumentation", "Save", "Restore", "Undefined"};

enum class OmpSchedule : std::uint8_t { Default, Static, Dynamic, Guided, Undefined };
template <>
inline constexpr std::array<std::string_view, 5> names<OmpSchedule>{"Default", "Static", "Dynamic",
                                                                    "Guided", "Undefined"};

enum class Language : std::uint8_t { Python, Cpp, OpenCl, SystemVerilog, Mlir, Undefined };
template <>
inline constexpr std::array<std::string_view, 6> names<Language>{
    "Python", "CPP", "OpenCL", "SystemVerilog", "MLIR", "Undefined"};

template <class E>
concept NamedEnum = requires { names<E>.size(); };

template <NamedEnum E>
constexpr std::string_view to_text(E value) {
  return names<E>[std::size_t(value)];
}
template <NamedEnum E>
constexpr std::optional<E> from_text(std::string_view text) {
  for (std::size_t i = 0; i < names<E>.size(); ++i)
    if (names<E>[i] == text) return E(i);
  return std::nullopt;
}

}  // namespace sdfg
