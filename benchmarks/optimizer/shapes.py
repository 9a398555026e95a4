#!/usr/bin/env python3
"""How time grows on shapes that sdfg-gen has no kind for: many neighbours of one node, many connectors of one map,
flows of many conditionals and loops.

usage: shapes.py --sdfg-opt PATH [--sizes 250,1000] [--only REGEX] [--least MS] [--limit SECONDS]

Each shape is a program of k parts (--sizes). Every pass runs on it by itself, and the pipelines simplify, auto and
gt4py; printed are milliseconds for each k and the exponent between the first and the last, of those that take at
least --least milliseconds (20) in the end. --only keeps what matches "SHAPE/PASS".
"""
import argparse
import math
import pathlib
import re
import subprocess
import tempfile

PIPELINES = ["simplify", "auto", "gt4py=target=cuda"]


class Program:
    """The text of an SDFG of one state; nodes and edges are added in any order."""

    def __init__(self, arguments, transients=(), symbols=("N",)):
        self.head = [f"sdfg shape({', '.join(arguments)})"]
        self.head += [f"  symbol {s}: int64" for s in symbols] + [f"  transient {t}" for t in transients]
        self.nodes, self.edges, self.count = [], [], 0

    def node(self, what, depth=0):
        self.nodes.append("    " + "  " * depth + f"n{self.count} = {what}")
        self.count += 1
        return f"n{self.count - 1}"

    def edge(self, source, target, memlet=""):
        self.edges.append(f"    {source} -> {target}" + (f" : {memlet}" if memlet else ""))

    def map(self, label, extent, code, inputs, outputs):
        """A tasklet in a map; inputs and outputs: (connector, access node, memlet outside, memlet inside)."""
        entry = self.node(f"map {label} (i) in [{extent}]")
        tasklet = self.node(f'tasklet {label}: "{code}"', 1)
        exit_ = self.node(f"exit {entry}")
        for connector, access, outside, inside in inputs:
            self.edge(access, f"{entry}.IN_{connector}", outside)
            self.edge(f"{entry}.OUT_{connector}", f"{tasklet}.{connector}", inside)
        for connector, access, outside, inside in outputs:
            self.edge(f"{tasklet}.{connector}", f"{exit_}.IN_{connector}", inside)
            self.edge(f"{exit_}.OUT_{connector}", access, outside)

    def text(self):
        return "\n".join(self.head + ["  state main"] + self.nodes + self.edges) + "\n"


def hub(k):
    """k maps write five elements each at one node, k others read them there."""
    n = 5 * k
    p = Program([f"A: float64[{n}]", f"B: float64[{n}]"], [f"T: float64[{n}]"])
    a, t = p.node("access A"), p.node("access T")
    for j in range(k):
        part = f"[{5 * j}:{5 * j + 5}]"
        p.map(f"first{j}", "0:5", "o = v", [("v", a, "A" + part, f"A[i + {5 * j}]")],
              [("o", t, "T" + part, f"T[i + {5 * j}]")])
    for j in range(k):
        part = f"[{5 * j}:{5 * j + 5}]"
        p.map(f"second{j}", "0:5", "o = v + 1", [("v", t, "T" + part, f"T[i + {5 * j}]")],
              [("o", p.node("access B"), "B" + part, f"B[i + {5 * j}]")])
    return p.text()


def rows(k):
    """k maps write a row each, one map reads all of them."""
    p = Program(["A: float64[N]", "B: float64[N]"], [f"T: float64[{k}, N]"])
    a, t, b = p.node("access A"), p.node("access T"), p.node("access B")
    for j in range(k):
        p.map(f"row{j}", "0:N", "o = v", [("v", a, "A[0:N]", "A[i]")], [("o", t, f"T[{j}, 0:N]", f"T[{j}, i]")])
    entry = p.node("map sum (i) in [0:N]")
    tasklet = p.node(f'tasklet sum: "o = {" + ".join(f"v{j}" for j in range(k))}"', 1)
    exit_ = p.node(f"exit {entry}")
    p.edge(t, f"{entry}.IN_T", f"T[0:{k}, 0:N]")
    for j in range(k):
        p.edge(f"{entry}.OUT_T", f"{tasklet}.v{j}", f"T[{j}, i]")
    p.edge(f"{tasklet}.o", f"{exit_}.IN_B", "B[i]")
    p.edge(f"{exit_}.OUT_B", b, "B[0:N]")
    return p.text()


