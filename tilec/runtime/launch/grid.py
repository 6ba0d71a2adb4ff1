"""The number of blocks of a launch: from the kernel's expressions or from the caller."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.errors import launch_error
from tilec.runtime.launch.expressions import ExpressionError, evaluate
from tilec.support.diagnostics import LaunchError

MAX_BLOCKS = 2**31 - 1
"""Largest `gridDim.x` (CUDA programming guide, compute capabilities); blocks are flattened."""
MAX_GRID_RANK = 3

Grid = tuple[int, ...]


def caller_grid(value: Any, kernel: str) -> Grid:
    """Return the grid of `kernel[value](...)` as a tuple.

    Raises:
        LaunchError: It is not one to three non-negative integers.
    """
    items = value if isinstance(value, tuple | list) else (value,)
    try:
        grid = tuple(operator.index(item) for item in items)
    except TypeError:
        if callable(value):
            hint = f"compute it before the call: {kernel}[(cdiv(n, 128),)](...)"
            raise _error(kernel, "the grid is a function", hint) from None
        raise _error(kernel, f"the grid {value!r} is not made of integers") from None
    if not 1 <= len(grid) <= MAX_GRID_RANK:
        raise _error(kernel, f"the grid {grid} has {len(grid)} extents, not 1 to {MAX_GRID_RANK}")
    for extent in grid:
        if not 0 <= extent <= MAX_BLOCKS:
            raise _error(kernel, f"the grid {grid} has an extent outside of 0 to 2^31 - 1")
    return grid


def grid_extents(
    expressions: Sequence[str] | None,
    environment: Mapping[str, int | float],
    given: Grid | None,
    kernel: str,
) -> Grid:
    """Return the extents of the grid.

    Args:
        expressions: The kernel's own grid; None when the caller gives it.
        environment: Values of dims, scalars and constants.
        given: What the caller gave, checked by `caller_grid`; None when nothing.
        kernel: Name of the kernel.

    Raises:
        LaunchError: Both or none of the two are there, an extent is negative or cannot be
            computed, or there are too many blocks.
    """
    if expressions is None and given is None:
        raise _error(
            kernel,
            "the kernel has no grid of its own",
            f"give the number of blocks: {kernel}[blocks](...)",
        )
    if expressions is not None and given is not None:
        raise _error(
            kernel, "the kernel computes its own grid", f"call it without one: {kernel}(...)"
        )
    grid = given if expressions is None else _evaluate(expressions, environment, kernel)
    blocks = count_blocks(grid or ())
    if blocks > MAX_BLOCKS:
        shown = "x".join(map(str, grid or ()))
        raise _error(kernel, f"the grid {shown} has {blocks} blocks; the limit is 2^31 - 1")
    return grid or ()


def launch_grid(metadata: Mapping[str, Any], arguments: BoundArguments, given: Grid | None) -> Grid:
    """Return the extents of the grid of a launch.

    If an array has no element, extents that depend on it may be negative, or impossible to compute.
    Then no block runs.

    Args:
        metadata: The kernel's metadata.
        arguments: Arguments that satisfy its interface.
        given: What the caller gave, checked by `caller_grid`; None when nothing.

    Raises:
        LaunchError: As for `grid_extents`.
    """
    name, expressions = metadata["name"], metadata.get("grid")
    environment = {**metadata.get("constants", {}), **arguments.environment()}
    try:
        return grid_extents(expressions, environment, given, name)
    except LaunchError:
        if not arguments.is_empty:
            raise
        grid_extents(None if expressions is None else [], {}, given, name)
        return (0,)


def count_blocks(grid: Sequence[int]) -> int:
    """Return the product of the extents."""
    blocks = 1
    for extent in grid:
        blocks *= extent
    return blocks


def _evaluate(
    expressions: Sequence[str], environment: Mapping[str, int | float], kernel: str
) -> Grid:
    extents: list[int] = []
    for text in expressions:
        try:
            value = evaluate(text, environment)
        except ExpressionError as failure:
            raise _error(kernel, f"cannot compute the grid extent '{text}': {failure}") from None
        if value != value // 1 or value < 0:  # of infinity, // is no number
            raise _error(kernel, f"the grid extent '{text}' is {value}")
        extents.append(int(value))
    return tuple(extents)


def _error(kernel: str, message: str, hint: str | None = None) -> LaunchError:
    return launch_error("T0707", f"{kernel}: {message}", hint=hint)
