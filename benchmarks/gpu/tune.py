#!/usr/bin/env python3
"""sdfg-tune: finds plans for the kernels that matter, on the device at hand, and keeps them by content of the kernel.

usage: tune.py prepare --sdfg-opt PATH --bench DIR --out DIR [--share 0.05] [PROGRAM...]
       tune.py run DIR [--calls 12]
       tune.py plan --sdfg-opt PATH --store FILE --device NAME -- GRAPH STEPS

`prepare` takes the programs of DIR (prepare.py's) and writes their CUDA under a handful of plans, with `timers = on`.
Each plan gives every kernel another candidate of its own list, so one build measures all kernels of a program. `run`,
on a machine with a GPU, nvcc, g++ and CuPy, builds all, checks that results stay the same (compiled without contraction,
which may differ between plans), and takes for each kernel the fastest candidate if it is more than 3 % faster than the
default. It writes all times, times.json, and the store, winners.json, to $OUT or DIR:

    {DEVICE: {KEY: {"kernel", "program", "default_us", "best_us", "plan": {"block", "levels", "batch"}}}}

KEY is a hash of the kernel's text under the default plan, without its name: a kernel that is the same in another program
has its plan there, too. `plan` prints what the store knows of a program, for `sdfg-opt --plan`. `prepare.py --plans`
uses it for the whole table. Nothing here is needed for good defaults.
"""
import argparse, concurrent.futures, hashlib, json, os, pathlib, re, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
FLAT = [dict(block=[x, 1, 1]) for x in (256, 128, 64, 512)]
POINTS = [dict(block=b, levels=l) for b, l in (([256, 1, 1], 1), ([32, 8, 1], 1), ([64, 4, 1], 1), ([128, 1, 1], 1), ([128, 1, 1], 2),
                                               ([128, 1, 1], 4), ([64, 2, 1], 1), ([512, 1, 1], 1))]
GATHERS = [dict(block=[x, y, 1], levels=l, min_blocks=b, rows_first=r) for x, y, l, b, r in (
    (64, 2, 1, 0, 0), (64, 4, 1, 0, 0), (32, 8, 1, 0, 0), (128, 1, 1, 8, 0), (128, 1, 4, 0, 0), (128, 1, 8, 4, 0), (128, 1, 8, 5, 0),
    (32, 2, 8, 12, 0), (64, 2, 1, 0, 1), (64, 4, 1, 0, 1), (32, 8, 1, 0, 1), (64, 4, 2, 0, 1), (64, 2, 4, 8, 1), (128, 1, 8, 4, 1),
    (128, 1, 8, 5, 1), (32, 8, 4, 0, 1))]
SCANS = [dict(block=[x, 1, 1], batch=b) for x, b in ((64, 8), (32, 8), (128, 8), (64, 4), (64, 16), (32, 16), (64, 1), (128, 4))]


def candidates(kernel):
    """Plans to try for a kernel; none if its shape is part of the program."""
    if kernel["class"] == "scan":
        return SCANS
    if kernel["class"] not in ("pointwise", "gather", "reduction"):
        return []
    if len(kernel["params"]) < 2:
        return FLAT
    return GATHERS if kernel["class"] == "gather" else POINTS


def keys(text):
    """{kernel: hash of its text, wherever its lines end} of a generated file."""
    found = {}
    for m in re.finditer(r"^__global__ void __launch_bounds__\([^)]*\) (\w+)\(.*?^}$", text, re.M | re.S):
        words = " ".join(m[0].replace(m[1] + "(", "KERNEL(", 1).split())
        found[m[1]] = hashlib.sha256(words.encode()).hexdigest()[:24]
    return found


def plan_text(choices, program=()):
    text = "".join(f"  {line}\n" for line in program)
    for kernel, choice in choices.items():
        text += f"kernel {kernel}\n" + "".join(f"  {k} = {v}\n" for k, v in choice.items())
    return text


def generate(opt, graph, steps, form, plan=None):
    """A program in a form of --emit, or the message that says why there is none."""
    done = subprocess.run([opt, graph, steps, f"--emit={form}", *([f"--plan={plan}"] if plan else [])], capture_output=True, text=True)
    return (done.stdout, None) if done.returncode == 0 else (None, done.stderr.strip()[-500:])


