"""What was built: loading and calling it."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable
from typing import Any

import dace
import numpy as np

from gt4py.next.program_processors.runners.dace.workflow import (
    compilation as gtx_wfdcompilation,
    decoration as gtx_wfddecoration,
)

from sdfg_gt4py.calls import Parameters, checked, paths
from sdfg_gt4py.library import Library
from sdfg_gt4py.results import results_of


class Program(gtx_wfdcompilation.CompiledDaceProgram):
    """A library with memory for its results without dimensions, and a workspace (if any) as each call's sizes
    want it: GT4Py lays it out for those of the first."""

    def __init__(self, library: dace.CompiledSDFG, bind_func_name: str, binding_source_code: str) -> None:
        super().__init__(library, bind_func_name, binding_source_code)
        self.results = {array: (name, np.empty(1, dtype))
                        for array, (name, dtype) in results_of(library.sdfg).items()}
        symbols = library.sdfg.free_symbols if library.external_memory_types else ()
        self._places = [i for i, name in enumerate(library.sdfg.arglist()) if name in symbols]
        self._sizes: list[Any] = []

    def construct_arguments(self, **kwargs: Any) -> None:
        memory = {array: values for array, (_, values) in self.results.items()}
        super().construct_arguments(**kwargs, **memory)

    def fast_call(self) -> None:
        if self._places:
            symbols = [self.csdfg_argv[i] for i in self._places]
            sizes = [symbol.value for symbol in symbols]
            if sizes != self._sizes:
                self.sdfg_program._lastargs = self.csdfg_argv, symbols
                self._configure_external_workspace()
                self._sizes = sizes
        super().fast_call()


class Callee(gtx_wfddecoration.DaCeDecoratedProgram):
    """A program that threads may call; its results without dimensions go into the fields of a call."""

    def __init__(self, program: Program, parameters: Parameters, **kwargs: Any) -> None:
        super().__init__(program, **kwargs)
        place = {one.flat_name: path for path, one in paths(parameters)}
        self._results = [(place[name], values) for name, values in program.results.values()]
        # The argument vector and the state belong to one call at a time, whose thread may be interrupted by a
        # signal handler that calls the program.
        self._alone = threading.RLock()

    def __call__(self, *args: Any, offset_provider: Any, out: Any = None) -> None:
        with self._alone:
            super().__call__(*args, offset_provider=offset_provider, out=out)
            for path, values in self._results:
                field: Any = args if out is None else (*args, out)
                for index in path:
                    field = field[index]
                field.ndarray[...] = values[0]


@dataclasses.dataclass(frozen=True)
class Artifact(gtx_wfdcompilation.DaCeCompilationArtifact):
    """What was built, with what a call has to give."""

    parameters: Parameters = dataclasses.field(kw_only=True)

    def load(self) -> Callable[..., Any]:
        sdfg = dace.SDFG.from_json(json.loads(self.sdfg_json))
        library = dace.CompiledSDFG(sdfg, Library(self.library_path), sdfg.arg_names)
        program = Program(library, self.bind_func_name, self.binding_source_code)
        callee = Callee(program, self.parameters, device_type=self.device_type)
        if __debug__:
            callee._update_sdfg_call_args = checked(
                callee._update_sdfg_call_args, self.parameters, self.device_type, sdfg
            )
        return callee