def parts(k):
    """k maps write neighbouring parts between symbols, one map reads all of them."""
    symbols = [f"s{j}" for j in range(k + 1)]
    p = Program(["A: float64[N]", "B: float64[N]"], ["T: float64[N]"], ["N"] + symbols)
    a, t, b = p.node("access A"), p.node("access T"), p.node("access B")
    for j in range(k):
        part = f"s{j}:s{j + 1}"
        p.map(f"part{j}", part, "o = v", [("v", a, f"A[{part}]", "A[i]")], [("o", t, f"T[{part}]", "T[i]")])
    part = f"s0:s{k}"
    p.map("all", part, "o = v", [("v", t, f"T[{part}]", "T[i]")], [("o", b, f"B[{part}]", "B[i]")])
    return p.text()


def ports(k):
    """Two maps with k containers between them."""
    p = Program([f"{x}{j}: float64[N]" for x in "AB" for j in range(k)], [f"T{j}: float64[N]" for j in range(k)])
    between = [p.node(f"access T{j}") for j in range(k)]
    outside = {x: [p.node(f"access {x}{j}") for j in range(k)] for x in "AB"}
    for label, source, target in (("first", "A", "T"), ("second", "T", "B")):
        entry = p.node(f"map {label} (i) in [0:N]")
        tasklets = [p.node(f'tasklet {label}{j}: "o = v + 1"', 1) for j in range(k)]
        exit_ = p.node(f"exit {entry}")
        for j, tasklet in enumerate(tasklets):
            s, t = f"{source}{j}", f"{target}{j}"
            p.edge(outside.get(source, between)[j], f"{entry}.IN_{s}", f"{s}[0:N]")
            p.edge(f"{entry}.OUT_{s}", f"{tasklet}.v", f"{s}[i]")
            p.edge(f"{tasklet}.o", f"{exit_}.IN_{t}", f"{t}[i]")
            p.edge(f"{exit_}.OUT_{t}", outside.get(target, between)[j], f"{t}[0:N]")
    return p.text()


def choices(k):
    """A map around a nested SDFG with k inputs, k results and k conditionals."""
    p = Program([f"{x}{j}: float64[N]" for x in "AB" for j in range(k)])
    entry = p.node("map each (i) in [0:N]")
    inner = p.node("nested_sdfg inner with (i = i)", 1)
    p.nodes.append(f"        sdfg inner({', '.join(f'{x}{j}: float64' for x in 'ab' for j in range(k))})")
    p.nodes.append("          symbol i: int64")
    for j in range(k):
        p.nodes.append(f"          conditional choice{j}")
        for branch, condition, code in (("yes", f' if "i < {j}"', "o = v + 1"), ("no", "", "o = v + 2")):
            p.nodes += [f"            branch {branch}{j}{condition}", f"              state {branch}{j}_state",
                        f"                n0 = access a{j}", f'                n1 = tasklet {branch}: "{code}"',
                        f"                n2 = access b{j}", f"                n0 -> n1.v : a{j}[0]",
                        f"                n1.o -> n2 : b{j}[0]"]
        if j:
            p.nodes.append(f"          choice{j - 1} -> choice{j}")
    exit_ = p.node(f"exit {entry}")
    for j in range(k):
        a, b = p.node(f"access A{j}"), p.node(f"access B{j}")
        p.edge(a, f"{entry}.IN_A{j}", f"A{j}[0:N]")
        p.edge(f"{entry}.OUT_A{j}", f"{inner}.a{j}", f"A{j}[i]")
        p.edge(f"{inner}.b{j}", f"{exit_}.IN_B{j}", f"B{j}[i]")
        p.edge(f"{exit_}.OUT_B{j}", b, f"B{j}[0:N]")
    return p.text()


def pieces(k):
    """A container that is copied to k others, and gathered from them."""
    p = Program([f"A: float64[{4 * k}]", f"B: float64[{4 * k}]"], [f"T{j}: float64[4]" for j in range(k)])
    a, b = p.node("access A"), p.node("access B")
    for j in range(k):
        t, part = p.node(f"access T{j}"), f"[{4 * j}:{4 * j + 4}]"
        p.edge(a, t, f"A{part} -> [0:4]")
        p.edge(t, b, f"T{j}[0:4] -> {part}")
    return p.text()


