"""Recorded programs on bigger grids: a periodic n x n triangular grid has 2n^2 cells, 3n^2 edges and n^2 vertices."""
import gzip, json, math, re

import numpy as np

SMALL = {18: "cells", 27: "edges", 9: "vertices"}  # of the grid that the corpus was recorded on


def torus(n):
    """Neighbour tables of a periodic n x n triangular grid: 2 cells and 3 edges per vertex."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    vertex = lambda a, b: (a % n) * n + b % n
    cell = lambda a, b, up: 2 * vertex(a, b) + (0 if up else 1)
    edge = lambda a, b, kind: 3 * vertex(a, b) + kind  # along i, along j, across

    def table(count, rows):
        out = np.empty((count, len(rows[0][1])), np.int32)
        for index, columns in rows:
            out[index] = np.stack(columns, 1)
        return out

    up, down = cell(i, j, True), cell(i, j, False)
    e0, e1, e2 = (edge(i, j, k) for k in range(3))
    t = {}
    t["C2E"] = table(2 * n * n, [(up, (e0, e1, e2)), (down, (edge(i, j + 1, 0), edge(i + 1, j, 1), e2))])
    t["C2V"] = table(2 * n * n, [(up, (vertex(i, j), vertex(i + 1, j), vertex(i, j + 1))),
                                 (down, (vertex(i + 1, j + 1), vertex(i, j + 1), vertex(i + 1, j)))])
    t["E2V"] = table(3 * n * n, [(e0, (vertex(i, j), vertex(i + 1, j))), (e1, (vertex(i, j), vertex(i, j + 1))),
                                 (e2, (vertex(i + 1, j), vertex(i, j + 1)))])
    t["E2C"] = table(3 * n * n, [(e0, (up, cell(i, j - 1, False))), (e1, (up, cell(i - 1, j, False))), (e2, (up, down))])
    t["V2E"] = table(n * n, [(vertex(i, j), (e0, e1, edge(i - 1, j, 0), edge(i, j - 1, 1), edge(i - 1, j, 2), edge(i, j - 1, 2)))])
    t["V2C"] = table(n * n, [(vertex(i, j), (up, cell(i, j - 1, False), cell(i - 1, j, True), cell(i - 1, j, False),
                                             cell(i, j - 1, True), cell(i - 1, j - 1, False)))])
    cells, edges = np.arange(2 * n * n), np.arange(3 * n * n)
    sides = t["E2C"][t["C2E"]]
    t["C2E2C"] = np.where(sides[:, :, 0] == cells[:, None], sides[:, :, 1], sides[:, :, 0])
    around = [t["C2E"][t["E2C"][:, s]] for s in (0, 1)]
    t["E2C2E"] = np.concatenate([a[a != edges[:, None]].reshape(-1, 2) for a in around], 1)
    corners = [t["C2V"][t["E2C"][:, s]] for s in (0, 1)]
    ends = t["E2V"]
    far = [c[(c != ends[:, :1]) & (c != ends[:, 1:])].reshape(-1, 1) for c in corners]
    t["E2C2V"] = np.concatenate([ends, *far], 1)
    t["C2E2CO"] = np.concatenate([cells[:, None], t["C2E2C"]], 1)
    t["E2C2EO"] = np.concatenate([edges[:, None], t["E2C2E"]], 1)
    t["C2E2C2E"] = t["C2E"][t["C2E2C"]].reshape(-1, 9)
    t["C2E2C2E2C"] = np.concatenate([t["C2E2C"], t["C2E2C"][t["C2E2C"]].reshape(-1, 9)[:, :6]], 1)
    return {name: np.asfortranarray(a, np.int32) for name, a in t.items()}


def read_recorded(path):
    return {key.removeprefix("in:"): value for key, value in np.load(path).items() if key.startswith("in:")}


def scaled_shape(name, array, n, tables):
    sizes = {18: 2 * n * n, 27: 3 * n * n, 9: n * n}
    if name.startswith("gt_conn_"):
        table = tables[name.removeprefix("gt_conn_")]
        assert table.shape[1:] == array.shape[1:], name
        return table.shape
    return (sizes.get(array.shape[0], array.shape[0]), *array.shape[1:])


def scale_numbers(recorded, n, tables):
    """Numbers among the recorded arguments: horizontal extents grow, and strides follow the arrays."""
    sizes = {"cells": 2 * n * n, "edges": 3 * n * n, "vertices": n * n}
    horizontal = ("Cell_range", "Edge_range", "Vertex_range", "source_size")
    numbers = {}
    for name, value in recorded.items():
        if value.ndim:
            continue
        numbers[name] = number = value.item()
        words = horizontal if name.startswith("__") else ("horizontal", "horz", "cell", "edge", "vertex")
        if type(number) is int and number in SMALL and any(w in name for w in words):
            numbers[name] = sizes[SMALL[number]]
    arrays = [name for name, value in recorded.items() if value.ndim]
    for name in numbers:
        if name.endswith("_stride"):
            of = max((a for a in arrays if name.startswith(f"__{a}_")), key=len)
            dimension = [s // recorded[of].itemsize for s in recorded[of].strides].index(recorded[name])
            numbers[name] = math.prod(scaled_shape(of, recorded[of], n, tables)[:dimension])
    return numbers


def scale(path, n, tables=None, xp=np):
    """{name: array or number}: the recorded arguments on the bigger grid; arrays of NumPy, or of `xp`."""
    tables, recorded = tables or torus(n), read_recorded(path)
    values = {}
    for name, value in recorded.items():
        if value.ndim and name.startswith("gt_conn_"):
            values[name] = xp.asarray(tables[name.removeprefix("gt_conn_")], order="F")
        elif value.ndim:
            count = scaled_shape(name, value, n, tables)[0]
            values[name] = xp.asfortranarray(xp.asarray(value))
            if count != value.shape[0]:
                big = xp.asfortranarray(xp.take(xp.asarray(value), xp.arange(count) % value.shape[0], axis=0))
                if big.dtype.kind == "f":  # no two columns alike
                    big *= (1 + 1e-3 * xp.sin(xp.arange(count))).reshape((-1,) + (1,) * (big.ndim - 1))
                values[name] = big
    return values | scale_numbers(recorded, n, tables)


def scale_graph(path, out, n, tables):
    """Writes the graph with the small grid's sizes, which GT4Py bakes into temporaries, replaced."""
    text = path.read_bytes()
    graph = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
    sizes = {18: 2 * n * n, 27: 3 * n * n}
    if not any(table.shape[1] == 9 for table in tables):  # else 9 is a number of neighbours as well
        sizes[9] = n * n
    last = {small - 1: big - 1 for small, big in sizes.items()}

    def replaced(value, key):
        if isinstance(value, dict):
            inherited = "shape" if key == "symbol_mapping" else None
            return {k: replaced(v, inherited or k) for k, v in value.items()}
        if isinstance(value, list):
            return [replaced(v, key) for v in value]
        if not isinstance(value, str) or key not in ("start", "end", "shape", "strides", "total_size"):
            return value
        if key == "end" and value.isdigit():
            return str(last.get(int(value), int(value)))
        return re.sub(r"(?<![\w.])(\d+)(?![\w.])", lambda m: str(sizes.get(int(m[1]), int(m[1]))), value)

    out.write_text(json.dumps(replaced(graph, "")))
