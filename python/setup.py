"""Records the sdfg-opt of this checkout (or the one SDFG_OPT names), so that the package finds it."""

import os
import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent.parent


def built_tool() -> str:
    candidates = [os.environ.get("SDFG_OPT", "")]
    candidates += [str(ROOT / "build" / preset / "tools" / "sdfg-opt") for preset in ("release", "dev")]
    return next((tool for tool in candidates if tool and os.path.isfile(tool)), "")


class RecordTool(build_py):
    def run(self):
        super().run()
        record = pathlib.Path(self.build_lib, "sdfg_gt4py", "built_with.txt")
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(built_tool() + "\n")


setup(cmdclass={"build_py": RecordTool})
