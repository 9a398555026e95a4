#!/usr/bin/env python3
"""Random programs through random pipelines: each pass leaves a valid program with the same results.

    tests/random/pipelines.py --tools build/release/tools [--count 300 | --seconds 3600] [--seed 1] [--jobs 2]

For each seed: a program and a pipeline, under --check-semantics=each. The program is one of sdfg-gen
with recorded results, or the input of a text case (tests/text/passes) with made arguments. The
pipeline is `simplify`, `auto`, `gt4py` with options, some of its steps in any order, or up to eight
passes drawn at random (--list-passes), some of them for a version of the program, some with a move to a
GPU among them, for a text case often beginning with its own pass, and for a program of patterns with one
that looks for them. Now and then --limit stops one of them. A pass that takes seconds for such a small
program is a fault, too, and so are passes that go on changing it without end. A fault is printed when it is found, with the commands that show it again;
sdfg-reduce makes it small. With --programs, the programs are recorded ones, as those of
tests/dace/record_random.py. --counts prints how often each pass applied.
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
import time
import zipfile

KINDS = ["mixed", "mixed", "chain", "conditionals", "loops", "nest", "wide", "branches", "copies"] + 18 * ["patterns"] + 9 * ["pieces"]
# Pipelines and the move to a GPU are drawn apart.
NOT_DRAWN = {"simplify", "auto", "gt4py", "gpu-transformation"}
# Options without which a pass does nothing, or does it seldom.
OPTIONS = {
    "substitute-symbols": ["symbols=N=$N"],  # the recorded value
    "copy-to-map": ["", "reshapes"],
    "inline-fusion": ["", "always"],
    "map-promotion": ["", "promote_everything", "promote_horizontal"],
    "map-split-horizontal": ["launch_bytes=0", ""],
    "move-loop-into-map": ["", "", "only_to_neighbours"],
    "scan-unrolling": ["", "unroll_factor=2"],
    "split-consumer-memlets": ["", "extra_copies=1"],
    "map-tiling": ["", "tile_sizes=4", "tile_sizes=3,2"],
    "strip-mining": ["tile_size=4", "tile_size=4 strided"],
}
# What some passes need before them to find something.
BEFORE = {"map-interchange": "map-expansion", "map-collapse": "map-expansion", "map-buffer-elimination": "state-fusion"}
# Passes that find little to do are drawn more often than others, which have 1.
WEIGHTS = {name: weight for weight, names in {
    24: """
        move-before-conditional""",
    42: """
        local-double-buffering""",
    17: """
        composed-copy-elimination move-loop-into-map""",
    15: """
        map-split-horizontal""",
    13: """
        accumulate-transient map-promotion""",
    12: """
        access-node-copy-elimination fuse-conditionals""",
    11: """
        map-iteration-order split-consumer-memlets""",
    9: """
        kernel-order map-buffer-elimination map-fusion-into-scan min-max-elimination out-local-storage""",
    8: """
        distributed-buffer-relocation inline-sdfg loop-blocking loop-unrolling map-dim-shuffle move-into-if-body
        scan-unrolling self-copy-elimination split-access-nodes""",
    7: """
        map-split-vertical reference-to-view shrink-transients""",
    6: """
        constant-propagation loop-to-map map-collapse map-interchange refine-nested-access
        scalar-copy-elimination set-strides write-back-elimination""",
    5: """
        conditional-into-maps continue-to-condition expand-reduce in-local-storage map-fission
        move-states-into-map move-tasklet-into-map scalar-to-symbol-promotion trivial-map-elimination""",
    4: """
        consolidate-edges expand-pointwise inline-control-flow-regions lift-trivial-if loop-peeling""",
    3: """
        copy-chain-elimination dead-state-elimination double-write-elimination empty-loop-elimination inline-fusion
        map-expansion map-unroll transient-reuse trivial-dimension-folding""",
    2: """
        complete-writes control-flow-raising map-dead-range-elimination slice-view-elimination substitute-symbols
        symbol-propagation""",
}.items() for name in names.split()}

# In a text case whose results are open: two accesses have no order, or a value is never written.
OPEN = "// open results:"
# The same for some values of symbols, as --check-semantics says it.
LEFT_OPEN = "which left open before what it gives"
# What gt4py and versions are drawn with; a program's values stand for $N and $K.
GT4PY = ["unit_strides_kind=horizontal", "blocking_dims=i blocking_size=3",
         "blocking_dims=i blocking_size=2 promote_independent_memlets_for_blocking",
         "blocking_dims=k blocking_size=2 blocking_only_if_independent_nodes=false",
         "disable_splitting", "reuse_transients", "fuse_tasklets", "scan_loop_unrolling",
         "transient_memory_mode=persistent", "step_hook=tasklet-fusion,copy-to-map",
         "pre_hook=loop-to-map", "post_hook=map-collapse", "typical=N=$N,K=$K", "typical=N=$N", "when=N<7",
         "versions=off", "target=cuda", "target=hip unit_strides_kind=vertical"]
MOST_PRINTED = 10  # faults
MOST_SECONDS = 1  # of a pass, which takes milliseconds for programs of some hundred nodes
BATCH = 100  # seeds between two looks at the clock
VERSIONS = ["likely", "likely", "typical=N=$N,K=$K", "typical=K=$K", "when=N<7", "when=N<K"]


def some(draw, passes, count):
    """So many of them, the seldom ones more often."""
    return draw.choices(passes, weights=[WEIGHTS.get(name, 1) for name in passes], k=count)


def with_options(draw, name, program):
    arguments = arguments_of(program)
    if name == "demote-fields" and arguments:  # not the first, which programs begin with reading
        return f"demote-fields{{fields={draw.choice(arguments[1:] or arguments)}}}"
    maps = re.findall(r"map \S+ \((\w+(?:, \w+)+)\) in", program)
    if name == "map-dim-shuffle":
        parameters = draw.choice(maps or ["i, j"]).split(", ")
        return f"map-dim-shuffle{{parameters={','.join(draw.sample(parameters, len(parameters)))}}}"
    if name == "loop-blocking":
        parameter = draw.choice(draw.choice(re.findall(r"map \S+ \((.*?)\) in", program) or ["i"]).split(", "))
        more = draw.choice([" require_independent_nodes=false", " promote_independent_memlets", ""])
        return f"loop-blocking{{blocking_parameters={parameter} blocking_size={draw.randint(1, 3)}{more}}}"
    options = draw.choice(OPTIONS.get(name, [""]))
    return f"{name}{{{options}}}" if options else name


def between_demoting_and_restoring(draw, drawn, program):
    """Now and then, an argument is a transient for the passes drawn."""
    if draw.random() > 0.15:
        return drawn
    return [with_options(draw, "demote-fields", program), *drawn, "restore-fields"]


def on_gpu(draw, drawn):
    """Now and then, the program moves to a GPU somewhere between the passes drawn."""
    if draw.random() > 0.2:
        return drawn
    at = draw.randint(0, len(drawn))
    return [*drawn[:at], "gpu-transformation", *drawn[at:]]


def assumed(draw, program, data):
    """Flags that state what holds of sizes, so that minima and maxima have winners."""
    known = [f"{s}>={min(draw.choice([1, 4]), recorded(data, s))}" for s in "NK" if f"symbol {s}:" in program]
    return ["--assume=" + ",".join(known)] if known and draw.random() < 0.5 else []


def stopped(draw, passes, pipeline):
    """Now and then, a flag that stops one of the passes: what --bisect tries has to be right, too."""
    if draw.random() > 0.1:
        return []
    words = set(re.findall(r"[a-z][-a-z0-9]+", pipeline))
    known = [name for name in passes if name in words or "gt4py" in words] or passes
    name = draw.choice(known)
    return [] if name == "restore-fields" else [f"--limit={name}:{draw.choice([0, 1, 1, 2, 3, 5])}"]


def small_sizes(draw, program):
    """Flags that give symbols of a text case other values than 8, mostly small ones; none to those that
    are strides only, with which elements would meet."""
    def named_in(lists):
        return set(re.findall(r"\w+", " ".join(re.findall(lists, program))))

    strides = named_in(r"strides = \[(.*?)\]") - named_in(r": (?:u?int|float|complex|bool)\w*\[(.*?)\]")
    symbols = re.findall(r"^  symbol (\w+): int", program, re.M) if draw.random() < 0.4 else []
    symbols = [s for s in symbols if s not in strides]
    return [f"--set={s}={draw.choice([0, 1, 1, 2, 3, 5])}" for s in symbols]


def arguments_of(program):
    """Names of the arrays among the arguments, which may take several lines."""
    signature = re.search(r"^sdfg \w+\((.*?)\)( \{|$)", program, re.M | re.S)
    return re.findall(r"(\w+): \w+\[", signature.group(1))


def usable(options, program):
    """Those that mention symbols of the program only."""
    return [o for o in options if all(f"symbol {s}:" in program for s in re.findall(r"\b[KN]\b", o))]


def named(draw, steps, program):
    """A pipeline with a name, mostly with options; or a part of gt4py's steps in any order."""
    kind = draw.random()
    if kind < 0.4:
        words = " ".join(draw.sample(usable(GT4PY, program), draw.randint(0, 3))).split()
        options = {word.partition("=")[0]: word for word in words}.values()  # the last of a name
        return f"gt4py{{{' '.join(['assume_pointwise=false', *options])}}}"
    if kind < 0.7:
        return ",".join(draw.choices(steps, k=draw.randint(3, 8)))
    return draw.choice(["simplify", "auto", "auto{target=cuda}"])


