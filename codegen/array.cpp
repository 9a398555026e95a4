#include "codegen/array.h"

#include "support/assert.h"

namespace sdfg {

std::size_t NdArray::count() const {
  std::size_t n = 1;
  for (std::int64_t extent : shape) n *= std::size_t(extent);
  return n;
}

NdArray NdArray::zeros(Type type, std::vector<std::int64_t> shape) {
  NdArray array;
  const auto size = type.bytes();
  SDFG_ASSERT(size) << "no array can hold values of type " << type.text();
  array.type = std::move(type);
  array.strides.assign(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    array.strides[d - 1] = array.strides[d] * shape[d];
  array.shape = std::move(shape);
  array.bytes.resize(array.count() * std::size_t(*size));
  return array;
}

}  // namespace sdfg
