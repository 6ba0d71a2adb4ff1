"""Options that say what a kernel is compiled for, and the `Specialization` made from them."""

import argparse
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tilec.frontend.semantics.signature import (
    ArrayParam,
    ConstParam,
    DTypeParam,
    ScalarParam,
    Signature,
)
from tilec.plan.overrides import parse_overrides
from tilec.request.specialization import (
    ArraySpec,
    ConstantValue,
    Specialization,
    column_major,
    row_major,
)
from tilec.request.target import TARGETS
from tilec.support.diagnostics import CompileError, Diagnostic, TileError, error, remark
from tilec.support.dtypes import DTYPES
from tilec.support.fast_dataclasses import dataclass, field

DEFAULT_DTYPE = "bf16"
"""What a `dtype` parameter is compiled for when nothing says otherwise."""
ALIGNED = "aligned"
_RUN_TIME = "?"
_NAME = re.compile(r"[^\W\d]\w*(\.shape\[\d+\])?")
_DIVISIBILITY = re.compile(r"\s*(\w+)\s*%\s*(\d+)\s*==\s*0\s*")
_STRIDE = re.compile(r"\s*(\w+)\s*\.\s*strides\s*\[\s*(\d+)\s*\]\s*==\s*(-?\d+)\s*")


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `tilec compile` and `tilec run` share."""
    parser.add_argument("--kernel", metavar="K", help="kernel to take when the file has several")
    parser.add_argument(
        "--target", default="sm_90a", choices=tuple(TARGETS), help="architecture: %(default)s"
    )
    parser.add_argument(
        "-D",
        dest="constants",
        action="append",
        default=[],
        metavar="CONST=VALUE",
        help="value of a const or dtype parameter; repeatable",
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="M=8192,N=8192",
        help="extents of named dims, to plan for and to run with",
    )
    parser.add_argument(
        "--layout",
        action="append",
        default=[],
        metavar="A=col",
        help="memory order of an array: row (default), col, any, or strides such as '1,?'",
    )
    parser.add_argument(
        "--plan",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="override one field of the plan, for example stages=4 or cluster=2,1",
    )
    parser.add_argument(
        "--debug-waits",
        action="store_true",
        help="debug build: a deadlock ends the kernel with a report instead of hanging the GPU",
    )


def add_assumption_options(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a caller promises facts about run-time arguments."""
    parser.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="FACT",
        help="a promise about the arguments: 'K %% 64 == 0' or 'A.strides[0] == 1'",
    )
    parser.add_argument(
        "--no-assume",
        action="append",
        default=[],
        metavar="FACT",
        help="drop a default promise: 'aligned' (base and pitch 16-byte aligned) or 'A.aligned'",
    )


@dataclass
class KernelRequest:
    """What the options say, before it is matched with a kernel's parameters.

    Attributes:
        definitions: `-D` by name, as text.
        sizes: Extents by named dim.
        layouts: `--layout` by array, as text.
        plan: Plan overrides by field.
        divisors: Known divisors by dim or scalar.
        strides: Promised strides by array and axis.
        unaligned: Arrays without the alignment promise.
        all_unaligned: No array has the alignment promise.
    """

    definitions: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    layouts: dict[str, str] = field(default_factory=dict)
    plan: dict[str, int | tuple[int, ...]] = field(default_factory=dict)
    divisors: dict[str, int] = field(default_factory=dict)
    strides: dict[tuple[str, int], int] = field(default_factory=dict)
    unaligned: set[str] = field(default_factory=set)
    all_unaligned: bool = False


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


def read_request(options: argparse.Namespace) -> KernelRequest:
    """Return what the options of `add_kernel_options` say.

    Raises:
        CompileError: An option does not have the form it should have.
    """
    request = KernelRequest()
    request.definitions.update(_split(item, "-D") for item in options.constants)
    for item in options.size:
        for part in item.split(","):
            name, value = _split(part, "--size")
            request.sizes[name] = _positive(value, f"--size {name}")
    request.layouts.update(_split(item, "--layout") for item in options.layout)
    for item in options.plan:
        name, value = _split(item, "--plan")
        request.plan[name] = _plan_value(value, f"--plan {name}")
    parse_overrides(request.plan)
    for fact in getattr(options, "assume", ()):
        _read_assumption(fact, request)
    for fact in getattr(options, "no_assume", ()):
        array, _, rest = fact.rpartition(".")
        if rest != ALIGNED:
            raise _wrong(
                f"--no-assume does not know '{fact}'", f"it takes {ALIGNED} or A.{ALIGNED}"
            )
        request.all_unaligned = request.all_unaligned or not array
        request.unaligned.update({array} if array else set())
    return request


