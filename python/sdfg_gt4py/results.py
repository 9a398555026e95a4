"""Results that are fields without dimensions.

GT4Py passes such a field by value, so what a program writes to it would be lost (as it is with GT4Py's
DaCe backend). Here a program copies it, when it ends, to an array of one element, an argument that
each call reads afterwards.
"""

from __future__ import annotations

from typing import Final

import dace
import numpy as np


_PREFIX: Final = "gt_result_"


def add_results(sdfg: dace.SDFG) -> None:
    written = sorted({
        node.data for state in sdfg.all_states() for node in state.data_nodes()
        if state.in_degree(node) > 0 and isinstance(node.desc(state), dace.data.Scalar)
        and not node.desc(state).transient
    })
    if not written:
        return
    last = sdfg.add_state("gt_results")
    for block in sdfg.sink_nodes():
        if block is not last:
            sdfg.add_edge(block, last, dace.InterstateEdge())
    for name in written:
        array, _ = sdfg.add_array(_PREFIX + name, [1], sdfg.arrays[name].dtype)
        last.add_nedge(last.add_access(name), last.add_access(array), dace.Memlet(f"{array}[0]"))


def results_of(sdfg: dace.SDFG) -> dict[str, tuple[str, np.dtype]]:
    """The arrays that `add_results` made: for which argument each is, and the type of its element."""
    return {name: (name.removeprefix(_PREFIX), desc.dtype.as_numpy_dtype())
            for name, desc in sdfg.arrays.items() if name.startswith(_PREFIX)}
