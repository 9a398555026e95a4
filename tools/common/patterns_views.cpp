#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// Views of views, copies between boxes of different shapes, and combining writes of several kinds.
// clang-format off
constexpr std::array patterns{
    // A view of a part of a view of another shape, read.
    Pattern{"slice-view-elimination redundant-array-elimination set-strides map-iteration-order refine-nested-access",
            "transient $p_t: float64[N, 4]\n  transient $p_v: view float64[4*N]\n  transient $p_w: view float64[$1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, k) in [0:N, 0:4]
      n2 = tasklet make: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:4]
  state $p_look
    n0 = access $p_t
    n1 = access $p_v
    n2 = access $p_w
    n3 = map $p_use (i) in [0:N]
      n4 = tasklet use: "o = x / 2 + y / 2"
    n5 = exit n3
    n6 = access $d
    n0 -> n1.views : $p_t[0:N, 0:4] -> [0:4*N]
    n1 -> n2.views : $p_v[$2
    n2 -> n3.IN_w : $p_w[$3
    n3.OUT_w -> n4.x : $p_w[$4
    n3.OUT_w -> n4.y : $p_w[$5
    n4.o -> n5.IN_d : $d[i]
    n5.OUT_d -> n6 : $d[0:N]
  state $p_out)", "$p_in -> $p_look\n  $p_look -> $p_out",
            {"2, N", "N:3*N] -> [0:2, 0:N]|0:2*N] -> [0:2, 0:N]|2*N:4*N] -> [0:2, 0:N]", "0:2, 0:N]", "0, i]|1, N - 1 - i]", "1, i]|0, 0]"}},
    // Written through a view of a view, and read as what it is.
    Pattern{"slice-view-elimination access-node-copy-elimination map-buffer-elimination write-back-elimination state-fusion",
            "transient $p_t: float64[2, N]\n  transient $p_v: view float64[2*N]\n  transient $p_w: view float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (k, i) in [0:2, 0:N]
      n2 = tasklet make: "o = x / 4 - k"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[k, i]
    n3.OUT_t -> n4 : $p_t[0:2, 0:N]
    n0 -> n5 : $s[0:N] -> [0:N]
  state $p_change
    n0 = access $2
    n1 = map $p_write (i) in [$3]
      n2 = tasklet write: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_w
    n5 = access $p_v
    n6 = access $p_t
    n0 -> n1.IN_s : $2[0:N]
    n1.OUT_s -> n2.x : $2[i]
    n2.o -> n3.IN_w : $p_w[$4]
    n3.OUT_w -> n4 : $p_w[0:N]
    n4."views" -> n5 : $p_v[$1
    n5."views" -> n6 : $p_t[0:2, 0:N]
  state $p_out
    n0 = access $p_t
    n1 = map $p_join (i) in [0:N]
      n2 = tasklet join: "o = x / 2 + y / 2"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:2, 0:N]
    n1.OUT_t -> n2.x : $p_t[0, i]
    n1.OUT_t -> n2.y : $p_t[1, $5]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_change\n  $p_change -> $p_out",
            {"0:N]|N:2*N]|1:N + 1]", "$s|$p_u", "0:N|1:N|0:3", "i|N - 1 - i", "i|0"}},
    // Boxes of one number of elements and different shapes are copied to each other.
    Pattern{"copy-to-map map-to-copy redundant-array-elimination copy-chain-elimination composed-copy-elimination trivial-dimension-folding split-consumer-memlets distributed-buffer-relocation",
            "transient $p_t: float64[4, 3]\n  transient $p_u: float64[2, 2, 3]\n  transient $p_x: float64[6]\n  transient $p_w: float64[N, 1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (k, j) in [0:4, 0:3]
      n2 = tasklet make: "o = x / 2 + k - j"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_w
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[$1]
    n2.o -> n3.IN_t : $p_t[k, j]
    n3.OUT_t -> n4 : $p_t[0:4, 0:3]
    n0 -> n5 : $s[0:N] -> [0:N, 0]
  state $p_next
    n0 = access $p_t
    n1 = access $p_u
    n2 = access $p_x
    n0 -> n1 : $p_t[0:4, 0:3] -> [0:2, 0:2, 0:3]
    n0 -> n2 : $p_t[$2] -> [0:6]
  state $p_more
    n0 = access $p_u
    n1 = access $p_x
    n2 = access $p_t
    n0 -> n2 : $p_u[$3] -> [0, 0:3]
    n1 -> n2 : $p_x[0:6] -> [2:4, 0:3]
  state $p_out
    n0 = access $p_t
    n1 = access $p_w
    n2 = access $p_x
    n3 = map $p_join (i) in [0:N]
      n4 = tasklet join: "o = x / 2 + y / 2 - z / 4"
    n5 = exit n3
    n6 = access $d
    n7 = access $5
    n0 -> n3.IN_t : $p_t[0:4, 0:3]
    n3.OUT_t -> n4.x : $p_t[$4]
    n1 -> n3.IN_w : $p_w[0:N, 0]
    n3.OUT_w -> n4.y : $p_w[i, 0]
    n2 -> n3.IN_x : $p_x[0:6]
    n3.OUT_x -> n4.z : $p_x[i % 6]
    n4.o -> n5.IN_d : $d[i]
    n5.OUT_d -> n6 : $d[0:N]
    n1 -> n7 : $p_w[1:N, 0] -> [0:N - 1])", "$p_in -> $p_next\n  $p_next -> $p_more\n  $p_more -> $p_out",
            {"k|j", "0:2, 0:3|2:4, 0:3|1:3, 0:3|1:4, 0:2|0:4:2, 0:3", "0, 1, 0:3|1, 0:1, 0:3", "i % 4, 1|i // 4, 2|3, i % 3", "V|W"}},
    // Values are combined in what a point owns, in a row of it, and in what all points share.
    Pattern{"accumulate-transient map-fission map-expansion map-collapse map-fusion-vertical out-local-storage map-tiling strip-mining map-interchange",
            "transient $p_r: $1[N]\n  transient $p_c: $1\n  transient $p_m: $1[2]", R"--(
  state $p_in
    n0 = map $p_zero (i) in [0:N]
      n1 = tasklet zero: "o = $2"
    n2 = exit n0
    n3 = access $p_r
    n4 = tasklet start: "o = $2; p = 1; q = 0"
    n5 = access $p_c
    n6 = access $p_m
    n0 -> n1
    n1.o -> n2.IN_r : $p_r[i]
    n2.OUT_r -> n3 : $p_r[0:N]
    n4.o -> n5 : $p_c[0]
    n4.p -> n6 : $p_m[0]
    n4.q -> n6 : $p_m[1]
  state $p_combine
    n0 = access $s
    n1 = map $p_outer (i) in [0:N]
      n2 = map $p_inner (j) in [0:$3]
        n3 = tasklet mix: "o = x > j; p = x > i; q = x < 2"
      n4 = exit n2
    n5 = exit n1
    n6 = access $p_r
    n7 = access $p_c
    n8 = access $p_m
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.x : $s[min($4, N - 1)]
    n3.o -> n4.IN_r : $p_r[i] {wcr = "$5"}
    n4.OUT_r -> n5.IN_r : $p_r[i] {wcr = "$5"}
    n5.OUT_r -> n6 : $p_r[0:N] {wcr = "$5"}
    n3.p -> n4.IN_c : $p_c[0] {wcr = "$5"}
    n4.OUT_c -> n5.IN_c : $p_c[0] {wcr = "$5"}
    n5.OUT_c -> n7 : $p_c[0] {wcr = "$5"}
    n3.q -> n4.IN_m : $p_m[j % 2] {wcr = "lambda x, y: max(x, y)"}
    n4.OUT_m -> n5.IN_m : $p_m[0:2] {wcr = "lambda x, y: max(x, y)"}
    n5.OUT_m -> n8 : $p_m[0:2] {wcr = "lambda x, y: max(x, y)"}
  state $p_out
    n0 = access $p_r
    n1 = access $p_c
    n2 = access $p_m
    n3 = access $s
    n4 = map $p_use (i) in [0:N]
      n5 = tasklet use: "o = (x / 2 if r else x / 4) + c / 8 + m"
    n6 = exit n4
    n7 = access $d
    n0 -> n4.IN_r : $p_r[0:N]
    n4.OUT_r -> n5.r : $p_r[i]
    n1 -> n4.IN_c : $p_c[0]
    n4.OUT_c -> n5.c : $p_c[0]
    n2 -> n4.IN_m : $p_m[0:2]
    n4.OUT_m -> n5.m : $p_m[1]
    n3 -> n4.IN_s : $s[0:N]
    n4.OUT_s -> n5.x : $s[i]
    n5.o -> n6.IN_d : $d[i]
    n6.OUT_d -> n7 : $d[0:N])--", "$p_in -> $p_combine\n  $p_combine -> $p_out",
            {"int32|int64|int32|int16", "0|1", "2|K|N", "i|j|N - 1 - i",
             "lambda x, y: x ^ y|lambda x, y: x & y|lambda x, y: x * y|lambda x, y: x or y|lambda x, y: x and y"
             "|lambda x, y: x + y|lambda x, y: min(x, y)|lambda a, b: b + a|lambda x, y: x - y"}},
    // A sum in a scalar of each point, a nested SDFG that adds to what is outside, a copy that adds.
    Pattern{"accumulate-transient scalar-copy-elimination inline-sdfg tasklet-fusion map-fusion-vertical state-fusion map-unroll",
            "transient $p_a: float64\n  transient $p_r: float64[2, N]\n  transient $p_t: float64[N]", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_begin (k, i) in [0:2, 0:N]
      n2 = tasklet begin: "o = x / 4 + k"
    n3 = exit n1
    n4 = access $p_r
    n5 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_r : $p_r[k, i]
    n3.OUT_r -> n4 : $p_r[0:2, 0:N]
    n0 -> n5 : $s[0:N] -> [0:N]
  state $p_add
    n0 = access $s
    n1 = map $p_points (i) in [0:N]
      n2 = tasklet zero: "o = $1"
      n3 = access $p_a
      n4 = map $p_near (j) in [0:3]
        n5 = tasklet near: "o = x / 2"
      n6 = exit n4
      n7 = access $p_a
      n8 = nested_sdfg $p_more with (i)
        sdfg $p_more(a: float64, r: float64)
          symbol i: int64
          state only
            n0 = access a
            n1 = tasklet more: "o = x / 2 + i"
            n2 = access r
            n0 -> n1.x : a[0]
            n1.o -> n2 : r[0] {wcr = "$2"}
    n9 = exit n1
    n10 = access $p_r
    n1 -> n2
    n2.o -> n3 : $p_a[0]
    n3 -> n4
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n4.IN_s : $s[0:N]
    n4.OUT_s -> n5.x : $s[(i + j) % N]
    n5.o -> n6.IN_a : $p_a[0] {wcr = "lambda x, y: x + y"}
    n6.OUT_a -> n7 : $p_a[0] {wcr = "lambda x, y: x + y"}
    n7 -> n8.a : $p_a[0]
    n8.r -> n9.IN_r : $p_r[$3, i]
    n9.OUT_r -> n10 : $p_r[0:2, 0:N]
  state $p_copy
    n0 = access $p_r
    n1 = access $p_t
    n0 -> n1 : $p_r[0, 0:N] -> [0:N] {wcr = "$4"}
  state $p_out
    n0 = access $p_t
    n1 = access $p_r
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n2.OUT_t -> n3.x : $p_t[i]
    n1 -> n2.IN_r : $p_r[0:2, 0:N]
    n2.OUT_r -> n3.y : $p_r[1, $5]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])--", "$p_in -> $p_add\n  $p_add -> $p_copy\n  $p_copy -> $p_out",
            {"0|i|1", "lambda x, y: x + y|lambda x, y: max(x, y)", "0|1", "lambda x, y: x + y|lambda x, y: min(x, y)|lambda x, y: x - y", "i|N - 1 - i"}},
    // An edge and a condition that read what a view shows, while what it shows may change.
    Pattern{"slice-view-elimination state-fusion dead-state-elimination dead-dataflow-elimination symbol-propagation move-before-conditional",
            "transient $p_t: float64[2, N]\n  transient $p_v: view float64[N]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (k, i) in [0:2, 0:N]
      n2 = tasklet make: "o = x / 2 - k"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[k, i]
    n3.OUT_t -> n4 : $p_t[0:2, 0:N]
  state $p_look
    n0 = access $p_t
    n1 = access $p_v
    n0 -> n1.views : $p_t[$1, 0:N] -> [0:N]
  state $p_change
    n0 = tasklet change: "o = $2"
    n1 = access $p_t
    n0.o -> n1 : $p_t[$3]
  conditional $p_if
    branch yes if "$p_v[$4] > $5"
      state many
        n0 = access $s
        n1 = map $p_map (i) in [0:N]
          n2 = tasklet plus: "o = x / 2 + $p_k"
        n3 = exit n1
        n4 = access $d
        n0 -> n1.IN_s : $s[0:N]
        n1.OUT_s -> n2.x : $s[i]
        n2.o -> n3.IN_d : $d[i]
        n3.OUT_d -> n4 : $d[0:N]
    branch no
      state few
        n0 = access $p_t
        n1 = access $d
        n0 -> n1 : $p_t[$1, 0:N] -> [0:N]
  state $p_out)", "$p_in -> $p_look\n  $p_look -> $p_change set $p_k = (2 if $p_v[$4] > $5 else 1)\n  $p_change -> $p_if\n  $p_if -> $p_out",
            {"0|1", "0.75|-0.75", "0, 0|1, 0|0, N - 1", "0|N - 1", "0|0.25"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> view_patterns() { return patterns; }

}  // namespace sdfg
