#!/usr/bin/env python3
"""Kernels as AMD's compiler makes them, ours beside DaCe's: registers, occupancy, spills, scalar-base memory instructions.

usage: amd.py --corpus DIR --sdfg-opt PATH [--dace PYTHON] [--work DIR] [--arch gfx90a,gfx942] [--jobs 2] [--kernels] [PROGRAM...]

Ours is `lowered.sdfgz --gt4py=target=cuda --emit=hip`, DaCe's its HIP backend's code for gt4py_gpu.sdfgz (minutes for
some programs; what is in --work is used again, and without --dace only that). Both are
compiled to assembly with clang++-19 (near what current ROCm has), or with hipcc where that is missing.
Waves: of 64 threads, per SIMD, as vector registers allow (512 of a lane, in steps of 8, at most 8 waves). Scalar base: of
the loads and stores of global memory, those that add a 32-bit offset to a scalar address ("global_… v, v, s[..]"), which
leaves no 64-bit addresses in vector registers; "flat" ones count as global. --kernels prints a row per kernel. Needs no GPU.
"""
import argparse, concurrent.futures, json, pathlib, re, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent

# Reads "GRAPH FOLDER" lines, writes DaCe's HIP.
DACE = r"""
import gzip, json, pathlib, sys
import dace
from gt4py._core import definitions as core
from gt4py.next.program_processors.runners.dace.workflow import common
for line in sys.stdin:
    graph, out = map(pathlib.Path, line.split())
    with common.dace_context(device_type=core.DeviceType.ROCM):
        dace.Config.set("compiler", "cuda", "backend", value="hip")
        sdfg = dace.SDFG.from_json(json.loads(gzip.decompress(graph.read_bytes())))
        for obj in sdfg.generate_code():
            if obj.title != "Frame" and obj.target.target_name == "cuda":
                text = obj.clean_code.replace('#include "../../include/hash.h"', "")
                (out / "dace.hip").write_text(text)
    (out / "dace.json").write_text(json.dumps(dict(package=str(pathlib.Path(dace.__file__).parent))))
"""


