#!/usr/bin/env python3
"""Many programs built by several processes at once into one cache.

usage: cache_check.py --tool PATH [--programs N] [--processes N]

Each process compiles and calls all programs, in an order of its own, with one persistent build cache.
The compiler is a script that notes what it compiles. Then each program must have been compiled once,
every result must be right, and a process that was killed while building must not have hurt anybody.
"""

import argparse
import collections
import os
import pathlib
import random
import signal
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAMS = '''
import gt4py.next as gtx
I = gtx.Dimension("I")
IField = gtx.Field[gtx.Dims[I], gtx.float64]
'''

PROGRAM = '''
@gtx.field_operator
def times_{n}(p: IField) -> IField:
    return p * {n}.0 + p
'''


def work(tool, seed, begun):
    """What each process does; prints nothing when all is well."""
    import numpy as np
    import gt4py.next as gtx
    import programs
    import sdfg_gt4py

    backend = sdfg_gt4py.make_backend(tool=tool)
    numbers = [int(name[6:]) for name in vars(programs) if name.startswith("times_")]
    random.Random(seed).shuffle(numbers)
    pathlib.Path(begun).touch()
    for n in numbers:
        p = gtx.as_field([programs.I], np.arange(5.0))
        out = gtx.as_field([programs.I], np.zeros(5))
        getattr(programs, f"times_{n}").with_backend(backend)(p, out=out, offset_provider={})
        if not (out.asnumpy() == np.arange(5.0) * (n + 1)).all():
            print(f"process {seed}: program {n} is wrong: {out.asnumpy()}")


def start(options, folder, seed):
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(folder)]), "PYTHONWARNINGS": "ignore",
        "GT4PY_BUILD_CACHE_LIFETIME": "persistent", "GT4PY_BUILD_CACHE_DIR": str(folder),
        "GT4PY_BUILD_JOBS": "0", "CXX": str(folder / "c++"), "CXXFLAGS": "-O0 -fPIC", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-O", __file__, "--tool", options.tool, "--work", str(seed), str(folder / f"begun-{seed}")]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.tool = os.path.abspath(options.tool)
    if options.work:
        return work(options.tool, *options.work)
    with tempfile.TemporaryDirectory(prefix="sdfg-gt4py-cache-") as name:
        folder, log = pathlib.Path(name), pathlib.Path(name, "compiled.txt")
        (folder / "programs.py").write_text(PROGRAMS + "".join(PROGRAM.format(n=n) for n in range(options.programs)))
        compiler = folder / "c++"
        compiler.write_text(f'#!/bin/sh\nfor word; do last=$word; done\nc++ "$@" || exit\n'
                            f'case "$*" in *--version*) ;; *) echo "$last" >> {log} ;; esac\n')
        compiler.chmod(compiler.stat().st_mode | stat.S_IEXEC)

        # One process alone, killed while it compiles something: the compiler is slow for it.
        quick = compiler.read_text()
        compiler.write_text(quick.replace('c++ "$@" || exit', 'c++ "$@" || exit\ncase "$*" in *--version*) ;; *) sleep 60 ;; esac'))
        victim = start(options, folder, 0)
        deadline = time.monotonic() + 120
        while not list(folder.glob("**/build/lib*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
        torn = len(list(folder.glob("**/build")))
        compiler.write_text(quick)

        begin = time.monotonic()
        processes = [start(options, folder, seed) for seed in range(1, options.processes + 1)]
        outputs = [process.communicate()[0] for process in processes]
        problems = [line for output in outputs for line in output.splitlines()]
        problems += [f"process {i + 1} ended with {p.returncode}" for i, p in enumerate(processes) if p.returncode]
        compiled = collections.Counter(pathlib.Path(line).parent.parent.name for line in log.read_text().splitlines())
        problems += [f"{name} was compiled {count} times" for name, count in compiled.items() if count != 1]
        built = list(folder.glob("**/lib*.so"))
        if len(built) != options.programs:
            problems.append(f"{len(built)} libraries instead of {options.programs}")
        problems += [f"{path} is left over" for path in folder.glob("**/build")]
        if not torn:
            problems.append("no build was under way when the first process was killed")
        print("\n".join(problems + [
            f"{options.programs} programs, {options.processes} processes: {len(built)} libraries, "
            f"{sum(compiled.values())} compilations, {torn} torn build, "
            f"{time.monotonic() - begin:.1f} s, {len(problems)} problems"]))
        sys.exit(bool(problems))


if __name__ == "__main__":
    main()
