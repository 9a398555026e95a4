"""Programs on an unstructured torus: neighbour sums, gradients, divergence, curl, and chains of them."""

import functools

import gt4py.next as gtx
import numpy as np
from gt4py.next import max_over, maximum, min_over, minimum, neighbor_sum, where

from grid import *


def _weights(local, dim):
    return gtx.Field[gtx.Dims[dim, local], gtx.float64]


CxC2E, ExE2C, VxV2E = _weights(C2EDim, C), _weights(E2CDim, E), _weights(V2EDim, V)
VxV2C, CxC2E2CO, ExE2C2V = _weights(V2CDim, V), _weights(C2E2CODim, C), _weights(E2C2VDim, E)


@gtx.field_operator
def _divergence(vn: EK, geofac: CxC2E) -> CK:
    return neighbor_sum(vn(C2E) * geofac, axis=C2EDim)


@case
def divergence(g):
    args = dict(vn=g(E, K), geofac=g(C, C2EDim), out=g(C, K))
    return Case(_divergence, args, lambda vn, geofac, out: {"out": np_sum(vn, g.c2e, geofac)})


@gtx.field_operator
def _gradient(p: CK, inverse_length: EField) -> EK:
    return (p(E2C[1]) - p(E2C[0])) * inverse_length


@case
def gradient(g):
    args = dict(p=g(C, K), inverse_length=g(E), out=g(E, K))
    return Case(_gradient, args, lambda p, inverse_length, out: {
        "out": (p[g.e2c[:, 1]] - p[g.e2c[:, 0]]) * inverse_length[:, None]})


@gtx.field_operator
def _curl(vn: EK, geofac: VxV2E) -> VK:
    return neighbor_sum(vn(V2E) * geofac, axis=V2EDim)


@case
def curl(g):
    args = dict(vn=g(E, K), geofac=g(V, V2EDim), out=g(V, K))
    return Case(_curl, args, lambda vn, geofac, out: {"out": np_sum(vn, g.v2e, geofac)})


@gtx.field_operator
def _vertex_mean(p: CK) -> VK:
    return neighbor_sum(p(V2C), axis=V2CDim) / 6.0


@case
def vertex_mean(g):
    return Case(_vertex_mean, dict(p=g(C, K), out=g(V, K)), lambda p, out: {"out": np_sum(p, g.v2c) / 6})


@gtx.field_operator
def _laplacian(p: CK, inverse_length: EField, geofac: CxC2E) -> CK:
    return neighbor_sum(_gradient(p, inverse_length)(C2E) * geofac, axis=C2EDim)


@case
def laplacian(g):
    def reference(p, inverse_length, geofac, out):
        gradient = (p[g.e2c[:, 1]] - p[g.e2c[:, 0]]) * inverse_length[:, None]
        return {"out": np_sum(gradient, g.c2e, geofac)}

    args = dict(p=g(C, K), inverse_length=g(E), geofac=g(C, C2EDim), out=g(C, K))
    return Case(_laplacian, args, reference)


@gtx.field_operator
def _smooth(p: CK, weights: CxC2E2CO) -> CK:
    return neighbor_sum(p(C2E2CO) * weights, axis=C2E2CODim)


@gtx.field_operator
def _smooth_twice(p: CK, weights: CxC2E2CO) -> CK:
    return _smooth(_smooth(p, weights), weights)


@case
def smoothing_twice(g):
    def reference(p, weights, out):
        return {"out": np_sum(np_sum(p, g.c2e2co, weights), g.c2e2co, weights)}

    return Case(_smooth_twice, dict(p=g(C, K), weights=g(C, C2E2CODim), out=g(C, K)), reference)


@case
def smoothing_at_a_border(g):
    """Neighbours are missing."""
    g.missing("C2E2CO")
    args = dict(p=g(C, K), weights=g(C, C2E2CODim), out=g(C, K))
    return Case(_smooth, args, lambda p, weights, out: {"out": np_sum(p, g.c2e2co, weights)})


@gtx.field_operator
def _range_of_neighbors(p: CK) -> tuple[CK, CK]:
    return max_over(p(C2E2C), axis=C2E2CDim), min_over(p(C2E2C), axis=C2E2CDim)


