#pragma once

#include <optional>
#include <string>

#include "ir/code.h"
#include "ir/element.h"
#include "ir/subset.h"
#include "support/rare.h"

namespace sdfg {

/// What moves along an edge of a state.
///
/// `data` names one container: the one at the source end (`data_is_src`) or at the destination
/// end of the memlet path. The subset at either end is stored under its own name; the end whose
/// container is not `data` has a subset only in copies between two access nodes (DaCe's
/// `other_subset`). A memlet without data is empty: a pure ordering edge.
///
/// The code between two tasklets' connectors names a transient that has no access node.
struct Memlet {
  std::string data;
  bool data_is_src = true;
  std::optional<Subset> src_subset, dst_subset;
  Expr volume = 0;       ///< elements moved; with `dynamic` an upper bound, 0 = unknown
  bool dynamic = false;
  RareOptional<Code> wcr;  ///< write-conflict resolution: a lambda of old and new value
  bool wcr_nonatomic = false;
  bool allow_oob = false;
  RareOptional<DebugInfo> debuginfo;
  std::string guid;
  Extras extras;
  Origin origin;

  bool empty() const { return data.empty(); }
  /// The subset of `data`, and of the container at the other end.
  const std::optional<Subset>& subset() const { return data_is_src ? src_subset : dst_subset; }
  const std::optional<Subset>& other_subset() const {
    return data_is_src ? dst_subset : src_subset;
  }
  std::optional<Subset>& subset() { return data_is_src ? src_subset : dst_subset; }
  std::optional<Subset>& other_subset() { return data_is_src ? dst_subset : src_subset; }

  /// Reads `subset` of `data`, which is at the source end; volume is the number of elements.
  static Memlet read(std::string data, Subset subset);
  /// Writes `subset` of `data`, which is at the destination end.
  static Memlet write(std::string data, Subset subset);
  /// Copies between two containers; `data` names the source.
  static Memlet copy(std::string data, Subset src, Subset dst);

  // JSON derives subset, other_subset and is_data_src from these.
  static constexpr auto properties = property_list(
      property("data", &Memlet::data, "container whose subset this is; none: ordering only"),
      property("is_data_src", &Memlet::data_is_src, "data is at the source end"),
      property("src_subset", &Memlet::src_subset), property("dst_subset", &Memlet::dst_subset),
      property("volume", &Memlet::volume, "elements moved; dynamic and 0: unknown"),
      property("dynamic", &Memlet::dynamic, "the volume is an upper bound"),
      property("wcr", &Memlet::wcr, "resolves conflicting writes: lambda old, new: value"),
      property("wcr_nonatomic", &Memlet::wcr_nonatomic),
      property("allow_oob", &Memlet::allow_oob, "may leave the container's bounds"),
      property("debuginfo", &Memlet::debuginfo), property("guid", &Memlet::guid));
  static constexpr std::size_t structural = 2;  // extras, origin
  bool operator==(const Memlet&) const = default;
};

}  // namespace sdfg
