#!/usr/bin/env python3
"""What sdfg_gt4py does around programs: options, errors, caches, job modes, metrics, workspaces.

usage: SDFG_OPT=PATH backend_test.py [TEST…]
"""

import functools
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]
os.environ.setdefault("CXXFLAGS", "-O1 -fPIC -ffp-contract=off")
warnings.simplefilter("ignore")

import dace
import gt4py.next as gtx
import numpy as np
from gt4py import eve
from gt4py._core import definitions as core_defs
from gt4py.next import common, config
from gt4py.next.instrumentation import metrics
from gt4py.next.iterator import ir as itir
from gt4py.next.otf import runners
from gt4py.next.program_processors.runners.dace import transformations as gtx_transformations

import check
import grid
import horizontal
import kinds
import sdfg_gt4py
import stand_in
from sdfg_gt4py import calls, deep, languages


def run(name, backend):
    """Runs a test program; its results and what is wrong with them."""
    mesh = grid.Grid(name)
    case = grid.CASES[name](mesh)
    offset_provider = mesh.offset_provider(backend)
    got = check.call(case, check.compiled(case, backend, offset_provider), backend, offset_provider)
    return list(check.differences(got, check.expected(case), case.bound))


class BuildsElsewhere(unittest.TestCase):
    """Tests with a build cache of their own, compiling in this thread."""

    def setUp(self):
        self.cache = pathlib.Path(tempfile.mkdtemp(prefix="sdfg-gt4py-test-"))
        self.addCleanup(shutil.rmtree, self.cache, ignore_errors=True)
        self.set(BUILD_CACHE_DIR=self.cache, BUILD_CACHE_LIFETIME=config.BuildCacheLifetime.PERSISTENT,
                 BUILD_JOBS=0)

    def set(self, **values):
        for name, value in values.items():
            patch = unittest.mock.patch.object(config, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        runners.reset_default_runner()
        self.addCleanup(runners.reset_default_runner)

    def libraries(self):
        return {path: path.stat().st_mtime_ns for path in self.cache.glob("*/lib*.so")}


class Options(unittest.TestCase):
    def refused(self, arguments, *words, kind=sdfg_gt4py.UnsupportedOption):
        with self.assertRaises(kind) as caught:
            sdfg_gt4py.make_backend(optimization_args=arguments)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_what_gt4py_takes_is_taken(self):
        K = grid.K
        backend = sdfg_gt4py.make_backend(
            "cuda", "dace", async_sdfg_call=False, use_zero_origin=True, use_metrics=False,
            unstructured_horizontal_has_unit_stride=True, use_max_domain_range_on_unstructured_shift=True,
            optimization_args={
                "transient_memory_mode": gtx_transformations.TransientMemoryMode.PERSISTENT,
                "blocking_dims": [K], "blocking_size": 5, "gpu_block_size_2d": (64, 6), "gpu_maxnreg": 80,
                "gpu_block_size": "32,8,1", "fuse_tasklets": True, "validate": False, "gpu_launch_bounds": None,
            })
        flag = backend.executor.translation.step.optimizer_flag({"N": 3})
        self.assertEqual(flag, "--gt4py=blocking_dims=i_K_gtx_vertical blocking_size=5 fuse_tasklets=true "
                               "gpu_block_size=32,8,1 gpu_block_size_2d=64,6 gpu_maxnreg=80 target=cuda "
                               "transient_memory_mode=persistent unit_strides_kind=horizontal symbols=N=3")

    def test_the_optimizer_knows_all_options(self):
        hooks = gtx_transformations.GT4PyAutoOptHook
        arguments = {
            "assume_pointwise": True, "blocking_dims": [grid.K], "blocking_independent_node_threshold": 1,
            "blocking_only_if_independent_nodes": True, "blocking_size": 4, "disable_splitting": True,
            "fuse_tasklets": True, "gpu_block_size": (32, 8, 1), "gpu_block_size_1d": (64, 1, 1),
            "gpu_block_size_2d": (32, 4, 1), "gpu_block_size_3d": (32, 4, 1), "gpu_launch_bounds": 256,
            "gpu_maxnreg": 64, "promote_independent_memlets_for_blocking": True, "scan_loop_unrolling": True,
            "scan_loop_unrolling_factor": 2, "transient_memory_mode": "POOL", "reuse_transients": True,
            "demote_fields": ["a", "b"],
            "optimization_hooks": {
                hooks.TopLevelDataFlowPre: "loop-to-map", hooks.TopLevelDataFlowStep: "tasklet-fusion",
                hooks.TopLevelDataFlowPost: "map-tiling{tile_sizes=8,8 divides_evenly}, map-collapse",
                "AfterToGPU": "simplify",
            },
        }
        backend = sdfg_gt4py.make_backend(optimization_args=arguments)
        step = backend.executor.translation.step
        step.tool.run(EMPTY, [step.optimizer_flag({}), "--emit=none"])

    def test_an_unknown_argument_is_refused_with_a_suggestion(self):
        self.refused({"bloking_size": 3}, "bloking_size", "blocking_size")

    def test_a_hook_is_refused_by_name(self):
        def my_hook(sdfg):
            sdfg.simplify()

        stage = gtx_transformations.GT4PyAutoOptHook.TopLevelDataFlowStep
        self.refused({"optimization_hooks": {stage: my_hook}}, "my_hook", "TopLevelDataFlowStep", "make_dace_backend")

    def test_a_hook_that_does_what_we_always_do_is_taken(self):
        def remove_copies(sdfg):
            sdfg.apply_transformations_repeated(gtx_transformations.RemoveAccessNodeCopies(), validate=False)

        stage = gtx_transformations.GT4PyAutoOptHook.TopLevelDataFlowStep
        sdfg_gt4py.make_backend(optimization_args={"optimization_hooks": {stage: remove_copies}})

    def test_hooks_may_name_passes_where_the_optimizer_has_a_place_for_them(self):
        hooks = gtx_transformations.GT4PyAutoOptHook
        backend = sdfg_gt4py.make_backend(optimization_args={"optimization_hooks": {
            hooks.TopLevelDataFlowPost: "map-tiling{tile_sizes=8,8},map-collapse"}})
        self.assertIn("post_hook=map-tiling{tile_sizes=8,8},map-collapse ",
                      backend.executor.translation.step.optimizer_flag({}) + " ")
        self.refused({"optimization_hooks": {hooks.TopLevelDataFlowMapPromotionCallBack: "map-promotion"}},
                     "map-promotion", "TopLevelDataFlowMapPromotionCallBack", "TopLevelDataFlowPost")

    def test_what_is_not_given_is_left_out(self):
        backend = sdfg_gt4py.make_backend(
            optimization_args={"demote_fields": [], "reuse_transients": False, "gpu_maxnreg": None})
        flag = backend.executor.translation.step.optimizer_flag({})
        self.assertNotIn("demote_fields", flag)
        self.assertNotIn("gpu_maxnreg", flag)
        self.assertIn("reuse_transients=false", flag)

    def test_arguments_of_older_versions_are_ignored_with_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "make_persistent"):
            sdfg_gt4py.make_backend(optimization_args={"make_persistent": True})

    def test_device_and_codegen_are_checked(self):
        with self.assertRaisesRegex(ValueError, "expected one of cpu, cuda, hip"):
            sdfg_gt4py.make_backend("gpu")
        with self.assertRaisesRegex(ValueError, "expected one of ours, dace"):
            sdfg_gt4py.make_backend(codegen="theirs")
        with self.assertRaisesRegex(TypeError, "device='cpu'"):
            sdfg_gt4py.make_backend(gpu=True)
        with self.assertRaisesRegex(TypeError, "use_metric"):
            sdfg_gt4py.make_backend(use_metric=True)

    def test_external_memory_needs_a_workspace(self):
        self.refused({"transient_memory_mode": gtx_transformations.TransientMemoryMode.EXTERNAL},
                     "External memory workspace", kind=ValueError)


