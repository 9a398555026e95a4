#!/usr/bin/env python3
"""What our optimizer makes of GT4Py's lowered programs, beside what GT4Py's own makes of them.

usage: compare.py --corpus DIR --sdfg-opt PATH [--passes TEXT] [--table bytes|symbols|speed|excess]... [PROGRAM...]

bytes    Per program of DIR/icon4py: kernels launched, bytes that kernels move, and bytes of transients at
         peak, of the lowered program (a), of ours (b) and of gt4py_gpu.sdfgz (c), counted by executing each on
         the recorded inputs (codegen/counts.h says what counts). The lower bound is that of whichever of the
         three needs the fewest bytes of arguments. Marked with ! where ours is worse than GT4Py's: k more
         kernels, b more bytes, t more transients at peak; with > where ours exceeds the bound by 1.15.
symbols  Ours for symbolic sizes (NAME__none), as it is and with a version for typical values (gt4py's option
         `typical`, from program.json), beside GT4Py's for known sizes (NAME__compile_time_domain), all on the
         inputs of the former. Marked where the version is worse.
speed    Our whole process (read, optimize, write JSON to a new file; best of three, of a fresh copy of the tool)
         beside GT4Py's optimizer: run now with --fresh PYTHON, else the time recorded in program.json.
excess   Per program of ours above 1.15 times the bound: the containers that move more bytes than the bound has,
         down to 5 % of it, in how many kernels they are written and read, and the last reason that a pass gave
         for leaving them. (Not among the tables printed by default.)

Programs of your own: sdfg_gt4py.look(…).record("DIR/NAME") writes a folder for --corpus DIR (docs/gt4py.md).
A folder without gt4py_gpu.sdfgz gets one in --work, made by GT4Py's optimizer, with --fresh PYTHON.

In --passes, {program} is the folder of the program; {options} what program.json asks for.
Programs are selected by words of their names. Exit status 1 when ours fails, differs or is worse.
"""
import argparse, concurrent.futures, hashlib, json, math, os, pathlib, re, shutil, subprocess, sys, tempfile, threading
import time

ICON4PY = "icon4py"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, type=lambda text: pathlib.Path(text).absolute())
    parser.add_argument("--sdfg-opt", required=True, type=os.path.abspath)
    parser.add_argument("--passes", default="gt4py{target=cuda symbols={program}/program.json{options}}",
                        help="pipeline text (default: %(default)s)")
    parser.add_argument("--table", action="append", choices=["bytes", "symbols", "speed", "excess"])
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "sdfg-compare",
                        help="keeps the counts of files that do not change")
    parser.add_argument("--fresh", metavar="PYTHON", help="a Python with gt4py and dace")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="write all numbers there, too")
    parser.add_argument("words", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    options.table = options.table or ["bytes", "symbols", "speed"]
    options.work = options.work.absolute()
    options.work.mkdir(parents=True, exist_ok=True)
    options.gt4py = Gt4py(options.fresh) if options.fresh else None
    return options


# ---- Running sdfg-opt.

def pipeline(options, program, more=""):
    """The pipeline's text for one program, with what program.json says about it."""
    wanted = json.loads((program / "program.json").read_text()).get("options", {})
    extra = "".join(f" {key}={str(value).lower()}" for key, value in wanted.items()
                    if key.startswith(("scan_", "unit_")))
    return options.passes.replace("{program}", str(program)).replace("{options}", extra + more)


def seconds(command, log):
    """Wall-clock time of one process, without that of Python's subprocess; an error message, or None."""
    with open(log, "w+b") as out:
        start = time.perf_counter()
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, out.fileno(), 2)])
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        taken = time.perf_counter() - start
        out.seek(0)
        lines = out.read().decode(errors="replace").strip().splitlines() or ["no message"]
    return taken, None if status == 0 else f"exit {status}: {lines[-1]}"


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    lines = done.stderr.strip().splitlines() or ["no message"]
    return None if done.returncode == 0 else f"exit {done.returncode}: {lines[-1]}"


