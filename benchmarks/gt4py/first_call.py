#!/usr/bin/env python3
"""Seconds to the first call and microseconds per call of GT4Py programs: ours beside DaCe's backend.

usage: first_call.py --tool PATH [--codegen ours,dace,gt4py] [--device cpu|cuda|hip] [--programs NAME,…]

For each program of tests/programs and each backend, in one process, with an empty cache each:
  wall    seconds from the definition to the end of the first call
  cpu     seconds of processor time for the same, compilers included: what other work on the machine changes less
  call    microseconds of a call, the smallest mean of 200 rounds of five; the grid is tiny, so this is overhead
"gt4py" is GT4Py's own DaCe backend. Python runs with -O, as GT4Py advises: nothing is asserted or checked.
"""

import argparse
import importlib
import os
import pathlib
import resource
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "programs"), str(ROOT / "python")]


def processor_time():
    return sum(use.ru_utime + use.ru_stime for use in map(
        resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def measure(name, backend_name, tool, device, rounds=200, calls=5):
    """(seconds to the first call, processor seconds to the first call, seconds of a call)."""
    import check
    import grid
    from gt4py.next import config

    with tempfile.TemporaryDirectory() as cache:
        config.BUILD_CACHE_DIR = pathlib.Path(cache)
        mesh = grid.Grid(name)
        case = grid.CASES[name](mesh)
        backend = check.backend_named(backend_name, tool, case, device)
        offset_provider = mesh.offset_provider(backend)
        fields = check.fields_of(case, backend)
        wall, cpu = time.perf_counter(), processor_time()
        program = check.compiled(case, backend, offset_provider)
        check.invoke(case, program, fields, offset_provider)
        wall, cpu = time.perf_counter() - wall, processor_time() - cpu
        means = []
        for _ in range(rounds):
            begin = time.perf_counter()
            for _ in range(calls):
                check.invoke(case, program, fields, offset_provider)
            means.append((time.perf_counter() - begin) / calls)
    return wall, cpu, min(means)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--codegen", default="ours,dace,gt4py")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "hip"])
    parser.add_argument("--programs", default="")
    options = parser.parse_args()
    if __debug__:
        os.execv(sys.executable, [sys.executable, "-O", *sys.argv])
    os.environ.update(GT4PY_BUILD_JOBS="0", OMP_NUM_THREADS="1", GT4PY_BUILD_CACHE_LIFETIME="persistent")
    warnings.simplefilter("ignore")
    import check

    for module in check.MODULES:
        importlib.import_module(module)
    from grid import CASES

    backends = options.codegen.split(",")
    names = options.programs.split(",") if options.programs else list(CASES)
    print("| program |" + "".join(f" {b}: wall | cpu | call |" for b in backends))
    print("|---|" + "---:|" * 3 * len(backends))
    for backend in backends:
        measure(names[0], backend, options.tool, options.device, 1)  # loads what is loaded once
    for name in names:
        cells = []
        for backend in backends:
            wall, cpu, call = measure(name, backend, options.tool, options.device)
            cells += [f"{wall:.1f} s", f"{cpu:.2f} s", f"{call * 1e6:.0f} µs"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
