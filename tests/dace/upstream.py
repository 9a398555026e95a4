"""DaCe's own tests, with programs that sdfg-opt has optimized and whose C++ it has written.

A plugin for pytest. The tests are not in DaCe's package; in a copy of its sources:

  PYTHONPATH=…/tests/dace python -m pytest -p upstream --sdfg-opt=…/tools/sdfg-opt tests/numpy \\
      -m "not gpu and not mpi and not fpga and not tensorflow and not torch and not papi and not scalapack"

SDFG.compile then runs sdfg-opt in place of DaCe's code generator, and DaCe's loader opens the result. What a
test needs of DaCe's build folder, it does not find. With --sdfg-record=FOLDER each program that the interpreter
runs on the arguments of its first call is kept there with them and with its results, once, for
tests/random/pipelines.py --programs. Works with pytest-xdist.
"""
import copy, gzip, hashlib, pathlib, re, shutil, signal, subprocess, tempfile

import numpy as np
import pytest

import dace
from dace.codegen import compiled_sdfg

SAVED = re.compile(rb'"(guid|hash|name)":"[^"]*"|"(start|end)_(line|column)":\d+|"source_files":\[[^]]*\]|"file_index":\d+')
FLAGS = ["-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", "-fopenmp", "-O1", "-w", "-ffp-contract=off"]


def pytest_addoption(parser):
    group = parser.getgroup("sdfg-opt")
    group.addoption("--sdfg-opt", metavar="PATH", help="the tool; without it DaCe compiles")
    group.addoption("--sdfg-pipeline", metavar="TEXT", default="auto", help="what it runs (%(default)s)")
    group.addoption("--sdfg-link", metavar="FLAGS", default="", help="libraries to link, as -lopenblas")
    group.addoption("--sdfg-limit", metavar="SECONDS", type=int, default=120, help="for each test (%(default)s)")
    group.addoption("--sdfg-record", metavar="FOLDER", type=pathlib.Path, help="keep programs and their arguments")


def pytest_configure(config):
    if tool := config.getoption("--sdfg-opt"):
        config.pluginmanager.register(Upstream(config, str(pathlib.Path(tool).resolve())))


class Refused(RuntimeError):
    """sdfg-opt or the compiler stopped."""


def run(words, seconds):
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "warning" not in line]
        raise Refused(f"{pathlib.Path(words[0]).name}: {' | '.join(said)[:700]}")


class Compiled(compiled_sdfg.CompiledSDFG):
    """One that is told of its first call."""

    def __init__(self, sdfg, library, argument_names, called):
        super().__init__(sdfg, library, argument_names)
        self._called = called

    def __call__(self, *args, **kwargs):
        if called := self._called:
            self._called = None
            called(dict(kwargs) | dict(zip(self.argnames or [], args)))
        return super().__call__(*args, **kwargs)


class Upstream:
    def __init__(self, config, tool):
        self.tool, self.pipeline = tool, config.getoption("--sdfg-pipeline")
        self.link, self.limit = config.getoption("--sdfg-link").split(), config.getoption("--sdfg-limit")
        self.record, self.test, self.count = config.getoption("--sdfg-record"), "", 0
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="upstream"))
        stub = pathlib.Path(dace.__file__).parent / "codegen/tools/dacestub.cpp"  # the loader wants one beside each library
        run(["g++", *FLAGS[:3], "-fopenmp", "-w", "-DDACE_LIBNAME=x", str(stub), "-o", str(self.work / "libdacestub_x.so"), "-ldl"], 100)
        dace.SDFG.compile = lambda sdfg, output_file=None, validate=True, *args, **kwargs: self.compile(sdfg, validate)

    def compile(self, sdfg, validate):
        sdfg = copy.deepcopy(sdfg)
        sdfg.fill_scope_connectors()
        if validate:
            sdfg.validate()
        self.count += 1
        folder = self.work / str(self.count)
        folder.mkdir()
        given, optimized, library = folder / "given.sdfg", folder / "optimized.sdfg", folder / "libx.so"
        sdfg.save(str(given))
        run([self.tool, str(given), f"--pipeline={self.pipeline}", "-o", str(optimized)], self.limit)
        run([self.tool, str(optimized), "--emit=cpp", "-o", str(folder / "x.cpp")], self.limit)
        run(["g++", *FLAGS, str(folder / "x.cpp"), "-o", str(library), *self.link], self.limit)
        shutil.copy(self.work / "libdacestub_x.so", folder)
        result = dace.SDFG.from_file(str(optimized))
        try:
            result.expand_library_nodes()  # DaCe asks what arguments there are, and library nodes may have symbols
        except Exception:
            pass  # then it sees what it can
        names = list(sdfg.arg_names or result.arg_names)
        called = (lambda arguments: self.keep(given, arguments)) if self.record else None
        return Compiled(result, compiled_sdfg.ReloadableDLL(str(library)), names, called)

    def keep(self, given, arguments):
        """A folder as the corpus has them, named after the test and what the program is."""
        text = given.read_bytes()
        known = hashlib.md5(SAVED.sub(b"", text)).hexdigest()
        folder = self.record / f"{re.sub('[^A-Za-z0-9]+', '_', self.test)[-90:]}_{known[:8]}"
        kinds = (np.ndarray, np.generic, int, float, complex, bool)
        values = {f"in:{name}": np.copy(value) for name, value in arguments.items() if isinstance(value, kinds)}
        if any(self.record.glob(f"*_{known[:8]}")) or sum(v.nbytes for v in values.values()) > 3_000_000:
            return
        inputs, results = given.with_name("inputs.npz"), given.with_name("data.npz")
        np.savez(inputs, **values)
        try:
            run([self.tool, str(given), f"--run={inputs}", f"--record={results}", "--emit=none"], self.limit)
        except (Refused, subprocess.TimeoutExpired):
            return
        folder.mkdir(parents=True)
        shutil.copy(results, folder / "data.npz")
        (folder / "plain.sdfgz").write_bytes(gzip.compress(text, mtime=0))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.test = item.nodeid.removeprefix("tests/")
        signal.signal(signal.SIGALRM, self.too_long)
        signal.alarm(self.limit)
        try:
            return (yield)
        finally:
            signal.alarm(0)

    def too_long(self, *_):
        raise TimeoutError(f"longer than {self.limit} s")

    def pytest_unconfigure(self):
        shutil.rmtree(self.work, ignore_errors=True)
