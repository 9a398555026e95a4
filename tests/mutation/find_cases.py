#!/usr/bin/env python3
"""Looks for text cases that notice a condition which check.py reports as surviving.

    tests/mutation/check.py --build build/dev > survivors.txt
    tests/mutation/find_cases.py --build build/dev --seconds 300 survivors.txt > new.test

Inputs are those of the text cases with a line or two changed (spoil.py); passes are mostly their own,
with options at random. Where a condition of the list holds in a run, and the run comes out different
without it, the case is printed, smallest first: read it, give it a title, put it into
tests/text/refusals, and bless it.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from check import folder_of, take_predicates
from spoil import spoil

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_DRAWN = {"simplify", "auto", "gt4py"}
VALUES = ["i", "j", "A", "B", "N", "t", "one", "i,j", "j,i", "1", "2,3"]


def inputs():
    """(pass, program) of the text cases."""
    for file in sorted((ROOT / "tests/text/passes").glob("*.test")):
        for case in re.split(r"^=== .*\n", file.read_text(), flags=re.M):
            parts = re.split(r"^---.*\n", case, flags=re.M)
            if len(parts) > 1 and parts[1].startswith("sdfg "):
                yield file.stem, parts[1].rstrip("\n") + "\n"


class Tool:
    """The sdfg-opt in which conditions can be switched off."""

    def __init__(self, folder):
        self.path = folder / "sdfg-opt"
        self.hits = pathlib.Path(tempfile.mkdtemp()) / "hits"

    def run(self, program, flag, **environment):
        """(status, output, messages), or nothing when it takes too long."""
        try:
            done = subprocess.run([self.path, flag, "--remarks", "--emit=text"], input=program, text=True,
                                  capture_output=True, env={**os.environ, **environment}, timeout=20)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode, done.stdout, done.stderr

    def sites(self, program, flag):
        """What the run gives, and the conditions that held in it."""
        self.hits.unlink(missing_ok=True)
        result = self.run(program, flag, SDFG_MUTATION_HITS=str(self.hits))
        return result, set(map(int, self.hits.read_text().split())) if self.hits.exists() else set()

    def options(self, name):
        """(option, default) of a pass."""
        text = subprocess.run([self.path, f"--help={name}"], capture_output=True, text=True).stdout
        return re.findall(r"^  (\w+)(?:=(\S*))?", text.partition("Options:")[2], re.M)


def flag(draw, name, options):
    words = []
    for option, default in draw.sample(options, min(len(options), draw.randint(0, 2))):
        if default in ("true", "false"):
            words.append(option if default == "false" else option + "=false")
        elif re.fullmatch(r"-?\d+", default):
            words.append(f"{option}={draw.randint(0, 4)}")
        else:
            words.append(f"{option}={draw.choice(VALUES)}")
    return f"--{name}" + (f"={' '.join(words)}" if words else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    take_predicates(parser, "survivors of check.py --predicates")
    parser.add_argument("survivors", type=pathlib.Path, help="what check.py printed")
    arguments = parser.parse_args()
    survivors = re.findall(r"^SURVIVES (\d+) (.*)", arguments.survivors.read_text(), re.M)
    wanted = {int(n): place for n, place in survivors}
    tool, draw, found = Tool(folder_of(arguments)), random.Random(arguments.seed), {}
    listed = subprocess.run([tool.path, "--list-passes"], capture_output=True, text=True).stdout.splitlines()
    options = {name: tool.options(name) for name in {line.split()[0] for line in listed} - NOT_DRAWN}
    programs, names, end = list(inputs()), sorted(options), time.time() + arguments.seconds
    while time.time() < end and wanted:
        own, program = draw.choice(programs)
        program = spoil(program, draw) if draw.random() < 0.7 else program
        name = own if own in options and draw.random() < 0.8 else draw.choice(names)
        how = flag(draw, name, options[name])
        result, held = tool.sites(program, how)
        for site in sorted(held & set(wanted)) if result and result[0] == 0 else []:
            if tool.run(program, how, SDFG_MUTATION=str(site)) != result:
                found[site] = (program, how, wanted.pop(site))
    for program, how, place in sorted(found.values(), key=lambda case: len(case[0])):
        quoted = re.sub(r"=(.* .*)", r"='\1'", how)
        print(f"=== {place}\nsdfg-opt {quoted} --remarks\n---\n{program}--- diff\n")
    print(f"{len(found)} found, {len(wanted)} not", file=sys.stderr)


if __name__ == "__main__":
    main()
