#include <array>

#include "tools/common/patterns.h"

namespace sdfg {
namespace {

// Library nodes other than reductions, on whole containers, on parts, in maps and in loops. Factors
// are few powers of 2 so that products of sums are exact.
// clang-format off
constexpr std::array patterns{
    // Products of matrices; what goes in is made and what comes out is used by maps.
    Pattern{"map-fusion-vertical map-fusion-horizontal redundant-array-elimination set-strides map-iteration-order transient-reuse",
            "transient $p_a: float64[N, K]\n  transient $p_b: float64[K, N]\n  transient $p_c: float64[N, N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_left (i, k) in [0:N, 0:K]
      n2 = tasklet left: "o = 1 if x > k else 0.5"
    n3 = exit n1
    n4 = access $p_a
    n5 = map $p_right (k, j) in [0:K, 0:N]
      n6 = tasklet right: "o = 2 if x < k else 1"
    n7 = exit n5
    n8 = access $p_b
    n9 = map $p_old (i, j) in [0:N, 0:N]
      n10 = tasklet old: "o = i - j"
    n11 = exit n9
    n12 = access $p_c
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_a : $p_a[i, k]
    n3.OUT_a -> n4 : $p_a[0:N, 0:K]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[j]
    n6.o -> n7.IN_b : $p_b[k, j]
    n7.OUT_b -> n8 : $p_b[0:K, 0:N]
    n9 -> n10
    n10.o -> n11.IN_c : $p_c[i, j]
    n11.OUT_c -> n12 : $p_c[0:N, 0:N]
  state $p_product
    n0 = access $p_a
    n1 = access $p_b
    n2 = library dace.libraries.$1
    n3 = access $p_c
  state $p_out
    n0 = access $p_c
    n1 = map $p_use (i) in [0:N]
      n2 = tasklet use: "o = x / 2 + y / 4"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_c : $p_c[0:N, 0:N]
    n1.OUT_c -> n2.x : $p_c[i, $4]
    n1.OUT_c -> n2.y : $p_c[$5, i]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_product\n  $p_product -> $p_out",
            {"blas.nodes.matmul.MatMul product {name = \"product\"}$2"
             "|blas.nodes.matmul.MatMul product {name = \"product\", extras = {alpha = 2, beta = 0}}$2"
             "|blas.nodes.gemm.Gemm product {name = \"product\", extras = {alpha = 0.5, beta = 0}}$2"
             "|blas.nodes.gemm.Gemm product {name = \"product\", extras = {alpha = 2, beta = 0.5}}$2$3"
             "|linalg.nodes.tensordot.TensorDot product {name = \"product\", extras = {left_axes = [1], right_axes = [0], permutation = []}}"
             "\n    n0 -> n2._left_tensor : $p_a[0:N, 0:K]\n    n1 -> n2._right_tensor : $p_b[0:K, 0:N]\n    n2._out_tensor -> n3 : $p_c[0:N, 0:N]",
             "\n    n0 -> n2._a : $p_a[0:N, 0:K]\n    n1 -> n2._b : $p_b[0:K, 0:N]\n    n2._c -> n3 : $p_c[0:N, 0:N]",
             "\n    n4 = access $p_c\n    n4 -> n2._cin : $p_c[0:N, 0:N]", "i|0|N - 1", "i|1"}},
    // Matrix times vector, and what vectors give, in place and not.
    Pattern{"map-fusion-vertical state-fusion access-node-copy-elimination scalar-copy-elimination tasklet-fusion move-tasklet-into-map",
            "transient $p_a: float64[N, N]\n  transient $p_x: float64[N]\n  transient $p_y: float64[N]\n  transient $p_r: float64[1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_matrix (i, j) in [0:N, 0:N]
      n2 = tasklet matrix: "o = 1 if x > j else 0.5"
    n3 = exit n1
    n4 = access $p_a
    n5 = map $p_vector (i) in [0:N]
      n6 = tasklet vector: "o = 2 if x < 1 else 1"
      n7 = tasklet other: "o = i"
    n8 = exit n5
    n9 = access $p_x
    n10 = access $p_y
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_a : $p_a[i, j]
    n3.OUT_a -> n4 : $p_a[0:N, 0:N]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i]
    n5 -> n7
    n6.o -> n8.IN_x : $p_x[i]
    n7.o -> n8.IN_y : $p_y[i]
    n8.OUT_x -> n9 : $p_x[0:N]
    n8.OUT_y -> n10 : $p_y[0:N]
  state $p_product
    n0 = access $p_a
    n1 = access $p_x
    n2 = library dace.libraries.blas.nodes.gemv.Gemv product {name = "product", extras = {$1
    n3 = access $p_y
    n0 -> n2._A : $p_a[0:N, 0:N]
    n1 -> n2._x : $p_x[0:N]
    n2._y -> n3 : $p_y[0:N]
  state $p_next
    n0 = access $p_x
    n1 = access $p_y
    n2 = library dace.libraries.blas.nodes.dot.Dot inner {name = "inner"}
    n3 = access $p_r
    n0 -> n2._x : $2
    n1 -> n2._y : $p_y[0:N]
    n2._result -> n3 : $p_r[0]
    n4 = library dace.libraries.blas.nodes.axpy.Axpy sum {name = "sum", extras = {a = $3, n = "N"}}
    n5 = access $4
    n0 -> n4._x : $p_x[0:N]
    n1 -> n4._y : $p_y[0:N]
    n4._res -> n5 : $4[0:N]
  state $p_out
    n0 = access $p_y
    n1 = access $p_r
    n2 = map $p_use (i) in [0:N]
      n3 = tasklet use: "o = x / 2 + r / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_y : $p_y[0:N]
    n2.OUT_y -> n3.x : $p_y[$5]
    n1 -> n2.IN_r : $p_r[0]
    n2.OUT_r -> n3.r : $p_r[0]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_product\n  $p_product -> $p_next\n  $p_next -> $p_out",
            {"alpha = 1, beta = 0}}|alpha = 2, beta = 0, transA = true}}|alpha = 1, beta = 0.5}}\n    n4 = access $p_y\n    n4 -> n2._y : $p_y[0:N]",
             "$p_x[0:N]|$p_x[0:N]", "2|-1|0.5", "V|W", "i|N - 1 - i|0"}},
    // Transposed, copied and filled by library nodes; read through what a map or a copy makes.
    Pattern{"map-iteration-order set-strides redundant-array-elimination copy-chain-elimination map-dim-shuffle self-copy-elimination copy-to-map",
            "transient $p_a: float64[N, 3]\n  transient $p_b: float64[3, N]\n  transient $p_t: float64[3, N]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, k) in [0:N, 0:3]
      n2 = tasklet make: "o = x / 2 + k"
    n3 = exit n1
    n4 = access $p_a
    n5 = library dace.libraries.linalg.nodes.transpose.Transpose turn {name = "turn"}
    n6 = access $p_b
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_a : $p_a[i, k]
    n3.OUT_a -> n4 : $p_a[0:N, 0:3]
    n4 -> n5._inp : $p_a[0:N, 0:3]
    n5._out -> n6 : $p_b[0:3, 0:N]
  state $p_fill
    n0 = library dace.libraries.standard.nodes.fill.FillLibraryNode fill {name = "fill", extras = {value = $1}}
    n1 = access $p_t
    n0._fill_out -> n1 : $p_t[$2, 0:N]
    n2 = access $p_b
    n3 = library dace.libraries.standard.nodes.copy.CopyLibraryNode copy {name = "copy"}
    n4 = access $p_t
    n1 -> n3
    n2 -> n3._cpy_in : $p_b[0:2, 0:N]
    n3._cpy_out -> n4 : $p_t[$3, 0:N]
    n5 = access $s
    n6 = library dace.libraries.standard.nodes.copy.CopyLibraryNode whole {name = "whole"}
    n7 = access $5
    n5 -> n6._cpy_in : $s[0:N]
    n6._cpy_out -> n7 : $5[0:N]
  state $p_out
    n0 = access $p_t
    n1 = map $p_use (i) in [0:N]
      n2 = tasklet use: "o = x / 2 + y / 4 - z / 4"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_t : $p_t[0:3, 0:N]
    n1.OUT_t -> n2.x : $p_t[0, i]
    n1.OUT_t -> n2.y : $p_t[1, i]
    n1.OUT_t -> n2.z : $p_t[2, $4]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_fill\n  $p_fill -> $p_out",
            {"0|1|0.25", "0:3", "0:2|1:3", "i|N - 1 - i", "V|W"}},
    // Chosen by a mask, broadcast and rotated (since DaCe 2.0.0b1), between maps.
    Pattern{"expand-pointwise map-fusion-vertical map-fusion-horizontal map-collapse map-promotion map-split-vertical inline-fusion redundant-array-elimination",
            "transient $p_m: bool[N, 3]\n  transient $p_a: float64[N, 3]\n  transient $p_w: float64[N, 3]\n  transient $p_r: float64[N, 3]\n  transient $p_b: float64[3]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, k) in [0:N, 0:3]
      n2 = tasklet make: "o = x / 2 + k"
      n3 = tasklet test: "o = x > k"
    n4 = exit n1
    n5 = access $p_a
    n6 = access $p_m
    n7 = map $p_row (k) in [0:3]
      n8 = tasklet row: "o = k - 1"
    n9 = exit n7
    n10 = access $p_b
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n1.OUT_s -> n3.x : $s[$1]
    n2.o -> n4.IN_a : $p_a[i, k]
    n3.o -> n4.IN_m : $p_m[i, k]
    n4.OUT_a -> n5 : $p_a[0:N, 0:3]
    n4.OUT_m -> n6 : $p_m[0:N, 0:3]
    n7 -> n8
    n8.o -> n9.IN_b : $p_b[k]
    n9.OUT_b -> n10 : $p_b[0:3]
  state $p_choose
    n0 = access $p_m
    n1 = access $p_a
    n2 = access $p_b
    n3 = library dace.libraries.standard.nodes.merge_node.MergeLibraryNode where {name = "where"}
    n4 = access $p_w
    n5 = library dace.libraries.standard.nodes.$3
    n6 = access $p_r
    n0 -> n3._mrg_mask : $p_m[$2, 0:3]
    n1 -> n3._mrg_t : $p_a[0:N, 0:3]
    n2 -> n3._mrg_f : $p_b[$4]
    n3._mrg_out -> n4 : $p_w[0:N, 0:3]
  state $p_out
    n0 = access $p_w
    n1 = access $p_r
    n2 = map $p_use (i) in [0:N]
      n3 = tasklet use: "o = x / 2 + y / 4 - z / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_w : $p_w[0:N, 0:3]
    n1 -> n2.IN_r : $p_r[0:N, 0:3]
    n2.OUT_w -> n3.x : $p_w[i, 1]
    n2.OUT_r -> n3.y : $p_r[i, 2]
    n2.OUT_r -> n3.z : $p_r[$5, 0]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_choose\n  $p_choose -> $p_out",
            {"i|N - 1 - i", "0:N|0", "cshift.CShift roll {name = \"roll\", extras = {dim = 1, direction = \"NUMPY\", shift = 1}}\n    n4 -> n5._x : $p_w[0:N, 0:3]\n    n5._out -> n6 : $p_r[0:N, 0:3]"
             "|cshift.CShift roll {name = \"roll\", extras = {dim = 2, shift = \"K\"}}\n    n4 -> n5._x : $p_w[0:N, 0:3]\n    n5._out -> n6 : $p_r[0:N, 0:3]"
             "|broadcast.Broadcast spread {name = \"spread\", extras = {dim = null}}\n    n2 -> n5._src : $p_b[0:3]\n    n5._dst -> n6 : $p_r[0:N, 0:3]"
             "|broadcast.Broadcast spread {name = \"spread\", extras = {dim = 2}}\n    n7 = access $s\n    n7 -> n5._src : $s[0:N]\n    n5._dst -> n6 : $p_r[0:N, 0:3]",
             "0:3|1", "i|N - 1 - i"}},
    // In a map, on rows of its own.
    Pattern{"map-fission map-fusion-vertical map-fusion-horizontal map-expansion map-collapse map-tiling map-unroll map-to-loop refine-nested-access",
            "transient $p_a: float64[N, 4]\n  transient $p_v: float64[4]\n  transient $p_w: float64[4]\n  transient $p_r: float64[1]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, k) in [0:N, 0:4]
      n2 = tasklet make: "o = 1 if x > k else 0.5"
    n3 = exit n1
    n4 = access $p_a
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_a : $p_a[i, k]
    n3.OUT_a -> n4 : $p_a[0:N, 0:4]
  state $p_rows
    n0 = access $p_a
    n1 = map $p_row (i) in [0:N]
      n2 = map $p_local (k) in [0:4]
        n3 = tasklet local: "o = x * 2 - $1"
      n4 = exit n2
      n5 = access $p_v
      n6 = library dace.libraries.$2
      n7 = access $p_w
      n8 = library dace.libraries.blas.nodes.dot.Dot inner {name = "inner"}
      n9 = access $p_r
      n10 = tasklet use: "o = r / 4 + x"
    n11 = exit n1
    n12 = access $d
    n0 -> n1.IN_a : $p_a[0:N, 0:4]
    n1.OUT_a -> n2.IN_a : $p_a[i, 0:4]
    n2.OUT_a -> n3.x : $p_a[i, k]
    n3.o -> n4.IN_v : $p_v[k]
    n4.OUT_v -> n5 : $p_v[0:4]
    n5 -> n6.$3 : $p_v[0:4]
    n6.$4 -> n7 : $p_w[0:4]
    n5 -> n8._x : $p_v[0:4]
    n7 -> n8._y : $p_w[0:4]
    n8._result -> n9 : $p_r[0]
    n9 -> n10.r : $p_r[0]
    n1.OUT_a -> n10.x : $p_a[$5, 2]
    n10.o -> n11.IN_d : $d[i]
    n11.OUT_d -> n12 : $d[0:N]
  state $p_out)", "$p_in -> $p_rows\n  $p_rows -> $p_out",
            {"i|k|1", "standard.nodes.copy.CopyLibraryNode copy {name = \"copy\"}", "_cpy_in", "_cpy_out", "i|N - 1 - i"}},
    // Einstein's notation, contractions and axes in another order.
    Pattern{"map-promotion map-interchange trivial-dimension-folding shrink-transients split-access-nodes consolidate-edges",
            "transient $p_a: float64[N, 2, K]\n  transient $p_b: float64[K, 2]\n  transient $p_c: float64[$5]", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, j, k) in [0:N, 0:2, 0:K]
      n2 = tasklet make: "o = 1 if x > k else 0.5 + j"
    n3 = exit n1
    n4 = access $p_a
    n5 = map $p_other (k, j) in [0:K, 0:2]
      n6 = tasklet other: "o = 2 if x < k else 1 + j"
    n7 = exit n5
    n8 = access $p_b
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_a : $p_a[i, j, k]
    n3.OUT_a -> n4 : $p_a[0:N, 0:2, 0:K]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[$1]
    n6.o -> n7.IN_b : $p_b[k, j]
    n7.OUT_b -> n8 : $p_b[0:K, 0:2]
  state $p_product
    n0 = access $p_a
    n1 = access $p_b
    n2 = library dace.libraries.blas.nodes.einsum.Einsum sum {name = "sum", extras = {einsum_str = "abc,cb->$2", alpha = $3, beta = 0}}
    n3 = access $p_c
    n0 -> n2.a : $p_a[0:N, 0:2, 0:K]
    n1 -> n2.b : $p_b[0:K, 0:2]
    n2.c -> n3 : $p_c[0:N]
  state $p_turn
    n0 = access $p_a
    n1 = library dace.libraries.linalg.nodes.ttranspose.TensorTranspose turn {name = "turn", extras = {axes = [2, 0, 1], alpha = $3, beta = 0}}
    n2 = access $p_t
    n0 -> n1._inp_tensor : $p_a[0:N, 0:2, 0:K]
    n1._out_tensor -> n2 : $p_t[0:K, 0:N, 0:2]
  state $p_out
    n0 = access $p_c
    n1 = access $p_t
    n2 = map $p_use (i) in [0:N]
      n3 = tasklet use: "o = x / 2 + y / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_c : $p_c[0:N]
    n2.OUT_c -> n3.x : $p_c[$4]
    n1 -> n2.IN_t : $p_t[0:K, 0:N, 0:2]
    n2.OUT_t -> n3.y : $p_t[1, i, 1]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])", "$p_in -> $p_product\n  $p_product -> $p_turn\n  $p_turn -> $p_out",
            {"0|N - 1|2", "a", "1|2", "i|N - 1 - i", "N]\n  transient $p_t: float64[K, N, 2"}},
    // Systems of equations whose matrices have powers of 2 on the diagonal only; in a loop.
    Pattern{"loop-to-map loop-unrolling loop-peeling move-loop-into-map inline-control-flow-regions dead-state-elimination",
            "transient $p_a: float64[N, N]\n  transient $p_b: float64[N, N]\n  transient $p_x: float64[N, 2]\n  transient $p_y: float64[N, 2]\n  symbol $p_k: int64", R"(
  state $p_in
    n0 = access $s
    n1 = map $p_matrix (i, j) in [0:N, 0:N]
      n2 = tasklet matrix: "o = 4 if i == j else 0"
    n3 = exit n1
    n4 = access $p_a
    n5 = map $p_right (i, j) in [0:N, 0:2]
      n6 = tasklet right: "o = x / 2 + j"
    n7 = exit n5
    n8 = access $p_x
    n1 -> n2
    n2.o -> n3.IN_a : $p_a[i, j]
    n3.OUT_a -> n4 : $p_a[0:N, 0:N]
    n0 -> n5.IN_s : $s[0:N]
    n5.OUT_s -> n6.x : $s[i]
    n6.o -> n7.IN_x : $p_x[i, j]
    n7.OUT_x -> n8 : $p_x[0:N, 0:2]
  loop $p_again ($p_k) from "$p_k = 0" while "$p_k < $1" next "$p_k = $p_k + 1"
    state body
      n0 = access $p_a
      n1 = library dace.libraries.linalg.nodes.$2
      n2 = access $p_b
      n3 = access $p_x
      n4 = library dace.libraries.linalg.nodes.solve.Solve solve {name = "solve"}
      n5 = access $p_y
      n2 -> n4._ain : $p_b[0:N, 0:N]
      n3 -> n4._bin : $p_x[0:N, 0:2]
      n4._bout -> n5 : $p_y[0:N, 0:2]
  state $p_out
    n0 = access $p_y
    n1 = map $p_use (i) in [0:N]
      n2 = tasklet use: "o = x / 2 + y / 4"
    n3 = exit n1
    n4 = access $d
    n0 -> n1.IN_y : $p_y[0:N, 0:2]
    n1.OUT_y -> n2.x : $p_y[i, 0]
    n1.OUT_y -> n2.y : $p_y[$5, 1]
    n2.o -> n3.IN_d : $d[i]
    n3.OUT_d -> n4 : $d[0:N])", "$p_in -> $p_again\n  $p_again -> $p_out",
            {"1|2|K", "cholesky.Cholesky factor {name = \"factor\", extras = {lower = true}}\n      n0 -> n1._a : $3\n      n1._b -> n2 : $4"
             "|inv.Inv inverse {name = \"inverse\"}\n      n0 -> n1._ain : $3\n      n1._aout -> n2 : $4",
             "$p_a[0:N, 0:N]", "$p_b[0:N, 0:N]", "i|N - 1 - i"}},
    // A reduction without an identity adds to what is there; it may be in a map, to a part of it.
    Pattern{"expand-reduce map-fusion-vertical dead-dataflow-elimination state-fusion redundant-array-elimination accumulate-transient",
            "transient $p_t: float64[N, 2]\n  transient $p_r: float64[2]", R"--(
  state $p_in
    n0 = access $s
    n1 = map $p_make (i, j) in [0:N, 0:2]
      n2 = tasklet make: "o = x / 2 + j"
    n3 = exit n1
    n4 = access $p_t
    n5 = map $p_begin (j) in [0:2]
      n6 = tasklet begin: "o = $1"
    n7 = exit n5
    n8 = access $p_r
    n0 -> n1.IN_s : $s[0:N]
    n1.OUT_s -> n2.x : $s[i]
    n2.o -> n3.IN_t : $p_t[i, j]
    n3.OUT_t -> n4 : $p_t[0:N, 0:2]
    n5 -> n6
    n6.o -> n7.IN_r : $p_r[j]
    n7.OUT_r -> n8 : $p_r[0:2]
  state $p_add
    n0 = access $p_t
    n1 = library dace.libraries.standard.nodes.reduce.Reduce add {name = "Reduce", extras = {axes = raw "[0]", wcr = "$2"}}
    n2 = access $p_r
    n0 -> n1 : $p_t[$3]
    n1 -> n2 : $p_r[$4]
  state $p_out
    n0 = access $p_r
    n1 = access $s
    n2 = map $p_use (i) in [0:N]
      n3 = tasklet use: "o = x / 2 + r / 4"
    n4 = exit n2
    n5 = access $d
    n0 -> n2.IN_r : $p_r[0:2]
    n2.OUT_r -> n3.r : $p_r[i % 2]
    n1 -> n2.IN_s : $s[0:N]
    n2.OUT_s -> n3.x : $s[$5]
    n3.o -> n4.IN_d : $d[i]
    n4.OUT_d -> n5 : $d[0:N])--", "$p_in -> $p_add\n  $p_add -> $p_out",
            {"j|1", "lambda x, y: x + y|lambda x, y: max(x, y)", "0:N, 0:2|1:N, 0:2|0:3, 0:2", "0:2", "i|N - 1 - i"}},
};
// clang-format on

}  // namespace

std::span<const Pattern> library_patterns() { return patterns; }

}  // namespace sdfg
