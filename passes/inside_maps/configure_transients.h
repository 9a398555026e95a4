#pragma once

#include <array>
#include <cstdint>

#include "passes/transformation.h"

namespace sdfg {

/// Where the memory of transients comes from, in GT4Py's words.
enum class TransientMemoryMode : std::uint8_t { Scoped, Persistent, Pool, External };
template <>
inline constexpr std::array<std::string_view, 4> names<TransientMemoryMode>{"scoped", "persistent",
                                                                            "pool", "external"};

struct ConfigureTransients {
  static constexpr PassInfo info{
      .name = "configure-transients",
      .summary = "choose storage and lifetime of transients",
      .details = R"(
    transient t: float64[4]      =>      transient t: float64[4] {storage = Register}
    transient u: float64[N]              transient u: float64[N] {lifetime = Persistent, …}

Arrays of a known, small size without a storage become local variables, but for factors of a matrix
product whose other factor is in memory (DaCe wants both in one storage). Then, by mode: `scoped`
leaves lifetimes alone; `pool` lets arrays in GPU memory come from the device's pool; `persistent`
and `external` allocate once, or let the caller do it.

A lifetime stays, with the reason, when a transient is used inside a map, or the nested SDFG around
it is (iterations would share it), when its size is not known before the program runs, and when
it is a local variable.)",
  };
  struct Options {
    TransientMemoryMode transient_memory_mode = TransientMemoryMode::Pool;
    std::int64_t small_size = 128;
    static constexpr auto properties = property_list(
        property("transient_memory_mode", &Options::transient_memory_mode,
                 "scoped, persistent, pool or external"),
        property("small_size", &Options::small_size, "elements that fit into local variables"));
  };
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
