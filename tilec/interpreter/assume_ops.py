"""Assumptions: the value passes on; a broken promise about an integer is found here, not later."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import text
from tilec.interpreter.registry import value_op
from tilec.support.diagnostics import InternalCompilerError

Function = Callable[..., Any]

_DIVISIBLE = re.compile(r"div_by<\s*(\d+)\s*>")
_BOUNDED = re.compile(r"bounded<\s*(\?|-?\d+)\s*,\s*(\?|-?\d+)\s*>")


@value_op("cuda_tile.assume")
def _assume(op: Any) -> Function:
    predicate = text(op, "predicate")
    holds = _test(predicate)
    if holds is None:
        return lambda value: value
    location = str(op.location)

    def check(value: Any) -> Any:
        is_number = isinstance(value, np.generic | np.ndarray)
        if is_number and value.dtype.kind == "i" and not np.all(holds(value)):
            raise InternalCompilerError(
                f"assume: {predicate} does not hold for {value} at {location}",
                pass_name="interpreter",
                op="cuda_tile.assume",
            )
        return value

    return check


def _test(predicate: str) -> Callable[[Any], Any] | None:
    divisible = _DIVISIBLE.fullmatch(predicate)
    if divisible is not None:
        divisor = int(divisible[1])
        return lambda value: value % divisor == 0
    bounded = _BOUNDED.fullmatch(predicate)
    if bounded is None:
        return None
    low, high = (None if bound == "?" else int(bound) for bound in bounded.groups())
    return lambda value: (low is None or value >= low) & (high is None or value <= high)
