#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/enums.h"
#include "ir/property.h"
#include "passes/maps/nest.h"
#include "passes/pass.h"

namespace sdfg {

/// How the points of one dimension are shared out among tiles.
enum class TilingType : std::uint8_t {
  Normal,        ///< the tile's parameter is its first point: begin, begin + size, …
  CeilRange,     ///< the tile's parameter counts: 0, 1, … ceil(points / size)
  NumberOfTiles  ///< the same, with so many tiles of about the same size
};
template <>
inline constexpr std::array<std::string_view, 3> names<TilingType>{"Normal", "CeilRange",
                                                                   "NumberOfTiles"};

/// One dimension of a map and how it is tiled.
struct DimensionTiling {
  std::size_t dimension = 0;
  std::int64_t size = 1;  ///< points in a tile, or the number of tiles
  TilingType type = TilingType::Normal;
  bool divides_evenly = false;  ///< the user's word that no tile is cut off
  bool strided = false;         ///< a tile takes every n-th point of n tiles, not its neighbours
  bool skew = false;            ///< the range in a tile starts at 0
};

/// Why that cannot be done to the map.
Refusal check_tiling(const Sdfg& sdfg, const State& state, MapEnds ends,
                     const std::vector<DimensionTiling>& tilings);
/// Puts a map over tiles around the map, which keeps the points in a tile (and dimensions that are
/// in no tiling and not in `outside` either). Dimensions `outside` move to the outer map as they
/// are. The outer map takes all attributes, the inner one becomes Sequential unless its schedule is
/// Default. Memlets between the two are to be propagated. All dimensions keep their order.
void tile_map(State& state, MapEnds ends, const std::vector<DimensionTiling>& tilings,
              const std::vector<std::size_t>& outside, std::string_view prefix, ScopeNames& names);

}  // namespace sdfg
