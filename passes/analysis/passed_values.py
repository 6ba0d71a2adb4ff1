"""Which values loops and branches pass on as which others."""

from collections.abc import Iterator
from typing import Any

from tilec.ir.structured import terminator


def passed_values(op: Any) -> Iterator[tuple[Any, Any]]:
    """Yield values and what each of them may become by loop or branch `op`."""
    if op.name == "scf.for":
        body = op.regions[0].blocks[0]
        carried, last = list(body.arguments)[1:], list(terminator(body).operands)
        yield from zip(list(op.operands)[3:], carried, strict=True)
        yield from zip(last, carried, strict=True)
        yield from zip(carried, op.results, strict=True)
    elif op.name == "scf.while":
        before, after = (region.blocks[0] for region in op.regions)
        passed = list(terminator(before).operands)[1:]
        yield from zip(op.operands, before.arguments, strict=True)
        yield from zip(passed, after.arguments, strict=True)
        yield from zip(terminator(after).operands, before.arguments, strict=True)
        yield from zip(after.arguments, op.results, strict=True)
    elif op.name == "scf.if":
        for region in op.regions:
            if len(region.blocks):
                yield from zip(terminator(region.blocks[0]).operands, op.results, strict=True)
