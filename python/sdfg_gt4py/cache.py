"""GT4Py's build cache."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from gt4py.next import config


class CacheError(RuntimeError):
    """The build cache cannot be written, or what is in it cannot be used."""


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Within, what goes wrong with files says where they belong."""
    try:
        yield
    except OSError as failed:
        lifetime = config.BUILD_CACHE_LIFETIME.name.lower()
        where = f": '{failed.filename}'" if failed.filename else ""
        raise CacheError(
            f"GT4Py's build cache cannot be written: {failed.strerror}{where} (the folder is "
            f"'{config.BUILD_CACHE_DIR}', the lifetime {lifetime}); set GT4PY_BUILD_CACHE_DIR to a folder that "
            "can be written, or GT4PY_BUILD_CACHE_LIFETIME=session, which builds under TMPDIR") from failed
