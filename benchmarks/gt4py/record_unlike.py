#!/usr/bin/env python3
"""Records the programs of unlike_icon4py/ for benchmarks/optimizer/compare.py --corpus DIR.

usage: record_unlike.py --tool SDFG-OPT --out DIR [--every N | --random FIRST:COUNT] [--jobs N] [CASE...]

They are unlike ICON4Py's on purpose: scans that carry nested tuples or follow one another, offsets read from
data, concat_where over domains that may be empty or overlap, statements that write what others read shifted,
flags, local fields, mixed types, one level, one cell. Each becomes a folder of DIR: the lowered SDFG, what it
was called with, and the results of the interpreter. Where GT4Py's embedded mode runs the program, too, the
two are compared. Exit status 1 when they differ, or when one cannot be recorded.

--random: programs made at random instead (unlike_icon4py/random_programs.py), r<FIRST> and following ones; GT4Py
itself cannot lower some of them.
"""
import argparse
import importlib
import multiprocessing
import os
import pathlib
import sys
import traceback
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "unlike_icon4py"), str(HERE.parents[1] / "python")]
MODULES = ["columns", "neighbours", "types_and_flags", "whole_programs", "physics", "combined", "one_level"]


def is_random(name):
    return name[0] == "r" and name[1:].isdigit()


def is_record(value):
    from gt4py.next import common
    from grid import Array

    return hasattr(value, "__dataclass_fields__") and not isinstance(value, (Array, common.Field))


def mapped(value, function):
    if hasattr(value, "_fields"):
        return type(value)(*(mapped(part, function) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(mapped(part, function) for part in value)
    if is_record(value):
        return type(value)(**{name: mapped(getattr(value, name), function) for name in value.__dataclass_fields__})
    return function(value)


def leaves(value, path):
    if is_record(value):
        for name in value.__dataclass_fields__:
            yield from leaves(getattr(value, name), f"{path}_{name}")
    elif isinstance(value, (tuple, list)):
        for i, part in enumerate(value):
            yield from leaves(part, f"{path}_{i}")
    else:
        yield path, value


def made(name):
    import common
    from grid import Grid

    if is_random(name):
        from random_programs import random_program

        random_program(int(name[1:]))
    make = common.CASES[name]
    grid = Grid(name, **getattr(make, "grid", {}))
    return grid, make(grid)


def prepared(name, backend):
    """The program with a backend, its arguments as fields, and the keywords of a call."""
    import common
    from grid import Array

    grid, case = made(name)
    offsets = grid.offset_provider(backend)
    if backend is None:
        offsets["Koff"] = common.K
    fields = {n: mapped(v, lambda x: x.on(backend) if isinstance(x, Array) else x) for n, v in case.args.items()}
    program = case.program.with_backend(backend)
    if case.static and backend is not None:
        program = program.with_compilation_options(enable_jit=False)
        program.compile(**{n: [case.args[n]] for n in case.static}, offset_provider=offsets)
    more = {} if case.domain is None else {"domain": case.domain}
    return case, program, fields, more | {"offset_provider": offsets}


def record(name, tool, out):
    import numpy as np
    import sdfg_gt4py

    case = made(name)[1]
    _, program, fields, more = prepared(name, sdfg_gt4py.make_backend("cpu", tool=tool, **case.options))
    sdfg_gt4py.look(program, **fields, **more).record(out / name)
    data = np.load(out / name / "data.npz")
    return {key.removeprefix("out:"): data[key] for key in data.files if key.startswith("out:")}


def embedded(name):
    _, program, fields, more = prepared(name, None)
    program(**fields, **more)
    return {path: value.asnumpy() for n, v in fields.items() for path, value in leaves(v, n)
            if hasattr(value, "asnumpy")}


def differences(found, wanted, bound):
    import numpy as np

    for path in found.keys() & wanted.keys():
        x, y = found[path], wanted[path]
        if x.dtype.kind in "fc":
            with np.errstate(all="ignore"):
                same = (np.abs(x - y) <= bound * np.maximum(1, np.abs(y))) | ((x != x) & (y != y)) | (x == y)
        else:
            same = x == y
        if not np.all(same):
            yield f"{path}: {np.size(same) - np.count_nonzero(same)} of {np.size(same)} elements differ"


def import_cases():
    import common

    for module in MODULES:
        importlib.import_module(module)
    return common.CASES


def check(job):
    """What happened to one case, and whether that is a fault."""
    name, tool, out = job
    warnings.simplefilter("ignore")
    import_cases()
    try:
        recorded = record(name, tool, out)
    except Exception as error:
        from sdfg_gt4py import SdfgOptError

        if is_random(name) and not isinstance(error, SdfgOptError):
            return f"{name}: GT4Py cannot lower it ({type(error).__name__})", False
        return f"{name}: not recorded: {traceback.format_exception_only(error)[-1].strip()[:300]}", True
    case = made(name)[1]
    if not case.embedded:
        return f"{name}: recorded", False
    try:
        problems = list(differences(recorded, embedded(name), case.bound))
    except Exception as error:
        return f"{name}: recorded; embedded mode cannot run it ({type(error).__name__})", False
    return f"{name}: " + ("; ".join(problems) or "agrees with embedded mode"), bool(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=os.path.abspath)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th case")
    parser.add_argument("--random", metavar="FIRST:COUNT", help="random programs instead")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("names", nargs="*", metavar="CASE")
    options = parser.parse_args()
    names = options.names or list(import_cases())[:: options.every]
    if options.random:
        first, count = map(int, options.random.split(":"))
        names = [f"r{seed}" for seed in range(first, first + count)]
    failed = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for said, bad in pool.imap(check, [(name, options.tool, options.out) for name in names]):
            failed += bad
            print(said, flush=True)
    print(f"{len(names) - failed} of {len(names)} cases recorded, and equal where there is another judge")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
