"""Tiles in the order of what they cost: the most expensive first, and none that does nothing.

Before:  scf.for %tile = %id to %total step %ids { %m, %s, %h = decode %tile; tile(%m, %s, %h) }
After:   %T = order_items %table, %items { ^(%item): %m, %s = decode %item
             %length = ...; %rounds = ...; yield_values (128 * %m < %length ? cost : 0) }
         %D = make_memref (deal_items %place, %T, %items, %H, %together)
         %own = cta_id * %length; %n = gather %D[%own]
         scf.for %i = 0 to %n { %word = gather %D[%own + 1 + %i]
             %item, %h = halves of %word; %m, %s = decode %item; tile(%m, %s, %h) }

An *item* stands for all tiles that cost the same for sure: it numbers the digits of the coordinates
that the cost depends on (`tilec.passes.analysis.tile_costs`), those along which tiles load the same
last, so that neighbours share what they load. The other digits are *free*. A
coordinate that is only divided by a number has a digit of both kinds, if the number divides its
extent; this is known only when the kernel runs, so else its quotient by 1 is taken. `together` is
how many free digits run at the same time: as many as have room in L2 for what they read.

A branch without which a tile does nothing is always taken: all tiles of the list do something.

Both tables are filled by each CTA before its roles start; all decide the same. What loops without
products count is counted once for each item, in a table of its own.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from tilec.dialects.nv_tileas import CtaIdOp, NumCtasOp, WorkspaceOp
from tilec.dialects.nv_tileas.measure_ops import DealItemsOp, OrderItemsOp, deal_bytes, order_bytes
from tilec.dialects.nv_tileas.tile_ops import YieldValuesOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.integers import constant
from tilec.ir.removal import replace_operation
from tilec.ir.structured import clone_whole, defining_operation, operations_inside
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.dealt_lists import dealing_ctas, list_length
from tilec.passes.analysis.facts.slices import extents_of
from tilec.passes.analysis.free_digits import FreeArray, free_reads, sharing_last
from tilec.passes.analysis.kernels import (
    is_tiled_access,
    kernel_operations,
    tiled_access,
)
from tilec.passes.analysis.reuse import axis_of
from tilec.passes.analysis.schedule.tile_graph import PROGRAM_ID
from tilec.passes.analysis.tile_costs import Branch, Rounds, TileCosts, tile_costs
from tilec.passes.transforms.nv_tileas.plan.count_tables import HIDDEN_NAME as COUNTED_NAME
from tilec.passes.transforms.nv_tileas.plan.count_tables import (
    halves_of,
    is_count,
    load_word,
    make_table,
    read_table,
    replace_count,
    words_at,
)
from tilec.plan.tile_order import MOST_ROUNDS, ROUND_COST, TILE_COST
from tilec.support.fast_dataclasses import dataclass, replace

HIDDEN_NAME, DEALT_NAME = "tile_order", "dealt_tiles"
"""Names of the hidden parameters: the addresses of the tables."""
GRID_QUERIES = (PROGRAM_ID, "nv_tileas.get_num_programs")
"""Operations that ask for the coordinates of a block, and for the extents of the grid."""
_NARROW, _WIDE = 32, 64
_P = arith.CmpIPredicate


@dataclass(frozen=True)
class TileOrder:
    """What is known about the tiles of a kernel before they are put into a loop.

    Attributes:
        costs: What a tile costs.
        apart: What tiles with other free digits read apart from each other.
        kept_bytes: How much of that tiles may read that run at the same time; 0 where all free
            digits of an item follow each other.
    """

    costs: TileCosts
    apart: tuple[FreeArray, ...]
    kept_bytes: int


def tile_order(function: Any, spec: dict[str, Any]) -> TileOrder:
    """Return what is known about the tiles of a kernel with a plan."""
    accesses = [tiled_access(op) for op in kernel_operations(function) if is_tiled_access(op)]
    costs = tile_costs(function)
    costs = replace(costs, digits=sharing_last(function, costs, accesses))
    reads = free_reads(function, costs, accesses)
    return TileOrder(costs, reads.apart, spec.get("order_bytes", 0))


@dataclass(frozen=True)
class _Digits:
    """The digits of the coordinates of a block.

    Attributes:
        extents: Tiles along every axis (i32).
        divisors: Of an axis with a digit that items number, the number by which it is divided; 1
            for a whole coordinate. Axes without one are free.
    """

    extents: Sequence[Any]
    divisors: dict[int, Any]

    @property
    def of_items(self) -> list[Any]:
        """How many values each digit of an item has."""
        return [
            arith.divui(self.extents[axis], divisor) if divisor is not None else self.extents[axis]
            for axis, divisor in self.divisors.items()
        ]

    @property
    def free(self) -> list[tuple[int, Any]]:
        """Axes with a free digit, and how many values it has."""
        found = []
        for axis, extent in enumerate(self.extents):
            if axis not in self.divisors:
                found.append((axis, extent))
            elif self.divisors[axis] is not None:
                found.append((axis, self.divisors[axis]))
        return found

    def coordinates(self, item: Any, free: Any | None) -> list[Any]:
        """Emit the coordinates of a block from the number of its item and of its free digits."""
        found = [constant(0) for _ in self.extents]
        if free is not None:
            axes, counts = zip(*self.free, strict=True) if self.free else ((), ())
            for axis, digit in zip(axes, split(free, list(counts)), strict=True):
                found[axis] = digit
        for (axis, divisor), digit in zip(
            self.divisors.items(), split(item, self.of_items), strict=True
        ):
            whole = digit if divisor is None else arith.muli(digit, divisor)
            found[axis] = whole if divisor is None else arith.addi(whole, found[axis])
        return found


class OrderedTiles:
    """The tiles of a kernel in the order of what they cost."""

    def __init__(
        self,
        function: Any,
        loop: Any,
        extents: Sequence[Any],
        order: "TileOrder",
    ) -> None:
        """Emit what sorts the tiles before their loop, and let it run over those that are left.

        Args:
            function: The kernel.
            loop: Its loop over tiles (`scf.for`).
            extents: Tiles along every axis of the grid.
            order: What is known about the tiles.
        """
        self._costs, self._extents = order.costs, extents
        with ir.InsertionPoint(loop), loop.location:
            self._digits = _Digits(extents, self._divisors())
            items = _product(self._digits.of_items)
            texts = read_kernel_fact(function, "grid")
            self._texts = [texts[digit.axis] for digit in self._costs.digits]
            self._counts = self._count_rounds(function, items)
            ordered = self._sort(function, items)
            free = _product([count for _, count in self._digits.free])
            together = _together(order, free) if order.apart and order.kept_bytes else free
            self._table = self._deal(function, texts, ordered, (items, free, together))
            # A CTA without a list finds no tiles behind all lists.
            own = arith.muli(arith.minui(CtaIdOp.build(), self._ctas), self._length)
            i32 = ir.IntegerType.get_signless(_NARROW)
            rows = arith.trunci(i32, load_word(self._table, own))
            self._first = arith.addi(own, constant(1))
            for number, bound in enumerate((constant(0), rows, constant(1))):
                loop.operands[number] = bound

    def decode(self, index: Any) -> list[Any]:
        """Emit the coordinates of the block that has a number in the list of its CTA."""
        item, free = halves_of(load_word(self._table, arith.addi(self._first, index)))
        coordinates = self._digits.coordinates(item, free)
        for loop, table in self._counts.items():
            replace_count(loop, table, item)
        if self._costs.gate is not None:
            branch, acts = self._costs.gate
            with ir.InsertionPoint(branch), branch.location:
                branch.operands[0] = constant(acts, 1)
        return coordinates

    def _divisors(self) -> dict[int, Any]:
        """Emit by what the coordinates with digits of items are divided."""
        found: dict[int, Any] = {}
        for digit in self._costs.digits:
            found[digit.axis] = None
            if digit.divisor is not None:
                least = arith.maxsi(digit.divisor, constant(1))
                rest = arith.remui(self._extents[digit.axis], least)
                divides = arith.cmpi(_P.eq, rest, constant(0))
                found[digit.axis] = arith.select(divides, least, constant(1))
        return found

    def _count_rounds(self, function: Any, items: Any) -> dict[Any, Any]:
        """Emit tables of what loops without products count for an item; return their memrefs.

        Both the cost of an item and its tiles need these numbers, and counting takes long.
        """
        tables: dict[Any, Any] = {}
        bounds = (constant(0), items, constant(1))
        for loop in kernel_operations(function):
            if loop not in self._costs.ops or not is_count(loop):
                continue
            coordinates: list[Any] = []

            def count(item: Any, loop: Any = loop, found: list[Any] = coordinates) -> list[Any]:
                found += self._digits.coordinates(item, None)
                program, known = _Program(self._costs, item, tables), {}
                return [program.value(result, known) for result in loop.results]

            name = COUNTED_NAME.format(len(tables))
            table = make_table(function, name, self._texts, bounds, count)
            made = defining_operation(defining_operation(table).operands[0])
            replace_queries(operations_inside(made), coordinates, self._extents)
            tables[loop] = table
        return tables

    def _sort(self, function: Any, items: Any) -> Any:
        """Emit the sort of all items; return the memref of the table."""
        i32 = ir.IntegerType.get_signless(32)
        size = order_bytes(" * ".join(f"({text})" for text in self._texts))
        table = WorkspaceOp.build(HIDDEN_NAME, size, i32, zeroed=False)
        order = OrderItemsOp.build(table, items)
        block = order.body.blocks.append(i32)
        item = block.arguments[0]
        with ir.InsertionPoint(block):
            coordinates = self._digits.coordinates(item, None)
            YieldValuesOp(first=_Program(self._costs, item, self._counts).cost())
        replace_queries(walk_operations(block), coordinates, self._extents)
        return order.made

    def _deal(
        self, function: Any, texts: Sequence[str], ordered: Any, sizes: tuple[Any, ...]
    ) -> Any:
        """Emit which CTA gets which tile; return the memref of the table."""
        i64 = ir.IntegerType.get_signless(_WIDE)
        free_texts = [texts[axis] for axis, _ in self._digits.free] or ["1"]
        tiles, digits = (" * ".join(f"({text})" for text in some) for some in (texts, free_texts))
        size = deal_bytes(tiles, digits)
        place = WorkspaceOp.build(DEALT_NAME, size, i64, zeroed=False)
        made = DealItemsOp.build(place, ordered, sizes, balanced=not self._costs.are_equal)
        items, free, _ = sizes
        self._ctas = dealing_ctas(NumCtasOp.build())
        self._length = list_length(arith.muli(items, free), free, self._ctas)
        return words_at(function, made, arith.muli(self._ctas, self._length))


class _Program:
    """Emits what a tile costs, at another place than the tile."""

    def __init__(self, costs: TileCosts, item: Any, counts: dict[Any, Any]) -> None:
        """Take what is known, the number of the item, and tables of what loops count."""
        self._costs, self._item, self._counts = costs, item, counts

    def cost(self) -> Any:
        """Emit the cost of a tile: 0 where it does nothing."""
        rounds, acts = self._parts(self._costs.parts, {})
        each = arith.muli(rounds, constant(ROUND_COST))
        return arith.select(acts, arith.addi(each, constant(TILE_COST)), constant(0))

    def _parts(self, parts: Iterable[Any], known: dict[Any, Any]) -> tuple[Any, Any]:
        """Emit how many rounds some parts of a tile have, and whether they do anything."""
        rounds, acts = [], []
        for part in parts:
            if isinstance(part, Branch):
                more, also = self._branch(part, known)
                rounds.append(more)
                acts.append(also)
            elif isinstance(part, Rounds):
                rounds.append(self._rounds(part.loop, known))
                if part.acts:
                    acts.append(arith.cmpi(_P.sgt, rounds[-1], constant(0)))
            else:
                acts.append(self._is_inside(part.limits, known))
        total = reduce(arith.addi, rounds) if rounds else constant(0)
        total = arith.minui(total, constant(MOST_ROUNDS)) if len(rounds) > 1 else total
        return total, reduce(arith.ori, acts) if acts else constant(False, 1)

    def _branch(self, part: Branch, known: dict[Any, Any]) -> tuple[Any, Any]:
        i32, i1 = (ir.IntegerType.get_signless(width) for width in (32, 1))
        branch = scf.IfOp(self.value(part.op.operands[0], known), [i32, i1], has_else=True)
        sides = (*part.sides, ())[:2]
        for block, side in zip((branch.then_block, branch.else_block), sides, strict=True):
            with ir.InsertionPoint(block):
                scf.YieldOp(list(self._parts(side, dict(known))))
        rounds, acts = branch.results
        return rounds, acts

    def _rounds(self, loop: Any, known: dict[Any, Any]) -> Any:
        """Emit how many rounds a loop has."""
        lower, upper, step = (self.value(value, known) for value in list(loop.operands)[:3])
        i32 = ir.IntegerType.get_signless(32)
        rounds = arith.ceildivui(arith.subi(upper, lower), step)  # the distance may exceed 2^31
        rounds = arith.minui(rounds, arith.constant(rounds.type, MOST_ROUNDS))
        rounds = rounds if rounds.type == i32 else arith.trunci(i32, rounds)
        runs = arith.cmpi(_P.slt, lower, upper)
        return arith.select(runs, rounds, constant(0))

    def _is_inside(self, limits: Iterable[tuple[Any, Any]], known: dict[Any, Any]) -> Any:
        """Emit whether every coordinate is below its extent."""
        pairs = [[self.value(value, known) for value in pair] for pair in limits]
        found = [arith.cmpi(_P.slt, coord, extent) for coord, extent in pairs]
        return reduce(arith.andi, found) if found else constant(True, 1)

    def value(self, value: Any, known: dict[Any, Any]) -> Any:
        """Emit a scalar of the tile."""
        op = defining_operation(value)
        if value in known or op is None or op not in self._costs.ops:
            return known.get(value, value)
        if op in self._counts:
            read = read_table(self._counts[op], self._item, len(op.results))
            known.update(zip(op.results, read, strict=True))
            return known[value]
        made = [op, *operations_inside(op)]
        inside = set(made)
        for inner in made:
            for operand in inner.operands:
                if defining_operation(operand) not in inside:
                    known[operand] = self.value(operand, known)
        clone_whole(op, known)
        return known[value]


def replace_queries(ops: Iterable[Any], coordinates: Sequence[Any], extents: Sequence[Any]) -> None:
    """Give those of `ops` that ask about the grid the coordinates of a block, and the extents."""
    for op in ops:
        if op.name in GRID_QUERIES:
            values, missing = (coordinates, 0) if op.name == PROGRAM_ID else (extents, 1)
            axis = axis_of(op)
            with ir.InsertionPoint(op), op.location:
                value = values[axis] if axis < len(values) else constant(missing)
            replace_operation(op, [value])


def _together(order: "TileOrder", free: Any) -> Any:
    """Emit how many free digits have what they read in some bytes together; at least one."""
    total = constant(0, _WIDE)
    for array in order.apart:
        element = element_bits(array.memref.type.element_type)
        size = constant(max(1, element // 8), _WIDE)
        for dim, extent in enumerate(extents_of(array.memref)):
            extent = array.dims.get(dim, extent)
            value = constant(extent) if isinstance(extent, int) else extent
            size = arith.muli(size, arith.extui(ir.IntegerType.get_signless(_WIDE), value))
        total = arith.addi(total, size)
    fits = arith.divui(constant(order.kept_bytes, _WIDE), arith.maxui(total, constant(1, _WIDE)))
    most = arith.extui(ir.IntegerType.get_signless(_WIDE), free)
    fits = arith.maxui(arith.minui(fits, most), constant(1, _WIDE))
    return arith.trunci(ir.IntegerType.get_signless(32), fits)


def split(number: Any, counts: Sequence[Any]) -> list[Any]:
    """Emit the digits of a number, the last one fastest: one for each of `counts`."""
    found = []
    for count in reversed(counts[1:]):
        found.append(arith.remui(number, count))
        number = arith.divui(number, count)
    return [number, *reversed(found)] if counts else []


def _product(counts: Sequence[Any]) -> Any:
    return reduce(arith.muli, counts) if counts else constant(1)
