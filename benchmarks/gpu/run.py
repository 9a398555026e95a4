#!/usr/bin/env python3
"""Times our CUDA beside DaCe's, on a machine with an NVIDIA GPU, nvcc, g++ and CuPy.

usage: run.py DIR [--only TEXT]... [--rounds 9] [--build-only] [--ours-only] [--profile]

DIR is what prepare.py wrote. Everything is built twice for sm_90: `fast` as a user would, to be timed, and `exact`
without contraction; results of the latter are compared over all bytes of all arguments after one call, outputs
starting from the recorded random values. Timed with CUDA events on the default stream, both in turns, with as many
sets of arguments in rotation as exceed the L2 cache five times; the time is the median of the rounds. "host" is what
the host needs per call. "MB" is what our program's kernels have to move, counted by executing them (compulsory.py);
"bound" the time this takes when each kernel runs at the bandwidth of a plain one of its kind and footprint, measured in
the same run: a copy for pointwise kernels and copies, a sum over neighbours for gathers, a sweep over columns for scans.
"share" is the bound over our time, "bound/DaCe" the bound over DaCe's: no kernels like ours can be more than its
reciprocal faster than DaCe. Afterwards a third build with timers says the same of each kernel of 100 MB or more.
Libraries are kept in DIR/cache by content. Writes results.json, table.md and kernels.md to $OUT or DIR.
"""
import argparse, concurrent.futures, ctypes, hashlib, json, math, os, pathlib, shutil, subprocess, sys, threading, time

FLAGS = {"fast": [], "exact": ["-fmad=false"]}
SCALARS = {"int": ctypes.c_int32, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "long long": ctypes.c_int64,
           "double": ctypes.c_double, "float": ctypes.c_float, "bool": ctypes.c_bool}
L2_BYTES = 60e6
BUILDING = {}  # {key of a library: held while it is built}


# ---- Building.

def compile_once(root, sources, flags):
    """Compiles sources to a library, once per content. Returns its path, or the compiler's complaint, and seconds."""
    key = hashlib.sha256(b"".join([s.read_bytes() for s in sources] + [" ".join(flags).encode()])).hexdigest()[:24]
    with BUILDING.setdefault(key, threading.Lock()):
        return compile_as(root / "cache", key, sources, flags)


def compile_as(cache, key, sources, flags):
    root, library, record = cache.parent, cache / f"{key}.so", cache / f"{key}.json"
    if library.exists():
        return library, None, json.loads(record.read_text())
    objects, seconds = [], {}
    for source in sources:
        objects.append(cache / f"{key}.{source.name}.o")
        shared = ["-O3", "-std=c++20", "-c", str(source), "-o", str(objects[-1])]
        if source.name.startswith("dace"):
            shared += ["-w", f"-I{root / 'dace/runtime/include'}"]
        nvcc = ["nvcc", "-arch=sm_90", "-Xcompiler=-fPIC,-fvisibility=hidden"]
        command = (nvcc + flags if source.suffix == ".cu" else
                   ["g++", "-fPIC", "-DWITH_CUDA", "-I", str(cuda_home() / "include")]) + shared
        begin = time.time()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, f"{' '.join(command)}\n{done.stderr[-1500:]}", seconds
        seconds[source.name] = round(time.time() - begin, 2)
    if any(s.suffix == ".cu" for s in sources):
        link = ["nvcc", "-shared", "-cudart=shared", "-Xlinker", "-s"]
    else:
        link = ["g++", "-shared", "-s"]
    temporary = library.with_suffix(f".{os.getpid()}.tmp")
    done = subprocess.run([*link, "-o", str(temporary), *map(str, objects)], capture_output=True, text=True)
    for o in objects:
        o.unlink()
    if done.returncode:
        return None, done.stderr[-1500:], seconds
    record.write_text(json.dumps(seconds))
    temporary.rename(library)
    return library, None, seconds


def cuda_home():
    return pathlib.Path(shutil.which("nvcc")).resolve().parent.parent


