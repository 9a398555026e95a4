// Library nodes of the host that work on memory of the device: reductions and products. Plain kernels;
// the vendor's libraries are faster for large matrices.
#pragma once

#include "sdfg_blas.h"
#include "sdfg_gpu.h"

namespace sdfg {
namespace gpu {

/// What a reduction leaves: sizes, and strides on both sides; and what it goes over.
template <int kept, int reduced>
struct Reduction {
  int64_t size[kept + 1], from[kept + 1], to[kept + 1];
  int64_t length[reduced + 1], step[reduced + 1];

  SDFG_BOTH int64_t results() const {
    int64_t n = 1;
    for (int d = 0; d < kept; ++d) n *= size[d] > 0 ? size[d] : 0;
    return n;
  }
  SDFG_BOTH int64_t elements() const {
    int64_t n = 1;
    for (int d = 0; d < reduced; ++d) n *= length[d] > 0 ? length[d] : 0;
    return n;
  }
  SDFG_BOTH int64_t element(int64_t at) const {
    int64_t offset = 0;
    for (int d = reduced - 1; d >= 0; --d) {
      offset += at % length[d] * step[d];
      at /= length[d];
    }
    return offset;
  }
};

constexpr int reduce_threads = 256;

/// Results along y, elements along the threads of one block each (`wide`), or a thread for each result.
/// The order of operations follows from the sizes alone: each thread combines its elements in order,
/// then a fixed tree combines the threads.
template <bool wide, class T, class F, class Op, int kept, int reduced>
__global__ void __launch_bounds__(reduce_threads)
    reduce_box(T* to, const F* from, Reduction<kept, reduced> box, Op op, T begin, bool from_old) {
  const int64_t results = box.results(), elements = box.elements();
  const int64_t first = wide ? int64_t(blockIdx.x) : int64_t(blockIdx.x) * reduce_threads + threadIdx.x;
  if (first >= results) return;
  int64_t rest = first;
  for (int d = kept - 1; d >= 0; --d) {
    from += rest % box.size[d] * box.from[d];
    to += rest % box.size[d] * box.to[d];
    rest /= box.size[d];
  }
  if constexpr (!wide) {
    T result = from_old ? *to : begin;
    for (int64_t i = 0; i < elements; ++i) result = op(result, T(from[box.element(i)]));
    *to = result;
  } else {
    __shared__ T part[reduce_threads];
    const int me = int(threadIdx.x);
    if (me < elements) {
      T result = T(from[box.element(me)]);
      for (int64_t i = me + reduce_threads; i < elements; i += reduce_threads)
        result = op(result, T(from[box.element(i)]));
      part[me] = result;
    }
    for (int half = reduce_threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (me < half && me + half < elements) part[me] = op(part[me], part[me + half]);
    }
    if (me == 0) {
      const T start = from_old ? *to : begin;
      *to = elements > 0 ? op(start, part[0]) : start;
    }
  }
}

/// Reduces into `to`, from `begin` on or from what is there.
template <class T, class F, class Op, int kept, int reduced>
inline void reduce(Context& gpu, T* to, const F* from, Reduction<kept, reduced> box, Op op, bool in_any_order,
                   T begin, bool from_old) {
  const int64_t results = box.results();
  const dim3 block{reduce_threads, 1, 1};
  if (in_any_order && results < 65536 && box.elements() >= 64)
    launch(gpu, "reduce", reduce_box<true, T, F, Op, kept, reduced>, results, 1, 1, block, to, from, box, op, begin,
           from_old);
  else
    launch(gpu, "reduce", reduce_box<false, T, F, Op, kept, reduced>, blocks(results, reduce_threads), 1, 1, block,
           to, from, box, op, begin, from_old);
}

/// One thread for each element of c = alpha * a b + beta * c.
template <class A, class B, class C>
__global__ void __launch_bounds__(256) product(Matrix<A> a, Matrix<B> b, Matrix<C> c, C alpha, C beta) {
  const int64_t at = int64_t(blockIdx.x) * 256 + threadIdx.x;
  if (at >= c.rows * c.columns) return;
  const int64_t i = at / c.columns, j = at % c.columns;
  C sum = C(0);
  for (int64_t k = 0; k < a.columns; ++k) sum += C(a(i, k)) * C(b(k, j));
  c(i, j) = beta == C(0) ? C(alpha * sum) : C(alpha * sum + beta * c(i, j));
}
template <class A, class B, class C>
inline void gemm(Context& gpu, Matrix<A> a, Matrix<B> b, Matrix<C> c, C alpha, C beta) {
  launch(gpu, "product", product<A, B, C>, blocks(c.rows * c.columns, 256), 1, 1, dim3{256, 1, 1}, a, b, c, alpha,
         beta);
}

template <class C, class A, class B>
__global__ void __launch_bounds__(256)
    dot_product(C* to, int64_t n, const A* x, int64_t x_stride, const B* y, int64_t y_stride) {
  C sum = C(0);
  for (int64_t i = threadIdx.x; i < n; i += 256) sum += C(x[i * x_stride]) * C(y[i * y_stride]);
  const C all = reduce_block<256>(sum, Sum{});
  if (threadIdx.x == 0) *to = all;
}
template <class C, class A, class B>
inline void dot(Context& gpu, C* to, int64_t n, const A* x, int64_t x_stride, const B* y, int64_t y_stride) {
  launch(gpu, "dot", dot_product<C, A, B>, 1, 1, 1, dim3{256, 1, 1}, to, n, x, x_stride, y, y_stride);
}

}  // namespace gpu
}  // namespace sdfg
