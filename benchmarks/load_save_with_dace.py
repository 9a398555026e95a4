#!/usr/bin/env python3
"""Times loading and saving one SDFG file: DaCe and ours, in the same run.

Ours is timed by load_save_bench, DaCe's by SDFG.from_json / to_json around the JSON library it
uses. Prints seconds and ratios. With --copies=N the file is first made larger: its states are
repeated N times in a row.
"""

import argparse
import copy
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings


def enlarged(document, copies):
    blocks, edges = document["nodes"], document["edges"]
    out = dict(document, nodes=[], edges=[], start_block=0)
    for c in range(copies):
        for block in copy.deepcopy(blocks):
            block["id"] += c * len(blocks)
            block["label"] += f"_{c}"
            out["nodes"].append(block)
        for edge in copy.deepcopy(edges):
            for end in ("src", "dst"):
                edge[end] = str(int(edge[end]) + c * len(blocks))
            out["edges"].append(edge)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--bench", required=True, help="the load_save_bench to run")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--indent", type=int, default=2, help="of the enlarged file")
    parser.add_argument("--no-dace", action="store_true")
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.file).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if arguments.copies > 1:
        data = json.dumps(enlarged(json.loads(data), arguments.copies), indent=arguments.indent).encode()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "file.sdfg"
        path.write_bytes(data)
        done = subprocess.run([arguments.bench, "--benchmark_format=json"], capture_output=True,
                              text=True, env=dict(os.environ, SDFG_BENCH_FILE=str(path)))
        if done.returncode:
            sys.exit(done.stderr)
        ours = {b["name"]: b for b in json.loads(done.stdout)["benchmarks"]}
        print(f"{len(data) / 1e6:.1f} MB")
        for name, row in ours.items():
            print(f"ours  {name:24} {row['cpu_time'] / 1e3:8.3f} s")
        peak = ours["file/load"]["peak_megabytes"]
        print(f"ours  peak while loading       {peak:8.0f} MB, {peak * 1e6 / len(data) - 1:.2f} times the text"
              " beside the benchmark's own copy of it")
        if arguments.no_dace:
            return
        try:
            warnings.simplefilter("ignore")
            import dace
        except ImportError:
            print("[SKIP] no dace in this Python")
            return
        start = time.process_time()
        sdfg = dace.SDFG.from_file(str(path))
        loading = time.process_time() - start
        start = time.process_time()
        sdfg.save(f"{scratch}/out.sdfg")
        saving = time.process_time() - start
        for what, seconds, row in (("load", loading, "file/load"), ("save", saving, "file/save/head")):
            print(f"DaCe  {what:24} {seconds:8.3f} s, {seconds / (ours[row]['cpu_time'] / 1e3):.0f} times ours")


if __name__ == "__main__":
    main()
