"""How code for each kind of device is generated and compiled."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence

import dace

from gt4py._core import definitions as core_defs


class CompilerError(RuntimeError):
    """A compiler did not accept generated code, or there is none."""


@dataclasses.dataclass(frozen=True)
class Language:
    """A form of `sdfg-opt --emit`, and the command that makes a library of it."""

    emit: str
    ending: str
    command: tuple[str, ...]

    def compile(self, source: os.PathLike, library: os.PathLike) -> None:
        run_compiler([*self.command, str(source), "-o", str(library)])


def run_compiler(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        lines = done.stderr.splitlines()
        complaint = next((line for line in lines if "error" in line), done.stderr)
        raise CompilerError(
            f"the compiler failed: {complaint.strip()}\nthe command was: {shlex.join(command)}"
        )


def version(command: Sequence[str]) -> str:
    """What the compiler of a command says it is (a launcher like ccache may stand in front of it), and which
    processor `-march=native` stands for, as machines that differ may share a cache."""
    compiler = itertools.takewhile(lambda word: not word.startswith("-"), command)
    native = _processor(tuple(cpp_compiler())) if any("native" in word for word in command) else ""
    return _version(tuple(compiler)) + native


@functools.cache
def _version(compiler: tuple[str, ...]) -> str:
    try:
        return subprocess.run([*compiler, "--version"], capture_output=True, text=True, errors="replace").stdout
    except OSError as failed:
        raise CompilerError(
            f"the compiler '{shlex.join(compiler)}' cannot be run ({failed.strerror}); install it, or name "
            "another one in CXX, CUDACXX or HIPCXX"
        ) from None


@functools.cache
def _processor(compiler: tuple[str, ...]) -> str:
    asked = [*compiler, "-march=native", "-###", "-E", "-x", "c++", os.devnull]
    try:
        # Clang says where it runs, too.
        return subprocess.run(asked, capture_output=True, text=True, errors="replace", cwd=os.sep).stderr
    except OSError:
        return ""


def cpp_compiler() -> list[str]:
    return shlex.split(os.environ.get("CXX") or "c++")


def _first_of(what: str, variable: str, paths: Sequence[str | None]) -> str:
    """The program that the environment names, else the first that is there."""
    if named := os.environ.get(variable):
        return named
    for path in paths:
        if path and os.access(path, os.X_OK):
            return path
    looked = ", ".join(path for path in paths if path)
    raise CompilerError(f"there is no {what}: not on PATH, nor {looked}; install it or set {variable}")


def _nvcc() -> list[str]:
    wheel = pathlib.Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "bin", "nvcc")
    home = os.environ.get("CUDA_HOME")
    nvcc = _first_of("CUDA compiler", "CUDACXX", [
        shutil.which("nvcc"), home and f"{home}/bin/nvcc", "/usr/local/cuda/bin/nvcc", str(wheel)])
    # The wheels keep the runtime library where nvcc does not look.
    libraries = pathlib.Path(nvcc).parent.parent / "lib"
    return [nvcc] + ([f"-L{libraries}"] if (libraries / "libcudart_static.a").exists() else [])


def _listed(architectures: str) -> list[str]:
    """CMake separates with semicolons, DaCe with commas."""
    return [name for name in re.split("[,;]", architectures) if name]


def _cuda_architecture(name: str) -> str:
    """The flag for what CMake calls 90a, 90-real, 90-virtual or native."""
    number, _, kind = name.partition("-")
    if not number[:1].isdigit():
        return f"-arch={name}"
    return f"-gencode=arch=compute_{number},code={'compute' if kind == 'virtual' else 'sm'}_{number}"


def language_for(device: core_defs.DeviceType) -> Language:
    """Takes the flags and architectures that GT4Py has set for DaCe: call it inside `dace_context`."""

    def setting(*key: str) -> str:
        return dace.Config.get("compiler", *key) or ""

    hidden = ["-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden"]
    if device == core_defs.DeviceType.CPU:
        flags = [*cpp_compiler(), *hidden, "-fopenmp", *shlex.split(setting("cpu", "args"))]
        return Language("cpp", "cpp", tuple(flags))
    if device == core_defs.DeviceType.ROCM:
        hipcc = _first_of("HIP compiler", "HIPCXX", [shutil.which("hipcc"), "/opt/rocm/bin/hipcc"])
        flags = [hipcc, *hidden, *(f"--offload-arch={name}" for name in _listed(setting("cuda", "hip_arch")))]
        return Language("hip", "hip", (*flags, *shlex.split(setting("cuda", "hip_args")), "-x", "hip"))
    flags = [*_nvcc(), "-std=c++20", "-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden"]
    flags += map(_cuda_architecture, _listed(setting("cuda", "cuda_arch")) or ["native"])
    return Language("cuda", "cu", (*flags, *shlex.split(setting("cuda", "args"))))
