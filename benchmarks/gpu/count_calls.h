// Calls of CUDA's runtime that launch, allocate or wait, counted. A program that links
// count_calls.cpp (with --export-dynamic, and the runtime as a shared library) defines these
// functions, so that those of libraries it loads come there: they are counted and then go on to the
// runtime.
#pragma once

struct Counts {
  long launches = 0, graphs = 0, recordings = 0, allocations = 0, frees = 0, waits = 0, copies = 0;
};
extern Counts counts;

/// False: calls only succeed. That tests the counting where there is no GPU, and what is left of
/// the time is the caller's own.
extern bool counted_calls_reach_the_device;
