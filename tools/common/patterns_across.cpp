#include "tools/common/patterns.h"

#include <array>

namespace sdfg {
namespace {

// clang-format off
constexpr std::array patterns{
    // A conditional between maps: branches write what the maps around it exchange.
    Pattern{"conditional-into-maps state-fusion map-fusion-vertical fuse-conditionals",
            "transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = x + 1 if x < 8 else x / 2"
    n3 = exit n1
    n4 = access $p_t
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N]
  conditional $p_if
    branch yes if "$1"
      state yes_state
        n0 = access $2
        n1 = map $p_yes (j) in [$3]
          n2 = tasklet yes: "o = 1 - x"
        n3 = exit n1
        n4 = access $p_t
        n0 -> n1.IN_x : $2[$3]
        n1.OUT_x -> n2.x : $2[j]
        n2.o -> n3.IN_t : $p_t[j]
        n3.OUT_t -> n4 : $p_t[$3]
    branch no$4
      state no_state
        $5
  state $p_out
    n0 = access $p_t
    n1 = access $s
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_t -> n3.x : $p_t[i]
    n2.OUT_s -> n3.y : $s[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_if\n  $p_if -> $p_out",
            {"N > 6|K > 6|N > 5 and K < 7", "$p_t|$s", "0:N|0:N|0:N|1:N|0:N - 1|N - 1", "| if \"K > 5\"| if \"N < K\"",
             "|n0 = access $s\n        n1 = access $p_t\n        n0 -> n1 : $s[$3] -> [$3]"
             "|n0 = access $s\n        n1 = map $p_no (i) in [0:N]\n          n2 = tasklet no: \"o = x / 2\"\n"
             "        n3 = exit n1\n        n4 = access $p_t\n        n0 -> n1.IN_s : $s[0:N]\n"
             "        n1.OUT_s -> n2.x : $s[i]\n        n2.o -> n3.IN_t : $p_t[i]\n"
             "        n3.OUT_t -> n4 : $p_t[0:N]"}},
    // Two conditionals one after the other, on a symbol that may change in between; maps of several
    // containers in their branches, and a choice in a choice.
    Pattern{"conditional-into-maps fuse-conditionals map-fusion-horizontal",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:N]
      n2 = tasklet one: "o = 1 - x"
      n3 = tasklet two: "o = x + 1 if x < 8 else x / 2"
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
    branch yes if "$p_k > 5"
      state yes_state
        n0 = access $p_t
        n1 = map $p_yes (i) in [0:N]
          n2 = tasklet yes: "o = x / 2"
        n3 = exit n1
        n4 = access $1
        n0 -> n1.IN_t : $p_t[0:N]
        n1.OUT_t -> n2.x : $p_t[$2]
        n2.o -> n3.IN_u : $1[i]
        n3.OUT_u -> n4 : $1[0:N]
    branch no
      conditional $p_inner
        branch low if "N < K"
          state low_state
            n0 = access $p_u
            n1 = map $p_low (i) in [0:N]
              n2 = tasklet low: "o = x / 4"
            n3 = exit n1
            n4 = access $p_u
            n0 -> n1.IN_u : $p_u[0:N]
            n1.OUT_u -> n2.x : $p_u[i]
            n2.o -> n3.IN_u : $p_u[i]
            n3.OUT_u -> n4 : $p_u[0:N]
  conditional $p_again
    branch yes if "$p_k > $3"
      state again_state
        n0 = access $p_u
        n1 = access $s
        n2 = map $p_again_map (j) in [0:N]
          n3 = tasklet again: "o = x / 2 - y / 2"
        n4 = exit n2
        n5 = access $4
        n0 -> n2.IN_u : $p_u[0:N]
        n2.OUT_u -> n3.x : $p_u[j]
        n1 -> n2.IN_s : $s[0:N]
        n2.OUT_s -> n3.y : $s[N - 1 - j]
        n3.o -> n4.IN_t : $4[j]
        n4.OUT_t -> n5 : $4[0:N]
  state $p_out
    n0 = access $p_t
    n1 = access $p_u
    n2 = map $p_join (i) in [0:N]
      n3 = tasklet join: "o = x / 2 + y / 2"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N]
    n1 -> n2.IN_u : $p_u[0:N]
    n2.OUT_t -> n3.x : $p_t[i]
    n2.OUT_u -> n3.y : $p_u[i]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])",
            "$p_in -> $p_if set $p_k = K\n  $p_if -> $p_again$5\n  $p_again -> $p_out",
            {"$p_u|$p_u|V", "i|N - 1 - i", "5|6", "$p_t|$p_t|W", "|| set $p_k = N"}},
    // Written by two maps in parts, read with neighbours.
    Pattern{"recompute-at-reads inline-fusion map-split-horizontal map-split-vertical",
            "transient $p_t: float64[N + 1]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_one (i) in [0:$1]
      n2 = tasklet one: "o = x / 2 + i"
      n3 = tasklet too: "o = 1 - x"
    n4 = exit n1
    n5 = map $p_two (i) in [$1:N + 1]
      n6 = tasklet two: "o = x / 4"
    n7 = exit n5
    n8 = access $p_t
    n9 = access $p_u
    n10 = map $p_read (j) in [$2]
      n11 = tasklet read: "o = x / 2 + y / 2"
    n12 = exit n10
    n13 = access $3
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[$4]
    n1.OUT_s -> n3.x : $s[i]
    n2.o -> n4.IN_t : $p_t[i]
    n3.o -> n4.IN_u : $p_u[i]
    n4.OUT_t -> n8 : $p_t[0:$1]
    n4.OUT_u -> n9 : $p_u[0:$1]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i - 1]
    n6.o -> n7.IN_t : $p_t[i]
    n7.OUT_t -> n8 : $p_t[$1:N + 1]
    n8 -> n10.IN_t : $p_t[0:N + 1]
    n10.OUT_t -> n11.x : $p_t[j]
    n10.OUT_t -> n11.y : $p_t[$5]
    n11.o -> n12.IN_d : $3[j]
    n12.OUT_d -> n13 : $3[$2]
  state $p_out
    n0 = access $p_u
    n1 = access W
    n2 = access $s
    n3 = access $d
    n0 -> n1 : $p_u[0:$1] -> [0:$1]
    n2 -> n3 : $s[0:N] -> [0:N])", "$p_in -> $p_out",
            {"N - 1|3|N", "0:N|0:N|1:N - 1|0:3", "V", "i|N - 1 - i|0", "j + 1|N - j|3"}},
    // A scan that begins later, or goes the other way round, with a choice inside; its input is
    // computed level by level, or all levels at once, before.
    Pattern{"map-fusion-into-scan scan-unrolling move-into-if-body",
            "transient $p_t: float64[N, K + 1]\n  transient $p_w: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_levels (i, k) in [0:N, $1]
      n2 = tasklet level: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_columns (i) in [0:N]
      n6 = nested_sdfg $p_down with (L = $2, K, N, i)
        sdfg $p_down(w: float64, t: float64[N, K + 1])
          symbol L: int64
          symbol K: int64
          symbol N: int64
          symbol i: int64
          transient c: float64
          state begin
            n0 = tasklet zero: "o = 0"
            n1 = access c
            n0.o -> n1 : c[0]
          loop scan_k (k) from "k = $3" while "k < L" next "k = k + 1"
            state body
              n0 = access t
              n1 = access c
              n2 = tasklet halve: "o = x / 2 + y / 2"
              n3 = access c
              n0 -> n2.x : t[$4]
              n1 -> n2.y : c[0]
              n2.o -> n3 : c[0]
            conditional often
              branch yes if "k > $3 + 1"
                state more
                  n0 = access t
                  n1 = access c
                  n2 = tasklet less: "o = y - x / 4"
                  n3 = access c
                  n0 -> n2.x : t[$4]
                  n1 -> n2.y : c[0]
                  n2.o -> n3 : c[0]
            body -> often
          state end
            n0 = access c
            n1 = access w
            n0 -> n1 : c[0] -> [0]
          begin -> scan_k
          scan_k -> end
    n7 = exit n5
    n8 = access $p_w
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:K + 1]
    n4 -> n5.IN_t : $p_t[0:N, 0:K + 1]
    n5.OUT_t -> n6.t : $p_t[0:N, 0:K + 1]
    n6.w -> n7.IN_w : $p_w[i]
    n7.OUT_w -> n8 : $p_w[0:N]
  state $p_out
    n0 = access $p_w
    n1 = access $d
    n0 -> n1 : $p_w[0:N] -> [0:N])", "$p_in -> $p_out",
            {"0:K + 1", "K|K - 1|3", "0|1", "i, k|i, k + 1|i, L - k|i, L"}},
    // In a loop: what one iteration leaves is copied, and read in the next one.
    Pattern{"redundant-array-elimination access-node-copy-elimination self-copy-elimination copy-chain-elimination "
            "distributed-buffer-relocation state-fusion",
            "transient $p_t: float64[N]\n  transient $p_u: float64[N]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = access $p_u
    n3 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
    n0 -> n3 : $s[0:N] -> [0:N]
  loop $p_again ($p_k) from "$p_k = 0" while "$p_k < 3" next "$p_k = $p_k + 1"
    state first
      n0 = access $p_t
      n1 = access $1
      n2 = map $p_map (i) in [0:N]
        n3 = tasklet mix: "o = x / 2 + y / 2"
      n4 = exit n2
      n5 = access $2
      n0 -> n2.IN_t : $p_t[0:N]
      n2.OUT_t -> n3.x : $p_t[i]
      n1 -> n2.IN_u : $1[0:N]
      n2.OUT_u -> n3.y : $1[i]
      n3.o -> n4.IN_o : $2[i]
      n4.OUT_o -> n5 : $2[0:N]
    state second
      n0 = access $3
      n1 = access $p_t
      n0 -> n1 : $3[$4] -> [$4]
    state third
      n0 = access $p_u
      n1 = access $d
      n0 -> n1 : $p_u[0:N] -> [0:N]
    first -> second
    second -> third
  state $p_out
    n0 = access $5
    n1 = access W
    n0 -> n1 : $5[0:N] -> [0:N])", "$p_in -> $p_again\n  $p_again -> $p_out",
            {"$p_u|$s|$d", "$p_u", "$p_u|$d|$p_u", "0:N|1:N|$p_k", "$p_t|$p_u|$d"}},
    // A reference that several states use; what it points to changes in between.
    Pattern{"reference-to-view",
            "transient $p_r: reference float64[N]\n  transient $p_t: float64[N]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
  state $p_set
    n0 = access $1
    n1 = access $p_r
    n0 -> n1."set" : $1[0:N]
  loop $p_again ($p_k) from "$p_k = 0" while "$p_k < 2" next "$p_k = $p_k + 1"
    state change
      n0 = access $2
      n1 = map $p_map (i) in [0:N]
        n2 = tasklet minus: "o = 1 - x"
      n3 = exit n1
      n4 = access $3
      n0 -> n1.IN_x : $2[0:N]
      n1.OUT_x -> n2.x : $2[i]
      n2.o -> n3.IN_o : $3[i]
      n3.OUT_o -> n4 : $3[0:N]
    conditional which
      branch yes if "$4"
        state take
          n0 = access $p_r
          n1 = access V
          n0 -> n1 : $p_r[0:2] -> [$p_k:$p_k + 2]
    change -> which
  state $p_out
    n0 = access $5
    n1 = access W
    n0 -> n1 : $5[0:N] -> [0:N])", "$p_in -> $p_set\n  $p_set -> $p_again\n  $p_again -> $p_out",
            {"$p_t|$d|$p_t", "$p_r|$p_r|$p_t|$s", "$p_r|$p_t|$d", "N > 6|$p_k > 0", "$p_r|$p_t|$d"}},
    // Ranges that two symbols cut, and what is left.
    Pattern{"min-max-elimination map-dead-range-elimination map-split-horizontal map-split-vertical",
            "transient $p_t: float64[N + K]\n  transient $p_u: float64[N + K]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_all (i) in [0:N + K]
      n2 = tasklet all: "o = x / 2 + i"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_low (i) in [0:$1]
      n6 = tasklet low: "o = 1 - x"
    n7 = exit n5
    n8 = map $p_high (i) in [$1:$2]
      n9 = tasklet high: "o = x / 2"
    n10 = exit n8
    n11 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[min(i, N - 1)]
    n2.o -> n3.IN_t : $p_t[i]
    n3.OUT_t -> n4 : $p_t[0:N + K]
    n4 -> n5.IN_t : $p_t[0:N + K]
    n5.OUT_t -> n6.x : $p_t[i]
    n6.o -> n7.IN_u : $p_u[i]
    n7.OUT_u -> n11 : $p_u[0:$1]
    n4 -> n8.IN_t : $p_t[0:N + K]
    n8.OUT_t -> n9.x : $p_t[$3]
    n9.o -> n10.IN_u : $p_u[i]
    n10.OUT_u -> n11 : $p_u[$1:$2]
  conditional $p_if
    branch yes if "$4"
      state inside
        n0 = access $p_u
        n1 = access $p_u
        n2 = map $p_more (i) in [0:$1]
          n3 = tasklet more: "o = x / 2"
        n4 = exit n2
        n0 -> n2.IN_u : $p_u[0:$1]
        n2.OUT_u -> n3.x : $p_u[i]
        n3.o -> n4.IN_u : $p_u[i]
        n4.OUT_u -> n1 : $p_u[0:$1]
  state $p_out
    n0 = access $p_u
    n1 = access $d
    n2 = access $s
    n3 = map $p_join (i) in [0:N]
      n4 = tasklet join: "o = x / 2 + y / 2"
    n5 = exit n3
    n0 -> n3.IN_u : $p_u[0:$2]
    n3.OUT_u -> n4.x : $p_u[min(i, $2 - 1)]
    n2 -> n3.IN_s : $s[0:N]
    n3.OUT_s -> n4.y : $s[i]
    n4.o -> n5.IN_d : $d[i]
    n5.OUT_d -> n1 : $d[0:N])", "$p_in -> $p_if\n  $p_if -> $p_out",
            {"min(N, K)|N|min(3, K)", "N + K|max(N, K)|N + K - 1", "i|i|min(i + 1, N + K - 1)", "K > N|N > 5"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> across_patterns() { return patterns; }

}  // namespace sdfg
