#!/usr/bin/env python3
"""Writes our CUDA and DaCe's for the benchmark programs of the corpus, to be built and timed by run.py elsewhere.

usage: prepare.py --corpus DIR --sdfg-opt PATH --out DIR [--only ours|dace] [-n 150,405] [--no-bytes] [--plans FILE] [PROGRAM...]

Per program and grid (2n^2 cells, 3n^2 edges, n^2 vertices): the recorded graphs with the small grid's sizes, which
GT4Py bakes into temporaries, replaced; DaCe's code from gt4py_gpu.sdfgz, ours from lowered.sdfgz; a caller for both;
the recorded arguments; and meta.json with what each kernel has to move (compulsory.py). Programs of icon4py-static are made for
n = 150 only; there the symbolic ones are made with a version for typical values, too. OUT/dace gets DaCe's headers. DaCe's code that is there already is kept. Needs a Python with dace,
gt4py and numpy.
"""
import argparse, gzip, json, pathlib, shutil, subprocess, sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from compulsory import bytes_at, formulas
from tune import known_plan
from torus_grid import read_recorded, scale, scale_graph, scale_numbers, torus

def pipeline(program, typical):
    """With what GT4Py knows at compile time, too; sizes known at compile time are in the graph already."""
    known = f" symbols={program / 'program.json'}"
    return f"--gt4py=target=cuda{known}" + (f" typical={typical}" if typical else "")


# Reads pairs "GRAPH FOLDER", writes DaCe's code for each graph.
DACE = r"""
import json, pathlib, sys
import dace
from gt4py._core import definitions as core
from gt4py.next.program_processors.runners.dace.workflow import common
for line in sys.stdin:
    graph, out = line.split()
    out = pathlib.Path(out)
    with common.dace_context(device_type=core.DeviceType.CUDA):
        sdfg = dace.SDFG.from_json(json.loads(pathlib.Path(graph).read_text()))
        for obj in sdfg.generate_code():
            if obj.title == "Frame" or obj.target.target_name == "cuda":
                (out / ("dace.cpp" if obj.title == "Frame" else "dace.cu")).write_text(
                    obj.clean_code.replace('#include "../../include/hash.h"', ""))
        (out / "dace.json").write_text(json.dumps(dict(
            name=sdfg.name, package=str(pathlib.Path(dace.__file__).parent),
            args=[(name, str(desc.dtype.ctype)) for name, desc in sdfg.arglist().items()],
            init=[part.split()[-1] for part in sdfg.init_signature().split(", ") if part])))
    print(out.name, flush=True)
"""

# Calls a program through addresses: what a compiled caller pays, without Python's share.
CALLER = r"""
#include <time.h>
#include <stdint.h>
using Program = void (*)(void*, {types});
using Init = void* (*)({init_types});
extern "C" void* init(Init f, void** a) {{ return f({init_reads}); }}
/// Microseconds that the host needs for `calls` calls, the sets of arguments in turn.
extern "C" double call(Program f, void* state, void*** sets, int count, int first, int calls) {{
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < calls; ++i) {{
    void** const a = sets[(first + i) % count];
    f(state, {reads});
  }}
  clock_gettime(CLOCK_MONOTONIC, &end);
  return double(end.tv_sec - begin.tv_sec) * 1e6 + double(end.tv_nsec - begin.tv_nsec) * 1e-3;
}}
"""


