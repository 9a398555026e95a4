#!/usr/bin/env python3
"""The time step of the example in NumPy, written without a look at the SDFG.

Without arguments: writes data.npz with the arguments before (in:) and after (out:) the step. With
--check: computes the results again and says whether data.npz holds the same bits.
"""

import argparse
import pathlib
import sys

import numpy as np

SIDE, LEVELS = 6, 20


def torus(n):
    """Cells of edges and edges of cells of a doubly periodic grid of 2 n^2 triangles.

    Vertex (i, j) owns three edges, towards (i+1, j), towards (i, j+1), and across between those two,
    and two cells: the one it spans with these two vertices, and the one beyond the edge across.
    """
    def edge(kind, i, j):
        return 3 * ((i % n) * n + j % n) + kind

    def cell(kind, i, j):
        return 2 * ((i % n) * n + j % n) + kind

    e2c = np.zeros((3 * n * n, 2), np.int32)
    c2e = np.zeros((2 * n * n, 3), np.int32)
    for i in range(n):
        for j in range(n):
            e2c[edge(0, i, j)] = cell(0, i, j), cell(1, i, j - 1)
            e2c[edge(1, i, j)] = cell(0, i, j), cell(1, i - 1, j)
            e2c[edge(2, i, j)] = cell(0, i, j), cell(1, i, j)
            c2e[cell(0, i, j)] = edge(0, i, j), edge(1, i, j), edge(2, i, j)
            c2e[cell(1, i, j)] = edge(1, i + 1, j), edge(0, i, j + 1), edge(2, i, j)
    for c, edges in enumerate(c2e):
        assert all(c in e2c[e] for e in edges)
    return e2c, c2e


def arguments():
    random = np.random.default_rng(1)
    e2c, c2e = torus(SIDE)
    edges, cells = len(e2c), len(c2e)
    return {
        "n_cells": np.int64(cells), "n_edges": np.int64(edges), "n_levels": np.int64(LEVELS),
        "limited_area": np.int64(0),
        "e2c": e2c, "c2e": c2e, "dt": np.float64(0.25),
        "inverse_length": random.uniform(0.5, 2, edges),
        "geofac_div": random.uniform(-1, 1, (cells, 3)),
        "gamma": random.uniform(0, 3, cells),
        "pressure": random.uniform(0.9, 1.1, (cells, LEVELS)),
        "vn": random.normal(0, 10, (edges, LEVELS)),
        "w": random.normal(0, 1, (cells, LEVELS)),
        # Only written; what is in it before must not matter.
        "w_surface": random.normal(0, 1, cells),
    }


def step(e2c, c2e, dt, inverse_length, geofac_div, gamma, pressure, vn, w, **_):
    """The wind along edges, the wind upwards, and the latter at the surface."""
    gradient = (pressure[e2c[:, 1]] - pressure[e2c[:, 0]]) * inverse_length[:, None]
    vn = vn - dt * gradient
    div = (vn[c2e[:, 0]] * geofac_div[:, 0, None] + vn[c2e[:, 1]] * geofac_div[:, 1, None]
           + vn[c2e[:, 2]] * geofac_div[:, 2, None])

    w = w.copy()
    c, d = np.empty_like(w), np.empty_like(w)
    diagonal = 1.0 + 2.0 * gamma
    c[:, 0] = -gamma / diagonal
    d[:, 0] = (w[:, 0] - dt * div[:, 0]) / diagonal
    for k in range(1, LEVELS):
        pivot = diagonal + gamma * c[:, k - 1]
        c[:, k] = -gamma / pivot
        d[:, k] = (w[:, k] - dt * div[:, k] + gamma * d[:, k - 1]) / pivot
    w[:, -1] = d[:, -1]
    for k in reversed(range(LEVELS - 1)):
        w[:, k] = d[:, k] - c[:, k] * w[:, k + 1]
    return {"vn": vn, "w": w, "w_surface": w[:, -1].copy()}


def solves_the_system(before, after):
    """Puts the solution into the equation that it is to solve."""
    e2c, c2e, g, w = before["e2c"], before["c2e"], before["gamma"][:, None], after["w"]
    div = sum(after["vn"][c2e[:, i]] * before["geofac_div"][:, i, None] for i in range(3))
    left = (1 + 2 * g) * w
    left[:, 1:] -= g * w[:, :-1]
    left[:, :-1] -= g * w[:, 1:]
    return np.allclose(left, before["w"] - before["dt"] * div, rtol=1e-12, atol=1e-12)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    path = pathlib.Path(__file__).resolve().parent / "data.npz"
    before = arguments()
    after = step(**before)
    assert solves_the_system(before, after)
    if not parser.parse_args().check:
        np.savez_compressed(path, **{f"in:{name}": value for name, value in before.items()},
                            **{f"out:{name}": value for name, value in after.items()})
        return 0
    with np.load(path) as recorded:
        again = step(**{name[3:]: recorded[name] for name in recorded if name.startswith("in:")})
        wrong = [name for name in after if again[name].tobytes() != recorded[f"out:{name}"].tobytes()]
    print("data.npz: " + ("other bits in " + ", ".join(wrong) if wrong else
                          "NumPy gives the recorded results bit for bit"))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
