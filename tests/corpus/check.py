#!/usr/bin/env python3
"""Sends recorded programs through sdfg-opt and compares with what was recorded.

    lossless   `--emit=json --profile=keep` gives the same JSON value back
    text       the text form parses back to the same program
    run        both backends agree with the recorded outputs within the stated tolerance

Prints a line per problem, a table, and a closing line. --part ci takes all files up to 3 MB and
compiles 24 programs, spread over the corpus; --part full takes everything.
"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

TIMEOUT = {"ci": 120, "full": 1800}

# What a backend refuses on purpose: part of the message. Listed and counted, but no failure.
REFUSALS = {"interpreter": "the interpreter runs Python"}


def run(command, timeout):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=timeout)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b"", f"no end after {timeout} s".encode())


def value(data):
    """The JSON value, with integers told from floats and key order ignored."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, parse_float=lambda text: ("float", text),
                      object_pairs_hook=lambda pairs: dict(pairs))


def last_line(done):
    lines = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
    return lines[0][:500] if lines else f"status {done.returncode} without a message"


def lossless(tool, file, timeout):
    done = run([tool, str(file), "--emit=json", "--profile=keep"], timeout)
    if not done.stdout:
        return last_line(done)
    return None if value(done.stdout) == value(file.read_bytes()) else "another JSON value"


def text(tool, file, timeout):
    """text(parse(text)) is text, and the JSON of the parsed text is the JSON that `head` writes."""
    with tempfile.TemporaryDirectory() as folder:
        once = run([tool, str(file), "--emit=text"], timeout)
        if not once.stdout:
            return last_line(once)
        path = pathlib.Path(folder) / "program.txt"
        path.write_bytes(once.stdout)
        twice = run([tool, str(path), "--emit=text"], timeout)
        if twice.stdout != once.stdout:
            return "another text: " + last_line(twice)
        heads = [run([tool, str(f), "--emit=json", "--profile=head"], timeout) for f in (file, path)]
        if heads[0].stdout != heads[1].stdout:
            return "another JSON: " + last_line(heads[1])
    return None


def tolerances(folder):
    """The flag for a program: none (bit for bit), or what its kind of numbers allows.

    Programs with a meta.json record how far they are from NumPy: 1e-12, single precision 1e-5, or
    ten times that distance.
    """
    meta = folder / "meta.json"
    if not meta.exists():
        return []
    with zipfile.ZipFile(folder / "data.npz") as entries:
        headers = [entries.open(name).read(128) for name in entries.namelist()]
    single = any(b"'<f4'" in header or b"'<c8'" in header for header in headers)
    recorded = [entry.get("max_rel_error") or 0
                for entry in json.loads(meta.read_text()).get("check_vs_numpy") or []]
    return [f"--tolerance={max(1e-5 if single else 1e-12, 10 * max(recorded, default=0))!r}"]


def scalars(folder):
    """Flags for the scalars and symbols that meta.json gives and data.npz lacks."""
    meta = folder / "meta.json"
    if not meta.exists():
        return []
    described = json.loads(meta.read_text()).get("scalars") or {}
    return [f"--set={name}={entry['value']!r}" for name, entry in described.items()]


def check(job):
    kind, tool, file, timeout, extra = job
    start = time.time()
    try:
        if kind == "lossless":
            problem = lossless(tool, file, timeout)
        elif kind == "text":
            problem = text(tool, file, timeout)
        else:
            done = run([tool, str(file), f"--run={file.parent / 'data.npz'}", f"--backend={kind}",
                        *tolerances(file.parent), *scalars(file.parent), *extra], timeout)
            problem = None if done.returncode == 0 else last_line(done)
    except Exception as error:  # a file that is no JSON, say
        problem = f"{type(error).__name__}: {error}"
    return kind, file, problem, time.time() - start


def spread(items, count):
    """`count` of the items, evenly spread."""
    if len(items) <= count:
        return items
    return [items[i * len(items) // count] for i in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--part", choices=["ci", "full"], default="ci")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=["lossless", "text", "interpreter", "cpu"], action="append")
    parser.add_argument("--match", default="", help="only files whose path contains this")
    parser.add_argument("--passes", default="", help="run this pipeline before running a program")
    parser.add_argument("--programs", type=int, default=0, help="run so many, spread (0: all)")
    parser.add_argument("--times", action="store_true", help="print the slowest checks")
    arguments = parser.parse_args()
    corpus = pathlib.Path(arguments.corpus)
    tool = str(pathlib.Path(arguments.tool).resolve())
    kinds = arguments.only or ["lossless", "text", "interpreter", "cpu"]
    full = arguments.part == "full"

    files = sorted(f for f in corpus.rglob("*.sdfg*") if f.is_file() and arguments.match in str(f))
    programs = [f for f in files if (f.parent / "data.npz").exists() and f.name != "gt4py_gpu.sdfgz"]
    if arguments.programs:
        programs = spread(programs, arguments.programs)
    compiled = programs
    if not full:
        files = [f for f in files if f.stat().st_size < 3_000_000]
        compiled = spread([f for f in programs if f.stat().st_size < 60_000], 24)
    extra = [f"--pipeline={arguments.passes}", "--verify-each"] if arguments.passes else []
    jobs = [(kind, tool, f, TIMEOUT[arguments.part], []) for kind in ("lossless", "text")
            if kind in kinds for f in files]
    jobs += [(kind, tool, f, TIMEOUT[arguments.part], extra)
             for kind, some in (("interpreter", programs), ("cpu", compiled)) if kind in kinds
             for f in some]

    good, bad, refused, slow = collections.Counter(), collections.Counter(), collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, (kind, file, problem, seconds) in enumerate(pool.map(check, jobs), 1):
            slow.append((seconds, kind, file))
            if problem and REFUSALS.get(kind, "\0") in problem:
                refused[kind] += 1
            else:
                (bad if problem else good)[kind] += 1
            if problem:
                print(f"{kind}: {file.relative_to(corpus)}: {problem}", flush=True)
            if sys.stdout.isatty():
                print(f"\r{number}/{len(jobs)}", end="\r", flush=True)
    if arguments.times:
        for seconds, kind, file in sorted(slow, reverse=True)[:15]:
            print(f"{seconds:8.1f} s  {kind}: {file.relative_to(corpus)}")
    for kind in kinds:
        print(f"{kind:<12} {good[kind]:>5} agree {bad[kind]:>5} do not {refused[kind]:>5} refused")
    print(f"corpus ({arguments.part}): {sum(good.values())} of {len(jobs)} checks agree, "
          f"{sum(refused.values())} refused")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
