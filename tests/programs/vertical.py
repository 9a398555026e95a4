"""Columns without recurrences: half levels, boundaries, derivatives, and offsets that come from data."""

import gt4py.next as gtx
import numpy as np
from gt4py.next import broadcast, neighbor_sum, where
from gt4py.next.experimental import as_offset, concat_where

from grid import *


@gtx.field_operator
def _to_half_levels(p: CK, weight: CK) -> CK:
    return weight * p + (1.0 - weight) * p(K - 1)


@gtx.program
def _to_half_levels_program(p: CK, weight: CK, out: CK, cells: gtx.int32, nk: gtx.int32):
    _to_half_levels(p, weight, out=out, domain={C: (0, cells), K: (1, nk)})


@case
def interpolation_to_half_levels(g):
    def reference(p, weight, out, **_):
        out[:, 1:] = weight[:, 1:] * p[:, 1:] + (1 - weight[:, 1:]) * p[:, :-1]
        return {"out": out}

    args = dict(p=g(C, K), weight=g(C, K), out=g(C, K), cells=g.size[C], nk=g.nk)
    return Case(_to_half_levels_program, args, reference)


@gtx.field_operator
def _with_boundaries(p: CK, weight: CK, top: CField, bottom: CField, nlev: gtx.int32) -> CK:
    inside = _to_half_levels(p, weight)
    result = concat_where((K > 0) & (K < nlev), inside, 0.0)
    result = concat_where(K == 0, top, result)
    return concat_where(K == nlev, bottom, result)


@gtx.program
def _with_boundaries_program(p: CK, weight: CK, top: CField, bottom: CField, out: CK, cells: gtx.int32,
                             nlev: gtx.int32, end: gtx.int32):
    _with_boundaries(p, weight, top, bottom, nlev, out=out, domain={C: (0, cells), K: (0, end)})


def _boundaries_reference(p, weight, top, bottom, out, **_):
    nlev = p.shape[1]
    out[:, 1:nlev] = weight[:, 1:nlev] * p[:, 1:] + (1 - weight[:, 1:nlev]) * p[:, :-1]
    out[:, 0], out[:, nlev] = top, bottom
    return {"out": out}


@case
def half_levels_with_boundaries(g):
    args = dict(p=g(C, K), weight=g(C, K, more={K: 1}), top=g(C), bottom=g(C), out=g(C, K, more={K: 1}),
                cells=g.size[C], nlev=g.nk, end=g.nk + 1)
    return Case(_with_boundaries_program, args, _boundaries_reference)


@case
def half_levels_with_sizes_known(g):
    args = dict(p=g(C, K), weight=g(C, K, more={K: 1}), top=g(C), bottom=g(C), out=g(C, K, more={K: 1}),
                cells=g.size[C], nlev=g.nk, end=g.nk + 1)
    return Case(_with_boundaries_program, args, _boundaries_reference, static=("cells", "nlev", "end"))


@gtx.field_operator
def _extrapolate(p: CK, a: CField, b: CField, c: CField) -> CK:
    return a * p + b * p(K + 1) + c * p(K + 2)


@gtx.field_operator
def _top_of_column(p: CK, a: CField, b: CField, c: CField) -> CK:
    return concat_where(K == 0, _extrapolate(p, a, b, c), p(K - 1) * 2.0)


@case
def extrapolation_to_the_top(g):
    def reference(p, a, b, c, out):
        out[:, 1:] = p[:, : out.shape[1] - 1] * 2
        out[:, 0] = a * p[:, 0] + b * p[:, 1] + c * p[:, 2]
        return {"out": out}

    return Case(_top_of_column, dict(p=g(C, K), a=g(C), b=g(C), c=g(C), out=g(C, K)), reference)


@gtx.field_operator
def _derivative(p: CK, inverse_dz: CK) -> tuple[CK, CK]:
    return (p(K + 1) - p(K - 1)) * inverse_dz, p(K + 1) - 2.0 * p + p(K - 1)


@gtx.program
def _derivative_program(p: CK, inverse_dz: CK, first: CK, second: CK, cells: gtx.int32, last: gtx.int32):
    _derivative(p, inverse_dz, out=(first, second), domain={C: (0, cells), K: (1, last)})


@case
def derivatives_in_a_column(g):
    def reference(p, inverse_dz, first, second, **_):
        first[:, 1:-1] = (p[:, 2:] - p[:, :-2]) * inverse_dz[:, 1:-1]
        second[:, 1:-1] = p[:, 2:] - 2 * p[:, 1:-1] + p[:, :-2]
        return {"first": first, "second": second}

    args = dict(p=g(C, K), inverse_dz=g(C, K), first=g(C, K), second=g(C, K), cells=g.size[C], last=g.nk - 1)
    return Case(_derivative_program, args, reference)


@gtx.field_operator
def _damping(w: CK, reference_level: KField, coefficient: KField) -> CK:
    return w - coefficient * (w - broadcast(reference_level, (C, K)))


@case
def profile_of_levels(g):
    args = dict(w=g(C, K), reference_level=g(K), coefficient=g(K), out=g(C, K))
    return Case(_damping, args, lambda w, reference_level, coefficient, out: {
        "out": w - coefficient * (w - reference_level)})


@gtx.field_operator
def _below(p: CK, offset: gtx.Field[gtx.Dims[C, K], gtx.int32]) -> CK:
    return p(as_offset(Koff, offset))


