#include "tools/common/html.h"

// The page is 1.6 MB of text with every kind of quote in it: the assembler takes it as it is.
// SDFG_VIEWER_PAGE is its path, given by CMake.
asm(".section .rodata\n"
    "sdfg_viewer_page_begin: .incbin \"" SDFG_VIEWER_PAGE "\"\n"
    "sdfg_viewer_page_end: .byte 0\n"
    ".globl sdfg_viewer_page_begin\n"
    ".globl sdfg_viewer_page_end\n"
    ".text\n");

extern "C" const char sdfg_viewer_page_begin[], sdfg_viewer_page_end[];

namespace sdfg {

std::string_view viewer_page() {
  return {sdfg_viewer_page_begin, std::size_t(sdfg_viewer_page_end - sdfg_viewer_page_begin)};
}

}  // namespace sdfg
