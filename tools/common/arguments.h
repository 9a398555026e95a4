#pragma once

#include <cstdint>

#include "codegen/array.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

struct ArgumentOptions {
  std::uint64_t seed = 1;
  /// Of every integer symbol and integer scalar that is not given, and is no extent of what is, nor
  /// only a stride: strides are such that containers are row-major. Where extents and ranges of
  /// maps begin, it is 0, and half of it for what begins one and ends another, so that they are not
  /// empty.
  std::int64_t size = 8;
  NamedArrays given{};               ///< taken as they are
  ByName<std::int64_t> constants{};  ///< values that symbols are to have
  std::vector<Expr> assume{};        ///< conditions that values keep to, as far as known
};

/// Arguments to run a program on when there is no recorded data: every array filled from the seed,
/// floats in [0.5, 1.5), integers in [0, size / 2). The same options give the same arguments. The
/// error names the container whose shape cannot be computed, or the condition that the values
/// contradict.
Result<NamedArrays> make_arguments(const Sdfg& sdfg, const ArgumentOptions& options);

}  // namespace sdfg
