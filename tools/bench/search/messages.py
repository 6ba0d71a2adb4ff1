"""What the planner benchmark and the process that owns the GPU say to each other."""

from dataclasses import dataclass
from typing import Any

from tools.bench.search.candidates import Shape

LOOK_MILLISECONDS = 5.0
"""GPU time of a second look at a variant."""


@dataclass(frozen=True)
class ShapeRequest:
    """Make operands of this shape; answered with None."""

    shape: Shape


@dataclass(frozen=True)
class LookRequest:
    """Check a variant and time it; answered with milliseconds of a call.

    Attributes:
        path: Package of the variant.
        long: Whether to spend `LOOK_MILLISECONDS` on it; else a single pass over the operands.
    """

    path: str
    long: bool


@dataclass(frozen=True)
class FinalRequest:
    """Time variants interleaved; answered with the times of all rounds, by path."""

    paths: tuple[str, ...]
    rounds: int
    seconds: float


Request = ShapeRequest | LookRequest | FinalRequest


@dataclass(frozen=True)
class Reply:
    """What the process answers: a value, or why the variant failed and whether it may go on."""

    value: Any = None
    error: str = ""
    fatal: bool = False
