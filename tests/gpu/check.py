#!/usr/bin/env python3
"""Runs recorded programs as CUDA and HIP without a GPU, or compiles them for real GPUs.

    run      lowered.sdfgz through --gt4py=target=cuda, executed on the stand-in (--backend=cuda-on-cpu and
             hip-on-cpu): the recorded outputs bit for bit, the same again in a second call, and no
             allocation and no waiting there; every fourth program with `graph = on`, too, where a third call
             is one launch (programs that cannot be a graph say so)
    made     tests/gpu/programs and some programs of other DaCe users through --gpu-transformation, executed
             on the stand-in: reductions and updates of every kind, complex numbers, control flow that reads
             what kernels write; kernels that are launched under conditions, also with `graph = on`; and what
             a launch beyond the limits says
    compile  the generated text compiles without warnings for sm_80 and sm_90 with nvcc, and for gfx90a
             and gfx942 with hipcc and clang, and so do the names for C++ tasklets; a compiler that is
             not here is skipped aloud

Prints a line per problem and a closing line. --part ci takes a few programs, --part full all of them.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

# A second call waits here because the host branches on what the device computed.
WAITS = "a second call with the same arguments allocates memory 0 times"


def run(command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)


def executed(tool, program, backend):
    """What is wrong with a program on the stand-in; nothing if all is well."""
    done = run([tool, program / "lowered.sdfgz", "--gt4py=target=cuda", "--verify-each", "--emit=none",
                f"--run={program / 'data.npz'}", f"--backend={backend}"])
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


HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = {"f4": "f", "f8": "d", "i2": "h", "i4": "i", "i8": "q", "c16": "d"}


def write_npz(path, arrays):
    """{name: (type, shape, numbers)} as NumPy stores it; a complex number is two."""
    with zipfile.ZipFile(path, "w") as file:
        for name, (kind, shape, numbers) in arrays.items():
            header = str(dict(descr="<" + kind, fortran_order=False, shape=shape)).ljust(117) + "\n"
            file.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                          struct.pack(f"<{len(numbers)}{NUMBERS[kind]}", *numbers))


def reductions(path):
    """Arguments and results of programs/reductions.txt: whole numbers, so that sums are exact in any order."""
    n, m, length = 90, 700, 50000
    a = [(7 * i * i + 3 * i) % 101 for i in range(n * m)]
    rows, columns = [a[i * m:(i + 1) * m] for i in range(n)], [a[j::m] for j in range(m)]
    x, y = [i % 5 for i in range(length)], [i % 3 for i in range(length)]

    def alternating(row):
        value = 0
        for element in row:
            value = element - value
        return value

    given = dict(A=("f8", (n, m), a), x=("f4", (length,), x), y=("f4", (length,), y), all=("f8", (1,), [5]),
                 rows=("f8", (n,), [0] * n), columns=("f8", (m,), [0] * m), largest=("f8", (1,), [0]),
                 odd=("f8", (n,), [0] * n), dot=("f4", (1,), [0]), sums=("c16", (2,), [0] * 4),
                 product=("c16", (1,), [1, 0]), least=("i2", (3,), [0] * 3))
    found = dict(all=[5 + sum(a)], rows=[sum(r) for r in rows], columns=[sum(c) for c in columns], largest=[max(a)],
                 odd=[alternating(r) for r in rows], dot=[sum(i * j for i, j in zip(x, y))],
                 sums=[0, sum(range(0, n, 2)), 0, sum(range(1, n, 2))], product=[-1, 0],  # i to the power of 90
                 least=[-max(range(r, n, 3)) for r in range(3)])
    symbols = dict(L=length, M=m, N=n)
    write_npz(path, {f"in:{k}": v for k, v in given.items()} | {f"in:{k}": ("i8", (), [v]) for k, v in symbols.items()} |
              {f"out:{k}": (*given[k][:2], v) for k, v in found.items()})


def made(tool, backend, folder):
    data = folder / f"{backend}.npz"
    reductions(data)
    done = run([tool, HERE / "programs/reductions.txt", "--gpu-transformation", "--emit=none", f"--run={data}",
                f"--backend={backend}"])
    return None if done.returncode == 0 else done.stderr[-1500:] + done.stdout[-1500:]


def over_the_limit(tool, folder):
    program, data = HERE / "programs/large_grid.txt", folder / "grid.npz"
    one = ("f8", (1,), [0])
    write_npz(data, {"in:A": one, "out:A": one, "in:N": ("i8", (), [70000])})
    done = run([tool, program, "--emit=none", f"--run={data}", "--backend=cuda-on-cpu"])
    wanted = "a grid of 1 x 1 x 70000 blocks is over the limit of 2147483647 x 65535 x 65535"
    return None if wanted in done.stderr else f"no message about the grid: {done.stderr[-1500:]}"


# Programs of whole numbers, with their arguments and results, and what is done to them before they run.
SMALL = {
    # A program is called more than once, and each call begins with the same arguments, those in the memory of the
    # host, too.
    "in_place": ([], {"in:A": ("f8", (4,), [0, 1, 2, 3]), "out:A": ("f8", (4,), [1, 2, 3, 4])}),
    # Containers that hold constants are in no memory: kernels define them.
    "constant": (["--gpu-transformation"],
                 {"in:A": ("f8", (8,), range(8)), "in:B": ("f8", (8,), [0] * 8),
                  "out:B": ("f8", (8,), [5 * i + 0.5 for i in range(8)])}),
    # What control flow reads keeps its memory until then.
    "read_by_host": (["--gpu-transformation"],
                     {"in:A": ("f8", (8,), [0, 5.1, 2, 3, 4, 5, 6, 7]), "in:B": ("f8", (8,), [0] * 8),
                      "out:B": ("f8", (8,), [5.1 * 2 + 1 + i for i in range(8)])}),
    # Complex numbers of device code have NumPy's functions: those of 0, of 1, and what rounds to 1 + 3i.
    "complex_functions": (["--gpu-transformation"],
                          {"in:z": ("c16", (3,), [0, 0, 1, 0, 1.25, 2.75]), "in:o": ("c16", (4,), [9] * 8),
                           "out:o": ("c16", (4,), [0, 0, 4, 0, 0, 0, 1, 3])}),
    # What threads have of their own lies in slices; a map inside has a parameter of the same name as the kernel.
    "same_parameter": (["--gpu-transformation"],
                       {"in:N": ("i8", (), [3]), "in:K": ("i8", (), [4]), "in:A": ("f8", (3,), [1, 2, 3]),
                        "in:B": ("f8", (3,), [0, 0, 0]), "out:B": ("f8", (3,), [5, 7, 9])}),
    # The host hands on where an element lies, as a scalar first and then as an array of one element.
    "handed_on": (["--gpu-transformation"],
                  {"in:N": ("i8", (), [3]), "in:A": ("f8", (3,), [1, 2, 3]),
                   "in:B": ("f8", (3,), [0, 0, 0]), "out:B": ("f8", (3,), [3, 4, 5])}),
}


def small(name, tool, backend, folder):
    passes, arguments = SMALL[name]
    data = folder / f"{name}.{backend}.npz"
    write_npz(data, arguments)
    done = run([tool, HERE / f"programs/{name}.txt", *passes, "--emit=none", f"--run={data}", f"--backend={backend}"])
    return None if done.returncode == 0 else done.stderr[-1500:] + done.stdout[-1500:]


def asked_first(tool, backend, folder):
    """A kernel whose grid no device takes is no problem as long as its condition does not hold; others
    are launched when theirs does, in a call that is one graph, too."""
    program, n = HERE / "programs/conditions.txt", 70000
    graph = folder / "asked.plan"
    graph.write_text("  graph = on\n")
    for mode in (1, 2):
        for flag in (0, 1):
            data = folder / f"asked-{backend}-{mode}-{flag}.npz"
            after = [2 * i + 2 for i in range(n)] if mode == 2 else range(n)
            write_npz(data, {"in:A": ("f8", (1,), [5]), "out:A": ("f8", (1,), [5]), "in:B": ("f8", (n,), range(n)),
                             "out:B": ("f8", (n,), after), "in:N": ("i8", (), [n]), "in:flag": ("i8", (), [flag]),
                             "in:mode": ("i4", (), [mode])})
            for plan in ([], [f"--plan={graph}"]):
                done = run([tool, program, "--emit=none", f"--run={data}", f"--backend={backend}", *plan])
                refused = "is over the limit" in done.stderr
                if refused != bool(flag) or (done.returncode != 0) != refused:
                    return f"mode {mode}, flag {flag}, {plan}: {done.stderr[-1500:]}{done.stdout[-1500:]}"
    return None


def transformed(tool, program, dialect):
    """A program of another DaCe user; sums in another order may round differently."""
    described = json.loads((program / "meta.json").read_text()).get("scalars") or {}
    done = run([tool, program / "plain.sdfgz", "--gpu-transformation", "--emit=none", f"--run={program / 'data.npz'}",
                *[f"--set={name}={entry['value']!r}" for name, entry in described.items()],
                f"--backend={dialect}-on-cpu", "--tolerance=1e-6"])
    return None if done.returncode == 0 else done.stderr[-1500:] + done.stdout[-1500:]


# Of corpus/dace/npbench. Left out by --part full: what launches too many kernels for a stand-in.
SOME = ["azimint_hist", "cholesky2", "mandelbrot2"]
LEFT_OUT = ["channel_flow"]


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
    parser.add_argument("--kind", choices=["run", "made", "compile"], action="append")
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
        for kind in arguments.kind or ["run", "made", "compile"]:
            if kind == "made":
                for backend in ("cuda-on-cpu", "hip-on-cpu"):
                    todo[kind, backend, HERE / "reductions"] = pool.submit(made, arguments.tool, backend, pathlib.Path(folder))
                    for name in SMALL:
                        todo[kind, backend, HERE / name] = pool.submit(small, name, arguments.tool, backend, pathlib.Path(folder))
                    todo[kind, backend, HERE / "conditions"] = pool.submit(asked_first, arguments.tool, backend, pathlib.Path(folder))
                todo[kind, "cuda-on-cpu", HERE / "large_grid"] = pool.submit(over_the_limit, arguments.tool, pathlib.Path(folder))
                others = sorted(p.parent for p in arguments.corpus.glob("dace/npbench/*/plain.sdfgz"))
                for i, p in enumerate(others):
                    if p.name in SOME or (arguments.part == "full" and p.name not in LEFT_OUT):
                        dialect = ("cuda", "hip")[i % 2]
                        todo[kind, dialect, p] = pool.submit(transformed, arguments.tool, p, dialect)
            elif kind == "compile":
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
