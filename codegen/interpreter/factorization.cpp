#include <cmath>
#include <complex>

#include "codegen/interpreter/operands.h"

namespace sdfg::interpreter {
namespace {

template <class T>
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<T> values;
  T& at(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  const T& at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

template <class T>
T conjugate(T x) {
  return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

/// a = l l^H, by columns.
template <class T>
Matrix<T> cholesky(const Matrix<T>& a, bool lower) {
  const std::size_t n = a.rows;
  Matrix<T> l{n, n, std::vector<T>(n * n, T(0))};
  for (std::size_t j = 0; j < n; ++j) {
    const auto given = [&](std::size_t r, std::size_t c) {
      return lower ? a.at(r, c) : conjugate(a.at(c, r));
    };
    T sum = given(j, j);
    for (std::size_t k = 0; k < j; ++k) sum -= l.at(j, k) * conjugate(l.at(j, k));
    l.at(j, j) = std::sqrt(sum);
    for (std::size_t i = j + 1; i < n; ++i) {
      T value = given(i, j);
      for (std::size_t k = 0; k < j; ++k) value -= l.at(i, k) * conjugate(l.at(j, k));
      l.at(i, j) = value / l.at(j, j);
    }
  }
  if (lower) return l;
  Matrix<T> upper = l;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) upper.at(i, j) = conjugate(l.at(j, i));
  return upper;
}

/// Gauss with the largest pivot of each column, as LAPACK's getrf and getrs.
template <class T>
void solve(Matrix<T> a, Matrix<T>& b) {
  const std::size_t n = a.rows;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i)
      if (std::abs(a.at(i, j)) > std::abs(a.at(pivot, j))) pivot = i;
    if (a.at(pivot, j) == T(0)) throw Stop("the matrix is singular");
    for (std::size_t k = 0; pivot != j && k < n; ++k) std::swap(a.at(j, k), a.at(pivot, k));
    for (std::size_t k = 0; pivot != j && k < b.columns; ++k) std::swap(b.at(j, k), b.at(pivot, k));
    for (std::size_t i = j + 1; i < n; ++i) {
      const T factor = a.at(i, j) / a.at(j, j);
      for (std::size_t k = j + 1; k < n; ++k) a.at(i, k) -= factor * a.at(j, k);
      for (std::size_t k = 0; k < b.columns; ++k) b.at(i, k) -= factor * b.at(j, k);
    }
  }
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t k = 0; k < b.columns; ++k) {
      for (std::size_t j = i + 1; j < n; ++j) b.at(i, k) -= a.at(i, j) * b.at(j, k);
      b.at(i, k) /= a.at(i, i);
    }
}

template <class F>
void with_real_or_complex(BaseType type, F&& f) {
  switch (type) {
    case BaseType::Float32: return f.template operator()<float>();
    case BaseType::Complex64: return f.template operator()<std::complex<float>>();
    case BaseType::Complex128: return f.template operator()<std::complex<double>>();
    default: return f.template operator()<double>();
  }
}

template <class T>
Matrix<T> matrix(Machine& machine, const Operands::Operand& operand, BaseType type, bool square) {
  const Gathered gathered = gather(machine, operand.side, operand.place);
  std::vector<std::int64_t> shape;
  for (std::int64_t extent : gathered.shape)
    if (extent != 1 || gathered.shape.size() <= 2) shape.push_back(extent);
  if (shape.size() == 1) shape.push_back(1);
  if (shape.size() != 2 || (square && shape[0] != shape[1]))
    throw Stop("'" + operand.side.container->name + "' is not a " +
               (square ? "square matrix" : "matrix"));
  Matrix<T> result{std::size_t(shape[0]), std::size_t(shape[1]), {}};
  for (const Number& v : gathered.values)
    result.values.push_back(get<T>(convert(v, operand.side.container->type, type)));
  return result;
}

template <class T>
void put(Machine& machine, const Operands::Operand& operand, const Matrix<T>& m) {
  std::vector<Number> values;
  for (const T& v : m.values) values.push_back(number_of(v));
  scatter(machine, operand.side, values, operand.combine, operand.place);
}

}  // namespace

Step compile_factorization(const LibraryOperation& operation, const Operands& operands) {
  Machine* machine = &operands.context.machine;
  const auto* factor = std::get_if<Cholesky>(&operation);
  const bool inverse = std::holds_alternative<Inv>(operation);
  const auto a = operands.input(factor ? "_a" : "_ain");
  const auto out = operands.output(factor ? "_b" : inverse ? "_aout" : "_bout");
  const BaseType type = out.side.container->type;
  const bool is_float = Type(type).is_complex() || type == BaseType::Float32 ||
                        type == BaseType::Float64;
  if (!is_float) throw Stop("matrices of " + Type(type).text() + " cannot be factorized");
  if (factor)
    return [machine, a, out, type, lower = factor->lower] {
      with_real_or_complex(type, [&]<class T>() {
        put(*machine, out, cholesky(matrix<T>(*machine, a, type, true), lower));
      });
    };
  if (inverse)
    return [machine, a, out, type] {
      with_real_or_complex(type, [&]<class T>() {
        const Matrix<T> m = matrix<T>(*machine, a, type, true);
        Matrix<T> unit{m.rows, m.rows, std::vector<T>(m.values.size(), T(0))};
        for (std::size_t i = 0; i < m.rows; ++i) unit.at(i, i) = T(1);
        solve(m, unit);
        put(*machine, out, unit);
      });
    };
  return [machine, a, b = operands.input("_bin"), out, type] {
    with_real_or_complex(type, [&]<class T>() {
      Matrix<T> x = matrix<T>(*machine, b, type, false);
      const Matrix<T> m = matrix<T>(*machine, a, type, true);
      if (x.rows != m.rows) throw Stop("the right side has another number of rows than the matrix");
      solve(m, x);
      put(*machine, out, x);
    });
  };
}

}  // namespace sdfg::interpreter
