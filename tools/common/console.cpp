#include "tools/common/console.h"

#include <unistd.h>

#include <cstdio>

#include "support/file.h"

namespace sdfg {

Console Console::standard(std::string tool) {
  const auto to = [](std::FILE* file) {
    return [file](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), file);
      std::fflush(file);
    };
  };
  return {std::move(tool), read_file, write_file, to(stdout), to(stderr),
          isatty(STDOUT_FILENO) != 0,
          [](int status) {
            std::fflush(nullptr);
            _exit(status);
          }};
}

}  // namespace sdfg
