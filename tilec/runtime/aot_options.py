"""What `tilec.compile` is told about the arguments of a kernel, as parts of a specialization."""

from collections.abc import Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

from tilec.request.specialization import (
    ALIGNMENTS,
    VECTOR_BYTES,
    ArraySpec,
    alignment_of,
    column_major,
    row_major,
)
from tilec.runtime.args.signature_binding import ARRAY, CONST, DTYPE, OPTIONAL, Interface, Parameter
from tilec.support.diagnostics import CompileError, Diagnostic, error, remark
from tilec.support.dtypes import DTYPES

DEFAULT_DTYPE = "bf16"
"""What a `dtype` parameter is compiled for when nothing says otherwise."""
_CALLED = {CONST: "const", DTYPE: "dtype parameter", ARRAY: "array"}
"""What messages call a parameter, by its kind."""
_LAYOUTS = {
    "row": row_major,
    "col": column_major,
    "any": lambda rank: (None,) * rank,
}


def guessed_dtypes(
    interfaces: Sequence[Interface], given: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """Yield a remark for every element type that nobody gave."""
    for interface in interfaces:
        for item in interface.of_kind(DTYPE):
            if item.default is OPTIONAL and item.name not in given:
                message = f"no dtypes={{'{item.name}': ...}}: compiled for {DEFAULT_DTYPE}"
                yield remark("T0014", f"{interface.kernel}: {message}", item.span)


def check_names(interfaces: Sequence[Interface], kind: str, given: Mapping[str, Any]) -> None:
    """Check that every name in `given` is a parameter of one of the kernels.

    Args:
        interfaces: The kernels.
        kind: Kind of the parameters that count, for example `CONST`.
        given: Values by name.

    Raises:
        CompileError: A name is unknown (T0007), or a constant is no number (T0008).
    """
    what = _CALLED[kind]
    check_dicts({what: given})
    known = {item.name for interface in interfaces for item in interface.of_kind(kind)}
    for name, value in given.items():
        if kind == CONST and (not isinstance(value, Number) or isinstance(value, complex)):
            raise CompileError(error("T0008", f"{what} {name} is {value!r}, which is no number"))
        if name not in known:
            kernels = ", ".join(interface.kernel for interface in interfaces)
            hint = f"known: {', '.join(sorted(known))}" if known else None
            raise CompileError(error("T0007", f"{kernels} has no {what} '{name}'", hint=hint))


def check_dicts(given: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that what is given, by how to call one of it, is given by name.

    Raises:
        CompileError: It is no dict, or a name in it is no string (T0008).
    """
    for what, values in given.items():
        if not isinstance(values, Mapping):
            message = f"{values!r} is no dict: a value for each {what} by name is expected"
            raise CompileError(error("T0008", message))
        for name in values:
            if not isinstance(name, str):
                raise CompileError(error("T0008", f"{name!r} is no name of a {what}"))


def chosen_values(interface: Interface, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of `given` that name a parameter of a kind."""
    return {item.name: given[item.name] for item in interface.of_kind(kind) if item.name in given}


def dtypes_of(interface: Interface, given: Mapping[str, str]) -> dict[str, str]:
    """Return the element type of every `dtype` parameter.

    Raises:
        CompileError: There is no element type of a name (T0008).
    """
    result: dict[str, str] = {}
    for item in interface.of_kind(DTYPE):
        default = DEFAULT_DTYPE if item.default is OPTIONAL else item.default
        result[item.name] = name = given.get(item.name, default)
        if name not in DTYPES:
            message = f"{item.name}: there is no element type '{name}'"
            raise CompileError(error("T0008", message, hint=f"use one of: {', '.join(DTYPES)}"))
    return result


def arrays_of(
    interface: Interface, dtypes: Mapping[str, str], layouts: Mapping[str, str], aligned: bool | int
) -> dict[str, ArraySpec]:
    """Return what is known about every array.

    Args:
        interface: The kernel.
        dtypes: Element types of its `dtype` parameters.
        layouts: Memory order by array: `row` (default), `col`, or `any`.
        aligned: Bytes that divide base addresses and pitches, one of `ALIGNMENTS`; true for 16.

    Raises:
        CompileError: There is no layout of a name, or no such alignment (T0008).
    """
    alignment = {True: VECTOR_BYTES, False: 1}[aligned] if isinstance(aligned, bool) else aligned
    if alignment not in ALIGNMENTS:
        message = f"aligned = {aligned!r}: expected a bool, or one of {ALIGNMENTS} bytes"
        raise CompileError(error("T0008", message))
    return {
        item.name: ArraySpec(
            dtypes.get(item.dtype, item.dtype),
            _strides(item, layouts.get(item.name, "row")),
            alignment_of(alignment, DTYPES[dtypes.get(item.dtype, item.dtype)].bytes),
        )
        for item in interface.of_kind(ARRAY)
    }


def _strides(parameter: Parameter, layout: str) -> tuple[int | None, ...]:
    if layout not in _LAYOUTS:
        known = ", ".join(_LAYOUTS)
        message = f"layout of {parameter.name}: '{layout}' is none of {known}"
        raise CompileError(error("T0008", message))
    return _LAYOUTS[layout](len(parameter.dims))
