"""The command line tool sdfg-opt: where it is, and running it."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from gt4py.next import utils as gtx_utils


class ToolNotFound(RuntimeError):
    """There is no sdfg-opt."""


class SdfgOptError(RuntimeError):
    """sdfg-opt refused a program or failed.

    `message` is what it said, with the place in the program; `reproducer` is a file that
    `sdfg-opt --rerun=FILE` runs again; `status` is 1 when the program is at fault, 2 when the
    options are, and 3 for an error of sdfg-opt itself.
    """

    def __init__(self, message: str, reproducer: str, status: int) -> None:
        super().__init__(message, reproducer, status)
        self.message, self.reproducer, self.status = message, reproducer, status

    def __str__(self) -> str:
        return f"{self.message}\nto see it again: {shlex.join(['sdfg-opt', f'--rerun={self.reproducer}'])}"


@functools.cache
def _digest(path: str, modified_ns: int) -> str:
    return hashlib.blake2b(pathlib.Path(path).read_bytes(), digest_size=16).hexdigest()


@dataclasses.dataclass(frozen=True)
class Tool:
    """An sdfg-opt. Caches depend on what is in the file, not on where it lies."""

    path: str = dataclasses.field(metadata=gtx_utils.gt4py_metadata(fingerprint=False))
    digest: str

    @classmethod
    def at(cls, path: str | os.PathLike) -> Tool:
        path = os.path.abspath(path)
        if not os.access(path, os.X_OK) or not os.path.isfile(path):
            raise ToolNotFound(f"'{path}' is no program that can be run; expected sdfg-opt")
        return cls(path, _digest(path, os.stat(path).st_mtime_ns))

    def run(self, program: bytes, arguments: Sequence[str]) -> bytes:
        """The output for `program` (an SDFG's JSON); `SdfgOptError` when there is none."""
        try:
            done = subprocess.run([self.path, "-", *arguments], input=program, capture_output=True)
        except OSError as failed:
            raise ToolNotFound(f"'{self.path}' cannot be run ({failed.strerror}); expected sdfg-opt") from None
        if done.returncode == 0 and (done.stdout or "--emit=none" in arguments):
            return done.stdout
        if done.returncode == 0:
            raise ToolNotFound(f"'{self.path}' wrote nothing; it is not the sdfg-opt of this package: build it "
                               "again, or name another one with tool=PATH or SDFG_OPT")
        reproducer = self._reproducer(program, arguments)
        message = done.stderr.decode(errors="replace").strip() or f"sdfg-opt ended with {done.returncode}"
        if done.returncode == 2:
            message += f"\n'{self.path}' may be of another version than sdfg_gt4py; build and install both again"
        raise SdfgOptError(message, reproducer, done.returncode)

    def _reproducer(self, program: bytes, arguments: Sequence[str]) -> str:
        """A file to run this again with; named after its content."""
        name = hashlib.blake2b(program + repr(tuple(arguments)).encode(), digest_size=8).hexdigest()
        path = os.path.join(tempfile.gettempdir(), f"sdfg-opt-{name}.reproducer")
        subprocess.run([self.path, "-", *arguments, f"--reproducer={path}"], input=program,
                       capture_output=True)
        return path


def find_tool(path: str | os.PathLike | None = None) -> Tool:
    """The tool at `path`, else the one SDFG_OPT names, the one this package was built with, or the
    first on PATH."""
    if path is not None:
        return Tool.at(path)
    if named := os.environ.get("SDFG_OPT"):
        return Tool.at(named)
    record = pathlib.Path(__file__).with_name("built_with.txt")
    recorded = record.read_text().strip() if record.exists() else ""
    if recorded and os.path.isfile(recorded):
        return Tool.at(recorded)
    if on_path := shutil.which("sdfg-opt"):
        return Tool.at(on_path)
    built = f"the one this package was built with ('{recorded}') is gone" if recorded else \
        "this package was installed without one"
    raise ToolNotFound(f"cannot find sdfg-opt: {built}, and there is none on PATH; build it "
                       "(cmake --preset release && cmake --build build/release) and set SDFG_OPT "
                       "to build/release/tools/sdfg-opt, or pass tool=PATH")
