#!/usr/bin/env python3
"""Records random programs in DaCe's Python (random_python.py) for tests/corpus/check.py and tests/random/pipelines.py.

usage: record_random.py --tool SDFG-OPT --out DIR --random FIRST:COUNT [--jobs N]

Each becomes a folder of DIR: what DaCe's frontend makes of it (`plain.sdfgz`), and what DaCe's simplification makes of
that (`simplified.sdfgz`); the arguments, and the results of the interpreter (`data.npz`), which are NumPy's. DaCe's
frontend refuses some programs, and gets some wrong: where NumPy has other results, DaCe compiles and runs the program
as well and has the last word. Exit status 1 when it agrees with NumPy.
"""
import argparse
import importlib.util
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def module(folder, name, text):
    """The functions of a text; DaCe reads the source of its programs from the file."""
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def with_numpy(seed, folder, given):
    """The arrays after the call."""
    import numpy as np
    import random_python

    arrays = {name: np.copy(value) for name, value in given.items() if isinstance(value, np.ndarray)}
    function = module(folder, f"numpy{seed}", random_python.text(seed, sizes=True)).program
    named = {n: v for n, v in given.items() if n not in random_python.SIZES}
    result = function(**(named | arrays))
    return arrays if result is None else arrays | {"__return": result}


def with_dace(sdfg, given):
    import dace
    import numpy as np

    dace.Config.set("compiler", "cpu", "args", value="-std=c++14 -fPIC -O1 -ffp-contract=off -w")
    arrays = {name: np.copy(value) for name, value in given.items() if isinstance(value, np.ndarray)}
    needed = sdfg.arglist().keys() | sdfg.free_symbols
    result = sdfg(**{name: value for name, value in (given | arrays).items() if name in needed})
    return arrays if result is None else arrays | {"__return": result}


def unequal(found, wanted):
    import numpy as np

    return [name for name in wanted if not np.array_equal(found[name], wanted[name])]


def record(seed, tool, out):
    """What happened, and whether that is a fault."""
    import numpy as np
    import random_python

    name, to = f"d{seed}", out / f"d{seed}"
    given = random_python.arguments(seed) | random_python.SIZES
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # DaCe writes what it refuses into the working directory
        try:
            wanted = with_numpy(seed, folder, given)
            program = module(folder, f"dace{seed}", random_python.text(seed)).program
            try:
                sdfg = program.to_sdfg(simplify=False)
                sdfg.validate()
            except Exception as error:  # DaCe raises whatever it likes
                return f"{name}: DaCe cannot lower it ({type(error).__name__}: {error})"[:200], False
            to.mkdir(parents=True, exist_ok=True)
            (to / "program.py").write_text(random_python.text(seed))
            sdfg.save(str(to / "plain.sdfgz"), compress=True)
            if "__return" in wanted:
                given["__return"] = np.zeros_like(wanted["__return"])
            np.savez(to / "in.npz", **{f"in:{n}": value for n, value in given.items()})
            ran = subprocess.run([tool, to / "plain.sdfgz", f"--run={to / 'in.npz'}", f"--record={to / 'data.npz'}",
                                  "--emit=none"], capture_output=True, text=True)
            (to / "in.npz").unlink()
            if ran.returncode:
                return f"{name}: {ran.stderr.strip().splitlines()[0]}"[:300], True
            data = np.load(to / "data.npz")
            found = {n: data[f"out:{n}"] for n in wanted}
            wrong = unequal(found, wanted)
            if wrong and unequal(with_dace(sdfg, {n: v for n, v in given.items() if n != "__return"}), found):
                return f"{name}: {', '.join(wrong)}: neither NumPy's nor DaCe's results", True
            try:
                sdfg.simplify()
                sdfg.save(str(to / "simplified.sdfgz"), compress=True)
            except Exception as error:
                return f"{name}: recorded; DaCe cannot simplify it ({type(error).__name__})", False
        finally:
            os.chdir("/")
    return f"{name}: {'DaCe lowers it to something else, as recorded' if wrong else 'as with NumPy'}", False


def check(job):
    warnings.simplefilter("ignore")
    try:
        return record(*job)
    except Exception as error:
        return f"d{job[0]}: {type(error).__name__}: {error}"[:300], True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=os.path.abspath)
    parser.add_argument("--out", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--random", metavar="FIRST:COUNT", required=True)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    options = parser.parse_args()
    first, count = map(int, options.random.split(":"))
    failed = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for said, bad in pool.imap(check, [(seed, options.tool, options.out) for seed in range(first, first + count)]):
            failed += bad
            print(said, flush=True)
    print(f"{count - failed} of {count} programs without a difference")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
