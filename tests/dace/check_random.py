#!/usr/bin/env python3
"""DaCe loads and validates what passes and pipelines make of random programs.

Programs come from sdfg-gen. One that DaCe itself does not load or validate as generated is left out, and one
that sdfg-opt refuses. For a DaCe that wants whole containers in nested SDFGs: --last=view-nested-access.

Needs Python with dace. Prints each program whose result DaCe does not take, with the commands, and a closing
line; two runs with the same seeds do the same.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

KINDS = ["mixed", "patterns", "patterns", "patterns", "pieces", "pieces", "pieces", "nest", "branches", "conditionals",
         "loops"]
# These have no meaning without options, or make a program for another one to finish.
NOT_DRAWN = {"loop-blocking", "map-dim-shuffle", "demote-fields", "restore-fields", "substitute-symbols"}
NAMED = ["simplify", "auto", "auto{target=cuda}", "gt4py{assume_pointwise=false}",
         "gt4py{assume_pointwise=false target=cuda}"]


def complaint(path):
    """What DaCe says against a file; nothing when it takes it."""
    import dace
    warnings.filterwarnings("ignore")
    try:
        dace.SDFG.from_file(str(path)).validate()
    except Exception as error:  # whatever it is, the file was not taken
        return f"{type(error).__name__}: {error}"
    return ""


def drawn(draw, passes):
    """The pass that a program of patterns is made for, and a pipeline, which it may begin."""
    wanted = draw.choice(passes)
    kind = draw.random()
    if kind < 0.3:
        return wanted, wanted
    if kind < 0.5:
        return wanted, ",".join(draw.choices(passes, k=4))
    if kind < 0.6:
        return wanted, f"simplify,{wanted}"
    return wanted, draw.choice(NAMED)


def one(tools, passes, last, seed, folder):
    """(outcome, what to print)."""
    draw = random.Random(seed)
    kind, size = draw.choice(KINDS), draw.choice([10, 20, 40])
    wanted, pipeline = drawn(draw, passes)
    made, optimized = folder / f"{seed}.sdfg", folder / f"{seed}-optimized.sdfg"
    make = [tools / "sdfg-gen", f"--kind={kind}", f"--size={3 * size if kind == 'pieces' else size}", f"--seed={seed}"]
    if kind == "patterns" and draw.random() < 0.7:
        make.append(f"--for={wanted}")
    if subprocess.run([*make, "-o", made], capture_output=True).returncode or complaint(made):
        return "left out", ""
    optimize = [tools / "sdfg-opt", made, f"--pipeline={pipeline}{',' + last if last else ''}", "-o", optimized]
    if subprocess.run(optimize, capture_output=True).returncode:
        return "left out", ""
    said = complaint(optimized)
    for path in (made, optimized):
        path.unlink()
    if not said:
        return "taken", ""
    return "fault", f"{' '.join(map(str, make))} -o {made.name}\n  --pipeline='{pipeline}'\n  DaCe: {said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=pathlib.Path, help="folder of sdfg-opt and sdfg-gen")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--last", default="", metavar="PASS", help="a pass behind each pipeline")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tools = options.tools.resolve()
    listed = subprocess.run([tools / "sdfg-opt", "--list-passes"], capture_output=True, text=True, check=True)
    passes = [name for line in listed.stdout.splitlines() if (name := line.split()[0]) not in NOT_DRAWN]
    outcomes = collections.Counter()
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(one, tools, passes, options.last, seed, pathlib.Path(name))
                 for seed in range(options.seed, options.seed + options.count)]
        for task in tasks:
            outcome, text = task.result()
            outcomes[outcome] += 1
            if text:
                print(text, flush=True)
    print(f"DaCe takes {outcomes['taken']} optimized random programs, and not {outcomes['fault']}; "
          f"{outcomes['left out']} were left out")
    return 1 if outcomes["fault"] or not outcomes["taken"] else 0


if __name__ == "__main__":
    sys.exit(main())
