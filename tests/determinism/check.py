#!/usr/bin/env python3
"""Runs each command twice in surroundings that differ, and compares all bytes that come out.

The two runs differ in locale, time zone, working directory, environment size, number of threads and
layout of the address space. Commands: every form of output, verification, remarks, passes, and
running with both backends. Files: examples, and with --corpus a sample or (--part full) all of it.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

PASSES = "fixed-point{dead-state-elimination,trivial-map-elimination,unused-symbol-elimination}"
FORMS = [
    ["--emit=text"], ["--emit=json", "--profile=keep"], ["--emit=json", "--profile=head"],
    ["--emit=json", "--profile=compat"], ["--emit=dot"], ["--emit=graphml"], ["--emit=cpp"],
    ["--emit=summary"], ["--verify-only"],
    ["--emit=text", "--pipeline=" + PASSES, "--remarks", "--stats", "--print-after-change"],
    ["--emit=json", "--pipeline=" + PASSES],
]
HERE = {"LC_ALL": "C", "TZ": "UTC", "OMP_NUM_THREADS": "1"}
# C.UTF-8 is on every Debian; de_DE prints decimal commas where it is installed.
THERE = {"LC_ALL": "de_DE.UTF-8", "LANG": "C.UTF-8", "TZ": "Asia/Kathmandu", "OMP_NUM_THREADS": "2",
         "SDFG_PADDING": "x" * 3001}


def digest(command, environment, folder, fixed_layout):
    full = ["setarch", "-R", *command] if fixed_layout else command
    done = subprocess.run(full, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=600,
                          env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **environment})
    return (done.returncode, hashlib.sha256(done.stdout).hexdigest(),
            hashlib.sha256(done.stderr).hexdigest(), len(done.stdout))


def compare(job):
    tool, file, words = job
    command = [tool, file, *words]
    try:
        with tempfile.TemporaryDirectory(prefix="a") as a, tempfile.TemporaryDirectory(prefix="bcd") as b:
            first = digest(command, HERE, a, True)
            second = digest(command, THERE, b, False)
    except subprocess.TimeoutExpired:
        return f"{file} {' '.join(words)}: still running after 600 s"
    if first == second:
        return None
    return f"{file} {' '.join(words)}: {first[:1] + first[3:]} here, {second[:1] + second[3:]} there"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--corpus", default=os.environ.get("SDFG_CORPUS"))
    parser.add_argument("--part", choices=["ci", "full"], default="ci")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    jobs = []
    for sdfg in sorted((root / "examples").rglob("*.sdfg*")):
        jobs += [(tool, str(sdfg), words) for words in FORMS]
        data = sdfg.parent / "data.npz"
        if data.exists():
            jobs += [(tool, str(sdfg), [f"--run={data}", f"--backend={backend}"])
                     for backend in ("interpreter", "cpu")]
    if arguments.corpus and os.path.isdir(arguments.corpus):
        corpus = pathlib.Path(arguments.corpus)
        files = sorted(f for f in corpus.rglob("*.sdfg*") if f.is_file())
        if arguments.part == "ci":
            files = [f for f in files if f.stat().st_size < 100_000][::12]
        jobs += [(tool, str(f), words) for f in files for words in FORMS]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        problems = [p for p in pool.map(compare, jobs) if p]
    print("\n".join(problems))
    print(f"determinism: {len(jobs) - len(problems)} of {len(jobs)} commands gave the same bytes twice")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