def _range_reference(g):
    def reference(p, out):
        high = functools.reduce(np.maximum, np_neighbors(p, g.c2e2c, None, -np.inf))
        low = functools.reduce(np.minimum, np_neighbors(p, g.c2e2c, None, np.inf))
        return {"out": (high, low)}

    return reference


@case
def largest_and_smallest_neighbor(g):
    args = dict(p=g(C, K), out=(g(C, K), g(C, K)))
    return Case(_range_of_neighbors, args, _range_reference(g))


@case
def largest_and_smallest_at_a_border(g):
    g.missing("C2E2C")
    args = dict(p=g(C, K), out=(g(C, K), g(C, K)))
    return Case(_range_of_neighbors, args, _range_reference(g))


@gtx.field_operator
def _rhombus(u: VK, v: VK, nx: ExE2C2V, ny: ExE2C2V, vn: EK, inverse_length: EField) -> EK:
    along = (
        u(E2C2V[0]) * nx[E2C2VDim(0)] + v(E2C2V[0]) * ny[E2C2VDim(0)]
        + u(E2C2V[1]) * nx[E2C2VDim(1)] + v(E2C2V[1]) * ny[E2C2VDim(1)]
    )
    across = (
        u(E2C2V[2]) * nx[E2C2VDim(2)] + v(E2C2V[2]) * ny[E2C2VDim(2)]
        + u(E2C2V[3]) * nx[E2C2VDim(3)] + v(E2C2V[3]) * ny[E2C2VDim(3)]
    )
    return 4.0 * (along - 2.0 * vn) * inverse_length**2 + 4.0 * (across - 2.0 * vn)


@case
def second_derivative_in_a_rhombus(g):
    def reference(u, v, nx, ny, vn, inverse_length, out):
        at = lambda k: u[g.e2c2v[:, k]] * nx[:, k, None] + v[g.e2c2v[:, k]] * ny[:, k, None]
        along, across = at(0) + at(1), at(2) + at(3)
        inverse_length = inverse_length[:, None]
        return {"out": 4 * (along - 2 * vn) * inverse_length**2 + 4 * (across - 2 * vn)}

    args = dict(u=g(V, K), v=g(V, K), nx=g(E, E2C2VDim), ny=g(E, E2C2VDim), vn=g(E, K),
                inverse_length=g(E), out=g(E, K))
    return Case(_rhombus, args, reference, bound=1e-12)


@gtx.field_operator
def _vertex_to_cell(p: VK) -> CK:
    on_edges = 0.5 * (p(E2V[0]) + p(E2V[1]))
    return neighbor_sum(on_edges(C2E), axis=C2EDim)


@case
def vertex_to_edge_to_cell(g):
    def reference(p, out):
        return {"out": np_sum(0.5 * (p[g.e2v[:, 0]] + p[g.e2v[:, 1]]), g.c2e)}

    return Case(_vertex_to_cell, dict(p=g(V, K), out=g(C, K)), reference)


@gtx.field_operator
def _kinetic_energy(vn: EK, vt: EK, weights: CxC2E) -> tuple[CK, EK]:
    energy = 0.5 * (vn * vn + vt * vt)
    return neighbor_sum(energy(C2E) * weights, axis=C2EDim), energy


@gtx.program
def _kinetic_energy_program(vn: EK, vt: EK, weights: CxC2E, on_cells: CK, on_edges: EK, cells: gtx.int32,
                            edges: gtx.int32, nk: gtx.int32):
    _kinetic_energy(vn, vt, weights, out=(on_cells, on_edges),
                    domain=({C: (0, cells), K: (0, nk)}, {E: (0, edges), K: (0, nk)}))


@case
def kinetic_energy_on_cells_and_edges(g):
    def reference(vn, vt, weights, **_):
        energy = 0.5 * (vn * vn + vt * vt)
        return {"on_cells": np_sum(energy, g.c2e, weights), "on_edges": energy}

    args = dict(vn=g(E, K), vt=g(E, K), weights=g(C, C2EDim), on_cells=g(C, K), on_edges=g(E, K),
                cells=g.size[C], edges=g.size[E], nk=g.nk)
    return Case(_kinetic_energy_program, args, reference)


