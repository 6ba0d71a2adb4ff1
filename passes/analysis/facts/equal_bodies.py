"""Where the bodies of two loops differ: after a common beginning, and before a common end."""

from collections.abc import Iterator
from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, defining_operation, terminator
from tilec.support.fast_dataclasses import dataclass

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Difference:
    """What only one of two loops does.

    Attributes:
        first: Operations of the first loop that the second one has not, which follow each other.
        second: The same of the second loop.
        known: Values of the second loop before them, with those of the first one.
        pairs: Values of the first and of the second loop that the common end reads in one place.
        readers: These places: an operation of the first loop, an operand of it, and its pair.
        end: The first operation of the common end, in the first loop.
    """

    first: list[Any]
    second: list[Any]
    known: dict[Any, Any]
    pairs: list[Pair]
    readers: list[tuple[Any, int, int]]
    end: Any

    @property
    def operations(self) -> list[Any]:
        """The operations of both loops that the other one has not."""
        return [*self.first, *self.second]


def compare_bodies(first: Any, second: Any) -> Difference:
    """Return where two loops differ that carry values of the same types."""
    blocks = [loop.regions[0].blocks[0] for loop in (first, second)]
    *a, _ = body_operations(blocks[0])
    *b, _ = body_operations(blocks[1])
    alike = dict(zip(blocks[0].arguments, blocks[1].arguments, strict=True))
    start = _common_start(a, b, alike)
    ends = tuple(terminator(block) for block in blocks)
    length = _common_end(a[start:], b[start:], ends)
    left, right = len(a) - length, len(b) - length
    pairs: dict[Pair, int] = {}
    readers = []
    common = [*zip(a[left:], b[right:], strict=True), ends]
    inside = set(a[left:])
    for op, other in common:
        for number, (x, y) in enumerate(zip(op.operands, other.operands, strict=True)):
            if defining_operation(x) not in inside and alike.get(x, x) != y:
                readers.append((op, number, pairs.setdefault((x, y), len(pairs))))
    return Difference(
        a[start:left],
        b[start:right],
        {value: key for key, value in alike.items()},
        list(pairs),
        readers,
        common[0][0],
    )


def _common_start(a: list[Any], b: list[Any], alike: dict[Any, Any]) -> int:
    """Return how many operations begin both bodies, and add their results to `alike`."""
    count = 0
    for op, other in zip(a, b, strict=False):
        pairs = zip(op.operands, other.operands, strict=False)
        if not same_form(op, other) or any(alike.get(x, x) != y for x, y in pairs):
            break
        alike.update(zip(op.results, other.results, strict=True))
        count += 1
    return count


def _common_end(a: list[Any], b: list[Any], ends: Pair) -> int:
    """Return how many operations end both lists: what one reads of another, both do."""
    length = 0
    for op, other in zip(reversed(a), reversed(b), strict=False):
        if not same_form(op, other):
            break
        length += 1
    places = [{op: number for number, op in enumerate(reversed(ops), start=1)} for ops in (a, b)]
    while (shorter := _consistent(a, b, ends, places, length)) < length:
        length = shorter
    return length


def _consistent(
    a: list[Any], b: list[Any], ends: Pair, places: list[dict[Any, int]], length: int
) -> int:
    """Return how long the common end may be at most, as the reads in its last part say."""
    for op, other in ((*ends,), *list(zip(reversed(a), reversed(b), strict=False))[:length]):
        for pair in zip(op.operands, other.operands, strict=True):
            found = [
                place.get(defining_operation(value), length + 1)
                for place, value in zip(places, pair, strict=True)
            ]
            numbers = [_number(value) for value in pair]
            if min(found) <= length and (found[0] != found[1] or numbers[0] != numbers[1]):
                return min(found) - 1
    return length


def _number(value: Any) -> int:
    return value.arg_number if isinstance(value, ir.BlockArgument) else _result_number(value)


def _result_number(value: Any) -> int:
    return ir.OpResult(value).result_number


def same_form(op: Any, other: Any) -> bool:
    """Tell whether two operations do the same with operands of the same types."""
    return (
        op.name == other.name
        and dict(op.attributes.items()) == dict(other.attributes.items())
        and _types(op.operands) == _types(other.operands)
        and _types(op.results) == _types(other.results)
        and _same_insides(op, other)
    )


def _types(values: Any) -> list[Any]:
    return [value.type for value in values]


def _same_insides(op: Any, other: Any) -> bool:
    """Tell whether the regions of two operations are the same."""
    alike: dict[Any, Any] = {}
    mine, others = list(_blocks(op)), list(_blocks(other))
    if len(mine) != len(others):
        return False
    for block, twin in zip(mine, others, strict=True):
        if _types(block.arguments) != _types(twin.arguments):
            return False
        alike.update(zip(block.arguments, twin.arguments, strict=True))
        ops, twins = body_operations(block), body_operations(twin)
        if len(ops) != len(twins) or _common_start(ops, twins, alike) < len(ops):
            return False
    return True


def _blocks(op: Any) -> Iterator[Any]:
    for region in op.regions:
        yield from region.blocks
