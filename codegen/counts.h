#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sdfg {

/// What one place of a program moved while the program ran.
///
/// A *kernel* is what a device would be given to run: an outermost map or consume scope (wherever
/// it is: in loops, branches and nested SDFGs), a copy between access nodes, a library node outside
/// of scopes. In a program that names a device (some scope has a GPU schedule or some container GPU
/// storage), scopes of the host and copies between containers of the host are none; in any other
/// program, copies between scalars are none. What runs without a point or an element is not
/// launched.
///
/// *Bytes* are those of the distinct elements, per launch, that the kernel touches in memory that
/// outlives the kernel: each counts once if read, and once if written. Elements of a gather are
/// those really looked up. Scalars outside of GPU memory do not count: kernels get them by value.
struct KernelCounts {
  std::string place;
  std::string kind;  ///< "map", "consume", "copy", or the class of a library node
  std::uint64_t launches = 0;
  std::uint64_t points = 0;  ///< of maps, over all launches
  std::uint64_t bytes_read = 0, bytes_written = 0;

  std::uint64_t bytes() const { return bytes_read + bytes_written; }
};

/// What kernels moved of one container that outlives them.
struct ContainerCounts {
  std::string name;
  bool argument = false;
  std::uint64_t bytes = 0;                    ///< read and written by kernels
  std::uint64_t needed = 0;                   ///< its part of the lower bound; 0 of a transient
  std::vector<std::string> writers, readers;  ///< places of kernels, as they began to

  std::uint64_t excess() const { return bytes > needed ? bytes - needed : 0; }
};

/// Of one run.
struct ExecutionCounts {
  std::vector<KernelCounts> kernels;  ///< those launched, in the order of the program's text
  /// What keeps the bytes above the lower bound: containers with an excess, the largest first.
  std::vector<ContainerCounts> containers;
  /// Outside of kernels: tasklets, conditions, ranges, copies of the host; distinct elements
  /// between two kernels.
  std::uint64_t host_bytes_read = 0, host_bytes_written = 0;

  /// Elements of arguments that some read sees before the program has written them, and elements of
  /// arguments that it writes, times their size. No program with these results that looks at the
  /// same elements moves fewer bytes: their sum is its lower bound.
  std::uint64_t argument_bytes_read = 0, argument_bytes_written = 0;

  /// Memory of transients that outlives kernels: all of it, each container at its largest; and the
  /// most that is in use at one time, from the first to the last access of each allocation.
  std::uint64_t transient_bytes = 0, peak_transient_bytes = 0;

  std::uint64_t launches() const;
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_written() const;
  std::uint64_t bytes() const { return bytes_read() + bytes_written(); }
  std::uint64_t lower_bound() const { return argument_bytes_read + argument_bytes_written; }
};

}  // namespace sdfg