EMPTY = b"sdfg empty()\n  state main\n"


class Errors(BuildsElsewhere):
    def test_a_missing_tool_says_how_to_get_one(self):
        with self.assertRaisesRegex(sdfg_gt4py.ToolNotFound, "no program that can be run"):
            sdfg_gt4py.make_backend(tool="/nowhere/sdfg-opt")
        with unittest.mock.patch.dict(os.environ, {"SDFG_OPT": "", "PATH": ""}):
            with self.assertRaisesRegex(sdfg_gt4py.ToolNotFound, "set SDFG_OPT"):
                sdfg_gt4py.make_backend()

    def test_a_refused_program_is_an_exception_with_message_and_reproducer(self):
        tool = sdfg_gt4py.find_tool()
        with self.assertRaises(sdfg_gt4py.SdfgOptError) as caught:
            tool.run(EMPTY, ["--substitute-symbols=symbols=N=x", "--emit=json"])
        error = caught.exception
        self.assertIn("substitute-symbols", error.message)
        self.assertIn(error.reproducer, str(error))
        self.assertTrue(os.path.isfile(error.reproducer))
        os.remove(error.reproducer)

    def test_a_program_with_a_fault_is_located(self):
        backend = sdfg_gt4py.make_backend()
        with unittest.mock.patch.object(sdfg_gt4py.translation, "to_bytes", lambda sdfg: b"{}"):
            with self.assertRaises(sdfg_gt4py.SdfgOptError) as caught:
                run("truth_values", backend)
        self.assertIn("sdfg-opt", str(caught.exception))

    def test_a_compiler_that_fails_is_shown_with_its_command(self):
        with unittest.mock.patch.dict(os.environ, {"CXX": "false"}):
            with self.assertRaisesRegex(sdfg_gt4py.CompilerError, "the command was: false"):
                run("field_without_dimensions", sdfg_gt4py.make_backend())
        with unittest.mock.patch.dict(os.environ, {"CXX": "/nowhere/c++"}):
            with self.assertRaisesRegex(sdfg_gt4py.CompilerError, "cannot be run"):
                run("field_without_dimensions", sdfg_gt4py.make_backend())

    def test_a_missing_table_and_a_wrong_type_are_named(self):
        backend = sdfg_gt4py.make_backend()
        mesh = grid.Grid("divergence")
        case = grid.CASES["divergence"](mesh)
        with self.assertRaisesRegex(KeyError, "C2E"):
            check.call(case, case.program.with_backend(backend), backend, {})
        case.arguments["vn"].values = case.arguments["vn"].values.astype(np.float32)
        with self.assertRaisesRegex(Exception, "vn|float32"):
            check.call(case, case.program.with_backend(backend), backend, mesh.offset_provider(backend))

    def test_a_later_call_is_checked_as_well(self):
        backend = sdfg_gt4py.make_backend()
        mesh = grid.Grid("divergence")
        case = grid.CASES["divergence"](mesh)
        tables = mesh.offset_provider(backend)
        program = check.compiled(case, backend, tables)
        good = check.fields_of(case, backend)
        check.invoke(case, program, good, tables)

        def refused(message, **changed):
            with self.assertRaisesRegex(sdfg_gt4py.ArgumentError, message):
                check.invoke(case, program, good | changed, tables)

        single = gtx.as_field([grid.E, grid.K], good["vn"].asnumpy().astype(np.float32))
        refused("argument 'vn' of '.*' has elements of float32; expected float64", vn=single)
        refused("argument 'vn' of '.*' is a ndarray; expected a field.*Edge, K", vn=good["vn"].asnumpy())
        on_vertices = gtx.as_field([grid.V, grid.K], good["vn"].asnumpy())
        refused(r"argument 'vn' of '.*' has the dimensions \[Vertex, K\]; expected \[Edge, K\]", vn=on_vertices)
        transposed = gtx.as_field([grid.K, grid.E], good["vn"].asnumpy().T.copy())
        refused(r"has the dimensions \[K, Edge\]; expected \[Edge, K\], in this order", vn=transposed)
        with self.assertRaisesRegex(KeyError, "C2E"):
            check.invoke(case, program, good, {})
        check.invoke(case, program, good, tables)

    def test_a_scalar_that_does_not_fit_is_named(self):
        backend = sdfg_gt4py.make_backend()
        mesh = grid.Grid("branches_by_arguments")
        case = grid.CASES["branches_by_arguments"](mesh)
        program, fields = check.compiled(case, backend, {}), check.fields_of(case, backend)
        check.invoke(case, program, fields, {})
        for value, found in ((2**40, "1099511627776"), (0.5, "0.5"), (fields["p"], "a NumPyArrayField")):
            with self.assertRaisesRegex(sdfg_gt4py.ArgumentError, f"'kind' of '.*' is {found}; expected .* int32"):
                check.invoke(case, program, fields | {"kind": value}, {})

    def test_strides_are_checked_from_the_first_call_on(self):
        def refused(program, values, stride, expected):
            field = lambda: common._field(values.copy(order="K"), domain={kinds.C: 4, kinds.K: 3})
            with self.assertRaisesRegex(sdfg_gt4py.ArgumentError, f"'.*' of '.*' has the stride {stride} in the "
                                                                  f"dimension Cell; expected {expected}.*copy it"):
                program(common._field(values, domain=field().domain), out=field(), offset_provider={})

        backend = sdfg_gt4py.make_backend(unstructured_horizontal_has_unit_stride=True)
        fields = [gtx.zeros({kinds.C: 4, kinds.K: 3}, allocator=backend) for _ in range(2)]
        backwards = kinds._identity.with_backend(sdfg_gt4py.make_backend())
        unit = kinds._identity.with_backend(backend)
        for _ in range(2):
            refused(backwards, np.zeros((4, 3))[::-1], -3, "one that is not negative")
            refused(unit, np.zeros((4, 3)), 3, "1, which the program was compiled for")
            unit(fields[0], out=fields[1], offset_provider={})

    def test_an_origin_that_was_promised_is_checked(self):
        field = lambda begin: gtx.zeros({kinds.C: (begin, begin + 4), kinds.K: (0, 3)})
        for zero in (True, False):
            program = kinds._identity.with_backend(sdfg_gt4py.make_backend(use_zero_origin=zero))
            call = lambda begin: program(field(begin), out=field(begin), offset_provider={})
            for begin in (-1, 0, 2):
                if zero and begin:
                    self.assertRaisesRegex(sdfg_gt4py.ArgumentError, f"'p' of '.*' begins at {begin} in the dimension "
                                           "Cell; expected 0, because of use_zero_origin", call, begin)
                else:
                    call(begin)

    def test_a_library_that_cannot_be_opened_is_named(self):
        library = self.cache / "library.so"
        library.write_text("no library")
        with self.assertRaisesRegex(sdfg_gt4py.CacheError, f"cannot be opened: .*remove the folder '{self.cache}'"):
            sdfg_gt4py.library.Library(library).load()

    def test_a_cache_that_cannot_be_written_is_named(self):
        file = self.cache / "file"
        file.touch()
        self.set(BUILD_CACHE_DIR=file / "cache")
        with self.assertRaisesRegex(sdfg_gt4py.CacheError, "Not a directory.*set GT4PY_BUILD_CACHE_DIR"):
            run("field_without_dimensions", sdfg_gt4py.make_backend())

    def test_a_launcher_may_stand_in_front_of_the_compiler(self):
        with unittest.mock.patch.dict(os.environ, {"CXX": "env LC_ALL=C c++"}):
            self.assertEqual(run("field_without_dimensions", sdfg_gt4py.make_backend()), [])

    def test_memory_of_another_device_is_named(self):
        def update(*_):
            raise AssertionError

        class OnGpu:
            dtype = np.dtype(float)

        class Field:
            ndarray = OnGpu()
            domain = gtx.domain({grid.K: (0, 1)})
            __gt_buffer_info__ = unittest.mock.Mock(elem_strides=(1,))

        parameters = (calls.Parameter("p", np.dtype(float), (grid.K,)),)
        checked = calls.checked(update, parameters, core_defs.DeviceType.CPU, dace.SDFG("program"))
        with self.assertRaisesRegex(sdfg_gt4py.ArgumentError, "'p' of 'program' is in GPU memory.*allocator=backend"):
            checked((Field(),), [], {})

    def test_a_tool_of_another_kind_is_named(self):
        tool = self.cache / "sdfg-opt"
        for text, kind, message in (
            ("no program", sdfg_gt4py.ToolNotFound, "cannot be run"),
            ("#!/bin/sh\ncat > /dev/null", sdfg_gt4py.ToolNotFound, "wrote nothing"),
            ("#!/bin/sh\ncat > /dev/null; echo no option >&2; exit 2", sdfg_gt4py.SdfgOptError, "another version"),
        ):
            tool.write_text(text)
            tool.chmod(0o755)
            with self.assertRaisesRegex(kind, message):
                sdfg_gt4py.Tool(str(tool), text).run(EMPTY, ["--emit=text"])


