"""What a tile costs, and whether it does anything: scalars that loaded numbers decide.

The rounds of loops with products, the branches around them and the ends of the arrays that a tile
stores to follow from the coordinates of its block, by scalars and by single elements that nothing
in the kernel writes. Another thread can compute the same ahead of time, for any tile:

    length = C[s + 1] - C[s]                      cost = rounds of the loop, or nothing at all
    if m * BM < length:                           where the condition fails, or where all that
        for n in range(cdiv(length, BN)): ...     the tile stores lies outside of the array

A *digit* is what the cost depends on of a coordinate: all of it, or its quotient by a number, as in
`z = zh // H`. Tiles that differ in nothing else cost the same.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tilec.dialects.common.accesses import synchronises
from tilec.dialects.common.effects import has_effect
from tilec.ir.bindings import ir
from tilec.ir.structured import STRUCTURED, body_operations, defining_operation, operations_inside
from tilec.ir.values import is_tile, makers_of
from tilec.passes.analysis.facts.element_accesses import is_element_access, is_repeatable
from tilec.passes.analysis.facts.slices import extents_of, slice_starts
from tilec.passes.analysis.kernels import (
    array_of_view,
    function_body,
    kernel_operations,
    written_arrays,
)
from tilec.passes.analysis.mma.operands import DOT
from tilec.passes.analysis.reuse import axis_of
from tilec.passes.analysis.schedule.tile_graph import PROGRAM_ID, STORE, tile_operations
from tilec.support.fast_dataclasses import dataclass, field

_COMPUTING = ("arith", "math")
_QUERIES = (PROGRAM_ID, "nv_tileas.get_num_programs", "nv_tileas.opaque")
_HANDLES = ("nv_tileas.make_memref", "nv_tileas.slice_base", "nv_tileas.create_mem_token")
_DIVISIONS = ("arith.divsi", "arith.divui", "arith.floordivsi")


class UnknownCostError(Exception):
    """What a tile costs cannot be computed ahead of it; the text is the reason."""


@dataclass(frozen=True)
class Rounds:
    """A loop (`scf.for`) with products; `acts` if its rounds also have effects."""

    loop: Any
    acts: bool


@dataclass(frozen=True)
class Branch:
    """A branch (`scf.if`) with parts on one side or on both."""

    op: Any
    sides: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Effect:
    """Something that a tile does.

    Attributes:
        limits: Pairs of a coordinate and an extent, both i32. Nothing is done where the coordinate
            of a pair is not below the extent.
    """

    limits: tuple[tuple[Any, Any], ...] = ()


@dataclass(frozen=True)
class Digit:
    """What the cost depends on of a coordinate of the block.

    Attributes:
        axis: The axis of the grid.
        divisor: The number (i32) of which it is the quotient; None for the whole coordinate.
    """

    axis: int
    divisor: Any = None


@dataclass(frozen=True)
class TileCosts:
    """How to compute what a tile costs.

    Attributes:
        parts: What a tile does, in program order: `Rounds`, `Branch` and `Effect`.
        ops: The operations that compute the scalars of `parts`, all of which may be repeated.
        digits: What the cost depends on, by axis.
    """

    parts: tuple[Any, ...]
    ops: frozenset[Any]
    digits: tuple[Digit, ...]

    @property
    def always_act(self) -> bool:
        """Whether every tile does something."""
        return any(isinstance(part, Effect) and not part.limits for part in self.parts)

    @property
    def are_equal(self) -> bool:
        """Whether all tiles that do something cost the same."""
        return _are_equal(self.parts, self.ops)

    @property
    def gate(self) -> tuple[Any, bool] | None:
        """The branch that decides whether a tile does anything, and how it decides then; or None.

        Tiles that do something take it to the same side.
        """
        if len(self.parts) != 1 or not isinstance(self.parts[0], Branch):
            return None
        (part,) = self.parts
        acting = [bool(side) for side in (*part.sides, ())[:2]]
        return (part.op, acting[0]) if acting.count(True) == 1 else None


def tile_costs(function: Any) -> TileCosts:
    """Return how to compute what a tile of a kernel costs, ahead of the tile.

    Raises:
        UnknownCostError: That cannot be computed, or loaded numbers do not decide it.
    """
    if not any(op.name == DOT for op in kernel_operations(function)):
        raise UnknownCostError("the kernel has no products")
    if any(map(_comes_from_list, kernel_operations(function))):
        raise UnknownCostError("the numbers of its tiles are loaded, as an order of the user's is")
    search = _Search(function)
    parts = search.parts(function_body(function))
    if not any(is_element_access(inner) for op in search.ops for inner in _with_inner(op)):
        raise UnknownCostError("no loaded number decides what a tile costs")
    return TileCosts(parts, frozenset(search.ops), tuple(search.digits()))


@dataclass
class _Search:
    """Finds the parts of a tile, and what computes their scalars.

    Attributes:
        function: The kernel.
        ops: What has been found to be needed and repeatable.
        roots: The scalars of parts.
    """

    function: Any
    ops: set[Any] = field(default_factory=set)
    roots: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        body = body_operations(function_body(self.function))[:-1]
        moved = tile_operations(body)
        self._varying = {inner for op in moved for inner in (op, *operations_inside(op))}
        self._written = written_arrays(self.function)
        if any(map(synchronises, kernel_operations(self.function))):
            raise UnknownCostError("blocks wait for each other")

    def parts(self, block: Any) -> tuple[Any, ...]:
        """Return what the operations of a block do for a tile."""
        return tuple(part for op in body_operations(block) for part in self._parts_of(op))

    def _parts_of(self, op: Any) -> Iterator[Any]:
        if op.name in STRUCTURED:
            inside = operations_inside(op)
            multiplies, acts = (
                any(inner.name == DOT for inner in inside),
                any(map(has_effect, inside)),
            )
            if op.name == "scf.for" and multiplies:
                self._need(*list(op.operands)[:3])
                yield Rounds(op, acts)
            elif op.name == "scf.if" and (multiplies or acts):
                self._need(op.operands[0])
                sides = [
                    self.parts(region.blocks[0]) if len(region.blocks) else ()
                    for region in op.regions
                ]
                yield Branch(op, tuple(sides))
            elif acts:
                yield Effect()
        elif has_effect(op):
            yield Effect(self._limits(op))

    def _limits(self, op: Any) -> tuple[tuple[Any, Any], ...]:
        """Return the pairs of coordinate and extent that decide whether a store does anything."""
        if op.name != STORE or not slice_starts(op.opview.memref):
            return ()
        found, extents = [], extents_of(op.opview.memref)
        for size, coord in zip(extents, op.opview.coords, strict=True):
            if isinstance(size, int) or defining_operation(size) not in self._varying:
                continue
            try:
                self._need(coord, size)
            except UnknownCostError:
                continue
            found.append((coord, size))
        return tuple(found)

    def _need(self, *values: Any) -> None:
        """Note that scalars are needed, and what computes them.

        Raises:
            UnknownCostError: That may not be repeated.
        """
        found: set[Any] = set()
        pending = list(values)
        while pending:
            value = pending.pop()
            op = defining_operation(value)
            if op is None:
                self._check_argument(value)
            elif op in self._varying and op not in self.ops | found:
                found.add(op)
                pending += self._operands_of(op)
        self.ops |= found
        self.roots += values

    def _check_argument(self, value: Any) -> None:
        if value.owner.owner.operation != self.function:
            raise UnknownCostError("a round of a loop decides about a part of a tile")

    def _operands_of(self, op: Any) -> list[Any]:
        """Return what `op` needs from outside of it."""
        inside = operations_inside(op)
        for inner in (op, *inside):
            self._check_repeatable(inner)
        made = {op, *inside}
        values = [value for inner in (op, *inside) for value in inner.operands]
        return [value for value in values if _maker(value) not in made]

    def _check_repeatable(self, op: Any) -> None:
        if op.name in STRUCTURED or op.name in ("scf.yield", "scf.condition"):
            return
        values = (*op.operands, *op.results)
        if any(is_tile(value) for value in values):
            raise UnknownCostError("a tile of numbers decides what a tile costs")
        if is_element_access(op):
            if (
                not is_repeatable(op)
                or array_of_view(op.opview.memref, self.function) in self._written
            ):
                raise UnknownCostError("the kernel writes or waits for a number that decides")
        elif op.name.split(".")[0] not in _COMPUTING and op.name not in (*_QUERIES, *_HANDLES):
            raise UnknownCostError(f"'{op.name}' decides what a tile costs")

    def digits(self) -> Iterator[Digit]:
        """Return what the cost depends on of the coordinates of a block."""
        queries = [op for op in self.ops if op.name == PROGRAM_ID]
        for axis in sorted({axis_of(op) for op in queries}):
            values = {op.results[0] for op in queries if axis_of(op) == axis}
            yield Digit(axis, self._common_divisor(values))

    def _common_divisor(self, values: set[Any]) -> Any:
        """Return the number by which all that needs a coordinate divides it, or None."""
        needed = [inner for op in self.ops for inner in _with_inner(op)]
        users = [op for op in needed if any(value in values for value in op.operands)]
        divisors = {op.operands[1] for op in users if op.name in _DIVISIONS}
        if any(op.name not in _DIVISIONS or op.operands[1] in values for op in users):
            return None
        if len(divisors) != 1 or any(root in values for root in self.roots):
            return None
        (divisor,) = divisors
        return None if defining_operation(divisor) in self._varying else divisor


def _are_equal(parts: Iterable[Any], ops: frozenset[Any]) -> bool:
    """Tell whether all loops have the same rounds in all tiles, and a branch has one side."""
    for part in parts:
        if isinstance(part, Rounds):
            if _differ(list(part.loop.operands)[:3], ops):
                return False
        elif isinstance(part, Branch):
            acting = [side for side in part.sides if side]
            if len(acting) > 1 or not _are_equal(acting[0] if acting else (), ops):
                return False
    return True


def _differ(values: Iterable[Any], ops: frozenset[Any]) -> bool:
    """Tell whether values may differ from tile to tile: coordinates or loaded numbers decide."""
    pending, seen = list(values), set()
    while pending:
        op = defining_operation(pending.pop())
        if op is None or op not in ops or op in seen:
            continue
        inside = _with_inner(op)
        if any(inner.name == PROGRAM_ID or is_element_access(inner) for inner in inside):
            return True
        seen.update(inside)
        pending += [value for inner in inside for value in inner.operands]
    return False


def _comes_from_list(op: Any) -> bool:
    """Tell whether a loaded number says which tile of a view is stored."""
    return op.name == STORE and any(map(is_element_access, makers_of(op.opview.coords)))


def _with_inner(op: Any) -> list[Any]:
    """Return an operation and those inside of it."""
    return [op, *operations_inside(op)]


def _maker(value: Any) -> Any:
    """Return the operation that defines a value, or in whose region it is an argument."""
    if isinstance(value, ir.BlockArgument):
        return value.owner.owner.operation
    return value.owner.operation