def pipeline_of(draw, drawn, steps, program):
    """The passes drawn, versions of them, or a pipeline with a name."""
    kind = draw.random()
    if kind < 0.25:
        return named(draw, steps, program)
    if kind < 0.4 and usable(VERSIONS, program):
        version = draw.choice(usable(VERSIONS, program))
        return f"versions{{{version}}}{{{','.join(drawn)},min-max-elimination}}"
    return ",".join(drawn)


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def applications(text):
    """How often each pass applied, as the table of --stats says."""
    lines = (line.split() for line in text.splitlines())
    return {w[0]: int(w[3]) for w in lines if len(w) == 5 and w[1].isdigit() and w[3].isdigit()}


def slow(text):
    """What took seconds, as the table of --time says; reading and writing does not."""
    lines = (line.split() for line in text.splitlines() if line.endswith(" ms"))
    return next((f"{w[0]} took {float(w[1]) / 1000:.1f} s" for w in lines
                 if len(w) == 3 and w[0] != "total" and float(w[1]) > 1000 * MOST_SECONDS), "")


def beyond(text):
    """What was not stopped by a limit."""
    return next((line for line in text.splitlines() if "where the limit was" in line), "")


def endless(text):
    """What was stopped since passes undo each other's work."""
    return next((line for line in text.splitlines() if "still changing after" in line), "")