def run(command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")
    return done.stdout


def jobs(options):
    """(name, folder of the corpus, n, name of what has the same graphs) of what is to be built."""
    for folder in sorted(options.corpus.glob("icon4py*/*/args80.npz")):
        program, static = folder.parent, folder.parent.parent.name.endswith("static")
        if options.programs and not any(word in program.name for word in options.programs):
            continue
        for n in [150] if static else options.n:
            name = f"{program.name.split('__')[0]}@{{}}-{2 * n * n}"
            yield name.format("static" if static else "symbolic"), program, n, name.format("static" if static else "symbolic")
            if not static and n == 150:
                yield name.format("typical"), program, n, name.format("symbolic")


def caller(signature, arrays):
    def types(entries):
        return ["void*" if name in arrays else kind.replace("const ", "").strip() for name, kind in entries]
    def read(types):
        return ", ".join(f"a[{i}]" if t == "void*" else f"*static_cast<{t}*>(a[{i}])" for i, t in enumerate(types))
    args, init = types(signature["args"]), types(signature["init"])
    return CALLER.format(types=", ".join(args), init_types=", ".join(init), reads=read(args), init_reads=read(init))


def signature(text, name):
    """Names and types of the parameters of the entry points in the text of our program, without the state."""
    text = " ".join(text.split())
    def parameters(entry):
        start = text.index(f" {entry}{name}(") + len(entry) + len(name) + 2
        words = [p.replace("[[maybe_unused]] ", "").replace("__restrict__ ", "") for p in text[start:text.index(")", start)].split(", ")]
        return [(p.split()[-1].lstrip("*"), p.rsplit(None, 1)[0]) for p in words if p and "__state" not in p]
    return dict(args=parameters("__program_"), init=parameters("__dace_init_"))


def moved(opt, graph, steps, made_for, program, n):
    """Bytes that our kernels have to move at grid n: by kind, their sum, the program's lower bound, the formula's error."""
    key = (graph, steps)
    if key not in moved.known:
        moved.known[key] = formulas(opt, graph, steps, made_for, lambda small: scale(program / "args80.npz", small))
    found = moved.known[key]
    kinds, kernels = {}, []
    for kernel in found["kernels"]:
        kernels.append(dict(name=kernel["name"], place=kernel["place"], kind=kernel["kind"], bytes=bytes_at(kernel, n)))
        kinds[kernel["kind"]] = kinds.get(kernel["kind"], 0) + kernels[-1]["bytes"]
    return dict(kernels=kernels, kinds=kinds, bytes=sum(kinds.values()), lower=bytes_at(found["lower"], n), error=found["error"])


moved.known = {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--sdfg-opt", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/sdfg-gpu-benchmark"))
    parser.add_argument("--dace", default=sys.executable, help="a Python that has dace and gt4py")
    parser.add_argument("--only", choices=["ours", "dace"])
    parser.add_argument("-n", type=lambda text: list(map(int, text.split(","))), default=[150, 405])
    parser.add_argument("--no-bytes", action="store_true", help="do not count what kernels have to move")
    parser.add_argument("--plans", type=pathlib.Path, help="a store of tune.py: kernels run as it says")
    parser.add_argument("--device", default="NVIDIA H200", help="whose plans of the store")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_intermixed_args()
    tables, todo = {n: torus(n) for n in options.n + [150]}, list(jobs(options))
    for _, program, n, name in todo:
        (options.work / name).mkdir(parents=True, exist_ok=True)
        recorded = read_recorded(program / "args80.npz")
        for graph in ("gt4py_gpu", "lowered"):
            scaled = options.work / name / f"{graph}.sdfg"
            if scaled.exists():
                continue
            if program.parent.name.endswith("static"):  # made for this grid already
                scaled.write_bytes(gzip.decompress((program / f"{graph}.sdfgz").read_bytes()))
            else:
                scale_graph(program / f"{graph}.sdfgz", scaled, n, [a for k, a in recorded.items() if k.startswith("gt_conn_")])
    if missing := [f for f in dict.fromkeys(options.work / name for *_, name in todo) if not (f / "dace.json").exists()]:
        run([options.dace, "-W", "ignore", "-c", DACE], input="".join(f"{f / 'gt4py_gpu.sdfg'} {f}\n" for f in missing))
    for name, program, n, graphs in todo:
        work, out = options.work / graphs, options.out / name
        out.mkdir(parents=True, exist_ok=True)
        recorded = read_recorded(program / "args80.npz")
        numbers = scale_numbers(recorded, n, tables[n])
        typical = None
        if name != graphs:
            typical = work / "typical.json"
            typical.write_text(json.dumps({k: v for k, v in numbers.items() if type(v) in (int, bool)}))
        steps = pipeline(program, typical)
        meta = json.loads((work / "dace.json").read_text())
        if options.only != "ours":
            for file in ("dace.cpp", "dace.cu"):
                shutil.copyfile(work / file, out / file)
            for part in ("runtime/include", "external/moodycamel"):
                shutil.copytree(pathlib.Path(meta["package"]) / part, options.out / "dace" / part, dirs_exist_ok=True)
        if options.only != "dace":
            known = known_plan(options.sdfg_opt, options.plans, options.device, work / "lowered.sdfg", steps) if options.plans else ""
            for file, plan in ("ours", known), ("timed", "  timers = on\n" + known):
                (out / f"{file}.plan").write_text(plan)
                run([options.sdfg_opt, work / "lowered.sdfg", steps, "--emit=cuda", "-o", out / f"{file}.cu", f"--plan={out / f'{file}.plan'}"])
        arrays = {name for name, value in recorded.items() if value.ndim}
        theirs = dict(args=meta["args"], init=[(name, dict(meta["args"]).get(name, "int")) for name in meta["init"]])
        ours = signature((out / "ours.cu").read_text(), meta["name"])
        for who, names in ("ours", ours), ("dace", theirs):
            (out / f"{who}_caller.cpp").write_text(caller(names, arrays))
        shutil.copyfile(program / "args80.npz", out / "args80.npz")
        bytes = None
        if not options.no_bytes:
            bytes = moved(options.sdfg_opt, work / "lowered.sdfg", steps, n, program, n)
            print(f"{name:90} {bytes['bytes']:>14,} bytes, at least {bytes['lower']:>14,}, formula off by {bytes['error']:.1e}", flush=True)
        (out / "meta.json").write_text(json.dumps(dict(name=meta["name"], n=n, ours=ours, dace=theirs, moved=bytes,
                                                        graph=str(work / "lowered.sdfg"), steps=steps)))
    shutil.copyfile(pathlib.Path(__file__).resolve().parent.parent / "torus_grid.py", options.out / "torus_grid.py")
    for file in ("run.py", "kernels.py"):
        shutil.copyfile(pathlib.Path(__file__).resolve().parent / file, options.out / file)


if __name__ == "__main__":
    main()