def count(options, graph, data, passes=None):
    """The counts of one program run on data: what sdfg-opt --stats writes, or {"error": message}."""
    if not data.exists():
        return {"error": "there is no data.npz; its program did not run when it was recorded"}
    key = hashlib.sha256(graph.read_bytes() + data.read_bytes()).hexdigest()[:24]
    kept = options.work / f"{key}.json"
    if passes is None and kept.exists():
        return json.loads(kept.read_text())
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        error = run([options.sdfg_opt, graph, *([f"--pipeline={passes}"] if passes else []), f"--run={data}",
                     "--backend=interpreter", f"--stats={stats}", "--emit=none"])
        result = json.loads(stats.read_text()) if stats.exists() else {}
    if error:
        result["error"] = error
    elif passes is None:
        kept.write_text(json.dumps(result))
    return result


def theirs(options, program):
    """The program as GT4Py optimizes it for a GPU, made now if the corpus lacks it."""
    kept = program / "gt4py_gpu.sdfgz"
    if kept.exists() or not options.gt4py:
        return kept
    source = (program / "lowered.sdfgz").read_bytes() + (program / "program.json").read_bytes()
    made = options.work / f"{hashlib.sha256(source).hexdigest()[:24]}.sdfgz"
    if not made.exists():
        part = made.with_name(f"part-{made.name}")  # there is a whole file, or none
        options.gt4py.run(program, part)
        part.replace(made)
    return made


def count_theirs(options, program, data):
    try:
        graph = theirs(options, program)
    except RuntimeError as failed:
        return {"error": str(failed)}
    if not graph.exists():
        return {"error": "there is no gt4py_gpu.sdfgz; make it with --fresh PYTHON"}
    return count(options, graph, data)


def programs(options):
    folder = options.corpus / ICON4PY
    found = sorted(path.parent for path in (folder if folder.is_dir() else options.corpus).glob("*/program.json"))
    return [p for p in found if not options.words or any(word in p.name for word in options.words)]


# ---- Tables.

def short(name):
    return name if len(name) <= 60 else name[:40] + "…" + name[-19:]


def triple(counts):
    """(kernels, bytes, peak bytes of transients), or None."""
    if "total" not in counts:
        return None
    return counts["total"]["launches"], counts["total"]["bytes"], counts["transients"]["peak"]


def marks(ours, theirs, bound):
    text = "".join(letter for letter, a, b in zip("kbt", ours, theirs) if a > b)
    return ("!" + text if text else "") + (">" if ours[1] > 1.15 * bound else "")


def bytes_table(options, chosen, pool):
    jobs = {}
    for p in chosen:
        data = p / "data.npz"
        jobs[p] = [pool.submit(count, options, p / "lowered.sdfgz", data),
                   pool.submit(count, options, p / "lowered.sdfgz", data, pipeline(options, p)),
                   pool.submit(count_theirs, options, p, data)]
    three = "".join(f"{which:>11}" for which in ("lowered", "ours", "gt4py"))
    print(f"{'':60} {'kernels':^15} {'bytes':^33} {'bytes / bound':^20} {'transients at peak':^33}")
    print(f"{'program':60} {'low':>5}{'ours':>5}{'gt4':>5} {three} {'low':>6}{'ours':>7}{'gt4py':>7} {three}")
    sums, bounds, rows, worse, failed = [[0] * 3 for _ in range(3)], 0, [], 0, 0
    for p in chosen:
        counts = [job.result() for job in jobs[p]]
        name = short(p.name)
        row = {"program": p.name, "lowered": counts[0], "ours": counts[1], "gt4py": counts[2]}
        rows.append(row)
        errors = [f"{which}: {c['error']}" for which, c in zip(("lowered", "ours", "gt4py"), counts) if "error" in c]
        failed += bool(errors)
        numbers = [triple(c) for c in counts]
        if None in numbers:
            print(f"{name:60} {'; '.join(errors)}", flush=True)
            continue
        bound = row["bound"] = min(c["lower_bound"]["bytes"] for c in counts)
        mark = marks(numbers[1], numbers[2], bound)
        worse += mark.startswith("!")
        for s, n in zip(sums, numbers):
            s[:] = [a + b for a, b in zip(s, n)]
        bounds += bound
        print_row(name, numbers, bound, mark + ("  " + "; ".join(errors) if errors else ""))
    if bounds:
        print_row("total", sums, bounds, "")
    print(f"{len(chosen)} programs: {failed} fail, {worse} are worse than GT4Py's in some number")
    return rows, failed + worse


