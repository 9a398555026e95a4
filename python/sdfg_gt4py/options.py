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


def _names(value: Any) -> str:
    return ",".join([value] if isinstance(value, str) else value)


def _dimensions(value: Any) -> str:
    return ",".join(gtir_to_sdfg_utils.get_map_variable(dim) for dim in value)


# How each argument is written; None stands for "not given" with all of them.
_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    "assume_pointwise": _boolean,
    "blocking_dims": _dimensions,
    "blocking_independent_node_threshold": _number,
    "blocking_only_if_independent_nodes": _boolean,
    "blocking_size": _number,
    "demote_fields": _names,
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
    "reuse_transients": _boolean,
    "scan_loop_unrolling": _boolean,
    "scan_loop_unrolling_factor": _number,
    "transient_memory_mode": _member,
    "unit_strides_kind": _member,
}

# sdfg-opt verifies after each pass whatever these say.
_ALWAYS_DONE: Final = frozenset({"validate", "validate_all"})

# GT4Py takes these and does nothing; ICON4Py still passes them.
_OF_OLDER_VERSIONS: Final = frozenset({"gpu_memory_pool", "make_persistent"})

# Stages at which sdfg-opt runs passes of the caller's choice, and its options for them.
_HOOKS: Final[Mapping[str, str]] = {
    "TopLevelDataFlowPre": "pre_hook",
    "TopLevelDataFlowStep": "step_hook",
    "TopLevelDataFlowPost": "post_hook",
    "AfterToGPU": "after_to_gpu_hook",
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


def _hook_options(hooks: Mapping[Any, Any]) -> dict[str, str]:
    """Hooks that name passes of sdfg-opt, as text ("map-tiling{tile_sizes=8,8},map-collapse")."""
    options = {}
    for stage, hook in hooks.items():
        stage_name = str(getattr(stage, "name", stage))
        where = "optimization_args['optimization_hooks']"
        if isinstance(hook, str):
            if not hook:
                continue
            if stage_name not in _HOOKS:
                raise UnsupportedOption(
                    f"{where}: '{hook}' at {stage_name}: passes can be named at {', '.join(_HOOKS)} only")
            options[_HOOKS[stage_name]] = hook
        elif not _is_covered(hook):
            name = getattr(hook, "__qualname__", repr(hook))
            raise UnsupportedOption(
                f"{where}: '{name}' at {stage_name} is a Python function, and the optimizer does not "
                "run inside Python; leave it out, name passes of sdfg-opt in its place (as text), write "
                "it as a pass (docs/writing-a-pass.md), or use GT4Py's make_dace_backend for this "
                "program")
    return options


def optimizer_options(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Option names and values for sdfg-opt; `UnsupportedOption` names what cannot be honoured."""
    options = {}
    for name, value in arguments.items():
        if name == "optimization_hooks":
            options |= _hook_options(value or {})
        elif name in _WRITERS:
            if value is not None and (written := _WRITERS[name](value)):
                options[name] = written
        elif name in _OF_OLDER_VERSIONS:
            warnings.warn(
                f"optimization_args['{name}'] is ignored, as GT4Py 1.2 ignores it; memory is chosen "
                "by transient_memory_mode",
                stacklevel=3,
            )
        elif name not in _ALWAYS_DONE:
            known = sorted({*_WRITERS, *_ALWAYS_DONE, "optimization_hooks"})
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean '{close[0]}'?" if close else "sdfg-opt --help=gt4py lists all"
            raise UnsupportedOption(f"optimization_args['{name}']: there is no such argument; {hint}")
    return options