def build_all(root, folders, ours_only):
    """{(folder, which, kind): (library or None, complaint, seconds)}; which: ours or dace; kind: fast, exact, timed or caller."""
    (root / "cache").mkdir(exist_ok=True)
    todo = {}
    for folder in folders:
        for which in ("ours",) if ours_only else ("ours", "dace"):
            todo[folder, which, "caller"] = [folder / f"{which}_caller.cpp"], []
        if (folder / "timed.cu").exists():
            todo[folder, "ours", "timed"] = [folder / "timed.cu"], []
        for kind, flags in FLAGS.items():
            if ours_only and kind == "exact":
                continue  # nothing to compare with
            if (folder / "ours.cu").exists():
                todo[folder, "ours", kind] = [folder / "ours.cu"], flags
            if not ours_only:
                todo[folder, "dace", kind] = [folder / "dace.cpp", folder / "dace.cu"], flags
    # The same text for several grids is compiled once: group by content first.
    groups = {}
    for key, (sources, flags) in todo.items():
        groups.setdefault((tuple(s.read_bytes() for s in sources), tuple(flags)), []).append(key)
    longest_first = sorted(groups.values(), key=lambda keys: keys[0][1] != "dace")
    built = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for keys, result in zip(longest_first, pool.map(lambda keys: compile_once(root, *todo[keys[0]]), longest_first)):
            built.update(dict.fromkeys(keys, result))
    return built


# ---- Running.

class Program:
    """A library with DaCe's interface, called with arguments on the device."""

    def __init__(self, library, caller, name, signature, numbers):
        self.name, self.arguments = name, [n for n, _ in signature["args"]]
        self.library, self.caller = ctypes.CDLL(str(library)), ctypes.CDLL(str(caller))
        entry = lambda prefix: ctypes.cast(getattr(self.library, prefix + name), ctypes.c_void_p)
        self.program = entry("__program_")
        self.caller.call.restype, self.caller.init.restype = ctypes.c_double, ctypes.c_void_p
        types = {n: t.replace("const ", "").strip() for n, t in signature["args"] + signature["init"]}
        self.numbers = {n: SCALARS[types[n]](value) for n, value in numbers.items() if n in types}
        init = [ctypes.addressof(self.numbers[n]) for n, _ in signature["init"]]
        self.state = ctypes.c_void_p(self.caller.init(entry("__dace_init_"), (ctypes.c_void_p * max(1, len(init)))(*init)))
        if not self.state:
            raise RuntimeError("the program could not be initialized")

    def use(self, sets):
        """The sets of arrays, {name: array}, that `call` takes in turns."""
        def address(values, name):
            array = values.get(name)
            if array is None:
                return ctypes.addressof(self.numbers[name])
            return array.data.ptr if hasattr(array.data, "ptr") else array.ctypes.data  # CuPy's or NumPy's
        self.rows = [(ctypes.c_void_p * len(self.arguments))(*[address(v, name) for name in self.arguments]) for v in sets]
        self.sets, self.next = (ctypes.c_void_p * len(sets))(*map(ctypes.addressof, self.rows)), 0
        return self

    def call(self, times=1):
        """Host microseconds for so many calls."""
        spent = self.caller.call(self.program, self.state, self.sets, len(self.rows), self.next, times)
        self.next = (self.next + times) % len(self.rows)
        return spent

    def close(self):
        last_error = getattr(self.library, "__dace_gpu_last_error", None)
        error = last_error(self.state) if last_error else 0
        getattr(self.library, "__dace_exit_" + self.name)(self.state)
        if error:
            raise RuntimeError(f"the program reports GPU error {error}")


