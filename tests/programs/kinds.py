"""Kinds of values and of calls: precisions, integers, truth values, tuples, scalars, static arguments."""

import gt4py.next as gtx
import numpy as np
from gt4py.next import (  # noqa: A004
    abs, astype, broadcast, exp, float32, float64, floor, int32, isnan, maximum, minimum, neighbor_sum, sin, sqrt,
    where,
)

from grid import *


CKSingle, EKSingle = (gtx.Field[gtx.Dims[d, K], float32] for d in (C, E))
CKInt, CKBool = gtx.Field[gtx.Dims[C, K], gtx.int32], gtx.Field[gtx.Dims[C, K], bool]
CKLong = gtx.Field[gtx.Dims[C, K], gtx.int64]


@gtx.field_operator
def _mixed(p: CK, q: CKSingle) -> tuple[CK, CKSingle]:
    return p * astype(q, float64), astype(p * 0.5, float32) + q


@case
def mixed_precision(g):
    args = dict(p=g(C, K), q=g(C, K, dtype=np.float32), out=(g(C, K), g(C, K, dtype=np.float32)))
    return Case(_mixed, args, lambda p, q, out: {
        "out": (p * q.astype(np.float64), (p * 0.5).astype(np.float32) + q)}, bound=1e-6)


@gtx.field_operator
def _single_divergence(vn: EKSingle, geofac: gtx.Field[gtx.Dims[C, C2EDim], float32]) -> CKSingle:
    return neighbor_sum(vn(C2E) * geofac, axis=C2EDim)


@case
def divergence_in_single_precision(g):
    args = dict(vn=g(E, K, dtype=np.float32), geofac=g(C, C2EDim, dtype=np.float32), out=g(C, K, dtype=np.float32))
    return Case(_single_divergence, args, lambda vn, geofac, out: {
        "out": np_sum(vn, g.c2e, geofac).astype(np.float32)}, bound=1e-5)


@gtx.field_operator
def _integers(a: CKInt, b: CKInt) -> tuple[CKInt, CKInt]:
    return a * b - int32(3) * a, maximum(a, b) + minimum(a, int32(2))


@case
def integer_arithmetic(g):
    args = dict(a=g(C, K, dtype=np.int32, low=-9, high=9), b=g(C, K, dtype=np.int32, low=-9, high=9),
                out=(g(C, K, dtype=np.int32), g(C, K, dtype=np.int32)))
    return Case(_integers, args, lambda a, b, out: {
        "out": (a * b - np.int32(3) * a, np.maximum(a, b) + np.minimum(a, np.int32(2)))})


@gtx.field_operator
def _conversions(p: CK, n: CKInt) -> tuple[CKInt, CK, CKLong]:
    return astype(floor(p), int32), astype(n, float64) * p, astype(n, gtx.int64) * astype(n, gtx.int64)


@case
def conversions(g):
    def reference(p, n, out):
        return {"out": (np.floor(p).astype(np.int32), n * p, n.astype(np.int64) ** 2)}

    args = dict(p=g(C, K, low=-9, high=9), n=g(C, K, dtype=np.int32, low=-(2**31), high=2**31 - 1),
                out=(g(C, K, dtype=np.int32), g(C, K), g(C, K, dtype=np.int64)))
    return Case(_conversions, args, reference)


@gtx.field_operator
def _logic(a: CKBool, b: CKBool, p: CK) -> tuple[CKBool, CKBool, CKBool]:
    positive = p > 0.0
    return a & (b | positive), ~a ^ b, (p <= 0.5) & (p != 0.0)


@case
def truth_values(g):
    args = dict(a=g(C, K, dtype=bool), b=g(C, K, dtype=bool), p=g(C, K),
                out=(g(C, K, dtype=bool), g(C, K, dtype=bool), g(C, K, dtype=bool)))
    return Case(_logic, args, lambda a, b, p, out: {"out": (a & (b | (p > 0)), ~a ^ b, (p <= 0.5) & (p != 0))})


@gtx.field_operator
def _functions(p: CK, q: CK) -> tuple[CK, CK]:
    return sqrt(abs(p)) + exp(q) * sin(p), where(isnan(sqrt(p)), abs(q) ** 1.5, p**3)


@case
def mathematical_functions(g):
    def reference(p, q, out):
        with np.errstate(invalid="ignore"):
            return {"out": (np.sqrt(np.abs(p)) + np.exp(q) * np.sin(p),
                            np.where(np.isnan(np.sqrt(p)), np.abs(q) ** 1.5, p**3))}

    return Case(_functions, dict(p=g(C, K), q=g(C, K), out=(g(C, K), g(C, K))), reference)


@gtx.field_operator
def _scalars(p: CK, a: float, n: gtx.int32, m: gtx.int64, single: float32, on: bool) -> CK:
    scaled = p * a + astype(n, float64) - astype(m, float64)
    return scaled * astype(single, float64) if on else scaled


@gtx.program
def _scalars_program(p: CK, out: CK, a: float, n: gtx.int32, m: gtx.int64, single: float32, on: bool):
    _scalars(p, a, n, m, single, on, out=out)


def _scalars_reference(p, out, a, n, m, single, on):
    scaled = p * a + float(n) - float(m)
    return {"out": scaled * float(single) if on else scaled}


def _scalar_arguments(g, on):
    return dict(p=g(C, K), out=g(C, K), a=2.5, n=np.int32(-3), m=np.int64(2**40), single=np.float32(0.3), on=on)


@case
def scalars_of_all_kinds(g):
    return Case(_scalars_program, _scalar_arguments(g, True), _scalars_reference)


@case
def scalars_known_when_compiling(g):
    return Case(_scalars_program, _scalar_arguments(g, False), _scalars_reference, static=("a", "n", "on"))


