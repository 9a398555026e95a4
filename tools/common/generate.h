#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "codegen/array.h"
#include "ir/sdfg.h"

namespace sdfg {

/// What a generated SDFG is made of.
enum class Shape {
  BranchNest,    ///< maps whose bodies choose between values: choices within choices
  Branches,      ///< a map whose body chooses between two computed values, again and again
  Chain,         ///< one state: map after map, each reading what the one before wrote
  Conditionals,  ///< one conditional after the other
  Copies,        ///< one state: copy after copy
  Loops,         ///< one doubly nested loop after the other
  Mixed,         ///< everything, at random
  Nest,          ///< SDFGs nested in SDFGs
  Patterns,      ///< what passes look for, with views, references and streams, at random
  Pieces,        ///< small statements in and beside each other, over ranges that may be empty
  States,        ///< many small states with assignments between them
  Wide           ///< one state: maps side by side, all reading the same container
};
inline constexpr std::array<std::string_view, 12> shape_names{
    "branch-nest", "branches", "chain", "conditionals", "copies",
    "loops",       "mixed",    "nest",  "patterns",     "pieces", "states", "wide"};

struct GenerateOptions {
  Shape shape = Shape::Mixed;
  std::size_t size = 100;  ///< about how many nodes of states there are
  std::uint64_t seed = 1;
  std::size_t depth = 0;  ///< of nests: how deep each is; 0: 32
  std::string pass;       ///< of patterns: one is what this pass looks for
};

/// A valid SDFG: all accesses in bounds for sizes of at least 4 (pieces: for any), no races, every
/// transient written before it is read. Values stay multiples of 1/8 of moderate size, so that sums
/// are exact in any order and every backend must give the same bits. The same options give the same
/// SDFG.
Sdfg generate(const GenerateOptions& options);

/// Arguments for it, as such an SDFG takes them: sizes of 4 to 9, random multiples of 1/8, integers
/// from 0 to 3 (they serve as indices and bounds). With any sizes, they may be 0, and symbols with
/// lower-case names below 0.
Result<NamedArrays> generate_data(const Sdfg& sdfg, std::uint64_t seed,
                                  bool any_sizes = false);

}  // namespace sdfg