def first_complaint(text):
    """The line that says what is wrong, or all of them."""
    return next((line for line in text.splitlines() if "error" in line or "bit" in line), text)


def recorded(data, name, otherwise=5):
    """A recorded integer, which is the end of its entry."""
    with zipfile.ZipFile(data) as entries:
        entry = f"in:{name}.npy"
        if entry not in entries.namelist():
            return otherwise
        stored = entries.read(entry)
        return int.from_bytes(stored[-4 if b"<i4" in stored else -8:], "little")


def runs(tools, program):
    """Whether it is a valid program that ends or says why it does not run; some cases are endless loops."""
    try:
        return not subprocess.run([tools / "sdfg-opt", "--check-semantics", "--emit=none"], input=program,
                                  text=True, capture_output=True, timeout=1).returncode
    except subprocess.TimeoutExpired:
        return False


def cases(tools, pool):
    """The inputs of the text cases of each pass that are valid programs and end."""
    inputs = []
    for file in sorted((pathlib.Path(__file__).parent.parent / "text/passes").glob("*.test")):
        for case in re.split(r"^=== .*\n", file.read_text(), flags=re.M):
            program = re.split(r"^---.*\n", case, flags=re.M)
            if len(program) > 1 and program[1].startswith("sdfg ") and OPEN not in program[1]:
                inputs.append((file.stem, program[1]))
    found = collections.defaultdict(list)
    for (name, program), good in zip(inputs, pool.map(lambda i: runs(tools, i[1]), inputs)):
        if good:
            found[name].append(program)
    return found