def known_plan(opt, store, device, graph, steps):
    """The text of the plan that a store has for a program."""
    known = json.loads(pathlib.Path(store).read_text()).get(device, {})
    text, complaint = generate(opt, graph, steps, "cuda")
    if complaint:
        sys.exit(complaint)
    return plan_text({kernel: known[key]["plan"] for kernel, key in keys(text).items() if key in known})


def prepare(options):
    options.out.mkdir(parents=True, exist_ok=True)
    for folder in sorted(p.parent for p in options.bench.glob("*/meta.json")):
        meta = json.loads((folder / "meta.json").read_text())
        if options.programs and not any(word in folder.name for word in options.programs):
            continue
        source = lambda form, plan=None: generate(options.sdfg_opt, meta["graph"], meta["steps"], form, plan)
        (text, _), (plan, complaint) = source("cuda"), source("plan-json")
        if complaint:
            print(f"{folder.name}: {complaint}")
            continue
        kernels = json.loads(plan)["kernels"]
        share = shares(kernels, meta)
        tuned = {k["name"]: candidates(k) for k in kernels if share.get(k["name"], 1) >= options.share}
        tuned = {name: list_ for name, list_ in tuned.items() if list_}
        if not tuned:
            print(f"{folder.name}: no kernel to tune")
            continue
        out = options.out / folder.name
        out.mkdir(parents=True, exist_ok=True)
        variants = []
        for v in range(-1, max(map(len, tuned.values()))):
            choices = {name: list_[v % len(list_)] for name, list_ in tuned.items()} if v >= 0 else {}
            file = out / f"plan{v + 1}.plan"
            file.write_text(plan_text(choices, ["timers = on"]))
            made, complaint = source("cuda", file)
            if complaint:
                print(f"{folder.name}: plan {v + 1}: {complaint}")
                continue
            (out / f"plan{v + 1}.cu").write_text(made)
            variants.append(dict(file=f"plan{v + 1}.cu", choices=choices))
        (out / "tune.json").write_text(json.dumps(dict(meta, variants=variants, keys=keys(text))))
        for file in ("args80.npz", "ours_caller.cpp"):
            shutil.copyfile(folder / file, out / file)
        print(f"{folder.name}: {len(tuned)} of {len(kernels)} kernels under {len(variants)} plans", flush=True)
    for file in (HERE / "tune.py", HERE / "run.py", HERE.parent / "torus_grid.py"):
        shutil.copyfile(file, options.out / file.name)


def shares(kernels, meta):
    """{kernel: its part of the bytes that the program's kernels move}; empty where they were not counted."""
    counted = {k["name"]: k["bytes"] for k in (meta.get("moved") or {}).get("kernels", [])}
    total = sum(counted.values())
    return {k["name"]: counted.get(k["name"], 0) / total for k in kernels} if total else {}