class Caches(BuildsElsewhere):
    def test_a_program_is_built_once(self):
        self.assertEqual(run("fill_and_copy", sdfg_gt4py.make_backend()), [])
        built = self.libraries()
        self.assertEqual(len(built), 1)
        files = sorted(self.cache.rglob("*"))
        self.assertEqual(run("fill_and_copy", sdfg_gt4py.make_backend()), [])
        self.assertEqual(self.libraries(), built)
        self.assertEqual(sorted(self.cache.rglob("*")), files)  # no copies of what is open already

    def test_other_flags_give_another_library(self):
        run("fill_and_copy", sdfg_gt4py.make_backend())
        before = len(self.libraries())
        with unittest.mock.patch.dict(os.environ, {"CXXFLAGS": "-O0 -fPIC"}):
            self.assertEqual(run("fill_and_copy", sdfg_gt4py.make_backend()), [])
        self.assertEqual(len(self.libraries()), before + 1)

    def test_other_processors_give_another_library(self):
        plain, native = ["c++", "-O3"], ["c++", "-O3", "-march=native"]
        self.assertEqual(languages.version(plain), languages.version(plain[:1]))
        self.assertNotEqual(languages.version(native), languages.version(plain))

    def test_a_build_that_was_killed_is_made_anew(self):
        run("fill_and_copy", sdfg_gt4py.make_backend())
        for library in self.libraries():
            torn = library.parent / "build"
            torn.mkdir()
            (torn / library.name).write_bytes(library.read_bytes()[:1000])
            library.unlink()
        self.assertEqual(run("fill_and_copy", sdfg_gt4py.make_backend()), [])


