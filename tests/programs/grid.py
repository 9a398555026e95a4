"""Dimensions, neighbour tables and random fields of the test programs."""

from __future__ import annotations

import dataclasses
import functools
import zlib
from collections.abc import Callable
from typing import Any

import gt4py.next as gtx
import numpy as np
from gt4py.next import common


C, E, V = gtx.Dimension("Cell"), gtx.Dimension("Edge"), gtx.Dimension("Vertex")
I, J = gtx.Dimension("I"), gtx.Dimension("J")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)


def _local(name: str) -> gtx.Dimension:
    return gtx.Dimension(name, kind=gtx.DimensionKind.LOCAL)


C2EDim, C2VDim, C2E2CDim, C2E2CODim = map(_local, ["C2E", "C2V", "C2E2C", "C2E2CO"])
E2CDim, E2VDim, E2C2VDim = map(_local, ["E2C", "E2V", "E2C2V"])
V2CDim, V2EDim = map(_local, ["V2C", "V2E"])
C2E = gtx.FieldOffset("C2E", source=E, target=(C, C2EDim))
C2V = gtx.FieldOffset("C2V", source=V, target=(C, C2VDim))
C2E2C = gtx.FieldOffset("C2E2C", source=C, target=(C, C2E2CDim))
C2E2CO = gtx.FieldOffset("C2E2CO", source=C, target=(C, C2E2CODim))
E2C = gtx.FieldOffset("E2C", source=C, target=(E, E2CDim))
E2V = gtx.FieldOffset("E2V", source=V, target=(E, E2VDim))
E2C2V = gtx.FieldOffset("E2C2V", source=V, target=(E, E2C2VDim))
V2C = gtx.FieldOffset("V2C", source=C, target=(V, V2CDim))
V2E = gtx.FieldOffset("V2E", source=E, target=(V, V2EDim))
Koff = gtx.FieldOffset("Koff", source=K, target=(K,))
OFFSETS = {o.value: o for o in (C2E, C2V, C2E2C, C2E2CO, E2C, E2V, E2C2V, V2C, V2E)}

CField, EField, VField = (gtx.Field[gtx.Dims[d], gtx.float64] for d in (C, E, V))
CK, EK, VK = (gtx.Field[gtx.Dims[d, K], gtx.float64] for d in (C, E, V))
KField = gtx.Field[gtx.Dims[K], gtx.float64]
IJ, IJK = gtx.Field[gtx.Dims[I, J], gtx.float64], gtx.Field[gtx.Dims[I, J, K], gtx.float64]


@dataclasses.dataclass
class Array:
    """An argument: values, and the index of the first element in each dimension.

    `padded` says how many elements lie unused behind each row of the memory it is put into.
    """

    dims: tuple[gtx.Dimension, ...]
    values: np.ndarray
    start: tuple[int, ...] = ()
    padded: int = 0

    def on(self, backend: Any) -> common.Field:
        start = self.start or (0,) * len(self.dims)
        domain = gtx.domain({d: (s, s + n) for d, s, n in zip(self.dims, start, self.values.shape)})
        if not self.padded:
            return gtx.as_field(domain, self.values, allocator=backend)
        padding = [(0, self.padded)] * len(self.dims)
        larger = gtx.as_field(self.dims, np.pad(self.values, padding), allocator=backend)
        view = larger.ndarray[tuple(slice(0, n) for n in self.values.shape)]
        return common._field(view, domain=domain)


@dataclasses.dataclass
class Case:
    """A program, its arguments, and what NumPy says it computes.

    `arguments` has arrays, scalars and tuples of these. `reference` takes them by name (arrays as
    NumPy's) and returns the arrays that change. `static` names arguments known when compiling.
    """

    program: Any
    arguments: dict[str, Any]
    reference: Callable[..., dict[str, Any]]
    domain: dict[gtx.Dimension, tuple[int, int]] | None = None
    bound: float = 1e-13
    static: tuple[str, ...] = ()
    options: dict[str, Any] = dataclasses.field(default_factory=dict)


CASES: dict[str, Callable[[Grid], Case]] = {}


def case(make: Callable[[Grid], Case]) -> Callable[[Grid], Case]:
    assert make.__name__ not in CASES
    CASES[make.__name__] = make
    return make


