"""From an optimized SDFG to a library, by the code generator of sdfg-opt."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import Final

import dace
import dace.codegen.compiler as dace_compiler

from gt4py._core import definitions as core_defs, locking
from gt4py.next import config, fingerprinting
from gt4py.next.otf import stages
from gt4py.next.otf.compilation import cache as gtx_cache
from gt4py.next.program_processors.runners.dace.workflow import (
    common as gtx_wfdcommon,
    compilation as gtx_wfdcompilation,
    decoration as gtx_wfddecoration,
)

from sdfg_gt4py.tool import Tool


class CompilerError(RuntimeError):
    """The C++ compiler did not accept generated code, or there is none."""


@functools.cache
def _version(compiler: str) -> str:
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    except OSError as failed:
        raise CompilerError(f"the compiler '{compiler}' cannot be run ({failed.strerror}); install it, "
                            "or name another one in the environment") from None
    return done.stdout


@dataclasses.dataclass(frozen=True)
class Language:
    """How code for one kind of device is generated and compiled."""

    emit: str  # form of --emit
    ending: str  # of the source file
    compiler: str
    flags: tuple[str, ...]

    def command(self, source: str, library: str) -> list[str]:
        return [self.compiler, *self.flags, source, "-o", library]


def language_for(device: core_defs.DeviceType) -> Language:
    """Reads the settings that GT4Py has made for DaCe, so call it inside `dace_context`."""

    def flags(key: str) -> list[str]:
        return shlex.split(dace.Config.get(*key.split(".")))

    if device == core_defs.DeviceType.CPU:
        common = ["-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", "-fopenmp"]
        compiler = os.environ.get("CXX") or "c++"
        return Language("cpp", "cpp", compiler, (*common, *flags("compiler.cpu.args")))
    if device == core_defs.DeviceType.ROCM:
        common = ["-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden"]
        arch = dace.Config.get("compiler", "cuda", "hip_arch")
        common += [f"--offload-arch={name}" for name in arch.split(",") if name]
        compiler = os.environ.get("HIPCXX") or "hipcc"
        return Language("hip", "hip.cpp", compiler, (*common, *flags("compiler.cuda.hip_args")))
    common = ["-std=c++20", "-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden"]
    arch = dace.Config.get("compiler", "cuda", "cuda_arch")
    names = [name for name in arch.split(",") if name]
    common += [f"-gencode=arch=compute_{name},code=sm_{name}" for name in names] or ["-arch=native"]
    compiler = os.environ.get("CUDACXX") or "nvcc"
    return Language("cuda", "cu", compiler, (*common, *flags("compiler.cuda.args")))


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


def _compile(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        complaint = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
        raise CompilerError(f"the compiler failed: {complaint.strip()}\nthe command was: "
                            f"{shlex.join(command)}")


def _loader(base: pathlib.Path) -> pathlib.Path:
    """DaCe's own library for loading libraries, compiled once per cache."""
    source = pathlib.Path(dace.__file__).parent / "codegen" / "tools" / "dacestub.cpp"
    compiler = os.environ.get("CXX") or "c++"
    key = fingerprinting.strict_fingerprinter((source.read_bytes(), compiler, _version(compiler)))
    folder = base / f"sdfg_gt4py_loader_{key}"
    folder.mkdir(exist_ok=True)
    library = folder / "libdacestub.so"
    _publish(library, lambda to: _compile(
        [compiler, "-std=c++17", "-w", "-fPIC", "-shared", "-fopenmp", str(source), "-o", str(to), "-ldl"]))
    return library


@dataclasses.dataclass(frozen=True)
class Artifact(gtx_wfdcompilation.DaCeCompilationArtifact):
    """What was built, with the library that loads it."""

    loader_path: pathlib.Path = dataclasses.field(kw_only=True)

    def load(self) -> stages.ExecutableProgram:
        sdfg = dace.SDFG.from_json(json.loads(self.sdfg_json))
        library = dace_compiler.get_program_handle(self.library_path, sdfg, self.loader_path)
        program = gtx_wfdcompilation.CompiledDaceProgram(
            library, self.bind_func_name, self.binding_source_code
        )
        return gtx_wfddecoration.DaCeDecoratedProgram(program, device_type=self.device_type)


@dataclasses.dataclass(frozen=True)
class Compiler(gtx_wfdcompilation.DaCeCompiler):
    """GT4Py's compilation step with our generator in place of DaCe's."""

    tool: Tool = dataclasses.field(kw_only=True)

    def __call__(self, inp: gtx_wfdcompilation.SDFGExtensionSource) -> Artifact:
        with gtx_wfdcommon.dace_context(
            device_type=self.device_type, cmake_build_type=self.cmake_build_type
        ):
            language = language_for(self.device_type)
        sdfg_json = json.dumps(inp.program_source.source_code)
        name = inp.program_source.source_code["attributes"]["name"]
        context = fingerprinting.strict_fingerprinter(
            (language, _version(language.compiler), self.tool)
        )
        folder = gtx_cache.get_cache_folder(inp, self.cache_lifetime, build_context_id=context)
        library = folder / f"lib{name}.so"

        def build(to: pathlib.Path) -> None:
            source = folder / f"{name}.{language.ending}"
            source.write_bytes(self.tool.run(sdfg_json.encode(), [f"--emit={language.emit}"]))
            _compile(language.command(str(source), str(to)))

        _publish(library, build)
        assert inp.binding_source is not None
        return Artifact(
            library_path=library,
            sdfg_json=sdfg_json,
            binding_source_code=inp.binding_source.source_code,
            bind_func_name=self.bind_func_name,
            device_type=self.device_type,
            loader_path=_loader(gtx_cache.get_cache_base_path(self.cache_lifetime)),
        )