def measure(options):
    import cupy as cp
    root = options.dir.resolve()
    sys.path.insert(0, str(root))
    from run import FLAGS, L2_BYTES, Program, compile_once
    from torus_grid import scale, torus
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    folders = [p.parent for p in sorted(root.glob("*/tune.json"))]
    metas = {f: json.loads((f / "tune.json").read_text()) for f in folders}
    (root / "cache").mkdir(exist_ok=True)
    modes = ["fast"] if options.unchecked else ["fast", "exact"]
    todo = [(f, v["file"], mode) for f in folders for v in metas[f]["variants"] for mode in modes]
    todo += [(f, "ours_caller.cpp", "caller") for f in folders]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = dict(zip(todo, pool.map(lambda job: compile_once(root, [job[0] / job[1]], FLAGS.get(job[2], [])), todo)))
    for (folder, file, _), (_, complaint, _) in built.items():
        if complaint:
            print(f"{folder.name}: {file}: {complaint}")
    store, tables, all_times = {}, {}, {}
    report = root / "report.json"
    os.environ["SDFG_REPORT"] = str(report)
    for folder in folders:
        meta = metas[folder]
        tables.setdefault(meta["n"], torus(meta["n"]))
        values = scale(folder / "args80.npz", meta["n"], tables[meta["n"]], cp)
        arrays = {k: v for k, v in values.items() if isinstance(v, cp.ndarray)}
        numbers = {k: v for k, v in values.items() if k not in arrays}
        count = min(8, max(2, -(-int(5 * L2_BYTES) // sum(a.nbytes for a in arrays.values()))))
        sets = [{k: v.copy(order="F") for k, v in arrays.items()} for _ in range(count)]

        def called(file, mode, calls):
            """What so many calls make of the arguments in the first set."""
            for name, array in arrays.items():
                sets[0][name][...] = array
            program = Program(built[folder, file, mode][0], built[folder, "ours_caller.cpp", "caller"][0], meta["name"], meta["ours"], numbers)
            program.use(sets).call(1)
            cp.cuda.runtime.deviceSynchronize()
            result = {k: v.copy(order="F") for k, v in sets[0].items()} if mode == "exact" else None
            program.call(calls)
            cp.cuda.runtime.deviceSynchronize()
            program.close()
            return result

        times, expected = {}, None
        for variant in meta["variants"]:
            file = variant["file"]
            if not all(built[folder, file, mode][0] for mode in modes):
                continue
            if "exact" in modes:
                result = called(file, "exact", 0)
                expected = expected or result
                flat = lambda a: a.ravel(order="K").view(cp.uint8)
                if any(bool((flat(result[k]) != flat(expected[k])).any()) for k in result):
                    print(f"{folder.name}: {file}: other results than under the default plan; not used")
                    continue
            called(file, "fast", options.calls)
            for event in json.loads(report.read_text())["traceEvents"]:
                kernel = event["name"].removeprefix("Map ")
                times.setdefault(kernel, {}).setdefault(file, []).append(event["dur"])
        all_times[folder.name] = choose(folder.name, meta, times, store)
        del sets, expected
        cp.get_default_memory_pool().free_all_blocks()
    out = pathlib.Path(os.environ.get("OUT", root))
    (out / "winners.json").write_text(json.dumps({device: store}, indent=1))
    (out / "times.json").write_text(json.dumps({device: all_times}, indent=1))
    print(f"{device}: plans of {len(store)} kernels in {out / 'winners.json'}, all times in times.json")


def choose(name, meta, times, store):
    """Takes over what is faster than the default by more than 3 %; returns {kernel: {plan: us}}, medians over launches."""
    middle = lambda values: sorted(values)[len(values) // 2]
    plans = {v["file"]: v["choices"] for v in meta["variants"]}
    medians, before, after = {}, 0.0, 0.0
    for kernel, by_file in times.items():
        us = medians[kernel] = {file: middle(values) for file, values in by_file.items()}
        default = us.get("plan0.cu")
        if default is None:
            continue
        best = min((f for f in us if kernel in plans[f]), key=us.get, default=None)
        before += default
        if best and us[best] < 0.97 * default and kernel in meta["keys"]:
            store[meta["keys"][kernel]] = dict(kernel=kernel, program=name, default_us=default, best_us=us[best], plan=plans[best][kernel])
            after += us[best]
            print(f"{name}: {kernel}: {default:.1f} to {us[best]:.1f} us: {plans[best][kernel]}", flush=True)
        else:
            after += default
    print(f"{name}: kernels {before:.1f} us, with the best plans {after:.1f} us", flush=True)
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    one = parts.add_parser("prepare")
    one.add_argument("--sdfg-opt", required=True)
    one.add_argument("--bench", required=True, type=pathlib.Path)
    one.add_argument("--out", required=True, type=pathlib.Path)
    one.add_argument("--share", type=float, default=0.05, help="of the program's bytes that a kernel must move to be tuned")
    one.add_argument("programs", nargs="*")
    one.set_defaults(go=prepare)
    two = parts.add_parser("run")
    two.add_argument("dir", type=pathlib.Path)
    two.add_argument("--calls", type=int, default=12)
    two.add_argument("--unchecked", action="store_true", help="do not build everything a second time, without contraction, to compare results")
    two.set_defaults(go=measure)
    three = parts.add_parser("plan")
    three.add_argument("--sdfg-opt", required=True)
    three.add_argument("--store", required=True)
    three.add_argument("--device", required=True)
    three.add_argument("graph")
    three.add_argument("steps")
    three.set_defaults(go=lambda o: print(known_plan(o.sdfg_opt, o.store, o.device, o.graph, o.steps), end=""))
    options = parser.parse_args()
    return options.go(options)


if __name__ == "__main__":
    sys.exit(main())
