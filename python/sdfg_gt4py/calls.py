"""What a call is given: checked where GT4Py checks it, and explained where GT4Py only asserts."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dace
import numpy as np

from gt4py._core import definitions as core_defs
from gt4py.next import common
from gt4py.next.program_processors.runners.dace import sdfg_args as gtx_dace_args
from gt4py.next.type_system import type_specifications as ts


class ArgumentError(ValueError):
    """A call's arguments do not fit the program; the message says what to do."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A field or a scalar that a program takes; `dims` is None for scalars, and empty for fields without
    dimensions, which GT4Py passes as scalars."""

    name: str
    dtype: np.dtype
    dims: tuple[common.Dimension, ...] | None

    @property
    def flat_name(self) -> str:
        """What GT4Py calls it in the SDFG."""
        return self.name.replace("[", "_").replace("]", "")


# A tuple of parameters stands for an argument that is a tuple.
Parameters = tuple["Parameter | Parameters", ...]


def parameter(name: str, type_: ts.TypeSpec) -> Parameter | Parameters:
    if isinstance(type_, (ts.TupleType, ts.NamedCollectionType)):
        return tuple(parameter(f"{name}[{i}]", part) for i, part in enumerate(type_.types))
    if isinstance(type_, ts.FieldType):
        return Parameter(name, np.dtype(type_.dtype.kind.name.lower()), tuple(type_.dims))
    assert isinstance(type_, ts.ScalarType)
    return Parameter(name, np.dtype(type_.kind.name.lower()), None)


def paths(parameters: Parameters, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Parameter]]:
    """Each parameter that is no tuple, with the indices that lead to its argument."""
    for i, one in enumerate(parameters):
        if isinstance(one, tuple):
            yield from paths(one, (*path, i))
        else:
            yield (*path, i), one


def _pairs(args: Sequence[Any], parameters: Parameters) -> Iterator[tuple[Any, Parameter]]:
    for arg, expected in zip(args, parameters):
        if isinstance(expected, tuple):
            yield from _pairs(arg, expected)
        else:
            yield arg, expected


def _check_field(arg: Any, expected: Parameter, program: str) -> None:
    where = f"argument '{expected.name}' of '{program}'"
    dims = ", ".join(dim.value for dim in expected.dims or ())
    if not isinstance(arg, common.Field):
        raise ArgumentError(
            f"{where} is a {type(arg).__name__}; expected a field: "
            f"gtx.as_field([{dims}], …, allocator=backend)")
    if arg.domain.dims != expected.dims:
        found = ", ".join(dim.value for dim in arg.domain.dims)
        raise ArgumentError(f"{where} has the dimensions [{found}]; expected [{dims}], in this order")
    if arg.ndarray.dtype != expected.dtype:
        raise ArgumentError(
            f"{where} has elements of {arg.ndarray.dtype}; expected {expected.dtype}: convert it with "
            f"gtx.as_field(field.domain, field.ndarray.astype('{expected.dtype}'), allocator=backend)")


def _check_strides(arg: common.Field, expected: Parameter, sdfg: dace.SDFG) -> None:
    desc = sdfg.arrays.get(expected.flat_name)
    known = desc.strides if isinstance(desc, dace.data.Array) else ()
    for dim, stride, found in itertools.zip_longest(expected.dims, known, arg.__gt_buffer_info__.elem_strides):
        where = f"argument '{expected.name}' of '{sdfg.name}' has the stride {found} in the dimension {dim.value}"
        if str(stride).isdigit() and int(stride) != found:
            raise ArgumentError(f"{where}; expected {stride}, which the program was compiled for: copy it with "
                                "gtx.as_field(field.domain, field.ndarray, allocator=backend)")
        if found < 0:  # GT4Py would pass the lowest address for that of the first element
            raise ArgumentError(f"{where}; expected one that is not negative: copy it with "
                                "gtx.as_field(field.domain, field.ndarray, allocator=backend)")


def _begin_at_zero(expected: Parameter, sdfg: dace.SDFG) -> tuple[int, ...]:
    """The dimensions in which a field was promised to begin at 0 (`use_zero_origin`): there, it is as large as
    its last index says."""
    desc = sdfg.arrays.get(expected.flat_name)
    shape = desc.shape if isinstance(desc, dace.data.Array) else ()
    return tuple(i for i, (dim, size) in enumerate(zip(expected.dims, shape))
                 if str(size) == gtx_dace_args.range_stop_symbol(expected.flat_name, dim).name)


def _check_origin(arg: common.Field, expected: Parameter, at_zero: tuple[int, ...], program: str) -> None:
    for i in at_zero:
        if begin := arg.domain.ranges[i].start:
            raise ArgumentError(f"argument '{expected.name}' of '{program}' begins at {begin} in the dimension "
                                f"{expected.dims[i].value}; expected 0, because of use_zero_origin=True")


def _explanation(
    args: Sequence[Any], parameters: Parameters, device: core_defs.DeviceType, sdfg: dace.SDFG
) -> ArgumentError:
    """What is wrong with arguments that GT4Py's binding did not take."""
    for arg, expected in _pairs(args, parameters):
        where = f"argument '{expected.name}' of '{sdfg.name}'"
        if not expected.dims:
            arg = arg.as_scalar() if expected.dims is not None and isinstance(arg, common.Field) else arg
            if not np.can_cast(np.min_scalar_type(arg), expected.dtype, "same_kind"):
                found = repr(arg) if np.isscalar(arg) else f"a {type(arg).__name__}"
                return ArgumentError(f"{where} is {found}; expected a value of type {expected.dtype}")
        elif isinstance(arg.ndarray, np.ndarray) != (device == core_defs.DeviceType.CPU):
            there = "CPU" if isinstance(arg.ndarray, np.ndarray) else "GPU"
            return ArgumentError(f"{where} is in {there} memory, and the program runs on {device.name}; "
                                 "allocate it with allocator=backend")
        else:
            _check_strides(arg, expected, sdfg)
    return ArgumentError(f"the arguments of '{sdfg.name}' are not those it was compiled for: a size, a stride or "
                         "the place of a table that was known then is another one now; compile it for these")


