#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "passes/map_fusion/value_slice.h"

namespace sdfg {

/// What it saves and costs to compute a result of a map where it is read, in bytes that kernels
/// move. A container counts by what a kernel reads of it, not by how often: that is a load, which a
/// cache serves. Two operations count like a byte, a conditional like four bytes: measured on an
/// H200, where a limiter of nine operations and three conditionals, twice per iteration, costs more
/// than the 16 bytes that it saves.
class RecomputeCost {
 public:
  /// `load_bytes`: what a load of an element counts beside that; three times as much through an
  /// index.
  RecomputeCost(const FusionSite& site, const FusionMap& first, const ValueSlice& slice,
                std::int64_t assumed_extent, std::int64_t load_bytes);

  /// A map that computes so many elements in each iteration from now on.
  void add_reader(const FusionMap& reader, std::size_t elements);

  bool pays() const { return after() < before(); }
  std::string text() const;

 private:
  std::int64_t before() const {
    return stored_ + only_for_it_ + loads_before_ + arithmetic_before_;
  }
  std::int64_t after() const { return read_again_ + loads_after_ + arithmetic_after_; }
  std::int64_t points(const FusionMap& map) const;
  std::int64_t loads_behind(EdgeId edge) const;
  std::int64_t arithmetic(NodeId node) const;

  const FusionSite& site_;
  const State& state_;
  const FusionMap& first_;
  const ValueSlice& slice_;
  std::int64_t assumed_extent_, load_bytes_;
  std::int64_t loads_ = 0, arithmetic_ = 0;     ///< of one evaluation, weighted
  std::map<std::string, std::int64_t> inputs_;  ///< container: bytes that the first map reads
  NameSet others_;                              ///< containers that it goes on reading
  std::int64_t written_ = 0, stored_ = 0;  ///< of the result; of it written and read
  std::int64_t only_for_it_ = 0;   ///< inputs that the first map need not read any more
  std::int64_t read_again_ = 0;    ///< inputs that readers have not read so far
  std::int64_t loads_before_ = 0, loads_after_ = 0;
  std::int64_t arithmetic_before_ = 0, arithmetic_after_ = 0;
};

/// What a map reads or writes through a port.
std::int64_t expected_bytes(const FusionSite& site, const Port& port, std::int64_t assumed_extent);

}  // namespace sdfg
