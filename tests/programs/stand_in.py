"""A backend that generates CUDA and runs it on the CPU (codegen/runtime/sdfg_gpu_on_cpu.h)."""

import dataclasses
import os
import pathlib
import shlex

import gt4py.next.custom_layout_allocators as next_allocators
from gt4py._core import definitions as core_defs

import sdfg_gt4py
from sdfg_gt4py.compilation import Compiler
from sdfg_gt4py.languages import Language, cpp_compiler


_RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "codegen" / "runtime"

# What GT4Py's own tasklets call: there is one stream, and it is done at once.
_CALLS = ["-DcudaStreamDefault=0", "-DcudaDeviceSynchronize()=(void)0", "-DcudaStreamSynchronize(s)=(void)0"]


class StandIn(Compiler):
    def language(self) -> Language:
        flags = ["-std=c++20", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-w", "-DSDFG_GPU_ON_CPU",
                 f"-I{_RUNTIME}", *_CALLS, "-shared", "-fPIC", "-fvisibility=hidden", "-x", "c++"]
        return Language("cuda", "cu", (*cpp_compiler(), *flags, *shlex.split(os.environ.get("CXXFLAGS", ""))))

    def __call__(self, inp):
        artifact = super().__call__(inp)
        # DaCe's loader asks arrays for addresses by where their descriptors say that they are.
        return dataclasses.replace(artifact, sdfg_json=artifact.sdfg_json.replace("GPU_Global", "CPU_Heap"))


def make_backend(tool, **options):
    made = sdfg_gt4py.make_backend("cuda", "ours", tool=tool, **options)
    fields = {f.name: getattr(made.executor.compilation, f.name)
              for f in dataclasses.fields(Compiler) if f.init}
    compiler = StandIn(**(fields | {"device_type": core_defs.DeviceType.CPU}))
    return dataclasses.replace(
        made,
        allocator=next_allocators.StandardCPUFieldBufferAllocator(),
        executor=dataclasses.replace(made.executor, compilation=compiler),
    )
