#!/usr/bin/env python3
"""Our generated libraries are called through DaCe's own loader and through plain ctypes.

usage: check_call.py --sdfg-opt PATH FOLDER...        (folders with gt4py_cpu.sdfgz or lowered.sdfgz and data.npz)

For each folder the C++ that `sdfg-opt --emit=cpp` writes is compiled, opened by DaCe's CompiledSDFG beside a
stub library built from DaCe's own source, and called twice through fast_call; then once more through ctypes,
by nothing but docs/abi.md. Every recorded output must come back bit for bit from each. The null handle, which
a caller gets that did not notice a failed initialization, must do no harm. Needs Python with dace.
"""
import argparse, ctypes, pathlib, subprocess, sys, tempfile, warnings

import numpy as np

warnings.simplefilter("ignore")
import dace
from dace.codegen import compiled_sdfg


def build(tool, source, name, out):
    package = pathlib.Path(dace.__file__).parent
    subprocess.run([tool, str(source), "--emit=cpp", "-o", str(out / f"{name}.cpp")], check=True)
    flags = ["-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["g++", *flags, "-fvisibility=hidden", str(out / f"{name}.cpp"), "-o", str(out / f"lib{name}.so")], check=True)
    subprocess.run(["g++", "-std=c++20", "-fPIC", "-shared", "-fopenmp", "-w", f"-DDACE_LIBNAME={name}",
                    str(package / "codegen/tools/dacestub.cpp"), "-o", str(out / f"libdacestub_{name}.so"), "-ldl"], check=True)
    return out / f"lib{name}.so"


def same(outputs, arguments):
    return [name for name, value in outputs.items()
            if not np.array_equal(np.asarray(arguments[name]).reshape(value.shape), value, equal_nan=value.dtype.kind in "fc")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdfg-opt", required=True)
    parser.add_argument("--graph", default="gt4py_cpu.sdfgz")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    for folder in options.folders:
        sdfg = dace.SDFG.from_file(str(folder / options.graph))
        data = np.load(folder / "data.npz")
        given = {k[3:]: data[k] for k in data.files if k.startswith("in:")}
        outputs = {k[4:]: data[k] for k in data.files if k.startswith("out:")}
        problems = []
        with tempfile.TemporaryDirectory() as scratch:
            library = build(options.sdfg_opt, folder / options.graph, sdfg.name, pathlib.Path(scratch))
            names = list(sdfg.arglist())
            fresh = lambda: {n: given[n].copy(order="K") if given[n].ndim else given[n].item() for n in names if n in given}

            # DaCe's loader, as its callers drive it.
            dll = compiled_sdfg.ReloadableDLL(str(library))
            compiled = compiled_sdfg.CompiledSDFG(sdfg, dll, list(sdfg.arg_names))
            for turn in ("first", "second"):
                arguments = fresh()
                with dace.config.set_temporary("compiler", "allow_view_arguments", value=True):
                    call, init = compiled.construct_arguments(**arguments)
                compiled.fast_call(call, init)
                problems += [f"{name} through DaCe's loader, {turn} call" for name in same(outputs, arguments)]
            compiled.finalize()

            # Plain ctypes.
            plain, arguments = ctypes.CDLL(str(library)), fresh()
            keep = []

            def convert(name):
                value = arguments[name]
                if isinstance(value, np.ndarray):
                    return ctypes.c_void_p(value.ctypes.data)
                kind = sdfg.arglist()[name].dtype.as_ctypes()
                return kind(value)

            init = getattr(plain, f"__dace_init_{sdfg.name}")
            init.restype = ctypes.c_void_p
            free = [s.split()[-1] for s in sdfg.init_signature().split(", ") if s]
            program, leave = getattr(plain, f"__program_{sdfg.name}"), getattr(plain, f"__dace_exit_{sdfg.name}")
            handle = ctypes.c_void_p(init(*map(convert, free)))
            program(handle, *map(convert, names))
            problems += [f"{name} through ctypes" for name in same(outputs, arguments)]
            if leave(handle) != 0:
                problems.append("exit does not return 0")
            program(ctypes.c_void_p(None), *map(convert, names))
            if leave(ctypes.c_void_p(None)) != 0:
                problems.append("exit of the null handle does not return 0")
        print(f"{folder.name}: {'ok' if not problems else '; '.join(problems)}", flush=True)
        failed += bool(problems)
    print(f"{len(options.folders) - failed} of {len(options.folders)} called and equal")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