def checked(
    update: Callable[..., None], parameters: Parameters, device: core_defs.DeviceType, sdfg: dace.SDFG
) -> Callable[..., None]:
    """GT4Py's `update` of the argument vector, for calls that are checked: `python -O` calls it directly,
    as it leaves out GT4Py's own assertions."""

    fields = [(path[0], path[1:], one, _begin_at_zero(one, sdfg)) for path, one in paths(parameters) if one.dims]
    integers = [(path[0], path[1:], one, np.iinfo(one.dtype)) for path, one in paths(parameters)
                if not one.dims and one.dtype.kind in "iu"]

    def checked_update(args: Sequence[Any], argv: Any, offset_provider: Any) -> None:
        for index, rest, expected, at_zero in fields:
            arg = args[index]
            for part in rest:
                arg = arg[part]
            array = getattr(arg, "ndarray", None)
            # NumPy has one object for each type of numbers.
            if array is None or array.dtype is not expected.dtype or arg.domain.dims != expected.dims:
                _check_field(arg, expected, sdfg.name)
            if argv is None or min(arg.__gt_buffer_info__.elem_strides) < 0:
                _check_strides(arg, expected, sdfg)
            if at_zero:
                _check_origin(arg, expected, at_zero, sdfg.name)
        for index, rest, expected, limits in integers:
            arg = args[index]
            for part in rest:
                arg = arg[part]
            if isinstance(arg, (int, np.integer)) and not limits.min <= arg <= limits.max:
                raise ArgumentError(f"argument '{expected.name}' of '{sdfg.name}' is {arg}; expected a value of type "
                                    f"{expected.dtype}: {limits.min} to {limits.max}")
        try:
            update(args, argv, offset_provider)
        except (AssertionError, TypeError) as failed:
            if argv is None and isinstance(failed, TypeError):
                raise  # GT4Py's sign for a first call
            raise _explanation(args, parameters, device, sdfg) from failed

    return checked_update