class Compilers(unittest.TestCase):
    def flags(self, device, key, architectures):
        with dace.config.set_temporary("compiler", "cuda", key, value=architectures):
            with unittest.mock.patch.dict(os.environ, {"CUDACXX": "nvcc", "HIPCXX": "hipcc"}):
                return [word for word in languages.language_for(device).command if "arch=" in word]

    def test_architectures_are_listed_as_cmake_and_dace_do(self):
        real = "-gencode=arch=compute_{0},code=sm_{0}"
        for listed, flags in (
            ("", ["-arch=native"]), ("native", ["-arch=native"]), ("90", [real.format("90")]),
            ("80,90a", [real.format("80"), real.format("90a")]),
            ("80-real;90-virtual", [real.format("80"), "-gencode=arch=compute_90,code=compute_90"]),
        ):
            self.assertEqual(self.flags(core_defs.DeviceType.CUDA, "cuda_arch", listed), flags)
        self.assertEqual(self.flags(core_defs.DeviceType.ROCM, "hip_arch", "gfx90a;gfx942"),
                         ["--offload-arch=gfx90a", "--offload-arch=gfx942"])


class Jobs(BuildsElsewhere):
    def test_threads(self):
        self.set(BUILD_JOBS=2, BUILD_JOBS_MODE=config.BuildJobsMode.THREAD)
        self.assertEqual(run("scalars_known_when_compiling", sdfg_gt4py.make_backend()), [])

    def test_processes(self):
        self.set(BUILD_JOBS=2, BUILD_JOBS_MODE=config.BuildJobsMode.PROCESS)
        self.assertEqual(run("scalars_known_when_compiling", sdfg_gt4py.make_backend()), [])


