#include <malloc.h>

#include <string>
#include <vector>

#include "support/deep_stack.h"
#include "tools/common/opt_main.h"

int main(int count, char** words) {
  // Memory that is freed is needed again soon: it is not given back, and comes in large pieces.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
  const std::vector<std::string> arguments(words + 1, words + count);
  int status = 0;
  sdfg::with_deep_stack(
      [&] { status = sdfg::opt_main(arguments, sdfg::Console::standard()); });
  return status;
}