def bandwidths(n, tables):
    """GB/s of plain kernels on fields of 80 levels: a copy of a cell field; a sum over the edges of each cell; a
    recurrence down the columns of a cell field, with the loads of eight levels ahead."""
    import cupy as cp
    cells, edges, levels = 2 * n * n, 3 * n * n, 80
    copy = cp.RawKernel(r"""extern "C" __global__ void f(const double* a, double* b, long n) {
        long i = blockIdx.x * 256L + threadIdx.x; if (i < n) b[i] = a[i]; }""", "f")
    gather = cp.RawKernel(r"""extern "C" __global__ void f(const double* a, double* b, const int* t, int cells, int edges) {
        int i = blockIdx.x * 128 + threadIdx.x; if (i >= cells) return;
        int e0 = t[i], e1 = t[cells + i], e2 = t[2 * cells + i];
        for (int k = blockIdx.y * 4; k < blockIdx.y * 4 + 4; ++k) {
          const double* r = a + (long)k * edges;
          b[(long)k * cells + i] = r[e0] + r[e1] + r[e2]; } }""", "f")
    scan = cp.RawKernel(r"""extern "C" __global__ void f(const double* a, double* b, int cells) {
        int i = blockIdx.x * 64 + threadIdx.x; if (i >= cells) return;
        double carry = 0;
        for (int k = 0; k < 80; k += 8) {
          double ahead[8];
          #pragma unroll
          for (int u = 0; u < 8; ++u) ahead[u] = a[(long)(k + u) * cells + i];
          #pragma unroll
          for (int u = 0; u < 8; ++u) { carry = 0.5 * carry + ahead[u]; b[(long)(k + u) * cells + i] = carry; } } }""", "f")
    table = cp.asarray(tables["C2E"], order="F")
    sets = [(cp.random.random(edges * levels), cp.empty(cells * levels)) for _ in range(max(2, math.ceil(5 * L2_BYTES / (5 * n * n * levels * 8))))]
    def best(launch):
        for s in sets:
            launch(*s)
        times = []
        for r in range(15):
            start, stop = cp.cuda.Event(), cp.cuda.Event()
            start.record()
            for k in range(8):
                launch(*sets[(8 * r + k) % len(sets)])
            stop.record()
            stop.synchronize()
            times.append(cp.cuda.get_elapsed_time(start, stop) / 8e3)
        return sorted(times)[len(times) // 2]
    count = cells * levels
    t = best(lambda a, b: copy(((count + 255) // 256,), (256,), (a, b, count)))
    g = best(lambda a, b: gather(((cells + 127) // 128, levels // 4), (128,), (a, b, table, cells, edges)))
    s = best(lambda a, b: scan(((cells + 63) // 64,), (64,), (a, b, cells)))
    return dict(copy=16 * count / t / 1e9, gather=((cells + edges) * levels * 8 + 12 * cells) / g / 1e9, scan=16 * count / s / 1e9)


def bound_us(kinds, bandwidth):
    """Microseconds that kernels need at the bandwidths of plain ones of their kinds; {kind: bytes}."""
    like = {"gather": "gather", "reduction": "gather", "blocks": "gather", "scan": "scan"}
    return sum(count / bandwidth[like.get(kind, "copy")] for kind, count in kinds.items()) / 1e3


def compare(ours, dace, arrays, xp):
    """Names of the arguments whose bytes differ after one call of each."""
    theirs, mine = ({k: v.copy(order="F") for k, v in arrays.items()} for _ in range(2))
    dace.use([theirs]).call()
    ours.use([mine]).call()
    xp.cuda.runtime.deviceSynchronize()
    flat = lambda a: a.ravel(order="K").view(xp.uint8)
    changed = [k for k in arrays if bool((flat(theirs[k]) != flat(arrays[k])).any())]
    if not changed:  # what was recorded is what the program writes: start from something else
        for k in arrays:
            if arrays[k].dtype.kind == "f":
                theirs[k] += 1
                mine[k] += 1
        dace.call(), ours.call()
        xp.cuda.runtime.deviceSynchronize()
    ours.close(), dace.close()
    unequal = [k for k in arrays if bool((flat(theirs[k]) != flat(mine[k])).any())]
    worst = 0.0
    for k in unequal:
        if mine[k].dtype.kind == "f":
            a, b = mine[k], theirs[k]
            error = xp.abs(a - b) / xp.maximum(xp.abs(b), 1e-300)
            worst = max(worst, float(xp.nanmax(xp.where(a == b, 0, error))))
    return changed, unequal, worst


def timed(programs, rounds, xp):
    """{which: (device microseconds, host microseconds)} per call, medians; the programs take turns."""
    calls, times = {}, {which: [] for which in programs}
    for which, program in programs.items():
        program.call(len(program.rows))  # grows arenas, loads modules
        start, stop = xp.cuda.Event(), xp.cuda.Event()
        start.record()
        program.call(3)
        stop.record()
        stop.synchronize()
        calls[which] = int(min(40, max(4, 3000 / (1e3 * xp.cuda.get_elapsed_time(start, stop) / 3))))
    for _ in range(rounds):
        for which, program in programs.items():
            start, stop = xp.cuda.Event(), xp.cuda.Event()
            start.record()
            host = program.call(calls[which])
            stop.record()
            stop.synchronize()
            times[which].append((1e3 * xp.cuda.get_elapsed_time(start, stop) / calls[which], host / calls[which]))
    middle = lambda values: sorted(values)[len(values) // 2]
    return {which: (middle([t for t, _ in all]), min(h for _, h in all), max(t for t, _ in all) / min(t for t, _ in all) - 1)
            for which, all in times.items()}


def measure(folder, built, tables, bandwidth, options):
    import cupy as cp
    from kernels import kernel_rows, kernel_times
    from torus_grid import scale
    meta = json.loads((folder / "meta.json").read_text())
    values = scale(folder / "args80.npz", meta["n"], tables, cp)
    arrays = {k: v for k, v in values.items() if isinstance(v, cp.ndarray)}
    numbers = {k: v for k, v in values.items() if k not in arrays}
    result = dict(cells=2 * meta["n"] ** 2, moved=meta.get("moved"), argument_bytes=sum(a.nbytes for a in arrays.values()))
    libraries = {key[1:]: value for key, value in built.items() if key[0] == folder}
    for which in ("ours", "dace"):
        if (which, "fast") in libraries:
            result[f"{which}_compile"] = libraries[which, "fast"][2]
            if complaint := next((libraries[which, kind][1] for kind in ("fast", "exact", "caller") if libraries.get((which, kind), [0, 0])[1]), None):
                raise RuntimeError(f"{which}: {complaint}")
    make = lambda which, kind: Program(libraries[which, kind][0], libraries[which, "caller"][0], meta["name"], meta[which], numbers)
    present = [which for which in ("dace", "ours") if (which, "fast") in libraries]
    if len(present) == 2:
        changed, result["unequal"], result["worst"] = compare(make("ours", "exact"), make("dace", "exact"), arrays, cp)
        result["changed"] = len(changed)
    count = min(8, max(2, math.ceil(5 * L2_BYTES / result["argument_bytes"])))
    sets = [{k: v.copy(order="F") for k, v in arrays.items()} for _ in range(count)]
    programs = {which: make(which, "fast").use(sets) for which in present}
    for which, (us, host, spread) in timed(programs, options.rounds, cp).items():
        result.update({f"{which}_us": us, f"{which}_host_us": host, f"{which}_spread": spread})
    for program in programs.values():
        program.close()
    if ("ours", "timed") in libraries:
        times = kernel_times(make("ours", "timed").use(sets), 20, folder / "report.json", cp.cuda.runtime.deviceSynchronize)
        bound = lambda kind, count: bound_us({kind: count}, bandwidth)
        result["kernels"] = kernel_rows(folder.name, meta.get("moved") or {"kernels": []}, times, bound)
    return result


def profile(folder, built, tables):
    """One call of each between start and stop of the profiler, after one that is not watched."""
    import cupy as cp
    from torus_grid import scale
    meta = json.loads((folder / "meta.json").read_text())
    values = scale(folder / "args80.npz", meta["n"], tables, cp)
    arrays = {k: v for k, v in values.items() if isinstance(v, cp.ndarray)}
    numbers = {k: v for k, v in values.items() if k not in arrays}
    for which in ("ours", "dace"):
        library, caller = built[folder, which, "fast"][0], built[folder, which, "caller"][0]
        program = Program(library, caller, meta["name"], meta[which], numbers).use([arrays])
        program.call()
        cp.cuda.runtime.deviceSynchronize()
        cp.cuda.runtime.profilerStart()
        program.call()
        cp.cuda.runtime.deviceSynchronize()
        cp.cuda.runtime.profilerStop()


COUNTERS = {"us": "gpu__time_duration.sum", "read": "dram__bytes_read.sum", "write": "dram__bytes_write.sum",
            "registers": "launch__registers_per_thread", "blocks": "launch__grid_size", "threads": "launch__block_size",
            "active": "sm__warps_active.avg.pct_of_peak_sustained_active",
            "l1": "l1tex__t_bytes.sum", "instructions": "smsp__inst_executed.sum"}


def profile_all(root, folders):
    """A table of counters per kernel, from ncu around one process per program."""
    import csv
    for folder in folders:
        done = subprocess.run(["ncu", "--clock-control", "none", "--profile-from-start", "off", "--csv", "--print-units", "base",
                               "--metrics", ",".join(COUNTERS.values()), sys.executable, __file__, str(root), "--only", folder.name,
                               "--watched"], capture_output=True, text=True)
        text = "\n".join(line for line in done.stdout.splitlines() if line.startswith('"'))
        kernels = {}
        for entry in csv.DictReader(text.splitlines()):
            kernels.setdefault((int(entry["ID"]), entry["Kernel Name"]), {})[entry["Metric Name"]] = float(entry["Metric Value"].replace(",", ""))
        print(f"\n{folder.name}\n{'kernel':60} {'us':>7} {'MB read':>8} {'written':>8} {'GB/s':>6} {'regs':>5} {'blocks':>8} {'threads':>7} {'warps %':>7} {'L1 MB':>8} {'Minst':>7}")
        if not kernels:
            print(done.stdout[-500:], done.stderr[-500:])
        for (_, name), values in kernels.items():
            v = {k: values.get(counter, 0) for k, counter in COUNTERS.items()}
            print(f"{name.split('(')[0][-60:]:60} {v['us'] / 1e3:7.1f} {v['read'] / 1e6:8.1f} {v['write'] / 1e6:8.1f} {(v['read'] + v['write']) / max(1, v['us']):6.0f} "
                  f"{v['registers']:5.0f} {v['blocks']:8.0f} {v['threads']:7.0f} {v['active']:7.0f} {v['l1'] / 1e6:8.0f} {v['instructions'] / 1e6:7.1f}")


def row(name, r, bandwidth):
    bound = bound_us(r["moved"]["kinds"], bandwidth) if r.get("moved") else None
    number = lambda value, form: format(value, form) if value is not None else "–"
    ours, dace = r.get("ours_us"), r.get("dace_us")
    agree = "–" if "unequal" not in r else "yes" if not r["unequal"] else f"no: {', '.join(r['unequal'])} ({r['worst']:.1e})"
    return (f"| {name} | {number(ours, '.1f')} | {number(dace, '.1f')} | {number(dace / ours if ours and dace else None, '.2f')} "
            f"| {number(r['moved']['bytes'] / 1e6 if bound else None, '.1f')} | {number(bound, '.1f')} | {number(100 * bound / ours if bound and ours else None, '.0f')} % "
            f"| {number(100 * bound / dace if bound and dace else None, '.0f')} % "
            f"| {number(r.get('ours_host_us'), '.1f')} | {number(r.get('dace_host_us'), '.1f')} | {agree} |")


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[], help="programs whose name contains this")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--ours-only", action="store_true")
    parser.add_argument("--profile", action="store_true", help="counters per kernel through ncu instead of times")
    parser.add_argument("--watched", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--resume", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = options.dir.resolve()
    out = pathlib.Path(os.environ.get("OUT", root))
    folders = [f.parent for f in sorted(root.glob("*/meta.json")) if not options.only or any(t in f.parent.name for t in options.only)]
    begin = time.time()
    built = build_all(root, folders, options.ours_only)
    sys.path.insert(0, str(root))
    if options.watched:
        from torus_grid import torus
        return [profile(folder, built, torus(json.loads((folder / "meta.json").read_text())["n"])) for folder in folders]
    if options.profile:
        return profile_all(root, folders)
    print(f"built in {time.time() - begin:.0f} s", flush=True)
    for (folder, which, kind), (_, complaint, _) in built.items():
        if complaint:
            print(f"{folder.name}: {which} {kind}: {complaint}", flush=True)
    if options.build_only:
        return
    import cupy as cp
    from kernels import kernel_table
    from torus_grid import torus
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    results, tables, bandwidth, lines = {}, {}, {}, []
    partial = root / "partial.json"
    if options.resume:
        results, bandwidth, lines = json.loads(partial.read_text())
        bandwidth = {int(n): b for n, b in bandwidth.items()}
    for folder in folders:
        if folder.name in results:
            continue
        n = json.loads((folder / "meta.json").read_text())["n"]
        if n not in tables:
            tables[n] = torus(n)
            bandwidth[n] = bandwidth.get(n) or bandwidths(n, tables[n])
            print(f"{device}, {2 * n * n} cells x 80 levels: copy {bandwidth[n]['copy']:.0f}, gather {bandwidth[n]['gather']:.0f}, scan {bandwidth[n]['scan']:.0f} GB/s", flush=True)
        try:
            results[folder.name] = measure(folder, built, tables[n], bandwidth[n], options)
            lines.append(row(folder.name, results[folder.name], bandwidth[n]))
            print(lines[-1], flush=True)
        except Exception as error:
            results[folder.name] = dict(error=str(error))
            print(f"{folder.name}: {type(error).__name__}: {str(error)[:1000]}", flush=True)
            if isinstance(error, cp.cuda.runtime.CUDARuntimeError):  # this process's context is lost
                partial.write_text(json.dumps([results, bandwidth, lines]))
                os.execv(sys.executable, [sys.executable, *[a for a in sys.argv if a != "--resume"], "--resume"])
        cp.get_default_memory_pool().free_all_blocks()
    head = ["| program | ours us | DaCe us | DaCe/ours | MB | bound us | share | bound/DaCe | host us | DaCe's host us | same bytes |",
            "|---|---|---|---|---|---|---|---|---|---|---|"]
    (out / "table.md").write_text("\n".join(head + lines) + "\n")
    kernels = [k for r in results.values() for k in r.get("kernels", [])]
    (out / "kernels.md").write_text(kernel_table(kernels))
    if kernels:
        shares = [bound / us for *_, us, bound in kernels]
        print(f"kernels of 100 MB or more: {sum(s >= 0.85 for s in shares)} of {len(shares)} at 85 % of their bound or above, {mean(shares):.0%} in the geometric mean")
    (out / "results.json").write_text(json.dumps(dict(device=device, bandwidth=bandwidth, results=results), indent=1))
    for kind in ("symbolic-45000", "typical-45000", "symbolic-328050", "static-45000"):
        ratios = [r["dace_us"] / r["ours_us"] for name, r in results.items() if name.endswith(kind) and "ours_us" in r and "dace_us" in r]
        if ratios:
            print(f"{kind}: geometric mean of {len(ratios)} ratios {mean(ratios):.2f}, smallest {min(ratios):.2f}")
        shares = [bound_us(r["moved"]["kinds"], bandwidth[round(math.sqrt(r["cells"] / 2))]) / r["ours_us"] for name, r in results.items()
                  if name.endswith(kind) and "ours_us" in r and r.get("moved")]
        if shares:
            print(f"{kind}: share of the bound {mean(shares):.0%} in the geometric mean, smallest {min(shares):.0%}")
    print(f"all in {time.time() - begin:.0f} s")


if __name__ == "__main__":
    main()
