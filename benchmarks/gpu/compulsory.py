"""What the kernels of a program have to move, counted by running it: exact, where `--stats` without a run is a bound.

The optimized program is scaled down to three small torus grids and interpreted there with `--stats`, which counts the
distinct elements that each launch reads and writes. Everything horizontal grows with n^2, so a count is a*n^2 + b: two
grids give a and b, the third one says whether that is so (it is not where data decide what is looked up; then `error` is
how far the formula is off there).
"""
import json, pathlib, re, subprocess, tempfile

import numpy as np

GRIDS = (4, 6, 8)


def at_size(text, old, new):
    """The JSON of a program made for one grid, for another: the numbers of cells, edges and vertices, and the last of each."""
    sizes = {str(count * old * old - less): str(count * new * new - less) for count in (1, 2, 3) for less in (0, 1)}
    return re.sub(rf"(?<![\w.])({'|'.join(sizes)})(?![\w.])", lambda m: sizes[m[1]], text)


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def counted(opt, optimized, values, folder):
    """The counts of one run: {place: (kind, bytes)} and the program's lower bound."""
    numbers = {f"in:{k}": np.asarray(v) for k, v in values.items()}
    first = next(k for k, v in values.items() if getattr(v, "ndim", 0))
    np.savez(folder / "in.npz", **numbers, **{f"out:{first}": values[first]})  # what it gives is not compared with anything
    (folder / "stats.json").unlink(missing_ok=True)
    _, _, complaint = run([opt, optimized, "--emit=none", f"--run={folder / 'in.npz'}", f"--stats={folder / 'stats.json'}"])
    if not (folder / "stats.json").exists():
        raise RuntimeError(complaint[-2000:])
    stats = json.loads((folder / "stats.json").read_text())
    kernels = {k["place"]: (k["kind"], k["bytes_read"] + k["bytes_written"]) for k in stats["kernels"]}
    return kernels, stats["lower_bound"]["bytes"]


def formulas(opt, graph, steps, n, values_at):
    """[{place, name, kind, a, b}] of the kernels of GRAPH (made for grid n) behind the passes STEPS, the same of the lower bound,
    and the largest relative error on the third grid. `values_at(n)` gives arguments."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        status, _, complaint = run([opt, graph, steps, "--emit=json", "-o", folder / "optimized.sdfg"])
        if status:
            raise RuntimeError(complaint[-2000:])
        text = (folder / "optimized.sdfg").read_text()
        _, plan, _ = run([opt, folder / "optimized.sdfg", "--emit=plan-json"])
        planned = {k["place"]: (k["class"], k["name"]) for k in json.loads(plan)["kernels"]} if plan else {}
        found = []
        for small in GRIDS:
            (folder / "small.sdfg").write_text(at_size(text, n, small))
            found.append(counted(opt, folder / "small.sdfg", values_at(small), folder))
    worst = 0.0

    def fit(counts):
        nonlocal worst
        s, m, l = (g * g for g in GRIDS)
        a = (counts[2] - counts[0]) / (l - s)
        b = counts[0] - a * s
        worst = max(worst, abs(a * m + b - counts[1]) / max(1, counts[1]))
        return a, b

    kernels = []
    for place in found[-1][0]:
        a, b = fit([kernels_at.get(place, ("", 0))[1] for kernels_at, _ in found])
        kind, name = planned.get(place, (found[-1][0][place][0], ""))
        kernels.append(dict(place=place, name=name, kind=kind, a=a, b=b))
    a, b = fit([bound for _, bound in found])
    return dict(kernels=kernels, lower=dict(a=a, b=b), error=worst)


def bytes_at(formula, n):
    return round(formula["a"] * n * n + formula["b"])
