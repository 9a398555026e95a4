#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    // Branches write what is copied behind them.
    Pattern{"distributed-buffer-relocation write-back-elimination",
            "transient $p_t: float64[N]", R"(
  state $p_in
  conditional $p_if
    branch yes if "N > 6"
      state a
        n0 = access $s
        n1 = access $p_t
        n0 -> n1 : $s[0:N] -> [0:N]
    branch no
      state b
        n0 = map $p_map (i) in [0:N]
          n1 = tasklet number: "o = i"
        n2 = exit n0
        n3 = access $p_t
        n0 -> n1
        n1.o -> n2.IN_t : $p_t[i]
        n2.OUT_t -> n3 : $p_t[0:N]
  state $p_out
    n0 = access $p_t
    n1 = access $d
    n0 -> n1 : $p_t[0:N] -> [0:N])", "$p_in -> $p_if\n  $p_if -> $p_out"},
    // A loop of edges, and one that goes on early.
    Pattern{"continue-to-condition control-flow-raising loop-unrolling",
            "symbol $p_k: int64\n  symbol $p_j: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_guard
  state $p_body
    n0 = access $d
    n1 = tasklet minus: "o = 1 - x"
    n2 = access $d
    n0 -> n1.x : $d[$p_k]
    n1.o -> n2 : $d[$p_k]
  state $p_end
  loop $p_again ($p_j) from "$p_j = 0" while "$p_j < 4" next "$p_j = $p_j + 1"
    conditional skip
      branch yes if "$p_j == 2"
        continue on
    state body
      n0 = access $d
      n1 = tasklet plus: "o = x + 1 if x < 8 else x / 2"
      n2 = access $d
      n0 -> n1.x : $d[$p_j]
      n1.o -> n2 : $d[$p_j]
    skip -> body
  state $p_out)", "$p_in -> $p_guard set $p_k = 0\n  $p_guard -> $p_body if \"$p_k < 3\"\n  $p_guard -> $p_end if \"not ($p_k < 3)\"\n  $p_body -> $p_guard set $p_k = $p_k + 1\n  $p_end -> $p_again\n  $p_again -> $p_out"},
    // A scan.
    Pattern{"scan-unrolling",
            "symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  loop scan_$p ($p_k) from "$p_k = 1" while "$p_k < N" next "$p_k = $p_k + 1"
    state body
      n0 = access $d
      n1 = tasklet larger: "o = x if x > y else y"
      n2 = access $d
      n0 -> n1.x : $d[$p_k - 1]
      n0 -> n1.y : $d[$p_k]
      n1.o -> n2 : $d[$p_k]
  state $p_out)", "$p_in -> scan_$p\n  scan_$p -> $p_out"},
    // Scans over levels in a map: down, what another map computes for it; up, what the first left.
    Pattern{"map-fusion-into-scan scan-unrolling",
            "transient $p_t: float64[N, K + 1]\n  transient $p_u: float64[N, K]\n  transient $p_w: float64[N, K]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_levels (k, i) in [0:K + 1, 0:N]
      n2 = tasklet level: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_more (i, j) in [0:N, 0:K]
      n6 = tasklet more: "o = 1 - x"
    n7 = exit n5
    n8 = access $p_u
    n9 = map $p_columns (i) in [0:N]
      n10 = nested_sdfg $p_down with (L = K, N, i)
        sdfg $p_down(w: float64[L], t: float64[N, L + 1], u: float64[N, L], s: float64[N])
          symbol L: int64
          symbol N: int64
          symbol i: int64
          transient c: float64
          state begin
            n0 = tasklet zero: "o = 0"
            n1 = access c
            n0.o -> n1 : c[0]
          loop scan_k (k) from "k = 0" while "k < L" next "k = k + 1"
            state body
              n0 = access t
              n1 = access u
              n2 = access c
              n3 = tasklet halve: "o = x / 2 + y / 4 + z / 2 - v"
              n4 = access c
              n5 = access w
              n6 = access s
              n0 -> n3.x : t[i, k + 1]
              n1 -> n3.y : u[i, k]
              n2 -> n3.z : c[0]
              n6 -> n3.v : s[N - 1 - i]
              n3.o -> n4 : c[0]
              n4 -> n5 : c[0] -> [k]
          begin -> scan_k
    n11 = exit n9
    n12 = access $p_w
    n13 = map $p_back (i) in [0:N]
      n14 = nested_sdfg $p_up with (L = K, N, i)
        sdfg $p_up(e: float64, w: float64[N, L])
          symbol L: int64
          symbol N: int64
          symbol i: int64
          transient c: float64
          state begin
            n0 = tasklet zero: "o = 0"
            n1 = access c
            n0.o -> n1 : c[0]
          loop scan_k (k) from "k = L - 1" while "k >= 0" next "k = k - 1"
            state body
              n0 = access w
              n1 = access c
              n2 = tasklet halve: "o = x / 2 + y / 2"
              n3 = access c
              n0 -> n2.x : w[i, k]
              n1 -> n2.y : c[0]
              n2.o -> n3 : c[0]
          state end
            n0 = access c
            n1 = access e
            n0 -> n1 : c[0] -> [0]
          begin -> scan_k
          scan_k -> end
    n15 = exit n13
    n16 = access $d
    n17 = access $s
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:K + 1]
    n17 -> n5.IN_s : $s[0:N]
    n0 -> n9.IN_s : $s[0:N]
    n9.OUT_s -> n10.s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i]
    n6.o -> n7.IN_u : $p_u[i, j]
    n7.OUT_u -> n8 : $p_u[0:N, 0:K]
    n4 -> n9.IN_t : $p_t[0:N, 0:K + 1]
    n9.OUT_t -> n10.t : $p_t[0:N, 0:K + 1]
    n8 -> n9.IN_u : $p_u[0:N, 0:K]
    n9.OUT_u -> n10.u : $p_u[0:N, 0:K]
    n10.w -> n11.IN_w : $p_w[i, 0:K]
    n11.OUT_w -> n12 : $p_w[0:N, 0:K]
    n12 -> n13.IN_w : $p_w[0:N, 0:K]
    n13.OUT_w -> n14.w : $p_w[0:N, 0:K]
    n14.e -> n15.IN_d : $d[i]
    n15.OUT_d -> n16 : $d[0:N]
  state $p_out)"},
    // Choices by one value, and work that one branch needs.
    Pattern{"move-into-if-body fuse-conditionals tasklet-fusion",
            "transient $p_x: float64\n  transient $p_y: float64\n  transient $p_z: float64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet work: "o = x + 1 if x < 8 else x / 2"
      n3 = access $p_x
      n4 = nested_sdfg $p_first
        sdfg $p_first(c: float64, u: float64, v: float64)
          conditional choose
            branch yes if "c > 0"
              state a
                n0 = access u
                n1 = access v
                n0 -> n1 : u[0] -> [0]
            branch no
              state b
                n0 = tasklet zero: "o = 0"
                n1 = access v
                n0.o -> n1 : v[0]
      n5 = nested_sdfg $p_second
        sdfg $p_second(c: float64, z: float64)
          conditional choose
            branch yes if "c > 0"
              state a
                n0 = tasklet one: "o = 1"
                n1 = access z
                n0.o -> n1 : z[0]
            branch no
              state b
                n0 = tasklet two: "o = 2"
                n1 = access z
                n0.o -> n1 : z[0]
      n6 = access $p_y
      n7 = access $p_z
      n8 = tasklet join: "o = x if y > 1 else 1 - x"
    n9 = exit n1
    n10 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3 : $p_x[0]
    n1.OUT_s -> n4.c : $s[i]
    n3 -> n4.u : $p_x[0]
    n4.v -> n6 : $p_y[0]
    n1.OUT_s -> n5.c : $s[i]
    n5.z -> n7 : $p_z[0]
    n6 -> n8.x : $p_y[0]
    n7 -> n8.y : $p_z[0]
    n8.o -> n9.IN_d : $d[i]
    n9.OUT_d -> n10 : $d[0:N]
  state $p_out)"},
    // Accumulated by tiles; a scalar that decides, and copies of scalars.
    Pattern{"accumulate-transient scalar-copy-elimination scalar-to-symbol-promotion dead-state-elimination out-local-storage",
            "transient $p_r: float64[1]\n  transient $p_n: int64\n  transient $p_a: float64\n  transient $p_b: float64", R"(
  state $p_in
    n0 = tasklet zero: "o = 0"
    n1 = access $p_r
    n2 = access I
    n3 = tasklet get: "o = x + 1"
    n4 = access $p_n
    n0.o -> n1 : $p_r[0]
    n2 -> n3.x : I[2]
    n3.o -> n4 : $p_n[0]
  state $p_sum
    n0 = access $s
    n1 = map $p_tiles (ti) in [0:N:4]
      n2 = map $p_points (i) in [ti:min(ti + 4, N)]
        n3 = tasklet take: "o = x"
      n4 = exit n2
    n5 = exit n1
    n6 = access $p_r
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.IN_s : $s[ti:min(ti + 4, N)]
    n2.OUT_s -> n3.x : $s[i]
    n3.o -> n4.IN_r : $p_r[0] {wcr = "lambda x, y: x + y"}
    n4.OUT_r -> n5.IN_r : $p_r[0] {wcr = "lambda x, y: x + y"}
    n5.OUT_r -> n6 : $p_r[0] {wcr = "lambda x, y: x + y"}
  state $p_use
    n0 = access $s
    n1 = access $p_r
    n2 = access $p_n
    n3 = map $p_map (i) in [0:N]
      n4 = access $p_a
      n5 = access $p_b
      n6 = tasklet choose: "o = x if r > m else 1 - x"
    n7 = exit n3
    n8 = access $d
    n0 -> n3.IN_s : $s[0:N]
    n1 -> n3.IN_r : $p_r[0]
    n2 -> n3.IN_n : $p_n[0]
    n3.OUT_s -> n4 : $s[i] -> [0]
    n4 -> n5 : $p_a[0] -> [0]
    n5 -> n6.x : $p_b[0]
    n3.OUT_r -> n6.r : $p_r[0]
    n3.OUT_n -> n6.m : $p_n[0]
    n6.o -> n7.IN_d : $d[i]
    n7.OUT_d -> n8 : $d[0:N]
  state $p_never
    n0 = tasklet five: "o = 5"
    n1 = access $d
    n0.o -> n1 : $d[0]
  state $p_more
    n0 = tasklet three: "o = 3"
    n1 = access $d
    n0.o -> n1 : $d[1]
  state $p_out)", "$p_in -> $p_sum\n  $p_sum -> $p_use\n  $p_use -> $p_never if \"1 > 2\"\n  $p_use -> $p_more if \"$p_n > 2\"\n  $p_use -> $p_out if \"not ($p_n > 2)\"\n  $p_never -> $p_out\n  $p_more -> $p_out"},
    // A loop around a map.
    Pattern{"move-loop-into-map loop-unrolling loop-peeling",
            "transient $p_u: float64[5, N]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_u
    n0 -> n1 : $s[0:N] -> [0, 0:N]
  loop $p_down ($p_k) from "$p_k = 1" while "$p_k < 5" next "$p_k = $p_k + 1"
    state body
      n0 = access $p_u
      n1 = map $p_map (i) in [0:N]
        n2 = tasklet minus: "o = 1 - x"
      n3 = exit n1
      n4 = access $p_u
      n0 -> n1.IN_u : $p_u[$p_k - 1, 0:N]
      n1.OUT_u -> n2.x : $p_u[$p_k - 1, i]
      n2.o -> n3.IN_u : $p_u[$p_k, i]
      n3.OUT_u -> n4 : $p_u[$p_k, 0:N]
  state $p_out
    n0 = access $p_u
    n1 = access $d
    n0 -> n1 : $p_u[4, 0:N] -> [0:N])", "$p_in -> $p_down\n  $p_down -> $p_out"},
    // An integer that chooses elements, ranges and branches.
    Pattern{"scalar-to-symbol-promotion symbol-propagation constant-propagation fuse-conditionals",
            "transient $p_n: $1\n  transient $p_m: int64", R"(
  state $p_in
    n0 = access I
    n1 = tasklet get: "o = $2"
    n2 = access $p_n
    n3 = access $s
    n4 = access $d
    n0 -> n1.x : I[$3]
    n1.o -> n2 : $p_n[0]
    n3 -> n4 : $s[0:N] -> [0:N]
  state $p_copy
    n0 = access $p_n
    n1 = access $p_m
    n0 -> n1 : $p_n[0] -> [0]
  conditional $p_if
    branch yes if "$4 > 1"
      state many
        n0 = access $s
        n1 = map $p_map (i) in [0:N]
          n2 = tasklet plus: "o = x / 2 + i"
        n3 = exit n1
        n4 = access $d
        n0 -> n1.IN_s : $s[0:N]
        n1.OUT_s -> n2.x : $s[i]
        n2.o -> n3.IN_d : $d[i]
        n3.OUT_d -> n4 : $d[0:N]
  state $p_use
    n0 = access $p_m
    n1 = access $d
    n2 = map $p_all (i) in [0:N]
      n3 = tasklet use: "o = x + m if i > m else x / 2"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_m : $p_m[0]
    n2.OUT_m -> n3.m : $p_m[0]
    n1 -> n2.IN_d : $d[0:N]
    n2.OUT_d -> n3.x : $d[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N]
  state $p_out)", "$p_in -> $p_copy\n  $p_copy -> $p_if\n  $p_if -> $p_use\n  $p_use -> $p_out",
            {"int64|int64|int64[1]|int32", "x|x + 1|2 * x - 1|4 - x", "0|1|3", "$p_n|$p_m"}},
    // Loops: one that does nothing, and one whose iterations may be independent, in a region.
    Pattern{"empty-loop-elimination loop-to-map loop-peeling inline-control-flow-regions symbol-propagation",
            "symbol $p_k: int64\n  symbol $p_j: int64\n  transient $p_v: float64", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  loop $p_idle ($p_j) from "$p_j = $1" while "$p_j < 3" next "$p_j = $p_j + 1"
    state nothing
  region $p_region
    state begin
    loop work ($p_k) from "$p_k = $2" while "$p_k < N" next "$p_k = $p_k + $3"
      state body
        n0 = access $4
        n1 = tasklet one: "o = 1 - x"
        n2 = access $p_v
        n3 = tasklet two: "o = x / 2 + y / 2"
        n4 = access $d
        n0 -> n1.x : $4[$5]
        n1.o -> n2 : $p_v[0]
        n2 -> n3.x : $p_v[0]
        n0 -> n3.y : $4[0]
        n3.o -> n4 : $d[$p_k]
    begin -> work
  state $p_out
    n0 = tasklet three: "o = $p_j"
    n1 = access $d
    n0.o -> n1 : $d[$2])", "$p_in -> $p_idle\n  $p_idle -> $p_region\n  $p_region -> $p_out",
            {"0|1|5", "0|1", "1|2", "$s|$s|$d", "$p_k|N - 1 - $p_k"}},
    // Work behind a conditional that has more to do with what stands before it.
    Pattern{"move-before-conditional state-fusion block-fusion prune-empty-branches distributed-buffer-relocation",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]\n  transient $p_w: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = x + 1 if x < 8 else x / 2"
      n3 = tasklet two: "o = 1 - x"
    n4 = exit n1
    n5 = access $p_t
    n6 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n1.OUT_s -> n3.x : $s[i]
    n2.o -> n4.IN_t : $p_t[i]
    n3.o -> n4.IN_u : $p_u[i]
    n4.OUT_t -> n5 : $p_t[0:N]
    n4.OUT_u -> n6 : $p_u[0:N]
  conditional $p_if
    branch yes if "N > 6"
      state inside
        n0 = access $p_t
        n1 = access $1
        n0 -> n1 : $p_t[0:$2] -> [0:$2]
    branch no
      state nothing
  state $p_late
    n0 = access $3
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet half: "o = x / 2"
    n3 = exit n1
    n4 = access $p_w
    n0 -> n1.IN_s : $3[0:N]
    n1.OUT_s -> n2.x : $3[i]
    n2.o -> n3.IN_w : $p_w[i]
    n3.OUT_w -> n4 : $p_w[0:N]
  state $p_out
    n0 = access $p_w
    n1 = access $p_u
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_w : $p_w[0:N]
    n1 -> n2.IN_u : $p_u[0:N]
    n2.OUT_w -> n3.x : $p_w[i]
    n2.OUT_u -> n3.y : $p_u[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_if\n  $p_if -> $p_late\n  $p_late -> $p_out",
            {"$p_u|$p_u|V", "N|3", "$s|$s|$p_t|$p_u"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> control_flow_patterns() { return patterns; }

}  // namespace sdfg
