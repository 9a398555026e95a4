// operator new and delete for a tool that runs on one thread for milliseconds: small blocks come from
// free lists by size and are never given back to the system. Expressions, strings and graph elements
// are hundreds of thousands of such blocks, and malloc spent a sixth of a run on them.

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

/// Blocks above this size are malloc's.
constexpr std::size_t largest = 512;
// Sizes: 16, 32, … 128, then 192, 256, … 512.
constexpr std::size_t classes = 8 + 6;
constexpr std::size_t class_for(std::size_t size) {
  if (size <= 128) return size == 0 ? 0 : (size - 1) / 16;
  return 8 + (size - 129) / 64;
}
constexpr std::size_t size_of(std::size_t c) { return c < 8 ? 16 * (c + 1) : 128 + 64 * (c - 7); }
static_assert(class_for(largest) == classes - 1 && size_of(classes - 1) == largest);
static_assert(class_for(129) == 8 && size_of(8) == 192);

constexpr std::size_t chunk_bytes = std::size_t(1) << 16;
constexpr std::size_t most_chunks = std::size_t(1) << 20;  // of address space, used as needed

struct Free {
  Free* next;
};

/// All chunks lie in one reservation, so that a block's address tells whose it is and its size.
struct Pool {
  std::byte* begin = nullptr;
  std::size_t chunks = 0, used = 0;
  std::uint8_t class_of[most_chunks];

  void reserve() {
    // Under a limit on address space a smaller pool is better than none.
    for (chunks = most_chunks; chunks >= 1024; chunks /= 2) {
      void* memory = mmap(nullptr, chunks * chunk_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) continue;
      begin = static_cast<std::byte*>(memory);
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
  if (pool.used == pool.chunks) return from_malloc(size_of(c));
  std::byte* chunk = pool.begin + pool.used * chunk_bytes;
  pool.class_of[pool.used++] = std::uint8_t(c);
  const std::size_t size = size_of(c);
  fresh[c] = chunk + size;
  fresh_end[c] = chunk + chunk_bytes / size * size;
  return chunk;
}

}  // namespace

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
  const auto at = reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(pool.begin);
  if (at >= pool.used * chunk_bytes) return std::free(block);
  const std::size_t c = pool.class_of[at / chunk_bytes];
  lists[c] = new (block) Free{lists[c]};
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
