// Library nodes of the host that work on memory of the device: reductions and products as plain
// kernels (the vendor's libraries are faster for large matrices), the rest by the host, on copies.
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
  /// To the first element of a result.
  template <class T, class F>
  SDFG_BOTH void seek(int64_t result, T*& write, F*& read) const {
    for (int d = kept - 1; d >= 0; --d) {
      write += result % size[d] * to[d];
      read += result % size[d] * from[d];
      result /= size[d];
    }
  }
  SDFG_BOTH int64_t element(int64_t at) const {
    if (reduced == 1) return at * step[0];
    int64_t offset = 0;
    for (int d = reduced - 1; d >= 0; --d) {
      offset += at % length[d] * step[d];
      at /= length[d];
    }
    return offset;
  }
};

constexpr int reduce_threads = 256;

/// A thread for each result: the elements in order.
template <class T, class F, class Op, class Into, int kept, int reduced>
__global__ void __launch_bounds__(reduce_threads)
    reduce_thread(T* to, const F* from, Reduction<kept, reduced> box, Op op, Into into, T begin,
                  bool from_old) {
  const int64_t result = int64_t(blockIdx.x) * reduce_threads + threadIdx.x,
                elements = box.elements();
  if (result >= box.results()) return;
  box.seek(result, to, from);
  T value = from_old ? *to : begin;
  for (int64_t i = 0; i < elements; ++i) value = op(value, T(from[box.element(i)]));
  *to = into(*to, value);
}

/// `parts` blocks for each result, along x and y: each thread combines its elements in order, then
/// a fixed tree combines the threads, so that the order of operations follows from the sizes alone.
/// Of several parts each leaves its own value in `to`.
template <class T, class F, class Op, class Into, int kept, int reduced>
__global__ void __launch_bounds__(reduce_threads)
    reduce_blocks(T* to, const F* from, Reduction<kept, reduced> box, Op op, Into into, T begin,
                  bool from_old) {
  __shared__ T part[reduce_threads];
  const int64_t result = blockIdx.x, elements = box.elements();
  const int me = int(threadIdx.x), parts = int(gridDim.y);
  T* const own = to + result * parts + blockIdx.y;
  box.seek(result, to, from);
  const int64_t first = int64_t(blockIdx.y) * reduce_threads + me,
                step = int64_t(parts) * reduce_threads;
  if (first < elements) {
    T value = T(from[box.element(first)]);
    for (int64_t i = first + step; i < elements; i += step)
      value = op(value, T(from[box.element(i)]));
    part[me] = value;
  }
  for (int half = reduce_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me < half && first + half < elements) part[me] = op(part[me], part[me + half]);
  }
  if (me != 0) return;
  if (parts > 1) {
    *own = part[0];
  } else {
    const T start = from_old ? *to : begin;
    *to = into(*to, elements > 0 ? op(start, part[0]) : start);
  }
}

/// Blocks for each of `results`, of the sizes alone: every thread has elements, and the device is
/// full.
inline int64_t reduce_parts(int64_t results, int64_t elements) {
  const int64_t wanted = 2048 / (results > 0 ? results : 1),
                most = elements / (16 * reduce_threads);
  const int64_t parts = wanted < most ? wanted : most;
  return parts > 1 ? parts : 1;
}

/// Reduces from `begin` on, or from what is in `to`; `into` combines what is there with the result.
template <class T, class F, class Op, class Into, int kept, int reduced>
inline void reduce(Context& gpu, Arena& memory, T* to, const F* from, Reduction<kept, reduced> box,
                   Op op, Into into, bool in_any_order, T begin, bool from_old) {
  const int64_t results = box.results(), elements = box.elements();
  const dim3 block{reduce_threads, 1, 1};
  bool across = false;  // neighbouring results read neighbouring elements
  for (int d = 0; d < kept; ++d) across |= box.from[d] == 1 && results >= 8192;
  if (!in_any_order || across || results >= 65536 || elements < 64)
    return launch(gpu, "reduce", reduce_thread<T, F, Op, Into, kept, reduced>,
                  blocks(results, reduce_threads), 1, 1, block, to, from, box, op, into, begin,
                  from_old);
  const int64_t parts = reduce_parts(results, elements);
  if (parts == 1)
    return launch(gpu, "reduce", reduce_blocks<T, F, Op, Into, kept, reduced>, results, 1, 1, block,
                  to, from, box, op, into, begin, from_old);
  T* const partial = reinterpret_cast<T*>(memory.reserve(gpu, size_t(results * parts) * sizeof(T)));
  if (!partial) return;
  launch(gpu, "reduce", reduce_blocks<T, F, Op, Into, kept, reduced>, results, parts, 1, block,
         partial, from, box, op, into, begin, from_old);
  Reduction<kept, 1> rest{};
  int64_t rows = parts;
  for (int d = kept - 1; d >= 0; --d) {
    rest.size[d] = box.size[d];
    rest.to[d] = box.to[d];
    rest.from[d] = rows;
    rows *= box.size[d];
  }
  rest.length[0] = parts;
  rest.step[0] = 1;
  launch(gpu, "reduce", reduce_blocks<T, T, Op, Into, kept, 1>, results, 1, 1, block, to,
         static_cast<const T*>(partial), rest, op, into, begin, from_old);
}

