#pragma once

#include "passes/maps/tiling.h"
#include "passes/transformation.h"

namespace sdfg {

struct MapTiling {
  static constexpr PassInfo info{
      .name = "map-tiling",
      .summary = "split maps into a map over tiles and a map inside each tile",
      .details = R"(
    map i in 0:N, j in 0:M {        map tile_i in 0:N:8, tile_j in 0:M:4 {
      body }                  =>      map i in tile_i:min(tile_i + 8, N),
                                          j in tile_j:min(tile_j + 4, M) {
                                        body } }

with `tile_sizes=8,4`; the last size counts for all further dimensions. A dimension with tile size 1
goes to the outer map as it is, unless `tile_trivial`; one that is certainly no longer than a tile
stays in the inner one. `divides_evenly` is the user's word that no tile is cut off; `skew` lets the
inner ranges start at 0. The outer map takes all attributes; the inner one is Sequential unless the
schedule is Default. Each map is tiled once. With `only_wcr`, only maps at the top of a state whose
points accumulate in common elements, in the dimensions that do not say in which.

Refused when no dimension is left to tile; when the range of a tiled dimension uses another
parameter of the map or has tiles; when a size certainly does not divide the range although it
should; when the range has no points; when several dimensions go through a stream in their order; and
with `skew` when something inside depends on the parameter so that it cannot be replaced.)",
  };
  struct Options {
    std::vector<std::int64_t> tile_sizes{128, 128, 128};
    bool divides_evenly = false, tile_trivial = false, skew = false, only_wcr = false;
    std::string prefix = "tile";
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("tile_sizes", &Options::tile_sizes, "points in a tile, by dimension"),
        property("divides_evenly", &Options::divides_evenly, "no tile is cut off"),
        property("tile_trivial", &Options::tile_trivial, "tile with size 1, too"),
        property("skew", &Options::skew, "the inner ranges start at 0"),
        property("only_wcr", &Options::only_wcr, "only where points accumulate together"),
        property("prefix", &Options::prefix, "of the outer parameters"),
        property("maps", &Options::maps, "labels of the maps to tile (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