def print_row(name, numbers, bound, mark):
    kernels, moved, peak = zip(*numbers)
    print(f"{name:60} " + "".join(f"{k:5}" for k in kernels) + " " + "".join(f"{b:>11,}" for b in moved) + " "
          + "".join(f"{b / max(bound, 1):7.2f}" for b in moved)[1:] + " "
          + "".join(f"{t:>11,}" for t in peak) + f"  {mark}", flush=True)


def symbols_table(options, pool):
    """Symbolic sizes against known ones."""
    pairs = []
    for p in programs(options):
        known = p.parent / (p.name.removesuffix("__none") + "__compile_time_domain")
        if p.name.endswith("__none") and known.exists():
            pairs.append((p, known))
    jobs = [(p, pool.submit(count, options, p / "lowered.sdfgz", p / "data.npz", pipeline(options, p)),
             pool.submit(count, options, p / "lowered.sdfgz", p / "data.npz",
                         pipeline(options, p, f" typical={p}/program.json")),
             pool.submit(count_theirs, options, known, p / "data.npz")) for p, known in pairs]
    print(f"\n{'sizes symbolic | with a version | GT4Py, sizes known':60} {'kernels':^18} {'bytes':^36} "
          f"{'peak transients':^36}")
    rows, worse = [], 0
    for p, *three in jobs:
        name = short(p.name.removesuffix("__none"))
        counts = [job.result() for job in three]
        rows.append({"program": p.name} | dict(zip(("ours", "version", "gt4py_known"), counts)))
        numbers = [triple(c) for c in counts]
        if None in numbers:
            print(f"{name:60} {' '.join(c.get('error', '') for c in counts)}")
            worse += 1
            continue
        mark = "".join(letter for letter, x, y in zip("kbt", numbers[1], numbers[2]) if x > y)
        worse += bool(mark)
        print(f"{name:60} " + " ".join("".join(f"{x:>{w},}" for x in column)
                                       for column, w in zip(zip(*numbers), (6, 12, 12)))
              + (f"  !{mark}" if mark else ""), flush=True)
    return rows, worse


# Passes that could have removed traffic, and how their refusals are found among all remarks.
REMOVERS = ["map-fusion-vertical", "map-fusion-horizontal", "map-promotion", "map-split-vertical",
            "map-split-horizontal", "redundant-array-elimination", "composed-copy-elimination",
            "recompute-at-reads", "split-access-nodes", "split-consumer-memlets"]
DONE = re.compile(r": (fused|computed|'[^']*' lives in|.* (became|are|is) (one|gone|now) )")


def reason(remarks, container):
    """What a pass said last, without doing anything, about the container or about two kernels that use it."""
    maps = set(re.findall(r"\(map (\w+)\)", " ".join(container["writers"] + container["readers"])))
    words = [re.compile(rf"\b{name}\b") for name in maps]
    left = [line for line in remarks if not DONE.search(line)]
    said = ([line for line in left if f"'{container['name']}'" in line]
            or [line for line in left if sum(bool(w.search(line)) for w in words) > 1])
    if not said:
        states = {re.sub(r" / (node|edge) .*", "", place) for place in container["writers"] + container["readers"]}
        return "its kernels are in different states" if len(states) > 1 else "no pass named it"
    name, text = said[-1].split(": ", 1)
    return f"{name}: {re.sub(r'^state .*?: ', '', text)}"


