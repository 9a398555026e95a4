"""Programs on a structured grid, with other origins and memory layouts."""

import gt4py.next as gtx
import numpy as np
from gt4py.next import abs, maximum, minimum, where  # noqa: A004
from gt4py.next.experimental import concat_where

from grid import *


def _ring(size, width):
    """The domain without `width` elements at each end."""
    return {I: (width, size[I] - width), J: (width, size[J] - width)}


def inner(array, di=0, dj=0, width=1):
    """array[i + di, j + dj] for all (i, j) inside."""
    n, m = array.shape[:2]
    return array[width + di : n - width + di, width + dj : m - width + dj]


def into(out, values, width=1):
    out = out.copy()
    inner(out, width=width)[...] = values
    return out


@gtx.field_operator
def _laplacian(p: IJ) -> IJ:
    return p(I + 1) + p(I - 1) + p(J + 1) + p(J - 1) - 4.0 * p


def np_laplacian(p, width=1):
    at = lambda di, dj: inner(p, di, dj, width)
    return at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4 * at(0, 0)


@case
def laplacian_in_the_plane(g):
    return Case(_laplacian, dict(p=g(I, J), out=g(I, J)), lambda p, out: {"out": into(out, np_laplacian(p))},
                domain=_ring(g.size, 1))


@case
def laplacian_with_other_origins(g):
    """Indices of the arguments begin below and above zero."""
    n, m = g.size[I], g.size[J]
    args = dict(p=g(I, J, start=(-3, -2)), out=g(I, J, start=(-3, -2)))
    return Case(_laplacian, args, lambda p, out: {"out": into(out, np_laplacian(p))},
                domain={I: (-2, n - 4), J: (-1, m - 3)})


@case
def laplacian_of_padded_rows(g):
    """Rows lie farther apart than they are long."""
    args = dict(p=g(I, J, padded=3), out=g(I, J, padded=5))
    return Case(_laplacian, args, lambda p, out: {"out": into(out, np_laplacian(p))}, domain=_ring(g.size, 1))


@gtx.field_operator
def _double(p: IJ, q: IJ) -> IJ:
    return 2.0 * p + q


@gtx.program
def _double_program(p: IJ, q: IJ, out: IJ, ni: gtx.int32, nj: gtx.int32):
    _double(p, q, out=out, domain={I: (0, ni), J: (0, nj)})


@case
def origins_known_to_be_zero(g):
    args = dict(p=g(I, J), q=g(I, J), out=g(I, J), ni=g.size[I], nj=g.size[J])
    return Case(_double_program, args, lambda p, q, **_: {"out": 2 * p + q}, options={"use_zero_origin": True})


@gtx.field_operator
def _flux_i(p: IJ, lap: IJ) -> IJ:
    flux = lap(I + 1) - lap
    return where(flux * (p(I + 1) - p) > 0.0, 0.0, flux)


@gtx.field_operator
def _flux_j(p: IJ, lap: IJ) -> IJ:
    flux = lap(J + 1) - lap
    return where(flux * (p(J + 1) - p) > 0.0, 0.0, flux)


@gtx.field_operator
def _limited_diffusion(p: IJ, coefficient: IJ) -> IJ:
    lap = _laplacian(p)
    flux_i, flux_j = _flux_i(p, lap), _flux_j(p, lap)
    return p - coefficient * (flux_i - flux_i(I - 1) + flux_j - flux_j(J - 1))


@case
def diffusion_with_limiter(g):
    def reference(p, coefficient, out):
        lap = np.zeros_like(p)
        lap[1:-1, 1:-1] = np_laplacian(p)

        def flux(axis):
            def difference(a):
                return np.roll(a, -1, axis) - a
            value = difference(lap)
            return np.where(value * difference(p) > 0, 0, value)

        fi, fj = flux(0), flux(1)
        total = fi - np.roll(fi, 1, 0) + fj - np.roll(fj, 1, 1)
        return {"out": into(out, inner(p - coefficient * total, width=2), 2)}

    return Case(_limited_diffusion, dict(p=g(I, J), coefficient=g(I, J), out=g(I, J)), reference,
                domain=_ring(g.size, 2))


@gtx.field_operator
def _upwind(p: IJK, u: IJK, v: IJK, dx: float) -> IJK:
    by_u = where(u > 0.0, u * (p - p(I - 1)), u * (p(I + 1) - p))
    by_v = where(v > 0.0, v * (p - p(J - 1)), v * (p(J + 1) - p))
    return p - (by_u + by_v) / dx


