#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// What is written now and then only: by tasklets that decide, by maps, loops and reductions over
// ranges that may be empty, to containers that begin before 0.
// clang-format off
constexpr std::array patterns{
    // A map that overwrites some elements; the others stay as they were.
    Pattern{"map-fusion-vertical double-write-elimination access-node-copy-elimination split-access-nodes state-fusion map-buffer-elimination self-copy-elimination",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_first (i) in [0:N]
      n2 = tasklet first: "o = 1 - x"
      n3 = tasklet other: "o = x / 2"
    n4 = exit n1
    n5 = access $p_t
    n6 = access $p_u
    n7 = map $p_maybe (i) in [$1]
      n8 = tasklet maybe: "if x > $2:\n  o = y / 2 + 1"
    n9 = exit n7
    n10 = access $p_t
    n11 = map $p_use (i) in [0:N]
      n12 = tasklet use: "o = x / 2 + y"
    n13 = exit n11
    n14 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n1.OUT_s -> n3.x : $s[i]
    n2.o -> n4.IN_t : $p_t[i]
    n3.o -> n4.IN_u : $p_u[i]
    n4.OUT_t -> n5 : $p_t[0:N]
    n4.OUT_u -> n6 : $p_u[0:N]
    n5 -> n7.IN_t : $p_t[0:N]
    n6 -> n7.IN_u : $p_u[0:N]
    n7.OUT_t -> n8.x : $p_t[i]
    n7.OUT_u -> n8.y : $p_u[$3]
    n8.o -> n9.IN_t : $p_t[i] {dynamic = true}
    n9.OUT_t -> n10 : $p_t[$1] {dynamic = true}
    n10 -> n11.IN_t : $p_t[0:N]
    n6 -> n11.IN_u : $p_u[0:N]
    n11.OUT_t -> n12.x : $p_t[$4]
    n11.OUT_u -> n12.y : $p_u[i]
    n12.o -> n13.IN_d : $d[i]
    n13.OUT_d -> n14 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"0:N|1:N|K:N|0:2", "0|1|i", "i|N - 1 - i|0", "i|N - 1 - i|2"}},
    // The same in a map, where a scalar is set first, and in branches of a nested SDFG.
    Pattern{"tasklet-fusion scalar-copy-elimination move-into-if-body inline-sdfg dead-dataflow-elimination fuse-conditionals",
            "transient $p_x: float64\n  transient $p_y: float64\n  transient $p_z: float64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet first: "o = 1 - a"
      n3 = access $p_x
      n4 = tasklet maybe: "if a > $1:\n  o = b / 2"
      n5 = access $p_x
      n6 = tasklet double: "o = a + b"
      n7 = access $p_y
      n8 = nested_sdfg $p_inner with (i)
        sdfg $p_inner(u: float64, y: float64, z: float64)
          symbol i: int64
          state begin
            n0 = access $2
            n1 = access z
            n0 -> n1 : $2[0] -> [0]
          conditional choose
            branch yes if "$3"
              state a
                n0 = access y
                n1 = tasklet more: "if a > 1:\n  o = a / 2"
                n2 = access z
                n0 -> n1.a : y[0]
                n1.o -> n2 : z[0] {dynamic = true}
          begin -> choose
      n9 = access $p_z
      n10 = tasklet last: "o = a / 2 + b / 4"
    n11 = exit n1
    n12 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.a : $s[i]
    n2.o -> n3 : $p_x[0]
    n3 -> n4.a : $p_x[0]
    n1.OUT_s -> n4.b : $s[$4]
    n4.o -> n5 : $p_x[0] {dynamic = true}
    n5 -> n6.a : $p_x[0]
    n1.OUT_s -> n6.b : $s[i]
    n6.o -> n7 : $p_y[0]
    n5 -> n8.u : $p_x[0]
    n7 -> n8.y : $p_y[0]
    n8.z -> n9 : $p_z[0]
    n9 -> n10.a : $p_z[0]
    n5 -> n10.b : $p_x[0]
    n10.o -> n11.IN_d : $d[i]
    n11.OUT_d -> n12 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"0|1|i", "u|y", "u > 0|i > 1|y < u", "i|N - 1 - i"}},
    // Ranges that may be empty: of a map, a loop, a reduction by map and what reads their results.
    Pattern{"map-fusion-vertical map-split-vertical map-split-horizontal map-dead-range-elimination loop-to-map loop-unrolling loop-peeling min-max-elimination state-fusion accumulate-transient",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]\n  transient $p_r: float64\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_all (i) in [0:N]
      n2 = tasklet all: "o = 1 - x; p = x / 2"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_u
    n6 = tasklet start: "o = 1"
    n7 = access $p_r
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n2.p -> n3.IN_u : $p_u[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n3.OUT_u -> n5 : $p_u[0:N]
    n6.o -> n7 : $p_r[0]
  state $p_part
    n0 = access $s
    n1 = map $p_some (i) in [$1]
      n2 = tasklet some: "o = x / 2 + i"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_again (i) in [$2]
      n6 = tasklet again: "o = x / 4"
    n7 = exit n5
    n8 = access $p_u
    n9 = map $p_sum (i) in [$3]
      n10 = tasklet sum: "o = x"
    n11 = exit n9
    n12 = access $p_r
    n0 -> n1.IN_s : $s[$1]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[$1]
    n4 -> n5.IN_t : $p_t[0:N]
    n5.OUT_t -> n6.x : $p_t[i]
    n6.o -> n7.IN_u : $p_u[i]
    n7.OUT_u -> n8 : $p_u[$2]
    n8 -> n9.IN_u : $p_u[0:N]
    n9.OUT_u -> n10.x : $p_u[i]
    n10.o -> n11.IN_r : $p_r[0] {wcr = "lambda x, y: x + y"}
    n11.OUT_r -> n12 : $p_r[0] {wcr = "lambda x, y: x + y"}
  loop $p_down ($p_k) from "$p_k = $4" while "$p_k < N" next "$p_k = $p_k + 1"
    state body
      n0 = access $p_u
      n1 = tasklet minus: "o = 1 - x"
      n2 = access $5
      n0 -> n1.x : $p_u[$p_k]
      n1.o -> n2 : $5[$p_k]
  state $p_out
    n0 = access $p_t
    n1 = access $p_u
    n2 = access $p_r
    n3 = map $p_join (i) in [0:N]
      n4 = tasklet join: "o = x / 2 + y / 2 + r / 4"
    n5 = exit n3
    n6 = access $d
    n0 -> n3.IN_t : $p_t[0:N]
    n1 -> n3.IN_u : $p_u[0:N]
    n2 -> n3.IN_r : $p_r[0]
    n3.OUT_t -> n4.x : $p_t[i]
    n3.OUT_u -> n4.y : $p_u[i]
    n3.OUT_r -> n4.r : $p_r[0]
    n4.o -> n5.IN_d : $d[i]
    n5.OUT_d -> n6 : $d[0:N])", "$p_in -> $p_part\n  $p_part -> $p_down\n  $p_down -> $p_out",
            {"K:N|K - 3:N|0:N - K", "K:N|0:N - K|K - 2:N", "K:N|1:N - K|0:2", "K|K - 2|0", "$p_t|$p_u|V"}},
    // Containers that begin before 0, and parts of them under another name.
    Pattern{"map-fusion-vertical inline-sdfg inline-multistate-sdfg refine-nested-access redundant-array-elimination copy-chain-elimination shrink-transients transient-reuse set-strides",
            "transient $p_t: float64[N + 4] {offset = [2], total_size = N + 4}\n  transient $p_u: float64[N, 3] {strides = [1, N], offset = [0, 1]}\n"
            "  transient $p_v: float64[N + 2] {offset = [1], total_size = N + 2}", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_wide (i) in [-2:N + 2]
      n2 = tasklet wide: "o = x / 2 + i"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_plane (i, j) in [0:N, -1:2]
      n6 = tasklet plane: "o = x / 2 + y / 2 - j"
    n7 = exit n5
    n8 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[max(min(i, N - 1), 0)]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[-2:N + 2]
    n4 -> n5.IN_t : $p_t[-2:N + 2]
    n5.OUT_t -> n6.x : $p_t[i + j]
    n5.OUT_t -> n6.y : $p_t[$1]
    n6.o -> n7.IN_u : $p_u[i, j]
    n7.OUT_u -> n8 : $p_u[0:N, -1:2]
  state $p_next
    n0 = access $p_t
    n1 = access $p_v
    n2 = access $p_u
    n3 = map $p_calls (i) in [0:N]
      n4 = nested_sdfg $p_inner with (N)
        sdfg $p_inner(w: float64[3], u: float64[3] {strides = [N], total_size = 2*N + 1}, r: float64)
          symbol N: int64
          state only
            n0 = access w
            n1 = access u
            n2 = tasklet sum: "o = a / 2 + b / 4 - c / 4"
            n3 = access r
            n0 -> n2.a : w[$3]
            n1 -> n2.b : u[0]
            n1 -> n2.c : u[$4]
            n2.o -> n3 : r[0]
    n5 = exit n3
    n6 = access $d
    n0 -> n1 : $p_t[$2:$2 + N + 2] -> [-1:N + 1]
    n1 -> n3.IN_v : $p_v[-1:N + 1]
    n2 -> n3.IN_u : $p_u[0:N, -1:2]
    n3.OUT_v -> n4.w : $p_v[i - 1:i + 2]
    n3.OUT_u -> n4.u : $p_u[i, -1:2]
    n4.r -> n5.IN_d : $d[i]
    n5.OUT_d -> n6 : $d[0:N]
  state $p_out)", "$p_in -> $p_next\n  $p_next -> $p_out", {"i|i + 1|N - 1 - i|-2", "-1|-2|0", "0|2", "1|2"}},
    // Statements of one iteration add to elements that other iterations add to, too.
    Pattern{"map-fusion-vertical map-fission map-tiling map-expansion accumulate-transient",
            "transient $p_t: float64[N + 2]", R"(
  state $p_in
    n0 = map $p_start (i) in [0:N + 2]
      n1 = tasklet start: "o = 0.0"
    n2 = exit n0
    n3 = access $p_t
    n4 = map $p_scatter (i) in [0:N]
      n5 = tasklet left: "o = 1 + i % 2"
      n6 = tasklet right: "o = i % 4"
    n7 = exit n4
    n8 = access $p_t
    n9 = access $s
    n10 = map $p_use (i) in [0:N]
      n11 = tasklet use: "o = x / 2 + y"
    n12 = exit n10
    n13 = access $d
    n0 -> n1
    n1.o -> n2.IN_t : $p_t[i]
    n2.OUT_t -> n3 : $p_t[0:N + 2]
    n3 -> n4
    n4 -> n5
    n4 -> n6
    n5.o -> n7.IN_t : $p_t[$1] {wcr = "lambda x, y: x + y"}
    n6.o -> n7.IN_t : $p_t[$2] {wcr = "lambda x, y: x + y"}
    n7.OUT_t -> n8 : $p_t[0:N + 2] {wcr = "lambda x, y: x + y"}
    n9 -> n10.IN_s : $s[0:N]
    n8 -> n10.IN_t : $p_t[0:N + 2]
    n10.OUT_s -> n11.x : $s[i]
    n10.OUT_t -> n11.y : $p_t[i + 1]
    n11.o -> n12.IN_d : $d[i]
    n12.OUT_d -> n13 : $d[0:N]
  state $p_out)", "$p_in -> $p_out", {"i|i + 1|N - i", "i + 2|i + 1|i|2 * i % N"}},
    // Containers that begin with zeros: what nobody writes there is read, or added to.
    Pattern{"map-fusion-vertical map-fusion-horizontal map-promotion state-fusion merge-access-nodes redundant-array-elimination double-write-elimination split-access-nodes map-split-vertical map-dead-range-elimination shrink-transients transient-reuse inline-sdfg recompute-at-reads inline-fusion copy-to-map conditional-into-maps",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_some (i) in [$1]
      n2 = tasklet some: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t {setzero = true}
    n5 = access $p_u {setzero = true}
    n6 = map $p_all (i) in [0:N]
      n7 = tasklet all: "o = x / 2 + y / 2 + z"
    n8 = exit n6
    n9 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[$1]
    n0 -> n5 : $s[0:2] -> [$2]
    n4 -> n6.IN_t : $p_t[0:N]
    n5 -> n6.IN_u : $p_u[0:N]
    n0 -> n6.IN_s : $s[0:N]
    n6.OUT_t -> n7.x : $p_t[$3]
    n6.OUT_u -> n7.y : $p_u[$4]
    n6.OUT_s -> n7.z : $s[i]
    n7.o -> n8.IN_d : $d[i]
    n8.OUT_d -> n9 : $d[0:N]
  state $p_out
    n0 = access $p_t
    n1 = access $d
    n0 -> n1 : $p_t[$5] -> [0])", "$p_in -> $p_out",
            {"0:2|1:N|0:N", "0:2|N - 2:N", "i|N - 1 - i|0", "i|N - 1 - i", "0|N - 1"}},
    // Sums that begin with zero, in a map and in a nested SDFG.
    Pattern{"accumulate-transient trivial-map-elimination map-collapse map-expansion map-interchange map-fission map-to-loop inline-sdfg scalar-copy-elimination tasklet-fusion move-into-if-body fuse-conditionals set-strides in-local-storage out-local-storage refine-nested-access",
            "transient $p_x: float64\n  transient $p_r: float64[3]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_rows (i) in [0:N]
      n2 = map $p_columns (j) in [$1]
        n3 = tasklet add: "o = x / 2 + j"
      n4 = exit n2
      n5 = access $p_x {setzero = true}
      n6 = nested_sdfg $p_pick with (i)
        sdfg $p_pick(x: float64, y: float64)
          symbol i: int64
          transient few: float64[3]
          state begin
            n0 = access x
            n1 = access few {setzero = true}
            n2 = tasklet sum: "o = a / 2 + b"
            n3 = access y
            n0 -> n1 : x[0] -> [$2]
            n1 -> n2.a : few[0]
            n1 -> n2.b : few[$3]
            n2.o -> n3 : y[0]
    n7 = exit n1
    n8 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.x : $s[$4]
    n3.o -> n4.IN_x : $p_x[0] {wcr = "lambda a, b: a + b"}
    n4.OUT_x -> n5 : $p_x[0] {wcr = "lambda a, b: a + b"}
    n5 -> n6.x : $p_x[0]
    n6.y -> n7.IN_d : $d[i]
    n7.OUT_d -> n8 : $d[0:N]
  state $p_sum
    n0 = access $d
    n1 = map $p_all (i) in [0:N]
      n2 = tasklet all: "o = x / 4"
    n3 = exit n1
    n4 = access $p_r {setzero = true}
    n0 -> n1.IN_d : $d[0:N]
    n1.OUT_d -> n2.x : $d[i]
    n2.o -> n3.IN_r : $p_r[$5] {wcr = "lambda a, b: a + b"}
    n3.OUT_r -> n4 : $p_r[0:3] {wcr = "lambda a, b: a + b"}
  state $p_out
    n0 = access $p_r
    n1 = access $d
    n0 -> n1 : $p_r[0:3] -> [1:4])", "$p_in -> $p_sum\n  $p_sum -> $p_out",
            {"0:2|0:1|1:3", "0|1|2", "0|1|2", "i|j", "0|i % 3|2"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> write_patterns() { return patterns; }

}  // namespace sdfg
