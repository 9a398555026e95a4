#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/element.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/type.h"
#include "support/box.h"
#include "support/rare.h"

namespace sdfg {

struct Data;

/// How a container gets its memory.
enum class Role : std::uint8_t {
  Plain,     ///< its own, or the caller's
  View,      ///< another container's, chosen by the access node's viewing edge
  Reference  ///< a pointer that an edge into connector `set` sets at run time
};

/// One value.
struct Scalar {
  bool allow_conflicts = false;
  static constexpr auto properties =
      property_list(property("allow_conflicts", &Scalar::allow_conflicts));
  bool operator==(const Scalar&) const = default;
};

/// A dense box of elements. Element (i0, i1, …) lies at
/// `start_offset + sum((i_d + offset_d) * stride_d)` elements from the pointer.
struct Array {
  Role role = Role::Plain;
  bool allow_conflicts = false;
  std::vector<Expr> strides;  ///< in elements, one per dimension, not negative
  Expr total_size;            ///< elements allocated
  std::vector<Expr> offset;   ///< added to each index before anything else
  bool may_alias = false;
  std::int64_t alignment = 0;
  Expr start_offset;
  std::optional<bool> optional;  ///< may be null: yes, no, not known
  bool pool = false;             ///< allocate from the device's memory pool
  RareOptional<std::string> gradient;  ///< ParameterArray only
  bool is_parameter = false;            ///< JSON type ParameterArray

  static constexpr auto properties = property_list(
      property("allow_conflicts", &Array::allow_conflicts), property("strides", &Array::strides),
      property("total_size", &Array::total_size), property("offset", &Array::offset),
      property("may_alias", &Array::may_alias), property("alignment", &Array::alignment),
      property("start_offset", &Array::start_offset), property("optional", &Array::optional),
      property("pool", &Array::pool), property("gradient", &Array::gradient));
  static constexpr std::size_t structural = 2;  // role and is_parameter are part of the JSON type
  bool operator==(const Array&) const = default;
};

/// An array of structures or of pointers to containers.
struct ContainerArray {
  Array array;
  std::optional<Box<Data>> stype;  ///< what each element is
  bool operator==(const ContainerArray&) const = default;
};

/// A FIFO queue, or an array of them. Reads pop, writes push.
struct Stream {
  std::vector<Expr> offset;
  Expr buffer_size;  ///< 0: unbounded
  static constexpr auto properties = property_list(property("offset", &Stream::offset),
                                                   property("buffer_size", &Stream::buffer_size));
  bool operator==(const Stream&) const = default;
};

/// A record of containers; `s.m` names a member as a container. A member may be a plain symbolic
/// expression instead.
struct Structure {
  using Member = std::pair<std::string, std::variant<Box<Data>, Expr>>;
  Role role = Role::Plain;
  std::string name;
  std::vector<Member> members;
  bool operator==(const Structure&) const = default;
};

/// A kind whose own attributes we only carry: Tensor, ProcessGrid, SubArray, RedistrArray, or one
/// of another program's. Its own attributes are in Data::extras.
struct OtherData {
  std::string type;
  bool operator==(const OtherData&) const = default;
};

/// A data container's declaration (DaCe's data descriptor).
struct Data {
  std::variant<Array, Scalar, Stream, Structure, ContainerArray, OtherData> kind;
  Type dtype = BaseType::Int32;
  std::vector<Expr> shape;
  bool transient = false;  ///< owned by this SDFG; otherwise supplied by the caller
  Storage storage = Storage::Default;
  Lifetime lifetime = Lifetime::Scope;
  Rare<std::map<std::string, std::string>> location;
  RareOptional<DebugInfo> debuginfo;
  Extras extras;
  Origin origin;

  /// A C-order array with offset 0.
  static Data array(Type dtype, std::vector<Expr> shape, bool transient = false);
  static Data scalar(Type dtype, bool transient = false);

  bool is_scalar() const { return std::holds_alternative<Scalar>(kind); }
  bool is_stream() const { return std::holds_alternative<Stream>(kind); }
  bool is_structure() const { return std::holds_alternative<Structure>(kind); }
  /// The array fields of an Array or ContainerArray, else null.
  const Array* as_array() const;
  Array* as_array();
  Role role() const;
  bool is_view() const { return role() == Role::View; }
  bool is_reference() const { return role() == Role::Reference; }
  /// Is it a reference, or a structure with one among its members?
  bool holds_reference() const;
  /// DaCe's class name: "ArrayView", "ContainerArrayReference", "StructureView", …
  std::string json_type() const;

  static constexpr auto properties =
      property_list(property("dtype", &Data::dtype), property("shape", &Data::shape),
                    property("transient", &Data::transient, "owned by this SDFG"),
                    property("storage", &Data::storage), property("lifetime", &Data::lifetime),
                    property("location", &Data::location), property("debuginfo", &Data::debuginfo));
  static constexpr std::size_t structural = 3;  // kind, extras, origin
  bool operator==(const Data&) const = default;
};

/// Strides of a C-order array of that shape.
std::vector<Expr> c_strides(const std::vector<Expr>& shape);
/// How many elements lie from the first to the last one, with these strides. A shape without
/// elements may make that less than none.
Expr elements_spanned(const std::vector<Expr>& shape, const std::vector<Expr>& strides);
/// Symbols of shape, strides, offsets and sizes.
void collect_symbols(const Data& data, SymbolSet& out);
/// Replaces symbols in all of these. A view or reference that turns out to have fewer elements than
/// none has none; containers that own their memory stay as they are.
void substitute(Data& data, const Substitution& replacements);
/// Sizes that are numbers below 0 become 0: those of the part of a container that turns out to be
/// empty.
void raise_negative_sizes(Data& data);

}  // namespace sdfg
