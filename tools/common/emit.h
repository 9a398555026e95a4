#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ir/sdfg.h"
#include "serialize/save.h"

namespace sdfg {

/// The forms in which `sdfg-opt` writes an SDFG.
enum class Emit { Cpp, Cuda, Dot, GraphMl, Hip, Html, Json, None, Summary, Text };
inline constexpr std::array<std::string_view, 10> emit_names{
    "cpp", "cuda", "dot", "graphml", "hip", "html", "json", "none", "summary", "text"};
std::optional<Emit> emit_from_text(std::string_view name);
/// By the ending of a file's name; nothing when it says nothing.
std::optional<Emit> emit_from_path(std::string_view path);

/// The bytes of one form; what cannot be expressed or generated is an error.
Result<std::string> emit(const Sdfg& sdfg, Emit form, SaveProfile profile);

}  // namespace sdfg