def in_place(k):
    """k maps, one after the other, each of which reads and writes the same container."""
    p = Program(["A: float64[N]"])
    before = p.node("access A")
    for j in range(k):
        after = p.node("access A")
        p.map(f"step{j}", "0:N", "o = v + 1", [("v", before, "A[0:N]", "A[i]")], [("o", after, "A[0:N]", "A[i]")])
        before = after
    return p.text()


def copy_state(label, source, target, depth=1):
    """A state with a copy between two (container, part)."""
    lines = [f"state {label}", f"  n0 = access {source[0]}", f"  n1 = access {target[0]}",
             f"  n0 -> n1 : {source[0]}[{source[1]}] -> [{target[1]}]"]
    return ["  " * depth + line for line in lines]


def flow(arguments, transients, symbols, middle, labels):
    """A is added to, into T; then what `middle` says, blocks with `labels`; then T is copied to G, and that used."""
    head = [f"sdfg shape({', '.join(arguments)})"]
    head += [f"  symbol {s}: int64" for s in symbols] + [f"  transient {t}" for t in transients]
    first = """  state first
    n0 = access A
    n1 = map first (x) in [0:N]
      n2 = tasklet t: "o = a + 1"
    n3 = exit n1
    n4 = access T
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.a : A[x]
    n2.o -> n3.IN_T : T[x]
    n3.OUT_T -> n4 : T[0:N]"""
    last = """  state last
    n0 = access T
    n1 = access G
    n2 = map last (x) in [0:N]
      n3 = tasklet t: "o = a * 2"
    n4 = exit n2
    n5 = access A
    n0 -> n1 : T[0:N] -> [0:N]
    n1 -> n2.IN_G : G[0:N]
    n2.OUT_G -> n3.a : G[x]
    n3.o -> n4.IN_A : A[x]
    n4.OUT_A -> n5 : A[0:N]"""
    chain = ["first", *labels, "last"]
    edges = [f"  {a} -> {b}" for a, b in zip(chain, chain[1:])]
    return "\n".join([*head, first, *middle, last, *edges]) + "\n"


def branchings(k):
    """k conditionals, each of which writes another part of a container in either branch."""
    middle = []
    for j in range(k):
        middle.append(f"  conditional c{j}")
        for branch, condition, at in (("yes", f' if "n > {j}"', 4 * j), ("no", "", 4 * j + 2)):
            part = f"{at}:{at + 2}"
            middle += [f"    branch {branch}{j}{condition}", *copy_state(f"{branch}{j}_s", ("B", part), ("G", part), 3)]
    return flow(["A: float64[N]", "B: float64[N]"], ["T: float64[N]", "G: float64[N]"], ["N", "n"], middle,
                [f"c{j}" for j in range(k)])


def rounds(k):
    """k loops, each of which reads and writes other parts of two containers."""
    middle = []
    for j in range(k):
        at = f"4 * i{j} + {8 * j}"
        part = f"{at}:{at} + 4"
        middle.append(f'  loop l{j} (i{j}) from "i{j} = 0" while "i{j} < 2" next "i{j} = i{j} + 1"')
        middle += copy_state(f"in{j}", ("T", part), ("B", part), 2) + copy_state(f"out{j}", ("B", part), ("G", part), 2)
        middle.append(f"    in{j} -> out{j}")
    return flow(["A: float64[N]", "B: float64[N]"], ["T: float64[N]", "G: float64[N]"], ["N"], middle,
                [f"l{j}" for j in range(k)])


def nested_rounds(k):
    """Loops in loops, k deep, with a copy on each level."""
    middle, close = [], []
    for j in range(k):
        part = f"4 * i{j} + {8 * j}:4 * i{j} + {8 * j} + 4"
        indent = "  " * (j + 1)
        middle.append(f'{indent}loop l{j} (i{j}) from "i{j} = 0" while "i{j} < 2" next "i{j} = i{j} + 1"')
        middle += copy_state(f"s{j}", ("B", part), ("G", part), j + 2)
        if j + 1 < k:
            close.insert(0, f"{indent}  s{j} -> l{j + 1}")
    return flow(["A: float64[N]", "B: float64[N]"], ["T: float64[N]", "G: float64[N]"], ["N"], middle + close, ["l0"])


