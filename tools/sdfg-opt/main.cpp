#include <string>
#include <vector>

#include "support/deep_stack.h"
#include "tools/common/opt_main.h"

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  int status = 0;
  sdfg::with_deep_stack(
      [&] { status = sdfg::opt_main(arguments, sdfg::Console::standard()); });
  return status;
}
