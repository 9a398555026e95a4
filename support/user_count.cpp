#include "support/user_count.h"

namespace sdfg {

std::int32_t UserCount::change_shared(std::int32_t by) {
  return count_.fetch_add(by, std::memory_order_acq_rel);
}

}  // namespace sdfg
