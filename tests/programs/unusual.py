"""Combinations that are seldom seen: single columns, chains of tables, scans of scans, strides, other origins."""

import functools

import gt4py.next as gtx
import numpy as np
from gt4py.next import (  # noqa: A004
    astype, float32, float64, int32, int64, max_over, min_over, neighbor_sum, where,
)
from gt4py.next.experimental import concat_where

from grid import *


CxC2E = gtx.Field[gtx.Dims[C, C2EDim], gtx.float64]
CxC2ExK = gtx.Field[gtx.Dims[C, C2EDim, K], gtx.float64]
CKSingle, CKInt, CKLong, CKBool = (gtx.Field[gtx.Dims[C, K], t] for t in (float32, int32, int64, bool))


# ---- Single columns: nothing is parallel.

@gtx.scan_operator(axis=K, forward=True, init=0.0)
def _climb(carry: float, limit: float) -> float:
    return carry if carry > limit else carry + 1.0


@case
def column_with_a_choice(g):
    """On a GPU, the whole loop is one kernel: its condition depends on what it computes."""
    def reference(limit, out):
        level = 0.0
        for k in range(g.nk):
            level = level if level > limit[k] else level + 1
            out[k] = level
        return {"out": out}

    return Case(_climb, dict(limit=g(K, low=2, high=5), out=g(K)), reference)


@gtx.scan_operator(axis=K, forward=False, init=(0.0, int32(0)))
def _weigh(carry: tuple[float, int32], mass: float, top: float) -> tuple[float, int32]:
    weight, levels = carry
    return weight * 0.9 + mass * top, levels + int32(1)


@gtx.field_operator
def _profile(mass: KField, p: CK, top: float) -> tuple[CK, KField, gtx.Field[gtx.Dims[K], int32]]:
    weight, levels = _weigh(mass, top)
    return p * weight - astype(levels, float64), weight, levels


@gtx.program
def _profile_program(mass: KField, p: CK, top: float, out: CK, weight: KField, levels: gtx.Field[gtx.Dims[K], int32]):
    _profile(mass, p, top, out=(out, weight, levels))


@case
def column_under_all_cells(g):
    """What a scan over a single column yields is used in all columns."""
    def reference(mass, p, top, out, weight, levels):
        w = 0.0
        for n, k in enumerate(reversed(range(g.nk))):
            w = w * 0.9 + mass[k] * top
            weight[k], levels[k] = w, n + 1
        return {"out": p * weight - levels, "weight": weight, "levels": levels}

    args = dict(mass=g(K), p=g(C, K), top=1.5, out=g(C, K), weight=g(K), levels=g(K, dtype=np.int32, high=9))
    return Case(_profile_program, args, reference)


@gtx.scan_operator(axis=K, forward=True, init=(float32(1.0), (int64(0), (True, 0.0))))
def _mixed_carry(
    carry: tuple[float32, tuple[int64, tuple[bool, float]]], p: float, q: float32
) -> tuple[float32, tuple[int64, tuple[bool, float]]]:
    factor, counted = carry
    count, past = counted
    rising, last = past
    up = p > last
    return (factor * q + float32(1.0), (count + (int64(1) if up else int64(-3)), (up & rising, p)))


@gtx.scan_operator(axis=K, forward=False, init=0.0)
def _accumulate(total: float, term: float, add: bool) -> float:
    return total + term if add else total * 0.5


@gtx.field_operator
def _scan_of_a_scan(p: CK, q: CKSingle) -> tuple[CK, CKLong]:
    factor, counted = _mixed_carry(p, q)
    count, past = counted
    rising, last = past
    total = _accumulate(astype(factor, float64) + last, rising | (count > int64(0)))
    return neighbor_sum(total(C2E2C), axis=C2E2CDim) - total, count


