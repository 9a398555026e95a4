#pragma once

#include <cstddef>
#include <span>

namespace sdfg {

/// What the tools' own operator new (memory.cpp) has handed out so far, freed blocks included;
/// blocks of more than 64 MiB are elsewhere. For benchmarks.
std::span<const std::byte> memory_in_use();

}  // namespace sdfg
