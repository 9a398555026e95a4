"""`make_backend`: GT4Py's DaCe backend with the steps that sdfg-opt takes over replaced."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Final, Literal

from gt4py._core import definitions as core_defs
from gt4py.next import backend as gtx_backend
from gt4py.next.otf import recipes

from sdfg_gt4py import cache, deep
from sdfg_gt4py.compilation import Compiler, DaceCompiler
from sdfg_gt4py.options import optimizer_options
from sdfg_gt4py.tool import find_tool
from sdfg_gt4py.translation import Translator
from sdfg_gt4py.versions import make_dace_backend


_DEVICES: Final = {
    "cpu": core_defs.DeviceType.CPU,
    "cuda": core_defs.DeviceType.CUDA,
    "hip": core_defs.DeviceType.ROCM,
}
_GENERATORS: Final = ("ours", "dace")


def _fields(instance: Any) -> dict[str, Any]:
    return {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance) if f.init}


def make_backend(
    device: Literal["cpu", "cuda", "hip"] = "cpu",
    codegen: Literal["ours", "dace"] = "ours",
    *,
    tool: str | os.PathLike | None = None,
    **options: Any,
) -> gtx_backend.Backend:
    """A GT4Py backend that optimizes with sdfg-opt.

    Args:
        device: What programs run on.
        codegen: Who writes the code: "ours" is sdfg-opt, "dace" is DaCe.
        tool: Path of sdfg-opt; `find_tool` says where it is looked for otherwise.
        options: What GT4Py's `make_dace_backend` takes, under the same names and with the same
            defaults: `auto_optimize`, `async_sdfg_call`, `optimization_args`, `external_workspace`,
            `unstructured_horizontal_has_unit_stride`, `use_metrics`, `use_zero_origin`,
            `use_max_domain_range_on_unstructured_shift`.

    Raises:
        UnsupportedOption: an optimization argument cannot be honoured.
        ToolNotFound: there is no sdfg-opt.
        CacheError: GT4Py's build cache cannot be written.
    """
    if device not in _DEVICES:
        raise ValueError(f"device='{device}': expected one of {', '.join(_DEVICES)}")
    if codegen not in _GENERATORS:
        raise ValueError(f"codegen='{codegen}': expected one of {', '.join(_GENERATORS)}")
    if "gpu" in options:
        raise TypeError(f"gpu={options['gpu']}: say device='cpu', 'cuda' or 'hip' instead")
    optimizer_options(options.get("optimization_args") or {})  # refuses now rather than later
    found = find_tool(tool)
    with cache.writing():
        theirs = make_dace_backend(gpu=device != "cpu", **options)

    workflow = theirs.executor
    assert isinstance(workflow, recipes.OTFCompileWorkflow)
    translation = workflow.translation
    device_type = {"device_type": _DEVICES[device]}
    translator = Translator(**(_fields(translation.step) | device_type), tool=found)
    building = _fields(workflow.compilation) | device_type
    compiler = DaceCompiler(**building) if codegen == "dace" else Compiler(**building, tool=found)
    name = f"run_dace_sdfg_{device}_{codegen}" + ("_opt" if options.get("auto_optimize", True) else "")
    return dataclasses.replace(
        theirs,
        name=name,
        transforms=deep.Transforms(**_fields(theirs.transforms)),
        executor=deep.Workflow(
            translation=dataclasses.replace(translation, step=translator),
            bindings=workflow.bindings,
            compilation=compiler,
        ),
    )
