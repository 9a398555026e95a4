#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ir/sdfg.h"
#include "serialize/save.h"

namespace sdfg {

/// The forms in which `sdfg-opt` writes an SDFG.
enum class Emit {
  Cpp,
  Cuda,
  Dot,
  GraphMl,
  Hip,
  Html,
  Json,
  None,
  Plan,
  PlanJson,
  Report,
  Summary,
  Text
};
inline constexpr std::array<std::string_view, 13> emit_names{
    "cpp", "cuda", "dot", "graphml", "hip", "html", "json", "none", "plan", "plan-json", "report",
    "summary", "text"};
std::optional<Emit> emit_from_text(std::string_view name);
/// Is the form made by code generation, which takes valid SDFGs only?
bool is_generated(Emit form);
/// By the ending of a file's name; nothing when it says nothing.
std::optional<Emit> emit_from_path(std::string_view path);

/// The bytes of one form; what cannot be expressed or generated is an error. `plan` overrides that
/// of GPU programs (see gpu_plan.h). Generated code uses the SDFG up; its warnings are appended.
Result<std::string> emit(Sdfg&& sdfg, Emit form, SaveProfile profile,
                         const std::string& plan = {}, Diagnostics* warnings = nullptr);

}  // namespace sdfg
