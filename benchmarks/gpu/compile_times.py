#!/usr/bin/env python3
"""How long nvcc takes for our file and for DaCe's files of the same programs.

usage: compile_times.py DIR [--jobs 1] [--nvcc PATH] [--arch sm_90] [NAME...]

DIR is what prepare.py wrote. Each program is compiled with `nvcc -O3` to an object, DaCe's host file with g++, as its
build does. Times are seconds of the processor, summed over files and over what the compilers start, so they do not depend
on how many run at once; --jobs says how many do. Writes compile_times.json to $OUT or DIR.
"""
import argparse, concurrent.futures, json, math, os, pathlib, shutil, subprocess, sys, tempfile


def seconds(command):
    """Processor seconds of a command and its children, and what it says if it fails."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaint = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, complaint[-1000:] if process.returncode else ""


def commands(folder, root, options, out):
    include = pathlib.Path(shutil.which(options.nvcc)).resolve().parent.parent / "include"
    nvcc = [options.nvcc, "-O3", "-std=c++20", f"-arch={options.arch}", "-Xcompiler=-fPIC", "-c"]
    theirs = ["-w", f"-I{root / 'dace/runtime/include'}"]
    return {"ours": [[*nvcc, folder / "ours.cu", "-o", f"{out}.ours.o"]],
            "dace": [[*nvcc, *theirs, folder / "dace.cu", "-o", f"{out}.dace.o"],
                     ["g++", "-O3", "-std=c++20", "-fPIC", "-DWITH_CUDA", "-I", include, *theirs, "-c", folder / "dace.cpp", "-o", f"{out}.host.o"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    root = options.dir.resolve()
    folders = [p.parent for p in sorted(root.glob("*/meta.json")) if (p.parent / "dace.cu").exists() and "typical" not in p.parent.name
               and "328050" not in p.parent.name and (not options.names or any(n in p.parent.name for n in options.names))]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = {(f.name, which): [pool.submit(seconds, c) for c in cs]
                for f in folders for which, cs in commands(f, root, options, pathlib.Path(name) / f.name).items()}
        table = {}
        for (program, which), parts in todo.items():
            done = [p.result() for p in parts]
            table.setdefault(program, {})[which] = sum(s for s, _ in done)
            for _, complaint in done:
                if complaint:
                    print(f"{program}: {which}: {complaint}", file=sys.stderr)
    print("| program | ours s | DaCe s | DaCe/ours |\n|---|---|---|---|")
    for program, t in table.items():
        print(f"| {program} | {t['ours']:.1f} | {t['dace']:.1f} | {t['dace'] / t['ours']:.1f} |")
    for kind in ("symbolic", "static"):
        rows = [t for program, t in table.items() if f"@{kind}" in program]
        if rows:
            mean = math.exp(sum(math.log(t["dace"] / t["ours"]) for t in rows) / len(rows))
            ours, dace = (sum(t[w] for t in rows) for w in ("ours", "dace"))
            print(f"| all {len(rows)} {kind} | {ours:.1f} | {dace:.1f} | {dace / ours:.1f} (geometric mean {mean:.1f}, smallest "
                  f"{min(t['dace'] / t['ours'] for t in rows):.1f}) |")
    out = pathlib.Path(os.environ.get("OUT", root)) / "compile_times.json"
    out.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    sys.exit(main())
