#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    // Elements that a table names are read, and overwritten by the next map.
    Pattern{"map-fusion-vertical map-fusion-horizontal recompute-at-reads inline-fusion local-double-buffering",
            "transient $p_e: int64[N]\n  transient $p_t: float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_table (i) in [0:N]
      n2 = tasklet neighbour: "o = (i + $1) % N"
      n3 = tasklet one: "o = 1 - x"
    n4 = exit n1
    n5 = access $p_e
    n6 = access $p_t
    n7 = map $p_gather (i) in [0:N]
      n8 = tasklet gather: "o = a[j] / 2 + b / 2"
    n9 = exit n7
    n10 = access $p_u
    n11 = map $p_write (i) in [0:N]
      n12 = tasklet write: "o = x + 1 if x < 8 else x / 2"
    n13 = exit n11
    n14 = access $2
    n15 = map $p_again (i) in [0:N]
      n16 = tasklet again: "o = a[j] - b / 2"
    n17 = exit n15
    n18 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1 -> n2
    n1.OUT_s -> n3.x : $s[i]
    n2.o -> n4.IN_e : $p_e[i]
    n3.o -> n4.IN_t : $p_t[i]
    n4.OUT_e -> n5 : $p_e[0:N]
    n4.OUT_t -> n6 : $p_t[0:N]
    n5 -> n7.IN_e : $p_e[0:N]
    n6 -> n7.IN_t : $p_t[0:N]
    n7.OUT_e -> n8.j : $p_e[i]
    n7.OUT_t -> n8.a : $p_t[0:N]
    n7.OUT_t -> n8.b : $p_t[$3]
    n8.o -> n9.IN_u : $p_u[i]
    n9.OUT_u -> n10 : $p_u[0:N]
    n10 -> n11.IN_u : $p_u[0:N]
    n11.OUT_u -> n12.x : $p_u[i]
    n12.o -> n13.IN_t : $2[i]
    n13.OUT_t -> n14 : $2[0:N]
    n14 -> n15.IN_t : $2[0:N]
    n5 -> n15.IN_e : $p_e[0:N]
    n10 -> n15.IN_u : $p_u[0:N]
    n15.OUT_t -> n16.a : $2[0:N]
    n15.OUT_e -> n16.j : $p_e[$3]
    n15.OUT_u -> n16.b : $p_u[i]
    n16.o -> n17.IN_d : $d[i]
    n17.OUT_d -> n18 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"1|N - 1|3", "$p_t|V", "i|N - 1 - i|0"}},
    // Scattered sums, from zero or from what is there.
    Pattern{"map-fusion-vertical state-fusion accumulate-transient map-fission",
            "transient $p_t: float64[N]\n  transient $p_e: int64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_start (i) in [0:N]
      n2 = tasklet start: "o = $1"
      n3 = tasklet where: "o = (i * 2) % N"
    n4 = exit n1
    n5 = access $p_t
    n6 = access $p_e
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n1 -> n3
    n2.o -> n4.IN_t : $p_t[i]
    n3.o -> n4.IN_e : $p_e[i]
    n4.OUT_t -> n5 : $p_t[0:N]
    n4.OUT_e -> n6 : $p_e[0:N]
  state $p_sum
    n0 = access $s
    n1 = access $p_e
    n2 = map $p_scatter (i) in [0:N] {schedule = Sequential}
      n3 = tasklet scatter: "o[j] = x / 4"
    n4 = exit n2
    n5 = access $p_t
    n0 -> n2.IN_s : $s[0:N]
    n1 -> n2.IN_e : $p_e[0:N]
    n2.OUT_s -> n3.x : $s[i]
    n2.OUT_e -> n3.j : $p_e[$2]
    n3.o -> n4.IN_t : $p_t[0:N] {dynamic = true, wcr = "lambda x, y: x + y"}
    n4.OUT_t -> n5 : $p_t[0:N] {dynamic = true, wcr = "lambda x, y: x + y"}
  state $p_out
    n0 = access $p_t
    n1 = map $p_use (i) in [0:N]
      n2 = tasklet use: "o = x if x < 64 else 64"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:N]
    n1.OUT_t -> n2.x : $p_t[i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_sum\n  $p_sum -> $p_out", {"0 * x|x|1 - x", "i|N - 1 - i"}},
    // A nested SDFG sees a window, under names that mean something else outside.
    Pattern{"inline-sdfg inline-multistate-sdfg map-fusion-vertical scalar-to-symbol-promotion",
            "transient $p_t: float64[N + 1] {strides = [2], total_size = 2*N + 2}\n  transient $p_u: float64[2, N] {strides = [1, 2]}", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N + 1]
      n2 = tasklet one: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_calls (j) in [0:N]
      n6 = nested_sdfg $p_inner with (N = $1, i = j, j = N - 1 - j)
        sdfg $p_inner(w: float64[2] {strides = [2], total_size = 3}, r: float64[2], z: float64)
          symbol N: int64
          symbol i: int64
          symbol j: int64
          transient x: float64
          state first
            n0 = access w
            n1 = tasklet f: "o = a + N if i > j else a - i"
            n2 = access x
            n0 -> n1.a : w[$2]
            n1.o -> n2 : x[0]
          conditional which
            branch low if "i < N"
              state low_state
                n0 = access x
                n1 = access r
                n0 -> n1 : x[0] -> [0]
            branch high
              state high_state
                n0 = access w
                n1 = access r
                n0 -> n1 : w[1] -> [0]
          state last
            n0 = access r
            n1 = access w
            n2 = tasklet h: "o = a / 2 + b / 4"
            n3 = access z
            n4 = access r
            n0 -> n2.a : r[0]
            n1 -> n2.b : w[$2]
            n2.o -> n3 : z[0]
            n1 -> n4 : w[0] -> [1]
          first -> which
          which -> last
    n7 = exit n5
    n8 = access $p_u
    n9 = access V
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[min(i, N - 1)]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N + 1]
    n4 -> n5.IN_t : $p_t[0:N + 1]
    n5.OUT_t -> n6.w : $p_t[j:j + 2]
    n6.r -> n7.IN_u : $p_u[0:2, j]
    n6.z -> n7.IN_v : V[$3]
    n7.OUT_u -> n8 : $p_u[0:2, 0:N]
    n7.OUT_v -> n9 : V[0:N]
  state $p_out
    n0 = access $p_u
    n1 = access V
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2 - z / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_u : $p_u[0:2, 0:N]
    n1 -> n2.IN_v : V[0:N]
    n2.OUT_u -> n3.x : $p_u[0, i]
    n2.OUT_u -> n3.y : $p_u[1, $4]
    n2.OUT_v -> n3.z : V[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_out", {"2|K|N", "0|1", "j|N - 1 - j", "i|N - 1 - i"}},
    // Symbols from data: they tell ranges, elements and how often.
    Pattern{"symbol-propagation scalar-to-symbol-promotion loop-unrolling constant-propagation state-fusion",
            "transient $p_t: float64[N]\n  transient $p_n: int64\n  symbol $p_k: int64\n  symbol $p_j: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
  state $p_change
    n0 = access I
    n1 = tasklet get: "o = x + 1"
    n2 = access $p_n
    n3 = access $p_t
    n4 = map $p_part (i) in [$p_k:N]
      n5 = tasklet part: "o = 1 - x"
    n6 = exit n4
    n7 = access $1
    n0 -> n1.x : I[$p_k]
    n1.o -> n2 : $p_n[0]
    n3 -> n4.IN_t : $p_t[0:N]
    n4.OUT_t -> n5.x : $p_t[i]
    n5.o -> n6.IN_d : $1[i]
    n6.OUT_d -> n7 : $1[$p_k:N]
  loop $p_again ($p_j) from "$p_j = $2" while "$p_j < $p_n" next "$p_j = $p_j + 1"
    conditional enough
      branch yes if "$p_t[$p_k] > $p_j"
        break on
    state body
      n0 = access $1
      n1 = tasklet minus: "o = x / 2 - $p_k"
      n2 = access $d
      n0 -> n1.x : $1[$p_j]
      n1.o -> n2 : $d[$p_k]
    enough -> body
  state $p_out
    n0 = access $p_t
    n1 = access W
    n0 -> n1 : $p_t[$p_k] -> [$3])", "$p_in -> $p_change set $p_k = I[$4]\n  $p_change -> $p_again\n  $p_again -> $p_out$5",
            {"$p_t|$d", "0|$p_k", "$p_k|0", "0|2", "| set $p_k = $p_n - 1"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> place_patterns() { return patterns; }

}  // namespace sdfg