@case
def scan_of_a_scan(g):
    """A carry of four types in nested tuples, then a scan the other way, then neighbours."""
    def reference(p, q, out):
        n, nk = p.shape
        factor, count = np.ones(n, np.float32), np.zeros(n, np.int64)
        rising, last = np.ones(n, bool), np.zeros(n)
        terms, adds = np.zeros_like(p), np.zeros(p.shape, bool)
        counts = np.zeros(p.shape, np.int64)
        for k in range(nk):
            up = p[:, k] > last
            factor = factor * q[:, k] + np.float32(1)
            count, rising, last = count + np.where(up, 1, -3), up & rising, p[:, k]
            terms[:, k], adds[:, k], counts[:, k] = factor.astype(np.float64) + last, rising | (count > 0), count
        total, sums = np.zeros(n), np.zeros_like(p)
        for k in reversed(range(nk)):
            total = np.where(adds[:, k], total + terms[:, k], total * 0.5)
            sums[:, k] = total
        return {"out": (np_sum(sums, g.c2e2c) - sums, counts)}

    args = dict(p=g(C, K), q=g(C, K, dtype=np.float32), out=(g(C, K), g(C, K, dtype=np.int64, high=9)))
    return Case(_scan_of_a_scan, args, reference, bound=1e-6)


# ---- Neighbours.

@gtx.field_operator
def _around(p: VK) -> VK:
    return p(E2V[1])(C2E[2])(V2C[3]) - 2.0 * p(C2V[0])(E2C[1])(V2E[5])


@case
def three_tables_in_a_row(g):
    def reference(p, out):
        there = p[g.e2v[:, 1]][g.c2e[:, 2]][g.v2c[:, 3]]
        return {"out": there - 2 * p[g.c2v[:, 0]][g.e2c[:, 1]][g.v2e[:, 5]]}

    return Case(_around, dict(p=g(V, K), out=g(V, K)), reference)


@gtx.field_operator
def _warm_neighbors(p: CK, warm: CKBool, weights: CxC2E, q: EK) -> tuple[CK, CKInt, CK, CK]:
    heat = neighbor_sum(where(warm(C2E2C), p(C2E2C), -0.5), axis=C2E2CDim)
    number = neighbor_sum(where(warm(C2E2C), int32(1), int32(0)), axis=C2E2CDim)
    largest = max_over(where(warm(C2E2C) & (p(C2E2C) > p), p(C2E2C), p), axis=C2E2CDim)
    return heat, number, largest, min_over(where(weights > 0.0, q(C2E), weights), axis=C2EDim)


@case
def choices_among_missing_neighbors(g):
    """A missing neighbour counts for nothing, whatever the choice would give for it."""
    g.missing("C2E2C", "C2E")

    def reference(p, warm, weights, q, out):
        present = lambda t, values, absent: [np.where((t[:, k] >= 0)[:, None], values(k), absent)
                                             for k in range(t.shape[1])]
        near, hot = (lambda k: p[g.c2e2c[:, k]]), (lambda k: warm[g.c2e2c[:, k]])
        heat = present(g.c2e2c, lambda k: np.where(hot(k), near(k), -0.5), 0.0)
        number = present(g.c2e2c, lambda k: hot(k).astype(np.int32), np.int32(0))
        largest = present(g.c2e2c, lambda k: np.where(hot(k) & (near(k) > p), near(k), p), np.finfo(float).min)
        weight = lambda k: weights[:, k, None]
        least = present(g.c2e, lambda k: np.where(weight(k) > 0, q[g.c2e[:, k]], weight(k)), np.finfo(float).max)
        return {"out": (functools.reduce(np.add, heat), functools.reduce(np.add, number),
                        functools.reduce(np.maximum, largest), functools.reduce(np.minimum, least))}

    args = dict(p=g(C, K), warm=g(C, K, dtype=bool), weights=g(C, C2EDim), q=g(E, K),
                out=(g(C, K), g(C, K, dtype=np.int32, high=9), g(C, K), g(C, K)))
    return Case(_warm_neighbors, args, reference)


@gtx.field_operator
def _weights_by_level(q: EK, weights: CxC2ExK, area: CField) -> CK:
    return neighbor_sum(q(C2E) * weights * q(C2E), axis=C2EDim) / area


@case
def weights_that_depend_on_the_level(g):
    def reference(q, weights, area, out):
        terms = [q[e] * weights[:, k] * q[e] for k, e in enumerate(g.c2e.T)]
        return {"out": functools.reduce(np.add, terms) / area[:, None]}

    args = dict(q=g(E, K), weights=g(C, C2EDim, K), area=g(C, low=1, high=2), out=g(C, K))
    return Case(_weights_by_level, args, reference)


