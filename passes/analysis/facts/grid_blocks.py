"""How many blocks a kernel has."""

from math import prod
from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.passes.analysis.facts.host_expressions import EXTENTS, extent_range, parameter_ranges


def most_blocks(function: Any) -> int:
    """Return how many blocks the grid has at most, or a launch that is planned for."""
    names = parameter_ranges(read_kernel_fact(function, "params", []))
    grid = read_kernel_fact(function, "grid")
    most = prod(extent_range(text, names)[1] for text in grid) if grid else EXTENTS[1]
    return min(most, read_kernel_fact(function, "most_blocks", most))
