// All names that C++ tasklets and a program's own C++ code may rely on: those of sdfg_names.h, the
// C++ library's, complex numbers, and the three LAPACK routines that DaCe's expansions call.
#pragma once

#include <algorithm>
#include <chrono>

#include "sdfg_complex.h"

#include "sdfg_names.h"

namespace dace {
using ::sdfg::complex128;
using ::sdfg::complex64;
}  // namespace dace

#ifndef LAPACK_ROW_MAJOR
#define LAPACK_ROW_MAJOR 101
#define LAPACK_COL_MAJOR 102
using lapack_int = int32_t;
using lapack_complex_float = sdfg::complex64;
using lapack_complex_double = sdfg::complex128;

namespace sdfg {
template <class T>
Matrix<T> lapack_matrix(int layout, T* at, int64_t rows, int64_t columns, int64_t leading) {
  const bool by_row = layout == LAPACK_ROW_MAJOR;
  return {at, rows, columns, by_row ? leading : 1, by_row ? 1 : leading};
}
/// Cholesky factor in place; the other triangle stays as it is.
template <class T>
int potrf(int layout, char part, int64_t n, T* at, int64_t leading) {
  const Matrix<T> a = lapack_matrix(layout, at, n, n, leading);
  const bool lower = part == 'L' || part == 'l';
  const auto l = [&](int64_t i, int64_t j) -> T& { return lower ? a(i, j) : a(j, i); };
  for (int64_t j = 0; j < n; ++j) {
    T sum = l(j, j);
    for (int64_t k = 0; k < j; ++k) sum -= l(j, k) * conjugate(l(j, k));
    if (!(sdfg::real(sum) > 0)) return int(j + 1);
    l(j, j) = sdfg::sqrt(sum);
    for (int64_t i = j + 1; i < n; ++i) {
      T rest = l(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= l(i, k) * conjugate(l(j, k));
      l(i, j) = rest / l(j, j);
    }
  }
  return 0;
}
/// LU factors in place with row exchanges; pivots count from 1.
template <class T>
int getrf(int layout, int64_t rows, int64_t columns, T* at, int64_t leading, int32_t* pivots) {
  const Matrix<T> a = lapack_matrix(layout, at, rows, columns, leading);
  int info = 0;
  for (int64_t k = 0; k < (rows < columns ? rows : columns); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < rows; ++i)
      if (magnitude(a(i, k)) > magnitude(a(pivot, k))) pivot = i;
    pivots[k] = int32_t(pivot + 1);
    if (magnitude(a(pivot, k)) == 0) {
      if (!info) info = int(k + 1);
      continue;
    }
    if (pivot != k)
      for (int64_t j = 0; j < columns; ++j) std::swap(a(k, j), a(pivot, j));
    for (int64_t i = k + 1; i < rows; ++i) {
      a(i, k) /= a(k, k);
      for (int64_t j = k + 1; j < columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return info;
}
/// Solves with those factors, in place.
template <class T>
int getrs(int layout, char transposed, int64_t n, int64_t columns, const T* factors,
          int64_t leading, const int32_t* pivots, T* at, int64_t right_leading) {
  if (transposed != 'N' && transposed != 'n') return -2;
  const Matrix<T> lu = lapack_matrix(layout, const_cast<T*>(factors), n, n, leading);
  const Matrix<T> b = lapack_matrix(layout, at, n, columns, right_leading);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t j = 0; j < columns; ++j) std::swap(b(k, j), b(pivots[k] - 1, j));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < i; ++k)
      for (int64_t j = 0; j < columns; ++j) b(i, j) -= lu(i, k) * b(k, j);
  for (int64_t i = n - 1; i >= 0; --i)
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = i + 1; k < n; ++k) b(i, j) -= lu(i, k) * b(k, j);
      b(i, j) /= lu(i, i);
    }
  return 0;
}
}  // namespace sdfg

#define SDFG_LAPACK(letter, T)                                                                   \
  inline int LAPACKE_##letter##potrf(int layout, char part, int64_t n, T* a, int64_t leading) {  \
    return sdfg::potrf(layout, part, n, a, leading);                                             \
  }                                                                                              \
  inline int LAPACKE_##letter##getrf(int layout, int64_t rows, int64_t columns, T* a,            \
                                     int64_t leading, int32_t* pivots) {                         \
    return sdfg::getrf(layout, rows, columns, a, leading, pivots);                               \
  }                                                                                              \
  inline int LAPACKE_##letter##getrs(int layout, char transposed, int64_t n, int64_t columns,    \
                                     const T* a, int64_t leading, const int32_t* pivots, T* b,   \
                                     int64_t right_leading) {                                    \
    return sdfg::getrs(layout, transposed, n, columns, a, leading, pivots, b, right_leading);    \
  }
SDFG_LAPACK(s, float)
SDFG_LAPACK(d, double)
SDFG_LAPACK(c, sdfg::complex64)
SDFG_LAPACK(z, sdfg::complex128)
#undef SDFG_LAPACK
#endif
