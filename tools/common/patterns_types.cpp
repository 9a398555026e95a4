#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// Containers of other types than what is written to them, where each value is converted; constants;
// subsets with steps.
// clang-format off
constexpr std::array patterns{
    // From map to map through arrays of other types.
    Pattern{"map-fusion-vertical map-fusion-horizontal inline-fusion recompute-at-reads map-fission map-promotion redundant-array-elimination",
            "transient $p_t: $1[N]\n  transient $p_u: $2[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = x * 3 / 2"
      n3 = tasklet other: "o = $3"
    n4 = exit n1
    n5 = access $p_t
    n6 = access $p_u
    n7 = map $p_two (i) in [0:N]
      n8 = tasklet two: "o = $4"
    n9 = exit n7
    n10 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n1.OUT_s -> n3.x : $s[i]
    n2.o -> n4.IN_t : $p_t[i]
    n3.o -> n4.IN_u : $p_u[i]
    n4.OUT_t -> n5 : $p_t[0:N]
    n4.OUT_u -> n6 : $p_u[0:N]
    n5 -> n7.IN_t : $p_t[0:N]
    n6 -> n7.IN_u : $p_u[0:N]
    n7.OUT_t -> n8.x : $p_t[$5]
    n7.OUT_u -> n8.y : $p_u[i]
    n8.o -> n9.IN_d : $d[i]
    n9.OUT_d -> n10 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"int32|int64|float32|bool|int16", "bool|int32|float32|float64", "x > 1|x|1 - x", "x + y|x / 2 - y|x if y else 1 - x|x / 4 if x > y else y", "i|N - 1 - i|0"}},
    // Types narrower than those that C++ computes in: storing cuts off.
    Pattern{"tasklet-fusion map-fusion-vertical inline-fusion scalar-copy-elimination move-tasklet-into-map redundant-array-elimination recompute-at-reads",
            "transient $p_t: $1[N]\n  transient $p_a: $1\n  transient $p_b: $2\n  transient $p_c: $3", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet bound: "o = 4 if abs(x) > 4 else -x if x < 0 else x"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_two (i) in [0:N]
      n6 = tasklet first: "o = x $4 x"
      n7 = access $p_a
      n8 = tasklet second: "o = x * x * x * 7"
      n9 = access $p_b
      n10 = tasklet third: "o = $5"
      n11 = access $p_c
      n12 = tasklet last: "o = x / 2 + y"
    n13 = exit n5
    n14 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5.IN_t : $p_t[0:N]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_t -> n6.x : $p_t[i]
    n6.o -> n7 : $p_a[0]
    n7 -> n8.x : $p_a[0]
    n8.o -> n9 : $p_b[0]
    n9 -> n10.x : $p_b[0]
    n10.o -> n11 : $p_c[0]
    n11 -> n12.x : $p_c[0]
    n5.OUT_s -> n12.y : $s[N - 1 - i]
    n12.o -> n13.IN_d : $d[i]
    n13.OUT_d -> n14 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"int8|uint8|int16|int32|bool", "int8|uint8|bool|float16|bfloat16|int16", "int32|float16|float32|bool", "*|+", "x > 1|x|x + x|not x"}},
    // The same through scalars in a map and through a nested SDFG whose arguments have other types.
    Pattern{"tasklet-fusion move-tasklet-into-map scalar-copy-elimination move-into-if-body inline-sdfg scalar-to-symbol-promotion",
            "transient $p_x: $1\n  transient $p_y: $1\n  transient $p_z: $2\n  transient $p_n: $4", R"(
  state $p_in
    n0 = access I
    n1 = tasklet some: "o = $5"
    n2 = access $p_n
    n0 -> n1.x : I[2]
    n1.o -> n2 : $p_n[0]
  state $p_next
    n0 = access $s
    n1 = access $p_n
    n2 = map $p_map (i) in [0:N]
      n3 = tasklet first: "o = x * 3 / 2"
      n4 = access $p_x
      n5 = access $p_y
      n6 = nested_sdfg $p_inner with (i)
        sdfg $p_inner(x: $1, z: $2)
          symbol i: int64
          transient c: $3
          state begin
            n0 = access x
            n1 = tasklet half: "o = a / 2"
            n2 = access c
            n0 -> n1.a : x[0]
            n1.o -> n2 : c[0]
          conditional choose
            branch yes if "c > i"
              state a
                n0 = access c
                n1 = tasklet more: "o = a + 1"
                n2 = access z
                n0 -> n1.a : c[0]
                n1.o -> n2 : z[0]
            branch no
              state b
                n0 = access x
                n1 = tasklet less: "o = a / 4"
                n2 = access z
                n0 -> n1.a : x[0]
                n1.o -> n2 : z[0]
          begin -> choose
      n7 = access $p_z
      n8 = tasklet join: "o = x / 2 + y + m"
    n9 = exit n2
    n10 = access $d
    n0 -> n2.IN_s : $s[0:N]
    n1 -> n2.IN_n : $p_n[0]
    n2.OUT_s -> n3.x : $s[i]
    n3.o -> n4 : $p_x[0]
    n4 -> n5 : $p_x[0] -> [0]
    n5 -> n6.x : $p_y[0]
    n6.z -> n7 : $p_z[0]
    n4 -> n8.x : $p_x[0]
    n7 -> n8.y : $p_z[0]
    n2.OUT_n -> n8.m : $p_n[0]
    n8.o -> n9.IN_d : $d[i]
    n9.OUT_d -> n10 : $d[0:N]
  state $p_out)", "$p_in -> $p_next\n  $p_next -> $p_out",
            {"int32|float32|int64|float64", "float64|int32|float32|bool", "float64|int32|float32|int16", "int32|float32|int64|bool", "x|x / 2|x + 1|x - 1"}},
    // Copies with conversion, in one state and across states.
    Pattern{"copy-chain-elimination redundant-array-elimination self-copy-elimination write-back-elimination distributed-buffer-relocation double-write-elimination access-node-copy-elimination composed-copy-elimination",
            "transient $p_t: $1[N]\n  transient $p_u: $2[N]\n  transient $p_v: $1[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = x * 3 / 2"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5 : $p_t[0:N] -> [0:N]
  state $p_next
    n0 = access $p_u
    n1 = access $p_v
    n2 = access $d
    n3 = access $3
    n0 -> n1 : $p_u[0:N] -> [0:N]
    n1 -> n2 : $p_v[0:N] -> [0:N]
    n0 -> n3 : $p_u[0:$4] -> [0:$4]
  state $p_out)", "$p_in -> $p_next\n  $p_next -> $p_out",
            {"int32|float64|float32|int64", "float64|int32|float32|int16", "V|W", "N|4|1"}},
    // Sums into containers of other types.
    Pattern{"accumulate-transient map-fusion-vertical state-fusion map-tiling strip-mining map-collapse map-expansion expand-reduce map-fission",
            "transient $p_r: $1[2]\n  transient $p_t: $2[N]", R"(
  state $p_in
    n0 = map $p_zero (j) in [0:2]
      n1 = tasklet zero: "o = j"
    n2 = exit n0
    n3 = access $p_r
    n4 = access $s
    n5 = map $p_cast (i) in [0:N]
      n6 = tasklet cast: "o = x"
    n7 = exit n5
    n8 = access $p_t
    n0 -> n1
    n1.o -> n2.IN_r : $p_r[j]
    n2.OUT_r -> n3 : $p_r[0:2]
    n4 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i]
    n6.o -> n7.IN_t : $p_t[i]
    n7.OUT_t -> n8 : $p_t[0:N]
  state $p_sum
    n0 = access $p_t
    n1 = map $p_points (j, i) in [0:2, 0:N] {schedule = Sequential}
      n2 = tasklet take: "o = x / 2"
    n3 = exit n1
    n4 = access $p_r
    n0 -> n1.IN_t : $p_t[0:N]
    n1.OUT_t -> n2.x : $p_t[$3]
    n2.o -> n3.IN_r : $p_r[j] {wcr = "$4"}
    n3.OUT_r -> n4 : $p_r[0:2] {wcr = "$4"}
  state $p_out
    n0 = access $p_r
    n1 = access $p_t
    n2 = map $p_use (i) in [0:N]
      n3 = tasklet use: "o = x + y if x < 64 else 64 - y"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_r : $p_r[0:2]
    n1 -> n2.IN_t : $p_t[0:N]
    n2.OUT_r -> n3.x : $p_r[i % 2]
    n2.OUT_t -> n3.y : $p_t[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_sum\n  $p_sum -> $p_out",
            {"int32|float32|int64|float64", "int32|float64|float32|bool", "i|N - 1 - i", "lambda x, y: x + y|lambda x, y: max(x, y)|lambda x, y: min(x, y)"}},
    // Constants: they tell ranges and choose branches, and a nested SDFG has its own of the same name.
    Pattern{"constant-propagation inline-sdfg inline-multistate-sdfg loop-to-map loop-unrolling map-to-loop lift-trivial-if symbol-propagation map-dead-range-elimination",
            "constant $p_n: int64 = $1\n  constant $p_w: float64[4] = {\"type\": \"ndarray\", \"data\": [0.25, 0.5, 1.0, -1.0]}\n  symbol $p_k: int64\n  transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet weigh: "o = x * $p_w[i % 4] if i < $p_n else x / 2"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5 : $p_t[0:N] -> [0:N]
  loop $p_again ($p_k) from "$p_k = 0" while "$p_k < $p_n" next "$p_k = $p_k + 1"
    state body
      n0 = access $4
      n1 = nested_sdfg $p_inner with (k = $p_k)
        sdfg $p_inner(x: float64, y: float64)
          constant $p_n: int64 = $2
          constant $p_w: float64[4] = {"type": "ndarray", "data": [0.25, 0.5, 1.0, -1.0]}
          constant w: float64 = 0.5
          symbol k: int64
          conditional choose
            branch yes if "k < $p_n"
              state a
                n0 = access x
                n1 = tasklet f: "o = a * w + $p_n"
                n2 = access y
                n0 -> n1.a : x[0]
                n1.o -> n2 : y[0]
            branch no
              state b
                n0 = access x
                n1 = tasklet g: "o = a * $p_w[$3]"
                n2 = access y
                n0 -> n1.a : x[0]
                n1.o -> n2 : y[0]
      n2 = access $d
      n0 -> n1.x : $4[$p_k]
      n1.y -> n2 : $d[$p_k]
  state $p_use
    n0 = access $p_t
    n1 = map $p_part (i) in [0:$p_n]
      n2 = tasklet part: "o = x + $p_w[$p_n]"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:N]
    n1.OUT_t -> n2.x : $p_t[i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:$p_n]
  state $p_out)", "$p_in -> $p_again\n  $p_again -> $p_use if \"$p_n > $5\"\n  $p_again -> $p_out if \"not ($p_n > $5)\"\n  $p_use -> $p_out",
            {"0|1|3", "0|2|3", "k|0|3", "$s|$p_t|$d", "0|1|N"}},
    // Constants in what only one branch needs, and in choices; nested SDFGs know some of them.
    Pattern{"move-into-if-body fuse-conditionals conditional-into-maps move-before-conditional local-double-buffering tasklet-fusion map-fission",
            "constant $p_n: int64 = $1\n  constant $p_w: float64[4] = {\"type\": \"ndarray\", \"data\": [0.25, 0.5, 1.0, -1.0]}\n  transient $p_x: float64\n  transient $p_y: float64\n  transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet weigh: "r = v * $p_w[$2] + $p_n"
      n3 = access $p_x
      n4 = nested_sdfg $p_first
        sdfg $p_first(c: float64, u: float64, z: float64)
          constant $p_n: int64 = $3
          conditional choose
            branch yes if "c > $p_n"
              state a
                n0 = access u
                n1 = tasklet f: "q = a + $p_n"
                n2 = access z
                n0 -> n1.a : u[0]
                n1.q -> n2 : z[0]
            branch no
              state b
                n0 = tasklet zero: "q = 0"
                n1 = access z
                n0.q -> n1 : z[0]
      n5 = access $p_y
      n6 = nested_sdfg $p_second with ($4)
        sdfg $p_second(c: float64, u: float64, z: float64)
          symbol n: int64
          conditional choose
            branch yes if "c > n"
              state a
                n0 = access u
                n1 = access z
                n0 -> n1 : u[0] -> [0]
            branch no
              state b
                n0 = access u
                n1 = tasklet half: "q = a / 2"
                n2 = access z
                n0 -> n1.a : u[0]
                n1.q -> n2 : z[0]
    n7 = exit n1
    n8 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.v : $s[i]
    n1.OUT_s -> n4.c : $s[N - 1 - i]
    n2.r -> n3 : $p_x[0]
    n3 -> n4.u : $p_x[0]
    n4.z -> n5 : $p_y[0]
    n1.OUT_s -> n6.c : $s[N - 1 - i]
    n5 -> n6.u : $p_y[0]
    n6.z -> n7.IN_t : $p_t[i]
    n7.OUT_t -> n8 : $p_t[0:N]
  conditional $p_if
    branch yes if "$p_n < $5"
      state some
        n0 = access $p_t
        n1 = map $p_some (i) in [0:N]
          n2 = tasklet some: "o = x * $p_w[3] + $p_n"
        n3 = exit n1
        n4 = access $d
        n0 -> n1.IN_t : $p_t[0:N]
        n1.OUT_t -> n2.x : $p_t[i]
        n2.o -> n3.IN_d : $d[i]
        n3.OUT_d -> n4 : $d[0:N]
    branch no
      state others
        n0 = access $p_t
        n1 = access $d
        n0 -> n1 : $p_t[0:N] -> [0:N]
  state $p_out)", "$p_in -> $p_if\n  $p_if -> $p_out",
            {"0|1|3", "i % 4|1|$p_n", "0|1|3", "n = $p_n|n = i|n = $p_n + i", "K|2|N - 3"}},
    // Subsets with steps: every second element, and backwards.
    Pattern{"redundant-array-elimination copy-chain-elimination map-to-copy copy-to-map slice-view-elimination map-split-horizontal map-dead-range-elimination refine-nested-access",
            "transient $p_t: float64[2]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n2 = access $p_t
    n3 = access $p_u
    n4 = map $p_every (i) in [$1]
      n5 = tasklet half: "o = x / 2"
    n6 = exit n4
    n7 = access $p_u
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[$2] -> [0:2]
    n0 -> n3 : $s[0:N] -> [0:N]
    n3 -> n4.IN_u : $p_u[0:N]
    n4.OUT_u -> n5.x : $p_u[i]
    n5.o -> n6.IN_u : $p_u[i]
    n6.OUT_u -> n7 : $p_u[$1]
  state $p_next
    n0 = access $p_t
    n1 = access $3
    n2 = access $p_u
    n3 = access $d
    n0 -> n1 : $p_t[0:2] -> [$4]
    n2 -> n3 : $p_u[$5] -> [$5]
    n3 -> n0
  state $p_out)", "$p_in -> $p_next\n  $p_next -> $p_out",
            {"0:N:2|1:N:2|0:N:3|1:N", "0:4:2|1:4:2|0:4:3|1:3", "V|W|$p_u", "0:4:2|1:4:2|2:4", "0:N:2|0:N|1:N:2|0:2"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> type_patterns() { return patterns; }

}  // namespace sdfg
