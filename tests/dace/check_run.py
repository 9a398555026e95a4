#!/usr/bin/env python3
"""DaCe loads, validates, compiles and runs what we write, and gives the recorded outputs.

For each program folder (one that holds data.npz) the named SDFG goes through `sdfg-opt`
(`--profile` head or compat, and any further passes given after `--`), then through DaCe's own
loader, validation, code generator and compiler, without contraction and at -O1. Every recorded
output must come back bit for bit (floating-point NaNs compare equal to NaNs).

Needs Python with dace; prints one line a program and a closing line.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def run_one(job):
    """Runs in a process of its own, because DaCe keeps global state. Returns (name, problem)."""
    tool, profile, passes, folder, file_name, max_nodes = job
    os.environ["DACE_compiler_cpu_args"] = "-fPIC -O1 -std=c++20 -ffp-contract=off -w -fopenmp"
    os.environ["DACE_compiler_allow_view_arguments"] = "1"
    os.environ["DACE_profiling"] = "0"
    os.environ["DACE_testing_deserialize_exception"] = "1"
    os.environ["OMP_NUM_THREADS"] = "2"
    import warnings

    warnings.simplefilter("ignore")
    import numpy as np

    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        os.environ["DACE_default_build_folder"] = scratch + "/build"
        import dace

        dace.Config.set("default_build_folder", value=scratch + "/build")
        dace.Config.set("compiler", "cpu", "args", value=os.environ["DACE_compiler_cpu_args"])
        path = pathlib.Path(folder) / file_name
        written = pathlib.Path(scratch) / "written.sdfg"
        command = [tool, str(path), *passes, "--emit=json", f"--profile={profile}", "-o", str(written)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"sdfg-opt failed: {done.stderr.strip()[:400]}"
        try:
            sdfg = dace.SDFG.from_file(str(written))
            sdfg.validate()
        except Exception as error:  # DaCe raises whatever it likes
            return f"DaCe does not accept it: {type(error).__name__}: {str(error)[:400]}"
        if max_nodes and sum(1 for _ in sdfg.all_nodes_recursive()) > max_nodes:
            return "skipped: too many nodes"
        data = np.load(pathlib.Path(folder) / "data.npz")
        given = {k[3:]: data[k] for k in data.files if k.startswith("in:")}
        expected = {k[4:]: data[k] for k in data.files if k.startswith("out:")}
        try:
            compiled = sdfg.compile()
            wanted = set(sdfg.arglist())
            arguments = {}
            for name, value in given.items():
                if name in wanted:
                    arguments[name] = value.copy(order="K") if value.ndim else value.item()
            compiled(**arguments)
        except Exception as error:
            return f"DaCe does not run it: {type(error).__name__}: {str(error)[:400]}"
        for name, value in expected.items():
            if name not in arguments:
                if name.startswith("__return"):
                    continue
                return f"output '{name}' is no argument of the written program"
            if not np.array_equal(arguments[name], value, equal_nan=value.dtype.kind in "fc"):
                unequal = int(np.count_nonzero(arguments[name] != value))
                return f"output '{name}': {unequal} of {value.size} elements differ"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the sdfg-opt to test")
    parser.add_argument("--corpus", default=os.environ.get("SDFG_CORPUS"), help="the corpus folder")
    parser.add_argument("--file", default="lowered.sdfgz", help="which SDFG of each folder")
    parser.add_argument("--profile", default="head", choices=["keep", "head", "compat"])
    parser.add_argument("--only", default="", help="only folders whose name contains this")
    parser.add_argument("--count", type=int, default=0, help="that many, evenly spread (0: all)")
    parser.add_argument("--max-nodes", type=int, default=500, help="skip larger programs (0: none)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("passes", nargs="*", help="pass options for sdfg-opt, after --")
    options = parser.parse_args()
    if not options.corpus:
        print("[SKIP] check_run: SDFG_CORPUS is not set")
        return 0
    root = pathlib.Path(options.corpus)
    root = root / "icon4py" if (root / "icon4py").is_dir() else root
    folders = sorted(p.parent for p in root.glob("*/data.npz") if options.only in p.parent.name)
    if options.count and options.count < len(folders):
        folders = [folders[i * len(folders) // options.count] for i in range(options.count)]
    tool = str(pathlib.Path(options.tool).resolve())
    jobs = [(tool, options.profile, options.passes, str(f.resolve()), options.file, options.max_nodes) for f in folders]
    failed = skipped = 0
    started = time.time()
    with concurrent.futures.ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        for folder, problem in zip(folders, pool.map(run_one, jobs)):
            if problem.startswith("skipped"):
                skipped += 1
            elif problem:
                failed += 1
            print(f"{'ok  ' if not problem else 'FAIL' if not problem.startswith('skipped') else 'skip'} "
                  f"{folder.name}{': ' + problem if problem else ''}", flush=True)
    passed = len(folders) - failed - skipped
    print(f"DaCe ran {options.file} as {options.profile}: {passed} passed, {failed} failed, {skipped} skipped "
          f"in {time.time() - started:.0f} s")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