Plane = gtx.Field[gtx.Dims[kinds.C, kinds.K], gtx.float64]


@gtx.scan_operator(axis=kinds.K, forward=True, init=0.0)
def _from_the_top(carry: float, p: float) -> float:
    return carry + p


@gtx.scan_operator(axis=kinds.K, forward=False, init=0.0)
def _from_the_ground(carry: float, p: float) -> float:
    return carry + p


@gtx.field_operator
def _both_ways(p: Plane) -> Plane:
    return _from_the_ground(_from_the_top(p)) + _from_the_top(_from_the_ground(p))


def _both_ways_in_numpy(p):
    down, up = np.cumsum(p, axis=1), np.cumsum(p[:, ::-1], axis=1)[:, ::-1]
    return np.cumsum(down[:, ::-1], axis=1)[:, ::-1] + np.cumsum(up, axis=1)


class Running(BuildsElsewhere):
    def test_the_time_of_calls_is_measured(self):
        self.set(COLLECT_METRICS_LEVEL=metrics.PERFORMANCE)
        metrics.sources.clear()
        self.assertEqual(run("fill_and_copy", sdfg_gt4py.make_backend()), [])
        samples = [s for source in metrics.sources.values()
                   for s in source.metrics[metrics.COMPUTE_METRIC].samples]
        self.assertEqual(len(samples), 1)
        self.assertGreater(samples[0], 0.0)
        self.assertLess(samples[0], 1.0)

    def test_a_workspace_holds_what_lies_between_maps(self):
        for codegen in ("ours", "dace") if os.environ.get("SDFG_WITH_DACE") else ("ours",):
            workspace = np.full(1 << 20, 77, np.uint8)
            backend = sdfg_gt4py.make_backend(codegen=codegen,
                                              external_workspace={core_defs.DeviceType.CPU: workspace})
            self.assertEqual(run("smoothing_twice", backend), [])
            self.assertTrue((workspace != 77).any())

    def test_a_workspace_that_is_too_small_is_refused(self):
        small = {core_defs.DeviceType.CPU: np.zeros(8, np.uint8)}
        with self.assertRaisesRegex(ValueError, "8 bytes"):
            run("smoothing_twice", sdfg_gt4py.make_backend(external_workspace=small))

    def test_a_workspace_is_as_each_call_wants_it(self):
        """GT4Py lays it out, and checks its size, for the sizes of the first call."""
        workspace = np.zeros(1 << 16, np.uint8)
        backend = sdfg_gt4py.make_backend(external_workspace={core_defs.DeviceType.CPU: workspace})
        program = _both_ways.with_backend(backend)
        for cells in (4, 100, 10_000, 20):
            p = gtx.as_field([kinds.C, kinds.K], np.random.default_rng(cells).random((cells, 10)), allocator=backend)
            out = gtx.zeros(p.domain, allocator=backend)
            call = lambda: program(p, out=out, offset_provider={})
            if cells == 10_000:
                self.assertRaisesRegex(ValueError, "65536 bytes .* at least", call)
            else:
                call()
                np.testing.assert_allclose(out.asnumpy(), _both_ways_in_numpy(p.asnumpy()))

    def test_without_the_optimizer(self):
        backend = sdfg_gt4py.make_backend(auto_optimize=False)
        self.assertEqual(run("fill_and_copy", backend), [])
        self.assertEqual(run("largest_and_smallest_at_a_border", backend), [])  # neighbours are missing


