#!/usr/bin/env python3
"""Runs recorded programs as CUDA and HIP without a GPU, or compiles them for real GPUs.

    run      lowered.sdfgz through --gt4py=target=cuda, executed on the stand-in (--backend=cuda-on-cpu and
             hip-on-cpu): the recorded outputs bit for bit, the same again in a second call, and no
             allocation and no waiting there; every fourth program with `graph = on`, too, where a third call
             is one launch (programs that cannot be a graph say so)
    compile  the generated text compiles without warnings for sm_80 and sm_90 with nvcc, and for gfx90a
             and gfx942 with hipcc and clang, and so do the names for C++ tasklets; a compiler that is
             not here is skipped aloud

Prints a line per problem and a closing line. --part ci takes a few programs, --part full all of them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

# A second call waits here because the host branches on what the device computed.
WAITS = "a second call with the same arguments allocates memory 0 times"


def run(command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)


def executed(tool, program, backend):
    """What is wrong with a program on the stand-in; nothing if all is well."""
    done = run([tool, program / "lowered.sdfgz", "--gt4py=target=cuda", "--emit=none", f"--run={program / 'data.npz'}",
                f"--backend={backend}"])
    complaints = [line for line in done.stderr.splitlines() if line.strip() and WAITS not in line]
    if done.returncode or complaints:
        return "\n".join(complaints)[:1500] or done.stdout[-1500:]
    return None


def executed_as_graph(tool, program, folder):
    (folder / "graph.plan").write_text("  graph = on\n")
    done = run([tool, program / "lowered.sdfgz", "--gt4py=target=cuda", "--emit=none", f"--run={program / 'data.npz'}",
                "--backend=cuda-on-cpu", f"--plan={folder / 'graph.plan'}"])
    if "the program cannot be a graph" in done.stderr:
        return None
    launched = "note: a third call with the same arguments launches 1 graph and 0 kernels"
    complaints = [line for line in done.stderr.splitlines() if line.strip() and not line.endswith(launched)]
    if done.returncode or complaints or launched not in done.stderr:
        return "\n".join(complaints)[:1500] or done.stdout[-1500:]
    return None


def compiled(tool, program, dialect, command, folder):
    text = folder / f"{program.name}.{'cu' if dialect == 'cuda' else 'hip'}"
    done = run([tool, program / "lowered.sdfgz", "--gt4py=target=cuda", f"--emit={dialect}", "-o", text])
    if done.returncode:
        return done.stderr[:1500]
    done = run([*command, text, "-o", f"{text}.o"])
    pathlib.Path(f"{text}.o").unlink(missing_ok=True)
    return None if done.returncode == 0 and not done.stderr.strip() else done.stderr[:1500]


# A program with C++ tasklets, as GT4Py's metrics are, brings the names of sdfg_compat.h with it.
FOREIGN = """#include "sdfg_gpu.h"
#include "sdfg_compat.h"
__global__ void kernel(dace::float64* p, dace::int32 n) { p[0] = dace::math::max(p[1], dace::float64(n)); }
"""
RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "codegen" / "runtime"


def foreign(name, command, folder):
    text = folder / f"foreign.{name}.cu"
    text.write_text(FOREIGN)
    done = run([*command, f"-I{RUNTIME}", text, "-o", f"{text}.o"])
    return None if done.returncode == 0 and not done.stderr.strip() else done.stderr[:1500]


def compilers():
    """{name: (dialect, command)} of those that are here; names of those that are not."""
    here, missing = {}, []
    wheels = sorted(pathlib.Path(".venv").glob("lib/python3*/site-packages/nvidia/cu13/bin/nvcc"))
    nvcc = next((n for n in [os.environ.get("CUDACXX"), "nvcc", *map(str, wheels)] if n and runs(n)), None)
    for arch in ("sm_80", "sm_90"):
        if nvcc:
            here[arch] = "cuda", [nvcc, "-std=c++20", "-O3", f"-arch={arch}", "-Werror=all-warnings",
                                  "-Xcompiler=-Wall,-Werror", "-c", "-x", "cu"]
        else:
            missing.append(arch)
    common = ["-std=c++20", "-O3", "-Wall", "-Werror", "-c", "-x", "hip"]
    if runs("hipcc"):
        here["gfx90a"] = "hip", ["hipcc", "--offload-arch=gfx90a", *common]
    else:
        missing.append("gfx90a")
    libraries = pathlib.Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
    if runs("clang++-19") and libraries.exists():
        here["gfx942"] = "hip", ["clang++-19", "--offload-arch=gfx942", "--offload-device-only", "-nogpulib",
                                 *device_libraries(libraries), *[w if w != "-c" else "-S" for w in common]]
    else:
        missing.append("gfx942")
    return here, missing


def device_libraries(folder):
    """Debian's device libraries are older than clang 19: gfx940's serve for gfx942."""
    names = ["ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off",
             "oclc_correctly_rounded_sqrt_on", "oclc_wavefrontsize64_on", "oclc_isa_version_940", "oclc_abi_version_500"]
    return [word for name in names if (folder / f"{name}.bc").exists()
            for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(folder / f"{name}.bc"))]


def runs(program):
    try:
        return subprocess.run([program, "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--kind", choices=["run", "compile"], action="append")
    parser.add_argument("--part", choices=["ci", "full"], default="ci")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--match", default="", help="only programs whose name contains this")
    arguments = parser.parse_args()
    programs = sorted(p.parent for p in arguments.corpus.glob("icon4py/*/data.npz") if arguments.match in str(p))
    some = {"run": len(programs), "compile": len(programs)}
    if arguments.part == "ci":
        programs = [p for p in programs if (p / "lowered.sdfgz").stat().st_size < 40_000]
        some = {"run": 8, "compile": 3}
    spread = lambda count: programs[:: max(1, len(programs) // count)][:count]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        todo = {}
        for kind in arguments.kind or ["run", "compile"]:
            if kind == "compile":
                here, missing = compilers()
                for name in missing:
                    print(f"compile: {name}: SKIPPED, its compiler is not here")
                for name, (dialect, command) in here.items():
                    todo[kind, name, pathlib.Path("C++ of tasklets")] = pool.submit(
                        foreign, name, command, pathlib.Path(folder))
                    for p in spread(some[kind]):
                        todo[kind, name, p] = pool.submit(compiled, arguments.tool, p, dialect, command, pathlib.Path(folder))
            else:
                for backend in ("cuda-on-cpu", "hip-on-cpu"):
                    for p in spread(some[kind]):
                        todo[kind, backend, p] = pool.submit(executed, arguments.tool, p, backend)
                for p in spread(max(1, some[kind] // 4)):
                    todo[kind, "graph", p] = pool.submit(executed_as_graph, arguments.tool, p, pathlib.Path(folder))
        bad = 0
        for (kind, name, program), future in todo.items():
            if problem := future.result():
                bad += 1
                print(f"{kind}: {name}: {program.name}: {problem}", flush=True)
    print(f"gpu ({arguments.part}): {len(todo) - bad} of {len(todo)} checks agree")
    return bool(bad) or not todo


if __name__ == "__main__":
    sys.exit(main())
