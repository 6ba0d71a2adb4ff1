"""Following memory tokens back to the accesses that they order."""

from typing import Any

from tilec.dialects.common.accesses import global_access, synchronises, writes_global
from tilec.dialects.nv_tileaa.types import MemTokenType
from tilec.ir.bindings import ir
from tilec.ir.structured import terminator
from tilec.support.fast_dataclasses import dataclass

BULK_LOAD, BULK_STORE = "nv_tileas.ring_token", "nv_tileas.store_token"
"""Operations that return the token of loads through a ring, and that of bulk stores."""
_ORIGINS = (BULK_LOAD, BULK_STORE, "nv_tileas.receive_token")


@dataclass(frozen=True)
class TokenTrace:
    """Where a token comes from.

    Attributes:
        values: The tokens on the way, the first one included.
        origins: The operations that return the tokens of accesses.
    """

    values: set[Any]
    origins: set[Any]


def is_token(value: Any) -> bool:
    """Tell whether `value` is a memory token."""
    return isinstance(value.type, MemTokenType)


def trace_token(token: Any) -> TokenTrace:
    """Follow `token` back to all accesses that its consumer is ordered after.

    The search goes through joins, the accesses themselves and structured control flow, loops
    included. It reads nv_tileaa and nv_tileas alike.
    """
    found = TokenTrace(set(), set())
    pending = [token]
    while pending:
        value = pending.pop()
        if value in found.values:
            continue
        found.values.add(value)
        if isinstance(value, ir.BlockArgument):
            pending.extend(_argument_sources(value))
            continue
        op = value.owner.operation
        if op.name in _ORIGINS or global_access(op) is not None:
            found.origins.add(op)
        if len(op.regions):
            pending.extend(_region_sources(op, ir.OpResult(value).result_number))
        else:
            pending.extend(filter(is_token, op.operands))
    return found


def token_sources(token: Any) -> set[Any]:
    """Return every access by threads or by TMA that the consumer of `token` is ordered after."""
    return {op for op in trace_token(token).origins if global_access(op) is not None}


def comes_before_loads(op: Any) -> bool:
    """Tell whether loads that a token orders after access `op` have to wait for it."""
    return op.name == BULK_STORE or writes_global(op) or synchronises(op)


def follows_store(load: Any) -> bool:
    """Tell whether `load` may read what something before it in the same kernel wrote or awaited."""
    token = load.opview.after
    if token is None:
        return False
    return any(map(comes_before_loads, token_sources(token)))


def _argument_sources(argument: Any) -> list[Any]:
    """Return the values that a loop-carried block argument takes."""
    loop = argument.owner.owner.operation
    number = argument.arg_number
    if loop.name == "scf.for":
        return [loop.operands[2 + number], _yielded(loop.regions[0], number - 1)]
    if loop.name == "scf.while":
        before, after = loop.regions
        if argument.owner == before.blocks[0]:
            return [loop.operands[number], _yielded(after, number)]
        return [_yielded(before, number + 1)]
    return []


def _region_sources(op: Any, number: int) -> list[Any]:
    """Return the values that result `number` of a structured operation takes."""
    if op.name == "scf.while":
        return [_yielded(op.regions[0], number + 1)]
    found = [_yielded(region, number) for region in op.regions if len(region.blocks)]
    return [*found, op.operands[3 + number]] if op.name == "scf.for" else found


def _yielded(region: Any, number: int) -> Any:
    return terminator(region.blocks[0]).operands[number]
