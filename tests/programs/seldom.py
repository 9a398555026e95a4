"""Features that programs use less often: sums of choices, regions in two dimensions, small integers, records."""

import functools
from typing import NamedTuple

import gt4py.next as gtx
import numpy as np
from gt4py.next import (  # noqa: A004
    arccos, arcsin, arcsinh, arctan, arctanh, astype, broadcast, cbrt, ceil, cosh, exp, float32, float64, fmod, int32,
    int64, isfinite, isinf, log, max_over, maximum, min_over, minimum, neighbor_sum, power, sinh, tan, tanh, trunc,
    where,
)
from gt4py.next.experimental import concat_where

from grid import *


CxC2E = gtx.Field[gtx.Dims[C, C2EDim], gtx.float64]
CKSingle, CKInt, CKLong = (gtx.Field[gtx.Dims[C, K], t] for t in (float32, int32, int64))
CKBool, IJInt = gtx.Field[gtx.Dims[C, K], bool], gtx.Field[gtx.Dims[I, J], int32]


# ---- Neighbours.

@gtx.field_operator
def _sum_of_choices(p: EK, geofac: CxC2E) -> CK:
    weighted = p(C2E) * geofac
    return neighbor_sum(where(weighted > 0.0, weighted, -0.5 * p(C2E)), axis=C2EDim)


@case
def sum_over_choices(g):
    """The condition of each term depends on the neighbour."""
    def reference(p, geofac, out):
        terms = [np.where(t > 0, t, -0.5 * p[e]) for t, e in zip(np_neighbors(p, g.c2e, geofac, 0), g.c2e.T)]
        return {"out": functools.reduce(np.add, terms)}

    return Case(_sum_of_choices, dict(p=g(E, K), geofac=g(C, C2EDim), out=g(C, K)), reference)


@gtx.field_operator
def _mean_of_means(p: CK) -> CK:
    on_vertices = neighbor_sum(p(V2C), axis=V2CDim) / 6.0
    on_edges = neighbor_sum(on_vertices(E2V), axis=E2VDim) * 0.5
    return neighbor_sum(on_edges(C2E), axis=C2EDim) - p


@case
def sums_of_sums_of_sums(g):
    def reference(p, out):
        return {"out": np_sum(np_sum(np_sum(p, g.v2c) / 6, g.e2v) * 0.5, g.c2e) - p}

    return Case(_mean_of_means, dict(p=g(C, K), out=g(C, K)), reference)


@gtx.field_operator
def _extreme_integers(n: CKInt) -> tuple[CKInt, CKInt, CKInt]:
    near = n(C2E2C)
    return max_over(near, axis=C2E2CDim), min_over(near, axis=C2E2CDim), neighbor_sum(near, axis=C2E2CDim)


@case
def extreme_integers_at_a_border(g):
    """What stands for a missing neighbour depends on the type."""
    g.missing("C2E2C")

    def reference(n, out):
        near = functools.partial(np_neighbors, n, g.c2e2c, None)
        info = np.iinfo(np.int32)
        return {"out": (functools.reduce(np.maximum, near(info.min)), functools.reduce(np.minimum, near(info.max)),
                        functools.reduce(np.add, near(0)).astype(np.int32))}

    integers = lambda: g(C, K, dtype=np.int32, low=-99, high=99)
    return Case(_extreme_integers, dict(n=integers(), out=(integers(), integers(), integers())), reference)


@gtx.field_operator
def _differences_of_levels(p: CK) -> EK:
    across = p(E2C[1])(K + 1) - p(E2C[0])(K - 1)
    return maximum(across, 0.0) - p(K - 1)(E2C[1])


@gtx.program
def _differences_of_levels_program(p: CK, out: EK, edges: int32, last: int32):
    _differences_of_levels(p, out=out, domain={E: (0, edges), K: (1, last)})


@case
def neighbors_on_other_levels(g):
    def reference(p, out, **_):
        one, two = p[g.e2c[:, 0]], p[g.e2c[:, 1]]
        out[:, 1:-1] = np.maximum(two[:, 2:] - one[:, :-2], 0) - two[:, :-2]
        return {"out": out}

    args = dict(p=g(C, K), out=g(E, K), edges=g.size[E], last=g.nk - 1)
    return Case(_differences_of_levels_program, args, reference)


# ---- Regions.

