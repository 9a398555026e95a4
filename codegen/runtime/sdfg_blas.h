// Linear algebra in plain loops, for the library nodes of programs.
#pragma once

#include "sdfg_math.h"

namespace sdfg {

template <class T>
struct Matrix {
  T* at;
  int64_t rows, columns, row_stride, column_stride;
  SDFG_BOTH T& operator()(int64_t i, int64_t j) const {
    return at[i * row_stride + j * column_stride];
  }
};

template <class T>
SDFG_BOTH inline T dot(int64_t n, const T* x, int64_t x_stride, const T* y, int64_t y_stride) {
  SumOf<T> sum = T(0);
  for (int64_t i = 0; i < n; ++i) sum += x[i * x_stride] * y[i * y_stride];
  return sum;
}

/// One row of c = alpha * a b + beta * c.
template <class A, class B, class C>
SDFG_BOTH inline void gemm_row(int64_t i, const Matrix<A>& a, const Matrix<B>& b,
                               const Matrix<C>& c, const C& alpha, const C& beta) {
  C* const row = c.at + i * c.row_stride;
  const int64_t step = c.column_stride, b_step = b.column_stride;
  if (c.columns == 1 || !__is_same(C, SumOf<C>)) {  // no elements beside to do meanwhile
    for (int64_t j = 0; j < c.columns; ++j) {
      SumOf<C> sum = C(0);
      for (int64_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, j);
      C& to = row[j * step];
      to = beta == C(0) ? C(alpha * sum) : C(alpha * sum + beta * to);
    }
    return;
  }
  for (int64_t j = 0; j < c.columns; ++j)
    row[j * step] = beta == C(0) ? C(0) : C(beta * row[j * step]);
  for (int64_t k = 0; k < a.columns; ++k) {
    const C factor = alpha * a(i, k);
    B* const from = b.at + k * b.row_stride;
    if (step == 1 && b_step == 1) {
#if !defined(__clang__) && !defined(__CUDACC__)  // neither knows it
#pragma GCC ivdep
#endif
      for (int64_t j = 0; j < c.columns; ++j) row[j] += factor * from[j];
    } else {
      for (int64_t j = 0; j < c.columns; ++j) row[j * step] += factor * from[j * b_step];
    }
  }
}

/// c = alpha * a b + beta * c, where c overlaps neither a nor b.
template <bool parallel, class A, class B, class C>
SDFG_BOTH inline void gemm(const Matrix<A>& a, const Matrix<B>& b, const Matrix<C>& c, C alpha,
                           C beta) {
  if constexpr (parallel) {
#if defined(_OPENMP)
#pragma omp parallel for
#endif
    for (int64_t i = 0; i < c.rows; ++i) gemm_row(i, a, b, c, alpha, beta);
  } else {
    for (int64_t i = 0; i < c.rows; ++i) gemm_row(i, a, b, c, alpha, beta);
  }
}

inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
template <class T>
inline T conjugate(const T& x) {
  return T(x.real(), -x.imag());
}
inline double magnitude(double x) { return sdfg::abs(x); }
inline float magnitude(float x) { return sdfg::abs(x); }
template <class T>
inline auto magnitude(const T& x) {
  return x.real() * x.real() + x.imag() * x.imag();
}

/// b = the triangular Cholesky factor of a; the other triangle of b becomes zero.
template <class T>
inline void cholesky(const Matrix<T>& a, const Matrix<T>& b, bool lower) {
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const T value = lower ? a(i, j) : conjugate(a(j, i));
      if (j <= i) (lower ? b(i, j) : b(j, i)) = value;
    }
  const auto at = [&](int64_t i, int64_t j) -> T& { return lower ? b(i, j) : b(j, i); };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      T sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * conjugate(at(j, k));
      at(i, j) = sum / at(j, j);
    }
    T sum = at(i, i);
    for (int64_t k = 0; k < i; ++k) sum -= at(i, k) * conjugate(at(i, k));
    at(i, i) = sdfg::sqrt(sum);
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) at(i, j) = T(0);
}

/// Solves a x = b for all columns of b, by elimination with row exchanges. x may be b.
template <class T>
inline void solve(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& x) {
  const int64_t n = a.rows, m = b.columns;
  Scratch memory, right;
  T* const lu = memory.get<T>(n * n);
  T* const r = right.get<T>(n * m);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) lu[i * n + j] = a(i, j);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) r[i * m + j] = b(i, j);
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (magnitude(lu[i * n + k]) > magnitude(lu[pivot * n + k])) pivot = i;
    if (pivot != k) {
      for (int64_t j = 0; j < n; ++j) {
        const T swap = lu[k * n + j];
        lu[k * n + j] = lu[pivot * n + j];
        lu[pivot * n + j] = swap;
      }
      for (int64_t j = 0; j < m; ++j) {
        const T swap = r[k * m + j];
        r[k * m + j] = r[pivot * m + j];
        r[pivot * m + j] = swap;
      }
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = lu[i * n + k] / lu[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) lu[i * n + j] -= factor * lu[k * n + j];
      for (int64_t j = 0; j < m; ++j) r[i * m + j] -= factor * r[k * m + j];
    }
  }
  for (int64_t i = n - 1; i >= 0; --i)
    for (int64_t j = 0; j < m; ++j) {
      T sum = r[i * m + j];
      for (int64_t k = i + 1; k < n; ++k) sum -= lu[i * n + k] * r[k * m + j];
      r[i * m + j] = sum / lu[i * n + i];
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) x(i, j) = r[i * m + j];
}

/// b = the inverse of a.
template <class T>
inline void inverse(const Matrix<T>& a, const Matrix<T>& b) {
  const int64_t n = a.rows;
  Scratch memory;
  T* const unit = memory.get<T>(n * n);
  for (int64_t i = 0; i < n * n; ++i) unit[i] = i % (n + 1) == 0 ? T(1) : T(0);
  solve(a, Matrix<T>{unit, n, n, n, 1}, b);
}

}  // namespace sdfg
