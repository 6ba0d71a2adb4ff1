"""The check of the asynchronous protocol of one kernel, all of it."""

from functools import lru_cache
from typing import Any

from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.protocol.cases import check_protocol
from tilec.passes.analysis.protocol.events import Protocol, Violation
from tilec.passes.analysis.protocol.extract import Extraction, where
from tilec.passes.analysis.protocol.rules import find_broken_rule
from tilec.support.fast_dataclasses import replace


def find_violation(function: Any, registers_per_sm: int, file: str) -> Violation | None:
    """Return the first violation of the protocol of a kernel, None if there is none.

    Args:
        function: The kernel.
        registers_per_sm: 32-bit registers that its threads share.
        file: Name of the file that MLIR calls `-`.
    """
    violation = _check_registers(kernel_operations(function), registers_per_sm, file)
    if violation is not None:
        return violation
    extraction = Extraction(function, file)
    protocol = extraction.protocol()
    violation = extraction.violation or find_broken_rule(function, file)
    if violation is not None or protocol is None:
        return violation
    return _cached_check(_Key(protocol))


class _Key:
    """A protocol as a cache key: places in the source do not count, the structure does."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        rings = tuple(replace(ring, where="") for ring in protocol.rings.values())
        self.text = (
            f"{rings}{protocol.cursors}{protocol.roles}{protocol.cluster}{protocol.variables}"
        )

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.text == other.text


@lru_cache(maxsize=64)
def _cached_check(key: _Key) -> Violation | None:
    return check_protocol(key.protocol)


def _check_registers(ops: list[Any], registers_per_sm: int, file: str) -> Violation | None:
    """Check that `setmaxnreg` asks for no more registers than the SM has (else it deadlocks)."""
    total = 0
    last = None
    missing = None
    for roles in (op for op in ops if op.name == "nv_tileas.roles"):
        consumers = roles.opview.consumer_warps.value * roles.opview.team_count
        warps = (roles.opview.producer_warps.value, consumers)
        for count, region in zip(warps, roles.regions, strict=True):
            first = region.blocks[0].operations[0].operation
            if first.name == "nv_tileas.set_registers":
                total += count * WARP_LANES * first.opview.count.value
                last = first
                wanted = "increase" if region == roles.regions[1] else "decrease"
                if first.opview.action.value != wanted:
                    return Violation(where(first, file), f"registers of this role must {wanted}")
            elif count:
                missing = roles
    if last is not None and missing is not None:
        message = "a role keeps its registers while another one waits for more: deadlock"
        return Violation(where(last, file), message)
    if total <= registers_per_sm:
        return None
    return Violation(
        where(last, file),
        f"roles ask for {total} registers, but an SM has {registers_per_sm}: deadlock",
    )