@gtx.field_operator
def _frame(p: IJ, ni: int32, nj: int32) -> IJ:
    inside = p(I + 1) + p(I - 1) + p(J + 1) + p(J - 1)
    in_j = concat_where((J > 0) & (J < nj - 1), inside, 0.5 * p)
    in_i = concat_where(I == 0, broadcast(1.0, (I, J)), in_j)
    return concat_where(I == ni - 1, p(I - 1), in_i)


@gtx.program
def _frame_program(p: IJ, out: IJ, ni: int32, nj: int32):
    _frame(p, ni, nj, out=out, domain={I: (0, ni), J: (0, nj)})


@case
def frame_around_a_plane(g):
    def reference(p, out, **_):
        result = 0.5 * p
        result[1:-1, 1:-1] = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
        result[0], result[-1] = 1.0, p[-2]
        return {"out": result}

    return Case(_frame_program, dict(p=g(I, J), out=g(I, J), ni=g.size[I], nj=g.size[J]), reference)


@gtx.field_operator
def _top_and_rest(p: CK, q: CK, top: int32) -> tuple[CK, CK]:
    return concat_where(K <= top, (p, q), (q(K - 1), p + q))


@gtx.program
def _top_and_rest_program(p: CK, q: CK, first: CK, second: CK, top: int32, cells: int32, nk: int32):
    _top_and_rest(p, q, top, out=(first, second), domain={C: (0, cells), K: (0, nk)})


@case
def regions_of_two_fields(g):
    def reference(p, q, first, second, top, **_):
        first[:, : top + 1], second[:, : top + 1] = p[:, : top + 1], q[:, : top + 1]
        first[:, top + 1 :], second[:, top + 1 :] = q[:, top:-1], (p + q)[:, top + 1 :]
        return {"first": first, "second": second}

    args = dict(p=g(C, K), q=g(C, K), first=g(C, K), second=g(C, K), top=4, cells=g.size[C], nk=g.nk)
    return Case(_top_and_rest_program, args, reference)


@gtx.field_operator
def _corner(p: CK, level: int32, start: int32) -> CK:
    smooth = concat_where(K == level, -p, 0.5 * p)
    return concat_where(C < start, concat_where(K > level, 2.0 * smooth, smooth), smooth)


@gtx.program
def _corner_program(p: CK, out: CK, level: int32, start: int32, cells: int32, nk: int32):
    _corner(p, level, start, out=out, domain={C: (0, cells), K: (0, nk)})


@case
def corner_of_cells_and_levels(g):
    def reference(p, out, level, start, **_):
        smooth = 0.5 * p
        smooth[:, level] = -p[:, level]
        smooth[:start, level + 1 :] *= 2
        return {"out": smooth}

    args = dict(p=g(C, K), out=g(C, K), level=3, start=17, cells=g.size[C], nk=g.nk)
    return Case(_corner_program, args, reference)


@gtx.field_operator
def _boundary_level(k: gtx.Field[gtx.Dims[K], int32], p: IJK, q: IJK, r: IJK, a: IJ, b: IJ,
                    c: IJ) -> tuple[IJK, tuple[IJK, IJK]]:
    return where(broadcast(k, (I, J, K)) == 0, (a, (b, c)), (p, (q, r)))


@case
def boundary_level_of_three_fields(g):
    """The condition is needed wherever any of the results is, and nothing relates their domains."""
    def reference(k, p, q, r, a, b, c, out):
        result = tuple(inner.copy() for inner in (p, q, r))
        for values, boundary in zip(result, (a, b, c)):
            values[:, :, 0] = boundary
        return {"out": (result[0], result[1:])}

    field = lambda: g(I, J, K)
    args = dict(k=Array((K,), np.arange(g.nk, dtype=np.int32)), p=field(), q=field(), r=field(), a=g(I, J),
                b=g(I, J), c=g(I, J), out=(field(), (field(), field())))
    return Case(_boundary_level, args, reference)


@gtx.program
def _nothing_to_do(p: CK, out: CK, first: int32, last: int32, nk: int32):
    _corner(p, 3, 17, out=out, domain={C: (first, last), K: (0, nk)})


@case
def empty_domain(g):
    args = dict(p=g(C, K), out=g(C, K), first=9, last=9, nk=g.nk)
    return Case(_nothing_to_do, args, lambda p, out, **_: {"out": out})


# ---- Values.

