# cmake -DOUT=file.cpp -DHEADERS="a.h;b.h" -P embed.cmake: the headers as C++ strings.
set(text "#include \"codegen/runtime_text.h\"\n\n#include <array>\n\nnamespace sdfg {\n\nnamespace {\nconstexpr auto headers = std::to_array<RuntimeHeader>({\n")
foreach(header ${HEADERS})
  get_filename_component(name ${header} NAME)
  file(READ ${header} body)
  string(APPEND text "    {\"${name}\", R\"embedded(${body})embedded\"},\n")
endforeach()
string(APPEND text "});\n}  // namespace\n\nstd::span<const RuntimeHeader> runtime_headers() { return headers; }\n\n}  // namespace sdfg\n")
file(WRITE ${OUT} "${text}")
