"""Following memory tokens back to the accesses that they order."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import terminator

LOAD, STORE = ".tiled_load", ".tiled_store"


def token_sources(token: Any) -> set[Any]:
    """Return every tiled load and store that `token` orders its consumer behind.

    The walk goes through joins, the accesses themselves and structured control flow, loops
    included. It reads nv_tileaa and nv_tileas alike.
    """
    found: set[Any] = set()
    seen: set[Any] = set()
    pending = [token]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, ir.BlockArgument):
            pending.extend(_argument_sources(value))
            continue
        op = value.owner.operation
        if op.name.endswith((LOAD, STORE)):
            found.add(op)
            after = op.opview.after
            pending.extend([] if after is None else [after])
        elif len(op.regions):
            pending.extend(_region_sources(op, ir.OpResult(value).result_number))
        else:
            pending.extend(op.operands)
    return found


def follows_store(load: Any) -> bool:
    """Tell whether `load` may read what a store of the same kernel wrote."""
    token = load.opview.after
    if token is None:
        return False
    return any(source.name.endswith(STORE) for source in token_sources(token))


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