@gtx.field_operator
def _more_functions(p: CK, q: CK) -> tuple[CK, CK, CK, CK]:
    return (
        arcsin(p) + arccos(q) * arctan(p),
        sinh(p) - cosh(q) + tanh(p * q) + tan(p),
        arcsinh(p) + arctanh(q) + cbrt(p) + log(q * q + 1.0),
        ceil(3.0 * p) + trunc(3.0 * q),
    )


@case
def more_mathematical_functions(g):
    def reference(p, q, out):
        return {"out": (np.arcsin(p) + np.arccos(q) * np.arctan(p),
                        np.sinh(p) - np.cosh(q) + np.tanh(p * q) + np.tan(p),
                        np.arcsinh(p) + np.arctanh(q) + np.cbrt(p) + np.log(q * q + 1),
                        np.ceil(3 * p) + np.trunc(3 * q))}

    out = tuple(g(C, K) for _ in range(4))
    return Case(_more_functions, dict(p=g(C, K, low=-0.9, high=0.9), q=g(C, K, low=-0.9, high=0.9), out=out), reference)


@gtx.field_operator
def _powers(p: CK, q: CK, n: CKInt) -> tuple[CK, CK, CK, CKInt, CKInt]:
    return power(p, q), p**0.5 * q**-2, fmod(p, q), n % int32(7), n // int32(4)