/// One thread for each element of c = alpha * a b + beta * c.
template <class A, class B, class C>
__global__ void __launch_bounds__(256)
    product(Matrix<A> a, Matrix<B> b, Matrix<C> c, C alpha, C beta) {
  const int64_t at = int64_t(blockIdx.x) * 256 + threadIdx.x;
  if (at >= c.rows * c.columns) return;
  const int64_t i = at / c.columns, j = at % c.columns;
  SumOf<C> sum = C(0);
  for (int64_t k = 0; k < a.columns; ++k) sum += C(a(i, k)) * C(b(k, j));
  c(i, j) = beta == C(0) ? C(alpha * sum) : C(alpha * sum + beta * c(i, j));
}
template <class A, class B, class C>
inline void gemm(Context& gpu, Matrix<A> a, Matrix<B> b, Matrix<C> c, C alpha, C beta) {
  launch(gpu, "product", product<A, B, C>, blocks(c.rows * c.columns, 256), 1, 1, dim3{256, 1, 1},
         a, b, c, alpha, beta);
}

/// The sum of a block's share of the products.
template <class C, class A, class B>
__global__ void __launch_bounds__(reduce_threads)
    dot_blocks(C* to, int64_t n, const A* x, int64_t x_stride, const B* y, int64_t y_stride) {
  SumOf<C> sum = C(0);
  for (int64_t i = int64_t(blockIdx.x) * reduce_threads + threadIdx.x; i < n;
       i += int64_t(gridDim.x) * reduce_threads)
    sum += C(x[i * x_stride]) * C(y[i * y_stride]);
  const SumOf<C> all = reduce_block<reduce_threads>(sum, Sum{});
  if (threadIdx.x == 0) to[blockIdx.x] = C(all);
}
template <class C, class A, class B>
inline void dot(Context& gpu, Arena& memory, C* to, int64_t n, const A* x, int64_t x_stride,
                const B* y, int64_t y_stride) {
  const int64_t parts = reduce_parts(1, n);
  const dim3 block{reduce_threads, 1, 1};
  C* const partial =
      parts > 1 ? reinterpret_cast<C*>(memory.reserve(gpu, size_t(parts) * sizeof(C))) : to;
  if (!partial) return;
  launch(gpu, "dot", dot_blocks<C, A, B>, parts, 1, 1, block, partial, n, x, x_stride, y, y_stride);
  if (parts > 1)
    launch(gpu, "dot", reduce_blocks<C, C, Sum, Exchange, 0, 1>, 1, 1, 1, block, to,
           static_cast<const C*>(partial), Reduction<0, 1>{{}, {}, {}, {parts}, {1}}, Sum{},
           Exchange{}, C(0), false);
}

// ---- Operations that only the host has code for.

/// Elements of the device, on the host as long as this lives: the host waits for them, and what it
/// changes goes back.
template <class T>
struct HostCopy {
  Context& gpu;
  T* const there;
  const int64_t count;
  const bool changes;
  T* const data;

  HostCopy(Context& on, T* elements, int64_t n, bool writes)
      : gpu(on),
        there(elements),
        count(n > 0 ? n : 0),
        changes(writes),
        data(new T[size_t(count)]) {
    copy<T>(gpu, data, there, count);
    wait(gpu);
  }
  HostCopy(const HostCopy&) = delete;
  ~HostCopy() {
    if (changes) copy<T>(gpu, there, data, count);
    wait(gpu);
    delete[] data;
  }
};

}  // namespace gpu
}  // namespace sdfg
