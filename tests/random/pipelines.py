#!/usr/bin/env python3
"""Random programs through random pipelines: each pass leaves a valid program with the same results.

    tests/random/pipelines.py --tools build/release/tools [--count 300] [--seed 1] [--jobs 2]

For each seed: a program and a pipeline, under --check-semantics=each. The program is one of sdfg-gen
with recorded results, or the input of a text case (tests/text/passes) with made arguments. The
pipeline is `simplify`, `auto`, `gt4py`, or up to eight passes drawn at random (--list-passes), for a
text case often beginning with its own pass. A fault is printed with the commands that show it again;
sdfg-reduce makes it small. --counts prints how often each pass applied.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zipfile

KINDS = ["mixed", "mixed", "chain", "conditionals", "loops", "nest", "wide", "branches", "copies",
         "patterns", "patterns", "patterns"]
# Pipelines, which are drawn apart, and what the interpreter's host cannot read between the steps.
NOT_DRAWN = {"simplify", "auto", "gt4py", "gpu-transformation"}
NAMED = ["gt4py{assume_pointwise=false}", "simplify", "auto"]
# Options without which a pass does nothing, or does it seldom.
OPTIONS = {
    "substitute-symbols": ["symbols=N=$N"],  # the recorded value
    "map-dim-shuffle": ["parameters=j,i", "parameters=k,j,i"],
    "loop-blocking": ["blocking_parameters=i blocking_size=3 require_independent_nodes=false"],
    "inline-fusion": ["", "always"],
    "map-tiling": ["", "tile_sizes=4", "tile_sizes=3,2"],
    "strip-mining": ["tile_size=4", "tile_size=4 strided"],
}


# Cases in which the order of two accesses is open, so that a pass may choose another one.
RACES = ["sdfg between(", "sdfg inout("]


def with_options(draw, name):
    options = draw.choice(OPTIONS.get(name, [""]))
    return f"{name}{{{options}}}" if options else name


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def applications(text):
    """How often each pass applied, as the table of --stats says."""
    lines = (line.split() for line in text.splitlines())
    return {w[0]: int(w[3]) for w in lines if len(w) == 5 and w[1].isdigit() and w[3].isdigit()}


def recorded(data, name):
    """A recorded integer, which is the end of its entry; 5 if there is none."""
    with zipfile.ZipFile(data) as entries:
        entry = f"in:{name}.npy"
        return int.from_bytes(entries.read(entry)[-8:], "little") if entry in entries.namelist() else 5


def cases(tools):
    """(pass, input) of the text cases whose input is a valid program."""
    found = []
    for file in sorted((pathlib.Path(__file__).parent.parent / "text/passes").glob("*.test")):
        for case in re.split(r"^=== .*\n", file.read_text(), flags=re.M):
            program = re.split(r"^---.*\n", case, flags=re.M)
            races = any(race in case for race in RACES)
            if len(program) > 1 and program[1].startswith("sdfg ") and not races:
                found.append((file.stem, program[1]))
    return [c for c in found if not subprocess.run(
        [tools / "sdfg-opt", "--verify-only"], input=c[1], text=True, capture_output=True).returncode]


def on_case(tools, passes, texts, draw):
    """The same for a text case."""
    name, program = draw.choice(texts)
    # Sizes of a case are of its own making.
    usable = [name for name in passes if name != "substitute-symbols"]
    drawn = [with_options(draw, name) for name in draw.choices(usable, k=draw.randint(1, 6))]
    if name in usable and draw.random() < 0.6:
        drawn.insert(draw.randint(0, min(2, len(drawn))), with_options(draw, name))
    pipeline = draw.choice(NAMED + [",".join(drawn)] * 9)
    command = [tools / "sdfg-opt", f"--pipeline={pipeline}", "--check-semantics=each", "--emit=none",
               "--stats", "--tolerance=1e-9"]  # made floats are no fractions of a power of 2
    try:
        done = subprocess.run(command, input=program, text=True, capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:  # some cases are loops that do not end
        return "refused", "", {}
    if done.returncode == 0 or "--check-semantics compared nothing" in done.stderr:
        return "same", "", applications(done.stderr)
    why = next((l for l in done.stderr.splitlines() if "error" in l or "bit" in l), done.stderr)
    if done.returncode == 1 and "internal error" not in done.stderr and "bit" not in why:
        return "refused", "", {}  # an input that a pass says no to
    return "fault", f"{program}\n  sdfg-opt --pipeline='{pipeline}' --check-semantics=each\n  {why}", {}


def one(tools, passes, texts, seed, folder):
    """(outcome, what to print, how often each pass applied)."""
    draw = random.Random(seed)
    if draw.random() < 0.4:
        return on_case(tools, passes, texts, draw)
    kind, size = draw.choice(KINDS), draw.choice([10, 20, 40])
    drawn = [with_options(draw, name) for name in draw.choices(passes, k=draw.randint(3, 8))]
    pipeline = draw.choice(NAMED + [",".join(drawn)] * 6)
    program, data = folder / f"{seed}.txt", folder / f"{seed}.npz"
    make = [tools / "sdfg-gen", f"--kind={kind}", f"--size={size}", f"--seed={seed}", "--emit=text",
            "-o", program, f"--data={data}", "--record"]
    if run(*make).returncode:
        return "not made", "", {}
    pipeline = pipeline.replace("$N", str(recorded(data, "N")))
    done = run(tools / "sdfg-opt", program, f"--pipeline={pipeline}", "--check-semantics=each",
               f"--run={data}", "--emit=none", "--stats")
    for path in (program, data):
        path.unlink()
    if done.returncode == 0:
        return "same", "", applications(done.stderr)
    why = next((l for l in done.stderr.splitlines() if "error" in l or "bit" in l), done.stderr)
    return "fault", (f"{' '.join(str(w) for w in make)}\n"
                     f"  sdfg-opt … --pipeline='{pipeline}' --check-semantics=each\n  {why}"), {}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--counts", action="store_true", help="print how often each pass applied")
    options = parser.parse_args()
    tools = options.tools.resolve()
    listed = run(tools / "sdfg-opt", "--list-passes").stdout.splitlines()
    passes = [line.split()[0] for line in listed if line.split()[0] not in NOT_DRAWN]
    texts = cases(tools)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda s: one(tools, passes, texts, s, pathlib.Path(folder)),
                                    range(options.seed, options.seed + options.count)))
    faults = [text for outcome, text, _ in results if outcome == "fault"]
    print("\n".join(faults[:10]))
    if options.counts:
        total = collections.Counter({name: 0 for name in passes})
        for _, _, counts in results:
            total.update(counts)
        for name, count in sorted(total.items(), key=lambda item: (item[1], item[0])):
            print(f"{count:8} {name}")
    same = sum(outcome == "same" for outcome, _, _ in results)
    print(f"random pipelines: seeds {options.seed} to {options.seed + options.count - 1}: "
          f"{same} with the same results after every pass, {len(faults)} faults, "
          f"{len(results) - same - len(faults)} programs not made or refused")
    sys.exit(bool(faults) or not same)


if __name__ == "__main__":
    main()
