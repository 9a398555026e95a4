"""GT4Py's `optimization_args` as options of `sdfg-opt --gt4py`."""

from __future__ import annotations

import difflib
import enum
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

from gt4py.next.program_processors.runners.dace import transformations as gtx_transformations
from gt4py.next.program_processors.runners.dace.lowering import gtir_to_sdfg_utils


class UnsupportedOption(ValueError):
    """An optimization argument that cannot be honoured; the message says what to do instead."""


def _boolean(value: Any) -> str:
    return "true" if value else "false"


def _member(value: Any) -> str:
    """A member of an enumeration, or its name, as sdfg-opt spells it."""
    return str(value.name if isinstance(value, enum.Enum) else value).lower()


def _number(value: Any) -> str:
    return str(value)


def _block_size(value: Any) -> str:
    words = value.split(",") if isinstance(value, str) else value
    return ",".join(str(int(word)) for word in words)


def _dimensions(value: Any) -> str:
    return ",".join(gtir_to_sdfg_utils.get_map_variable(dim) for dim in value)


# How each argument is written; None stands for "not given" with all of them.
_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    "assume_pointwise": _boolean,
    "blocking_dims": _dimensions,
    "blocking_independent_node_threshold": _number,
    "blocking_only_if_independent_nodes": _boolean,
    "blocking_size": _number,
    "disable_splitting": _boolean,
    "fuse_tasklets": _boolean,
    "gpu_block_size": _block_size,
    "gpu_block_size_1d": _block_size,
    "gpu_block_size_2d": _block_size,
    "gpu_block_size_3d": _block_size,
    "gpu_launch_bounds": _number,
    "gpu_launch_factor": _number,
    "gpu_maxnreg": _number,
    "promote_independent_memlets_for_blocking": _boolean,
    "scan_loop_unrolling": _boolean,
    "scan_loop_unrolling_factor": _number,
    "transient_memory_mode": _member,
    "unit_strides_kind": _member,
}

# sdfg-opt verifies after each pass whatever these say.
_ALWAYS_DONE: Final = frozenset({"validate", "validate_all"})

# GT4Py takes these and does nothing; ICON4Py still passes them.
_OF_OLDER_VERSIONS: Final = frozenset({"gpu_memory_pool", "make_persistent"})

_NOT_THERE: Final[Mapping[str, str]] = {
    "demote_fields": "sdfg-opt does not demote arguments; leave it out (containers that are only "
                     "written and read inside are removed anyway)",
    "reuse_transients": "sdfg-opt does not share buffers at the end; leave it out, or use "
                        "transient_memory_mode=EXTERNAL with one workspace for all programs",
}


class _Recorder:
    """Takes an SDFG's place to see which transformations a hook applies."""

    def __init__(self) -> None:
        self.applied: list[Any] = []

    def apply_transformations_repeated(self, transformations: Any, **_: Any) -> int:
        listed = isinstance(transformations, (list, tuple, set))
        self.applied.extend(transformations if listed else [transformations])
        return 0


def _is_covered(hook: Any) -> bool:
    """Whether all that a hook does to an SDFG is what sdfg-opt always does: removing copies between
    access nodes, as ICON4Py asks for in its implicit solvers."""
    recorder = _Recorder()
    try:
        hook(recorder)
    except Exception:  # it wants more than a recorder has
        return False
    remover = gtx_transformations.RemoveAccessNodeCopies
    return bool(recorder.applied) and all(
        applied is remover or isinstance(applied, remover) for applied in recorder.applied
    )


def _refuse_hooks(hooks: Mapping[Any, Any]) -> None:
    for stage, hook in hooks.items():
        if not _is_covered(hook):
            name = getattr(hook, "__qualname__", repr(hook))
            raise UnsupportedOption(
                f"optimization_args['optimization_hooks']: '{name}' at {getattr(stage, 'name', stage)} "
                "is a Python function, and the optimizer does not run inside Python; leave it out, "
                "write it as a pass (docs/writing-a-pass.md), or use GT4Py's make_dace_backend for "
                "this program")


def optimizer_options(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Option names and values for sdfg-opt; `UnsupportedOption` names what cannot be honoured."""
    options = {}
    for name, value in arguments.items():
        if name == "optimization_hooks":
            _refuse_hooks(value or {})
        elif name in _NOT_THERE:
            if value:
                raise UnsupportedOption(f"optimization_args['{name}']: {_NOT_THERE[name]}")
        elif name in _WRITERS:
            if value is not None:
                options[name] = _WRITERS[name](value)
        elif name in _OF_OLDER_VERSIONS:
            warnings.warn(
                f"optimization_args['{name}'] is ignored, as GT4Py 1.2 ignores it; memory is chosen "
                "by transient_memory_mode",
                stacklevel=3,
            )
        elif name not in _ALWAYS_DONE:
            known = sorted({*_WRITERS, *_ALWAYS_DONE, *_NOT_THERE, "optimization_hooks"})
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean '{close[0]}'?" if close else "sdfg-opt --help=gt4py lists all"
            raise UnsupportedOption(f"optimization_args['{name}']: there is no such argument; {hint}")
    return options