def compiler(arch):
    common = ["-std=c++20", "-O3", "-S", "--offload-device-only", f"--offload-arch={arch}", "-x", "hip", "-w"]
    if not shutil.which("clang++-19"):
        return ["hipcc", *common]
    sys.path.insert(0, str(HERE.parent.parent / "tests/gpu"))
    from check import device_libraries
    libraries = device_libraries(pathlib.Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"))
    if arch != "gfx942":
        libraries = [w.replace("isa_version_940", f"isa_version_{arch.removeprefix('gfx')}") for w in libraries]
    return ["clang++-19", "-nogpulib", *libraries, *common]


# Types that DaCe's headers name and older HIP lacks; programs of doubles do not use them.
LACKING = {"hip_bf16.h": "struct __hip_bfloat16 { unsigned short bits; };",
           "hip_fp8.h": "struct __hip_fp8_e4m3 { unsigned char bits; };\nstruct __hip_fp8_e5m2 { unsigned char bits; };"}


def kernels(assembly):
    """{name: numbers} of a file of assembly."""
    found, body = {}, {}
    for m in re.finditer(r"-- Begin function (\S+)$(.*?)-- End function$", assembly, re.M | re.S):
        memory = re.findall(r"^\s+(global|flat)_(?:load|store|atomic)_\S+ (.*)$", m[2], re.M)
        scalar = sum(kind == "global" and bool(re.search(r", s\[\d+:\d+\]", words)) for kind, words in memory)
        body[m[1]] = (len(memory), scalar)
    entry = {}
    for line in assembly[assembly.find("amdhsa.kernels:"):].splitlines():
        if m := re.match(r"\s+(?:- )?\.(name|vgpr_count|agpr_count|sgpr_count|vgpr_spill_count|sgpr_spill_count|private_segment_fixed_size):\s+(\S+)", line):
            if m[1] == "name" and not line.startswith("    .name"):
                continue  # an argument's
            entry[m[1]] = m[2]
            if m[1] == "vgpr_spill_count":  # the last one of a kernel
                name = entry.pop("name")
                numbers = {k: int(v) for k, v in entry.items()}
                memory, scalar = body.get(name, (0, 0))
                vectors = numbers["vgpr_count"] + numbers.get("agpr_count", 0)
                found[name] = dict(registers=vectors, sgprs=numbers["sgpr_count"], waves=max(1, min(8, 512 // max(8, -(-vectors // 8) * 8))),
                                   spills=numbers["vgpr_spill_count"] + numbers["sgpr_spill_count"], stack=numbers["private_segment_fixed_size"],
                                   memory=memory, scalar=scalar)
                entry = {}
    return found


def assembled(source, arch, includes):
    out = source.with_suffix(f".{arch}.s")
    done = subprocess.run([*compiler(arch), *includes, str(source), "-o", str(out)], capture_output=True, text=True)
    return (kernels(out.read_text()), None) if done.returncode == 0 else ({}, done.stderr[-800:])


def summary(found):
    n = len(found)
    if not n:
        return "| – | | | | | |"
    sum_of = lambda key: sum(k[key] for k in found.values())
    return (f"| {n} | {sum_of('registers') / n:.0f} (most {max(k['registers'] for k in found.values())}) | {sum_of('waves') / n:.1f} "
            f"| {sum(k['spills'] > 0 or k['stack'] > 0 for k in found.values())} | {100 * sum_of('scalar') / max(1, sum_of('memory')):.0f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--sdfg-opt", required=True)
    parser.add_argument("--dace", help="a Python that has dace and gt4py")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/sdfg-gpu-amd"))
    parser.add_argument("--arch", type=lambda text: text.split(","), default=["gfx90a", "gfx942"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_intermixed_args()
    programs = [p.parent for p in sorted(options.corpus.glob("icon4py/*/args80.npz"))
                if not options.programs or any(w in p.parent.name for w in options.programs)]
    folders = {p: options.work / p.name.split("__")[0] for p in programs}
    missing = ""
    for program, out in folders.items():
        out.mkdir(parents=True, exist_ok=True)
        subprocess.run([options.sdfg_opt, program / "lowered.sdfgz", f"--gt4py=target=cuda symbols={program / 'program.json'}",
                        "--emit=hip", "-o", out / "ours.hip"], check=True)
        if not (out / "dace.json").exists():
            missing += f"{program / 'gt4py_gpu.sdfgz'} {out}\n"
    if missing and options.dace:
        subprocess.run([options.dace, "-W", "ignore", "-c", DACE], input=missing, text=True, check=True)
    for header, text in LACKING.items():
        (options.work / "hip").mkdir(exist_ok=True)
        (options.work / "hip" / header).write_text(f"#pragma once\n{text}\n")
    totals = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = {}
        for program, out in folders.items():
            sides = [("ours", [])]
            if (out / "dace.json").exists():
                package = pathlib.Path(json.loads((out / "dace.json").read_text())["package"])
                sides.append(("DaCe", [f"-I{package / 'runtime/include'}", "-idirafter", str(options.work)]))
            for arch in options.arch:
                for who, includes in sides:
                    todo[out.name, arch, who] = pool.submit(assembled, out / f"{who.lower()}.hip", arch, includes)
        print("| program | | | kernels | registers | waves | with spills or stack | scalar base |\n|---|---|---|---|---|---|---|---|")
        for (name, arch, who), job in todo.items():
            found, complaint = job.result()
            totals.setdefault((arch, who), {}).update({f"{name} {k}": v for k, v in found.items()})
            print(f"| {name} | {arch} | {who} {summary(found)}", flush=True)
            if complaint:
                print(f"{name}: {arch}: {who}: {complaint}", file=sys.stderr)
            if options.kernels:
                for kernel, v in found.items():
                    print(f"    {kernel}: {v}")
    for (arch, who), found in totals.items():
        print(f"| all | {arch} | {who} {summary(found)}")


if __name__ == "__main__":
    sys.exit(main())
