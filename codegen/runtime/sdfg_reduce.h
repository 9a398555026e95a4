// Write-conflict resolution: updates of one element, plain or safe against other threads.
#pragma once

#include "sdfg_runtime.h"

namespace sdfg {

#define SDFG_OPERATION(name, result)                    \
  struct name {                                         \
    template <class T>                                  \
    SDFG_BOTH SDFG_INLINE T operator()(const T& a, const T& b) const { \
      return result;                                    \
    }                                                   \
  };
SDFG_OPERATION(Sum, T(a + b))
SDFG_OPERATION(Product, T(a * b))
SDFG_OPERATION(Min, a < b ? a : b)
SDFG_OPERATION(Max, a > b ? a : b)
SDFG_OPERATION(LogicalAnd, T(a && b))
SDFG_OPERATION(LogicalOr, T(a || b))
SDFG_OPERATION(LogicalXor, T((a != T(0)) != (b != T(0))))
SDFG_OPERATION(BitAnd, T(a & b))
SDFG_OPERATION(BitOr, T(a | b))
SDFG_OPERATION(BitXor, T(a ^ b))
SDFG_OPERATION(Sub, T(a - b))
SDFG_OPERATION(Div, T(a / b))
SDFG_OPERATION(Exchange, b)
#undef SDFG_OPERATION

template <class T, class Op>
SDFG_BOTH SDFG_INLINE void update(T* at, const T& value, Op op) {
  *at = op(*at, value);
}

/// One critical section for what is too wide to be exchanged at once.
struct SpinLock {
  bool taken = false;
  void lock() {
    while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE)) {
    }
  }
  void unlock() { __atomic_clear(&taken, __ATOMIC_RELEASE); }
};
inline SpinLock wide_update_lock;

#if !defined(SDFG_GPU_PROGRAM)
template <class T, class Op>
inline void update_atomic(T* at, const T& value, Op op) {
  if constexpr (sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0) {
    T seen, next;
    __atomic_load(at, &seen, __ATOMIC_RELAXED);
    do {
      next = op(seen, value);
    } while (
        !__atomic_compare_exchange(at, &seen, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  } else {
    wide_update_lock.lock();
    *at = op(*at, value);
    wide_update_lock.unlock();
  }
}
#endif  // of the CPU; sdfg_gpu.h has its own

}  // namespace sdfg
