#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    // An argument is updated where it stands: computed from neighbours, written back in part, while
    // somebody else still reads what it was.
    Pattern{"map-fusion-vertical recompute-at-reads inline-fusion state-fusion kernel-order map-fusion-horizontal",
            "transient $p_t: float64[N - 2]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access V
    n1 = access $s
    n2 = map $p_near (i) in [1:N - 1]
      n3 = tasklet near: "o = x / 2 + y / 4 + z / 4"
    n4 = exit n2
    n5 = access $p_t
    n6 = map $p_was (i) in [0:N]
      n7 = tasklet was: "o = x / 2 - y / 4"
    n8 = exit n6
    n9 = access $p_u
    n10 = map $p_back (i) in [$1]
      n11 = tasklet back: "o = x if x < 64 else 64"
    n12 = exit n10
    n13 = access V
    n14 = map $p_join (i) in [0:N]
      n15 = tasklet join: "o = x / 2 + y / 2 + z / 4"
    n16 = exit n14
    n17 = access $d
    n0 -> n2.IN_v : V[0:N]
    n2.OUT_v -> n3.x : V[i - 1]
    n2.OUT_v -> n3.y : V[i + 1]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.z : $s[i]
    n3.o -> n4.IN_t : $p_t[i - 1]
    n4.OUT_t -> n5 : $p_t[0:N - 2]
    n0 -> n6.IN_v : V[0:N]
    n6.OUT_v -> n7.x : V[$2]
    n1 -> n6.IN_s : $s[0:N]
    n6.OUT_s -> n7.y : $s[i]
    n7.o -> n8.IN_u : $p_u[i]
    n8.OUT_u -> n9 : $p_u[0:N]
    n9 -> n10
    n5 -> n10.IN_t : $p_t[0:N - 2]
    n10.OUT_t -> n11.x : $p_t[$3]
    n11.o -> n12.IN_v : V[i]
    n12.OUT_v -> n13 : V[$1]
    n13 -> n14.IN_v : V[0:N]
    n14.OUT_v -> n15.x : V[i]
    n14.OUT_v -> n15.y : V[$4]
    n9 -> n14.IN_u : $p_u[0:N]
    n14.OUT_u -> n15.z : $p_u[$2]
    n15.o -> n16.IN_d : $d[i]
    n16.OUT_d -> n17 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"1:N - 1|1:N - 1|2:N - 1|1:N - 2|1:3", "i|N - 1 - i|0", "i - 1|N - 2 - i", "i|N - 1 - i|2"}},
    // Three maps write parts of one intermediate; data tell where they meet, and some may be empty.
    // The intermediate begins at a symbol, and neighbours in it are read.
    Pattern{"recompute-at-reads map-split-vertical map-split-horizontal map-fusion-vertical min-max-elimination "
            "map-dead-range-elimination conditional-into-maps",
            "transient $p_t: float64[N + 2 - $p_k]\n  symbol $p_k: int64\n  symbol $p_m: int64", R"(
  state $p_in
  state $p_parts
    n0 = access $s
    n1 = map $p_low (i) in [$p_k - 1:$1]
      n2 = tasklet low: "o = 2 - x"
    n3 = exit n1
    n4 = map $p_middle (i) in [$1:$2]
      n5 = tasklet middle: "o = x / 2 + i"
    n6 = exit n4
    n7 = map $p_high (i) in [$2:N + 1]
      n8 = tasklet high: "o = x / 4"
    n9 = exit n7
    n10 = access $p_t
    n11 = map $p_near (i) in [$3:N]
      n12 = tasklet near: "o = x / 2 + y / 2 - z"
    n13 = exit n11
    n14 = map $p_rest (i) in [0:$3]
      n15 = tasklet rest: "o = 1 - x"
    n16 = exit n14
    n17 = access $d
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[max(i, 0)]
    n2.o -> n3.IN_t : $p_t[i - $p_k + 1]
    n3.OUT_t -> n10 : $p_t[0:$1 - $p_k + 1]
    n0 -> n4.IN_s : $s[0:N]
    n4.OUT_s -> n5.x : $s[i]
    n5.o -> n6.IN_t : $p_t[i - $p_k + 1]
    n6.OUT_t -> n10 : $p_t[$1 - $p_k + 1:$2 - $p_k + 1]
    n0 -> n7.IN_s : $s[0:N]
    n7.OUT_s -> n8.x : $s[min(i, N - 1)]
    n8.o -> n9.IN_t : $p_t[i - $p_k + 1]
    n9.OUT_t -> n10 : $p_t[$2 - $p_k + 1:N + 2 - $p_k]
    n10 -> n11.IN_t : $p_t[0:N + 2 - $p_k]
    n11.OUT_t -> n12.x : $p_t[i - $p_k]
    n11.OUT_t -> n12.y : $p_t[i - $p_k + 2]
    n11.OUT_t -> n12.z : $p_t[$4 - $p_k + 1]
    n12.o -> n13.IN_d : $d[i]
    n13.OUT_d -> n17 : $d[$3:N]
    n0 -> n14.IN_s : $s[0:N]
    n14.OUT_s -> n15.x : $s[i]
    n15.o -> n16.IN_d : $d[i]
    n16.OUT_d -> n17 : $d[0:$3]
  state $p_out)", "$p_in -> $p_parts set $p_k = I[$5], $p_m = min(N - 1, I[$5] + I[1])\n  $p_parts -> $p_out",
            {"$p_k|min(3, $p_m)", "$p_m|N - 1", "$p_k", "i|N - 1 + $p_k - i", "0|2"}},
    // Neighbours that a table names, some of which are missing; summed level by level.
    Pattern{"expand-reduce map-fusion-vertical map-fusion-into-scan inline-fusion fuse-conditionals map-collapse",
            "transient $p_e: int64[N, 2]\n  transient $p_t: float64[N]\n  transient $p_l: float64[2]\n  transient $p_r: float64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_table (i, j) in [0:N, 0:2]
      n2 = tasklet where: "o = i + 2 * j - 1 if i + 2 * j - 1 < N - $1 else 0 - 1"
    n3 = exit n1
    n4 = access $p_e
    n5 = map $p_one (i) in [0:N]
      n6 = tasklet one: "o = 1 - x"
    n7 = exit n5
    n8 = access $p_t
    n9 = map $p_sum (i) in [0:N]
      n10 = map $p_local (j) in [0:2]
        n11 = nested_sdfg $p_missing with (N)
          sdfg $p_missing(w: float64[N], e: int64, r: float64)
            symbol N: int64
            conditional there
              branch yes if "e >= 0"
                state take
                  n0 = access w
                  n1 = access e
                  n2 = tasklet take: "o = a[k]"
                  n3 = access r
                  n0 -> n2.a : w[0:N]
                  n1 -> n2.k : e[0]
                  n2.o -> n3 : r[0]
              branch no
                state missing
                  n0 = tasklet missing: "o = $2"
                  n1 = access r
                  n0.o -> n1 : r[0]
      n12 = exit n10
      n13 = access $p_l
      n14 = library dace.libraries.standard.nodes.reduce.Reduce sum {name = "Reduce", extras = {axes = raw "[0]", $3}}
      n15 = access $p_r
      n16 = tasklet use: "o = x / 2 + y / 4"
    n17 = exit n9
    n18 = access $d
    n1 -> n2
    n2.o -> n3.IN_e : $p_e[i, j]
    n3.OUT_e -> n4 : $p_e[0:N, 0:2]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i]
    n6.o -> n7.IN_t : $p_t[i]
    n7.OUT_t -> n8 : $p_t[0:N]
    n4 -> n9.IN_e : $p_e[0:N, 0:2]
    n8 -> n9.IN_t : $p_t[0:N]
    n9.OUT_e -> n10.IN_e : $p_e[i, 0:2]
    n9.OUT_t -> n10.IN_t : $p_t[0:N]
    n10.OUT_e -> n11.e : $p_e[i, j]
    n10.OUT_t -> n11.w : $p_t[0:N]
    n11.r -> n12.IN_l : $p_l[j]
    n12.OUT_l -> n13 : $p_l[0:2]
    n13 -> n14 : $p_l[0:2]
    n14 -> n15 : $p_r[0]
    n15 -> n16.x : $p_r[0]
    n9.OUT_t -> n16.y : $p_t[$4]
    n16.o -> n17.IN_d : $d[i]
    n17.OUT_d -> n18 : $d[0:N]
  state $p_out)", "$p_in -> $p_out",
            {"0|1|3", "0|0|-100",
             "identity = \"0\", wcr = \"(lambda a, b: (a + b))\"|identity = \"-100\", wcr = \"(lambda a, b: max(a, b))\"", "i|N - 1 - i"}},
    // In one branch a scan goes down, in the other one up; two values are carried, and both written.
    Pattern{"scan-unrolling map-fusion-into-scan conditional-into-maps move-before-conditional fuse-conditionals "
            "map-split-vertical",
            "transient $p_t: float64[N, K]\n  transient $p_w: float64[N, K]\n  transient $p_z: float64[N, K]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_levels (i, k) in [0:N, 0:K]
      n2 = tasklet level: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:K]
  conditional $p_if
    branch yes if "$1"
      state yes_state
        n0 = access $p_t
        n1 = map $p_down (i) in [0:N]
          n2 = nested_sdfg $p_scan_down with (K, N, i)
            sdfg $p_scan_down(t: float64[K], w: float64[K], v: float64[K])
              symbol K: int64
              transient c: float64
              transient e: float64
              state begin
                n0 = tasklet zero: "o = 0; q = 1"
                n1 = access c
                n2 = access e
                n0.o -> n1 : c[0]
                n0.q -> n2 : e[0]
              loop scan_k (k) from "k = 0" while "k < K" next "k = k + 1"
                state body
                  n0 = access t
                  n1 = access c
                  n2 = access e
                  n3 = tasklet step: "o = x / 2 + y / 2; q = y / 2 - z / 4"
                  n4 = access c
                  n5 = access e
                  n6 = access w
                  n7 = access v
                  n0 -> n3.x : t[k]
                  n1 -> n3.y : c[0]
                  n2 -> n3.z : e[0]
                  n3.o -> n4 : c[0]
                  n3.q -> n5 : e[0]
                  n4 -> n6 : c[0] -> [k]
                  n5 -> n7 : e[0] -> [k]
              begin -> scan_k
        n3 = exit n1
        n4 = access $p_w
        n5 = access $p_z
        n0 -> n1.IN_t : $p_t[0:N, 0:K]
        n1.OUT_t -> n2.t : $p_t[i, 0:K]
        n2.w -> n3.IN_w : $p_w[i, 0:K]
        n2.v -> n3.IN_z : $p_z[i, 0:K]
        n3.OUT_w -> n4 : $p_w[0:N, 0:K]
        n3.OUT_z -> n5 : $p_z[0:N, 0:K]
    branch no
      state no_state
        n0 = access $p_t
        n1 = map $p_up (i) in [0:N]
          n2 = nested_sdfg $p_scan_up with (K, N, i)
            sdfg $p_scan_up(t: float64[N, K], w: float64[K], v: float64[K])
              symbol K: int64
              symbol N: int64
              symbol i: int64
              transient c: float64
              state begin
                n0 = tasklet zero: "o = 0"
                n1 = access c
                n0.o -> n1 : c[0]
              loop scan_k (k) from "k = K - 1" while "k >= 0" next "k = k - 1"
                state body
                  n0 = access t
                  n1 = access c
                  n3 = tasklet step: "o = x / 2 + y / 2; q = y - x / 4"
                  n4 = access c
                  n6 = access w
                  n7 = access v
                  n0 -> n3.x : t[i, k]
                  n1 -> n3.y : c[0]
                  n3.o -> n4 : c[0]
                  n3.q -> n7 : v[k]
                  n4 -> n6 : c[0] -> [k]
              begin -> scan_k
        n3 = exit n1
        n4 = access $p_w
        n5 = access $p_z
        n0 -> n1.IN_t : $p_t[0:N, 0:K]
        n1.OUT_t -> n2.t : $p_t[0:N, 0:K]
        n2.w -> n3.IN_w : $p_w[i, 0:K]
        n2.v -> n3.IN_z : $p_z[i, 0:K]
        n3.OUT_w -> n4 : $p_w[0:N, 0:K]
        n3.OUT_z -> n5 : $p_z[0:N, 0:K]
  state $p_out
    n0 = access $p_w
    n1 = access $p_z
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2 + z / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_w : $p_w[0:N, 0:K]
    n1 -> n2.IN_z : $p_z[0:N, 0:K]
    n2.OUT_w -> n3.x : $p_w[i, $2]
    n2.OUT_w -> n3.y : $p_w[$3, K - 1]
    n2.OUT_z -> n3.z : $p_z[i, $2]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_if\n  $p_if -> $p_out",
            {"N > 6|K > 6|N < K", "0|K - 1|2", "i|N - 1 - i"}},
    // Every other element comes from another map; the ends of a range are read from a container.
    Pattern{"map-fusion-vertical map-fusion-horizontal shrink-transients loop-to-map scalar-to-symbol-promotion "
            "map-split-vertical access-node-copy-elimination",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]\n  transient $p_n: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_even (i) in [0:N:2]
      n2 = tasklet even: "o = x / 2"
    n3 = exit n1
    n4 = map $p_odd (i) in [1:N:2]
      n5 = tasklet odd: "o = 1 - x"
    n6 = exit n4
    n7 = access $p_t
    n8 = access I
    n9 = tasklet get: "o = x + $1"
    n10 = access $p_n
    n11 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n7 : $p_t[0:N:2]
    n0 -> n4.IN_s : $s[0:N]
    n4.OUT_s -> n5.x : $s[$2]
    n5.o -> n6.IN_t : $p_t[i]
    n6.OUT_t -> n7 : $p_t[1:N:2]
    n8 -> n9.x : I[3]
    n9.o -> n10 : $p_n[0]
    n7 -> n11 : $p_t[0:N] -> [0:N]
  state $p_some
    n0 = access $p_n
    n1 = access $3
    n2 = map $p_first (i) in [0:end]
      n3 = tasklet first: "o = x / 2 + i"
    n4 = exit n2
    n5 = access $p_u
    n0 -> n2.end : $p_n[0]
    n1 -> n2.IN_t : $3[0:N]
    n2.OUT_t -> n3.x : $3[$4]
    n3.o -> n4.IN_u : $p_u[i]
    n4.OUT_u -> n5 : $p_u[0:N] {dynamic = true, volume = 0}
  state $p_out
    n0 = access $p_t
    n1 = access $p_u
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2 - z / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n1 -> n2.IN_u : $p_u[0:N]
    n2.OUT_t -> n3.x : $p_t[max(i - 1, 0)]
    n2.OUT_t -> n3.y : $p_t[min(i + 1, N - 1)]
    n2.OUT_u -> n3.z : $p_u[$5]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_some\n  $p_some -> $p_out",
            {"0|1", "i|i - 1|N - 1 - i", "$p_t|$s|$p_u", "i", "i|N - 1 - i"}},
    // A choice of two values at once, in a map; they are read elsewhere with an offset that data tell.
    Pattern{"move-into-if-body fuse-conditionals map-fusion-vertical recompute-at-reads tasklet-fusion inline-sdfg",
            "transient $p_t: float64[N + 3] {offset = [1], total_size = N + 3}\n  transient $p_u: float64[N]\n  transient $p_x: float64\n"
            "  transient $p_y: float64\n  symbol $p_o: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_both (i) in [-1:N + 2]
      n2 = tasklet half: "o = x / 2"
      n3 = access $p_x
      n4 = tasklet minus: "o = 1 - x"
      n5 = access $p_y
      n6 = nested_sdfg $p_choice with (i, N)
        sdfg $p_choice(x: float64, y: float64, u: float64, v: float64)
          symbol i: int64
          symbol N: int64
          conditional choose
            branch yes if "$1"
              state a
                n0 = access x
                n1 = access y
                n2 = access u
                n3 = access v
                n0 -> n2 : x[0] -> [0]
                n1 -> n3 : y[0] -> [0]
            branch no
              state b
                n0 = access x
                n1 = access y
                n2 = access u
                n3 = tasklet five: "o = a + 5"
                n4 = access v
                n1 -> n2 : y[0] -> [0]
                n0 -> n3.a : x[0]
                n3.o -> n4 : v[0]
    n7 = exit n1
    n8 = access $p_t
    n9 = access W
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[max(min(i, N - 1), 0)]
    n2.o -> n3 : $p_x[0]
    n1.OUT_s -> n4.x : $s[max(min(i, N - 1), 0)]
    n4.o -> n5 : $p_y[0]
    n3 -> n6.x : $p_x[0]
    n5 -> n6.y : $p_y[0]
    n6.u -> n7.IN_t : $p_t[i]
    n6.v -> n7.IN_w : W[max(min(i, N - 1), 0)]
    n7.OUT_t -> n8 : $p_t[-1:N + 2]
    n7.OUT_w -> n9 : W[0:N]
  state $p_read
    n0 = access $p_t
    n1 = map $p_near (i) in [0:N]
      n2 = tasklet near: "o = x / 2 + y / 2"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[-1:N + 2]
    n1.OUT_t -> n2.x : $p_t[i + $p_o - $2]
    n1.OUT_t -> n2.y : $p_t[i - 1]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N]
  state $p_out)", "$p_in -> $p_read set $p_o = $3\n  $p_read -> $p_out",
            {"x > 0|i > 2|x < y", "0|1", "min(I[1], 2)|1|I[2] // 2"}},
    // A loop over levels around a map whose body gets all of a field and touches its own column, as
    // gt4py.cartesian has it.
    Pattern{"refine-nested-access loop-to-map move-loop-into-map inline-multistate-sdfg",
            "transient $p_t: float64[N, 4] {strides = [$5], total_size = 6*N}\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_fill (i, k) in [0:N, 0:4]
      n2 = tasklet fill: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:4]
  loop $p_levels ($p_k) from "$p_k = 0" while "$p_k < $1" next "$p_k = $p_k + 1"
    state $p_level
      n0 = access $s
      n1 = access $p_t
      n2 = map $p_columns (i) in [0:N]
        n3 = nested_sdfg $p_body with (N, i = $2, k = $p_k)
          sdfg $p_body(s: float64[N], t: float64[N, 4] {strides = [$5], total_size = 6*N})
            symbol N: int64
            symbol i: int64
            symbol k: int64
            symbol n: int64
            transient low: bool
            state test
              n0 = access t
              n1 = access s
              n2 = tasklet compare: "c = x < y + 1"
              n3 = access low
              n0 -> n2.x : t[i, $3]
              n1 -> n2.y : s[max(i - 1, 0)]
              n2.c -> n3 : low[0]
            conditional choose
              branch below if "low and i > 0"
                state change
                  n0 = access t
                  n1 = access s
                  n2 = tasklet mean: "o = x / 2 + y / 4"
                  n3 = access t
                  n0 -> n2.x : t[i, k]
                  n1 -> n2.y : s[i - 1]
                  n2.o -> n3 : t[i, k]
              branch above
                loop sum (n) from "n = 1" while "n < $4" next "n = n + 1"
                  state add
                    n0 = access t
                    n1 = tasklet quarter: "o = x / 4 + y / 2"
                    n2 = access t
                    n0 -> n1.x : t[i, n - 1]
                    n0 -> n1.y : t[i, n]
                    n1.o -> n2 : t[i, n]
            test -> choose
      n4 = exit n2
      n5 = access $p_t
      n0 -> n2.IN_s : $s[0:N]
      n1 -> n2.IN_t : $p_t[0:N, 0:4]
      n2.OUT_s -> n3.s : $s[0:N]
      n2.OUT_t -> n3.t : $p_t[0:N, 0:4]
      n3.t -> n4.IN_t : $p_t[0:N, 0:4]
      n4.OUT_t -> n5 : $p_t[0:N, 0:4]
  state $p_out
    n0 = access $p_t
    n1 = map $p_sum (i) in [0:N]
      n2 = tasklet sum: "o = x + y / 2"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:N, 0:4]
    n1.OUT_t -> n2.x : $p_t[i, 0]
    n1.OUT_t -> n2.y : $p_t[i, 3]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_levels\n  $p_levels -> $p_out",
            {"4|3|2", "i|N - 1 - i", "k|3 - k|max(k - 1, 0)|min(k + 1, 3)", "k + 1|2|4",
             "4, 1|6, 1|1, N"}},
    // Sweeps over the same columns, each in a state of its own, with a copy of one level between.
    Pattern{"move-states-into-map inline-multistate-sdfg copy-to-map map-to-loop state-fusion move-loop-into-map",
            "transient $p_t: float64[N, 6]\n  transient $p_u: float64[N, 2]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_fill (i, k) in [0:N, 0:6]
      n2 = tasklet fill: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:6]
  state $p_up
    n0 = access $p_t
    n1 = access $s
    n2 = map $p_rise (i) in [0:N]
      n3 = nested_sdfg rise with (N)
        sdfg rise(t: float64[1, 6] {strides = [6, 1]}, s: float64[1])
          symbol N: int64
          loop each (k) from "k = 1" while "k < 6" next "k = k + 1"
            state inside
              n0 = access t
              n1 = access s
              n2 = tasklet one: "o = x / 2 + y / 4"
              n3 = access t
              n0 -> n2.x : t[0, k - 1]
              n1 -> n2.y : s[0]
              n2.o -> n3 : t[0, k]
    n4 = exit n2
    n5 = access $p_t
    n0 -> n2.IN_t : $p_t[0:N, 0:6]
    n2.OUT_t -> n3.t : $p_t[i, 0:6]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.s : $s[$1]
    n3.t -> n4.IN_t : $p_t[i, 0:6]
    n4.OUT_t -> n5 : $p_t[0:N, 0:6]
  state $p_level
    n0 = access $p_t
    n1 = access $p_u
    n0 -> n1 : $p_t[0:N, $2] -> [0:N, 1]
  state $p_out
    n0 = access $p_t
    n1 = access $p_u
    n2 = map $p_fall (j) in [0:N]
      n3 = tasklet fall: "o = x / 2 + y / 2"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N, 0:6]
    n2.OUT_t -> n3.x : $p_t[$3, $4]
    n1 -> n2.IN_u : $p_u[0:N, 0:2]
    n2.OUT_u -> n3.y : $p_u[$3, 1]
    n3.o -> n4.IN_d : $d[j]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_up\n  $p_up -> $p_level\n  $p_level -> $p_out",
            {"i|i|N - 1 - i", "5|1|0", "j|j|j|N - 1 - j|j // 2", "0|3|5"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> field_patterns() { return patterns; }

}  // namespace sdfg
