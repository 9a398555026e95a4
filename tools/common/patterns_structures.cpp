#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// Elements with members, which are changed one by one, and containers whose members are containers.
// clang-format off
constexpr std::array patterns{
    // A member changes where it stands; others are read before and after.
    Pattern{"map-fusion-vertical tasklet-fusion state-fusion map-fission redundant-array-elimination access-node-copy-elimination map-fusion-horizontal",
            R"(transient $p_t: struct(weighed, {n = int64, v = float64}, {}, 16)[N]
  transient $p_u: struct(weighed, {n = int64, v = float64}, {}, 16)[N])", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i) in [0:N]
      n2 = tasklet make: "o = weighed(n=i + 1, v=x)"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5 : $p_t[0:N] -> [0:N]
  state $p_change
    n0 = access $1
    n1 = access $s
    n2 = map $p_update (i) in [$2]
      n3 = tasklet update: |
        | o = x
        | o.v = x.v / 2 + y
        | $3
    n4 = exit n2
    n5 = access $p_t
    n0 -> n2.IN_t : $1[0:N]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_t -> n3.x : $1[i]
    n2.OUT_s -> n3.y : $s[N - 1 - i]
    n3.o -> n4.IN_t : $p_t[i]
    n4.OUT_t -> n5 : $p_t[$2]
  state $p_out
    n0 = access $p_t
    n1 = access $p_u
    n2 = map $p_read (i) in [0:N]
      n3 = tasklet read: "o = x.v / 2 + y.v / 2 + x.n - $5"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n2.OUT_t -> n3.x : $p_t[$4]
    n1 -> n2.IN_u : $p_u[0:N]
    n2.OUT_u -> n3.y : $p_u[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])--", "$p_in -> $p_change\n  $p_change -> $p_out",
            {"$p_t|$p_u", "0:N|1:N|0:N - 1|2", "o.n = x.n + i|o.n = 5 if x.v > 1 else x.n|pass", "i|N - 1 - i|0", "y.n|i|0"}},
    // Through a view, a nested SDFG and a scalar of its own, with a choice in between.
    Pattern{"slice-view-elimination inline-sdfg inline-multistate-sdfg move-into-if-body scalar-copy-elimination fuse-conditionals local-double-buffering",
            R"(transient $p_t: struct(weighed, {n = int64, v = float64}, {}, 16)[2, N]
  transient $p_v: view struct(weighed, {n = int64, v = float64}, {}, 16)[N]
  transient $p_x: struct(weighed, {n = int64, v = float64}, {}, 16))", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_make (j, i) in [0:2, 0:N]
      n2 = tasklet make: "o = weighed(n=j, v=x / 2)"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[j, i]
    n3.OUT_t -> n4 : $p_t[0:2, 0:N]
  state $p_change
    n0 = access $p_t
    n1 = access $p_v
    n2 = map $p_each (i) in [0:N]
      n3 = tasklet take: "o = x; o.n = i"
      n4 = access $p_x
      n5 = nested_sdfg $p_inner
        sdfg $p_inner(x: struct(weighed, {n = int64, v = float64}, {}, 16), z: struct(weighed, {n = int64, v = float64}, {}, 16))
          symbol k: int64
          state begin
          conditional choose
            branch yes if "k > $2"
              state a
                n0 = access x
                n1 = tasklet f: "o = w; o.v = w.v - w.n"
                n2 = access z
                n0 -> n1.w : x[0]
                n1.o -> n2 : z[0]
            branch no
              state b
                n0 = access x
                n1 = access z
                n0 -> n1 : x[0] -> [0]
          begin -> choose set k = $3
    n6 = exit n2
    n7 = access $p_t
    n0 -> n1.views : $p_t[$1, 0:N] -> [0:N]
    n1 -> n2.IN_v : $p_v[0:N]
    n2.OUT_v -> n3.x : $p_v[i]
    n3.o -> n4 : $p_x[0]
    n4 -> n5.x : $p_x[0]
    n5.z -> n6.IN_t : $p_t[$4, i]
    n6.OUT_t -> n7 : $p_t[$4, 0:N]
  state $p_out
    n0 = access $p_t
    n1 = map $p_read (i) in [0:N]
      n2 = tasklet read: "o = x.v + y.v / 2 - $5"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:2, 0:N]
    n1.OUT_t -> n2.x : $p_t[0, i]
    n1.OUT_t -> n2.y : $p_t[1, i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])--", "$p_in -> $p_change\n  $p_change -> $p_out",
            {"0|1", "1|2", "x.n|1|2 * x.n + 1", "0|1", "x.n|y.n|0"}},
    // A loop changes one element; a reduction member by member.
    Pattern{"loop-to-map loop-unrolling expand-reduce accumulate-transient map-to-loop copy-to-map map-to-copy shrink-transients",
            R"(transient $p_t: struct(weighed, {n = int64, v = float64}, {}, 16)[N]
  transient $p_m: struct(weighed, {n = int64, v = float64}, {}, 16)
  symbol $p_k: int64)", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i) in [0:N]
      n2 = tasklet make: "o = weighed(v=x, n=$1)"
    n3 = exit n1
    n4 = access $p_t
    n5 = tasklet start: "o = weighed()"
    n6 = access $p_m
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n5.o -> n6 : $p_m[0]
  loop $p_again ($p_k) from "$p_k = $2" while "$p_k < N" next "$p_k = $p_k + 1"
    state body
      n0 = access $p_t
      n1 = tasklet less: "o = x; o.v = y.v / 2"
      n2 = access $p_t
      n0 -> n1.x : $p_t[$p_k]
      n0 -> n1.y : $p_t[$3]
      n1.o -> n2 : $p_t[$p_k]
  state $p_sum
    n0 = access $p_t
    n1 = map $p_add (i) in [0:N]
      n2 = tasklet keep: "o = x"
    n3 = exit n1
    n4 = access $p_m
    n0 -> n1.IN_t : $p_t[0:N]
    n1.OUT_t -> n2.x : $p_t[i]
    n2.o -> n3.IN_m : $p_m[0] {wcr = "$4"}
    n3.OUT_m -> n4 : $p_m[0] {wcr = "$4"}
  state $p_out
    n0 = access $p_m
    n1 = access $s
    n2 = map $p_read (i) in [0:N]
      n3 = tasklet read: "o = x / 2 + m.$5"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_m : $p_m[0]
    n2.OUT_m -> n3.m : $p_m[0]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.x : $s[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])--", "$p_in -> $p_again\n  $p_again -> $p_sum\n  $p_sum -> $p_out",
            {"i|1", "0|1|2", "$p_k|$p_k - 1 if $p_k > 1 else 0|0", "lambda x, y: weighed(n=x.n + y.n, v=x.v + y.v)|lambda x, y: x if x.v > y.v else y", "v|v|v"}},
    // Members that are containers: written by maps, copied to each other, looked at, passed on.
    Pattern{"redundant-array-elimination slice-view-elimination copy-chain-elimination state-fusion map-fusion-vertical inline-sdfg transient-reuse set-strides dead-dataflow-elimination",
            R"(transient $p_p: structure pair_$p(x: float64[N], y: float64[N]) of pointer(struct(pair_$p, {x = pointer(float64), y = pointer(float64)}, {x = "N", y = "N"}, 16))[1]
  transient $p_v: view float64[2]
  transient $p_t: float64[N])", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i) in [0:N]
      n2 = tasklet make: "o = x / 2 + i; q = 1 - x"
    n3 = exit n1
    n4 = access $p_p.x
    n5 = access $p_p.y
    n6 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_x : $p_p.x[i]
    n3.OUT_x -> n4 : $p_p.x[0:N]
    n2.q -> n3.IN_y : $p_p.y[$1]
    n3.OUT_y -> n5 : $p_p.y[0:N]
    n4 -> n6 : $p_p.x[0:N] -> [0:N]
  state $p_change
    n0 = access $p_p.$2
    n1 = access $p_p.x
    n0 -> n1 : $p_p.$2[1:3] -> [0:2]
  state $p_pass
    n0 = access $p_p.x
    n1 = nested_sdfg $p_inner with (N)
      sdfg $p_inner(a: float64[N], b: float64[N])
        symbol N: int64
        state only
          n0 = access a
          n1 = map inner (i) in [0:N]
            n2 = tasklet inner: "o = x / 2"
          n3 = exit n1
          n4 = access b
          n0 -> n1.IN_a : a[0:N]
          n1.OUT_a -> n2.x : a[$3]
          n2.o -> n3.IN_b : b[i]
          n3.OUT_b -> n4 : b[0:N]
    n2 = access $p_p.y
    n0 -> n1.a : $p_p.x[0:N]
    n1.b -> n2 : $p_p.y[0:N]
  state $p_out
    n0 = access $p_p.y
    n1 = access $p_v
    n2 = access $p_t
    n3 = map $p_join (i) in [0:N]
      n4 = tasklet join: "o = x / 2 + y / 2 - z"
    n5 = exit n3
    n6 = access $d
    n7 = access $p_p.x
    n7 -> n1.views : $p_p.x[$5] -> [0:2]
    n1 -> n3.IN_v : $p_v[0:2]
    n3.OUT_v -> n4.z : $p_v[1]
    n0 -> n3.IN_y : $p_p.y[0:N]
    n3.OUT_y -> n4.x : $p_p.y[i]
    n2 -> n3.IN_t : $p_t[0:N]
    n3.OUT_t -> n4.y : $p_t[$4]
    n4.o -> n5.IN_d : $d[i]
    n5.OUT_d -> n6 : $d[0:N])", "$p_in -> $p_change\n  $p_change -> $p_pass\n  $p_pass -> $p_out",
            {"i|N - 1 - i", "y|y", "i|N - 1 - i|0", "i|0", "0:2|1:3"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> structure_patterns() { return patterns; }

}  // namespace sdfg
