#!/usr/bin/env python3
"""Records random programs in DaCe's Python (random_python.py) for tests/corpus/check.py --corpus DIR.

usage: record_random.py --tool SDFG-OPT --out DIR --random FIRST:COUNT [--jobs N]

Each becomes a folder of DIR: what DaCe's frontend makes of it (`plain.sdfgz`), and simplified by DaCe
(`simplified.sdfgz`); the arguments, and the results of NumPy (`data.npz`). The interpreter runs the plain one, and
is to find the same bits. DaCe's frontend refuses some programs. Exit status 1 when results differ.
"""
import argparse
import gzip
import importlib.util
import json
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


def with_numpy(seed, folder):
    import numpy as np
    import random_python

    given = random_python.arguments(seed)
    arrays = {name: np.copy(value) for name, value in given.items() if isinstance(value, np.ndarray)}
    function = module(folder, f"numpy{seed}", random_python.text(seed, sizes=True)).program
    with np.errstate(all="ignore"):
        function(**(given | arrays))
    entries = {f"in:{name}": value for name, value in (given | random_python.SIZES).items()}
    return entries | {f"out:{name}": value for name, value in arrays.items()}


def record(seed, tool, out):
    """What happened, and whether that is a fault."""
    import numpy as np

    name = f"d{seed}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # DaCe writes what it refuses into the working directory
        try:
            data = with_numpy(seed, folder)
            import random_python

            program = module(folder, f"dace{seed}", random_python.text(seed)).program
            try:
                plain = program.to_sdfg(simplify=False)
            except Exception as error:  # DaCe raises whatever it likes
                return f"{name}: DaCe cannot lower it ({type(error).__name__}: {str(error)[:200]})", False
            to = out / name
            to.mkdir(parents=True, exist_ok=True)
            (to / "program.py").write_text(random_python.text(seed))
            np.savez(to / "data.npz", **data)
            plain.save(str(to / "plain.sdfgz"), compress=True)
            try:
                plain.simplify()
                plain.save(str(to / "simplified.sdfgz"), compress=True)
            except Exception as error:
                pass
        finally:
            os.chdir("/")
    ran = subprocess.run([tool, to / "plain.sdfgz", f"--run={to / 'data.npz'}", "--emit=none"], capture_output=True, text=True)
    if ran.returncode:
        return f"{name}: {ran.stderr.strip().splitlines()[0][:300]}", True
    return f"{name}: agrees with NumPy", False


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