@case
def powers_and_remainders(g):
    def reference(p, q, n, out):
        return {"out": (p**q, p**0.5 * q**-2.0, np.fmod(p, q), n % np.int32(7), n // np.int32(4))}

    integers = lambda: g(C, K, dtype=np.int32, low=0, high=99)
    args = dict(p=g(C, K, low=0.5, high=9), q=g(C, K, low=0.5, high=2), n=integers(),
                out=(g(C, K), g(C, K), g(C, K), integers(), integers()))
    return Case(_powers, args, reference)


@gtx.field_operator
def _not_finite(p: CK, q: CK) -> tuple[CK, CKBool]:
    ratio = p / q
    return where(isfinite(ratio), ratio, where(isinf(ratio), 1.0, 0.0)), isinf(ratio) | isfinite(ratio)


@case
def values_that_are_not_finite(g):
    def reference(p, q, out):
        with np.errstate(all="ignore"):
            ratio = p / q
        return {"out": (np.where(np.isfinite(ratio), ratio, np.where(np.isinf(ratio), 1, 0)), ~np.isnan(ratio))}

    p, q = g(C, K), g(C, K)
    q.values[g.rng.random(q.values.shape) < 0.4] = 0
    p.values[g.rng.random(p.values.shape) < 0.4] = 0
    return Case(_not_finite, dict(p=p, q=q, out=(g(C, K), g(C, K, dtype=bool))), reference)


@gtx.field_operator
def _many_types(
    a: gtx.Field[gtx.Dims[C, K], gtx.int8], b: gtx.Field[gtx.Dims[C, K], gtx.int16],
    c: gtx.Field[gtx.Dims[C, K], gtx.uint8], d: gtx.Field[gtx.Dims[C, K], gtx.uint32], e: CKSingle,
) -> tuple[CKInt, CKLong, CK]:
    sum_of_small = astype(a, int32) * astype(b, int32) - astype(c, int32)
    return sum_of_small, astype(d, int64) - int64(2147483648), astype(e, float64) + astype(sum_of_small, float64)


@case
def integers_of_many_sizes(g):
    def reference(a, b, c, d, e, out):
        small = a.astype(np.int32) * b.astype(np.int32) - c.astype(np.int32)
        return {"out": (small, d.astype(np.int64) - 2**31, e.astype(np.float64) + small)}

    args = dict(a=g(C, K, dtype=np.int8, low=-128, high=127), b=g(C, K, dtype=np.int16, low=-(2**15), high=2**15 - 1),
                c=g(C, K, dtype=np.uint8, low=0, high=255), d=g(C, K, dtype=np.uint32, low=0, high=2**32 - 1),
                e=g(C, K, dtype=np.float32),
                out=(g(C, K, dtype=np.int32, high=9), g(C, K, dtype=np.int64, high=9), g(C, K)))
    return Case(_many_types, args, reference)


@gtx.field_operator
def _mixed_levels(p: CKSingle, level: gtx.Field[gtx.Dims[K], int32], limit: CKInt, scale: float32) -> CK:
    depth = astype(level - limit, float32) * scale
    single = where((level > limit) & (depth < float32(2.5)), p * depth, p - float32(1.0))
    return astype(single, float64) * exp(-astype(depth, float64))


@case
def levels_and_single_precision(g):
    def reference(p, level, limit, scale, out):
        depth = (level - limit).astype(np.float32) * scale
        single = np.where((level > limit) & (depth < np.float32(2.5)), p * depth, p - np.float32(1))
        return {"out": single.astype(np.float64) * np.exp(-depth.astype(np.float64))}

    args = dict(p=g(C, K, dtype=np.float32), level=Array((K,), np.arange(g.nk, dtype=np.int32)),
                limit=g(C, K, dtype=np.int32, low=0, high=9), scale=np.float32(0.4), out=g(C, K))
    return Case(_mixed_levels, args, reference, bound=1e-6)


@gtx.field_operator
def _outer_product(a: gtx.Field[gtx.Dims[I], float64], b: gtx.Field[gtx.Dims[J], float64], c: KField) -> IJK:
    plane = broadcast(a, (I, J)) * broadcast(b, (I, J))
    return broadcast(plane, (I, J, K)) - broadcast(c, (I, J, K)) * 2.0


@case
def product_of_lines(g):
    args = dict(a=g(I), b=g(J), c=g(K), out=g(I, J, K))
    return Case(_outer_product, args, lambda a, b, c, out: {
        "out": a[:, None, None] * b[None, :, None] - 2 * c[None, None, :]})


# ---- Records, choices and statements.

class Wind(NamedTuple):
    u: CK
    v: CK


@gtx.field_operator
def _turned(wind: Wind, angle: float) -> Wind:
    return Wind(u=wind.v * angle, v=-wind.u) if angle > 0.0 else Wind(u=wind.u, v=wind.v + angle)


@gtx.program
def _turned_program(wind: Wind, angle: float, out: Wind):
    _turned(wind, angle, out=out)


@case
def records(g):
    def reference(wind, angle, out):
        return {"out": (wind[1] * angle, -wind[0])}

    return Case(_turned_program, dict(wind=Wind(g(C, K), g(C, K)), angle=0.5, out=Wind(g(C, K), g(C, K))), reference)


@gtx.field_operator
def _chain_of_choices(p: CK, q: CK, mode: int32, strict: bool) -> tuple[CK, CK]:
    a, b = (p, q) if mode > 2 else ((q, p) if mode == 2 else (p * q, q))
    if strict:
        if mode == 2:
            b = minimum(a, b)
        a = a + b
    return a - 1.0 if (strict & (mode < 5)) else b, b


@case
def chain_of_choices(g):
    def reference(p, q, mode, strict, out):
        a, b = q, np.minimum(q, p)
        return {"out": (a + b - 1, b)}

    args = dict(p=g(C, K), q=g(C, K), mode=np.int32(2), strict=True, out=(g(C, K), g(C, K)))
    return Case(_chain_of_choices, args, reference)


@gtx.field_operator
def _gradient(p: CK) -> EK:
    return p(E2C[1]) - p(E2C[0])


@gtx.field_operator
def _diffused(p: CK, gradient: EK, geofac: CxC2E, dt: float) -> CK:
    return p + dt * neighbor_sum(gradient(C2E) * geofac, axis=C2EDim)


@gtx.field_operator
def _floor_at(p: CK, low: float) -> tuple[CK, CKBool]:
    return maximum(p, low), p < low


@gtx.program
def _several_statements(p: CK, gradient: EK, geofac: CxC2E, cut: CKBool, dt: float, cells: int32, edges: int32,
                        nk: int32):
    _gradient(p, out=gradient, domain={E: (0, edges), K: (0, nk)})
    _diffused(p, gradient, geofac, dt, out=p, domain={C: (0, cells), K: (0, nk)})
    _floor_at(p, -0.2, out=(p, cut), domain={C: (3, cells), K: (1, nk)})
    _gradient(p, out=gradient, domain={E: (4, edges), K: (0, nk - 1)})


@case
def statements_in_place(g):
    """Arguments are written, read and overwritten in several domains."""
    def reference(p, gradient, geofac, cut, dt, edges, nk, **_):
        difference = lambda: p[g.e2c[:, 1]] - p[g.e2c[:, 0]]
        gradient = difference()
        p = p + dt * np_sum(gradient, g.c2e, geofac)
        cut[3:, 1:] = p[3:, 1:] < -0.2
        p[3:, 1:] = np.maximum(p[3:, 1:], -0.2)
        gradient[4:, : nk - 1] = difference()[4:, : nk - 1]
        return {"p": p, "gradient": gradient, "cut": cut}

    args = dict(p=g(C, K), gradient=g(E, K), geofac=g(C, C2EDim), cut=g(C, K, dtype=bool), dt=0.1,
                cells=g.size[C], edges=g.size[E], nk=g.nk)
    return Case(_several_statements, args, reference)


@gtx.field_operator
def _halved(p: IJ) -> IJ:
    return 0.5 * p


@gtx.program
def _slices(p: IJ, out: IJ):
    _halved(p, out=out[2:-1, 1:-2])


@case
def slice_of_an_output(g):
    def reference(p, out):
        out[2:-1, 1:-2] = 0.5 * p[2:-1, 1:-2]
        return {"out": out}

    return Case(_slices, dict(p=g(I, J), out=g(I, J)), reference)


# ---- Columns.

@gtx.scan_operator(axis=K, forward=True, init=(0.0, int32(0), True))
def _melting(carry: tuple[float, int32, bool], ice: float, warm: float, rate: float) -> tuple[float, int32, bool]:
    water, levels, frozen = carry
    if warm > 0.3:
        frozen = False
        levels = levels + int32(1)
        melted = minimum(ice, warm * rate)
    else:
        melted = 0.0 if frozen else 0.5 * ice
    water = water * 0.9 + melted
    return water, levels, frozen


@gtx.field_operator
def _melt(ice: CK, temperature: CK, rate: float) -> tuple[CK, CKInt, CKBool]:
    warm = 0.5 * (temperature + temperature(K + 1))
    water, levels, frozen = _melting(ice, warm, rate)
    return water, levels, frozen


@gtx.program
def _melt_program(ice: CK, temperature: CK, rate: float, water: CK, levels: CKInt, frozen: CKBool, cells: int32,
                  nk: int32):
    _melt(ice, temperature, rate, out=(water, levels, frozen), domain={C: (0, cells), K: (0, nk)})


@case
def scan_with_statements(g):
    """A carry of three types, branches inside, and an argument at half levels."""
    def reference(ice, temperature, rate, water, levels, frozen, nk, **_):
        n = ice.shape[0]
        w, count, cold = np.zeros(n), np.zeros(n, np.int32), np.ones(n, bool)
        for k in range(nk):
            warm = 0.5 * (temperature[:, k] + temperature[:, k + 1])
            now = warm > 0.3
            cold = cold & ~now
            count = count + now.astype(np.int32)
            w = w * 0.9 + np.where(now, np.minimum(ice[:, k], warm * rate), np.where(cold, 0, 0.5 * ice[:, k]))
            water[:, k], levels[:, k], frozen[:, k] = w, count, cold
        return {"water": water, "levels": levels, "frozen": frozen}

    args = dict(ice=g(C, K), temperature=g(C, K, more={K: 1}), rate=0.7, water=g(C, K),
                levels=g(C, K, dtype=np.int32, high=9), frozen=g(C, K, dtype=bool), cells=g.size[C], nk=g.nk)
    return Case(_melt_program, args, reference)


@gtx.field_operator
def _fluxes_of_columns(ice: CK, temperature: CK, rate: float) -> CK:
    water, levels, frozen = _melting(ice, temperature, rate)
    taken = where(frozen, water, astype(levels, float64))
    return neighbor_sum(taken(C2E2C), axis=C2E2CDim) + taken


@case
def neighbors_of_a_scan(g):
    def reference(ice, temperature, rate, out):
        n, nk = ice.shape
        w, count, cold = np.zeros(n), np.zeros(n), np.ones(n, bool)
        taken = np.zeros_like(ice)
        for k in range(nk):
            warm = temperature[:, k]
            now = warm > 0.3
            cold, count = cold & ~now, count + now
            w = w * 0.9 + np.where(now, np.minimum(ice[:, k], warm * rate), np.where(cold, 0, 0.5 * ice[:, k]))
            taken[:, k] = np.where(cold, w, count)
        return {"out": np_sum(taken, g.c2e2c) + taken}

    args = dict(ice=g(C, K), temperature=g(C, K), rate=0.7, out=g(C, K))
    return Case(_fluxes_of_columns, args, reference)