class Threads(BuildsElsewhere):
    def test_threads_may_call_one_program(self):
        """Its argument vector and the memory between its maps are there once."""
        backend = sdfg_gt4py.make_backend()
        program = _both_ways.with_backend(backend)
        sizes = {kinds.C: 400, kinds.K: 40}

        def results(value, calls):
            p, out = (gtx.full(sizes, v, allocator=backend) for v in (value, 0.0))
            for _ in range(calls):
                program(p, out=out, offset_provider={})
                yield out.asnumpy().copy()

        ones, wrong = next(results(1.0, 1)), []

        def work(value):
            wrong.extend(value for got in results(value, 100) if not (got == ones * value).all())

        threads = [threading.Thread(target=work, args=(2.0**i,)) for i in range(4)]
        for step in (threading.Thread.start, threading.Thread.join):
            for thread in threads:
                step(thread)
        self.assertEqual(wrong, [])


Scalar = gtx.Field[[], gtx.float64]


@gtx.field_operator
def _without_dimensions(p: Scalar, s: float) -> tuple[Scalar, tuple[Scalar, Scalar]]:
    return p * s, (p + s, p)


class WithoutDimensions(BuildsElsewhere):
    """GT4Py's own DaCe backend loses such results."""

    def test_results_without_dimensions_arrive(self):
        for codegen in ("ours", "dace") if os.environ.get("SDFG_WITH_DACE") else ("ours",):
            backend = sdfg_gt4py.make_backend(codegen=codegen)
            field = lambda value: gtx.as_field([], np.array(value), allocator=backend)
            for p in (2.0, 5.0):
                out = field(0.0), (field(0.0), field(0.0))
                _without_dimensions.with_backend(backend)(field(p), 3.0, out=out, offset_provider={})
                found = [part.as_scalar() for part in (out[0], *out[1])]
                self.assertEqual(found, [p * 3, p + 3, p])

    def test_a_kernel_that_writes_one_is_refused(self):
        backend = stand_in.make_backend(sdfg_gt4py.find_tool().path)
        field = lambda: gtx.as_field([], np.array(1.0), allocator=backend)
        with self.assertRaisesRegex(sdfg_gt4py.SdfgOptError, "scalar argument 'out_0' is written by a kernel"):
            _without_dimensions.with_backend(backend)(
                field(), 3.0, out=(field(), (field(), field())), offset_provider={})


