"""Simulate the asynchronous protocol, and refuse one that can hang or race.

Changes nothing. The pass takes the events of all roles on rings, buffers, fences, barriers and
memory tokens from the IR. It runs them with vector clocks (`tilec.passes.analysis.protocol`). The
driver runs the simulation in parallel with code generation. Results are stored by the shape of the
protocol, so equal protocols run once.

The number of rounds of a loop and the outcome of a branch follow from *variables*. Each combination
of unknown values in a loop bound or a comparison is one variable, and equal combinations in
different roles are the same variable. So two loops to `n` and `n + 1` differ by one in every run,
and two roles whose bounds are not known to be equal run different numbers of rounds in some run.
The check uses the values at which a ring of S slots behaves differently: 0, 1, 2, S-1, S, S+1 and
2S+1 rounds of an innermost loop, 0 to 3 rounds of the loops around it, both outcomes of every
comparison, and values that change from tile to tile.

The check refuses

- deadlocks,
- overwrites that are not ordered after every read,
- reads that are not ordered after the write that they need,
- loads that nothing waits for, and tiles that are written but never read (a loop without rounds and
  a branch may leave out reads),
- missing proxy fences,
- waits and arrivals that may hit the wrong phase, and barriers that end in the middle of a phase,
- accumulators that are used while a product writes them,
- accesses of global memory in another order than their tokens give,
- operations with effects that the check does not know,
- an operation that does not use the current position of its ring, and copies of a tile that do not
  move each of its boxes once,
- register counts whose sum does not fit, and a named barrier of more than one group of threads.

In a cluster, CTAs that share a tile must each load their own share of the same tile, and the roles
must use the same axis of the cluster for it. If CTAs fill slots of each other, all CTAs of the
cluster run together: a copy lands in each of them, a release arrives in each of them, and no CTA
may end before the last arrival from another one. For partial sums (`split_k`), the scalar
code of the consumers runs for some extents: each part must be stored, counted and added once, by
threads that have met at a barrier, and counters must end at zero.

The first violation is an internal error of the compiler that names the source line, because no
source may lead to one. `docs/debugging.md#the-protocol-check` explains the messages.
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
        self.text = (
            f"{rings}{protocol.cursors}{protocol.roles}{protocol.cluster}{protocol.variables}"
        )

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