# ---- Operators that call operators.

@gtx.field_operator
def _pair(p: CK, q: CK) -> tuple[CK, tuple[CK, CKBool]]:
    return p - q, (p * q, p < q)


@gtx.field_operator
def _pair_of_pairs(p: CK, q: CK) -> tuple[tuple[CK, CK], CK]:
    difference, rest = _pair(p, q)
    product, less = rest
    again = _pair(q=difference, p=product)
    return (again[0], where(less, again[1][0], difference)), again[0](C2E2C[1])


@gtx.field_operator
def _three_deep(p: CK, q: CK, a: float) -> tuple[CK, CK]:
    both, near = _pair_of_pairs(p, q * a)
    first, second = both
    others, far = _pair_of_pairs(near, first)
    third = others[0]
    return first + third(K + 1), second * far


@gtx.program
def _three_deep_program(p: CK, q: CK, a: float, one: CK, two: CK, cells: int32, nk: int32):
    _three_deep(p, q, a, out=(one, two), domain={C: (0, cells), K: (0, nk - 1)})
    _three_deep(one, two, a, out=(two, one), domain={C: (1, cells), K: (1, nk - 2)})


@case
def operators_three_deep(g):
    """Results of tuples are shifted, and the second statement overwrites what it reads."""
    def deep(p, q, a):
        def pairs(p, q):
            difference, product, less = p - q, p * q, p < q
            again = product - difference
            return again, np.where(less, product * difference, difference), again[g.c2e2c[:, 1]]

        first, second, near = pairs(p, q * a)
        third, _, far = pairs(near, first)
        return first[:, :-1] + third[:, 1:], (second * far)[:, :-1]

    def reference(p, q, a, one, two, **_):
        one, two = one.copy(), two.copy()
        one[:, :-1], two[:, :-1] = deep(p, q, a)
        new = deep(one, two, a)
        two[1:, 1:-2], one[1:, 1:-2] = new[0][1:, 1:-1], new[1][1:, 1:-1]
        return {"one": one, "two": two}

    args = dict(p=g(C, K), q=g(C, K), a=0.7, one=g(C, K), two=g(C, K), cells=g.size[C], nk=g.nk)
    return Case(_three_deep_program, args, reference)


# ---- Regions and origins.

@gtx.field_operator
def _box(p: IJK, top: int32, ni: int32, nj: int32) -> IJK:
    edge = concat_where((I == 0) | (I == ni - 1), -p, 0.25 * (p(I + 1) + p(I - 1)))
    side = concat_where((J < 1) | (J >= nj - 1), 2.0 * p, edge(J + 1) - edge(J - 1))
    return concat_where(K < top, side, concat_where(K == top, side(K - 1), p(K - 1)))


@gtx.program
def _box_program(p: IJK, out: IJK, top: int32, ni: int32, nj: int32, nk: int32):
    _box(p, top, ni, nj, out=out, domain={I: (0, ni), J: (0, nj), K: (0, nk)})


@case
def regions_in_three_dimensions(g):
    """Each region is shifted along another dimension."""
    def reference(p, out, top, **_):
        edge = -p.copy()
        edge[1:-1] = 0.25 * (p[2:] + p[:-2])
        side = 2 * p
        side[:, 1:-1] = edge[:, 2:] - edge[:, :-2]
        out[:, :, :top], out[:, :, top], out[:, :, top + 1 :] = side[..., :top], side[..., top - 1], p[..., top:-1]
        return {"out": out}

    args = dict(p=g(I, J, K), out=g(I, J, K), top=4, ni=g.size[I], nj=g.size[J], nk=g.nk)
    return Case(_box_program, args, reference)


@gtx.field_operator
def _slope(p: IJK, q: IJ) -> IJK:
    return p(I + 1)(K - 1) - p(I - 1)(K + 1) + q(J + 2)


@gtx.program
def _slope_program(p: IJK, q: IJ, out: IJK, first: int32, last: int32):
    _slope(p, q, out=out, domain={I: (-2, 3), J: (-4, -1), K: (first, last)})


