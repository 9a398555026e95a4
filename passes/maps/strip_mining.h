#pragma once

#include "passes/maps/tiling.h"
#include "passes/transformation.h"

namespace sdfg {

struct StripMining {
  static constexpr PassInfo info{
      .name = "strip-mining",
      .summary = "split one dimension of a map into tiles and the points of a tile",
      .details = R"(
    map i in 0:N {        map tile_i in 0:N:64 {
      body }        =>      map i in tile_i:min(tile_i + 64, N) {
                              body } }

With `tiling_type=CeilRange` the outer parameter counts the tiles; with NumberOfTiles there are
`tile_size` of them. `strided` gives a tile every n-th point instead of neighbours, where n is the
number of tiles. `divides_evenly` is the user's word that no tile is cut off; `skew` lets the inner
range start at 0. The outer map takes all attributes; the inner one is Sequential unless the
schedule is Default. Each map is split once.

Refused when the map has no such dimension; when its range uses another parameter of the map or has
tiles; when the size certainly does not divide the range although it should; when
the points are put into a stream, or taken from one, in another order; and with `skew` when something
inside depends on the parameter so that it cannot be replaced.)",
  };
  struct Options {
    std::int64_t dim_idx = -1, tile_size = 64;
    TilingType tiling_type = TilingType::Normal;
    bool divides_evenly = false, strided = false, skew = false;
    std::string new_dim_prefix = "tile";
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("dim_idx", &Options::dim_idx, "dimension to split; negative: from the last"),
        property("tile_size", &Options::tile_size, "points in a tile, or the number of tiles"),
        property("tiling_type", &Options::tiling_type, "Normal, CeilRange or NumberOfTiles"),
        property("divides_evenly", &Options::divides_evenly, "no tile is cut off"),
        property("strided", &Options::strided, "a tile takes every n-th point"),
        property("skew", &Options::skew, "the inner range starts at 0"),
        property("new_dim_prefix", &Options::new_dim_prefix, "of the outer parameter"),
        property("maps", &Options::maps, "labels of the maps to split (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
