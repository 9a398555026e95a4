"""What sdfg-opt does with one program."""

from __future__ import annotations

import dataclasses
import functools
import gzip
import json
import os
import pathlib
import shlex
import subprocess
from collections.abc import Mapping
from typing import Any

import numpy as np

from gt4py.next import common as gtx_common, utils as gtx_utils
from gt4py.next.ffront import type_info as ffront_type_info, type_translation
from gt4py.next.otf import arguments, compiled_program
from gt4py.next.program_processors.runners.dace import sdfg_callable
from gt4py.next.program_processors.runners.dace.workflow import common as gtx_wfdcommon

from sdfg_gt4py.deep import deeply
from sdfg_gt4py.tool import Tool
from sdfg_gt4py.translation import Translator, to_bytes
from sdfg_gt4py.versions import ConcreteProgram


@dataclasses.dataclass(frozen=True)
class Look:
    """A program as GT4Py lowers it, and how it is optimized."""

    lowered: bytes  # the SDFG's JSON
    flag: str  # --gt4py=… with the backend's options
    tool: Tool
    about: Mapping[str, Any]  # what the optimizer is told: constant_symbols, options
    arguments: Mapping[str, Any]  # of the program that is called: arrays, scalars, symbols

    def run(self, *flags: str) -> str:
        """What sdfg-opt writes, messages first, with the optimizer's flag and these behind it."""
        command = [self.tool.path, "-", self.flag, *flags]
        done = subprocess.run(command, input=self.lowered, capture_output=True)
        return (done.stderr + done.stdout).decode()

    def remarks(self, *passes: str) -> str:
        """What was applied and refused, where and why; of all passes, or of these."""
        return self.run("--remarks" + ("=" + ",".join(passes) if passes else ""), "--emit=none")

    def changes(self) -> str:
        """What each pass changed, as differences of the text form."""
        return self.run("--print-after-change", "--emit=none")

    def text(self) -> str:
        return self.run("--emit=text")

    def code(self) -> str:
        """The C++ of our generator (without GT4Py's timers)."""
        return self.run("--emit=cpp")

    def times(self) -> str:
        return self.run("--time", "--stats", "--emit=none")

    def history(self, path: str | os.PathLike) -> str:
        """Writes all steps into a file that the viewer opens."""
        return self.run(f"--history={os.path.abspath(path)}", "--emit=none")

    def save(self, path: str | os.PathLike) -> str:
        """Writes the lowered program; returns the command that optimizes it."""
        with open(path, "wb") as file:
            file.write(self.lowered)
        return shlex.join(["sdfg-opt", os.fspath(path), self.flag])

    def record(self, folder: str | os.PathLike) -> None:
        """Writes what benchmarks/optimizer/compare.py reads: `lowered.sdfgz`, the program before it is
        optimized; `data.npz`, the arguments (`in:NAME`) and what the interpreter makes of the arrays
        (`out:NAME`); `program.json`, what the optimizer is told. SdfgOptError if the program does not run."""
        to = pathlib.Path(folder)
        to.mkdir(parents=True, exist_ok=True)
        given = {name: _on_host(value) for name, value in self.arguments.items()}
        (to / "lowered.sdfgz").write_bytes(gzip.compress(self.lowered, mtime=0))
        described = {name: _described(value) for name, value in given.items()}
        text = json.dumps({"name": to.name, "arguments": described, **self.about}, indent=1)
        (to / "program.json").write_text(text + "\n")
        np.savez(to / "in.npz", **{f"in:{name}": value for name, value in given.items()})
        self.tool.run(self.lowered, [f"--run={to / 'in.npz'}", f"--record={to / 'data.npz'}", "--emit=none"])
        (to / "in.npz").unlink()


def _on_host(value: Any) -> np.ndarray:
    return value.get() if hasattr(value, "get") else np.asarray(value)


def _described(value: np.ndarray) -> dict[str, Any]:
    if value.ndim == 0:
        return {"dtype": value.dtype.name, "value": value.item()}
    strides = [stride // value.itemsize for stride in value.strides]
    return {"dtype": value.dtype.name, "shape": list(value.shape), "strides": strides}


def _in_domain(out: Any, domain: Any) -> Any:
    """The part of a field operator's result that a call with `domain=` writes; one domain for all fields, or a
    tuple of them like `out`."""
    domain = gtx_utils.tree_map(gtx_common.domain)(domain)
    if isinstance(domain, tuple):
        return gtx_utils.tree_map(lambda field, part: field[part])(out, domain)
    return gtx_utils.tree_map(lambda field: field[domain])(out)


def _static(program: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[Any, Any]:
    """What GT4Py's lowering is told of the values of arguments that are static: those of `with_static_params`,
    `compile` or `static_domains`, found as a call finds them."""
    pool = program._compiled_programs
    descriptors = compiled_program._make_argument_descriptors(
        pool.program_type, pool.argument_descriptor_mapping or {}, args, kwargs
    )
    return compiled_program._convert_to_argument_descriptor_context(pool.program_type.definition, descriptors)


def _without_bound_arguments(
    program: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A program below `functools.partial` and `with_bound_args`, with the arguments of the whole call."""
    while isinstance(program, functools.partial):
        args, kwargs, program = program.args + args, program.keywords | kwargs, program.func
    if bound := getattr(program, "bound_args", None):
        free = (param.id for param in program.past_stage.past_node.params if param.id not in bound)
        args, kwargs = (), dict(zip(free, args)) | bound | kwargs
    return program, args, kwargs


def look(program: Any, *args: Any, **kwargs: Any) -> Look:
    """Looks inside a program or field operator that has a backend of `make_backend`, with the
    arguments of a call; nothing is compiled or called. Static arguments are those of the program
    (`with_static_params`, or `compile` before)."""
    program, args, kwargs = _without_bound_arguments(program, args, kwargs)
    offset_provider = kwargs.pop("offset_provider", None) or {}
    translator = getattr(getattr(program.backend, "executor", None), "translation", None)
    translator = getattr(translator, "step", translator)
    if not isinstance(translator, Translator):
        raise TypeError(f"'{program.__name__}' does not have a backend of sdfg_gt4py.make_backend; "
                        "give it one with program.with_backend(backend)")
    signature = ffront_type_info.type_in_program_context(program.__gt_type__())
    canonical = ffront_type_info.make_args_canonicalizer(signature, name=program.__name__)
    if "domain" in kwargs:
        kwargs["out"] = _in_domain(kwargs["out"], kwargs.pop("domain"))
    args, kwargs = canonical(*args, **kwargs)
    types = arguments.CompileTimeArgs(
        args=tuple(type_translation.from_value(value) for value in args),
        kwargs={name: type_translation.from_value(value) for name, value in kwargs.items()},
        offset_provider=offset_provider,
        column_axis=None,
        argument_descriptor_contexts=_static(program, args, kwargs),
    )
    compilable = program.backend.transforms(
        ConcreteProgram(data=program.definition_stage, args=types)
    )
    with gtx_wfdcommon.dace_context(device_type=translator.device_type):
        sdfg, constants = deeply(
            translator.lower, compilable.data, compilable.args.offset_provider, compilable.args.column_axis
        )
        lowered = to_bytes(sdfg)
    values = (arguments.extract(value) for value in (*args, *kwargs.values()))  # dataclasses, too
    flat = gtx_utils.flatten_nested_tuple(tuple(values))
    return Look(
        lowered,
        translator.optimizer_flag(constants),
        translator.tool,
        about={"constant_symbols": constants, "options": translator.options()},
        arguments=sdfg_callable.get_sdfg_args(sdfg, offset_provider, *flat),
    )
