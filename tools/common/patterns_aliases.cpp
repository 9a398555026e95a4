#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// A nested SDFG that knows one container, or overlapping parts of it, as x and as y. What it does
// has an order only if one knows that.
// clang-format off
constexpr std::array patterns{
    // A loop over a map: what one round writes is read by the next, in other iterations of the map.
    Pattern{"move-loop-into-map loop-to-map", "transient $p_t: float64[3, N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_fill (i) in [0:N]
      n2 = tasklet fill: "o = 1 - x; p = x; q = x / 2"
    n3 = exit n1
    n4 = access $p_t
    n5 = nested_sdfg $p_inner with (N = N)
      sdfg $p_inner(x: float64[2, N], y: float64[2, N])
        symbol N: int64
        symbol k: int64
        loop again (k) from "k = 0" while "k < 2" next "k = k + 1"
          state round
            n0 = access x
            n1 = map turn (i) in [0:N]
              n2 = tasklet turn: "o = a / 2 + $3"
            n3 = exit n1
            n4 = access y
            n0 -> n1.IN_x : x[0:2, 0:N]
            n1.OUT_x -> n2.a : x[$4, $5]
            n2.o -> n3.IN_y : y[1 - k, i]
            n3.OUT_y -> n4 : y[0:2, 0:N]
    n6 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[0, i]
    n2.p -> n3.IN_t : $p_t[1, i]
    n2.q -> n3.IN_t : $p_t[2, i]
    n3.OUT_t -> n4 : $p_t[0:3, 0:N]
    n4 -> n5.x : $p_t[$1, 0:N]
    n5.y -> n6 : $p_t[$2, 0:N]
  state $p_out
    n0 = access $p_t
    n1 = access $d
    n0 -> n1 : $p_t[0, 0:N] -> [0:N])", "$p_in -> $p_out",
            {"0:2", "0:2", "k|1", "k", "N - 1 - i|i"}},
    // Maps around a conditional, in it, and behind it: what it writes is read there, by its other name.
    Pattern{"conditional-into-maps move-before-conditional state-fusion map-fusion-vertical",
            "transient $p_t: float64[3, N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_fill (i) in [0:N]
      n2 = tasklet fill: "o = 1 - x; p = x; q = x / 2"
    n3 = exit n1
    n4 = access $p_t
    n5 = nested_sdfg $p_inner with (N = N, K = K)
      sdfg $p_inner(x: float64[2, N], y: float64[2, N], z: float64[N])
        symbol N: int64
        symbol K: int64
        transient u: float64[N]
        state before
          n0 = access x
          n1 = map one (i) in [0:N]
            n2 = tasklet one: "o = 1 - a"
          n3 = exit n1
          n4 = access $3
          n0 -> n1.IN_x : x[0:2, 0:N]
          n1.OUT_x -> n2.a : x[1, i]
          n2.o -> n3.IN_y : $3[i]
          n3.OUT_y -> n4 : $3[0:N]
        conditional choice
          branch yes if "K > 5"
            state yes_state
              n0 = access x
              n1 = map two (i) in [0:N]
                n2 = tasklet two: "o = a / 2"
              n3 = exit n1
              n4 = access y
              n0 -> n1.IN_x : x[0:2, 0:N]
              n1.OUT_x -> n2.a : x[0, $4]
              n2.o -> n3.IN_y : y[1, i]
              n3.OUT_y -> n4 : y[0:2, 0:N]
        state behind
          n0 = access x
          n1 = access u
          n2 = map three (i) in [0:N]
            n3 = tasklet three: "o = a / 2 + b"
          n4 = exit n2
          n5 = access z
          n0 -> n2.IN_x : x[0:2, 0:N]
          n1 -> n2.IN_u : u[0:N]
          n2.OUT_x -> n3.a : x[1, $5]
          n2.OUT_u -> n3.b : u[i]
          n3.o -> n4.IN_z : z[i]
          n4.OUT_z -> n5 : z[0:N]
        before -> choice
        choice -> behind
    n6 = access $p_t
    n7 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[0, i]
    n2.p -> n3.IN_t : $p_t[1, i]
    n2.q -> n3.IN_t : $p_t[2, i]
    n3.OUT_t -> n4 : $p_t[0:3, 0:N]
    n4 -> n5.x : $p_t[$1, 0:N]
    n5.y -> n6 : $p_t[$2, 0:N]
    n5.z -> n7 : $d[0:N]
  state $p_out
    n0 = access $p_t
    n1 = access W
    n0 -> n1 : $p_t[0, 0:N] -> [0:N])", "$p_in -> $p_out",
            {"0:2", "0:2|1:3", "u", "N - 1 - i|i", "i|N - 1 - i"}},
    // Inside of a map, a scalar that is also an element of what is written there by its other name.
    Pattern{"inline-sdfg inline-multistate-sdfg", "transient $p_t: float64[N, 2]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_fill (i) in [0:N]
      n2 = tasklet fill: "o = x; p = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_each (i) in [0:N]
      n6 = nested_sdfg $p_inner
        sdfg $p_inner(r: float64, w: float64[2], o: float64)
          state first
            n0 = access r
            n1 = tasklet half: "y = x / 2 + 1"
            n2 = access w
            n0 -> n1.x : r[0]
            n1.y -> n2 : w[$1]
          state second
            n0 = access r
            n1 = access w
            n2 = tasklet join: "y = a / 2 - b / 4"
            n3 = access o
            n0 -> n2.a : r[0]
            n1 -> n2.b : w[$2]
            n2.y -> n3 : o[0]
          first -> second
    n7 = exit n5
    n8 = access $p_t
    n9 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, 0]
    n2.p -> n3.IN_t : $p_t[i, 1]
    n3.OUT_t -> n4 : $p_t[0:N, 0:2]
    n4 -> n5.IN_t : $p_t[0:N, 0:2]
    n5.OUT_t -> n6.r : $p_t[i, $3]
    n5.OUT_t -> n6.w : $p_t[i, 0:2]
    n6.w -> n7.IN_t : $p_t[i, 0:2]
    n7.OUT_t -> n8 : $p_t[0:N, 0:2]
    n6.o -> n7.IN_d : $d[i]
    n7.OUT_d -> n9 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"0|1", "0|1", "0|1"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> alias_patterns() { return patterns; }

}  // namespace sdfg
