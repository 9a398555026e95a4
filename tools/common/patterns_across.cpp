#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    // A conditional between maps: branches write what the maps around it exchange.
    Pattern{"conditional-into-maps state-fusion map-fusion-vertical fuse-conditionals",
            "transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = x + 1 if x < 8 else x / 2"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
  conditional $p_if
    branch yes if "$1"
      state yes_state
        n0 = access $2
        n1 = map $p_yes (j) in [$3]
          n2 = tasklet yes: "o = 1 - x"
        n3 = exit n1
        n4 = access $p_t
        n0 -> n1.IN_x : $2[$3]
        n1.OUT_x -> n2.x : $2[j]
        n2.o -> n3.IN_t : $p_t[j]
        n3.OUT_t -> n4 : $p_t[$3]
    branch no$4
      state no_state
        $5
  state $p_out
    n0 = access $p_t
    n1 = access $s
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_t -> n3.x : $p_t[i]
    n2.OUT_s -> n3.y : $s[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_if\n  $p_if -> $p_out",
            {"N > 6|K > 2|N > 4 and K < 3", "$p_t|$s", "0:N|0:N|0:N|1:N|0:N - 1|N - 1", "| if \"K > 3\"| if \"K > 1\"",
             "|n0 = access $s\n        n1 = access $p_t\n        n0 -> n1 : $s[$3] -> [$3]"
             "|n0 = access $s\n        n1 = map $p_no (i) in [0:N]\n          n2 = tasklet no: \"o = x / 2\"\n"
             "        n3 = exit n1\n        n4 = access $p_t\n        n0 -> n1.IN_s : $s[0:N]\n"
             "        n1.OUT_s -> n2.x : $s[i]\n        n2.o -> n3.IN_t : $p_t[i]\n"
             "        n3.OUT_t -> n4 : $p_t[0:N]"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> across_patterns() { return patterns; }

}  // namespace sdfg
