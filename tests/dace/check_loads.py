#!/usr/bin/env python3
"""DaCe loads and validates what we write, and reads the same values as from the original.

Every SDFG file below the given paths that DaCe itself loads goes through `sdfg-opt --profile=P
--emit=json` for P in head and compat. DaCe must load the result with deserialization errors on,
validate it if it validates the original, and write it again like the original: the same JSON value
but for element ids, hashes, history, debug information, and the order of edges.

Needs Python with dace. Prints one line for each file that differs and a closing line.
"""

import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

IGNORED = {
    # Made anew or derived on each save; history is stripped by DaCe, too.
    "guid", "hash", "debuginfo", "transformation_hist", "orig_sdfg", "source_files",
    "dace_version", "label", "start_block", "error", "num_accesses",
    # How a state is shown by old propagation; DaCe recomputes it.
    "executions", "dynamic_executions", "ranges",
}


def simplified(value, key=None):
    """The value without what does not count, with edges in a fixed order."""
    if isinstance(value, dict):
        out = {k: simplified(v, k) for k, v in value.items()
               if k not in IGNORED and not (k == "label" and "type" in value)}
        if out.get("type") == "LibraryNode":
            out["attributes"].pop("label", None)
        return out
    if isinstance(value, (list, tuple)):
        items = [simplified(v) for v in value]
        if key == "edges":
            items.sort(key=lambda e: [str(e.get(k)) for k in
                                      ("src", "src_connector", "dst", "dst_connector")])
        return items
    if isinstance(value, str):
        # The declared type of a symbol follows from the scopes, not from the expression.
        return re.sub(r"symbol\((\$\w+)(, \w+=[\w.]+)*\)", r"\1", value)
    return value


def difference(a, b, path=""):
    """The first place where two values differ, or None."""
    if isinstance(a, dict) and (a.get("dace_unregistered") or
                                str(a.get("classpath")).endswith(".UnregisteredLibraryNode")):
        return None  # of the original DaCe only has a placeholder
    if type(a) is not type(b):
        return f"{path}: {str(a)[:80]!r} became {str(b)[:80]!r}"
    if isinstance(a, dict):
        for k in sorted(set(a) | set(b)):
            if k not in b:
                return f"{path}.{k} is lost: {str(a[k])[:80]}"
            if k not in a:
                return f"{path}.{k} is new: {str(b[k])[:80]}"
            if found := difference(a[k], b[k], f"{path}.{k}"):
                return found
    elif isinstance(a, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} items became {len(b)}"
        for i, (x, y) in enumerate(zip(a, b)):
            if found := difference(x, y, f"{path}[{i}]"):
                return found
    elif a != b and not (a != a and b != b):
        if not (isinstance(a, str) and same_expression(a, b)):
            return f"{path}: {str(a)[:120]!r} became {str(b)[:120]!r}"
    return None


def same_expression(a, b):
    """Whether two symbolic texts agree: as DaCe reads them, at whole numbers. DaCe keeps ceilings of
    quotients and int_ceil apart, and sums as they were written."""
    import random

    import sympy
    from dace import symbolic

    if a.replace("$", "") == b.replace("$", ""):
        return True  # text that DaCe does not read as an expression
    try:
        x, y = (symbolic.deserialize_symbolic(t) for t in (a, b))
    except Exception:
        return False
    if x == y:
        return True
    exact = {"int_ceil": lambda p, q: sympy.ceiling(p / q), "int_floor": lambda p, q: sympy.floor(p / q)}
    generator = random.Random(1)
    # Powers of symbols: exponents of whole numbers are not negative, and large ones need more digits
    # than there is memory.
    exponents = [p.exp for e in (x, y) for p in e.atoms(sympy.Pow) if p.exp.free_symbols]
    symbols = sorted(x.free_symbols | y.free_symbols, key=str)
    compared = 0
    for _ in range(1000):
        if compared == 8:
            return True
        numbers = {s: generator.randint(1, 12 if exponents else 10**6) for s in symbols}
        if any(e.subs(numbers) < 0 for e in exponents):
            continue
        compared += 1
        values = []
        for e in (x, y):
            e = e.subs(numbers)
            for name, meaning in exact.items():
                e = e.replace(lambda f: f.is_Function and f.func.__name__ == name,
                              lambda f: meaning(*f.args))
            values.append(e)
        if values[0] != values[1] and sympy.simplify(values[0] - values[1]) != 0:
            return False
    return False  # no numbers to compare at


def check(job):
    """Runs in a process of its own. Returns (file, list of problems, skipped)."""
    tool, path, profiles = job
    import warnings

    warnings.simplefilter("ignore")
    import dace
    from dace.config import Config

    Config.set("testing", "deserialize_exception", value=True)
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        # Enumerations of other DaCe branches load only when DaCe is told to look away.
        for strict in (True, False):
            Config.set("testing", "deserialize_exception", value=strict)
            try:
                reference = dace.SDFG.from_file(path)
                break
            except Exception as error:
                why = f"DaCe does not load the original: {type(error).__name__}"
        else:
            return path, [], why
        expected = simplified(reference.to_json())
        try:
            reference.validate()
            valid = True
        except Exception:
            valid = False
        for profile in profiles:
            written = f"{scratch}/{profile}.sdfg"
            command = [tool, path, "--emit=json", f"--profile={profile}", "-o", written]
            done = subprocess.run(command, capture_output=True, text=True)
            if not os.path.exists(written):
                problems.append(f"{profile}: sdfg-opt: {done.stderr.strip()[:300]}")
                continue
            try:
                ours = dace.SDFG.from_file(written)
            except Exception as error:
                problems.append(f"{profile}: does not load: {type(error).__name__}: {str(error)[:300]}")
                continue
            if valid:
                try:
                    ours.validate()
                except Exception as error:
                    if "UnregisteredLibraryNode" in json.dumps(expected):
                        # It checks a node that it did not recognise before.
                        print(f"[NOTE] {path}: {profile}: {str(error)[:200]}", flush=True)
                        continue
                    problems.append(f"{profile}: not valid: {type(error).__name__}: {str(error)[:300]}")
                    continue
            if found := difference(expected, simplified(ours.to_json())):
                problems.append(f"{profile}: {found}")
    return path, problems, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="+", help="SDFG files, or folders of them")
    parser.add_argument("--tool", required=True, help="the sdfg-opt to test")
    parser.add_argument("--profiles", default="head,compat")
    parser.add_argument("--max-bytes", type=int, default=0, help="leave out larger files")
    parser.add_argument("--every", type=int, default=1, help="only every nth file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    try:
        import dace  # noqa: F401
    except ImportError:
        print("[SKIP] check_loads: no dace in this Python")
        return 0
    files = []
    for name in arguments.paths:
        path = pathlib.Path(name)
        files += sorted(p for p in path.rglob("*.sdfg*")) if path.is_dir() else [path]
    files = files[:: arguments.every]
    if arguments.max_bytes:
        files = [f for f in files if f.stat().st_size <= arguments.max_bytes]
    if not files:
        sys.exit("no SDFG files there")
    jobs = [(arguments.tool, str(f), arguments.profiles.split(",")) for f in files]
    failed = skipped = 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for path, problems, why in pool.map(check, jobs, chunksize=4):
            if why:
                skipped += 1
                print(f"[SKIP] {path}: {why}", flush=True)
            failed += bool(problems)
            for problem in problems:
                print(f"{path}: {problem}", flush=True)
    print(f"{len(files)} files, {skipped} skipped, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
