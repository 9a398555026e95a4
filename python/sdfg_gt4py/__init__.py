"""A GT4Py backend: lowering by GT4Py, optimization by sdfg-opt, code by sdfg-opt or DaCe.

    import sdfg_gt4py
    backend = sdfg_gt4py.make_backend(device="cpu")
    program.with_backend(backend)(…)

docs/gt4py.md says what changes for programs that ran with GT4Py's DaCe backend.
"""

from sdfg_gt4py.backend import make_backend
from sdfg_gt4py.cache import CacheError
from sdfg_gt4py.calls import ArgumentError
from sdfg_gt4py.inspection import Look, look
from sdfg_gt4py.languages import CompilerError
from sdfg_gt4py.options import UnsupportedOption
from sdfg_gt4py.tool import SdfgOptError, Tool, ToolNotFound, find_tool


__all__ = [
    "ArgumentError",
    "CacheError",
    "CompilerError",
    "Look",
    "SdfgOptError",
    "Tool",
    "ToolNotFound",
    "UnsupportedOption",
    "find_tool",
    "look",
    "make_backend",
]
