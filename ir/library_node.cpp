#include "ir/library_node.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

namespace sdfg {
namespace {

using Json = nlohmann::json;

/// Reads the properties of one node and remembers the first that cannot be read.
class Reader {
 public:
  explicit Reader(const Node& node) : node_(node) {}

  void read(std::string_view name, bool& value) {
    const Json json = get(name);
    if (json.is_boolean())
      value = json.get<bool>();
    else if (!json.is_null())
      fail(name, "true or false", json);
  }
  void read(std::string_view name, std::string& value) {
    const Json json = get(name);
    if (json.is_string())
      value = json.get<std::string>();
    else if (!json.is_null())
      fail(name, "a string", json);
  }
  /// A number, or symbolic text in either dialect.
  void read(std::string_view name, Expr& value) {
    if (auto expr = expression(name)) value = *expr;
  }
  void read(std::string_view name, std::optional<Expr>& value) { value = expression(name); }
  /// An integer; null is a value, too, which an absent property does not have.
  void read_or_none(std::string_view name, std::optional<std::int64_t>& value) {
    if (!property_text(node_, name)) return;
    const Json json = get(name);
    value.reset();
    if (json.is_number_integer())
      value = json.get<std::int64_t>();
    else if (!json.is_null())
      fail(name, "an integer or null", json);
  }
  void read(std::string_view name, std::vector<std::int64_t>& value) {
    std::optional<std::vector<std::int64_t>> found;
    read(name, found);
    if (found) value = std::move(*found);
  }
  void read(std::string_view name, std::optional<std::vector<std::int64_t>>& value) {
    const Json json = get(name);
    if (json.is_null()) return;
    bool good = json.is_array();
    std::vector<std::int64_t> numbers;
    if (good)
      for (const Json& element : json) {
        good = good && element.is_number_integer();
        if (good) numbers.push_back(element.get<std::int64_t>());
      }
    if (good)
      value = std::move(numbers);
    else
      fail(name, "a list of integers", json);
  }
  /// Code, as plain text or as an object with the text inside.
  void read(std::string_view name, Code& value) {
    Json json = get(name);
    if (json.is_object() && json.contains("string_data")) json = Json(json["string_data"]);
    if (json.is_string())
      value = Code(json.get<std::string>());
    else if (!json.is_null())
      fail(name, "code", json);
  }

  Result<LibraryOperation> result(LibraryOperation operation) {
    if (error_) return *error_;
    return operation;
  }

