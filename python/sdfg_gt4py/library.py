"""Libraries of programs, as DaCe's `CompiledSDFG` takes them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

import dace.codegen.compiled_sdfg as dace_compiled

from sdfg_gt4py.cache import CacheError


class Library(dace_compiled.ReloadableDLL):
    """A library that a process opens once, however many programs use it: each has a state of its own, and states
    share nothing. It stays open, so that what a failed call leaves behind can be called again.

    DaCe's own copies the file for each further program, to a name in the cache that all processes share.
    """

    def __init__(self, path: os.PathLike) -> None:
        self._library_filename = os.fspath(path)
        self._lib: ctypes.CDLL | None = None

    def is_loaded(self) -> bool:
        return self._lib is not None

    def load(self) -> None:
        try:
            self._lib = ctypes.CDLL(self._library_filename)
        except OSError as failed:
            folder = os.path.dirname(self._library_filename)
            raise CacheError(f"a library in GT4Py's build cache cannot be opened: {failed}; remove the folder "
                             f"'{folder}' to have it built again") from failed

    def unload(self) -> None:
        self._lib = None

    def get_symbol(self, name: str, restype: Any = ctypes.c_int) -> Callable[..., Any]:
        assert self._lib is not None
        try:
            function = self._lib[name]
        except AttributeError:
            raise KeyError(f"there is no function '{name}' in '{self._library_filename}'") from None
        function.restype = restype
        return function