def excess_of(options, p):
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        done = subprocess.run([options.sdfg_opt, p / "lowered.sdfgz", f"--pipeline={pipeline(options, p)}",
                               f"--run={p / 'data.npz'}", "--backend=interpreter", f"--stats={stats}",
                               "--remarks=" + ",".join(REMOVERS), "--emit=none"], capture_output=True, text=True)
        return json.loads(stats.read_text()) if stats.exists() else {}, done.stderr.splitlines()


def excess_table(options, chosen, pool):
    rows = []
    for p, (counts, remarks) in zip(chosen, pool.map(lambda p: excess_of(options, p), chosen)):
        if "total" not in counts:
            print(f"{short(p.name)}: not run")
            continue
        bound, moved = counts["lower_bound"]["bytes"], counts["total"]["bytes"]
        if moved <= 1.15 * bound:
            continue
        print(f"\n{p.name}: {moved / max(bound, 1):.2f} times the bound of {bound:,} bytes", flush=True)
        for c in counts["excess"]:
            above = c["bytes"] - c["needed"]
            if above < 0.05 * bound:
                break
            kind = "argument" if c["argument"] else "transient"
            why = reason(remarks, c)
            rows.append({"program": p.name, "container": c["name"], "excess": above, "kind": kind, "reason": why})
            print(f"  {above / bound:5.0%}  {c['name']} ({kind}, written in {len(c['writers'])}, "
                  f"read in {len(c['readers'])}): {why[:240]}")
    return rows


# Reads lines "PROGRAM OUT" (OUT may be -), optimizes PROGRAM/lowered.sdfgz into OUT, and answers with the seconds
# or with what went wrong: importing GT4Py takes longer than most programs.
GT4PY = r"""
import json, os, sys, tempfile, time, warnings
warnings.simplefilter("ignore")
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what GT4Py prints is no answer
import dace, sympy
from gt4py.next import common
from gt4py.next.program_processors.runners.dace import transformations as gtx

def built(value):
    # An expression as code builds it. Loaded ones have their terms in the parser's order, and are then unequal to
    # those that GT4Py makes of the same terms: its MapSplitter fails with an AssertionError in half of the programs.
    if isinstance(value, (tuple, list)):
        return type(value)(built(v) for v in value)
    return value.func(*map(built, value.args)) if isinstance(value, sympy.Basic) and value.args else value

def build_expressions(sdfg):
    def build(owner, *names):
        for name in names:
            if hasattr(owner, name):
                setattr(owner, name, built(getattr(owner, name)))
    for inner in sdfg.all_sdfgs_recursive():
        for data in inner.arrays.values():
            if isinstance(data, dace.data.Array):
                build(data, "_shape", "_strides", "_total_size", "_offset")
        for state in inner.states():
            for edge in state.edges():
                build(edge.data, "_volume")
                build(edge.data.subset, "ranges", "indices")
                build(edge.data.other_subset, "ranges", "indices")
            for node in state.nodes():
                if isinstance(node, dace.nodes.MapEntry):
                    build(node.map.range, "ranges")
                elif isinstance(node, dace.nodes.NestedSDFG):
                    node.symbol_mapping = {key: built(value) for key, value in node.symbol_mapping.items()}

def optimize(program, out):
    sdfg = dace.SDFG.from_file(program + "/lowered.sdfgz")
    build_expressions(sdfg)
    with open(program + "/program.json") as file:
        about = json.load(file)
    wanted, kinds = about.get("options", {}), {"horizontal": common.DimensionKind.HORIZONTAL}
    hooks = {}
    if "RemoveAccessNodeCopies" in str(wanted.get("optimization_hooks", "")):
        hooks[gtx.GT4PyAutoOptHook.TopLevelDataFlowStep] = lambda s: s.apply_transformations_repeated(
            gtx.RemoveAccessNodeCopies(), validate=False, validate_all=False)
    # As ICON4Py's records have them, or as text, as sdfg_gt4py's have.
    options = {key: json.loads(value) if isinstance(value, str) else value
               for key, value in wanted.items() if key.startswith("scan_")}
    start = time.perf_counter()
    gtx.gt_auto_optimize(sdfg, gpu=True, unit_strides_kind=kinds.get(wanted.get("unit_strides_kind")),
                         constant_symbols=about.get("constant_symbols"), optimization_hooks=hooks, **options)
    seconds = time.perf_counter() - start
    if out != "-":
        sdfg.save(out, compress=True)
    return seconds

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # DaCe leaves files behind
    for line in sys.stdin:
        try:
            answer = optimize(*json.loads(line))
        except Exception as failure:
            answer = f"{type(failure).__name__}: {failure}".splitlines()[0]
        print(json.dumps(answer), file=answers, flush=True)
    os.chdir("/")
"""