def _offsets(g, *dims):
    """Offsets that stay inside the column."""
    array = g(*dims, dtype=np.int32)
    levels = np.arange(g.nk, dtype=np.int32)
    array.values[...] = g.rng.integers(0, g.nk, array.values.shape).astype(np.int32) - levels
    return array


@case
def offsets_from_data(g):
    def reference(p, offset, out):
        return {"out": np.take_along_axis(p, offset + np.arange(p.shape[1]), axis=1)}

    return Case(_below, dict(p=g(C, K), offset=_offsets(g, C, K), out=g(C, K)), reference)


@gtx.field_operator
def _steep_gradient(p: CK, lower: gtx.Field[gtx.Dims[E, K], gtx.int32], correction: EK) -> EK:
    return p(E2C[1])(as_offset(Koff, lower)) - p(E2C[0]) + correction


@case
def gradient_over_steep_slopes(g):
    """A neighbour's value at a level that comes from data."""
    def reference(p, lower, correction, out):
        levels = lower + np.arange(p.shape[1])
        return {"out": np.take_along_axis(p[g.e2c[:, 1]], levels, axis=1) - p[g.e2c[:, 0]] + correction}

    args = dict(p=g(C, K), lower=_offsets(g, E, K), correction=g(E, K), out=g(E, K))
    return Case(_steep_gradient, args, reference)


@gtx.field_operator
def _terrain(vn: EK, flat: EK, levels: gtx.Field[gtx.Dims[K], gtx.int32], first: gtx.int32) -> EK:
    return where(levels < first, vn, flat * 2.0 + vn)


@case
def choice_by_a_field_of_indices(g):
    def reference(vn, flat, levels, first, out):
        return {"out": np.where(levels < first, vn, flat * 2 + vn)}

    levels = Array((K,), np.arange(g.nk, dtype=np.int32))
    args = dict(vn=g(E, K), flat=g(E, K), levels=levels, first=np.int32(4), out=g(E, K))
    return Case(_terrain, args, reference)


@gtx.field_operator
def _three_regions(p: CK, lower: gtx.int32, upper: gtx.int32) -> CK:
    return concat_where(K < lower, p * 2.0, concat_where(K < upper, p(K + 1) - p(K - 1), -p))


@gtx.program
def _three_regions_program(p: CK, out: CK, lower: gtx.int32, upper: gtx.int32, cells: gtx.int32, nk: gtx.int32):
    _three_regions(p, lower, upper, out=out, domain={C: (0, cells), K: (0, nk)})


@case
def three_regions_of_levels(g):
    def reference(p, out, lower, upper, **_):
        out[:, :lower] = 2 * p[:, :lower]
        out[:, lower:upper] = p[:, lower + 1 : upper + 1] - p[:, lower - 1 : upper - 1]
        out[:, upper:] = -p[:, upper:]
        return {"out": out}

    args = dict(p=g(C, K), out=g(C, K), lower=3, upper=7, cells=g.size[C], nk=g.nk)
    return Case(_three_regions_program, args, reference)


@gtx.field_operator
def _edge_regions(vn: EK, p: CK, start: gtx.int32) -> EK:
    return concat_where(E >= start, p(E2C[1]) - p(E2C[0]), vn)


@gtx.program
def _edge_regions_program(vn: EK, p: CK, out: EK, start: gtx.int32, edges: gtx.int32, nk: gtx.int32):
    _edge_regions(vn, p, start, out=out, domain={E: (0, edges), K: (0, nk)})


@case
def interior_and_boundary_edges(g):
    """concat_where along the horizontal dimension."""
    def reference(vn, p, out, start, **_):
        gradient = p[g.e2c[:, 1]] - p[g.e2c[:, 0]]
        return {"out": np.concatenate([vn[:start], gradient[start:]])}

    args = dict(vn=g(E, K), p=g(C, K), out=g(E, K), start=20, edges=g.size[E], nk=g.nk)
    return Case(_edge_regions_program, args, reference)


@gtx.field_operator
def _advect(w: CK, rho: CK, geofac: gtx.Field[gtx.Dims[C, C2EDim], gtx.float64], vn: EK) -> CK:
    half = 0.5 * (rho + rho(K - 1))
    flux = half * w
    return (flux - flux(K + 1)) + neighbor_sum(vn(C2E) * geofac, axis=C2EDim)


@gtx.program
def _advect_program(w: CK, rho: CK, geofac: gtx.Field[gtx.Dims[C, C2EDim], gtx.float64], vn: EK, out: CK,
                    cells: gtx.int32, last: gtx.int32):
    _advect(w, rho, geofac, vn, out=out, domain={C: (0, cells), K: (1, last)})


@case
def vertical_and_horizontal_fluxes(g):
    def reference(w, rho, geofac, vn, out, **_):
        flux = 0.5 * (rho[:, 1:] + rho[:, :-1]) * w[:, 1:]
        out[:, 1:-1] = (flux[:, :-1] - flux[:, 1:]) + np_sum(vn, g.c2e, geofac)[:, 1:-1]
        return {"out": out}

    args = dict(w=g(C, K), rho=g(C, K), geofac=g(C, C2EDim), vn=g(E, K), out=g(C, K),
                cells=g.size[C], last=g.nk - 1)
    return Case(_advect_program, args, reference)
