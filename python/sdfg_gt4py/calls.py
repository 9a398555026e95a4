"""What a call is given: checked where GT4Py checks it, and explained where GT4Py only asserts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gt4py._core import definitions as core_defs
from gt4py.next import common
from gt4py.next.type_system import type_specifications as ts


class ArgumentError(ValueError):
    """A call's arguments do not fit the program; the message says what to do."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A field or a scalar that a program takes; `dims` is None for scalars."""

    name: str
    dtype: np.dtype
    dims: tuple[str, ...] | None


# A tuple of parameters stands for an argument that is a tuple.
Parameters = tuple["Parameter | Parameters", ...]


def parameter(name: str, type_: ts.TypeSpec) -> Parameter | Parameters:
    if isinstance(type_, (ts.TupleType, ts.NamedCollectionType)):
        return tuple(parameter(f"{name}[{i}]", part) for i, part in enumerate(type_.types))
    if isinstance(type_, ts.FieldType):
        dims = tuple(dim.value for dim in type_.dims) or None  # GT4Py passes one value as a scalar
        return Parameter(name, np.dtype(type_.dtype.kind.name.lower()), dims)
    assert isinstance(type_, ts.ScalarType)
    return Parameter(name, np.dtype(type_.kind.name.lower()), None)


def paths(parameters: Parameters, path: tuple[int, ...] = ()) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The name in the SDFG of each parameter that is no tuple, and the indices that lead to its argument."""
    for i, one in enumerate(parameters):
        if isinstance(one, tuple):
            yield from paths(one, (*path, i))
        else:
            yield one.name.replace("[", "_").replace("]", ""), (*path, i)


def _pairs(args: Sequence[Any], parameters: Parameters) -> Iterator[tuple[Any, Parameter]]:
    for arg, expected in zip(args, parameters):
        if isinstance(expected, tuple):
            yield from _pairs(arg, expected)
        else:
            yield arg, expected


def _check_field(arg: Any, expected: Parameter, program: str) -> None:
    where = f"argument '{expected.name}' of '{program}'"
    if not isinstance(arg, common.Field):
        raise ArgumentError(
            f"{where} is a {type(arg).__name__}; expected a field: "
            f"gtx.as_field([{', '.join(expected.dims or ())}], …, allocator=backend)")
    if arg.ndarray.dtype != expected.dtype:
        raise ArgumentError(
            f"{where} has elements of {arg.ndarray.dtype}; expected {expected.dtype}: convert it with "
            f"gtx.as_field(field.domain, field.ndarray.astype('{expected.dtype}'), allocator=backend)")


def _explanation(
    args: Sequence[Any], parameters: Parameters, device: core_defs.DeviceType, program: str
) -> ArgumentError:
    """What is wrong with arguments that GT4Py's binding did not take."""
    for arg, expected in _pairs(args, parameters):
        where = f"argument '{expected.name}' of '{program}'"
        if expected.dims is None:
            if not np.can_cast(np.min_scalar_type(arg), expected.dtype, "same_kind"):
                return ArgumentError(f"{where} is {arg!r}; expected a value of type {expected.dtype}")
        elif isinstance(arg.ndarray, np.ndarray) != (device == core_defs.DeviceType.CPU):
            there = "CPU" if isinstance(arg.ndarray, np.ndarray) else "GPU"
            return ArgumentError(f"{where} is in {there} memory, and the program runs on {device.name}; "
                                 "allocate it with allocator=backend")
    return ArgumentError(f"the arguments of '{program}' are not those it was compiled for: a size, a stride or "
                         "the place of a table that was known then is another one now; compile it for these")


def checked(
    update: Callable[..., None], parameters: Parameters, device: core_defs.DeviceType, program: str
) -> Callable[..., None]:
    """GT4Py's `update` of the argument vector, for calls that are checked: `python -O` calls it directly,
    as it leaves out GT4Py's own assertions."""

    def checked_update(args: Sequence[Any], argv: Any, offset_provider: Any) -> None:
        for arg, expected in _pairs(args, parameters):
            if expected.dims is None:
                continue
            array = getattr(arg, "ndarray", None)
            # NumPy has one object for each type of numbers.
            if array is None or array.dtype is not expected.dtype:
                _check_field(arg, expected, program)
        try:
            update(args, argv, offset_provider)
        except (AssertionError, TypeError) as failed:
            if argv is None and isinstance(failed, TypeError):
                raise  # GT4Py's sign for a first call
            raise _explanation(args, parameters, device, program) from failed

    return checked_update