 private:
  Json get(std::string_view name) {
    const auto text = property_text(node_, name);
    if (!text) return nullptr;
    Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) {
      fail(name, "JSON", std::string(*text));
      return nullptr;
    }
    return json;
  }
  std::optional<Expr> expression(std::string_view name) {
    const Json json = get(name);
    if (json.is_null()) return std::nullopt;
    if (json.is_number_integer()) return Expr(json.get<std::int64_t>());
    if (json.is_number()) return Expr::number(json.get<double>());
    if (json.is_boolean()) return Expr::boolean(json.get<bool>());
    if (json.is_string()) {
      const std::string text = json.get<std::string>();
      const bool typed = text.find('$') != std::string::npos;
      if (auto expr = typed ? parse_symbolic(text, Dialect::Typed) : parse_python(text))
        return *expr;
    }
    fail(name, "a number or an expression", json);
    return std::nullopt;
  }
  void fail(std::string_view name, std::string_view expected, const Json& found) {
    if (error_) return;
    error_ =
        Diagnostic{"", "property '" + std::string(name) + "' should be " + std::string(expected) +
                           ", found " + found.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }

  const Node& node_;
  std::optional<Diagnostic> error_;
};

std::string_view class_name(std::string_view classpath) {
  const std::size_t dot = classpath.rfind('.');
  return dot == std::string_view::npos ? classpath : classpath.substr(dot + 1);
}

template <class Operation>
LibraryOperation make(Reader&) {
  return Operation{};
}
template <class Operation>
LibraryOperation scaled(Reader& r) {
  Operation op;
  r.read("alpha", op.alpha), r.read("beta", op.beta);
  return op;
}
template <class Operation>
LibraryOperation scaled_and_transposed(Reader& r) {
  Operation op;
  r.read("alpha", op.alpha), r.read("beta", op.beta);
  r.read("transA", op.trans_a), r.read("transB", op.trans_b);
  if constexpr (requires { op.cin; }) r.read("cin", op.cin);
  return op;
}
LibraryOperation reduce(Reader& r) {
  Reduce op;
  r.read("wcr", op.wcr), r.read("axes", op.axes), r.read("identity", op.identity);
  return op;
}
LibraryOperation reduce_with_skip_values(Reader& r) {
  ReduceWithSkipValues op;
  r.read("wcr", op.wcr), r.read("identity", op.identity), r.read("init", op.init);
  r.read("input_conn", op.input_conn), r.read("output_conn", op.output_conn);
  r.read("mask_conn", op.mask_conn);
  return op;
}
LibraryOperation gemv(Reader& r) {
  Gemv op;
  r.read("alpha", op.alpha), r.read("beta", op.beta), r.read("transA", op.trans_a);
  return op;
}
LibraryOperation axpy(Reader& r) {
  Axpy op;
  r.read("a", op.a);
  return op;
}
LibraryOperation ger(Reader& r) {
  Ger op;
  r.read("alpha", op.alpha);
  return op;
}
LibraryOperation einsum(Reader& r) {
  Einsum op;
  r.read("einsum_str", op.subscripts), r.read("alpha", op.alpha), r.read("beta", op.beta);
  return op;
}
LibraryOperation tensor_transpose(Reader& r) {
  TensorTranspose op;
  r.read("axes", op.axes), r.read("alpha", op.alpha), r.read("beta", op.beta);
  return op;
}
LibraryOperation tensor_dot(Reader& r) {
  TensorDot op;
  r.read("left_axes", op.left_axes), r.read("right_axes", op.right_axes);
  r.read("permutation", op.permutation);
  return op;
}
LibraryOperation cholesky(Reader& r) {
  Cholesky op;
  r.read("lower", op.lower);
  return op;
}
LibraryOperation fill(Reader& r) {
  Fill op;
  r.read("value", op.value);
  return op;
}
LibraryOperation merge(Reader&) {
  Pointwise op;
  op.inputs = {"_mrg_mask", "_mrg_t", "_mrg_f"}, op.output = "_mrg_out";
  return op;
}
LibraryOperation broadcast(Reader& r) {
  Pointwise op;
  op.inputs = {"_src"}, op.output = "_dst", op.missing_axis = 1;
  r.read_or_none("dim", op.missing_axis);
  if (op.missing_axis) --*op.missing_axis;
  return op;
}
LibraryOperation cshift(Reader& r) {
  Pointwise op;
  op.inputs = {"_x"}, op.output = "_out", op.rotated_axis = 1;
  std::string direction = "FORTRAN";
  r.read_or_none("dim", op.rotated_axis), r.read("shift", op.shift), r.read("direction", direction);
  if (op.rotated_axis) --*op.rotated_axis;
  if (direction == "NUMPY") op.shift = -op.shift;
  return op;
}

struct Known {
  std::string_view package, name;  ///< of DaCe's or GT4Py's class
  LibraryOperation (*read)(Reader&);
};
// Classes of the same name in other packages (mpi's Reduce, pblas) mean something else.
constexpr std::array known{
    Known{"dace.libraries.standard.", "Reduce", reduce},
    Known{"gt4py.", "ReduceWithSkipValues", reduce_with_skip_values},
    Known{"dace.libraries.blas.", "MatMul", scaled<MatMul>},
    Known{"dace.libraries.blas.", "Gemm", scaled_and_transposed<Gemm>},
    Known{"dace.libraries.blas.", "BatchedMatMul", scaled_and_transposed<BatchedMatMul>},
    Known{"dace.libraries.blas.", "Gemv", gemv},
    Known{"dace.libraries.blas.", "Dot", make<Dot>},
    Known{"dace.libraries.blas.", "Axpy", axpy},
    Known{"dace.libraries.blas.", "Ger", ger},
    Known{"dace.libraries.blas.", "Einsum", einsum},
    Known{"dace.libraries.linalg.", "Transpose", make<Transpose>},
    // Where Transpose was before it moved.
    Known{"dace.libraries.standard.", "Transpose", make<Transpose>},
    Known{"dace.libraries.blas.", "Transpose", make<Transpose>},
    Known{"dace.libraries.linalg.", "TensorTranspose", tensor_transpose},
    Known{"dace.libraries.linalg.", "TensorDot", tensor_dot},
    Known{"dace.libraries.linalg.", "Cholesky", cholesky},
    Known{"dace.libraries.linalg.", "Inv", make<Inv>},
    Known{"dace.libraries.linalg.", "Solve", make<Solve>},
    Known{"dace.libraries.standard.", "CopyLibraryNode", make<CopyNode>},
    Known{"dace.libraries.standard.", "FillLibraryNode", fill},
    Known{"dace.libraries.standard.", "MergeLibraryNode", merge},
    Known{"dace.libraries.standard.", "Broadcast", broadcast},
    Known{"dace.libraries.standard.", "CShift", cshift},
};

/// Null where we know none.
const Known* find_class(const LibraryNode& node) {
  const std::string_view name = class_name(node.classpath);
  for (const Known& entry : known)
    if (entry.name == name && node.classpath.starts_with(entry.package)) return &entry;
  return nullptr;
}

/// A property that is a symbolic expression in its class. Absent: `standard`, if that is a symbol.
struct Symbolic {
  std::string_view library_class, property, standard;
};
constexpr std::array symbolic{
    Symbolic{"Axpy", "a", "a"},      Symbolic{"Axpy", "n", "n"},
    Symbolic{"CShift", "shift", ""},
    Symbolic{"Dot", "n", ""},        Symbolic{"Einsum", "alpha", ""},
    Symbolic{"Einsum", "beta", ""},  Symbolic{"FFT", "factor", ""},
    Symbolic{"Gearbox", "size", ""}, Symbolic{"Gemv", "alpha", ""},
    Symbolic{"Gemv", "beta", ""},    Symbolic{"Gemv", "m", ""},
    Symbolic{"Gemv", "n", ""},       Symbolic{"Ger", "alpha", ""},
    Symbolic{"Ger", "m", "m"},       Symbolic{"Ger", "m_tile_size", ""},
    Symbolic{"Ger", "n", "n"},       Symbolic{"Ger", "n_tile_size", ""},
    Symbolic{"Getrf", "n", ""},      Symbolic{"Getri", "n", ""},
    Symbolic{"Getrs", "n", ""},      Symbolic{"IFFT", "factor", ""},
    Symbolic{"Potrf", "n", ""},      Symbolic{"Send", "n", ""},
    Symbolic{"Wait", "n", ""},       Symbolic{"Waitall", "n", ""},
    Symbolic{"Pgemm", "k", ""},      Symbolic{"Pgemm", "m", ""},
    Symbolic{"Pgemm", "n", ""},      Symbolic{"Pgemv", "m", ""},
    Symbolic{"Pgemv", "n", ""},
};

}  // namespace

std::optional<std::string_view> property_text(const Node& node, std::string_view name) {
  for (const auto& [key, text] : node.extras)
    if (key == name) return text;
  return std::nullopt;
}

bool has_known_class(const LibraryNode& node) { return find_class(node) != nullptr; }

Result<LibraryOperation> library_operation(const Node& node) {
  const auto* library = node.as<LibraryNode>();
  if (!library)
    return Diagnostic{"", "expected a library node, found a " + std::string(node.kind_name())};
  const Known* entry = find_class(*library);
  if (!entry)
    return Diagnostic{"", "library class " + library->classpath + " has no known meaning"};
  Reader reader(node);
  LibraryOperation operation = entry->read(reader);
  return reader.result(std::move(operation));
}

bool fits_matmul(std::span<const Expr> a, std::span<const Expr> b, std::span<const Expr> c,
                 bool trans_a, bool trans_b) {
  if (a.empty() || b.empty()) return false;
  const std::size_t core_a = std::min<std::size_t>(a.size(), 2),
                    core_b = std::min<std::size_t>(b.size(), 2), core_c = core_a + core_b - 2;
  const auto batch_a = a.first(a.size() - core_a), batch_b = b.first(b.size() - core_b);
  if (c.size() != std::max(batch_a.size(), batch_b.size()) + core_c) return false;
  const auto batch_c = c.first(c.size() - core_c);
  const auto same = [](const Expr& x, const Expr& y) { return certain(equal(x, y)); };
  const auto broadcasts = [&](std::span<const Expr> batch) {
    return std::ranges::equal(batch, batch_c.last(batch.size()), [&](const Expr& x, const Expr& y) {
      return x == Expr(1) || same(x, y);
    });
  };
  // Rows, then columns; a vector has columns on the left and rows on the right.
  const auto of_a = a.last(core_a), of_b = b.last(core_b), of_c = c.last(core_c);
  const bool swap_a = trans_a && core_a == 2, swap_b = trans_b && core_b == 2;
  if (!same(swap_a ? of_a.front() : of_a.back(), swap_b ? of_b.back() : of_b.front())) return false;
  if (core_a == 2 && !same(swap_a ? of_a.back() : of_a.front(), of_c.front())) return false;
  if (core_b == 2 && !same(swap_b ? of_b.front() : of_b.back(), of_c.back())) return false;
  return broadcasts(batch_a) && broadcasts(batch_b);
}

bool reads_its_output(const Node& node) {
  const auto operation = library_operation(node);
  if (!operation) return true;
  return std::visit(
      []<class Operation>(const Operation& op) {
        if constexpr (requires { op.beta; }) return !(op.beta == Expr(0));
        else if constexpr (requires { op.init; }) return !op.init && !op.identity;
        else if constexpr (requires { op.identity; }) return !op.identity;
        else return false;
      },
      *operation);
}

std::vector<Expr> symbolic_properties(const Node& node) {
  std::vector<Expr> values;
  const auto* library = node.as<LibraryNode>();
  if (!library) return values;
  const std::string_view name = class_name(library->classpath);
  for (const Symbolic& entry : symbolic) {
    if (entry.library_class != name) continue;
    std::optional<Expr> value;
    Reader(node).read(entry.property, value);
    if (!value && !entry.standard.empty() && !property_text(node, entry.property))
      value = Expr::symbol(entry.standard);
    if (value) values.push_back(*value);
  }
  return values;
}

}  // namespace sdfg
