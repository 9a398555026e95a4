#include "tools/common/reduce_main.h"

int main(int count, char** words) { return sdfg::reduce_main(count, words); }
