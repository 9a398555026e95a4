#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sdfg {

/// What a type is at the top: a scalar, or which of the compound kinds.
enum class BaseType : std::uint8_t {
  Unknown,  ///< to be inferred: JSON null, the usual type of an untyped connector
  Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64,
  BFloat16, Float8E4M3, Float8E5M2, Float16, Float32, Float64, Complex64, Complex128,
  String, Pointer, Vector, Opaque, Struct, Callback,
  Named  ///< another name of DaCe's type module (MPI_Request, uintp), kept as a name
};

struct CompoundType;

/// A data type (DaCe's dtype). A small value: compound kinds share their immutable parts.
class Type {
 public:
  Type() = default;
  Type(BaseType scalar) : base_(scalar) {}

  static Type pointer(Type to);
  static Type vector(Type element, std::string length);
  static Type opaque(std::string ctype);
  static Type structure(std::string name, std::vector<std::pair<std::string, Type>> members,
                        std::vector<std::pair<std::string, std::string>> lengths,
                        std::int64_t bytes);
  /// Arguments and results as JSON texts: each is a type or a whole data descriptor.
  static Type callback(std::vector<std::string> arguments, std::vector<std::string> results);
  static Type named(std::string name);

  BaseType base() const { return base_; }
  bool known() const { return base_ != BaseType::Unknown; }
  bool is_pointer() const { return base_ == BaseType::Pointer; }
  bool is_integer() const { return base_ >= BaseType::Int8 && base_ <= BaseType::UInt64; }
  bool is_signed_integer() const { return base_ >= BaseType::Int8 && base_ <= BaseType::Int64; }
  bool is_float() const { return base_ >= BaseType::BFloat16 && base_ <= BaseType::Float64; }
  bool is_complex() const {
    return base_ == BaseType::Complex64 || base_ == BaseType::Complex128;
  }
  bool is_bool() const { return base_ == BaseType::Bool; }
  /// A number or a bool: something with arithmetic.
  bool is_scalar() const { return base_ >= BaseType::Bool && base_ <= BaseType::Complex128; }

  /// The parts of a compound type; asserts on a scalar.
  const CompoundType& compound() const;
  /// The pointed-to or vector element type; the type itself otherwise.
  Type element() const;
  /// Bytes of one value; pointers count 8, a vector needs a constant length. Nothing when unknown.
  std::optional<std::int64_t> bytes() const;
  /// DaCe's name for a scalar ("float64"), or a readable form: "pointer(float64)".
  std::string text() const;
  /// Inverse of text() for scalars, also "bool_"; nothing for other words.
  static std::optional<Type> scalar_from_text(std::string_view name);

  friend bool operator==(const Type& a, const Type& b);

 private:
  BaseType base_ = BaseType::Unknown;
  std::shared_ptr<const CompoundType> compound_;
};

struct CompoundType {
  std::string name;     ///< Opaque: C type; Struct, Named: name
  Type element;         ///< Pointer (Unknown means void*), Vector
  std::string length;   ///< Vector: an expression in the PLAIN dialect, in every file
  std::vector<std::pair<std::string, Type>> members;         ///< Struct, in order
  std::vector<std::pair<std::string, std::string>> lengths;  ///< Struct: extents of pointer members
  std::int64_t bytes = 0;                                    ///< Struct: sum of member sizes
  std::vector<std::string> arguments, results;               ///< Callback, JSON texts
  bool operator==(const CompoundType&) const = default;
};

/// Is the number one of those that an integer type has?
bool holds(const Type& integer, std::int64_t number);

/// The type of an operation on two operands, by DaCe's rule (result_type_of in dtypes.py): equal
/// types stay; an unknown type loses; integers: the larger wins, of equal sizes the unsigned left
/// one, else the right; integer with float: the float; floats and complex: the larger.
Type result_type(const Type& a, const Type& b);

}  // namespace sdfg
