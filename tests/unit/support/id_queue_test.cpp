#include "support/id_queue.h"

#include <set>

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(IdQueue, GivesTheSmallestFirst) {
  for (const std::size_t bound : {1, 64, 65, 4096, 4097, 300'000}) {
    IdQueue queue(bound);
    std::set<std::size_t> expected;
    std::size_t id = 1;
    for (int step = 0; step < 3000; ++step) {
      id = (id * 48271 + 11) % 2147483647;
      if (step % 3 != 2) {
        queue.push(id % bound);
        expected.insert(id % bound);
        continue;
      }
      ASSERT_EQ(queue.empty(), expected.empty());
      if (expected.empty()) continue;
      EXPECT_EQ(queue.pop(), *expected.begin());
      expected.erase(expected.begin());
    }
  }
}

TEST(IdQueue, GrowsWithWhatIsInIt) {
  for (const std::size_t first : {0, 1, 64, 65, 4096}) {
    IdQueue queue(first);
    if (first) queue.push(first - 1);
    std::size_t bound = first;
    for (std::size_t next : {first + 1, first + 64, 5000 + first, std::size_t(300'000)}) {
      queue.grow(next);
      queue.push(next - 1);
      if (bound) {
        EXPECT_EQ(queue.pop(), bound - 1);
      }
      bound = next;
    }
    EXPECT_EQ(queue.pop(), bound - 1);
    EXPECT_TRUE(queue.empty());
  }
}

TEST(IdQueue, OfNothingIsEmpty) { EXPECT_TRUE(IdQueue(0).empty()); }

}  // namespace
}  // namespace sdfg
