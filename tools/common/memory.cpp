// operator new and delete for a tool that runs on one thread for milliseconds: blocks come from
// free lists by size and are never given back to the system. Expressions, strings and graph
// elements are hundreds of thousands of such blocks, and malloc spent a sixth of a run on them. The
// memory is asked for in pages of 2 MiB: taking 4 KiB at a time from the system was another tenth.

#include "tools/common/memory.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

/// Blocks above this size are malloc's.
constexpr std::size_t largest = std::size_t(1) << 26;
// Sizes: 16, 32, … 128, then four to each doubling: 160, 192, 224, 256, 320, ….
constexpr std::size_t class_for(std::size_t size) {
  if (size <= 128) return size == 0 ? 0 : (size - 1) / 16;
  const auto shift = std::size_t(std::bit_width(size - 1)) - 3;  // 4 <= (size - 1) >> shift < 8
  return 8 + 4 * (shift - 5) + ((size - 1) >> shift) - 4;
}
constexpr std::size_t size_of(std::size_t c) {
  return c < 8 ? 16 * (c + 1) : (5 + c % 4) << (c / 4 + 3);
}
constexpr std::size_t classes = class_for(largest) + 1;
static_assert(size_of(classes - 1) == largest);
static_assert(class_for(129) == 8 && size_of(8) == 160 && class_for(161) == 9);
static_assert(class_for(257) == 12 && size_of(12) == 320 && size_of(11) == 256);

constexpr std::size_t chunk_bytes = std::size_t(1) << 14;
constexpr std::size_t most_chunks = std::size_t(1) << 22;  // of address space, used as needed
constexpr std::size_t large_page = std::size_t(1) << 21;

struct Free {
  Free* next;
};

/// All chunks lie in one reservation, so that a block's address tells whose it is and its size. A
/// block larger than a chunk has as many as it needs.
struct Pool {
  std::byte* begin = nullptr;
  std::size_t chunks = 0, used = 0;
  std::uint8_t class_of[most_chunks];

  void reserve() {
    // Under a limit on address space a smaller pool is better than none.
    for (chunks = most_chunks; chunks >= 4096; chunks /= 2) {
      const std::size_t bytes = chunks * chunk_bytes;
      void* memory = mmap(nullptr, bytes + large_page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) continue;
      begin = static_cast<std::byte*>(memory);
      begin += -reinterpret_cast<std::uintptr_t>(begin) % large_page;
      madvise(begin, bytes, MADV_HUGEPAGE);  // where the system has none, small pages do
      return;
    }
    chunks = 0;
  }
};
Pool pool;

std::array<Free*, classes> lists{};
std::byte* fresh[classes];
std::byte* fresh_end[classes];

void* from_malloc(std::size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void* from_new_chunk(std::size_t c) {
  if (!pool.begin) pool.reserve();
  const std::size_t size = size_of(c), taken = (size + chunk_bytes - 1) / chunk_bytes;
  if (pool.chunks - pool.used < taken) return from_malloc(size);
  std::byte* chunk = pool.begin + pool.used * chunk_bytes;
  pool.class_of[pool.used] = std::uint8_t(c);
  pool.used += taken;
  if (taken == 1) {
    fresh[c] = chunk + size;
    fresh_end[c] = chunk + chunk_bytes / size * size;
  }
  return chunk;
}

}  // namespace

std::span<const std::byte> sdfg::memory_in_use() {
  return {pool.begin, pool.used * chunk_bytes};
}

void* operator new(std::size_t size) {
  if (size > largest) [[unlikely]] return from_malloc(size);
  const std::size_t c = class_for(size);
  if (Free* block = lists[c]) {
    lists[c] = block->next;
    return block;
  }
  if (fresh[c] != fresh_end[c]) {
    void* block = fresh[c];
    fresh[c] += size_of(c);
    return block;
  }
  return from_new_chunk(c);
}

void operator delete(void* block) noexcept {
  if (!block) return;
  const auto at =
      reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(pool.begin);
  if (at >= pool.used * chunk_bytes) return std::free(block);
  const std::size_t c = pool.class_of[at / chunk_bytes];
  lists[c] = new (block) Free{lists[c]};
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
