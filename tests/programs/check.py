#!/usr/bin/env python3
"""GT4Py programs of our own, run with sdfg_gt4py, beside NumPy and GT4Py's DaCe backend.

usage: check.py --tool PATH [--codegen ours,dace,stand-in] [--gt4py] [--device cpu|cuda|hip]
                [--programs NAME|MODULE,…] [--every N] [--jobs N] [--list]

Each program is compiled with each choice of `codegen` and called twice, with arguments at other
addresses the second time. What it writes must agree with the NumPy reference within the program's
bound, and nothing else may change. With --gt4py GT4Py's own DaCe backend runs as well, and the
bits must be the same; all is compiled without contraction for that. "stand-in" runs the CUDA that
sdfg-opt generates on the CPU. Needs Python with gt4py; for a GPU, CuPy and nvcc or hipcc.
"""

import argparse
import importlib
import multiprocessing
import os
import pathlib
import sys
import time
import traceback
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]
MODULES = ["horizontal", "vertical", "scans", "plane", "kinds", "seldom", "unusual"]


def leaves(value, path):
    """The arrays and scalars in tuples, with the name of each."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from leaves(part, f"{path}[{i}]")
    else:
        yield path, value


def mapped(value, function):
    if not isinstance(value, tuple):
        return function(value)
    parts = [mapped(part, function) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def backend_named(name, tool, case, device="cpu"):
    from gt4py.next.program_processors.runners.dace import make_dace_backend

    import sdfg_gt4py
    import stand_in

    if name == "gt4py":
        return make_dace_backend(gpu=device != "cpu", **case.options)
    if name == "stand-in":
        return stand_in.make_backend(tool, **case.options)
    return sdfg_gt4py.make_backend(device, name, tool=tool, **case.options)


def fields_of(case, backend):
    from grid import Array

    return {name: mapped(value, lambda v: v.on(backend) if isinstance(v, Array) else v)
            for name, value in case.arguments.items()}


def invoke(case, program, fields, offset_provider):
    more = {} if case.domain is None else {"domain": case.domain}
    program(**fields, **more, offset_provider=offset_provider)


def call(case, program, backend, offset_provider):
    """The arrays after one call with fields of its own, by name."""
    fields = fields_of(case, backend)
    invoke(case, program, fields, offset_provider)
    return {path: field.asnumpy() for name, value in fields.items() for path, field in leaves(value, name)
            if hasattr(field, "asnumpy")}


def compiled(case, backend, offset_provider):
    program = case.program.with_backend(backend)
    if case.static:
        program = program.with_compilation_options(enable_jit=False)
        known = {name: [case.arguments[name]] for name in case.static}
        program.compile(**known, offset_provider=offset_provider)
    return program


def expected(case):
    from grid import Array

    inputs = {name: mapped(value, lambda v: v.values if isinstance(v, Array) else v)
              for name, value in case.arguments.items()}
    with_numpy = mapped_copy(inputs)
    return {path: value for name, result in (inputs | case.reference(**with_numpy)).items()
            for path, value in leaves(result, name) if hasattr(value, "shape") and value.shape != ()}


def mapped_copy(inputs):
    return {name: mapped(value, lambda v: v.copy() if hasattr(v, "copy") else v) for name, value in inputs.items()}


def differences(got, wanted, bound):
    """A line for each array that differs; `bound` is relative to max(1, |wanted|), 0 asks for the same bits."""
    import numpy as np

    for path, value in wanted.items():
        found = got[path]
        if bound == 0 or value.dtype.kind not in "fc":
            same = (found == value) | ((found != found) & (value != value))
            off = int((~same).sum())
        else:
            with np.errstate(all="ignore"):
                off = int((~(np.abs(found - value) <= bound * np.maximum(1, np.abs(value)))).sum())
        if off:
            worst = np.nanmax(np.abs(found.astype(float) - value.astype(float)))
            yield f"{path}: {off} of {value.size} elements differ, by up to {worst:.3g}"


def check(job):
    """Problems of one program, and seconds to its first call by backend."""
    name, backends, tool, device = job
    warnings.simplefilter("ignore")
    for module in MODULES:
        importlib.import_module(module)
    import grid

    problems, seconds, results = [], {}, {}
    for backend_name in backends:
        try:
            mesh = grid.Grid(name)
            case = grid.CASES[name](mesh)
            backend = backend_named(backend_name, tool, case, device)
            offset_provider = mesh.offset_provider(backend)
            begin = time.perf_counter()
            program = compiled(case, backend, offset_provider)
            first = call(case, program, backend, offset_provider)
            seconds[backend_name] = time.perf_counter() - begin
            again = call(case, program, backend, offset_provider)
            results[backend_name] = first
            wanted = expected(case)
            problems += [f"{backend_name}, NumPy: {d}" for d in differences(first, wanted, case.bound)]
            problems += [f"{backend_name}, second call: {d}" for d in differences(again, first, 0)]
        except Exception as failure:
            last = traceback.extract_tb(failure.__traceback__)[-1]
            where = f"{pathlib.Path(last.filename).name}:{last.lineno}"
            problems.append(f"{backend_name}: {type(failure).__name__} ({where}): {str(failure)[:1000]}")
    for backend_name in set(results) - {"gt4py"} if "gt4py" in results else ():
        found = differences(results[backend_name], results["gt4py"], 0)
        problems += [f"{backend_name}, GT4Py's DaCe backend: {d}" for d in found]
    return name, problems, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--codegen", default="ours")
    parser.add_argument("--gt4py", action="store_true")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "hip"])
    parser.add_argument("--programs", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    # No contraction, so that results are comparable bit for bit; GT4Py reads this for its own builds, too.
    os.environ.setdefault("CXXFLAGS", "-O1 -fPIC -ffp-contract=off")
    os.environ.setdefault("CUDAFLAGS", "-O3 -fmad=false -Xcompiler -fPIC")
    os.environ.setdefault("HIPFLAGS", "-O3 -ffp-contract=off -fPIC")
    os.environ.update(GT4PY_BUILD_JOBS="0", PYTHONWARNINGS="ignore", OMP_NUM_THREADS="2")
    for module in MODULES:
        importlib.import_module(module)
    from grid import CASES

    wanted = options.programs.split(",")
    names = [name for name, make in CASES.items() if {name, make.__module__} & set(wanted)]
    names = names if options.programs else list(CASES)[:: options.every]
    if options.list:
        print("\n".join(f"{name:40} {(CASES[name].__doc__ or '').strip()}" for name in names))
        return
    backends = [b for b in options.codegen.split(",") if b] + ["gt4py"] * options.gt4py
    jobs = [(name, backends, os.path.abspath(options.tool), options.device) for name in names]
    failed = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for name, problems, seconds in pool.imap(check, jobs):
            times = ", ".join(f"{backend} {value:.2f} s" for backend, value in seconds.items())
            print(f"{name}: {'ok' if not problems else 'FAILED'} ({times})", flush=True)
            for problem in problems:
                print(f"  {problem}", flush=True)
            failed += bool(problems)
    print(f"{len(names) - failed} of {len(names)} programs agree ({', '.join(backends)}; {options.device})")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
