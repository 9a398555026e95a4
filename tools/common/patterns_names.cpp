#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// Names that mean something else inside of a nested SDFG or a loop, and choices of branches.
// clang-format off
constexpr std::array patterns{
    // Sizes and parameters change places at the border; containers have each other's names.
    Pattern{"inline-sdfg inline-multistate-sdfg symbol-propagation constant-propagation substitute-symbols move-states-into-map unused-symbol-elimination refine-nested-access",
            "transient $p_t: float64[N, K]\n  transient $p_u: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, k) in [0:N, 0:K]
      n2 = tasklet make: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_t
    n5 = access $p_u
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, k]
    n3.OUT_t -> n4 : $p_t[0:N, 0:K]
    n0 -> n5 : $s[0:N] -> [0:N]
  state $p_swap
    n0 = access $p_t
    n1 = access $p_u
    n2 = map $p_outer (i) in [0:N]
      n3 = nested_sdfg $p_inner with ($1)
        sdfg $p_inner(s: float64[K, N], t: float64[K], r: float64)
          symbol N: int64
          symbol K: int64
          symbol i: int64
          symbol j: int64
          transient w: float64[N]
          state first
            n0 = access s
            n1 = map inner (j) in [0:N]
              n2 = tasklet inner: "o = x / 2 + j"
            n3 = exit n1
            n4 = access w
            n0 -> n1.IN_s : s[0:K, 0:N]
            n1.OUT_s -> n2.x : s[$2, j]
            n2.o -> n3.IN_w : w[j]
            n3.OUT_w -> n4 : w[0:N]
          state second
            n0 = access w
            n1 = access t
            n2 = tasklet last: "o = x / 2 - y / 2 + i - j"
            n3 = access r
            n0 -> n2.x : w[N - 1]
            n1 -> n2.y : t[i]
            n2.o -> n3 : r[0]
          first -> second$3
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_t : $p_t[0:N, 0:K]
    n1 -> n2.IN_u : $p_u[0:N]
    n2.OUT_t -> n3.s : $p_t[0:N, 0:K]
    n2.OUT_u -> n3.t : $p_u[0:N]
    n3.r -> n4.IN_d : $d[$4]
    n4.OUT_d -> n5 : $d[0:N]
  state $p_out)", "$p_in -> $p_swap\n  $p_swap -> $p_out",
            {"N = K, K = N, i = N - 1 - i, j = i|N = K, K = N, i, j = i|K = N, N = K, i = i // 2, j = N - i",
             "i|j % K|K - 1", "| set i = 0| set j = i| set i = K - 1", "i|N - 1 - i"}},
    // A loop inside has the name of a parameter outside, and two nested SDFGs pass names crosswise.
    Pattern{"inline-sdfg inline-multistate-sdfg loop-to-map move-loop-into-map map-to-loop loop-unrolling loop-peeling",
            "transient $p_t: float64[N]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
  loop $p_again ($p_k) from "$p_k = $1" while "$p_k < 3" next "$p_k = $p_k + 1"
    state body
      n0 = access $p_t
      n1 = nested_sdfg $p_outer with (N, k = $p_k, n = $2)
        sdfg $p_outer(A: float64[N], B: float64[N])
          symbol N: int64
          symbol k: int64
          symbol n: int64
          state only
            n0 = access A
            n1 = map each (i) in [0:N]
              n2 = nested_sdfg $p_inner with (n = k, k = n, i)
                sdfg $p_inner(B: float64, A: float64)
                  symbol n: int64
                  symbol k: int64
                  symbol i: int64
                  state begin
                    n0 = access B
                    n1 = access A
                    n0 -> n1 : B[0] -> [0]
                  loop inner ($4) from "$4 = 0" while "$4 < 2" next "$4 = $4 + 1"
                    state body
                      n0 = access A
                      n1 = tasklet step: "o = x / 2 + n - $3"
                      n2 = access A
                      n0 -> n1.x : A[0]
                      n1.o -> n2 : A[0]
                  state end
                    n0 = access A
                    n1 = tasklet last: "o = x + k - i"
                    n2 = access A
                    n0 -> n1.x : A[0]
                    n1.o -> n2 : A[0]
                  begin -> inner
                  inner -> end
            n3 = exit n1
            n4 = access B
            n0 -> n1.IN_A : A[0:N]
            n1.OUT_A -> n2.B : A[$5]
            n2.A -> n3.IN_B : B[i]
            n3.OUT_B -> n4 : B[0:N]
      n2 = access $d
      n0 -> n1.A : $p_t[0:N]
      n1.B -> n2 : $d[0:N]
    state back
      n0 = access $d
      n1 = access $p_t
      n0 -> n1 : $d[1:N] -> [0:N - 1]
    body -> back
  state $p_out)", "$p_in -> $p_again\n  $p_again -> $p_out",
            {"0|1|2", "K|N|$p_k + 1", "k|i|n", "k|j|i", "i|N - 1 - i"}},
    // Several branches and none that always holds; data tell which. Symbols that a branch sets.
    Pattern{"fuse-conditionals conditional-into-maps move-before-conditional lift-trivial-if prune-empty-branches symbol-propagation state-fusion block-fusion",
            "transient $p_t: float64[N]\n  transient $p_n: int32\n  symbol $p_m: int64", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = access $d
    n3 = tasklet count: "o = 1 if x > 1 else 2 if x > 0 else 3"
    n4 = access $p_n
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
    n0 -> n3.x : $s[$1]
    n3.o -> n4 : $p_n[0]
  conditional $p_if
    branch one if "$p_t[$2] > 0"
      state one_state
        n0 = access $p_t
        n1 = map $p_one (i) in [0:N]
          n2 = tasklet one: "o = x / 2"
        n3 = exit n1
        n4 = access $d
        n0 -> n1.IN_t : $p_t[0:N]
        n1.OUT_t -> n2.x : $p_t[i]
        n2.o -> n3.IN_d : $d[i]
        n3.OUT_d -> n4 : $d[0:N]
    branch two if "$p_n > 1 and $p_t[$p_n] < 4"
      state two_state
      state two_more
        n0 = access $p_t
        n1 = tasklet two: "o = x - $p_m"
        n2 = access $d
        n0 -> n1.x : $p_t[$p_m]
        n1.o -> n2 : $d[$p_m]
      two_state -> two_more set $p_m = $p_n
    branch three if "$3"
      state three_state
        n0 = access $4
        n1 = access $p_t
        n0 -> n1 : $4[0:2] -> [1:3]
  conditional $p_again
    branch low if "$p_n < 2"
      state low_state
        n0 = access $p_t
        n1 = access $5
        n0 -> n1 : $p_t[0:N] -> [0:N]
    branch same if "$p_n == 2 or $p_t[0] == $p_m"
      state same_state
        n0 = tasklet three: "o = $p_m"
        n1 = access $p_n
        n0.o -> n1 : $p_n[0]
  state $p_out
    n0 = access $p_n
    n1 = access $p_t
    n2 = tasklet last: "o = x / 2 + n"
    n3 = access $d
    n0 -> n2.n : $p_n[0]
    n1 -> n2.x : $p_t[$p_m]
    n2.o -> n3 : $d[0])", "$p_in -> $p_if set $p_m = $2\n  $p_if -> $p_again\n  $p_again -> $p_out",
            {"0|N - 1", "0|1|3", "K > 6|$p_n == 3|$p_t[1] > $p_t[0]", "V|$s|$d", "V|W"}},
    // The same in a map: branches of a nested SDFG write one value each or none.
    Pattern{"move-into-if-body fuse-conditionals inline-multistate-sdfg tasklet-fusion local-double-buffering refine-nested-access map-fission",
            "transient $p_x: float64\n  transient $p_t: float64[N]", R"(
  state $p_in
    n0 = access $s
    n1 = access $p_t
    n2 = access $d
    n0 -> n1 : $s[0:N] -> [0:N]
    n0 -> n2 : $s[0:N] -> [0:N]
  state $p_choose
    n0 = access $s
    n1 = access $p_t
    n2 = map $p_map (i) in [0:N]
      n3 = tasklet half: "o = x / 2"
      n4 = access $p_x
      n5 = nested_sdfg $p_choice with (N, i)
        sdfg $p_choice(x: float64, a: float64[N], z: float64, b: float64[N])
          symbol N: int64
          symbol i: int64
          conditional choose
            branch up if "x > $1"
              state up_state
                n0 = access a
                n1 = access z
                n2 = access b
                n0 -> n1 : a[$2] -> [0]
                n0 -> n2 : a[i] -> [i]
            branch down if "a[$2] < $1"
              state down_state
                n0 = access x
                n1 = tasklet down: "o = w + 1"
                n2 = access z
                n0 -> n1.w : x[0]
                n1.o -> n2 : z[0]
            branch other$3
              state other_state
                n0 = access x
                n1 = tasklet other: "o = w / 2 - i"
                n2 = access b
                n0 -> n1.w : x[0]
                n1.o -> n2 : b[i]
    n6 = exit n2
    n7 = access $d
    n8 = access $4
    n0 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.x : $s[i]
    n3.o -> n4 : $p_x[0]
    n4 -> n5.x : $p_x[0]
    n1 -> n2.IN_t : $p_t[0:N]
    n2.OUT_t -> n5.a : $p_t[0:N]
    n5.z -> n6.IN_d : $d[i] {dynamic = true}
    n5.b -> n6.IN_b : $4[0:N] {dynamic = true}
    n6.OUT_d -> n7 : $d[0:N] {dynamic = true}
    n6.OUT_b -> n8 : $4[0:N] {dynamic = true}
  state $p_out)", "$p_in -> $p_choose\n  $p_choose -> $p_out",
            {"0|1|i", "i|N - 1 - i|0", "| if \"i > 2\"| if \"a[i] > x\"", "V|W"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> name_patterns() { return patterns; }

}  // namespace sdfg
