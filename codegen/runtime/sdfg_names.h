// The names that C++ tasklets and a program's own C++ code may rely on, but for those that take
// long to compile (sdfg_compat.h): the C library, DaCe's type names and functions, and clocks.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>  // <chrono> without its calendars, which cost a third of a second
#else
#include <chrono>
#endif

#include "sdfg_blas.h"
#include "sdfg_reduce.h"
#include "sdfg_stream.h"

#define DACE_EXPORTED SDFG_EXPORT
#define DACE_HDFI inline
#define DACE_DFI inline
#define DACE_ALIGN(n) alignas(n)
#define __DACE_UNROLL

namespace dace {
namespace math = ::sdfg;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;
using uint = unsigned;
using float32 = float;
using float64 = double;
using ::sdfg::Stream;
template <class T, int n>
using vec = ::sdfg::vec<T, n>;
}  // namespace dace
