#!/usr/bin/env python3
"""Random programs through random pipelines: each pass leaves a valid program with the same results.

    tests/random/pipelines.py --tools build/release/tools [--count 300] [--seed 1] [--jobs 2]

For each seed: a program of sdfg-gen with recorded results, and `simplify`, `gt4py`, or up to eight
passes drawn at random (--list-passes), under --check-semantics=each. A fault is printed with the
commands that show it again; sdfg-reduce makes it small. Passes that need options are left out.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

KINDS = ["mixed", "mixed", "chain", "conditionals", "loops", "nest", "wide", "branches", "copies"]
NEED_OPTIONS = {"substitute-symbols", "map-dim-shuffle", "loop-blocking", "simplify", "gt4py",
                "gpu-transformation"}


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def one(tools, passes, seed, folder):
    """(outcome, what to print, passes of the pipeline)."""
    draw = random.Random(seed)
    kind, size = draw.choice(KINDS), draw.choice([10, 20, 40])
    drawn = draw.choices(passes, k=draw.randint(3, 8))
    pipeline = draw.choice(["gt4py{assume_pointwise=false}", "simplify"] + [",".join(drawn)] * 6)
    program, data = folder / f"{seed}.txt", folder / f"{seed}.npz"
    make = [tools / "sdfg-gen", f"--kind={kind}", f"--size={size}", f"--seed={seed}", "--emit=text",
            "-o", program, f"--data={data}", "--record"]
    if run(*make).returncode:
        return "not made", "", []
    done = run(tools / "sdfg-opt", program, f"--pipeline={pipeline}", "--check-semantics=each",
               f"--run={data}", "--emit=none")
    for path in (program, data):
        path.unlink()
    if done.returncode == 0:
        return "same", "", pipeline.split(",")
    why = next((l for l in done.stderr.splitlines() if "error" in l or "bit" in l), done.stderr)
    return "fault", (f"{' '.join(str(w) for w in make)}\n"
                     f"  sdfg-opt … --pipeline='{pipeline}' --check-semantics=each\n  {why}"), []


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tools = options.tools.resolve()
    listed = run(tools / "sdfg-opt", "--list-passes").stdout.splitlines()
    passes = [line.split()[0] for line in listed if line.split()[0] not in NEED_OPTIONS]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda s: one(tools, passes, s, pathlib.Path(folder)),
                                    range(options.seed, options.seed + options.count)))
    faults = [text for outcome, text, _ in results if outcome == "fault"]
    print("\n".join(faults[:10]))
    same = sum(outcome == "same" for outcome, _, _ in results)
    print(f"random pipelines: seeds {options.seed} to {options.seed + options.count - 1}: "
          f"{same} with the same results after every pass, {len(faults)} faults, "
          f"{len(results) - same - len(faults)} programs not made")
    sys.exit(bool(faults) or not same)


if __name__ == "__main__":
    main()
