"""Changes of layout that take longer than to compute the tile once more.

A mask made of ranges and numbers, such as `arange(16)[:, None] == k`, costs a few instructions in
any layout. Where several uses want it in different ones, a change through shared memory would cost
two barriers. So what a change of layout gets is followed back as far as that is cheap: to ranges,
splats and constants, to a tile that has the new layout already, or to one from which the new layout
is less far. From there, the tile is computed again.

What goes into a loop is not computed again: its change of layout is before the loop, and LLVM keeps
more of what it can look into in registers. `flex_attention` with heads of 80 spilled 84 bytes when
its ranges were made again for rows and columns (2026-11-25, 2026-11-27).
"""

from typing import Any

from tilec.dialects.nv_tileas import ConvertLayoutOp
from tilec.dialects.nv_tileas.tile_ops import MakeRangeOp, SplatOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import LOOPS, defining_operation, enclosing_loops
from tilec.ir.values import is_tile, users_of
from tilec.ir.walks import walk_operations
from tilec.layout import RegisterLayout
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.layouts.links import SHAPE_OPS
from tilec.passes.analysis.layouts.operations import CONVERT, SLICE, source_layout
from tilec.passes.analysis.layouts.prices import arithmetic_price, conversion_price
from tilec.passes.analysis.tma.shared_layouts import register_layout_of, with_register_layout
from tilec.plan.worth import DIVISION_INSTRUCTIONS, OPERATIONS_IN_A_ROW
from tilec.support.fast_dataclasses import dataclass

_MADE = (MakeRangeOp.OPERATION_NAME, SplatOp.OPERATION_NAME)
_DIVISIONS = ("arith.div", "arith.rem", "arith.ceildiv", "arith.floordiv")
_RELABELLED = tuple(name for name in SHAPE_OPS if name != SLICE)


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to get a tile in a layout.

    Attributes:
        tile: The tile.
        layout: The layout.
        price: Cycles of an SM.
        sources: Ways to the operands to compute it from; None to change the layout of the tile.
    """

    tile: Any
    layout: RegisterLayout
    price: float
    sources: "tuple[_Way | None, ...] | None" = None

    def take(self) -> Any:
        """Emit the operations at the insertion point; return the tile in its layout."""
        if self.sources is None and register_layout_of(self.tile) == self.layout:
            return self.tile
        kind = with_register_layout(self.tile.type, self.layout)
        if self.sources is None:
            return ConvertLayoutOp(source=self.tile, result=kind).result
        made = [way and way.take() for way in self.sources]
        copy = defining_operation(self.tile).clone()
        for number, value in enumerate(made):
            if value is not None:
                copy.operands[number] = value
        copy.results[0].set_type(kind)
        return copy.results[0]


def recompute(block: Any) -> None:
    """Compute tiles again where that takes less time than their changes of layout.

    Args:
        block: Body of a role, whose tiles have layouts.
    """
    ops = walk_operations(block)
    changes = [op for op in ops if _changes_layout(op)]
    feeding = _feeding_loops(ops) if changes else set()
    for op in changes:
        if op in feeding:
            continue
        way = _cheapest(op.operands[0], register_layout_of(op.results[0]), OPERATIONS_IN_A_ROW)
        if way.sources is not None:
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(way.take())
            erase(op)


def _feeding_loops(ops: list[Any]) -> set[Any]:
    """Return the operations whose results, or what is computed from them, a loop after them reads.

    Args:
        ops: All operations of a block, each one before its users and those inside it.
    """
    depths = {op: len(enclosing_loops(op)) for op in ops}
    found: set[Any] = set()
    for op in reversed(ops):
        users = (user for result in op.results for user in users_of(result))
        if any(
            user in found or depths.get(user, 0) > depths[op] or user.name in LOOPS
            for user in users
        ):
            found.add(op)
    return found


def _cheapest(tile: Any, layout: RegisterLayout, depth: int) -> _Way:
    """Return the cheapest way to `tile` in `layout`, with at most `depth` operations in a row."""
    maker = defining_operation(tile)
    if maker is not None and _changes_layout(maker) and register_layout_of(tile) != layout:
        return _cheapest(maker.operands[0], layout, depth)
    change = _Way(tile, layout, _change_price(tile, layout))
    sources = _ways_to_sources(tile, layout, depth) if change.price and depth else None
    if sources is None:
        return change
    instructions = DIVISION_INSTRUCTIONS if _divides(maker) else 1
    price = arithmetic_price(instructions, layout)
    price += sum(way.price for way in sources if way is not None)
    return _Way(tile, layout, price, sources) if price < change.price else change


def _change_price(tile: Any, layout: RegisterLayout) -> float:
    return conversion_price(register_layout_of(tile), layout, element_bits(tile.type.element_type))


def _ways_to_sources(
    tile: Any, layout: RegisterLayout, depth: int
) -> tuple[_Way | None, ...] | None:
    """Return ways to the operands that make `tile` in `layout`, None for scalars.

    None in place of all where `tile` is not computed by one cheap instruction for each element.
    """
    maker = defining_operation(tile)
    if maker is None:
        return None
    if maker.name in _RELABELLED:
        wanted = source_layout(maker, layout)
        return None if wanted is None else (_cheapest(maker.operands[0], wanted, depth - 1),)
    if maker.name in _MADE or number_of(tile) is not None:
        return (None,) * len(maker.operands)
    if not maker.name.startswith("arith.") or maker.name == "arith.constant":
        return None
    if len(maker.results) > 1:
        return None  # halves of a product, which lanes seldom need
    if _divides(maker) and number_of(maker.operands[1]) is None:
        return None
    return tuple(
        _cheapest(operand, layout, depth - 1) if is_tile(operand) else None
        for operand in maker.operands
    )


def _changes_layout(op: Any) -> bool:
    return op.name == CONVERT and op.operands[0].type.shape == op.results[0].type.shape


def _divides(op: Any) -> bool:
    return op.name.startswith(_DIVISIONS)
