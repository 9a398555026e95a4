"""Programs nested more deeply than Python lets functions call each other.

GT4Py walks expressions with functions that call themselves. Python ends that with RecursionError, at
`sys.getrecursionlimit()` frames, and in 3.12 also at 1,500 calls through C, which no setting changes
(a level of an expression takes up to eight). Each thread counts its own, so a step that failed is run
again on a chain of threads, each of which takes some levels.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

from gt4py.eve import visitors
from gt4py.next import backend as gtx_backend
from gt4py.next.otf import recipes

from sdfg_gt4py import cache


_LEVELS: Final = 30  # of visits in one thread: some take forty calls through C, as inferring types
_FRAMES: Final = 1_000_000  # no limit: it is the chain that keeps each thread's stack short
_STACK_SIZE: Final = 16 << 20  # bytes; 1,500 calls through C take less than a tenth


class _Chain:
    """Threads of which each waits for the next; made when first needed."""

    def __init__(self) -> None:
        self.threads: list[concurrent.futures.ThreadPoolExecutor] = []

    def run(self, index: int, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if index == len(self.threads):
            self.threads.append(concurrent.futures.ThreadPoolExecutor(
                1, initializer=self._enter, initargs=(index,)))
        context = contextvars.copy_context()
        return self.threads[index].submit(context.run, function, *args, **kwargs).result()

    def _enter(self, index: int) -> None:
        _here.chain, _here.index, _here.levels = self, index, 0

    def close(self) -> None:
        for thread in self.threads:
            thread.shutdown()


_here = threading.local()  # of threads in a chain: the chain, the thread's place, its levels
_lock = threading.Lock()
_running = 0
_visit = visitors.NodeVisitor.visit


def _visit_on_chain(self: visitors.NodeVisitor, node: Any, **kwargs: Any) -> Any:
    """GT4Py's `visit`, continued in the next thread when this one has its share of levels."""
    chain = getattr(_here, "chain", None)
    if chain is None:
        return _visit(self, node, **kwargs)
    if _here.levels == _LEVELS:
        return chain.run(_here.index + 1, _visit_on_chain, self, node, **kwargs)
    _here.levels += 1
    try:
        return _visit(self, node, **kwargs)
    finally:
        _here.levels -= 1


@contextlib.contextmanager
def _without_limits() -> Iterator[None]:
    """The limit on frames and GT4Py's `visit` belong to all threads: the first here changes them and the
    last restores them."""
    global _running, _before
    with _lock:
        if _running == 0:
            _before = sys.getrecursionlimit(), threading.stack_size(_STACK_SIZE)
            sys.setrecursionlimit(max(_FRAMES, _before[0]))
            visitors.NodeVisitor.visit = _visit_on_chain
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                visitors.NodeVisitor.visit = _visit
                sys.setrecursionlimit(_before[0])
                threading.stack_size(_before[1])


def deeply(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`; once more, however deep, when it ends in RecursionError."""
    try:
        return function(*args)
    except RecursionError:
        pass
    chain = _Chain()
    try:
        with _without_limits():
            return chain.run(0, function, *args)
    finally:
        chain.close()


@dataclasses.dataclass(frozen=True)
class Transforms(gtx_backend.Transforms):
    """GT4Py's front end, for programs of any depth."""

    def __call__(self, inp: Any) -> Any:
        return deeply(super().__call__, inp)


@dataclasses.dataclass(frozen=True)
class Workflow(recipes.OTFCompileWorkflow):
    """GT4Py's steps from a program to a library, for programs of any depth."""

    def __call__(self, inp: Any) -> Any:
        with cache.writing():
            return deeply(super().__call__, inp)
