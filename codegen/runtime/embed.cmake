# Writes a source file that holds the headers as strings; done again whenever one of them changes.
function(embed_headers out)
  set(entries)
  foreach(header ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    get_filename_component(name ${header} NAME)
    file(READ ${header} body)
    string(APPEND entries "    {\"${name}\", R\"embedded(${body})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT "#include \"codegen/runtime_text.h\"

#include <array>

namespace sdfg {

namespace {
constexpr auto headers = std::to_array<RuntimeHeader>({
@entries@});
}  // namespace

std::span<const RuntimeHeader> runtime_headers() { return headers; }

}  // namespace sdfg
")
endfunction()
