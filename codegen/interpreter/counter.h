#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "codegen/counts.h"
#include "ir/data.h"
#include "ir/sdfg.h"

namespace sdfg::interpreter {

struct Container;
class Counter;

/// Who touched each granule of one allocation last. Launches are numbered from 1; asking whether
/// this launch has touched a granule before is one comparison, and beginning a new launch costs
/// nothing.
struct Trace {
  Counter* counter = nullptr;
  std::string name;
  unsigned granule_shift = 0;
  bool argument = false;
  std::vector<std::uint32_t> read, written;  ///< per granule: number of the last launch; 0: none
  std::uint32_t first = 0, last = 0;         ///< launches that touched anything; 0: none yet
  std::uint64_t bytes = 0, largest = 0;      ///< of this allocation; of all in this place
  std::uint64_t moved = 0, needed = 0;       ///< by kernels; by any program with these results
  /// Kernels in the order in which they came, and the last launch of one of them.
  struct Users {
    std::vector<const KernelCounts*> kernels;
    std::uint32_t launch = 0;
  };
  Users readers, writers;

  void note_read(std::int64_t offset, std::int64_t size);
  void note_write(std::int64_t offset, std::int64_t size);

 private:
  void note(Users& users, std::uint64_t bytes_before);
};

/// Counts what a running program does; see ExecutionCounts. Between two kernels the host has a
/// launch number of its own.
class Counter {
 public:
  explicit Counter(bool device) : device_(device) {}

  // While the program is made ready.
  bool is_kernel(Schedule schedule) const;
  bool is_kernel_copy(const Container& from, const Container& to) const;
  /// The address stays.
  KernelCounts* new_kernel(std::string kind, std::string place);
  /// For memory that outlives kernels. Scalars that are passed by value are left out.
  void watch(Container& container, bool argument = false);

  // While it runs.
  void begin(KernelCounts& kernel);
  void end();

  ExecutionCounts finish();

 private:
  friend struct Trace;
  /// One allocation: in use from launch `first` to launch `last`.
  struct Life {
    std::uint32_t first, last;
    std::uint64_t bytes;
  };
  /// The allocation is no longer in use.
  void retire(Trace& trace);
  std::uint64_t peak() const;

  bool device_;
  std::uint32_t launch_ = 1;
  KernelCounts host_;
  KernelCounts* current_ = &host_;
  KernelCounts before_;  ///< the running kernel's counts as they were when it began
  std::deque<KernelCounts> kernels_;
  std::deque<Trace> traces_;
  std::vector<Life> lives_;
  std::uint64_t argument_bytes_read_ = 0, argument_bytes_written_ = 0;
};

/// Does the program name a device?
bool uses_device(const Sdfg& sdfg);

}  // namespace sdfg::interpreter
