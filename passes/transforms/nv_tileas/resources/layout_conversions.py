"""Layouts that products fix, and conversions at operations whose operands have their own."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tilec.dialects.nv_tileas import AsyncMmaOp, ConvertLayoutOp, WarpMmaOp
from tilec.dialects.nv_tileas.copy_ops import ASYNC_GATHER
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.constants import resized
from tilec.ir.values import is_tile
from tilec.ir.walks import walk_operations
from tilec.layout import RegisterLayout, choose_blocked, wgmma_accumulator
from tilec.layout.constructors import VECTOR_BITS
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.layout.warp_products import WarpProduct
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.layouts.links import COMBINE
from tilec.passes.analysis.layouts.prices import (
    TILED_STORE,
    accesses_global,
    conversion_price,
    rounds_of,
)
from tilec.passes.analysis.mma.fragments import a_fragment
from tilec.passes.analysis.mma.operands import DOT, stays_in_registers
from tilec.passes.analysis.mma.wgmma_support import warp_product, why_not_wgmma
from tilec.passes.analysis.passed_values import passed_values
from tilec.passes.analysis.tma.shared_layouts import register_layout_of
from tilec.plan.worth import NOTABLE_CYCLES
from tilec.support.diagnostics import InternalCompilerError

NAME = "nv-tileas-assign-register-layouts"
"""The pass that these functions are part of."""

_ASYNC, _WARP = AsyncMmaOp.OPERATION_NAME, WarpMmaOp.OPERATION_NAME
PRODUCTS = (_ASYNC, DOT)
"""Products whose operands do not share the layout of their accumulator. The planner asks while they
are dots: `nv-tileas-schedule-mma` follows the plan."""


def accumulator_layout(op: Any, warps: int) -> RegisterLayout | None:
    """Return the layout that a product gives its accumulator; None for any, or for no product.

    Args:
        op: An operation.
        warps: Warps of the role.
    """
    warpgroups = warps // WARPGROUP_WARPS
    if op.name == _ASYNC or (op.name == DOT and why_not_wgmma(op, warpgroups) is None):
        m, n = op.results[0].type.shape
        return wgmma_accumulator(m, n, warpgroups)
    shares = warp_product(op, warps) if op.name in (_WARP, DOT) else None
    return shares.accumulator if isinstance(shares, WarpProduct) else None


def register_operand(op: Any) -> Any:
    """Return the A operand that a product of wgmma takes from registers; None for any other."""
    if op.name == _ASYNC:
        return op.opview.a if op.opview.registers_hold_a else None
    return op.operands[0] if op.name == DOT and stays_in_registers(op, 0) else None


def convert_combined(block: Any) -> list[Any]:
    """Insert a conversion after each reduction and scan; return those that went in.

    What they return has the layout that follows from their sources, whatever its users want.
    """
    return [
        _convert_result(op, result)
        for op in walk_operations(block)
        for result in (op.results if op.name in COMBINE else ())
        if is_tile(result)
    ]


def _convert_result(op: Any, result: Any) -> Any:
    with ir.InsertionPoint.after(op), op.location:
        converted = ConvertLayoutOp(source=result, result=result.type)
    result.replace_all_uses_except(converted.result, converted.operation)
    return converted.operation


def convert_fragments(block: Any) -> list[list[Any]]:
    """Insert conversions of A operands in registers; return those that went in.

    They come right before the product. What loops and branches pass on to nothing but such operands
    is converted where it is made, so that products do not wait for it. Conversions of tiles of
    which a loop or branch passes on one are in one list.
    """
    found: list[list[Any]] = []
    products = [op for op in walk_operations(block) if register_operand(op) is not None]
    flows = [flow for op in walk_operations(block) for flow in passed_values(op)]
    converted: set[Any] = set()
    ready: dict[Any, Any] = {}  # what a tile was converted to, for products of one kind and block
    for op in products:
        tile = op.operands[0]
        passed = _passed_on(tile, flows)
        made = [value for value in passed if all(value != target for _, target in flows)]
        if tile in converted and tile not in made:
            continue
        if all(_feeds_products(value, products) for value in passed if value not in made):
            converted |= passed
            found.append([_convert_where_passed(value) for value in made if value != tile])
        if tile in converted and tile not in made:
            continue
        key = (tile, op.block, op.results[0].type)
        if key in ready:
            op.operands[0] = ready[key]
            continue
        found.append([convert_operand(op, 0)])
        ready[key] = op.operands[0]
    return found


def _passed_on(tile: Any, flows: Sequence[tuple[Any, Any]]) -> set[Any]:
    """Return `tile` and the tiles that loops and branches make one of it with."""
    found, size = {tile}, 0
    while size != len(found):
        size = len(found)
        for flow in flows:
            if found.intersection(flow):
                found.update(flow)
    return found


def _feeds_products(tile: Any, products: Sequence[Any]) -> bool:
    """Tell whether a tile is only passed on, or multiplied as the A operand of `products`."""
    return all(
        use.owner.operation.name.startswith("scf.")
        or (use.owner.operation in products and use.operand_number == 0)
        for use in tile.uses
    )


def _convert_where_passed(tile: Any) -> Any:
    """Convert a tile after the operation that makes it, for the loops and branches it goes to."""
    maker = tile.owner.operation
    with ir.InsertionPoint.after(maker), maker.location:
        converted = ConvertLayoutOp(source=tile, result=tile.type)
    for use in list(tile.uses):
        user = use.owner.operation
        if user.name.startswith("scf."):
            user.operands[use.operand_number] = converted.result
    return converted.operation


def convert_accesses(block: Any) -> list[Any]:
    """Insert conversions where threads move tiles to or from global memory; return them."""
    found = []
    for op in filter(accesses_global, walk_operations(block)):
        if op.name == TILED_STORE:
            found.append(convert_operand(op, list(op.operands).index(op.opview.value)))
        else:
            found.append(_convert_result(op, op.results[0]))
    return found


def convert_copies(block: Any) -> list[Any]:
    """Insert conversions of what names the elements that threads copy; return them.

    A thread copies as many neighbours as one instruction takes, so its layout is fixed.
    """
    copies = [op for op in walk_operations(block) if op.name == ASYNC_GATHER]
    return [
        convert_operand(op, number)
        for op in copies
        for number, operand in enumerate(op.operands)
        if is_tile(operand)
    ]


def fixed_operand(op: Any, warps: int) -> tuple[Any, RegisterLayout] | None:
    """Return an operand whose layout an operation of a role of `warps` warps fixes, with that.

    None for an operation that fixes none.
    """
    if op.name == ASYNC_GATHER:
        places = op.opview.indices[0]
        bits = VECTOR_BITS // op.opview.run  # a thread copies runs of neighbours
        return places, choose_blocked(tuple(places.type.shape), bits, warps)
    operand = register_operand(op)
    return None if operand is None else (operand, a_fragment(op, warps // WARPGROUP_WARPS))


def fixed_layouts(
    block: Any, warps: int, group_of: Callable[[Any], Any]
) -> dict[Any, RegisterLayout]:
    """Return the layouts that products fix, and copies by threads, by group of tiles.

    Args:
        block: Body of a role.
        warps: Its warps.
        group_of: Returns the group of a tile, all of which have one layout.

    Raises:
        InternalCompilerError: Two operations fix different layouts for one group.
    """
    found: dict[Any, RegisterLayout] = {}
    for op in walk_operations(block):
        layout = accumulator_layout(op, warps)
        wanted = [fixed_operand(op, warps), None if layout is None else (op.results[0], layout)]
        for tile, layout in filter(None, wanted):
            if found.setdefault(group_of(tile), layout) != layout:
                message = "operations want one tile in different layouts"
                raise InternalCompilerError(message, pass_name=NAME, op=str(op))
    return found


def convert_operand(op: Any, number: int) -> Any:
    """Insert a conversion of an operand; return it."""
    tile = op.operands[number]
    with ir.InsertionPoint(op), op.location:
        converted = ConvertLayoutOp(source=tile, result=tile.type)
    op.operands[number] = converted.result
    return converted.operation


def notable_changes(block: Any) -> Iterator[tuple[Any, float]]:
    """Give tiles that have changed their layout, and the cycles of an SM that one change takes.

    Those that take fewer than `NOTABLE_CYCLES` in all rounds of the loops around them are left out.
    """
    for op in walk_operations(block):
        if op.name == ConvertLayoutOp.OPERATION_NAME:
            tile = op.results[0]
            source, target = register_layout_of(op.operands[0]), register_layout_of(tile)
            bits = element_bits(tile.type.element_type)
            cycles = conversion_price(source, target, bits)
            if rounds_of(op) * cycles >= NOTABLE_CYCLES:
                yield tile, cycles


def retype_constants(block: Any) -> None:
    """Give constants the attribute type that matches their result's layout."""
    for op in [op for op in walk_operations(block) if op.name == "arith.constant"]:
        if is_tile(op.results[0]) and number_of(op.results[0]) is not None:
            op.attributes["value"] = resized(op.attributes["value"], op.results[0].type)
