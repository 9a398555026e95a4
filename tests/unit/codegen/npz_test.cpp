#include <gtest/gtest.h>

#include <cstring>

#include "codegen/array.h"

namespace sdfg {
namespace {

NdArray numbers(std::vector<std::int64_t> shape) {
  NdArray array = NdArray::zeros(BaseType::Float64, std::move(shape));
  for (std::size_t i = 0; i < array.count(); ++i) {
    const double value = double(i) + 0.5;
    std::memcpy(array.bytes.data() + 8 * i, &value, 8);
  }
  return array;
}

double element(const NdArray& array, std::int64_t i, std::int64_t j) {
  double value;
  std::memcpy(&value, array.bytes.data() + 8 * (i * array.strides[0] + j * array.strides[1]), 8);
  return value;
}

TEST(Npz, ArraysComeBackAsTheyWere) {
  NamedArrays arrays;
  arrays["in:a"] = numbers({2, 3});
  arrays["scalar"] = numbers({});
  arrays["empty"] = numbers({0, 4});
  arrays["flags"] = NdArray::zeros(BaseType::Bool, {3});
  arrays["z"] = NdArray::zeros(BaseType::Complex128, {2});
  const auto read = read_npz(write_npz(arrays));
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), arrays.size());
  for (const auto& [name, array] : arrays) {
    EXPECT_TRUE(read->at(name).type == array.type) << name;
    EXPECT_EQ(read->at(name).shape, array.shape) << name;
    EXPECT_EQ(read->at(name).bytes, array.bytes) << name;
  }
}

TEST(Npz, FortranOrderBecomesStrides) {
  NdArray array = numbers({2, 3});
  array.strides = {1, 2};
  const auto read = read_npz(write_npz({{"a", array}}));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->at("a").strides, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(element(read->at("a"), 1, 2), element(array, 1, 2));
}

TEST(Npz, AnyStridesAreWrittenDense) {
  NdArray array = numbers({4, 3});
  array.shape = {2, 3};
  array.strides = {6, 1};  // every other row
  const auto read = read_npz(write_npz({{"a", array}}));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(element(read->at("a"), 1, 2), 8.5);
}

TEST(Npz, DamageIsAnErrorThatNamesTheEntry) {
  const std::string good = write_npz({{"a", numbers({2, 3})}});
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_npz(good.substr(0, size))) << size;
  std::string flipped = good;
  flipped[200] = char(flipped[200] ^ 1);
  const auto read = read_npz(flipped);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(),
            "entry 'a': not a readable .npz file: its checksum is wrong; expected a zip archive of "
            ".npy files as numpy.savez writes it");
}

}  // namespace
}  // namespace sdfg