class Deep(unittest.TestCase):
    """Expressions nested more deeply than Python lets functions call each other."""

    def test_a_step_that_fails_is_run_again_without_limits(self):
        class Depth(eve.NodeVisitor):
            def visit_FunCall(self, node):
                return 1 + max(self.visit(argument) for argument in node.args)

            def visit_SymRef(self, node):
                return 0

        expression = itir.SymRef(id="x")
        for _ in range(3000):
            expression = itir.FunCall(fun=itir.SymRef(id="plus"), args=[expression, itir.SymRef(id="y")])
        before = sys.getrecursionlimit()
        with self.assertRaises(RecursionError):
            Depth().visit(expression)
        self.assertEqual(deep.deeply(Depth().visit, expression), 3000)
        self.assertEqual(sys.getrecursionlimit(), before)
        self.assertIs(eve.NodeVisitor.visit, deep._visit)

    def test_another_error_comes_through(self):
        def fails(depth):
            if depth == 0:
                raise KeyError("the end")
            return fails(depth - 1)

        with self.assertRaisesRegex(KeyError, "the end"):
            deep.deeply(fails, 5000)


class Looking(unittest.TestCase):
    def look_at(self, name, static=()):
        backend = sdfg_gt4py.make_backend()
        mesh = grid.Grid(name)
        case = grid.CASES[name](mesh)
        fields = {name: value.on(backend) if isinstance(value, grid.Array) else value
                  for name, value in case.arguments.items()}
        program = case.program.with_backend(backend)
        return sdfg_gt4py.look(program.with_static_params(*static) if static else program, **fields,
                               offset_provider=mesh.offset_provider(backend))

    def test_remarks_changes_and_code(self):
        look = self.look_at("laplacian")
        self.assertIn("map-fusion-vertical", look.remarks("map-fusion-vertical"))
        self.assertIn("// ", look.changes())
        self.assertIn("__program_", look.code())

    def test_a_record_runs_again(self):
        look = self.look_at("laplacian")
        with tempfile.TemporaryDirectory() as folder:
            look.record(folder)
            written = sorted(path.name for path in pathlib.Path(folder).iterdir())
            self.assertEqual(written, ["data.npz", "lowered.sdfgz", "program.json"])
            again = look.tool.run(look.lowered, [look.flag, f"--run={folder}/data.npz", "--emit=none"])
            self.assertIn(b"output", again)

    def test_a_record_is_compared_with_what_gt4py_makes_of_it(self):
        look = self.look_at("laplacian")
        compare = HERE.parents[1] / "benchmarks/optimizer/compare.py"
        with tempfile.TemporaryDirectory() as folder:
            look.record(f"{folder}/records/laplacian")
            done = subprocess.run(
                [sys.executable, compare, f"--corpus={folder}/records", f"--sdfg-opt={os.environ['SDFG_OPT']}",
                 f"--fresh={sys.executable}", f"--work={folder}/work", "--table=bytes", "--table=speed"],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("1 programs: 0 fail, 0 are worse", done.stdout)

    def test_a_field_operator_in_a_part_of_its_domain(self):
        backend = sdfg_gt4py.make_backend()
        whole = {kinds.C: 8, kinds.K: 4}
        look = sdfg_gt4py.look(kinds._identity.with_backend(backend), gtx.ones(whole, allocator=backend),
                               out=gtx.zeros(whole, allocator=backend),
                               domain={kinds.C: (2, 5), kinds.K: (0, 4)}, offset_provider={})
        self.assertEqual(look.arguments["out"].shape, (3, 4))

    def test_a_program_with_bound_arguments(self):
        backend = sdfg_gt4py.make_backend()
        case = grid.CASES["fill_and_copy"](grid.Grid("fill_and_copy"))
        fields, program = check.fields_of(case, backend), case.program.with_backend(backend)
        whole = sdfg_gt4py.look(program, **fields, offset_provider={})
        rest = {name: value for name, value in fields.items() if name != "value"}
        value = {"value": fields["value"]}
        for bound in (program.with_bound_args(**value), functools.partial(program, **value)):
            look = sdfg_gt4py.look(functools.partial(bound, offset_provider={}), **rest)
            self.assertEqual(look.arguments.keys(), whole.arguments.keys())

    def test_a_command_can_be_pasted_into_a_shell(self):
        hooks = gtx_transformations.GT4PyAutoOptHook
        backend = sdfg_gt4py.make_backend(optimization_args={"optimization_hooks": {
            hooks.TopLevelDataFlowPost: "map-tiling{tile_sizes=8,8 divides_evenly}, map-collapse"}})
        field = gtx.zeros({kinds.C: 4, kinds.K: 3}, allocator=backend)
        look = sdfg_gt4py.look(kinds._identity.with_backend(backend), field, out=field, offset_provider={})
        with tempfile.TemporaryDirectory(prefix="it's here ") as folder:
            command = look.save(pathlib.Path(folder, "lowered.sdfg"))
            self.assertEqual(shlex.split(command), ["sdfg-opt", f"{folder}/lowered.sdfg", look.flag])

    def test_static_arguments_are_numbers_in_the_program(self):
        name, static = "scalars_known_when_compiling", ("a", "n", "on")
        known, unknown = self.look_at(name, static), self.look_at(name)
        for argument in static:
            used = f'"__tlet_out = {argument}"' if argument != "on" else 'if "on"'
            self.assertIn(used, unknown.text())
            self.assertNotIn(used, known.text())

    def test_a_program_with_another_backend_is_refused(self):
        with self.assertRaisesRegex(TypeError, "with_backend"):
            sdfg_gt4py.look(kinds._identity)


if __name__ == "__main__":
    unittest.main()
