"""The products of a kernel, as a launch must know them to decide into how many splits tiles go.

It is described before roles, when loads still stand next to the products that need them.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.structured import FOR_BOUNDS, enclosing_loops
from tilec.passes.analysis.epilogue.epilogue_slices import sliced_stores
from tilec.passes.analysis.facts.host_texts import rounds_text
from tilec.passes.analysis.kernels import TiledAccess, kernel_operations
from tilec.passes.analysis.mma.k_loops import product_loop
from tilec.passes.analysis.mma.operands import DOT, why_not_in_place
from tilec.passes.analysis.reuse import block_numbers, program_ids
from tilec.passes.analysis.tma.multicast import dependences

_RESULT_BYTES = 4
"""Size of an element of a result that is not stored in parts: that of the sums."""


def launch_product(
    function: Any, accesses: Sequence[TiledAccess], consumers: int
) -> dict[str, Any] | None:
    """Describe the products of a kernel whose k-tiles can be divided (`why_not_split`).

    Args:
        function: The kernel.
        accesses: Its loads and stores of tiles.
        consumers: Warpgroups that share a tile.

    Returns:
        The entry `k_splits` of the metadata. None where a launch cannot count the k-tiles, where
        the products of a k-tile differ, or where an operand is not made of tiles that are loaded
        with it.
    """
    ops = kernel_operations(function)
    loop, dots = product_loop(ops), [op for op in ops if op.name == DOT]
    rounds = rounds_text(function, list(loop.operands)[:FOR_BOUNDS])
    ids = program_ids(ops)
    loads = [item for item in accesses if item.is_load and loop in enclosing_loops(item.op)]
    operands = [_operand(dots, number, loads, ids) for number in (0, 1)]
    kinds = {(*dot.opview.extents, dot.opview.product_types) for dot in dots}
    if rounds is None or len(kinds) > 1 or not all(operands):
        return None
    (*tile, types), results = kinds.pop(), [item.tile for item in sliced_stores(accesses)]
    return {
        "rounds": rounds,
        "tile": tile,
        "products": len(dots),
        "types": [types.a, types.b, types.accumulator],
        "consumers": consumers,
        "result_bytes": max((item.result_bytes for item in results), default=_RESULT_BYTES),
        "epilogue_bytes": sum(item.load_bytes for item in results),
        "operands": operands,
    }


def _operand(
    dots: Sequence[Any], number: int, loads: Sequence[TiledAccess], ids: dict[Any, int]
) -> dict[str, Any]:
    """Describe operand `number` of products by what a round loads for it; empty for nothing."""
    tiles = [dot.operands[number] for dot in dots]
    by_op = {load.op: load for load in loads}
    found = [by_op[op] for op in dependences(tiles, set(by_op), bounds=False)]
    # Rows and columns, such as scales, are few bytes.
    matrices = [item for item in found if sum(n > 1 for n in item.tile_type.shape) > 1]
    if not matrices:
        return {}
    blocks = {ids[op] for load in matrices for op in block_numbers(load, set(ids))}
    major = (dots[0].opview.a_major, dots[0].opview.b_major)[number].value
    types = [item.tile_type for item in matrices]
    return {
        "bytes": sum(box_bytes(item.shape, item.element_type) for item in types),
        "element_bytes": element_bits(tiles[0].type.element_type) // 8,
        "axes": sorted(blocks),
        "strided": major != "k",
        "computed": any(why_not_in_place(tile) is not None for tile in tiles),
    }
