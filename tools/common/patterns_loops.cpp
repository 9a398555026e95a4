#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// Loops that do more than count from 0: further symbols, which init and update assign, other ends,
// a body that sets what the loop counts, an early return.
// clang-format off
constexpr std::array patterns{
    // A window goes through a buffer; where it stands, a second symbol says.
    Pattern{"redundant-array-elimination copy-chain-elimination write-back-elimination self-copy-elimination loop-unrolling loop-peeling symbol-propagation",
            "symbol $p_k: int64\n  symbol $p_j: int64\n  transient $p_t: float64[2]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n2 = access $p_t
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[1:3] -> [0:2]
  loop $p_walk ($p_k) from "$p_k = 0\n$p_j = $1" while "$p_k < 3" next "$2"
    state read
      n0 = access $p_t
      n1 = access $3
      n0 -> n1 : $p_t[0:2] -> [$4:$4 + 2]
    state body
      n0 = access $5
      n1 = access $p_t
      n2 = access $d
      n0 -> n1 : $5[$p_j:$p_j + 2] -> [0:2]
      n1 -> n2 : $p_t[0:2] -> [$p_j:$p_j + 2]
    read -> body
  state $p_out)", "$p_in -> $p_walk\n  $p_walk -> $p_out",
            {"0|1|2", "$p_k = $p_k + 1\\n$p_j = 2 - $p_j|$p_k = $p_k + 1\\n$p_j = $p_k - 1|$p_j = $p_k\\n$p_k = $p_k + 1|$p_k = $p_k + 1\\n$p_j = ($p_j + 1) % 3", "W|$d|V", "$p_j|$p_k|0", "$s|V|W"}},
    // Rows of an array, one for each round, from another row, which a second symbol tells; the body may
    // assign it, too.
    Pattern{"move-loop-into-map loop-to-map loop-unrolling loop-peeling local-double-buffering inline-control-flow-regions",
            "symbol $p_k: int64\n  symbol $p_j: int64\n  transient $p_u: float64[5, N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_fill (r, i) in [0:5, 0:N]
      n2 = tasklet fill: "o = x / 2 + r"
    n3 = exit n1
    n4 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_u : $p_u[r, i]
    n3.OUT_u -> n4 : $p_u[0:5, 0:N]
  loop $p_down ($p_k) from "$1" while "$p_k < 4" next "$2"
    state body
      n0 = access $p_u
      n1 = map $p_map (i) in [$3:N]
        n2 = tasklet minus: "o = 1 - x / 2 + $p_j"
      n3 = exit n1
      n4 = access $p_u
      n0 -> n1.IN_u : $p_u[$p_j, 0:N]
      n1.OUT_u -> n2.x : $p_u[$p_j, $4]
      n2.o -> n3.IN_u : $p_u[$p_k, i]
      n3.OUT_u -> n4 : $p_u[$p_k, 0:N]
    state late
    body -> late$5
  state $p_out
    n0 = access $p_u
    n1 = map $p_join (i) in [0:N]
      n2 = tasklet join: "o = x / 2 + y / 4 + z / 4 + $p_k - $p_j"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_u : $p_u[0:5, 0:N]
    n1.OUT_u -> n2.x : $p_u[3, i]
    n1.OUT_u -> n2.y : $p_u[2, i]
    n1.OUT_u -> n2.z : $p_u[$p_j, i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_down\n  $p_down -> $p_out",
            {"$p_j = 0\\n$p_k = 1|$p_k = 1\\n$p_j = $p_k - 1|$p_j = 4\\n$p_k = 0", "$p_k = $p_k + 1\\n$p_j = $p_k - 1|$p_j = $p_k\\n$p_k = $p_k + 1|$p_k = $p_k + 1\\n$p_j = ($p_k + 2) % 4|$p_k = $p_k + 1", "0|$p_j|$p_k", "i|N - 1 - i", "|| set $p_j = ($p_k + 3) % 5| set $p_k = $p_k + 1| set $p_j = $p_j % 2"}},
    // A scan in a map that reads levels in another order than it writes them.
    Pattern{"scan-unrolling map-fusion-into-scan inline-multistate-sdfg map-to-loop move-loop-into-map",
            "constant $p_n: int64 = 2\n  constant $p_w: float64[4] = {\"type\": \"ndarray\", \"data\": [0.25, 0.5, 1.0, -1.0]}\n"
            "  transient $p_t: float64[N, K + 1]\n  transient $p_v: float64[N, K]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_levels (i, k) in [0:N, 0:K + 1]
      n2 = tasklet level: "o = x / 2 + k$5"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_columns (i) in [0:N]
      n6 = nested_sdfg $p_scan with (L = K, N, i, j = 0)
        sdfg $p_scan(w: float64[L], t: float64[N, L + 1])
          symbol L: int64
          symbol N: int64
          symbol i: int64
          symbol j: int64
          transient c: float64
          state begin
            n0 = tasklet zero: "o = 0"
            n1 = access c
            n0.o -> n1 : c[0]
          loop scan_k (k) from "k = 0\nj = $1" while "k < L" next "k = k + 1\nj = $2"
            state body
              n0 = access t
              n1 = access c
              n2 = tasklet halve: "o = x / 2 + z / 2 + $3"
              n3 = access c
              n4 = access w
              n0 -> n2.x : t[i, $4]
              n1 -> n2.z : c[0]
              n2.o -> n3 : c[0]
              n3 -> n4 : c[0] -> [k]
          begin -> scan_k
    n7 = exit n5
    n8 = access $p_v
    n9 = map $p_use (i) in [0:N]
      n10 = tasklet use: "o = x / 2 + y / 2"
    n11 = exit n9
    n12 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:K + 1]
    n4 -> n5.IN_t : $p_t[0:N, 0:K + 1]
    n5.OUT_t -> n6.t : $p_t[0:N, 0:K + 1]
    n6.w -> n7.IN_w : $p_v[i, 0:K]
    n7.OUT_w -> n8 : $p_v[0:N, 0:K]
    n8 -> n9.IN_w : $p_v[0:N, 0:K]
    n9.OUT_w -> n10.x : $p_v[i, K - 1]
    n9.OUT_w -> n10.y : $p_v[i, 1]
    n10.o -> n11.IN_d : $d[i]
    n11.OUT_d -> n12 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"0|1|L", "k|k - 1|L - k|(j + 1) % 2|(j + 2) % 3", "k|j|0", "j|k|k + 1", "| + $p_n| * $p_w[k % 4]"}},
    // Tested behind the body, before or behind the update; how often it ran shows afterwards.
    Pattern{"loop-unrolling loop-peeling loop-to-map empty-loop-elimination symbol-propagation move-loop-into-map constant-propagation",
            "symbol $p_k: int64\n  transient $p_u: float64[N + 1]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n2 = access $p_u
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [1:N + 1]
    n0 -> n2 : $s[0] -> [0]
  loop $p_until ($p_k) from "$p_k = $1" while "$p_k < $2" next "$p_k = $p_k + $3" {inverted = true$5}
    state body
      n0 = access $4
      n1 = map $p_map (i) in [$p_k:N]
        n2 = tasklet minus: "o = 1 - x"
      n3 = exit n1
      n4 = access $p_u
      n0 -> n1.IN_u : $4[0:N]
      n1.OUT_u -> n2.x : $4[i]
      n2.o -> n3.IN_u : $p_u[i]
      n3.OUT_u -> n4 : $p_u[$p_k:N]
  state $p_out
    n0 = access $p_u
    n1 = tasklet late: "o = x + $p_k"
    n2 = access $d
    n0 -> n1.x : $p_u[$p_k]
    n1.o -> n2 : $d[min($p_k, N - 1)])", "$p_in -> $p_until\n  $p_until -> $p_out",
            {"0|1|2", "0|2|3|$p_k", "1|2", "$s|$p_u|$d", ", update_before_condition = false||, update_before_condition = true"}},
    // A nested SDFG that returns early: from a branch, or in the middle of a loop.
    Pattern{"inline-sdfg inline-multistate-sdfg lift-trivial-if fuse-conditionals continue-to-condition scalar-copy-elimination dead-state-elimination",
            "transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_calls (i) in [0:N]
      n6 = nested_sdfg $p_inner with (i, n = $1)
        sdfg $p_inner(x: float64, y: float64, z: float64)
          symbol i: int64
          symbol n: int64
          state first
            n0 = access x
            n1 = access y
            n2 = tasklet half: "o = a / 2"
            n3 = access z
            n0 -> n1 : x[0] -> [0]
            n0 -> n2.a : x[0]
            n2.o -> n3 : z[0]
          conditional leave
            branch yes if "$2"
              return done
          loop again (k) from "k = 0" while "k < 3" next "k = k + 1"
            state body
              n0 = access y
              n1 = tasklet more: "o = a / 2 + $3"
              n2 = access y
              n0 -> n1.a : y[0]
              n1.o -> n2 : y[0]
            conditional enough
              branch yes if "$4"
                return done
            body -> enough
          state last
            n0 = access y
            n1 = access z
            n2 = tasklet last: "o = a / 2 + b / 4"
            n3 = access z
            n0 -> n2.a : y[0]
            n1 -> n2.b : z[0]
            n2.o -> n3 : z[0]
          first -> leave
          leave -> again
          again -> last
    n7 = exit n5
    n8 = access $d
    n9 = access W
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5.IN_t : $p_t[0:N]
    n5.OUT_t -> n6.x : $p_t[i]
    n6.y -> n7.IN_d : $d[i]
    n6.z -> n7.IN_w : W[i]
    n7.OUT_d -> n8 : $d[0:N]
    n7.OUT_w -> n9 : W[0:N]
  state $p_out)", "$p_in -> $p_out", {"N|K|i", "x > 1|i == n - 2|n < 6|1 > 2", "k|i", "k == 1|y > 1|k + i > n|2 > 1"}},
    // The same at the level of the program's states: a break out of one loop goes on in the other.
    Pattern{"loop-unrolling loop-peeling inline-control-flow-regions move-before-conditional state-fusion block-fusion dead-dataflow-elimination",
            "symbol $p_k: int64\n  symbol $p_j: int64\n  transient $p_t: float64\n  transient $p_u: float64[3, 3]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n2 = access $p_t
    n3 = map $p_zero (i, j) in [0:3, 0:3]
      n4 = tasklet zero: "o = i"
    n5 = exit n3
    n6 = access $p_u
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[N - 1] -> [0]
    n3 -> n4
    n4.o -> n5.IN_u : $p_u[i, j]
    n5.OUT_u -> n6 : $p_u[0:3, 0:3]
  loop $p_outer ($p_k) from "$p_k = 0" while "$p_k < 3" next "$p_k = $p_k + 1"
    loop inner ($p_j) from "$p_j = $1" while "$p_j < 3" next "$p_j = $p_j + 1"
      conditional $3
        branch yes if "$2"
          $3 on
      state body
        n0 = access $d
        n1 = tasklet turn: "o = 1 - x / 2; p = x"
        n2 = access $p_t
        n3 = access $p_u
        n0 -> n1.x : $d[$4]
        n1.o -> n2 : $p_t[0]
        n1.p -> n3 : $p_u[$p_k, $p_j]
      $3 -> body
    state behind
      n0 = access $p_t
      n1 = access $p_u
      n2 = tasklet join: "o = x + y / 2"
      n3 = access $d
      n0 -> n2.x : $p_t[0]
      n1 -> n2.y : $p_u[$5, 1]
      n2.o -> n3 : $d[$p_k]
    inner -> behind
  state $p_out)", "$p_in -> $p_outer\n  $p_outer -> $p_out",
            {"0|$p_k|2 - $p_k", "$p_j == 1|$p_k == $p_j|$p_t > 1|$p_k + $p_j > 3", "break|continue", "$p_j|$p_k|N - 1", "$p_k|2 - $p_k|0"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> loop_patterns() { return patterns; }

}  // namespace sdfg
