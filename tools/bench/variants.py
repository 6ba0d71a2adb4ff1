"""Variants of our kernel for the GEMM benchmark: constants and fields of the plan that it fixes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tilec.plan.overrides import PlanValue, parse_overrides
from tilec.support.diagnostics import CompileError

_ITEM = re.compile(r"(\w+)=(\d+(?:x\d+)*)")
_SYNTAX = "NAME=NUMBER,... as BM=128,stages=3,cluster=2x1"


@dataclass(frozen=True)
class Variant:
    """What is fixed, instead of left to the planner.

    Attributes:
        text: Its spelling, which names it in the report.
        constants: Constants of the kernel; all tile extents, or none.
        plan: Fields of the plan.
    """

    text: str
    constants: Mapping[str, int] = field(default_factory=dict)
    plan: Mapping[str, PlanValue] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the spelling that `parse_variant` reads."""
        return self.text


def parse_variant(text: str) -> Variant:
    """Return the variant that `text` spells: constants in upper case, fields in lower case.

    Raises:
        ValueError: It is no variant, or the plan has no such field or value; the message says what
            was expected.
    """
    constants: dict[str, int] = {}
    plan: dict[str, PlanValue] = {}
    for item in text.split(","):
        found = _ITEM.fullmatch(item)
        if found is None:
            raise ValueError(f"'{text}' is no variant: expected {_SYNTAX}")
        name, (first, *others) = found[1], map(int, found[2].split("x"))
        if not name.isupper():
            plan[name] = (first, *others) if others else first
        elif others:
            raise ValueError(f"'{text}': {name} is one number")
        else:
            constants[name] = first
    try:
        parse_overrides(plan)
    except CompileError as failure:
        raise ValueError(f"'{text}': {failure}") from failure
    return Variant(text, constants, plan)
