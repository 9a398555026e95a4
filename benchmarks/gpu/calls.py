#!/usr/bin/env python3
"""What a call costs besides its kernels: a program of twelve small ones, plain, as a graph and as DaCe's.

usage: calls.py prepare --sdfg-opt PATH --out DIR [--dace PYTHON]
       calls.py run DIR [--no-device] [--nvcc PATH]

`prepare` writes our CUDA for twelve.txt (twice: as it is, and with `graph = on`), DaCe's, and what `run` needs, which
builds it all and prints a table. Run it on a machine with a GPU; the results of all programs are compared there. With
--no-device the calls of CUDA's runtime only succeed: a test of the counting, and our own share of the host's time.
"""
import argparse, json, pathlib, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent


def prepare(options):
    sys.path.insert(0, str(HERE))
    from prepare import DACE, run
    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "graph.plan").write_text("  graph = on\n")
    program = HERE / "twelve.txt"
    run([options.sdfg_opt, program, "--emit=cuda", "-o", out / "plain.cu"])
    run([options.sdfg_opt, program, "--emit=cuda", f"--plan={out / 'graph.plan'}", "-o", out / "graph.cu"])
    if options.dace:
        run([options.sdfg_opt, program, "--profile=compat", "-o", out / "twelve.sdfg"])
        run([options.dace, "-W", "ignore", "-c", DACE], input=f"{out / 'twelve.sdfg'} {out}\n")
        package = pathlib.Path(json.loads((out / "dace.json").read_text())["package"])
        for part in ("runtime/include", "external/moodycamel"):
            shutil.copytree(package / part, out / "dace" / part, dirs_exist_ok=True)
    for file in ("calls.cu", "count_calls.cpp", "count_calls.h", "calls.py"):
        shutil.copyfile(HERE / file, out / file)


def measure(options):
    out = options.dir
    nvcc = [options.nvcc, "-O3", "-std=c++20", "-arch=sm_90", "-cudart=shared"]
    home = pathlib.Path(shutil.which(options.nvcc)).resolve().parent.parent
    libraries = [f"-Xlinker=-rpath={home / 'lib64'}"]
    if (home / "lib/libcudart.so.13").exists():  # NVIDIA's wheels have no libcudart.so
        link = out / "lib"
        link.mkdir(exist_ok=True)
        if not (link / "libcudart.so").exists():
            (link / "libcudart.so").symlink_to(home / "lib/libcudart.so.13")
        libraries = [f"-L{link}", f"-L{home / 'lib'}", f"-Xlinker=-rpath={home / 'lib'}"]
    shared = ["-shared", "-Xcompiler=-fPIC"]
    dace = ["-w", "-DWITH_CUDA", f"-I{out / 'dace/runtime/include'}"]
    found = {}
    for name, sources, flags in [("plain", ["plain.cu"], shared), ("graph", ["graph.cu"], shared), ("DaCe", ["dace.cpp", "dace.cu"], shared + dace)]:
        if all((out / s).exists() for s in sources):
            found[name] = out / f"{name}.so"
            compile([*nvcc, *flags, *libraries, *[out / s for s in sources], "-o", found[name]])
    compile([*nvcc, *libraries, out / "calls.cu", out / "count_calls.cpp", "-o", out / "calls", "-Xlinker=--export-dynamic", "-ldl"])
    words = [f"{name}={library.resolve()}" for name, library in found.items()]
    return subprocess.run([out / "calls", *(["--no-device"] if options.no_device else []), *words]).returncode


def compile(command):
    made = pathlib.Path(command[command.index("-o") + 1])
    sources = [pathlib.Path(w) for w in command if str(w).endswith((".cu", ".cpp"))]
    if made.exists() and made.stat().st_mtime > max(s.stat().st_mtime for s in sources):
        return
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    first = parts.add_parser("prepare")
    first.add_argument("--sdfg-opt", required=True)
    first.add_argument("--out", required=True, type=pathlib.Path)
    first.add_argument("--dace", help="a Python that has dace and gt4py")
    first.set_defaults(go=prepare)
    second = parts.add_parser("run")
    second.add_argument("dir", type=pathlib.Path)
    second.add_argument("--no-device", action="store_true")
    second.add_argument("--nvcc", default="nvcc")
    second.set_defaults(go=measure)
    options = parser.parse_args()
    return options.go(options)


if __name__ == "__main__":
    sys.exit(main())
