#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// Streams and what consumes them. Where maps push, the order is open, so what is popped tells the
// place it goes to or is combined.
// clang-format off
constexpr std::array patterns{
    // A list of places; what is done there needs an array, too.
    Pattern{"state-fusion map-tiling map-fission strip-mining dead-dataflow-elimination move-tasklet-into-map",
            "transient $p_q: stream int64[1]", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n2 = access $p_q
    n3 = map $p_push (i) in [0:N] {schedule = $2}
      n4 = tasklet push: "o = $1"
    n5 = exit n3
    n0 -> n1 : $s[0:N] -> [0:N]
    n3 -> n4
    n4.o -> n5.IN_q : $p_q[0]
    n5.OUT_q -> n2 : $p_q[0] {volume = N}
  state $p_out
    n0 = access $p_q
    n1 = access $s
    n2 = consume $p_drain (p) {num_pes = $3}
      n3 = tasklet work: "o[k] = a[k] / 2 + $4 * k"
    n4 = consume_exit n2
    n5 = access $5
    n0 -> n2.IN_stream : $p_q[0] {volume = 0, dynamic = true}
    n2.OUT_stream -> n3.k : $p_q[0]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.a : $s[0:N]
    n3.o -> n4.IN_d : $5[0:N] {volume = 0, dynamic = true}
    n4.OUT_d -> n5 : $5[0:N] {volume = 0, dynamic = true})", "$p_in -> $p_out",
            {"i|N - 1 - i|0|i // 2", "Default|Sequential|CPU_Multicore", "1|4|K", "1|K|N", "$d|$d|W"}},
    // Work that makes more work; what comes out is combined.
    Pattern{"accumulate-transient state-fusion scalar-to-symbol-promotion constant-propagation transient-reuse",
            "transient $p_q: stream int32[2]\n  transient $p_r: float64[2]", R"(
  state $p_in
    n0 = access $p_q
    n1 = access $p_r
    n2 = map $p_begin (i) in [0:2]
      n3 = tasklet begin: "o = $1"
      n4 = tasklet zero: "o = $2"
    n5 = exit n2
    n2 -> n3
    n2 -> n4
    n3.o -> n5.IN_q : $p_q[1]
    n4.o -> n5.IN_r : $p_r[i]
    n5.OUT_q -> n0 : $p_q[1] {volume = 2}
    n5.OUT_r -> n1 : $p_r[0:2]
  state $p_work
    n0 = access $p_q
    n1 = consume $p_halve (p) {num_pes = $3}
      n2 = tasklet halve: |
        | if w > 1:
        |   again = w // 2
        |   again = w // 3
        | else:
        |   r = w / 2
    n3 = consume_exit n1
    n4 = access $p_q
    n5 = access $p_r
    n0 -> n1.IN_stream : $p_q[1] {volume = 0, dynamic = true}
    n1.OUT_stream -> n2.w : $p_q[1]
    n2.again -> n3.IN_q : $p_q[1] {volume = 0, dynamic = true}
    n2.r -> n3.IN_r : $p_r[1] {dynamic = true, wcr = "lambda x, y: x + y"}
    n3.OUT_q -> n4 : $p_q[1] {volume = 0, dynamic = true}
    n3.OUT_r -> n5 : $p_r[1] {dynamic = true, wcr = "lambda x, y: x + y"}
  state $p_out
    n0 = access $p_r
    n1 = access $s
    n2 = map $p_map (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + r + $5"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_r : $p_r[0:2]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_r -> n3.r : $p_r[$4]
    n2.OUT_s -> n3.x : $s[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_work\n  $p_work -> $p_out",
            {"N + i|K * (i + 1)|7 - i", "0|i|1", "1|3|N", "1|0|i % 2", "0|i|x"}},
    // One after the other, pushed and popped in loops; another queue goes through it.
    Pattern{"loop-to-map loop-unrolling loop-peeling move-loop-into-map map-to-loop redundant-array-elimination copy-to-map",
            "transient $p_q: stream float64[2]\n  transient $p_t: float64[N]\n  symbol $p_j: int64\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $d
    n2 = access $p_t
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
  loop $p_push ($p_k) from "$p_k = $1" while "$p_k < N" next "$p_k = $p_k + 1"
    state push
      n0 = access $s
      n1 = tasklet push: "o = x / 2 + $p_k"
      n2 = access $p_q
      n0 -> n1.x : $s[$p_k]
      n1.o -> n2 : $p_q[$2]
  state $p_between
    n0 = access $p_q
    n1 = access $p_t
    n0 -> n1 : $p_q[1] -> [0:$3] {volume = $3}
  loop $p_pop ($p_j) from "$p_j = $1" while "$p_j < N" next "$p_j = $p_j + 1"
    state pop
      n0 = access $p_q
      n1 = tasklet pop: "o = x + 1 if x < 8 else 8 - x"
      n2 = access $4
      n0 -> n1.x : $p_q[0]
      n1.o -> n2 : $4[$p_j]
  state $p_out
    n0 = access $p_t
    n1 = access $5
    n0 -> n1 : $p_t[0:2] -> [0:2])", "$p_in -> $p_push\n  $p_push -> $p_between\n  $p_between -> $p_pop\n  $p_pop -> $p_out",
            {"0|1|N - 1", "0", "2|N|1", "$d|V", "$d|W"}},
    // Whole arrays into a queue and out of it, also inside of a nested SDFG.
    Pattern{"redundant-array-elimination copy-chain-elimination inline-sdfg inline-multistate-sdfg copy-to-map map-to-copy access-node-copy-elimination",
            "transient $p_q: stream float64[1]\n  transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_map (i) in [0:N]
      n2 = tasklet one: "o = 1 - x"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_q
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5 : $p_t[$1] -> [0]
  state $p_next
    n0 = access $p_q
    n1 = access $s
    n2 = nested_sdfg $p_inner with (N, K)
      sdfg $p_inner(q: stream float64[1], r: float64[N], z: float64[N])
        symbol N: int64
        symbol K: int64
        symbol k: int64
        state first
          n0 = access r
          n1 = access z
          n0 -> n1 : r[0:N] -> [0:N]
        loop each (k) from "k = 0" while "k < $2" next "k = k + 1"
          state take
            n0 = access q
            n1 = access r
            n2 = tasklet mix: "o = x / 2 + y / 2"
            n3 = access z
            n0 -> n2.x : q[0]
            n1 -> n2.y : r[k]
            n2.o -> n3 : z[$3]
        first -> each
    n3 = access $d
    n0 -> n2.q : $p_q[0] {dynamic = true, volume = 0}
    n1 -> n2.r : $s[0:N]
    n2.z -> n3 : $d[0:N]
  state $p_out
    n0 = access $p_t
    n1 = access $4
    n0 -> n1 : $p_t[0:N] -> [0:N])", "$p_in -> $p_next\n  $p_next -> $p_out",
            {"0:N|0:4|2:N", "2|1", "k|N - 1 - k", "V|W|$p_t"}},
    // Consumed until a condition holds, or with a map inside.
    Pattern{"map-fission map-expansion trivial-map-elimination map-unroll out-local-storage",
            "transient $p_q: stream int64[1]\n  transient $p_t: int64[4]\n  transient $p_u: float64[N, 2]", R"(
  state $p_in
    n1 = access $p_t
    n2 = tasklet keep: "o = 1; p = 0; q = 3; r = $1"
    n3 = access $p_q
    n2.o -> n1 : $p_t[0]
    n2.p -> n1 : $p_t[1]
    n2.q -> n1 : $p_t[2]
    n2.r -> n1 : $p_t[3]
    n1 -> n3 : $p_t[0:4] -> [0]
    n4 = access $s
    n5 = map $p_both (i, j) in [0:N, 0:2]
      n6 = tasklet both: "o = x / 2 + j"
    n7 = exit n5
    n8 = access $p_u
    n4 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i]
    n6.o -> n7.IN_u : $p_u[i, j]
    n7.OUT_u -> n8 : $p_u[0:N, 0:2]
  state $p_use
    n0 = access $p_q
    n1 = access $s
    n2 = consume $p_drain (p) {num_pes = 2}
      n3 = map $p_row (j) in [0:2]
        n4 = tasklet change: "o[k] = a[k] / 2 + $2"
      n5 = exit n3
    n6 = consume_exit n2
    n7 = access $p_u
    n0 -> n2.IN_stream : $p_q[0] {volume = 0, dynamic = true}
    n2.OUT_stream -> n3.IN_q : $p_q[0]
    n3.OUT_q -> n4.k : $p_q[0]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.IN_s : $s[0:N]
    n3.OUT_s -> n4.a : $s[0:N]
    n4.o -> n5.IN_u : $p_u[0:N, $3] {volume = 0, dynamic = true}
    n5.OUT_u -> n6.IN_u : $p_u[0:N, 0:2] {volume = 0, dynamic = true}
    n6.OUT_u -> n7 : $p_u[0:N, 0:2] {volume = 0, dynamic = true}
  state $p_out
    n0 = access $p_u
    n1 = map $p_join (i) in [0:N]
      n2 = tasklet join: "o = x / 2 - y / 2"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_u : $p_u[0:N, 0:2]
    n1.OUT_u -> n2.x : $p_u[i, 0]
    n1.OUT_u -> n2.y : $p_u[$4, 1]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_use\n  $p_use -> $p_out",
            {"0|2|N - 1", "j|1|K", "j|1 - j", "i|N - 1 - i"}},
    // What is popped goes through a scalar and a nested SDFG, and on into another queue.
    Pattern{"inline-sdfg inline-multistate-sdfg scalar-copy-elimination tasklet-fusion move-into-if-body map-to-copy access-node-copy-elimination",
            "transient $p_q: stream int32[1]\n  transient $p_r: stream int64[3]\n  transient $p_e: int32\n  transient $p_t: int64[N]", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i) in [0:N]
      n2 = tasklet make: "o = i"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_q
    n6 = access $d
    n1 -> n2
    n2.o -> n3.IN_t : $p_t[$1]
    n3.OUT_t -> n4 : $p_t[0:N]
    n4 -> n5 : $p_t[$2] -> [0]
    n0 -> n6 : $s[0:N] -> [0:N]
  state $p_work
    n0 = access $p_q
    n1 = access $s
    n2 = consume $p_drain (p) {num_pes = 2}
      n3 = access $p_e
      n4 = nested_sdfg $p_inner with (N, K)
        sdfg $p_inner(k: int32, e: int32, a: float64[N], z: float64[N])
          symbol N: int64
          symbol K: int64
          conditional choose
            branch low if "k < $3"
              state low_state
                n0 = access e
                n1 = access a
                n2 = tasklet low: "o[w] = x[w] / 2"
                n3 = access z
                n0 -> n2.w : e[0]
                n1 -> n2.x : a[0:N]
                n2.o -> n3 : z[0:N] {volume = 0, dynamic = true}
            branch high
              state high_state
                n0 = access k
                n1 = tasklet high: "o[w] = w"
                n2 = access z
                n0 -> n1.w : k[0]
                n1.o -> n2 : z[0:N] {volume = 0, dynamic = true}
      n5 = tasklet again: "o = w"
    n6 = consume_exit n2
    n7 = access $d
    n8 = access $p_r
    n0 -> n2.IN_stream : $p_q[0] {volume = 0, dynamic = true}
    n2.OUT_stream -> n3 : $p_q[0] -> [0]
    n2.OUT_stream -> n4.k : $p_q[0]
    n3 -> n4.e : $p_e[0]
    n3 -> n5.w : $p_e[0]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n4.a : $s[0:N]
    n4.z -> n6.IN_d : $d[0:N] {volume = 0, dynamic = true}
    n6.OUT_d -> n7 : $d[0:N] {volume = 0, dynamic = true}
    n5.o -> n6.IN_r : $p_r[$4]
    n6.OUT_r -> n8 : $p_r[$4] {volume = 0, dynamic = true}
  state $p_out
    n0 = access $p_r
    n1 = consume $p_more (p) {num_pes = 3}
      n2 = tasklet more: "o = w / 2"
    n3 = consume_exit n1
    n4 = access $d
    n0 -> n1.IN_stream : $p_r[$5] {volume = 0, dynamic = true}
    n1.OUT_stream -> n2.w : $p_r[$5]
    n2.o -> n3.IN_d : $d[0] {wcr = "lambda x, y: x + y"}
    n3.OUT_d -> n4 : $d[0] {wcr = "lambda x, y: x + y", volume = 0, dynamic = true})--", "$p_in -> $p_work\n  $p_work -> $p_out",
            {"i|N - 1 - i", "0:N|0:N:2|1:N", "2|K|N", "0|2", "0|2"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> stream_patterns() { return patterns; }

}  // namespace sdfg