class Grid:
    """A torus of n x n vertices (2 n n cells, 3 n n edges) with nk levels, and an n x n plane.

    Elements are numbered at random, as they may be in practice. `limited` cuts some neighbours off:
    their table entries are -1.
    """

    def __init__(self, name: str, n: int = 6, nk: int = 10, limited: bool = False) -> None:
        self.n, self.nk = n, nk
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.size = {C: 2 * n * n, E: 3 * n * n, V: n * n, K: nk, I: n + 2, J: n + 3}
        self.tables = self._tables()
        self.size |= {o.target[1]: self.tables[name].shape[1] for name, o in OFFSETS.items()}
        if limited:
            self.missing("C2E2C", "C2E2CO", "C2E", "V2C", "V2E", "E2C")

    def missing(self, *names: str) -> Grid:
        """Takes some neighbours away; the first always stays."""
        for name in names:
            table = self.tables[name]
            table[:, 1:][self.rng.random(table[:, 1:].shape) < 0.25] = -1
        return self

    def _tables(self) -> dict[str, np.ndarray]:
        n = self.n
        i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        number = {d: self.rng.permutation(self.size[d]) for d in (C, E, V)}
        at = lambda di, dj: (i + di) % n * n + (j + dj) % n
        v = lambda *d: number[V][at(*d)]
        e = lambda k, *d: number[E][3 * at(*d) + k]  # k: to the right, upwards, along the diagonal
        c = lambda k, *d: number[C][2 * at(*d) + k]  # k: below and above the diagonal

        def table(dim: gtx.Dimension, *rows: list[np.ndarray]) -> np.ndarray:
            """Rows belong to element len(rows) * vertex + position, before numbering."""
            stacked = np.stack([np.stack(row, axis=1) for row in rows], axis=1)
            flat = stacked.reshape(-1, stacked.shape[2])
            result = np.empty(flat.shape, np.int32)
            result[number[dim]] = flat
            return result

        tables = {
            "C2E": table(C, [e(0, 0, 0), e(1, 1, 0), e(2, 0, 0)], [e(2, 0, 0), e(0, 0, 1), e(1, 0, 0)]),
            "C2V": table(C, [v(0, 0), v(1, 0), v(1, 1)], [v(0, 0), v(1, 1), v(0, 1)]),
            "C2E2C": table(C, [c(1, 0, -1), c(1, 1, 0), c(1, 0, 0)], [c(0, 0, 0), c(0, 0, 1), c(0, -1, 0)]),
            "E2V": table(E, [v(0, 0), v(1, 0)], [v(0, 0), v(0, 1)], [v(0, 0), v(1, 1)]),
            "E2C": table(E, [c(0, 0, 0), c(1, 0, -1)], [c(0, -1, 0), c(1, 0, 0)], [c(0, 0, 0), c(1, 0, 0)]),
            "V2C": table(V, [c(0, 0, 0), c(1, 0, 0), c(0, -1, 0), c(1, -1, -1), c(0, -1, -1), c(1, 0, -1)]),
            "V2E": table(V, [e(0, 0, 0), e(1, 0, 0), e(2, 0, 0), e(0, -1, 0), e(1, 0, -1), e(2, -1, -1)]),
            "E2C2V": table(E, [v(0, 0), v(1, 0), v(1, 1), v(0, -1)], [v(0, 0), v(0, 1), v(-1, 0), v(1, 1)],
                           [v(0, 0), v(1, 1), v(1, 0), v(0, 1)]),
        }
        own = np.arange(self.size[C], dtype=np.int32)[:, None]
        return tables | {"C2E2CO": np.concatenate([own, tables["C2E2C"]], axis=1)}

    def __getattr__(self, name: str) -> np.ndarray:
        """grid.c2e is the table C2E."""
        try:
            return self.__dict__["tables"][name.upper()]
        except KeyError:
            raise AttributeError(name) from None

    def offset_provider(self, backend: Any) -> dict[str, Any]:
        tables = {
            name: gtx.as_connectivity(list(o.target), o.source, self.tables[name], allocator=backend)
            for name, o in OFFSETS.items()
        }
        return tables

    def __call__(self, *dims: gtx.Dimension, dtype: Any = np.float64, low: float = -1.0, high: float = 1.0,
                 start: tuple[int, ...] = (), more: dict[gtx.Dimension, int] | None = None,
                 padded: int = 0) -> Array:
        """A random field; `more` elements than the dimension has."""
        shape = [self.size[d] + (more or {}).get(d, 0) for d in dims]
        if dtype == bool:
            values = self.rng.random(shape) < 0.5
        elif np.issubdtype(dtype, np.integer):
            values = self.rng.integers(int(low), int(high), shape, endpoint=True).astype(dtype)
        else:
            values = self.rng.uniform(low, high, shape).astype(dtype)
        return Array(dims, values, start, padded)


def np_sum(values: np.ndarray, table: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The sum over present neighbours of values[neighbour] * weights, in the order of the table."""
    return functools.reduce(np.add, np_neighbors(values, table, weights, 0.0))


def np_neighbors(values: np.ndarray, table: np.ndarray, weights: np.ndarray | None, absent: Any) -> list:
    column = lambda a: a.reshape(a.shape + (1,) * (values.ndim - 1))
    terms = []
    for k in range(table.shape[1]):
        term = values[table[:, k]]
        if weights is not None:
            term = term * (column(weights[:, k]) if weights.ndim == 2 else weights[:, k])
        terms.append(np.where(column(table[:, k] >= 0), term, absent))
    return terms
