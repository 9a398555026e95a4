#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    Pattern{"slice-view-elimination",
            "transient $p_v: view float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_v
    n2 = map $p_map (i) in [0:N]
      n3 = tasklet minus: "o = 1 - x"
    n4 = exit n2
    n5 = access $d
    n0 -> n1.views : $s[0:N] -> [0:N]
    n1 -> n2.IN_v : $p_v[0:N]
    n2.OUT_v -> n3.x : $p_v[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N]
  state $p_out)"},
    Pattern{"reference-to-view",
            "transient $p_r: reference float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_r
    n0 -> n1."set" : $s[0:N]
  state $p_out
    n0 = access $p_r
    n1 = access $d
    n0 -> n1 : $p_r[0:N] -> [0:N])"},
    Pattern{"map-to-loop",
            "transient $p_q: stream float64[1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_push (i) in [0:N] {schedule = Sequential}
      n2 = tasklet half: "o = x + 1 if x < 8 else x / 2"
    n3 = exit n1
    n4 = access $p_q
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_q : $p_q[0]
    n3.OUT_q -> n4 : $p_q[0] {volume = N}
  state $p_out
    n0 = access $p_q
    n1 = access $d
    n0 -> n1 : $p_q[0] -> [0:N] {volume = N})"},
    // Copied out and back, and through buffers.
    Pattern{"access-node-copy-elimination redundant-array-elimination self-copy-elimination copy-chain-elimination",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = map $p_map (i) in [0:N]
      n3 = tasklet minus: "o = 1 - x"
    n4 = exit n2
    n5 = access $p_u
    n6 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n1 -> n2.IN_t : $p_t[0:N]
    n2.OUT_t -> n3.x : $p_t[i]
    n3.o -> n4.IN_u : $p_u[i]
    n4.OUT_u -> n5 : $p_u[0:N]
    n5 -> n6 : $p_u[0:N] -> [0:N]
  state $p_out
    n0 = access $d
    n1 = access $p_t
    n2 = access $d
    n0 -> n1 : $d[0:N] -> [0:N]
    n1 -> n2 : $p_t[0:N] -> [0:N])"},
    // Composed of two parts, then read whole.
    Pattern{"composed-copy-elimination",
            "transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access A
    n2 = access $p_t
    n3 = map $p_map (i) in [0:N]
      n4 = tasklet keep: "o = x"
    n5 = exit n3
    n6 = access $d
    n0 -> n2 : $s[0:2] -> [0:2]
    n1 -> n2 : A[2:N] -> [2:N]
    n2 -> n3.IN_t : $p_t[0:N]
    n3.OUT_t -> n4.x : $p_t[i]
    n4.o -> n5.IN_d : $d[i]
    n5.OUT_d -> n6 : $d[0:N]
  state $p_out)"},
    // Written in two parts, read in two others.
    Pattern{"map-split-vertical split-access-nodes map-dead-range-elimination",
            "transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:2]
      n2 = tasklet one: "o = x + 1 if x < 8 else x / 2"
    n3 = exit n1
    n4 = map $p_two (i) in [2:N]
      n5 = tasklet two: "o = 1 - x"
    n6 = exit n4
    n7 = access $p_t
    n8 = map $p_low (j) in [0:3]
      n9 = tasklet low: "o = x"
    n10 = exit n8
    n11 = map $p_high (j) in [3:N]
      n12 = tasklet high: "o = 2 - x"
    n13 = exit n11
    n14 = access $d
    n0 -> n1.IN_s : $s[0:2]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n7 : $p_t[0:2]
    n0 -> n4.IN_s : $s[2:N]
    n4.OUT_s -> n5.x : $s[i]
    n5.o -> n6.IN_t : $p_t[i]
    n6.OUT_t -> n7 : $p_t[2:N]
    n7 -> n8.IN_t : $p_t[0:3]
    n8.OUT_t -> n9.x : $p_t[j]
    n9.o -> n10.IN_d : $d[j]
    n10.OUT_d -> n14 : $d[0:3]
    n7 -> n11.IN_t : $p_t[3:N]
    n11.OUT_t -> n12.x : $p_t[j]
    n12.o -> n13.IN_d : $d[j]
    n13.OUT_d -> n14 : $d[3:N]
  state $p_out)"},
    // One dimension becomes two, with a dimension of one point; written twice.
    Pattern{"map-promotion trivial-map-elimination trivial-dimension-folding",
            "transient $p_t: float64[N]\n  transient $p_u: float64[K, N]\n  transient $p_w: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_two (k, i) in [0:K, 0:N]
      n6 = tasklet two: "o = x + k"
    n7 = exit n5
    n8 = access $p_u
    n9 = map $p_last (k, i) in [1, 0:N]
      n10 = tasklet last: "o = x"
    n11 = exit n9
    n12 = access $p_w
    n13 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5.IN_t : $p_t[0:N]
    n5.OUT_t -> n6.x : $p_t[i]
    n6.o -> n7.IN_u : $p_u[k, i]
    n7.OUT_u -> n8 : $p_u[0:K, 0:N]
    n8 -> n9.IN_u : $p_u[1, 0:N]
    n9.OUT_u -> n10.x : $p_u[k, i]
    n10.o -> n11.IN_w : $p_w[i]
    n11.OUT_w -> n12 : $p_w[0:N]
    n12 -> n13 : $p_w[0:N] -> [0:N]
  state $p_out)"},
    // Through an argument that is written before it is read.
    Pattern{"demote-fields restore-fields map-buffer-elimination",
            "", R"(
  state $p_in
    n0 = access $s
    n1 = access W
    n2 = map $p_map (i) in [0:N]
      n3 = tasklet minus: "o = 1 - x"
    n4 = exit n2
    n5 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n1 -> n2.IN_w : W[0:N]
    n2.OUT_w -> n3.x : W[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N]
  state $p_out)"},
    // Bounds that symbols decide.
    Pattern{"min-max-elimination",
            "", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_out
    n0 = access $s
    n1 = map $p_map (i) in [max(0, K - N):min(N, 2 * K)]
      n2 = tasklet half: "o = x + 1 if x < 8 else x / 2"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_s : $s[max(0, K - N):min(N, 2 * K)]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[max(0, K - N):min(N, 2 * K)])"},
    // Bounds that are known where sizes are positive.
    Pattern{"min-max-elimination",
            "", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [max(0, 1 - K):min(N, N + K - 1)]
      n2 = tasklet minus: "o = 1 - x"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N]
  state $p_out)"},
    // Read and written behind two connectors of one node.
    Pattern{"inline-multistate-sdfg local-double-buffering",
            "", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_out
    n0 = access $d
    n1 = map $p_map (i) in [0:N]
      n2 = nested_sdfg $p_both
        sdfg $p_both(r: float64, w: float64)
          state first
            n0 = access r
            n1 = tasklet minus: "o = 1 - x"
            n2 = access w
            n0 -> n1.x : r[0]
            n1.o -> n2 : w[0]
          state second
            n0 = access w
            n1 = tasklet half: "o = x + 1 if x < 8 else x / 2"
            n2 = access w
            n0 -> n1.x : w[0]
            n1.o -> n2 : w[0]
          first -> second
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_d : $d[0:N]
    n1.OUT_d -> n2.r : $d[i]
    n2.w -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])"},
    // Through another argument, by two maps that may become one.
    Pattern{"map-fusion-vertical demote-fields restore-fields",
            "", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet minus: "o = 1 - x"
    n3 = exit n1
    n4 = access V
    n5 = map $p_two (i) in [0:N]
      n6 = tasklet half: "o = x + 1 if x < 8 else x / 2"
    n7 = exit n5
    n8 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_v : V[i]
    n3.OUT_v -> n4 : V[0:N]
    n4 -> n5.IN_v : V[0:N]
    n5.OUT_v -> n6.x : V[i]
    n6.o -> n7.IN_d : $d[i]
    n7.OUT_d -> n8 : $d[0:N]
  state $p_out)"},
    // A copy out of what two maps write.
    Pattern{"split-consumer-memlets split-access-nodes map-buffer-elimination write-back-elimination composed-copy-elimination",
            "transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_more
    n0 = access $s
    n1 = map $p_one (i) in [0:$1]
      n2 = tasklet one: "o = 1 - x"
    n3 = exit n1
    n4 = map $p_two (i) in [$1:N]
      n5 = tasklet two: "o = x / 2 + i"
    n6 = exit n4
    n7 = access $p_t
    n8 = access $d
    n0 -> n1.IN_s : $s[0:$1]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n7 : $p_t[0:$1]
    n0 -> n4.IN_s : $s[$1:N]
    n4.OUT_s -> n5.x : $s[i]
    n5.o -> n6.IN_t : $p_t[i]
    n6.OUT_t -> n7 : $p_t[$1:N]
    n7 -> n8 : $p_t[$2
  state $p_out
    n0 = access $3
    n1 = access V
    n0 -> n1 : $3[$1:N] -> [0:N - ($1)])", "$p_in -> $p_more\n  $p_more -> $p_out",
            {"1|2|3|N - 1", "0:N] -> [0:N]|0:N - 1] -> [1:N]|1:N] -> [0:N - 1]|1:3] -> [2:4]", "$s|$p_t|$d"}},
    // What a map writes is copied to two places, and read.
    Pattern{"double-write-elimination write-back-elimination map-buffer-elimination",
            "transient $p_t: float64[N]\n  transient $p_u: float64[2, N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet minus: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_u
    n6 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[$1]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5 : $p_t[0:N] -> [1, 0:N]
    n4 -> n6 : $p_t[0:N] -> [0:N]
  state $p_out
    n0 = access W
    $2)", "$p_in -> $p_out",
            {"i|N - 1 - i", "n1 = access $p_u\n    n1 -> n0 : $p_u[1, 0:2] -> [0:2]|n1 = access $p_t\n    n1 -> n0 : $p_t[0:2] -> [1:3]"}},
    // Out and back, with changes in between.
    Pattern{"self-copy-elimination access-node-copy-elimination redundant-array-elimination write-back-elimination",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
  state $p_keep
    n0 = access $d
    n1 = access $p_t
    n0 -> n1 : $d[0:N] -> [0:N]
  state $p_change
    n0 = access $p_t
    n1 = map $p_map (i) in [$1:$2]
      n2 = tasklet minus: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_u
    n5 = access $3
    n0 -> n1.IN_t : $p_t[0:N]
    n1.OUT_t -> n2.x : $p_t[i]
    n2.o -> n3.IN_u : $p_u[i]
    n3.OUT_u -> n4 : $p_u[$1:$2]
    n4 -> n5 : $p_u[$1:$2] -> [$1:$2]
  state $p_out
    n0 = access $p_t
    n1 = access $d
    n0 -> n1 : $p_t[$4] -> [$4])", "$p_in -> $p_keep\n  $p_keep -> $p_change\n  $p_change -> $p_out",
            {"0|1|2", "N|N - 1|3", "V|$p_t|$d", "0:N|0:3|1:N"}},
    // Copies of a scalar.
    Pattern{"scalar-copy-elimination tasklet-fusion copy-to-map map-to-copy merge-access-nodes",
            "transient $p_a: float64\n  transient $p_b: $1\n  transient $p_c: float64", R"(
  state $p_in
    n0 = access $s
    n1 = tasklet one: "o = 1 - x"
    n2 = access $p_a
    n3 = access $p_b
    n4 = access $p_c
    n5 = map $p_map (i) in [0:N]
      n6 = tasklet join: "o = x / 2 + y / 2 + z"
    n7 = exit n5
    n8 = access $d
    n0 -> n1.x : $s[$2]
    n1.o -> n2 : $p_a[0]
    n2 -> n3 : $p_a[0] -> [0]
    n3 -> n4 : $p_b[0] -> [0]
    n0 -> n5.IN_s : $s[0:N]
    $3
    n4 -> n5.IN_z : $p_c[0]
    n5.OUT_s -> n6.x : $s[i]
    n5.OUT_z -> n6.z : $p_c[0]
    n6.o -> n7.IN_d : $d[i]
    n7.OUT_d -> n8 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"float64|float64[1]|float32", "0|N - 1|2", "n2 -> n5.IN_y : $p_a[0]\n    n5.OUT_y -> n6.y : $p_a[0]|n3 -> n5.IN_y : $p_b[0]\n    n5.OUT_y -> n6.y : $p_b[0]"}},
    // A row of two dimensions, looked at.
    Pattern{"slice-view-elimination map-iteration-order set-strides",
            "transient $p_t: float64[4, N]\n  transient $p_v: view float64[N]\n  transient $p_e: view float64[1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (k, i) in [0:4, 0:N]
      n2 = tasklet level: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_v
    n6 = access $p_e
    n7 = map $p_use (i) in [0:N]
      n8 = tasklet use: "o = x / 2 + y / 2"
    n9 = exit n7
    n10 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[k, i]
    n3.OUT_t -> n4 : $p_t[0:4, 0:N]
    n4 -> n5.views : $p_t[$1, 0:N]
    n5 -> n7.IN_v : $p_v[0:N]
    n7.OUT_v -> n8.x : $p_v[i]
    n0 -> n6.views : $s[$2]
    n6 -> n7.IN_e : $p_e[0]
    n7.OUT_e -> n8.y : $p_e[0]
    n8.o -> n9.IN_d : $d[i]
    n9.OUT_d -> n10 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"0|1|3", "0|2|N - 1"}},
    // Structures: an array of them, and a reduction.
    Pattern{"tasklet-fusion scalar-copy-elimination expand-reduce",
            R"(transient $p_t: struct(numbered, {n = int32, v = float64}, {}, 12)[N]
  transient $p_m: struct(numbered, {n = int32, v = float64}, {}, 12)[1])", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i) in [0:N]
      n2 = tasklet make: "o = numbered(n=i + 1, v=x) if x > 1 else numbered(v=1 - x)"
    n3 = exit n1
    n4 = access $p_t
    n5 = tasklet start: "o = numbered(0, -1)"
    n6 = access $p_m
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n5.o -> n6 : $p_m[0]
  state $p_reduce
    n0 = access $p_t
    n1 = map $p_most (i) in [0:N]
      n2 = tasklet keep: "o = x"
    n3 = exit n1
    n4 = access $p_m
    n0 -> n1.IN_t : $p_t[0:N]
    n1.OUT_t -> n2.x : $p_t[i]
    n2.o -> n3.IN_m : $p_m[0] {wcr = "lambda x, y: numbered(n=max(x.n, y.n), v=y.v if x.v < y.v else x.v)"}
    n3.OUT_m -> n4 : $p_m[0] {wcr = "lambda x, y: numbered(n=max(x.n, y.n), v=y.v if x.v < y.v else x.v)"}
  state $p_out
    n0 = access $p_t
    n1 = access $p_m
    n2 = map $p_read (i) in [0:N]
      n3 = tasklet read: "o = x.v - m.v + m.n / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n2.OUT_t -> n3.x : $p_t[i]
    n1 -> n2.IN_m : $p_m[0]
    n2.OUT_m -> n3.m : $p_m[0]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])--", "$p_in -> $p_reduce\n  $p_reduce -> $p_out"},
};
// clang-format on

}  // namespace

std::span<const Pattern> container_patterns() { return patterns; }

}  // namespace sdfg
