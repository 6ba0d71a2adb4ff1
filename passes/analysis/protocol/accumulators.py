"""Accumulators that may be in flight: which values, and what is done with them.

wgmma writes its accumulator while the warps go on (PTX ISA, "Asynchronous wgmma operations"):
until the group was waited for, only a further product may use these registers. As an SSA value an
accumulator in flight is linear: a second use would be a copy of registers that the tensor cores
still write. Values that loops and branches pass on keep the group that writes them.
"""

from collections.abc import Iterator
from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.removal import is_read
from tilec.ir.structured import LOOPS, body_operations, defining_operation, terminator
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.passed_values import passed_values
from tilec.passes.analysis.schedule.op_costs import registers_of

Moves = tuple[tuple[int, int], ...]
"""Numbers of values: each first one is passed on as the second one."""
NEVER = -1
"""Stands for a value that is never in flight."""
_PRODUCT = "nv_tileas.async_mma"
_WAITS = ("nv_tileas.mma_wait", "nv_tileas.mma_drain")
_TERMINATORS = ("scf.yield", "scf.condition")


class Accumulators:
    """The values of one role that may be accumulators in flight."""

    def __init__(self, block: Any) -> None:
        """Find them in the role whose operations `block` has."""
        ops = walk_operations(block)
        self._numbers: dict[Any, int] = {}
        self._flows = [flow for op in ops for flow in _flows(op)]
        found = {op.results[0] for op in ops if op.name == _PRODUCT}
        size = 0
        while size != len(found):
            size = len(found)
            found |= {target for source, target in self._flows if source in found}
        self._found = found

    def number(self, value: Any) -> int | None:
        """Return the number of `value`; None for one that is never in flight."""
        if value not in self._found:
            return None
        return self._numbers.setdefault(value, len(self._numbers))

    def product(self, op: Any) -> tuple[int | None, int | None]:
        """Return the numbers of the accumulator that a product or a wait takes and returns."""
        return self.number(op.opview.acc), self.number(op.results[0])

    def passed(self, values: list[Any], targets: list[Any]) -> Moves:
        """Return what is passed on from `values` to `targets` at once."""
        moves = []
        for value, target in zip(values, targets, strict=True):
            source, number = self.number(value), self.number(target)
            if number is not None and value != target:
                moves.append((NEVER if source is None else source, number))
        return tuple(moves)

    def touched(self, op: Any) -> list[int]:
        """Return the accumulators that `op` uses as a tile: not to pass, add to or wait for."""
        if not self._found or op.name in (*_TERMINATORS, *LOOPS, *_WAITS):
            return []
        operands = list(op.operands)
        if op.name == _PRODUCT:
            operands.remove(op.opview.acc)
        numbers = (self.number(operand) for operand in operands)
        return [number for number in numbers if number is not None]


def find_misuse(product: Any) -> str | None:
    """Return what is wrong with the wait for an `async_mma`, whatever the order of events."""
    if not is_read(product.results[0]):
        return "nothing waits for the product"
    if product.opview.registers_hold_a and not _keeps_a(product):
        return "a product in flight reads registers that are written again"
    return None


def _keeps_a(product: Any) -> bool:
    """Tell whether a product that reads A from registers is over before they are written again.

    The next round of its loop computes A anew. Where the loop carries A, this round does so.
    """
    tile = registers_of(product.opview.a)
    if isinstance(tile, ir.BlockArgument) and tile.owner == product.block:
        tile = registers_of(terminator(product.block).operands[tile.arg_number - 1])
    maker = defining_operation(tile)
    ops, later = body_operations(product.block), 0
    for op in ops[ops.index(product) + 1 :]:
        if maker is not None and op == maker:
            return False
        if op.name in _WAITS and (op.name != _WAITS[0] or op.opview.pending.value <= later):
            return True
        later += op.name == _PRODUCT
    return False


def _flows(op: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the values that may become others by `op`: through waits, loops and branches."""
    if op.name == "nv_tileas.mma_wait" and op.opview.pending.value > 0:
        yield op.opview.acc, op.results[0]
    else:
        yield from passed_values(op)
