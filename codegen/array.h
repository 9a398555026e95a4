#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/type.h"
#include "support/result.h"

namespace sdfg {

/// Values of one container in NumPy's sense. Strides in elements, possibly not C order; an empty
/// shape is a scalar. `bytes` holds the whole strided extent; element (i0, …) starts at
/// sum(i_d * strides_d) * size of the type.
struct NdArray {
  Type type;
  std::vector<std::int64_t> shape, strides;
  std::vector<std::byte> bytes;

  std::size_t count() const;
  static NdArray zeros(Type type, std::vector<std::int64_t> shape);  ///< C order
};
using NamedArrays = std::map<std::string, NdArray, std::less<>>;

/// NumPy .npz (zip of .npy, stored or deflated) in and out. Fortran order becomes strides; integer,
/// float, complex and bool types of native endianness.
Result<NamedArrays> read_npz(const std::string& bytes);
std::string write_npz(const NamedArrays& arrays);

}  // namespace sdfg
