#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    // One dimension becomes two, in either order; the ends of the rows are joined.
    Pattern{"map-promotion map-dim-shuffle map-interchange map-iteration-order set-strides",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N, K]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_two ($1
      n6 = tasklet two: "o = x / 2 + $2"
    n7 = exit n5
    n8 = access $p_u
    n9 = map $p_ends (i) in [0:N]
      n10 = tasklet ends: "o = x / 2 + y / 2"
    n11 = exit n9
    n12 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[$4]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5.IN_t : $p_t[0:N]
    n5.OUT_t -> n6.x : $p_t[$3]
    n6.o -> n7.IN_u : $p_u[i, $2]
    n7.OUT_u -> n8 : $p_u[0:N, 0:K]
    n8 -> n9.IN_u : $p_u[0:N, 0:K]
    n9.OUT_u -> n10.x : $p_u[i, 0]
    n9.OUT_u -> n10.y : $p_u[i, K - 1]
    n10.o -> n11.IN_d : $d[i]
    n11.OUT_d -> n12 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"i, $2) in [0:N, 0:K]|$2, i) in [0:K, 0:N]", "k_vertical|k_local|j_horizontal|k", "i|i|i|N - 1 - i", "i|i|i|N - 1 - i"}},
    // Side by side over ranges that overlap, and a third that reads both.
    Pattern{"map-split-horizontal map-fusion-horizontal map-split-vertical map-dead-range-elimination",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:$1]
      n2 = tasklet one: "o = x + 1 if x < 8 else x / 2"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_two (j) in [$2:N]
      n6 = tasklet two: "o = 1 - x"
    n7 = exit n5
    n8 = access $p_u
    n9 = map $p_low (i) in [0:2]
      n10 = tasklet low: "o = 2 - x"
    n11 = exit n9
    n12 = map $p_high (i) in [2:N]
      n13 = tasklet high: "o = x / 2"
    n14 = exit n12
    n15 = access $d
    n0 -> n1.IN_s : $s[0:$1]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:$1]
    n0 -> n5.IN_s : $s[$2:N]
    n5.OUT_s -> n6.x : $s[j]
    n6.o -> n7.IN_u : $p_u[j]
    n7.OUT_u -> n8 : $p_u[$2:N]
    n4 -> n9.IN_t : $p_t[0:2]
    n9.OUT_t -> n10.x : $p_t[$3]
    n10.o -> n11.IN_d : $d[i]
    n11.OUT_d -> n15 : $d[0:2]
    n8 -> n12.IN_u : $p_u[2:N]
    n12.OUT_u -> n13.x : $p_u[$4]
    n13.o -> n14.IN_d : $d[i]
    n14.OUT_d -> n15 : $d[2:N]
  state $p_out)", "$p_in -> $p_out",
            {"N|N|N - 1|3", "0|1|2", "i|1 - i", "i|i|N + 1 - i"}},
    // Neighbours, read by two maps; sums.
    Pattern{"inline-fusion map-fusion-vertical map-fusion-horizontal merge-access-nodes map-split-vertical",
            "transient $p_t: float64[N]\n  transient $p_r: float64[1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = x / 2 + i"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_near (j) in [$1:N - $2]
      n6 = tasklet near: "o = x / 2 + y / 2"
    n7 = exit n5
    n8 = access $d
    n9 = map $p_low (j) in [0:$1]
      n10 = tasklet low: "o = x"
    n11 = exit n9
    n12 = map $p_high (j) in [N - $2:N]
      n13 = tasklet high: "o = $3"
    n14 = exit n12
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5.IN_t : $p_t[0:N]
    n5.OUT_t -> n6.x : $p_t[j - $1]
    n5.OUT_t -> n6.y : $p_t[j + $2]
    n6.o -> n7.IN_d : $d[j]
    n7.OUT_d -> n8 : $d[$1:N - $2]
    n4 -> n9.IN_t : $p_t[0:$1]
    n9.OUT_t -> n10.x : $p_t[j]
    n10.o -> n11.IN_d : $d[j]
    n11.OUT_d -> n8 : $d[0:$1]
    n0 -> n12.IN_s : $s[N - $2:N]
    n12.OUT_s -> n13.x : $s[j]
    n13.o -> n14.IN_d : $d[j]
    n14.OUT_d -> n8 : $d[N - $2:N]
  state $p_out)", "$p_in -> $p_out",
            {"0|1|2", "0|1|2", "x|1 - x|5"}},
    // Two computations in a map, with a scalar or a row of its own between them.
    Pattern{"map-fission map-fusion-vertical map-fusion-horizontal map-dim-shuffle",
            "transient $p_v: float64\n  transient $p_w: float64[$1]\n  transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet one: "o = 1 - x"
      n3 = access $p_v
      n4 = map $p_row (j) in [0:$1]
        n5 = tasklet two: "o = x / 2 + j"
      n6 = exit n4
      n7 = access $p_w
      n8 = tasklet three: "o = x / 2 + y"
      n9 = tasklet four: "o = $2"
    n10 = exit n1
    n11 = access $p_t
    n12 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3 : $p_v[0]
    n3 -> n4.IN_v : $p_v[0]
    n4.OUT_v -> n5.x : $p_v[0]
    n5.o -> n6.IN_w : $p_w[j]
    n6.OUT_w -> n7 : $p_w[0:$1]
    n7 -> n8.x : $p_w[$1 - 1]
    n1.OUT_s -> n8.y : $s[$3]
    n8.o -> n10.IN_d : $d[i]
    n3 -> n9.x : $p_v[0]
    n9.o -> n10.IN_t : $p_t[i]
    n10.OUT_d -> n12 : $d[0:N]
    n10.OUT_t -> n11 : $p_t[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"2|3|K", "x / 2|1 - x", "i|N - 1 - i|0"}},
    // Maps of few points, with a scalar of their own.
    Pattern{"map-unroll map-collapse map-expansion trivial-map-elimination trivial-dimension-folding",
            "transient $p_v: float64", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_more
    n0 = access $s
    n1 = map $p_few (i) in [$1]
      n2 = tasklet one: "o = x / 2 + i"
      n3 = access $p_v
      n4 = map $p_one (j) in [$2]
        n5 = tasklet two: "o = x + j / 8"
      n6 = exit n4
    n7 = exit n1
    n8 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3 : $p_v[0]
    n3 -> n4.IN_v : $p_v[0]
    n4.OUT_v -> n5.x : $p_v[0]
    n5.o -> n6.IN_d : $d[i + j]
    n6.OUT_d -> n7.IN_d : $d[i:i + 2]
    n7.OUT_d -> n8 : $d[0:4]
  state $p_out)", "$p_in -> $p_more\n  $p_more -> $p_out",
            {"0:3:2|0:1|2|1|0:3:3", "0|1|0:1|1:2|0:2:2"}},
    // Constants computed outside.
    Pattern{"move-tasklet-into-map tasklet-fusion map-fusion-horizontal merge-access-nodes",
            "transient $p_v: float64\n  transient $p_t: float64[N]\n  transient $p_w: $2", R"(
  state $p_in
    n0 = tasklet number: "o = $1"
    n1 = access $p_v
    n2 = access $s
    n3 = map $p_one (i) in [0:N]
      n4 = tasklet one: "o = x / 2 + v"
    n5 = exit n3
    n6 = access $p_t
    n7 = access $p_w
    n8 = map $p_two (j) in [0:N]
      n9 = tasklet two: "o = x + 1 if y < 8 else x / 2"
    n10 = exit n8
    n11 = access $d
    n0.o -> n1 : $p_v[0]
    n1 -> n7 : $p_v[0] -> [0]
    n1 -> n3.IN_v : $p_v[0]
    n2 -> n3.IN_s : $s[0:N]
    n3.OUT_v -> n4.v : $p_v[0]
    n3.OUT_s -> n4.x : $s[i]
    n4.o -> n5.IN_t : $p_t[i]
    n5.OUT_t -> n6 : $p_t[0:N]
    $3
    n6 -> n8.IN_t : $p_t[0:N]
    n8.OUT_t -> n9.y : $p_t[j]
    n10.OUT_d -> n11 : $d[0:N]
    n9.o -> n10.IN_d : $d[j]
  state $p_out)", "$p_in -> $p_out",
            {"4|N|0.5", "float64|float64[1]|float32", "n7 -> n8.IN_w : $p_w[0]\n    n8.OUT_w -> n9.x : $p_w[0]|n1 -> n8.IN_w : $p_v[0]\n    n8.OUT_w -> n9.x : $p_v[0]"}},
    // Several ways into a map, and out of it.
    Pattern{"consolidate-edges map-fusion-horizontal map-tiling in-local-storage out-local-storage",
            "", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N - 1]
      n2 = tasklet join: "o = x / 2 + y / 2"
      n3 = tasklet last: "o = x if i == 0 else y"
    n4 = exit n1
    n5 = access V
    n6 = map $p_use (i) in [0:N]
      n7 = tasklet use: "o = 1 - x if x > y else 2 - y"
    n8 = exit n6
    n9 = access $d
    n0 -> n1.IN_s : $s[$1]
    n0 -> n1.IN_r : $s[$2]
    n1.OUT_s -> n2.x : $s[i]
    n1.OUT_r -> n2.y : $s[i + 1]
    n1.OUT_s -> n3.x : $s[0]
    n1.OUT_s -> n3.y : $s[i]
    n2.o -> n4.IN_v : V[i + 1]
    n4.OUT_v -> n5 : V[1:N]
    n3.o -> n4.IN_w : W[i]
    n10 = access W
    n4.OUT_w -> n10 : W[0:N - 1]
    n5 -> n6.IN_v : V[1:N]
    n5 -> n6.IN_u : V[$3]
    n6.OUT_v -> n7.x : V[max(i, 1)]
    n6.OUT_u -> n7.y : V[2]
    n7.o -> n8.IN_d : $d[i]
    n8.OUT_d -> n9 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"0:N|0:N - 1", "1:N|0:N", "1:N|2:N|1:3"}},
    // An element is read by two tasklets of a point, one of which writes it, behind the other or in
    // no order.
    Pattern{"local-double-buffering map-fission",
            "transient $p_t: float64[N]\n  transient $p_v: float64", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_more
    n0 = access $d
    n1 = map $p_map (i) in [$1:N]
      n2 = tasklet keep: "o = $2"
      n3 = tasklet change: "o = x / 2 + $3"
    n4 = exit n1
    n5 = access $d
    n6 = access $p_t
    n0 -> n1.IN_d : $d[$1:N]
    n1.OUT_d -> n2.x : $d[i]
    n1.OUT_d -> n3.x : $d[i]
    $4n2.o -> n4.IN_t : $p_t[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[$1:N]
    n4.OUT_t -> n6 : $p_t[$1:N]
  state $p_out
    n0 = access $p_t
    n1 = access V
    n0 -> n1 : $p_t[$1:N] -> [$1:N])", "$p_in -> $p_more\n  $p_more -> $p_out",
            {"0|1|2", "x / 2|1 - x|x", "0|i|1", "n2 -> n3\n    |"}},
    // Reductions by library nodes.
    Pattern{"expand-reduce map-fusion-vertical",
            "transient $p_t: float64[N, N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i, j) in [0:N, 0:N]
      n2 = tasklet level: "o = x / 2 + j"
    n3 = exit n1
    n4 = access $p_t
    n5 = library dace.libraries.standard.nodes.reduce.Reduce sum {name = "Reduce", extras = {axes = raw "[$1]", $2}}
    n6 = access $p_u
    n7 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, j]
    n3.OUT_t -> n4 : $p_t[0:N, 0:N]
    n4 -> n5 : $p_t[0:N, 0:N]
    n5 -> n6 : $p_u[0:N]
    n6 -> n7 : $p_u[0:N] -> [0:N]
  state $p_out)", "$p_in -> $p_out",
            {"0|1", "identity = \"0\", wcr = \"(lambda a, b: (a + b))\"|identity = \"-1000\", wcr = \"(lambda a, b: max(a, b))\"|identity = \"1000\", wcr = \"(lambda a, b: min(a, b))\""}},
    // Ranges that depend on parameters of the same map.
    Pattern{"map-expansion map-interchange map-dim-shuffle map-fusion-vertical map-to-loop map-tiling strip-mining map-unroll map-split-horizontal",
            "transient $p_t: float64[N, N]", R"(
  state $p_in
    n0 = map $p_clear (i, j) in [0:N, 0:N]
      n1 = tasklet clear: "o = 0"
    n2 = exit n0
    n3 = access $p_t
    n0 -> n1
    n1.o -> n2.IN_t : $p_t[i, j]
    n2.OUT_t -> n3 : $p_t[0:N, 0:N]
  state $p_some
    n0 = access $s
    n1 = map $p_tri (i, j) in [$1]
      n2 = tasklet some: "o = x / 2 + y / 4 + j"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n1.OUT_s -> n2.y : $s[j]
    n2.o -> n3.IN_t : $p_t[i, j]
    n3.OUT_t -> n4 : $p_t[0:N, 0:N]
  state $p_out
    n0 = access $p_t
    n1 = map $p_join (i) in [0:N]
      n2 = tasklet join: "o = x / 2 + y / 2"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:N, 0:N]
    n1.OUT_t -> n2.x : $p_t[i, $2]
    n1.OUT_t -> n2.y : $p_t[$3, i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_some\n  $p_some -> $p_out",
            {"0:N, i:N|0:N, 0:i + 1|1:N, i - 1:N:2|0:N, i:min(N, i + 2)|0:N, N - i - 1:N", "i|N - 1|0", "0|i|N - 1 - i"}},
    // Code that hands values to code by connectors alone, in maps and outside, beside what it writes.
    Pattern{"tasklet-fusion map-fission map-fusion-vertical map-fusion-into-scan inline-fusion recompute-at-reads map-to-loop move-tasklet-into-map move-into-if-body dead-dataflow-elimination gpu-transformation map-expansion strip-mining in-local-storage out-local-storage state-fusion move-loop-into-map",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]\n  transient $p_x: float64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_chain (i) in [0:N]
      n2 = tasklet first: "b = a / 2; e = 1 - a; f = e / 2"
      n3 = tasklet second: "d = c + 1"
      n4 = tasklet third: "o = $1"
    n5 = exit n1
    n6 = access $p_t
    n7 = access $p_u
    n8 = tasklet lone: "v = 3"
    n9 = tasklet halved: "w = v / 2$2"
    n10 = access $p_x
    n11 = map $p_use (i) in [0:N]
      n12 = tasklet begin: "o = a / 2 + k"
      n13 = tasklet end: "r = q / 2 + z"
    n14 = exit n11
    n15 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.a : $s[i]
    n2.b -> n3.c
    n2.e -> n4.y
    n3.d -> n4.x
    n4.o -> n5.IN_t : $p_t[$3]
    n2.f -> n5.IN_u : $p_u[i]
    n5.OUT_t -> n6 : $p_t[0:N]
    n5.OUT_u -> n7 : $p_u[0:N]
    n8.v -> n9.v
    n0 -> n9.s : $s[$4]
    n9.w -> n10 : $p_x[0]
    n6 -> n11.IN_t : $p_t[0:N]
    n7 -> n11.IN_u : $p_u[0:N]
    n10 -> n11.IN_x : $p_x[0]
    n11.OUT_t -> n12.a : $p_t[i]
    n11.OUT_x -> n12.k : $p_x[0]
    n11.OUT_u -> n13.z : $p_u[$5]
    n12.o -> n13.q
    n13.r -> n14.IN_d : $d[i]
    n14.OUT_d -> n15 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"x / 2 + y|x / 2 if y > 1 else y", "+ s|- s if s > 2 else s", "i|i|N - 1 - i", "0|N - 1", "i|i|N - 1 - i"}},
    // A chain in a nest of maps, whose first link reads before another chain writes there again.
    Pattern{"map-collapse map-interchange map-tiling map-fission map-fusion-horizontal map-fusion-vertical trivial-map-elimination double-write-elimination tasklet-fusion map-to-loop split-access-nodes local-double-buffering kernel-order",
            "transient $p_t: float64[N, 3]\n  transient $p_u: float64[N, 3]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_rows (i) in [0:N]
      n2 = map $p_columns (j) in [0:3]
        n3 = tasklet put: "b = a / 2"
        n4 = tasklet down: "o = b + j"
      n5 = exit n2
    n6 = exit n1
    n7 = access $p_t
    n8 = map $p_again (i, j) in [0:N, 0:$1]
      n9 = tasklet get: "b = a / 2 + c; e = 1 - a"
      n10 = tasklet store: "o = e + 2$2"
      n11 = tasklet keep: "o = b"
    n12 = exit n8
    n13 = access $p_t
    n14 = access $p_u
    n15 = map $p_sum (i) in [0:N]
      n16 = tasklet sum: "o = x / 2 + y / 4"
    n17 = exit n15
    n18 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.IN_s : $s[i]
    n2.OUT_s -> n3.a : $s[i]
    n3.b -> n4.b
    n4.o -> n5.IN_t : $p_t[i, j]
    n5.OUT_t -> n6.IN_t : $p_t[i, 0:3]
    n6.OUT_t -> n7 : $p_t[0:N, 0:3]
    n7 -> n8.IN_t : $p_t[0:N, 0:3]
    n8.OUT_t -> n9.a : $p_t[i, j]
    n8.OUT_t -> n9.c : $p_t[$3]
    n9.e -> n10.e
    n9.b -> n11.b
    n10.o -> n12.IN_t : $p_t[i, j]
    n11.o -> n12.IN_u : $p_u[i, j]
    n12.OUT_t -> n13 : $p_t[0:N, 0:$1]
    n12.OUT_u -> n14 : $p_u[0:N, 0:$1]
    n13 -> n15.IN_t : $p_t[0:N, 0:3]
    n14 -> n15.IN_u : $p_u[0:N, 0:3]
    n15.OUT_t -> n16.x : $p_t[i, $4]
    n15.OUT_u -> n16.y : $p_u[$5, 0]
    n16.o -> n17.IN_d : $d[i]
    n17.OUT_d -> n18 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"1|2|3", "| + j", "i, j|i, j", "0|2", "i|N - 1 - i"}},
    // Chains that depend on nothing, that decide about what a branch uses, and that say a symbol.
    Pattern{"loop-blocking move-into-if-body fuse-conditionals lift-trivial-if scalar-to-symbol-promotion move-tasklet-into-map tasklet-fusion inline-sdfg scalar-copy-elimination map-unroll",
            "transient $p_x: float64\n  transient $p_y: float64\n  transient $p_c: int64\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = tasklet lone: "v = $1"
    n1 = tasklet later: "w = v + 1"
    n2 = access $p_c
    n0.v -> n1.v
    n1.w -> n2 : $p_c[0]
  state $p_use
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet lone: "o = 3"
      n3 = tasklet first: "o = a / 2 + $p_k"
      n4 = tasklet second: "p = o + l"
      n5 = access $p_x
      n6 = nested_sdfg $p_choose with (i, K)
        sdfg $p_choose(x: float64, y: float64)
          symbol i: int64
          symbol K: int64
          conditional choose
            branch yes if "$2"
              state a
                n0 = access x
                n1 = tasklet half: "o = z / 2"
                n2 = tasklet less: "p = 1 - o"
                n3 = access y
                n0 -> n1.z : x[0]
                n1.o -> n2.o
                n2.p -> n3 : y[0]
            branch no
              state b
                n0 = tasklet other: "o = 2"
                n1 = access y
                n0.o -> n1 : y[0]
      n7 = access $p_y
      n8 = tasklet both: "o = y / 2 + z"
      n9 = tasklet third: "q = a * $3"
    n10 = exit n1
    n11 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1 -> n2
    n1.OUT_s -> n3.a : $s[i]
    n1.OUT_s -> n9.a : $s[$4]
    n2.o -> n4.l
    n3.o -> n4.o
    n4.p -> n5 : $p_x[0]
    n5 -> n6.x : $p_x[0]
    n6.y -> n7 : $p_y[0]
    n7 -> n8.y : $p_y[0]
    n9.q -> n8.z
    n8.o -> n10.IN_d : $d[i]
    n10.OUT_d -> n11 : $d[0:N]
  state $p_out)", "$p_in -> $p_use set $p_k = $p_c\n  $p_use -> $p_out",
            {"1|2", "i > 1|i < K|K > 3", "2|i|$p_k", "i|N - 1 - i"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> map_patterns() { return patterns; }

}  // namespace sdfg
