"""Rules of the protocol that need no run of all roles: each looks at a kernel by itself."""

from typing import Any

from tilec.ir.errors import source_span
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.protocol.clusters import find_cluster_error
from tilec.passes.analysis.protocol.events import Violation
from tilec.passes.analysis.protocol.named_barriers import find_barrier_error
from tilec.passes.analysis.protocol.partial_sums import find_partial_sum_error
from tilec.passes.analysis.protocol.turns import find_turn_error


def find_broken_rule(function: Any, file: str) -> Violation | None:
    """Return the first rule that a kernel breaks, or None.

    Args:
        function: The kernel function.
        file: Name of the file that MLIR calls `-`.
    """
    found = (
        find_barrier_error(kernel_operations(function))
        or find_turn_error(kernel_operations(function))
        or find_cluster_error(function)
        or find_partial_sum_error(function)
    )
    if found is None:
        return None
    op, message = found
    return Violation(str(source_span(op.location, file) or ""), message)