def _read_assumption(fact: str, request: KernelRequest) -> None:
    divisibility = _DIVISIBILITY.fullmatch(fact)
    stride = _STRIDE.fullmatch(fact)
    if divisibility is not None:
        name, divisor = divisibility.groups()
        request.divisors[name] = _positive(divisor, f"--assume {fact}")
    elif stride is not None:
        request.strides[stride[1], int(stride[2])] = int(stride[3])
    else:
        raise _wrong(
            f"--assume does not understand '{fact}'",
            "the forms are 'K % 64 == 0' and 'A.strides[0] == 1'",
        )


def bind(request: KernelRequest, signature: Signature, *, for_run: bool = False) -> BoundKernel:
    """Match a request with a kernel's parameters.

    Args:
        request: What the options say.
        signature: The kernel's parameters.
        for_run: The arguments exist, or will: `-D` may give run-time scalars their values, and
            arrays are described by the arguments themselves instead of `--layout`.

    Raises:
        CompileError: A name is unknown or a value does not fit; all such mistakes at once.
    """
    return _Binder(request, signature, for_run).bind()


class _Binder:
    def __init__(self, request: KernelRequest, signature: Signature, for_run: bool) -> None:
        self.request = request
        self.signature = signature
        self.for_run = for_run
        self.problems: list[Diagnostic] = []
        self.remarks: list[Diagnostic] = []

    def bind(self) -> BoundKernel:
        scalars = self._scalars()
        dtypes = self._dtypes()
        constants = self._constants()
        parameters = () if self.for_run else self.signature.arrays()
        arrays = {item.name: self._array(item, dtypes) for item in parameters}
        self._check_names()
        if self.problems:
            raise CompileError(self.problems)
        specialization = Specialization(
            arrays, constants, dtypes, self.request.divisors, self.request.sizes, self.request.plan
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
        aligned = not (self.request.all_unaligned or item.name in self.request.unaligned)
        return ArraySpec(dtypes.get(item.dtype, item.dtype), tuple(strides), aligned)

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

    def _check_names(self) -> None:
        arrays = [item.name for item in self.signature.arrays()]
        others = [item for item in self.signature.params if not isinstance(item, ArrayParam)]
        scalars = [item.name for item in others if isinstance(item, ScalarParam)]
        dims = list(self.signature.dims)
        anonymous = [
            f"{item.name}.shape[{axis}]"
            for item in self.signature.arrays()
            for axis, dim in enumerate(item.dims)
            if dim is None
        ]
        request = self.request
        self._expect("-D", request.definitions, [item.name for item in others], "constant")
        self._expect("--size", request.sizes, [*dims, *anonymous], "dim")
        self._expect("--layout", request.layouts, arrays, "array")
        self._expect("--assume", request.divisors, [*dims, *scalars], "dim or scalar")
        self._expect("--assume", (name for name, _ in request.strides), arrays, "array")
        self._expect("--no-assume", request.unaligned, arrays, "array")

    def _expect(self, option: str, given: Iterable[str], known: list[str], kind: str) -> None:
        for name in given:
            if name not in known:
                hint = f"it has: {', '.join(known)}" if known else None
                self._fail(
                    "T0007", f"{option} {name}: the kernel has no {kind} called '{name}'", hint
                )


def parse_value(text: str) -> bool | int | float | None:
    """Return the bool, integer or float that `text` spells, or None."""
    if text in ("True", "False", "true", "false"):
        return text.lower() == "true"
    for convert in (lambda item: int(item, 0), float):
        try:
            return convert(text)
        except ValueError:
            continue
    return None


def _split(item: str, option: str) -> tuple[str, str]:
    name, separator, value = item.partition("=")
    if not separator or not _NAME.fullmatch(name.strip()) or not value.strip():
        raise _wrong(f"{option}: '{item}' is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def _positive(text: str, option: str) -> int:
    value = parse_value(text)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong(f"{option}: '{text}' is not a positive integer")
    return value


def _plan_value(text: str, option: str) -> int | tuple[int, ...]:
    parts = [part for part in text.strip("()[]").split(",") if part.strip()]
    values = [parse_value(part.strip()) for part in parts]
    if not values or not all(isinstance(value, int) for value in values):
        raise _wrong(f"{option}: '{text}' is not an integer or a list of integers")
    numbers = tuple(int(value) for value in values if value is not None)
    return numbers[0] if len(numbers) == 1 and "," not in text else numbers


def _wrong(message: str, hint: str | None = None) -> TileError:
    return CompileError(error("T0008", message, hint=hint))