@case
def upwind_in_three_dimensions(g):
    def reference(p, u, v, dx, out):
        at = lambda di, dj: inner(p, di, dj)
        u, v = inner(u), inner(v)
        by_u = np.where(u > 0, u * (at(0, 0) - at(-1, 0)), u * (at(1, 0) - at(0, 0)))
        by_v = np.where(v > 0, v * (at(0, 0) - at(0, -1)), v * (at(0, 1) - at(0, 0)))
        return {"out": into(out, at(0, 0) - (by_u + by_v) / dx)}

    args = dict(p=g(I, J, K), u=g(I, J, K), v=g(I, J, K), dx=0.7, out=g(I, J, K))
    return Case(_upwind, args, reference, domain=_ring(g.size, 1) | {K: (0, g.nk)})


@gtx.field_operator
def _slope(p: IJ) -> IJ:
    left, right = p - p(I - 1), p(I + 1) - p
    smaller = minimum(abs(left), abs(right))
    return where(left * right > 0.0, where(left > 0.0, smaller, -smaller), 0.0)


@case
def minmod_slope(g):
    def reference(p, out):
        left, right = inner(p) - inner(p, -1), inner(p, 1) - inner(p)
        smaller = np.minimum(np.abs(left), np.abs(right))
        return {"out": into(out, np.where(left * right > 0, np.where(left > 0, smaller, -smaller), 0))}

    return Case(_slope, dict(p=g(I, J), out=g(I, J)), reference, domain=_ring(g.size, 1))


@gtx.field_operator
def _with_walls(p: IJ, ni: gtx.int32) -> IJ:
    from_left = concat_where(I == 0, p, p(I - 1))
    from_right = concat_where(I == ni - 1, p, p(I + 1))
    return 0.5 * (from_left + from_right)


@gtx.program
def _with_walls_program(p: IJ, out: IJ, ni: gtx.int32, nj: gtx.int32):
    _with_walls(p, ni, out=out, domain={I: (0, ni), J: (0, nj)})


@case
def walls_at_both_sides(g):
    def reference(p, out, **_):
        left, right = np.concatenate([p[:1], p[:-1]]), np.concatenate([p[1:], p[-1:]])
        return {"out": 0.5 * (left + right)}

    return Case(_with_walls_program, dict(p=g(I, J), out=g(I, J), ni=g.size[I], nj=g.size[J]), reference)


@gtx.field_operator
def _step(p: IJ, dt: float) -> IJ:
    return p + dt * _laplacian(p)


@gtx.program
def _two_steps(p: IJ, between: IJ, dt: float, ni: gtx.int32, nj: gtx.int32):
    _step(p, dt, out=between, domain={I: (1, ni - 1), J: (1, nj - 1)})
    _step(between, dt, out=p, domain={I: (2, ni - 2), J: (2, nj - 2)})


@case
def two_steps_that_swap_fields(g):
    """An argument is read by the first statement and written by the second."""
    def reference(p, between, dt, **_):
        between = into(between, inner(p) + dt * np_laplacian(p))
        return {"p": into(p, inner(between, width=2) + dt * np_laplacian(between, 2), 2), "between": between}

    args = dict(p=g(I, J), between=g(I, J), dt=0.1, ni=g.size[I], nj=g.size[J])
    return Case(_two_steps, args, reference)


@gtx.field_operator
def _smagorinsky(u: IJK, v: IJK, k_weight: KField, limit: float) -> tuple[IJK, IJK]:
    shear = u(J + 1) - u(J - 1) + v(I + 1) - v(I - 1)
    stretch = u(I + 1) - u(I - 1) - v(J + 1) + v(J - 1)
    factor = maximum(0.0, minimum(0.5, (shear**2 + stretch**2) ** 0.5 * k_weight - limit))
    return u + factor * (u(I + 1) - 2.0 * u + u(I - 1)), v + factor * (v(J + 1) - 2.0 * v + v(J - 1))


@case
def diffusion_that_depends_on_the_flow(g):
    def reference(u, v, k_weight, limit, out):
        U, W = (lambda a: lambda di, dj: inner(a, di, dj))(u), (lambda a: lambda di, dj: inner(a, di, dj))(v)
        shear = U(0, 1) - U(0, -1) + W(1, 0) - W(-1, 0)
        stretch = U(1, 0) - U(-1, 0) - W(0, 1) + W(0, -1)
        factor = np.maximum(0, np.minimum(0.5, (shear**2 + stretch**2) ** 0.5 * k_weight - limit))
        return {"out": (into(out[0], U(0, 0) + factor * (U(1, 0) - 2 * U(0, 0) + U(-1, 0))),
                        into(out[1], W(0, 0) + factor * (W(0, 1) - 2 * W(0, 0) + W(0, -1))))}

    args = dict(u=g(I, J, K), v=g(I, J, K), k_weight=g(K, low=0), limit=0.05, out=(g(I, J, K), g(I, J, K)))
    return Case(_smagorinsky, args, reference, domain=_ring(g.size, 1) | {K: (0, g.nk)}, bound=1e-12)
