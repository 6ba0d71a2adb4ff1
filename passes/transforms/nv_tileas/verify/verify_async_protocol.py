"""Prove that the asynchronous protocol of every kernel is safe before it can hang a GPU.

Changes nothing. The roles' events on rings, buffers, barriers and fences are extracted from the IR
and run, with vector cycles, for the trip counts at which rings behave differently
(`tilec.passes.analysis.protocol`). On the way, every operation must use the current position
of its ring, and the copies of a tile must move each of its boxes once. Register moves and named
barriers are checked by their sum and range rules. The first violation is an internal error of the
compiler that names the source line, because no user input may lead to one. Results are memoised by
the protocol's shape. The pass reads the events; the driver runs the check in parallel with code
generation.
"""

from functools import lru_cache, partial
from typing import Any

from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations
from tilec.passes.analysis.protocol.events import Protocol, Violation
from tilec.passes.analysis.protocol.extract import Extraction, where
from tilec.passes.analysis.protocol.rules import find_broken_rule
from tilec.passes.registry import PassContext, register_pass
from tilec.support.diagnostics import InternalCompilerError, SourceSpan
from tilec.support.fast_dataclasses import replace

NAME = "nv-tileas-verify-async-protocol"


@register_pass(NAME)
def verify_async_protocol(module: Any, context: PassContext) -> bool:
    """Check rings, fences, barriers and register moves of every kernel."""
    file = context.buffer
    for function in kernel_functions(module):
        ops = kernel_operations(function)
        _reject(_check_registers(ops, context.target.registers_per_sm, file))
        extraction = Extraction(function, file)
        protocol = extraction.protocol()
        _reject(extraction.violation or find_broken_rule(function, file))
        if protocol is not None:
            context.check(partial(_check_events, _Key(protocol)))
    return False


def _reject(violation: Violation | None) -> None:
    if violation is not None:
        at = f"{violation.where}: " if violation.where else ""
        raise InternalCompilerError(
            f"{at}{violation.message}", pass_name=NAME, span=SourceSpan.read(violation.where)
        )


def _check_events(key: "_Key") -> None:
    _reject(_cached_check(key))


class _Key:
    """A protocol as a cache key: places in the source do not count, the structure does."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        rings = tuple(replace(ring, where="") for ring in protocol.rings.values())
        self.text = f"{rings}{protocol.walks}{protocol.roles}{protocol.cluster}{protocol.variables}"

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.text == other.text


@lru_cache(maxsize=64)
def _cached_check(key: _Key) -> Violation | None:
    from tilec.passes.analysis.protocol.cases import check_protocol  # may run while LLVM works

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
