#!/usr/bin/env python3
"""Makes random SDFGs with sdfg-gen and holds the backends against each other.

For each seed, a program of kind mixed or pieces and one of patterns: the same flags give the same bytes; the
text form reads back; the interpreter runs it without a warning; the generated C++ gives the same bits,
and up to the rounding of sums in another order when gt4py has optimized it. The first --gpu seeds of
each kind also go through gpu-transformation, gt4py and auto, as CUDA or HIP on the stand-in for a GPU;
with --real as CUDA on this machine's GPU. A seed that fails is printed with the command that shows it
again.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

# What code for a GPU does not have, and says so.
REFUSED = ["no code for a scaled transposition on memory of the GPU", ": gpu-transformation: state ",
           "an array inside a kernel that is set to zero needs a constant size"]
GPU_PIPELINES = ["gpu-transformation", "gt4py{target=DEVICE assume_pointwise=false}", "auto{target=DEVICE}"]
KINDS = ["branch-nest", "branches", "chain", "conditionals", "copies", "loops", "nest", "states", "wide"]


def run(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b"", b"no end after 300 s")


def on_gpu(device, backend):
    """The pipelines for a GPU, and what runs their results."""
    return [(pipeline.replace("DEVICE", device), backend) for pipeline in GPU_PIPELINES]


def check(tools, flags, backends):
    """What is wrong, or None; `backends` are those of pipelines for a GPU: (pipeline, backend)."""
    gen, opt = str(tools / "sdfg-gen"), str(tools / "sdfg-opt")
    with tempfile.TemporaryDirectory() as folder:
        text, data = f"{folder}/program.txt", f"{folder}/data.npz"
        made = run(gen, *flags, "-o", text, f"--data={data}", "--record")
        if made.returncode:
            return made.stderr.decode(errors="replace")
        if b"warning" in made.stderr:
            return "the interpreter warns: " + made.stderr.decode(errors="replace")
        close = ["--emit=none", f"--run={data}", "--tolerance=1e-12"]
        written = pathlib.Path(text).read_bytes()
        if run(gen, *flags, "--emit=text").stdout != written:
            return "another SDFG the second time"
        if run(opt, text, "--emit=text").stdout != written:
            return "another text after reading it back"
        for backend in ("interpreter", "cpu"):
            done = run(opt, text, f"--run={data}", f"--backend={backend}")
            if done.returncode:
                return f"{backend}: " + (done.stdout + done.stderr).decode(errors="replace")
        done = run(opt, text, "--pipeline=gt4py{target=cpu assume_pointwise=false}", *close, "--backend=cpu")
        if done.returncode:
            return "cpu, optimized: " + (done.stdout + done.stderr).decode(errors="replace")
        for pipeline, backend in backends:
            done = run(opt, text, f"--pipeline={pipeline}", *close, f"--backend={backend}")
            said = (done.stdout + done.stderr).decode(errors="replace")
            if done.returncode and not any(why in said for why in REFUSED):
                return f"{pipeline}, {backend}: {said}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=pathlib.Path, help="folder with sdfg-gen and sdfg-opt")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=20, help="how many seeds")
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--gpu", type=int, default=0, help="how many of the seeds run on the stand-in, too")
    parser.add_argument("--real", action="store_true", help="on a GPU in place of the stand-in")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    programs = [[f"--kind={kind}", f"--size={arguments.size}"] for kind in KINDS]
    backends = [on_gpu("cuda", "cuda") if arguments.real else []] * len(KINDS)
    for i in range(arguments.count):
        for kind in ("pieces" if i % 3 == 1 else "mixed", "patterns"):
            programs.append([f"--kind={kind}", f"--size={arguments.size}", f"--seed={arguments.first + i}"])
            device = ("cuda", "hip")[i % 2]
            stand_in_or_real = on_gpu("cuda", "cuda") if arguments.real else on_gpu(device, f"{device}-on-cpu")
            backends.append(stand_in_or_real if i < arguments.gpu else [])
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for flags, wrong in zip(programs, pool.map(lambda f, b: check(arguments.tools, f, b), programs, backends)):
            if wrong:
                failed += 1
                print(f"FAILED sdfg-gen {' '.join(flags)}: {wrong.strip()[:1000]}")
    print(f"{len(programs) - failed} of {len(programs)} random programs agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
