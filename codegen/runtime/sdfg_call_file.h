// The file that a program and its caller share: a header, one slot per argument (those of the
// initialization first), then the values. Included by both sides.
#pragma once

#include <stdint.h>

namespace sdfg {
namespace call {

/// What the last of several calls with the same arguments did.
struct Again {
  int64_t launches, allocations, synchronizations, copies, graphs;  ///< -1 where nobody counts
  int64_t different_bytes;  ///< of all calls, from the first one's results
};

constexpr int64_t not_called = -2, not_initialized = -1;

struct Header {
  int64_t status;           ///< not_called, not_initialized, or what the program's exit gave
  int64_t init, arguments;  ///< how many slots
  Again again;
};

/// An array's memory or a value.
struct Slot {
  int64_t at;         ///< bytes from the begin of the file, a multiple of 64; 0: a null pointer
  int64_t bytes;
  int64_t on_device;  ///< to be copied to a GPU's memory; 0: it stays in the host's
};

}  // namespace call
}  // namespace sdfg