def assigned(k):
    """k conditionals that give a symbol one of two values, each followed by a copy of what it says."""
    middle, edges, labels = [], [], []
    for j in range(k):
        middle.append(f"  conditional c{j}")
        for branch, condition, step in (("yes", f' if "n > {j}"', 1), ("no", "", 2)):
            middle += [f"    branch {branch}{j}{condition}", f"      state {branch}{j}_a", f"      state {branch}{j}_b",
                       f'      {branch}{j}_a -> {branch}{j}_b set s = s + {step}']
        middle += copy_state(f"use{j}", ("B", "s:s + 4"), ("G", "s:s + 4"))
        labels += [f"c{j}", f"use{j}"]
    return flow(["A: float64[N]", "B: float64[N]"], ["T: float64[N]", "G: float64[N]"], ["N", "n", "s"], middle, labels)


def ways_out(k):
    """A loop with k conditionals that leave it or go on with the next round, and copies between them."""
    middle = ['  loop l (i) from "i = 0" while "i < N" next "i = i + 1"']
    inside = []
    for j in range(k):
        jump = "break" if j % 2 else "continue"
        middle += [f"    conditional c{j}", f'      branch yes{j} if "n + i > {j}"', f"        {jump} j{j}"]
        middle += copy_state(f"s{j}", ("B", "i"), ("G", f"{j}"), 2)
        inside += [f"c{j}", f"s{j}"]
    middle += [f"    {a} -> {b}" for a, b in zip(inside, inside[1:])]
    return flow(["A: float64[N]", "B: float64[N]"], ["T: float64[N]", "G: float64[N]"], ["N", "n"], middle, ["l"])


SHAPES = {f.__name__: f for f in (hub, rows, parts, ports, choices, pieces, in_place, branchings, rounds, nested_rounds,
                                  assigned, ways_out)}


def milliseconds(tool, path, name, limit):
    """Of the pass, or of all that a pipeline does."""
    command = [tool, path, "--" + name, "--time", "--emit=none", "--verify-each=off"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    times = dict(re.findall(r"^(\S+) +([\d.]+) ms$", done.stderr, re.MULTILINE))
    if name in PIPELINES:
        return float(times["total"]) - float(times["load"])
    return float(times.get(name, 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdfg-opt", required=True)
    parser.add_argument("--sizes", default="250,1000")
    parser.add_argument("--only", default="")
    parser.add_argument("--least", type=float, default=20)
    parser.add_argument("--limit", type=float, default=60)
    args = parser.parse_args()
    sizes = [int(k) for k in args.sizes.split(",")]
    listed = subprocess.run([args.sdfg_opt, "--list-passes"], capture_output=True, text=True, check=True).stdout
    needs_options = {"loop-blocking", "map-dim-shuffle", "demote-fields", "restore-fields", "substitute-symbols"}
    passes = [line.split()[0] for line in listed.splitlines() if line and not line.startswith(" ")]
    names = PIPELINES + [p for p in passes if p not in needs_options | {"simplify", "auto", "gt4py"}]
    with tempfile.TemporaryDirectory() as folder:
        for shape, make in SHAPES.items():
            paths = []
            for k in sizes:
                paths.append(pathlib.Path(folder) / f"{shape}{k}.txt")
                paths[-1].write_text(make(k))
            for name in names:
                if not re.search(args.only, f"{shape}/{name}"):
                    continue
                times = [milliseconds(args.sdfg_opt, path, name, args.limit) for path in paths]
                if times[-1] is not None and times[-1] < args.least:
                    continue
                text = " / ".join("–" if t is None else f"{t:.1f}" for t in times)
                exponent = "" if None in times or len(sizes) < 2 else " ({:.2f})".format(
                    math.log(times[-1] / max(times[0], 0.01)) / math.log(sizes[-1] / sizes[0]))
                print(f"{shape:9} {name:32} {text}{exponent}", flush=True)


if __name__ == "__main__":
    main()
