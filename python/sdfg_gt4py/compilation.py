"""From an optimized SDFG to a library, by the code generator of sdfg-opt."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
from collections.abc import Callable

from gt4py._core import locking
from gt4py.next import fingerprinting
from gt4py.next.otf.compilation import cache as gtx_cache
from gt4py.next.program_processors.runners.dace.workflow import (
    common as gtx_wfdcommon,
    compilation as gtx_wfdcompilation,
)

from sdfg_gt4py.artifact import Artifact
from sdfg_gt4py.calls import Parameters, parameter
from sdfg_gt4py.languages import Language, language_for, version
from sdfg_gt4py.tool import Tool


def _publish(path: pathlib.Path, make: Callable[[pathlib.Path], None]) -> None:
    """Makes the file `path` with `make(elsewhere)`, unless it is there.

    One process makes it, the others wait; the file appears complete or not at all, and what a
    process that was killed left behind is made anew.
    """
    if path.exists():
        return
    with locking.lock(path.parent):
        if path.exists():
            return
        work = path.parent / "build"
        shutil.rmtree(work, ignore_errors=True)  # of a build that was killed
        work.mkdir()
        try:
            make(work / path.name)
            os.replace(work / path.name, path)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _parameters(inp: gtx_wfdcompilation.SDFGExtensionSource) -> Parameters:
    given = inp.program_source.entry_point.parameters
    return tuple(parameter(one.name, one.type_) for one in given)


@dataclasses.dataclass(frozen=True)
class DaceCompiler(gtx_wfdcompilation.DaCeCompiler):
    """GT4Py's compilation step, for programs whose calls are checked."""

    def __call__(self, inp: gtx_wfdcompilation.SDFGExtensionSource) -> Artifact:
        built = super().__call__(inp)
        fields = {field.name: getattr(built, field.name) for field in dataclasses.fields(built)}
        return Artifact(**fields, parameters=_parameters(inp))


@dataclasses.dataclass(frozen=True)
class Compiler(gtx_wfdcompilation.DaCeCompiler):
    """GT4Py's compilation step with our generator in place of DaCe's."""

    tool: Tool = dataclasses.field(kw_only=True)

    def language(self) -> Language:
        return language_for(self.device_type)

    def __call__(self, inp: gtx_wfdcompilation.SDFGExtensionSource) -> Artifact:
        with gtx_wfdcommon.dace_context(
            device_type=self.device_type, cmake_build_type=self.cmake_build_type
        ):
            language = self.language()
        sdfg_json = json.dumps(inp.program_source.source_code)
        name = inp.program_source.source_code["attributes"]["name"]
        context = fingerprinting.strict_fingerprinter(
            (language, version(language.command), self.tool)
        )
        folder = gtx_cache.get_cache_folder(inp, self.cache_lifetime, build_context_id=context)
        library = folder / f"lib{name}.so"

        def build(to: pathlib.Path) -> None:
            source = folder / f"{name}.{language.ending}"
            source.write_bytes(self.tool.run(sdfg_json.encode(), [f"--emit={language.emit}"]))
            language.compile(source, to)

        _publish(library, build)
        assert inp.binding_source is not None
        return Artifact(
            library_path=library,
            sdfg_json=sdfg_json,
            binding_source_code=inp.binding_source.source_code,
            bind_func_name=self.bind_func_name,
            device_type=self.device_type,
            parameters=_parameters(inp),
        )
