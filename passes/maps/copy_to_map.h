#pragma once

#include "passes/common/gpu_memory.h"
#include "passes/maps/nest.h"
#include "passes/transformation.h"

namespace sdfg {

struct CopyToMap {
  static constexpr PassInfo info{
      .name = "copy-to-map",
      .summary = "write copies between access nodes as maps",
      .details = R"(
    A -> B : A[0:N] -> [2:N + 2]   =>   map i in 0:N { B[i + 2] = A[i] }

One dimension for each wide dimension of the copy, so that it can be fused, tiled or given a
schedule. A copy of one element becomes a tasklet in a map of one point. `only_strided` leaves alone
what the runtimes of GPUs copy at once: elements in a row, or rows of one stride. `only_beside_maps`
leaves alone all but the copies of what a map of as many points reads or writes in the same state, and
gives the new map the name and parameters of that one: the two can be fused, and the copy read nothing more.

Refused when the two sides do not have the same wide dimensions in the same order, as a map would
have to compute indices by division, which it does under `reshapes` where both have as many elements;
when a subset has tiles; when both sides are of one container
and may overlap; when it is not known how much is copied; when the host copies between its memory
and the GPU's; and for streams, structures, references and the edges of views.)",
  };
  struct Options {
    Schedule schedule = Schedule::Default;
    std::vector<std::string> arrays;
    bool only_strided = false, only_beside_maps = false, reshapes = false;
    static constexpr auto properties = property_list(
        property("schedule", &Options::schedule, "of the maps"),
        property("arrays", &Options::arrays, "containers whose copies are meant (none: all)"),
        property("only_strided", &Options::only_strided,
                 "only copies that a GPU does not make in one call"),
        property("only_beside_maps", &Options::only_beside_maps,
                 "only copies that a map which uses their source could make"),
        property("reshapes", &Options::reshapes,
                 "copies that change the shape, too, with indices that divide"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

/// Why a map cannot make the copy along an edge between two access nodes; with `like`, why none can
/// that has the points of that map; with `reshapes`, why none can whose indices may divide.
Refusal check_copy_to_map(const Sdfg& sdfg, const State& state, EdgeId edge, const GpuMemory& gpu,
                          const MapEntry* like = nullptr, bool reshapes = false);
/// Makes it a map, with the label, parameters and ranges of the first of these that has as many
/// points along each dimension, if any. Changes the shape where that has to be. Returns the entry.
NodeId copy_to_map(const Sdfg& sdfg, State& state, EdgeId edge,
                   const std::vector<const MapEntry*>& like, AssignedNames& assigned);

}  // namespace sdfg