def drawn_passes(draw, passes, count, wanted, program):
    """So many passes with options; mostly, the wanted one is among the first of them."""
    drawn = some(draw, passes, count)
    if wanted in passes and draw.random() < 0.9:
        at = draw.randint(0, min(2, len(drawn)))
        drawn[at:at] = [BEFORE[wanted], wanted] if wanted in BEFORE else [wanted]
    drawn = [with_options(draw, name, program) for name in drawn]
    return between_demoting_and_restoring(draw, on_gpu(draw, drawn), program)


def on_case(tools, passes, texts, steps, draw):
    """The same for a text case."""
    name = some(draw, list(texts), 1)[0]
    program = draw.choice(texts[name])
    # Sizes of a case are of its own making.
    known = [name for name in passes if name != "substitute-symbols"]
    drawn = drawn_passes(draw, known, draw.randint(1, 6), name, program)
    pipeline = pipeline_of(draw, drawn, steps, program).replace("$N", "5").replace("$K", "5")
    sizes = small_sizes(draw, program)
    flags = [*sizes, *stopped(draw, passes, pipeline)]
    command = [tools / "sdfg-opt", f"--pipeline={pipeline}", "--check-semantics=each", "--emit=none",
               "--stats", "--time", "--tolerance=1e-9", *flags]  # made floats are no fractions of a power of 2
    try:
        done = subprocess.run(command, input=program, text=True, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        if sizes:
            return "refused", "", {}  # with these sizes, the case itself may be an endless loop
        return "fault", f"{program}\n  sdfg-opt --pipeline='{pipeline}' --check-semantics=each does not end", {}
    why = slow(done.stderr) or beyond(done.stderr) or endless(done.stderr)
    if not why:
        if done.returncode == 0 or "--check-semantics compared nothing" in done.stderr or LEFT_OPEN in done.stderr:
            return "same", "", applications(done.stderr)
        why = first_complaint(done.stderr)
        if done.returncode == 1 and "internal error" not in done.stderr and "bit" not in why:
            return "refused", "", {}  # an input that a pass says no to
    return "fault", (f"{program}\n  sdfg-opt {' '.join(flags)} --pipeline='{pipeline}' --check-semantics=each\n"
                     f"  {why}"), {}


def one(tools, passes, texts, patterns, programs, steps, seed, folder, only):
    """(outcome, what to print, how often each pass applied)."""
    draw = random.Random(seed)
    if programs:
        return on_recorded(tools, passes, programs, steps, draw)
    if not only and draw.random() < 0.4:
        return on_case(tools, passes, texts, steps, draw)
    kind, size = only or draw.choice(KINDS), draw.choice([10, 30, 45, 45])
    size = 4 * size if kind == "pieces" else size  # much of it turns out not to be needed
    wanted = some(draw, patterns, 1)[0] if kind == "patterns" else None
    program, data = folder / f"{seed}.txt", folder / f"{seed}.npz"
    make = [tools / "sdfg-gen", f"--kind={kind}", *([f"--for={wanted}"] if wanted else []),
            f"--size={size}", f"--seed={seed}", "--emit=text",
            "-o", program, f"--data={data}", "--record"]
    if run(*make).returncode:
        return "not made", "", {}
    text = program.read_text()
    drawn = drawn_passes(draw, passes, draw.randint(3, 8), wanted, text)
    if kind == "pieces" and draw.random() < 0.5:
        drawn.insert(0, "simplify")  # what stands in many small states is not seen by many passes
    result = on_program(tools, passes, steps, draw, program, data, text, drawn, " ".join(str(w) for w in make))
    for path in (program, data):
        path.unlink()
    return result


def on_recorded(tools, passes, programs, steps, draw):
    """The same for a recorded program: many passes, mostly of what simplify makes of it."""
    program = draw.choice(programs)
    data = program.parent / "data.npz"
    if recorded(data, "N", None) is None:  # where the shape of an argument says what N is
        passes = [name for name in passes if name != "substitute-symbols"]
    text = run(tools / "sdfg-opt", program, "--emit=text").stdout
    drawn = drawn_passes(draw, passes, draw.randint(4, 16), None, text)
    first = draw.choice([["simplify"], ["simplify"], ["simplify", "loop-to-map", "simplify"], []])
    return on_program(tools, passes, steps, draw, program, data, text, first + drawn, str(program))


def on_program(tools, passes, steps, draw, program, data, text, drawn, shown):
    """The same for a program with recorded results; `shown`: where it comes from."""
    pipeline = pipeline_of(draw, drawn, steps, text)
    # What a demoted field ends with is nobody's business: then arguments are made, with sizes of 8. Sums of
    # these may be rounded otherwise in another order (recorded arguments are small whole numbers).
    made = "demote-fields{" in pipeline
    rounding = "1e-5" if "float32" in text else "1e-9"
    results = f"--tolerance={rounding}" if made else f"--run={data}"
    for symbol in ("N", "K"):
        pipeline = pipeline.replace(f"${symbol}", "8" if made else str(recorded(data, symbol)))
    flags = assumed(draw, text, data) + stopped(draw, passes, pipeline)
    done = run(tools / "sdfg-opt", program, f"--pipeline={pipeline}", "--check-semantics=each",
               "--emit=none", "--stats", "--time", *flags, results)
    why = slow(done.stderr) or beyond(done.stderr) or endless(done.stderr)
    if not why:
        if done.returncode == 0:
            return "same", "", applications(done.stderr)
        if LEFT_OPEN in done.stderr:
            return "open", "", {}  # the program has no one result, so it cannot judge
        if ": gpu-transformation: " in done.stderr:
            return "refused", "", {}  # it has something that no GPU can do
        why = first_complaint(done.stderr)
    return "fault", (f"{shown}\n"
                     f"  sdfg-opt … {' '.join(flags)} --pipeline='{pipeline}' --check-semantics=each\n  {why}"), {}


def batches(options):
    """Ranges of seeds, as many as asked for or until the time is up."""
    first, end = options.seed, time.monotonic() + (options.seconds or 0)
    last = first + (sys.maxsize if options.seconds else options.count)
    while first < last:
        yield range(first, min(first + BATCH, last))
        first += BATCH
        if options.seconds and time.monotonic() > end:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seconds", type=float, help="as many as begin in this time, instead of --count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kind", choices=sorted(set(KINDS)), help="only programs of sdfg-gen of this kind")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR", help="only recorded ones of this folder")
    parser.add_argument("--counts", action="store_true", help="print how often each pass applied")
    options = parser.parse_args()
    tools = options.tools.resolve()
    listed = run(tools / "sdfg-opt", "--list-passes").stdout.splitlines()
    passes = [line.split()[0] for line in listed if line.split()[0] not in NOT_DRAWN]
    patterns = [name for name in passes
                if not run(tools / "sdfg-gen", "--kind=patterns", f"--for={name}", "--size=1").returncode]
    programs = sorted(f.resolve() for f in options.programs.rglob("*.sdfg*")
                      if (f.parent / "data.npz").exists()) if options.programs else []
    help_text = run(tools / "sdfg-opt", "--help=gt4py").stdout.partition("Steps, by default:")[2]
    steps = re.findall(r"^ +([a-z][-a-z]+(?:\{.*\})?)$", help_text.partition("Options:")[0], re.M)
    steps = [step.replace(" assume_pointwise", "").replace("{assume_pointwise}", "")
             for step in steps if step != "fixed-point {"]
    outcomes, total = collections.Counter(), collections.Counter({name: 0 for name in passes})
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        texts = {} if options.programs or options.kind else cases(tools, pool)
        os.chdir(folder)
        for seeds in batches(options):
            for outcome, text, counts in pool.map(
                    lambda s: one(tools, passes, texts, patterns, programs, steps, s, pathlib.Path(folder), options.kind),
                    seeds):
                outcomes[outcome] += 1
                total.update({name: count for name, count in counts.items() if name in total})
                if outcome == "fault" and outcomes["fault"] <= MOST_PRINTED:
                    print(text, flush=True)
    if options.counts:
        for name, count in sorted(total.items(), key=lambda item: (item[1], item[0])):
            print(f"{count:8} {name}")
    same, faults = outcomes["same"], outcomes["fault"]
    if faults > MOST_PRINTED:
        print(f"… and {faults - MOST_PRINTED} faults more")
    unclear = outcomes["open"]
    print(f"random pipelines: seeds {options.seed} to {seeds[-1]}: {same} with the same results after every "
          f"pass, {faults} faults, {unclear} other results of programs that leave them open, "
          f"{outcomes.total() - same - faults - unclear} programs not made or refused")
    sys.exit(bool(faults) or not same)


if __name__ == "__main__":
    main()
