"""Recurrences along columns: sums, tridiagonal systems, and carries of several kinds."""

import gt4py.next as gtx
import numpy as np
from gt4py.next import int32, maximum, where
from gt4py.next.experimental import concat_where

from grid import *


@gtx.scan_operator(axis=K, forward=True, init=0.0)
def _sum_down(carry: float, value: float) -> float:
    return carry + value


@gtx.scan_operator(axis=K, forward=False, init=0.0)
def _sum_up(carry: float, value: float) -> float:
    return carry + value


@gtx.field_operator
def _integrals(p: CK) -> tuple[CK, CK]:
    return _sum_down(p), _sum_up(p)


@case
def integral_from_the_top(g):
    return Case(_sum_down, dict(value=g(C, K), out=g(C, K)), lambda value, out: {"out": value.cumsum(axis=1)})


@case
def integral_from_the_ground(g):
    return Case(_sum_up, dict(value=g(C, K), out=g(C, K)),
                lambda value, out: {"out": value[:, ::-1].cumsum(axis=1)[:, ::-1]})


@case
def integrals_both_ways(g):
    return Case(_integrals, dict(p=g(C, K), out=(g(C, K), g(C, K))), lambda p, out: {
        "out": (p.cumsum(axis=1), p[:, ::-1].cumsum(axis=1)[:, ::-1])})


@gtx.scan_operator(axis=K, forward=True, init=(0.0, 0.0))
def _eliminate(carry: tuple[float, float], a: float, b: float, c: float, d: float) -> tuple[float, float]:
    c_above, d_above = carry
    pivot = b - a * c_above
    return c / pivot, (d - a * d_above) / pivot


@gtx.scan_operator(axis=K, forward=False, init=0.0)
def _substitute(x_below: float, c: float, d: float) -> float:
    return d - c * x_below


@gtx.field_operator
def _solve(a: CK, b: CK, c: CK, d: CK) -> CK:
    c_new, d_new = _eliminate(a, b, c, d)
    return _substitute(c_new, d_new)


def np_solve(a, b, c, d):
    n = a.shape[1]
    c_new, d_new, x = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a)
    for k in range(n):
        c_above, d_above = (c_new[:, k - 1], d_new[:, k - 1]) if k else (0.0, 0.0)
        pivot = b[:, k] - a[:, k] * c_above
        c_new[:, k], d_new[:, k] = c[:, k] / pivot, (d[:, k] - a[:, k] * d_above) / pivot
    for k in reversed(range(n)):
        x[:, k] = d_new[:, k] - c_new[:, k] * (x[:, k + 1] if k + 1 < n else 0.0)
    return x


@case
def tridiagonal_system(g):
    args = dict(a=g(C, K), b=g(C, K, low=4, high=5), c=g(C, K), d=g(C, K), out=g(C, K))
    return Case(_solve, args, lambda a, b, c, d, out: {"out": np_solve(a, b, c, d)}, bound=1e-12)


@gtx.field_operator
def _implicit_diffusion(w: CK, k_up: CK, k_down: CK, inverse_rho: CK, dt: float, nlev: gtx.int32) -> CK:
    a = concat_where(K == 0, 0.0, -dt * k_up * inverse_rho)
    c = concat_where(K == nlev - 1, 0.0, -dt * k_down * inverse_rho)
    b = 1.0 - a - c
    return _solve(a, b, c, w)


@gtx.program
def _implicit_diffusion_program(w: CK, k_up: CK, k_down: CK, inverse_rho: CK, dt: float, cells: gtx.int32,
                                nlev: gtx.int32):
    _implicit_diffusion(w, k_up, k_down, inverse_rho, dt, nlev, out=w, domain={C: (0, cells), K: (0, nlev)})


@case
def implicit_vertical_diffusion(g):
    """A tridiagonal system set up from fields; the result replaces the argument."""
    def reference(w, k_up, k_down, inverse_rho, dt, nlev, **_):
        a, c = -dt * k_up * inverse_rho, -dt * k_down * inverse_rho
        a[:, 0] = c[:, nlev - 1] = 0
        return {"w": np_solve(a, 1 - a - c, c, w)}

    args = dict(w=g(C, K), k_up=g(C, K, low=0), k_down=g(C, K, low=0), inverse_rho=g(C, K, low=1, high=2),
                dt=0.3, cells=g.size[C], nlev=g.nk)
    return Case(_implicit_diffusion_program, args, reference, bound=1e-12)


@gtx.scan_operator(axis=K, forward=True, init=(0.0, False))
def _fall(carry: tuple[float, bool], q: float, rate: float, threshold: float) -> tuple[float, bool]:
    flux, raining = carry
    starts = raining | (q > threshold)
    return (flux * 0.9 + q * rate if starts else 0.0), starts


@gtx.field_operator
def _precipitation(q: CK, rate: CK, threshold: float) -> tuple[CK, gtx.Field[gtx.Dims[C, K], bool]]:
    flux, raining = _fall(q, rate, threshold)
    return flux, raining