@gtx.field_operator
def _zero_dimensional(p: CK, factor: gtx.Field[gtx.Dims[()], gtx.float64]) -> CK:
    return p * factor


@case
def field_without_dimensions(g):
    args = dict(p=g(C, K), factor=Array((), np.array(1.7)), out=g(C, K))
    return Case(_zero_dimensional, args, lambda p, factor, out: {"out": p * factor})


@gtx.field_operator
def _swapped(pair: tuple[CK, CK], weights: tuple[float, tuple[float, float]]) -> tuple[tuple[CK, CK], CK]:
    inner = weights[1]
    return (pair[1] * weights[0], pair[0]), pair[0] * inner[0] + pair[1] * inner[1]


@gtx.program
def _swapped_program(pair: tuple[CK, CK], weights: tuple[float, tuple[float, float]],
                     out: tuple[tuple[CK, CK], CK]):
    _swapped(pair, weights, out=out)


@case
def tuples_of_tuples(g):
    def reference(pair, weights, out):
        a, b = pair
        return {"out": ((b * weights[0], a), a * weights[1][0] + b * weights[1][1])}

    args = dict(pair=(g(C, K), g(C, K)), weights=(2.0, (0.5, 0.25)), out=((g(C, K), g(C, K)), g(C, K)))
    return Case(_swapped_program, args, reference)


@gtx.field_operator
def _branches(p: CK, q: CK, kind: gtx.int32, limited: bool) -> CK:
    if kind == 1:
        result = p + q
    elif kind == 2:
        result = p * q
    else:
        result = p - 2.0 * q
    return minimum(result, 0.5) if limited else result


def _branches_reference(p, q, kind, limited, out):
    result = p + q if kind == 1 else p * q if kind == 2 else p - 2 * q
    return {"out": np.minimum(result, 0.5) if limited else result}


@case
def branches_by_arguments(g):
    args = dict(p=g(C, K), q=g(C, K), kind=np.int32(2), limited=True, out=g(C, K))
    return Case(_branches, args, _branches_reference)


@gtx.field_operator
def _nested_where(p: CK, q: CK, mask: CKBool) -> tuple[CK, CK]:
    first, second = where(mask, (p, q), (q * 2.0, p * p))
    return where(first > second, where(mask, first, 0.0), second), second


@case
def choices_in_choices(g):
    def reference(p, q, mask, out):
        first, second = np.where(mask, p, 2 * q), np.where(mask, q, p * p)
        return {"out": (np.where(first > second, np.where(mask, first, 0), second), second)}

    return Case(_nested_where, dict(p=g(C, K), q=g(C, K), mask=g(C, K, dtype=bool), out=(g(C, K), g(C, K))),
                reference)


@gtx.field_operator
def _constant(value: float) -> CK:
    return broadcast(value, (C, K))


@gtx.field_operator
def _identity(p: CK) -> CK:
    return p


@gtx.program
def _fill_and_copy(p: CK, copy: CK, filled: CK, value: float, cells: gtx.int32, nk: gtx.int32):
    _identity(p, out=copy, domain={C: (0, cells), K: (0, nk)})
    _constant(value, out=filled, domain={C: (0, cells), K: (1, nk)})


@case
def fill_and_copy(g):
    def reference(p, copy, filled, value, **_):
        filled[:, 1:] = value
        return {"copy": p, "filled": filled}

    args = dict(p=g(C, K), copy=g(C, K), filled=g(C, K), value=3.5, cells=g.size[C], nk=g.nk)
    return Case(_fill_and_copy, args, reference)


@gtx.field_operator
def _tendency(p: CK, tendency: CK, dt: float) -> CK:
    return p + dt * tendency


@gtx.program
def _update_twice(p: CK, q: CK, tendency: CK, dt: float):
    _tendency(p, tendency, dt, out=p)
    _tendency(q, p, dt, out=q)
    _tendency(p, q, dt, out=p)


@case
def updates_in_place(g):
    def reference(p, q, tendency, dt):
        p = p + dt * tendency
        q = q + dt * p
        return {"p": p + dt * q, "q": q}

    return Case(_update_twice, dict(p=g(C, K), q=g(C, K), tendency=g(C, K), dt=0.1), reference)


@gtx.field_operator
def _unused(p: CK, q: CK, factor: float) -> CK:
    return p * 2.0


@case
def arguments_that_are_not_used(g):
    args = dict(p=g(C, K), q=g(C, K), factor=3.0, out=g(C, K))
    return Case(_unused, args, lambda p, **_: {"out": 2 * p})


@gtx.field_operator
def _choice_of_tables(p: CK, q: EK, by_edges: bool, geofac: gtx.Field[gtx.Dims[C, C2EDim], gtx.float64]) -> CK:
    return neighbor_sum(q(C2E) * geofac, axis=C2EDim) if by_edges else neighbor_sum(p(C2E2C), axis=C2E2CDim)


@case
def one_of_two_stencils(g):
    def reference(p, q, by_edges, geofac, out):
        return {"out": np_sum(q, g.c2e, geofac) if by_edges else np_sum(p, g.c2e2c)}

    args = dict(p=g(C, K), q=g(E, K), by_edges=False, geofac=g(C, C2EDim), out=g(C, K))
    return Case(_choice_of_tables, args, reference)


@case
def memory_that_is_kept(g):
    """Buffers between maps live as long as the program."""
    args = dict(p=g(C, K), q=g(E, K), by_edges=True, geofac=g(C, C2EDim), out=g(C, K))
    return Case(_choice_of_tables, args, lambda p, q, by_edges, geofac, out: {"out": np_sum(q, g.c2e, geofac)},
                options={"optimization_args": {"transient_memory_mode": "PERSISTENT"}, "use_metrics": False})
