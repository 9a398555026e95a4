"""What the versions of GT4Py that this backend works with (1.2.1 to 1.2.3) call by different names."""

from __future__ import annotations

import warnings
from typing import Any

from gt4py.next import backend as gtx_backend
from gt4py.next.program_processors.runners.dace import lowering
from gt4py.next.program_processors.runners.dace.workflow import backend as gtx_wfdbackend


try:
    from gt4py.next.otf.workflow import ConcreteArtifact as ConcreteProgram
except ImportError:  # until 1.2.2
    from gt4py.next.otf.toolchain import ConcreteArtifact as ConcreteProgram

try:
    lower_program = lowering.lower_program_to_sdfg
except AttributeError:  # 1.2.1
    lower_program = lowering.build_sdfg_from_gtir


def make_dace_backend(**options: Any) -> gtx_backend.Backend:
    """GT4Py's own. 1.2.3 wants the same settings in another form, which the older ones do not have."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'make_dace_backend' is deprecated", DeprecationWarning)
        return gtx_wfdbackend.make_dace_backend(**options)


__all__ = ["ConcreteProgram", "lower_program", "make_dace_backend"]
