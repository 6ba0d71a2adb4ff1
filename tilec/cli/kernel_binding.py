"""Matches what the options ask for with the parameters of a kernel."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tilec.cli.kernel_options import KernelRequest, parse_value
from tilec.frontend.semantics.signature import (
    ArrayParam,
    ConstParam,
    DTypeParam,
    ScalarParam,
    Signature,
)
from tilec.request.specialization import (
    VECTOR_BYTES,
    ArraySpec,
    ConstantValue,
    Specialization,
    alignment_of,
    column_major,
    row_major,
)
from tilec.support.diagnostics import CompileError, Diagnostic, error, remark
from tilec.support.dtypes import DTYPES
from tilec.support.fast_dataclasses import dataclass

DEFAULT_DTYPE = "bf16"
"""What a `dtype` parameter is compiled for when nothing says otherwise."""
_STRIDE_LIMIT = 1 << 63
_RUN_TIME = "?"


@dataclass
class BoundKernel:
    """A request matched with the parameters of one kernel.

    Attributes:
        specialization: What to compile for.
        scalars: Run-time values of scalar parameters that `-D` gave.
        remarks: Choices made for the user.
    """

    specialization: Specialization
    scalars: dict[str, float | int | bool]
    remarks: list[Diagnostic]


def bind(request: KernelRequest, signature: Signature, *, for_run: bool = False) -> BoundKernel:
    """Match a request with the parameters of one kernel.

    Args:
        request: What the options say.
        signature: The kernel's parameters.
        for_run: The arguments exist, or will: `-D` may give run-time scalars their values, and
            arrays are described by the arguments themselves instead of `--layout`.

    Raises:
        CompileError: A name is unknown or a value does not fit; all such mistakes at once.
    """
    (bound,) = bind_all(request, [signature], for_run=for_run)
    return bound


def bind_all(
    request: KernelRequest, signatures: Sequence[Signature], *, for_run: bool = False
) -> list[BoundKernel]:
    """Match a request with the parameters of several kernels.

    A kernel takes the options that name one of its parameters. An option must fit at least one.

    Args:
        request: What the options say.
        signatures: The parameters of each kernel.
        for_run: As for `bind`.

    Raises:
        CompileError: A name is unknown or a value does not fit; all such mistakes at once.
    """
    binders = [_Binder(request, item, for_run) for item in signatures]
    made = [item.bind() for item in binders]
    problems = [problem for item in binders for problem in item.problems]
    problems += _unknown_names(request, signatures)
    if problems:
        raise CompileError(list(dict.fromkeys(problems)))
    return made


def _only(values: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    kept = set(names)
    return {name: value for name, value in values.items() if name in kept}


class _Binder:
    """Matches a request with one kernel, and ignores names that the kernel does not have.

    Attributes:
        problems: Values that do not fit.
        remarks: Choices made for the user.
    """

    def __init__(self, request: KernelRequest, signature: Signature, for_run: bool) -> None:
        self.request = request
        self.signature = signature
        self.for_run = for_run
        self.problems: list[Diagnostic] = []
        self.remarks: list[Diagnostic] = []

    def bind(self) -> BoundKernel:
        """Return what was matched; it is valid only if there are no `problems`."""
        scalars = self._scalars()
        dtypes = self._dtypes()
        constants = self._constants()
        parameters = () if self.for_run else self.signature.arrays()
        arrays = {item.name: self._array(item, dtypes) for item in parameters}
        known = _known_names(self.signature)
        divisors = _only(self.request.divisors, known["dim or scalar"])
        fixed = self.signature.fixed_extents()
        sizes = {
            name: size
            for name, size in _only(self.request.sizes, known["dim"]).items()
            if name not in fixed
        }
        specialization = Specialization(
            arrays, constants, dtypes, divisors, sizes, self.request.plan, gpu=self.request.gpu
        )
        return BoundKernel(specialization, scalars, self.remarks)

    def _fail(self, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(error(code, message, hint=hint))

    def _scalars(self) -> dict[str, float | int | bool]:
        values: dict[str, float | int | bool] = {}
        for item in self.signature.params:
            if not isinstance(item, ScalarParam):
                continue
            text = self.request.definitions.get(item.name)
            if text is None:
                continue
            value = parse_value(text)
            if not self.for_run:
                self._fail(
                    "T0008",
                    f"-D {item.name}: '{item.name}' is a run-time scalar, not a constant",
                    f"declare it as '{item.name}: const' to compile its value in",
                )
            elif value is None:
                self._fail("T0008", f"-D {item.name}: '{text}' is not a number")
            else:
                values[item.name] = value
        return values

    def _dtypes(self) -> dict[str, str]:
        dtypes = {}
        for item in self.signature.params:
            if not isinstance(item, DTypeParam):
                continue
            name = self.request.definitions.get(item.name)
            if name is None and isinstance(item.default, str):
                name = item.default
            if name is None:
                name = DEFAULT_DTYPE
                message = f"no -D {item.name}=... was given: compiled for {item.name}={name}"
                self.remarks.append(remark("T0014", message, item.span))
            if name not in DTYPES:
                known = ", ".join(DTYPES)
                self._fail("T0008", f"-D {item.name}: there is no dtype '{name}'", f"use: {known}")
            dtypes[item.name] = name
        return dtypes

    def _constants(self) -> dict[str, ConstantValue]:
        constants: dict[str, ConstantValue] = {}
        for item in self.signature.params:
            if not isinstance(item, ConstParam):
                continue
            text = self.request.definitions.get(item.name)
            if text is None and item.name in self.signature.fixed_extents():
                text = _spelled(self.request.sizes.get(item.name))
            value = parse_value(text) if text is not None else None
            if value is not None:
                constants[item.name] = value
            elif text is not None:
                self._fail("T0008", f"-D {item.name}: '{text}' is not a number, True or False")
        return constants

    def _array(self, item: Any, dtypes: Mapping[str, str]) -> ArraySpec:
        rank = len(item.dims)
        strides = list(self._layout(item.name, rank))
        for (array, axis), stride in self.request.strides.items():
            if array == item.name and axis < rank:
                strides[axis] = stride
            elif array == item.name:
                self._fail("T0008", f"--assume: '{array}' has {rank} axes, so no strides[{axis}]")
        self._check_strides(item.name, strides)
        asked = self.request.alignments
        dtype = dtypes.get(item.dtype, item.dtype)
        size = DTYPES[dtype].bytes if dtype in DTYPES else 1
        alignment = alignment_of(asked.get(item.name, asked.get("", VECTOR_BYTES)), size)
        return ArraySpec(dtype, tuple(strides), alignment)

    def _check_strides(self, name: str, strides: list[int | None]) -> None:
        """Report strides that cannot be compiled in; make run-time ones of them."""
        for axis, stride in enumerate(strides):
            if stride is None or 0 <= stride < _STRIDE_LIMIT:
                continue
            message, hint = f"strides[{axis}] of {name} is {stride}, ", None
            if stride < -_STRIDE_LIMIT or stride >= 0:
                message += "beyond 64 bits"
            else:
                message += "but a stride that is compiled in is 0 or positive"
                hint = (
                    f"with '--layout {name}=any --no-assume {name}.aligned', a launch takes any "
                    "strides, negative ones too"
                )
            self._fail("T0008", message, hint)
            strides[axis] = None

    def _layout(self, name: str, rank: int) -> tuple[int | None, ...]:
        text = self.request.layouts.get(name, "row")
        named = {"row": row_major(rank), "col": column_major(rank), "any": (None,) * rank}
        if text in named:
            return named[text]
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != rank or not all(re.fullmatch(r"-?\d+|\?", part) for part in parts):
            self._fail(
                "T0008",
                f"--layout {name}: '{text}' is not a layout of an array of rank {rank}",
                "use row, col, any, or one stride per axis with '?' for run-time ones",
            )
            return row_major(rank)
        return tuple(None if part == _RUN_TIME else int(part) for part in parts)


def _spelled(size: int | None) -> str | None:
    return None if size is None else str(size)


def _unknown_names(request: KernelRequest, signatures: Sequence[Signature]) -> Iterable[Diagnostic]:
    """Yield an error for every name of an option that no kernel has."""
    aligned = [(name, promised) for name, promised in request.alignments.items() if name]
    given: list[tuple[str, Iterable[str], str]] = [
        ("-D", request.definitions, "constant"),
        ("--size", request.sizes, "dim"),
        ("--layout", request.layouts, "array"),
        ("--assume", request.divisors, "dim or scalar"),
        ("--assume", (name for name, _ in request.strides), "array"),
        ("--assume", (name for name, promised in aligned if promised > 1), "array"),
        ("--no-assume", (name for name, promised in aligned if promised == 1), "array"),
    ]
    tables = [_known_names(item) for item in signatures]
    holder = "the kernel has no" if len(signatures) == 1 else "no kernel of the file has a"
    for option, names, kind in given:
        known = list(dict.fromkeys(name for table in tables for name in table[kind]))
        for name in names:
            if name not in known:
                hint = f"known: {', '.join(known)}" if known else None
                message = f"{option} {name}: {holder} {kind} called '{name}'"
                yield error("T0007", message, hint=hint)


def _known_names(signature: Signature) -> dict[str, list[str]]:
    """Return the names that options can use, by kind."""
    arrays = signature.arrays()
    others = [item for item in signature.params if not isinstance(item, ArrayParam)]
    scalars = [item.name for item in others if isinstance(item, ScalarParam)]
    dims = [*signature.dims, *signature.fixed_extents()]
    anonymous = [
        f"{item.name}.shape[{axis}]"
        for item in arrays
        for axis, dim in enumerate(item.dims)
        if dim is None
    ]
    return {
        "constant": [item.name for item in others],
        "dim": [*dims, *anonymous],
        "array": [item.name for item in arrays],
        "dim or scalar": [*signature.dims, *scalars],
    }
