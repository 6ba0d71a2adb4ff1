"""Options that say what a kernel is compiled for, and the `KernelRequest` read from them."""

import argparse
import re

from tilec.plan.overrides import parse_overrides
from tilec.request.gpu import DEFAULT_GPU, GPUS
from tilec.request.specialization import ALIGNMENTS
from tilec.request.target import TARGETS
from tilec.support.diagnostics import CompileError, TileError, error
from tilec.support.fast_dataclasses import dataclass, field

DEFAULT_TARGET = "sm_90a"
ALIGNED = "aligned"
_NAME = re.compile(r"[^\W\d]\w*(\.shape\[\d+\])?")
_DIVISIBILITY = re.compile(r"\s*(\w+)\s*%\s*(\d+)\s*==\s*0\s*")
_ALIGNMENT = re.compile(r"\s*(?:(\w+)\s*\.)?\s*aligned\s*==\s*(\d{1,2})\s*")
_STRIDE = re.compile(r"\s*(\w+)\s*\.\s*strides\s*\[\s*(\d{1,2})\s*\]\s*==\s*(-?\d{1,20})\s*")


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `tilec compile` and `tilec run` share."""
    parser.add_argument("--kernel", metavar="NAME", help="kernel to take, for a file with several")
    _add_machine_options(parser)
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


def _add_machine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        choices=tuple(TARGETS),
        help=f"architecture (default: {DEFAULT_TARGET}, or what the decorator of the kernel says)",
    )
    parser.add_argument(
        "--gpu",
        choices=tuple(GPUS),
        default=DEFAULT_GPU,
        help=f"GPU to plan for (default: {DEFAULT_GPU}, or the one that runs the kernel)",
    )


def add_assumption_options(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a caller promises facts about run-time arguments."""
    parser.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="FACT",
        help="a promise about the arguments: 'K %% 64 == 0', 'A.strides[0] == 1', 'A.aligned == 8' "
        "(bytes of base and pitch: 16, 8 or 4) or 'aligned == 8' for all arrays",
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
        gpu: GPU to plan for.
        divisors: Known divisors by dim or scalar.
        strides: Promised strides by array and axis.
        alignments: Promised alignment by array, in bytes; under the empty name that of all others.
    """

    definitions: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    layouts: dict[str, str] = field(default_factory=dict)
    plan: dict[str, int | tuple[int, ...]] = field(default_factory=dict)
    gpu: str = DEFAULT_GPU
    divisors: dict[str, int] = field(default_factory=dict)
    strides: dict[tuple[str, int], int] = field(default_factory=dict)
    alignments: dict[str, int] = field(default_factory=dict)


def read_request(options: argparse.Namespace) -> KernelRequest:
    """Return what the options of `add_kernel_options` say.

    Raises:
        CompileError: An option does not have the form it should have.
    """
    request = KernelRequest(gpu=options.gpu)
    request.definitions.update(split_assignment(item, "-D") for item in options.constants)
    for item in options.size:
        for part in item.split(","):
            name, value = split_assignment(part, "--size")
            request.sizes[name] = _positive(value, f"--size {name}")
    request.layouts.update(split_assignment(item, "--layout") for item in options.layout)
    for item in options.plan:
        name, value = split_assignment(item, "--plan")
        request.plan[name] = _plan_value(value, f"--plan {name}")
    parse_overrides(request.plan)
    for fact in getattr(options, "assume", ()):
        _read_assumption(fact, request)
    for fact in getattr(options, "no_assume", ()):
        array, _, rest = fact.rpartition(".")
        if rest != ALIGNED:
            raise bad_option(
                f"--no-assume does not know '{fact}'", f"it takes {ALIGNED} or A.{ALIGNED}"
            )
        request.alignments[array] = 1
    return request


def _read_assumption(fact: str, request: KernelRequest) -> None:
    divisibility = _DIVISIBILITY.fullmatch(fact)
    stride = _STRIDE.fullmatch(fact)
    alignment = _ALIGNMENT.fullmatch(fact)
    if divisibility is not None:
        name, divisor = divisibility.groups()
        request.divisors[name] = _positive(divisor, f"--assume {fact}")
    elif stride is not None:
        request.strides[stride[1], int(stride[2])] = int(stride[3])
    elif alignment is not None and int(alignment[2]) in ALIGNMENTS:
        request.alignments[alignment[1] or ""] = int(alignment[2])
    else:
        raise bad_option(
            f"--assume does not understand '{fact}'",
            "the forms are 'K % 64 == 0', 'A.strides[0] == 1' and 'A.aligned == 8' (16, 8 or 4)",
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


def split_assignment(item: str, option: str) -> tuple[str, str]:
    """Return name and value of an option of the form NAME=VALUE.

    Raises:
        CompileError: It does not have this form (T0008).
    """
    name, separator, value = item.partition("=")
    if not separator or not _NAME.fullmatch(name.strip()) or not value.strip():
        raise bad_option(f"{option}: '{item}' is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def _positive(text: str, option: str) -> int:
    value = parse_value(text)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise bad_option(f"{option}: '{text}' is not a positive integer")
    return value


def _plan_value(text: str, option: str) -> int | tuple[int, ...]:
    parts = [part for part in text.strip("()[]").split(",") if part.strip()]
    values = [parse_value(part.strip()) for part in parts]
    if not values or not all(isinstance(value, int) for value in values):
        raise bad_option(f"{option}: '{text}' is not an integer or a list of integers")
    numbers = tuple(int(value) for value in values if value is not None)
    return numbers[0] if len(numbers) == 1 and "," not in text else numbers


def bad_option(message: str, hint: str | None = None) -> TileError:
    """Return the error about the value of an option (T0008)."""
    return CompileError(error("T0008", message, hint=hint))