@case
def indices_below_zero(g):
    def reference(p, q, out, **_):
        core = p[2:7, 1:4, 1:5] - p[:5, 1:4, 3:7] + q[1:6, 2:5, None]
        out[:5, :3, 1:5] = core
        return {"out": out}

    args = dict(p=g(I, J, K, start=(-3, -5, -4)), q=g(I, J, start=(-3, -4)), out=g(I, J, K, start=(-2, -4, -3)),
                first=-2, last=2)
    return Case(_slope_program, args, reference)


# ---- Values.

@gtx.field_operator
def _conversions_both_ways(n: CKLong, p: CK, on: CKBool, zero: gtx.Field[gtx.Dims[()], int64]) -> tuple[
    CKBool, CKLong, CKSingle, CKInt
]:
    half = n // int64(2) + n % int64(5) + zero
    return (astype(n, bool) ^ on, where(on, half, -n * int64(3)), astype(half, float32) + astype(on, float32),
            astype(p * 100.0, int32) - astype(on, int32))


@case
def conversions_of_long_integers(g):
    def reference(n, p, on, zero, out):
        half = n // 2 + n % 5 + zero
        return {"out": ((n != 0) ^ on, np.where(on, half, -n * 3), half.astype(np.float32) + on.astype(np.float32),
                        (p * 100).astype(np.int32) - on.astype(np.int32))}

    n = g(C, K, dtype=np.int64, low=0, high=2**50)
    n.values[g.rng.random(n.values.shape) < 0.3] = 0
    args = dict(n=n, p=g(C, K), on=g(C, K, dtype=bool), zero=Array((), np.array(2**40, np.int64)),
                out=(g(C, K, dtype=bool), g(C, K, dtype=np.int64, high=9), g(C, K, dtype=np.float32),
                     g(C, K, dtype=np.int32, high=9)))
    return Case(_conversions_both_ways, args, reference)


# ---- Without the optimizer: the code is what GT4Py lowers, copies and library nodes included.

@gtx.field_operator
def _inner_differences(p: IJK, q: IJ) -> tuple[IJK, IJ]:
    return p(I + 1) - p(J - 1) + q, q(J + 1) * 0.5


@gtx.program
def _named_as_loops(p: IJK, to: IJ, result: IJK, i: IJ, i0: int32, i1: int32, i2: int32, o0: int32, o1: int32):
    _inner_differences(p, to, out=(result, i), domain=({I: (i0, i1), J: (i2, o0), K: (0, o1)}, {I: (i0, i1), J: (i2, o0)}))


@case
def arguments_named_as_loops(g):
    """The loops and pointers of generated copies take other names."""
    def reference(p, to, result, i, **_):
        result[2:6, 1:5, :7] = p[3:7, 1:5, :7] - p[2:6, :4, :7] + to[2:6, 1:5, None]
        i[2:6, 1:5] = to[2:6, 2:6] * 0.5
        return {"result": result, "i": i}

    args = dict(p=g(I, J, K), to=g(I, J), result=g(I, J, K), i=g(I, J), i0=2, i1=6, i2=1, o0=5, o1=7)
    return Case(_named_as_loops, args, reference, options={"auto_optimize": False})


@gtx.field_operator
def _sums_and_extremes(p: CK, n: CKInt, v: EK) -> tuple[CK, CKInt, CK]:
    return (neighbor_sum(p(C2E2C), axis=C2E2CDim), max_over(n(C2E2C), axis=C2E2CDim),
            min_over(neighbor_sum(v(C2E), axis=C2EDim)(C2E2C), axis=C2E2CDim))


@case
def missing_neighbors_as_lowered(g):
    """Reductions with absent neighbours reach the generator."""
    def reference(p, n, v, out):
        fold = lambda f, values, table, absent: functools.reduce(f, np_neighbors(values, table, None, absent))
        return {"out": (fold(np.add, p, g.c2e2c, 0.0), fold(np.maximum, n, g.c2e2c, np.iinfo(np.int32).min).astype(np.int32),
                        fold(np.minimum, np_sum(v, g.c2e), g.c2e2c, np.inf))}

    g.missing("C2E2C", "C2E")
    args = dict(p=g(C, K), n=g(C, K, dtype=np.int32, low=-9, high=9), v=g(E, K),
                out=(g(C, K), g(C, K, dtype=np.int32, high=9), g(C, K)))
    return Case(_sums_and_extremes, args, reference, options={"auto_optimize": False})