class Gt4py:
    """GT4Py's optimizer in a process of its own, one program at a time."""

    def __init__(self, python):
        self.lock = threading.Lock()
        self.process = subprocess.Popen([python, "-c", GT4PY], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def run(self, program, save=None):
        """Seconds that it takes; `save` is a file for what it makes. RuntimeError if it fails."""
        with self.lock:
            try:
                print(json.dumps([str(program), str(save or "-")]), file=self.process.stdin, flush=True)
                answer = self.process.stdout.readline()
            except BrokenPipeError:
                answer = ""
        answer = json.loads(answer) if answer else "its process has ended; does this Python have gt4py and dace?"
        if isinstance(answer, str):
            raise RuntimeError("GT4Py: " + answer)
        return answer


def speed_table(options, chosen):
    print(f"\n{'whole process, best of three | GT4Py, ' + ('run now' if options.fresh else 'recorded'):60} "
          f"{'ours ms':>9} {'GT4Py s':>9} {'ratio':>9}")
    rows, ratios, failed = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        # As just installed: how Linux has a file in memory depends on how it got there, and costs a run up to a fifth.
        tool = shutil.copy(options.sdfg_opt, folder)
        for p in chosen:
            # A file of its own for each run: to replace one took ext4 0.1 to 0.3 ms more.
            runs = [seconds([tool, str(p / "lowered.sdfgz"), f"--pipeline={pipeline(options, p)}",
                             "-o", f"{folder}/{p.name}{run}.sdfg"], f"{folder}/log") for run in range(3)]
            best, error = min(taken for taken, _ in runs), runs[0][1]
            taken = json.loads((p / "program.json").read_text()).get("gt4py_seconds", {}).get("gpu", math.nan)
            if options.fresh:
                try:
                    taken = options.gt4py.run(p)
                except RuntimeError as why:
                    error = error or str(why)
            name = short(p.name)
            rows.append({"program": p.name, "ours": best, "gt4py": taken, "error": error})
            failed += bool(error)
            if not error and taken == taken:  # GT4Py's time is known
                ratios.append(taken / best)
            print(f"{name:60} {best * 1e3:9.1f} {taken:9.2f} " + (error or f"{taken / best:9.0f}"), flush=True)
    if ratios:
        print(f"{'geometric mean of ' + str(len(ratios)):60} {'':19} "
              f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):9.0f}")
    return rows, failed


def main():
    options = parse_arguments()
    chosen, numbers, wrong = programs(options), {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
        if "bytes" in options.table:
            numbers["bytes"], bad = bytes_table(options, chosen, pool)
            wrong += bad
        if "symbols" in options.table:
            numbers["symbols"], bad = symbols_table(options, pool)
            wrong += bad
        if "excess" in options.table:
            numbers["excess"] = excess_table(options, chosen, pool)
    if "speed" in options.table:
        numbers["speed"], bad = speed_table(options, chosen)
        wrong += bad
    if options.json:
        options.json.write_text(json.dumps(numbers, indent=1))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