@gtx.field_operator
def _flux_correction(p: CK, flux: EK, geofac: CxC2E) -> EK:
    """Fluxes are scaled so that no cell gets new extrema (after Zalesak)."""
    high = maximum(p, max_over(p(C2E2C), axis=C2E2CDim))
    low = minimum(p, min_over(p(C2E2C), axis=C2E2CDim))
    incoming = neighbor_sum(maximum(0.0, flux(C2E) * geofac), axis=C2EDim)
    outgoing = neighbor_sum(minimum(0.0, flux(C2E) * geofac), axis=C2EDim)
    gain = minimum(1.0, (high - p) / (incoming + 1.0e-12))
    loss = minimum(1.0, (low - p) / (outgoing - 1.0e-12))
    return flux * where(flux > 0.0, minimum(gain(E2C[1]), loss(E2C[0])), minimum(gain(E2C[0]), loss(E2C[1])))


@case
def flux_correction(g):
    def reference(p, flux, geofac, out):
        high = functools.reduce(np.maximum, np_neighbors(p, g.c2e2c, None, 0), p)
        low = functools.reduce(np.minimum, np_neighbors(p, g.c2e2c, None, 0), p)
        terms = np_neighbors(flux, g.c2e, geofac, 0)
        incoming = functools.reduce(np.add, [np.maximum(0, t) for t in terms])
        outgoing = functools.reduce(np.add, [np.minimum(0, t) for t in terms])
        gain = np.minimum(1, (high - p) / (incoming + 1e-12))
        loss = np.minimum(1, (low - p) / (outgoing - 1e-12))
        first, second = g.e2c[:, 0], g.e2c[:, 1]
        scale = np.where(flux > 0, np.minimum(gain[second], loss[first]), np.minimum(gain[first], loss[second]))
        return {"out": flux * scale}

    return Case(_flux_correction, dict(p=g(C, K), flux=g(E, K), geofac=g(C, C2EDim), out=g(E, K)), reference)


@gtx.field_operator
def _upwind(p: CK, vn: EK) -> EK:
    return vn * where(vn > 0.0, p(E2C[0]), p(E2C[1]))


@gtx.program
def _upwind_band(p: CK, vn: EK, flux: EK, first: gtx.int32, last: gtx.int32, top: gtx.int32, bottom: gtx.int32):
    _upwind(p, vn, out=flux, domain={E: (first, last), K: (top, bottom)})


@case
def upwind_flux_in_a_part_of_the_domain(g):
    def reference(p, vn, flux, first, last, top, bottom):
        result = flux.copy()
        part = np.s_[first:last, top:bottom]
        result[part] = (vn * np.where(vn > 0, p[g.e2c[:, 0]], p[g.e2c[:, 1]]))[part]
        return {"flux": result}

    args = dict(p=g(C, K), vn=g(E, K), flux=g(E, K), first=5, last=g.size[E] - 7, top=2, bottom=g.nk - 1)
    return Case(_upwind_band, args, reference)


@gtx.field_operator
def _horizontal_only(p: CField, weights: VxV2C) -> VField:
    return neighbor_sum(p(V2C) * weights, axis=V2CDim)


@case
def without_levels(g):
    args = dict(p=g(C), weights=g(V, V2CDim), out=g(V))
    return Case(_horizontal_only, args, lambda p, weights, out: {"out": np_sum(p, g.v2c, weights)})


@gtx.field_operator
def _sum_of_weights(weights: CxC2E, area: CField) -> CField:
    return neighbor_sum(weights, axis=C2EDim) * area


@case
def sum_of_coefficients(g):
    """No neighbour is read: the sum is over an argument's own dimension."""
    args = dict(weights=g(C, C2EDim), area=g(C), out=g(C))
    return Case(_sum_of_weights, args, lambda weights, area, out: {"out": weights.sum(axis=1) * area})


@gtx.field_operator
def _border_divergence(vn: EK, geofac: CxC2E, inner: gtx.Field[gtx.Dims[C], bool]) -> CK:
    return where(inner, neighbor_sum(vn(C2E) * geofac, axis=C2EDim), 0.0)


@case
def divergence_inside_a_mask(g):
    g.missing("C2E")
    args = dict(vn=g(E, K), geofac=g(C, C2EDim), inner=g(C, dtype=bool), out=g(C, K))
    return Case(_border_divergence, args, lambda vn, geofac, inner, out: {
        "out": np.where(inner[:, None], np_sum(vn, g.c2e, geofac), 0)})
