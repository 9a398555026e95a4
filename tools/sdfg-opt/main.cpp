#include <malloc.h>

#include "tools/common/opt_main.h"

int main(int count, char** words) {
  // Memory that is freed is needed again soon: it is not given back, and comes in large pieces.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
  return sdfg::opt_main(count, words);
}
