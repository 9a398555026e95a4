#!/usr/bin/env python3
"""Run times of NumPy programs that our `auto` optimized beside what DaCe's auto-optimizer made of them.

usage: compare.py --corpus DIR --sdfg-opt PATH [--rounds 5] [--threads 1] [--flags "..."] [PROGRAM...]

For each program of DIR/dace/npbench in SIZES: `plain.sdfgz` through --auto, and `auto.sdfgz` as it is, both
as C++ of our generator, compiled with the same flags, on recorded arguments repeated to a bigger size.
Prints milliseconds per call (the best of the rounds), their ratio (above 1: ours is faster), and whether the
results agree; the closing line has the geometric mean. Needs numpy and g++.
"""
import argparse, ctypes, math, os, pathlib, re, subprocess, sys, time

import numpy as np

# Sizes that run for about a millisecond up to a second.
SIZES = {
    "adi": dict(N=200, TSTEPS=10), "arc_distance": dict(N=1000000), "atax": dict(M=2000, N=2000),
    "azimint_naive": dict(N=400000, npt=50), "bicg": dict(M=2000, N=2000), "cavity_flow": dict(nx=101, ny=101, nit=20, nt=20),
    "compute": dict(M=2000, N=2000), "conv2d_bias": dict(N=4, H=64, W=64), "covariance": dict(M=250, N=300),
    "deriche": dict(H=1000, W=1000), "doitgen": dict(NP=96, NQ=40, NR=40), "durbin": dict(N=2000),
    "fdtd_2d": dict(NX=400, NY=400, TMAX=40), "floyd_warshall": dict(N=300), "gemver": dict(N=1500),
    "gesummv": dict(N=1500), "go_fast": dict(N=1500), "hdiff": dict(I=128, J=128, K=60), "heat_3d": dict(N=60, TSTEPS=20),
    "jacobi_1d": dict(N=20000, TSTEPS=200), "jacobi_2d": dict(N=600, TSTEPS=40), "mandelbrot1": dict(XN=300, YN=300),
    "mlp": dict(S0=300, S1=300, S2=300), "mvt": dict(N=2000), "nbody": dict(N=60, Nt=50), "seidel_2d": dict(N=200, TSTEPS=10),
    "softmax": dict(N=8, H=8, SM=96), "symm": dict(M=120, N=120), "syrk": dict(M=150, N=150), "trmm": dict(M=150, N=150),
    "vadv": dict(I=64, J=64, K=60),
}
TYPES = {"double": ctypes.c_double, "float": ctypes.c_float, "int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32,
         "bool": ctypes.c_bool}


def shapes(sdfg_opt, file):
    """Shapes of the arguments as the summary prints them."""
    text = subprocess.run([sdfg_opt, file, "--emit=summary"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  (\w+): [\w.]+\[(.*)\]", text, re.M)
    return {name: f"({shape},)" for name, shape in found}


def arguments(folder, sizes, sdfg_opt):
    import json
    meta = json.loads((folder / "meta.json").read_text())
    values = {name: entry["value"] for name, entry in meta["scalars"].items()} | sizes
    recorded = {k.split(":", 1)[1]: v for k, v in np.load(folder / "data.npz").items() if k.startswith("in:")}
    for name, shape in shapes(sdfg_opt, folder / "plain.sdfgz").items():
        if name not in meta["arrays"]:
            continue
        extent = eval(shape, dict(values))
        start = recorded.get(name, np.zeros(1, np.dtype(meta["arrays"][name]["dtype"])))
        values[name] = np.ascontiguousarray(np.resize(start, extent))
    return values


class Program:
    def __init__(self, source, flags, values):
        library = source.with_suffix(".so")
        subprocess.run(["g++", "-std=c++20", "-fopenmp", "-fPIC", "-shared", "-w", "-fvisibility=hidden", *flags.split(),
                        str(source), "-o", str(library)], check=True)
        text, loaded = source.read_text(), ctypes.CDLL(str(library))
        self.values = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in values.items()}
        init, program = (re.search(rf"SDFG_EXPORT [^\n]*\b({prefix}\w+)\(([^)]*)\)", text) for prefix in ("__dace_init_", "__program_"))
        start = getattr(loaded, init[1])
        start.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(start(*self.convert(init[2])))
        self.function, self.parameters = getattr(loaded, program[1]), [handle, *self.convert(program[2].split(",", 1)[1])]

    def convert(self, parameters):
        out = []
        for parameter in filter(None, (p.replace("[[maybe_unused]]", "").strip() for p in parameters.split(","))):
            kind, name = parameter.rsplit(None, 1)
            value = self.values[name.lstrip("*")]
            out.append(ctypes.c_void_p(value.ctypes.data) if isinstance(value, np.ndarray) else TYPES[kind](value))
        return out

    def call(self):
        start = time.perf_counter()
        self.function(*self.parameters)
        return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--sdfg-opt", required=True)
    parser.add_argument("--pipeline", default="auto")
    parser.add_argument("--work", default="/tmp/sdfg-npbench", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--flags", default="-O3 -march=native -ffp-contract=off")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != str(options.threads):  # read before the runtime starts
        os.execve(sys.executable, [sys.executable, *sys.argv], dict(os.environ, OMP_NUM_THREADS=str(options.threads)))
    ratios = []
    print(f"{'program':20} {'DaCe ms':>9} {'ours ms':>9} {'ratio':>6}  largest relative difference")
    for name, sizes in SIZES.items():
        if options.programs and name not in options.programs:
            continue
        folder, work = options.corpus / "dace/npbench" / name, options.work / name
        work.mkdir(parents=True, exist_ok=True)
        values = arguments(folder, sizes, options.sdfg_opt)
        made = []
        for which, words in (("auto", []), ("plain", [f"--pipeline={options.pipeline}"])):
            file = folder / f"{which}.sdfgz"
            if not file.exists():  # what DaCe could not optimize
                file = folder / "simplified.sdfgz"
            source = work / f"{which}.cpp"
            subprocess.run([options.sdfg_opt, file, *words, "--emit=cpp", "-o", source], check=True)
            made.append(Program(source, options.flags, values))
        for program in made:
            program.call()
        worst = 0.0
        for key, a in made[0].values.items():
            if isinstance(a, np.ndarray):
                b, same = made[1].values[key], lambda x: np.nan_to_num(x.astype(complex), nan=0, posinf=0, neginf=0)
                scale = np.abs(same(a)).max(initial=0)
                worst = max(worst, float(np.abs(same(a) - same(b)).max(initial=0) / (scale or 1)))
        theirs, ours = (min(t) for t in zip(*[[p.call() for p in made] for _ in range(options.rounds)]))
        ratios.append(theirs / ours)
        print(f"{name:20} {theirs:9.2f} {ours:9.2f} {theirs / ours:6.2f}  {worst:.1e}", flush=True)
    print(f"geometric mean of {len(ratios)}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, lowest {min(ratios):.2f}")


if __name__ == "__main__":
    main()
