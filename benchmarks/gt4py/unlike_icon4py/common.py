"""What the programs of this folder have in common: GT4Py's names, more field types, cases."""

import dataclasses
import functools
import pathlib
import sys
from typing import Any, NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "programs"))

import gt4py.next as gtx
import numpy as np
from gt4py.next import *
from gt4py.next import (
    abs, arccos, arcsin, arctan, astype, broadcast, cbrt, ceil, cos, cosh, exp, float32, float64, floor, fmod, int32,
    int64, isfinite, isnan, log, max_over, maximum, min_over, minimum, neighbor_sum, power, sin, sinh, sqrt, tan, tanh,
    trunc, where,
)
from gt4py.next.experimental import as_offset, concat_where
from grid import *

T = lambda dims, t: gtx.Field[gtx.Dims[dims], t]
CInt, EInt, VInt = (gtx.Field[gtx.Dims[d], int32] for d in (C, E, V))
CBool, EBool, VBool = (gtx.Field[gtx.Dims[d], bool] for d in (C, E, V))
KInt = gtx.Field[gtx.Dims[K], int32]
KBool = gtx.Field[gtx.Dims[K], bool]
CKInt, EKInt, VKInt = (gtx.Field[gtx.Dims[d, K], int32] for d in (C, E, V))
CKLong, EKLong, VKLong = (gtx.Field[gtx.Dims[d, K], int64] for d in (C, E, V))
CKSingle, EKSingle, VKSingle = (gtx.Field[gtx.Dims[d, K], float32] for d in (C, E, V))
CKBool, EKBool, VKBool = (gtx.Field[gtx.Dims[d, K], bool] for d in (C, E, V))
CxC2E, CxC2E2CO, CxC2E2C = (gtx.Field[gtx.Dims[C, d], float64] for d in (C2EDim, C2E2CODim, C2E2CDim))
ExE2C, ExE2V, ExE2C2V = (gtx.Field[gtx.Dims[E, d], float64] for d in (E2CDim, E2VDim, E2C2VDim))
VxV2E, VxV2C = (gtx.Field[gtx.Dims[V, d], float64] for d in (V2EDim, V2CDim))
IJInt = gtx.Field[gtx.Dims[I, J], int32]
IJBool = gtx.Field[gtx.Dims[I, J], bool]
IJKBool = gtx.Field[gtx.Dims[I, J, K], bool]

CASES = {}


def case(make):
    """A function from a grid to a P; its name is the case's."""
    assert make.__name__ not in CASES
    CASES[make.__name__] = make
    return make


@dataclasses.dataclass
class P:
    """A program with arguments. `embedded`: GT4Py's embedded mode can run it, and says what is right.
    `static` names arguments known when compiling."""

    program: Any
    args: dict
    domain: Any = None
    embedded: bool = True
    static: tuple = ()
    options: dict = dataclasses.field(default_factory=dict)
    bound: float = 1e-12

def lev(g, n=None):
    return Array((K,), np.arange(g.nk if n is None else n, dtype=np.int32))

def offsets(g, *dims):
    a = g(*dims, dtype=np.int32)
    a.values[...] = g.rng.integers(0, g.nk, a.values.shape).astype(np.int32) - np.arange(g.nk, dtype=np.int32)
    return a