@case
def rain_that_starts_somewhere(g):
    """A carry of a number and a truth value."""
    def reference(q, rate, threshold, out):
        flux, raining = np.zeros_like(q), np.zeros(q.shape, bool)
        above, on = np.zeros(q.shape[0]), np.zeros(q.shape[0], bool)
        for k in range(q.shape[1]):
            on = on | (q[:, k] > threshold)
            above = np.where(on, above * 0.9 + q[:, k] * rate[:, k], 0)
            flux[:, k], raining[:, k] = above, on
        return {"out": (flux, raining)}

    args = dict(q=g(C, K), rate=g(C, K), threshold=0.6, out=(g(C, K), g(C, K, dtype=bool)))
    return Case(_precipitation, args, reference)


@gtx.scan_operator(axis=K, forward=True, init=gtx.int32(0))
def _count(carry: gtx.int32, value: float) -> gtx.int32:
    return carry + int32(1) if value > 0.0 else carry


@case
def counting_levels(g):
    """An integer carry."""
    args = dict(value=g(C, K), out=g(C, K, dtype=np.int32))
    return Case(_count, args, lambda value, out: {"out": (value > 0).cumsum(axis=1).astype(np.int32)})


@gtx.scan_operator(axis=K, forward=True, init=(0.0, (1.0, 0.0)))
def _nested(carry: tuple[float, tuple[float, float]], p: float, q: float) -> tuple[float, tuple[float, float]]:
    total, factors = carry
    product, last = factors
    return total + p * last, (product * (1.0 + 0.1 * q), p)


@gtx.field_operator
def _nested_carry(p: CK, q: CK) -> tuple[CK, tuple[CK, CK]]:
    total, rest = _nested(p, q)
    return total, rest


@case
def carry_of_tuples_in_tuples(g):
    def reference(p, q, out):
        last = np.concatenate([np.zeros((p.shape[0], 1)), p[:, :-1]], axis=1)
        return {"out": ((p * last).cumsum(axis=1), ((1 + 0.1 * q).cumprod(axis=1), p))}

    return Case(_nested_carry, dict(p=g(C, K), q=g(C, K), out=(g(C, K), (g(C, K), g(C, K)))), reference)


@gtx.scan_operator(axis=K, forward=True, init=0.0)
def _exner(above: float, theta: float, dz: float, factor: float) -> float:
    return above + factor * dz / theta


@gtx.field_operator
def _hydrostatic(theta: CK, dz: CK, factor: float) -> CK:
    theta_at_half = 0.5 * (theta + theta(K + 1))
    pressure = _exner(theta_at_half, dz, factor)
    return pressure - theta


@gtx.program
def _hydrostatic_program(theta: CK, dz: CK, out: CK, factor: float, cells: gtx.int32, nk: gtx.int32):
    _hydrostatic(theta, dz, factor, out=out, domain={C: (0, cells), K: (0, nk)})


@case
def hydrostatic_column(g):
    """A scan between two stencils."""
    def reference(theta, dz, out, factor, **_):
        at_half = 0.5 * (theta[:, :-1] + theta[:, 1:])
        return {"out": (factor * dz / at_half).cumsum(axis=1) - theta[:, :-1]}

    args = dict(theta=g(C, K, low=1, high=2, more={K: 1}), dz=g(C, K), out=g(C, K), factor=9.81,
                cells=g.size[C], nk=g.nk)
    return Case(_hydrostatic_program, args, reference, bound=1e-12)


@gtx.field_operator
def _edges_of_columns(p: CK) -> EK:
    integral = _sum_down(p)
    return integral(E2C[1]) - integral(E2C[0])


@case
def gradient_of_an_integral(g):
    def reference(p, out):
        integral = p.cumsum(axis=1)
        return {"out": integral[g.e2c[:, 1]] - integral[g.e2c[:, 0]]}

    return Case(_edges_of_columns, dict(p=g(C, K), out=g(E, K)), reference)


@gtx.field_operator
def _limited(p: CK, q: CK) -> CK:
    return _sum_up(maximum(p, q)) + _sum_down(where(p > q, p, q * q))


@case
def scans_of_expressions(g):
    def reference(p, q, out):
        up = np.maximum(p, q)[:, ::-1].cumsum(axis=1)[:, ::-1]
        return {"out": up + np.where(p > q, p, q * q).cumsum(axis=1)}

    return Case(_limited, dict(p=g(C, K), q=g(C, K), out=g(C, K)), reference)


@gtx.program
def _part_of_column(p: CK, out: CK, cells: gtx.int32, top: gtx.int32, bottom: gtx.int32):
    _sum_down(p, out=out, domain={C: (1, cells), K: (top, bottom)})


@case
def scan_of_a_part_of_the_column(g):
    def reference(p, out, cells, top, bottom):
        out[1:cells, top:bottom] = p[1:cells, top:bottom].cumsum(axis=1)
        return {"out": out}

    args = dict(p=g(C, K), out=g(C, K), cells=g.size[C] - 2, top=2, bottom=8)
    return Case(_part_of_column, args, reference)


@gtx.scan_operator(axis=K, forward=False, init=gtx.float32(0.0))
def _single(carry: gtx.float32, value: gtx.float32, factor: gtx.float32) -> gtx.float32:
    return carry * factor + value


@case
def scan_in_single_precision(g):
    def reference(value, factor, out):
        carry = np.zeros(value.shape[0], np.float32)
        for k in reversed(range(value.shape[1])):
            carry = carry * factor + value[:, k]
            out[:, k] = carry
        return {"out": out}

    args = dict(value=g(C, K, dtype=np.float32), factor=np.float32(0.7), out=g(C, K, dtype=np.float32))
    return Case(_single, args, reference, bound=1e-5)
