"""Histograms: whether a loop adds them up, and the copies of their counters."""

from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import HistogramOp
from tilec.ir.integers import i64
from tilec.ir.structured import FOR_BOUNDS, parent_operation, terminator
from tilec.ir.values import only_use
from tilec.passes.analysis.kernels import kernel_operations
from tilec.plan.counters import COUNTER_BUDGET, COUNTER_BYTES, choose_copies

HISTOGRAM = HistogramOp.OPERATION_NAME
COPIES = "copies"
_ADD = "arith.addi"


def histograms(function: Any) -> list[Any]:
    """Return the `histogram` operations of a kernel."""
    return [op for op in kernel_operations(function) if op.name == HISTOGRAM]


def plan_counters(function: Any) -> None:
    """Record on each histogram of a kernel how many copies its counters have."""
    found = histograms(function)
    for op in found:
        (bins,) = op.results[0].type.shape
        numbers = prod(op.operands[0].type.shape)
        summed = carried_sum(op.results[0], op.block) is not None
        copies = choose_copies(bins, numbers, summed=summed, budget=COUNTER_BUDGET // len(found))
        op.attributes[COPIES] = i64(copies)


def counter_copies(op: Any) -> int:
    """Return the copies of every counter of a `histogram`; 1 where nobody has planned it."""
    return op.attributes[COPIES].value if COPIES in op.attributes else 1


def counter_bytes(op: Any) -> int:
    """Return the bytes of the counters of a `histogram`."""
    (bins,) = op.results[0].type.shape
    return bins * counter_copies(op) * COUNTER_BYTES


def carried_sum(counts: Any, block: Any) -> int | None:
    """Return the number of the carried sum of a loop to which counts are added.

    None where there is no such loop, or where it does anything else with the counts or the sum.

    Args:
        counts: The counts, a value of `block`.
        block: Body of the loop.
    """
    add = only_use(counts)
    if add is None or parent_operation(add.owner.operation).name != "scf.for":
        return None
    for number, carried in enumerate(list(block.arguments)[1:]):
        terms, use = [], only_use(carried)
        while use is not None and (following := _passed_on(use)) is not None:
            terms.append(use.owner.operation)
            use = only_use(following)
        if _is_carried(use, block, number) and add.owner.operation in terms:
            return number
    return None


def _passed_on(use: Any) -> Any | None:
    """Return what an operation makes of a sum that it uses; None if it does not go on as a sum.

    That is an addition, or a loop that carries the sum and does not touch it.
    """
    op = use.owner.operation
    if op.name == _ADD:
        return op.results[0]
    number = use.operand_number - FOR_BOUNDS
    if op.name != "scf.for" or number < 0:
        return None
    body = op.regions[0].blocks[0]
    inner = only_use(list(body.arguments)[1 + number])
    return op.results[number] if _is_carried(inner, body, number) else None


def _is_carried(use: Any | None, body: Any, number: int) -> bool:
    """Tell whether a use hands carried value `number` of a loop over to the next round."""
    if use is None or use.owner.operation != terminator(body):
        return False
    return use.operand_number == number
