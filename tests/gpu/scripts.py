#!/usr/bin/env python3
"""Runs the scripts of benchmarks/gpu on one small program, as far as they go without a GPU, so that they do not rot.

prepare.py (with compulsory.py), tune.py prepare and plan, calls.py prepare; where nvcc is here calls.py run --no-device
and compile_times.py, where clang++-19 is here amd.py. Our code stands in for DaCe's, whose generator takes too long.
What is skipped is said.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "benchmarks/gpu"
PROGRAM = "update_mass_flux_weighted"
FAILED = []


def expect(what, wanted, command, **environment):
    """Runs a script; it has to succeed and to print each of the `wanted` texts."""
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    missing = [text for text in wanted if text not in done.stdout]
    good = done.returncode == 0 and not missing
    print(f"{what}: {'fine' if good else f'FAILED, exit {done.returncode}, not printed: {missing}'}")
    if not good:
        FAILED.append(what)
        print(done.stdout[-1500:] + done.stderr[-1500:])
    return good


def nvcc():
    found = shutil.which("nvcc")
    wheels = sorted(ROOT.glob(".venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc"))
    return found or (str(wheels[0]) if wheels else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--corpus", required=True, type=lambda path: pathlib.Path(path).resolve())
    options = parser.parse_args()
    if not importlib.util.find_spec("numpy"):
        print("SKIPPED: this Python has no numpy")
        return 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        bench, tune, calls = work / "bench", work / "tune", work / "calls"
        for script in ("prepare", "run", "tune", "calls", "compile_times", "amd"):
            expect(f"{script}.py --help", ["usage: "], [SCRIPTS / f"{script}.py", "--help"])
        if expect("prepare.py", ["formula off by 0.0e+00"],
                  [SCRIPTS / "prepare.py", "--corpus", options.corpus, "--sdfg-opt", options.tool, "--out", bench, "--work",
                   work / "work", "--only", "ours", "-n", "150", PROGRAM]):
            expect("tune.py prepare", [f"{PROGRAM}@static-45000: 1 of 1 kernels under 9 plans"],
                   [SCRIPTS / "tune.py", "prepare", "--sdfg-opt", options.tool, "--bench", bench, "--out", tune, "@static"])
        (work / "winners.json").write_text("{}")
        expect("tune.py plan", [], [SCRIPTS / "tune.py", "plan", "--sdfg-opt", options.tool, "--store", work / "winners.json",
                                    "--device", "any", "--", options.corpus / "icon4py" / f"{PROGRAM}__none" / "lowered.sdfgz",
                                    "--gt4py=target=cuda"])
        prepared = expect("calls.py prepare", [], [SCRIPTS / "calls.py", "prepare", "--sdfg-opt", options.tool, "--out", calls])
        if compiler := nvcc():
            if prepared:
                expect("calls.py run --no-device", ["|"], [calls / "calls.py", "run", calls, "--no-device", "--nvcc", compiler])
            for program in bench.glob("*/ours.cu"):
                shutil.copy(program, program.with_name("dace.cu"))
                program.with_name("dace.cpp").write_text("int nothing;\n")
            expect("compile_times.py", ["| all 1 static |"],
                   [SCRIPTS / "compile_times.py", bench, "--nvcc", compiler, "@static"])
        else:
            print("calls.py run, compile_times.py: SKIPPED, there is no nvcc")
        if shutil.which("clang++-19"):
            amd = work / "amd" / PROGRAM
            amd.mkdir(parents=True)
            (amd / "dace.hip").write_text("#include <hip/hip_runtime.h>\n__global__ void theirs(double* p) { p[threadIdx.x] = 1; }\n")
            (amd / "dace.json").write_text(json.dumps(dict(package=str(work))))
            expect("amd.py", [f"| {PROGRAM} | gfx942 | ours | 1 |", "| all | gfx942 | DaCe | 1 |"],
                   [SCRIPTS / "amd.py", "--corpus", options.corpus, "--sdfg-opt", options.tool, "--work", work / "amd", "--arch", "gfx942", PROGRAM])
        else:
            print("amd.py: SKIPPED, there is no clang++-19")
    print(f"scripts: {len(FAILED)} failed")
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
