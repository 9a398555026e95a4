#include "ir/type.h"

#include <array>
#include <charconv>

#include "support/assert.h"

namespace sdfg {
namespace {

struct ScalarInfo {
  BaseType base;
  std::string_view name;
  int bytes;
};
constexpr std::array scalars{
    ScalarInfo{BaseType::Bool, "bool", 1},         ScalarInfo{BaseType::Int8, "int8", 1},
    ScalarInfo{BaseType::Int16, "int16", 2},       ScalarInfo{BaseType::Int32, "int32", 4},
    ScalarInfo{BaseType::Int64, "int64", 8},       ScalarInfo{BaseType::UInt8, "uint8", 1},
    ScalarInfo{BaseType::UInt16, "uint16", 2},     ScalarInfo{BaseType::UInt32, "uint32", 4},
    ScalarInfo{BaseType::UInt64, "uint64", 8},     ScalarInfo{BaseType::BFloat16, "bfloat16", 2},
    ScalarInfo{BaseType::Float8E4M3, "float8_e4m3fn", 1},
    ScalarInfo{BaseType::Float8E5M2, "float8_e5m2", 1},
    ScalarInfo{BaseType::Float16, "float16", 2},   ScalarInfo{BaseType::Float32, "float32", 4},
    ScalarInfo{BaseType::Float64, "float64", 8},   ScalarInfo{BaseType::Complex64, "complex64", 8},
    ScalarInfo{BaseType::Complex128, "complex128", 16}, ScalarInfo{BaseType::String, "string", 8},
};
const ScalarInfo* info(BaseType base) {
  for (const ScalarInfo& s : scalars)
    if (s.base == base) return &s;
  return nullptr;
}

}  // namespace

Type Type::pointer(Type to) {
  Type t(BaseType::Pointer);
  t.compound_ = std::make_shared<CompoundType>(CompoundType{.element = std::move(to)});
  return t;
}
Type Type::vector(Type element, std::string length) {
  Type t(BaseType::Vector);
  t.compound_ = std::make_shared<CompoundType>(
      CompoundType{.element = std::move(element), .length = std::move(length)});
  return t;
}
Type Type::opaque(std::string ctype) {
  Type t(BaseType::Opaque);
  t.compound_ = std::make_shared<CompoundType>(CompoundType{.name = std::move(ctype)});
  return t;
}
Type Type::structure(std::string name, std::vector<std::pair<std::string, Type>> members,
                     std::vector<std::pair<std::string, std::string>> lengths, std::int64_t bytes) {
  Type t(BaseType::Struct);
  t.compound_ = std::make_shared<CompoundType>(CompoundType{.name = std::move(name),
                                                            .members = std::move(members),
                                                            .lengths = std::move(lengths),
                                                            .bytes = bytes});
  return t;
}
Type Type::callback(std::vector<std::string> arguments, std::vector<std::string> results) {
  Type t(BaseType::Callback);
  t.compound_ = std::make_shared<CompoundType>(
      CompoundType{.arguments = std::move(arguments), .results = std::move(results)});
  return t;
}
Type Type::named(std::string name) {
  Type t(BaseType::Named);
  t.compound_ = std::make_shared<CompoundType>(CompoundType{.name = std::move(name)});
  return t;
}

const CompoundType& Type::compound() const {
  SDFG_ASSERT(compound_ != nullptr) << "a scalar type has no parts";
  return *compound_;
}

Type Type::element() const {
  if (base_ == BaseType::Pointer || base_ == BaseType::Vector) return compound_->element;
  return *this;
}

std::optional<std::int64_t> Type::bytes() const {
  if (const ScalarInfo* s = info(base_)) return s->bytes;
  switch (base_) {
    case BaseType::Pointer:
    case BaseType::Callback: return 8;
    case BaseType::Struct: return compound_->bytes;
    case BaseType::Vector: {
      std::int64_t n = 0;
      const std::string& text = compound_->length;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
      const auto each = compound_->element.bytes();
      if (error != std::errc() || end != text.data() + text.size() || !each || n <= 0) return {};
      return n * *each;
    }
    default: return std::nullopt;
  }
}

std::string Type::text() const {
  if (const ScalarInfo* s = info(base_)) return std::string(s->name);
  switch (base_) {
    case BaseType::Pointer:
      return "pointer(" + (compound_->element.known() ? compound_->element.text() : "void") + ")";
    case BaseType::Vector:
      return "vector(" + compound_->element.text() + ", " + compound_->length + ")";
    case BaseType::Opaque: return "opaque(" + compound_->name + ")";
    case BaseType::Struct: return "struct(" + compound_->name + ")";
    case BaseType::Callback: return "callback";
    case BaseType::Named: return compound_->name;
    default: return "unknown";
  }
}

std::optional<Type> Type::scalar_from_text(std::string_view name) {
  if (name == "bool_") return Type(BaseType::Bool);
  for (const ScalarInfo& s : scalars)
    if (s.name == name) return Type(s.base);
  return std::nullopt;
}

bool operator==(const Type& a, const Type& b) {
  if (a.base_ != b.base_) return false;
  if (a.compound_ == b.compound_) return true;
  return a.compound_ && b.compound_ && *a.compound_ == *b.compound_;
}

bool holds(const Type& integer, std::int64_t number) {
  const std::int64_t bits = 8 * integer.bytes().value_or(8);
  if (bits == 64) return integer.is_signed_integer() || number >= 0;
  const std::int64_t end = std::int64_t(1) << (integer.is_signed_integer() ? bits - 1 : bits);
  return number < end && number >= (integer.is_signed_integer() ? -end : 0);
}

Type result_type(const Type& a, const Type& b) {
  if (a == b || !b.known()) return a;
  if (!a.known()) return b;
  const bool vector_a = a.base() == BaseType::Vector, vector_b = b.base() == BaseType::Vector;
  if (vector_a && vector_b) {
    const std::string &n = a.compound().length, &m = b.compound().length;
    if (n == m) return Type::vector(result_type(a.element(), b.element()), n);
    return a.bytes().value_or(0) > b.bytes().value_or(0) ? a : b;
  }
  if (vector_a) return a;
  if (vector_b) return b;
  // bool counts as an integer of one byte.
  const auto whole = [](const Type& t) { return t.is_integer() || t.is_bool(); };
  const std::int64_t size_a = a.bytes().value_or(0), size_b = b.bytes().value_or(0);
  if (whole(a) && whole(b)) {
    if (size_a != size_b) return size_a > size_b ? a : b;
    return a.is_integer() && !a.is_signed_integer() ? a : b;
  }
  if (whole(a)) return b;
  if (whole(b)) return a;
  return size_a > size_b ? a : b;
}

}  // namespace sdfg
