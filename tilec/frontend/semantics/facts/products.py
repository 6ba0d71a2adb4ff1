"""Which products of a kernel run together: the operands that they share, and their accumulators.

Tiles are chosen with the answer, before there is IR.
"""

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence

from tilec.frontend.semantics.hir import Block, Operation, TileType, Value
from tilec.frontend.semantics.values import AutoInt
from tilec.plan.live_accumulators import Body, Step, live_together
from tilec.plan.products import Extents, NextProduct, ProductsTogether
from tilec.support.fast_dataclasses import replace
from tilec.support.mma_atoms import ProductTypes, products_of

PRODUCTS = ("mmaf", "mmai")


def symbol(extent: int) -> int | str:
    """Return the name of an `auto` extent, the number of any other."""
    return extent.name if isinstance(extent, AutoInt) else int(extent)


def products_together(block: Block) -> Mapping[Extents, ProductsTogether]:
    """Return what the products of equal extents (m, n, k) in one block have in common.

    Args:
        block: The operations of a kernel.
    """
    held = live_together(_outline(block), carried=True)
    chained = dict(_chains(block, {}))
    found: dict[Extents, ProductsTogether] = {}
    for operations in _blocks(block):
        groups: dict[Extents, list[Operation]] = {}
        for op in operations:
            if op.name in PRODUCTS:
                groups.setdefault(product_extents(op), []).append(op)
        for extents, ops in groups.items():
            others = max((_results(held[op.results[0]], held) for op in ops), key=len)
            a_tiles, b_tiles = (len({op.operands[number] for op in ops}) for number in (0, 1))
            live = tuple(_extents(tile)[-2:] for tile in others if isinstance(tile, Value))
            if any("promote" in op.attributes for op in ops):
                live = (*live, extents[:2])  # the sum of each few elements of K, and that of all
            count = sum(products_of(op.attributes.get("precision")) for op in ops)
            after = chained.get(ops[0])
            sums = _sums(ops[0], held)
            together = ProductsTogether(count, a_tiles, b_tiles, live, sums, after)
            if extents not in found or found[extents].products < together.products:
                found[extents] = together
    return found


def _results(tiles: Iterable[Hashable], products: Container[Hashable]) -> list[Hashable]:
    """Return those of some tiles that products make."""
    return [tile for tile in tiles if tile in products]


def _sums(product: Operation, held: Mapping[Hashable, Sequence[Hashable]]) -> int:
    """Return how many tiles of the shape of a product its loop carries for no product to add to.

    Args:
        product: The product.
        held: By the result of each product, the tiles that are live then.
    """
    (result,) = product.results
    tiles = [tile for tile in held[result] if isinstance(tile, Value) and tile not in held]
    return sum(_extents(tile) == _extents(result) for tile in tiles)


def product_types(tiles: Sequence[Value], precision: str | None) -> ProductTypes:
    """Return the element types of a product, as the instruction reads them.

    Args:
        tiles: A, B and the accumulator.
        precision: How operands of f32 are multiplied; None for exactly.
    """
    kinds = [tile.type for tile in tiles]
    a, b, accumulator = (kind.dtype for kind in kinds if isinstance(kind, TileType))
    signs = ["signed" if dtype.signed else "unsigned" for dtype in (a, b)]
    return ProductTypes.of((a.mlir, b.mlir, accumulator.mlir), precision, (signs[0], signs[1]))


def _blocks(block: Block) -> Iterator[list[Operation]]:
    """Yield the operations of a block, and of each block in it."""
    yield block.operations
    for op in block.operations:
        for region in op.regions:
            yield from _blocks(region)


def _chains(
    block: Block, makers: dict[Value, Operation]
) -> Iterator[tuple[Operation, NextProduct]]:
    """Yield the first one of every two products in a loop of which the second one needs the first.

    Args:
        block: A block of the kernel.
        makers: What makes the values before it; gets those of the block.
    """
    for op in block.operations:
        for region in op.regions:
            yield from _chains(region, makers)
        makers.update(dict.fromkeys(op.results, op))
        body = op.regions[0].operations if op.name == "for" else []
        products = [inner for inner in body if inner.name in PRODUCTS]
        if len(products) == 2 and _depends_on(products[1].operands[0], products[0], makers):
            columns = product_extents(products[1])[1]
            yield products[0], NextProduct(columns, depends_on_block(op.operands[1], makers))


def _depends_on(value: Value, product: Operation, makers: Mapping[Value, Operation]) -> bool:
    """Tell whether a tile is computed from the result of a product, in the same round."""
    pending, seen = [value], set[Value]()
    while pending:
        op = makers.get(found := pending.pop())
        if op is product:
            return True
        if op is not None and found not in seen:
            seen.add(found)
            pending.extend(op.operands)
    return False


def depends_on_block(value: Value, makers: Mapping[Value, Operation]) -> bool:
    """Tell whether a scalar may differ from block to block."""
    pending, seen = [value], set[Value]()
    while pending:
        op = makers.get(found := pending.pop())
        if op is None or found in seen:
            continue
        if op.name == "get_tile_block_id" or op.regions:
            return True
        seen.add(found)
        pending.extend(op.operands)
    return False


def product_extents(op: Operation) -> Extents:
    """Return M, N and K of a product of tiles: numbers, and the names of `auto` constants."""
    (*_, m, k), (*_, n) = (_extents(operand) for operand in op.operands[:2])
    return m, n, k


def _extents(tile: Value) -> tuple[int | str, ...]:
    assert isinstance(tile.type, TileType)
    return tuple(symbol(extent) for extent in tile.type.shape)


def _outline(block: Block) -> Body:
    """Return the tiles of a block and the steps that compute them."""
    return Body(
        tuple(_step(op) for op in block.operations), _tiles(block.yields), _tiles(block.arguments)
    )


def _step(op: Operation) -> Step:
    bodies = tuple(_outline(region) for region in op.regions)
    step = Step(_tiles(op.results), _tiles(op.operands), bodies)
    return replace(step, added=op.operands[2]) if op.name in PRODUCTS else step


def _tiles(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(value for value in values if isinstance(value.type, TileType))
