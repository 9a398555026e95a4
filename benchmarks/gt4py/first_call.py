#!/usr/bin/env python3
"""Seconds to the first call and microseconds per call of GT4Py programs: ours beside DaCe's backend.

usage: first_call.py --tool PATH [--codegen ours,dace,gt4py] [--programs NAME,…] [--calls N]

For each program of tests/programs and each backend, in one process, with empty caches:
  first   seconds from the definition to the end of the first call
  call    microseconds of a call, the smallest mean of five rounds; the grid is tiny, so this is overhead
"gt4py" is GT4Py's own DaCe backend. Times are of one run: repeat on a machine that does nothing else.
"""

import argparse
import importlib
import os
import pathlib
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "programs"), str(ROOT / "python")]


def measure(name, backend_name, tool, calls):
    """(seconds to the first call, seconds of a call)."""
    import check
    import grid

    mesh = grid.Grid(name)
    case = grid.CASES[name](mesh)
    backend = check.backend_named(backend_name, tool, case)
    offset_provider = mesh.offset_provider(backend)
    fields = check.fields_of(case, backend)
    begin = time.perf_counter()
    program = check.compiled(case, backend, offset_provider)
    check.invoke(case, program, fields, offset_provider)
    first = time.perf_counter() - begin
    rounds = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(calls // 5):
            check.invoke(case, program, fields, offset_provider)
        rounds.append((time.perf_counter() - begin) / (calls // 5))
    return first, min(rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--codegen", default="ours,dace,gt4py")
    parser.add_argument("--programs", default="")
    parser.add_argument("--calls", type=int, default=2000)
    options = parser.parse_args()
    os.environ.update(GT4PY_BUILD_JOBS="0", OMP_NUM_THREADS="1", GT4PY_BUILD_CACHE_LIFETIME="session")
    warnings.simplefilter("ignore")
    import check

    for module in check.MODULES:
        importlib.import_module(module)
    from grid import CASES

    backends = options.codegen.split(",")
    names = options.programs.split(",") if options.programs else list(CASES)
    columns = "".join(f" first, {b} | call, {b} |" for b in backends)
    print(f"| program |{columns}\n|---|{'---:|' * 2 * len(backends)}")
    measure(names[0], backends[0], options.tool, 5)  # loads what is loaded once
    for name in names:
        cells = []
        for backend in backends:
            first, call = measure(name, backend, options.tool, options.calls)
            cells += [f"{first:.2f} s", f"{call * 1e6:.0f} µs"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
