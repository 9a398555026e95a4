"""From GTIR to an optimized SDFG: GT4Py's translation step with sdfg-opt as its optimizer."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import dace

from gt4py._core import definitions as core_defs
from gt4py.next.iterator import transforms as itir_transforms
from gt4py.next import common
from gt4py.next.iterator import ir as itir
from gt4py.next.program_processors.runners.dace.workflow import (
    common as gtx_wfdcommon,
    translation as gtx_wfdtranslation,
)

from sdfg_gt4py.options import optimizer_options
from sdfg_gt4py.results import add_results
from sdfg_gt4py.tool import Tool
from sdfg_gt4py.versions import lower_program


def to_bytes(sdfg: dace.SDFG) -> bytes:
    return json.dumps(gtx_wfdcommon.serialize_sdfg_as_json(sdfg)).encode()


def pipeline(options: Mapping[str, str], constants: Mapping[str, int]) -> str:
    """The flag that runs the optimizer."""
    quoted = {name: f"'{value}'" if " " in value else value for name, value in options.items()}
    words = [f"{name}={value}" for name, value in sorted(quoted.items())]
    if constants:
        words.append("symbols=" + ",".join(f"{n}={v}" for n, v in sorted(constants.items())))
    return "--gt4py=" + " ".join(words)


@dataclasses.dataclass(frozen=True)
class Translator(gtx_wfdtranslation.DaCeTranslator):
    """GT4Py's translation step, optimizing with `tool`."""

    tool: Tool = dataclasses.field(kw_only=True)

    def options(self) -> dict[str, str]:
        """Of the optimizer, without the target."""
        unit_stride = {"unit_strides_kind": "horizontal"} if self.unstructured_horizontal_has_unit_stride else {}
        return optimizer_options(self.auto_optimize_args or {}) | unit_stride

    def optimizer_flag(self, constants: Mapping[str, int]) -> str:
        target = {core_defs.DeviceType.CPU: "cpu", core_defs.DeviceType.ROCM: "hip"}
        return pipeline(self.options() | {"target": target.get(self.device_type, "cuda")}, constants)

    def lower(
        self,
        ir: itir.Program,
        offset_provider: common.OffsetProvider,
        column_axis: common.Dimension | None,
    ) -> tuple[dace.SDFG, dict[str, int]]:
        """The SDFG as GT4Py lowers it, and the symbols that are known when it is compiled."""
        if not self.disable_itir_transforms:
            ir = itir_transforms.apply_fieldview_transforms(
                ir,
                use_max_domain_range_on_unstructured_shift=self.use_max_domain_range_on_unstructured_shift,
                offset_provider=offset_provider,
            )
        offset_types = common.offset_provider_to_type(offset_provider)
        # Where in GT4Py's own sources each node was made takes a quarter of the time to find out, and says
        # nothing about the program. DACE_compiler_lineinfo=inspect brings it back.
        with dace.config.set_temporary("compiler", "lineinfo", value="none"):
            sdfg = lower_program(ir, offset_types, column_axis)
        constants = gtx_wfdtranslation.find_constant_symbols(
            ir,
            sdfg,
            offset_types,
            self.disable_field_origin_on_program_arguments,
            self.unstructured_horizontal_has_unit_stride,
        )
        return sdfg, constants

    def _generate_sdfg_without_configuring_dace(self, *args: Any, **kwargs: Any) -> dace.SDFG:
        if not self.auto_optimize:
            sdfg = super()._generate_sdfg_without_configuring_dace(*args, **kwargs)
            add_results(sdfg)
            return sdfg
        lowered, constants = self.lower(*args, **kwargs)
        optimized = self.tool.run(
            to_bytes(lowered), [self.optimizer_flag(constants), "--emit=json", "--profile=head"]
        )
        sdfg = dace.SDFG.from_json(json.loads(optimized))
        add_results(sdfg)
        # What GT4Py adds after its own optimizer.
        on_gpu = self.device_type != core_defs.DeviceType.CPU
        if self.async_sdfg_call:
            gtx_wfdtranslation.make_sdfg_call_async(sdfg, on_gpu)
        else:
            gtx_wfdtranslation.make_sdfg_call_sync(sdfg, on_gpu)
        if self.use_metrics:
            gtx_wfdtranslation.add_instrumentation(sdfg, on_gpu)
        return sdfg
