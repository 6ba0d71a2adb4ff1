"""Whether the result of a kernel can wait for the next tile while it is stored, or be transposed.

Tiles are chosen with the answer, before there is IR. So this asks of the typed program what
`passes/analysis/schedule/tile_graph.py` asks of the IR. What is decided later, such as which
tiles TMA moves, it takes for granted.
"""

from collections.abc import Container, Iterator, Mapping

from tilec.frontend.semantics.facts.products import depends_on_block, product_types
from tilec.frontend.semantics.hir import Block, Operation, PartitionViewType, TileType, Value
from tilec.frontend.semantics.padding import ARRAY
from tilec.support.mma_atoms import wgmma_family

_LOAD, _STORE = "load_view_tko", "store_view_tko"
_OTHER_WRITES = ("store_elements_tko", "atomic_elements_tko", "atomic_red_view_tko")
_PRODUCTS = ("mmaf", "mmai")
_MATRIX_RANK = 2
_Makers = Mapping[Value, Operation]


def has_deferrable_result(block: Block) -> bool:
    """Tell whether a kernel stores one tile, computed element by element from the sums of a loop.

    These are products of tiles as they are loaded.

    Args:
        block: Its operations.
    """
    ops = list(operations_of(block))
    makers = {result: op for op in ops for result in op.results}
    products = (op for op in ops if op.name in _PRODUCTS)
    return has_elementwise_result(block) and all(_runs_on_wgmma(op, makers) for op in products)


def has_elementwise_result(block: Block) -> bool:
    """Tell whether a kernel stores one tile, computed element by element from the sums of a loop.

    Args:
        block: Its operations.
    """
    ops = list(operations_of(block))
    products = [op for op in ops if op.name in _PRODUCTS]
    stores = [op for op in ops if op.name == _STORE]
    if not products or len(stores) != 1 or block.operations[-1] is not stores[0]:
        return False
    if any(op.name in _OTHER_WRITES for op in ops):
        return False
    loops = [op for op in block.operations if op.name == "for"]
    loop = next((op for op in loops if products[0] in op.regions[0].operations), None)
    makers = {result: op for op in ops for result in op.results}
    return (
        loop is not None
        and all(product in loop.regions[0].operations for product in products)
        and _counts_alike_in_all_blocks(loop, makers)
        and _is_by_element(stores[0].operands[0], makers)
    )


def has_plain_sum(block: Block) -> bool:
    """Tell whether the only product of a kernel is all that its loop does with the accumulator.

    wgmma can then compute the transpose of a product of few rows: `nv-tileaa-swap-operands`.

    Args:
        block: The operations of the kernel.
    """
    products = [op for op in operations_of(block) if op.name in _PRODUCTS]
    loops = [op for op in block.operations if op.name == "for"]
    if len(products) != 1:
        return False
    total = products[0].results[0]
    inner = next((op.regions[0] for op in loops if products[0] in op.regions[0].operations), None)
    if inner is None or total not in inner.yields:
        return False
    carried = inner.arguments[len(inner.arguments) - len(inner.yields) :]
    return products[0].operands[2] is carried[inner.yields.index(total)]


def operations_of(block: Block) -> Iterator[Operation]:
    """Yield the operations of a block and of all blocks in it."""
    for op in block.operations:
        yield op
        for region in op.regions:
            yield from operations_of(region)


def _counts_alike_in_all_blocks(loop: Operation, makers: _Makers) -> bool:
    """Tell whether a loop goes from a constant in steps of 1, to an end that all blocks share."""
    lower, upper, step = loop.operands[:3]
    first, each = makers.get(lower), makers.get(step)
    if first is None or first.name != "constant" or each is None or each.name != "constant":
        return False
    return each.attributes["value"] == 1 and not depends_on_block(upper, makers)


def _runs_on_wgmma(product: Operation, makers: _Makers) -> bool:
    """Tell whether wgmma computes a product, from tiles that lie as they were loaded."""
    total = product.results[0].type
    types = product_types(product.operands, product.attributes.get("precision"))
    family = wgmma_family(types)
    if family is None or not isinstance(total, TileType) or len(total.shape) != _MATRIX_RANK:
        return False
    a, b = product.operands[:2]
    either = family.reads_transposed
    return is_loaded(a, makers, (0, 1) if either else (0,)) and is_loaded(
        b, makers, (0, 1) if either else (1,)
    )


def is_loaded(tile: Value, makers: _Makers, transposes: Container[int]) -> bool:
    """Tell whether a tile is loaded and then transposed as often, modulo 2."""
    op, count = makers.get(tile), 0
    while op is not None and (op.name == "permute" or _is_unit_view(op)):
        count += op.name == "permute"
        op = makers.get(op.operands[0])
    if count % 2 not in transposes:
        return False
    if op is None or op.name != _LOAD or not op.attributes.get("allow_tma", True):
        return False
    view, maker = op.operands[0].type, makers.get(op.operands[0])
    if not isinstance(view, PartitionViewType) or maker is None:
        return False
    if view.padding == "zero":
        source = makers.get(maker.operands[0])
        return source is None or source.name != "slice_view"  # else it is computed
    return view.padding == ARRAY


def _is_unit_view(op: Operation) -> bool:
    """Tell whether an operation only adds or drops dims of extent 1."""
    if op.name != "reshape":
        return False
    before, after = (
        [extent for extent in _shape(value) if extent != 1]
        for value in (op.operands[0], op.results[0])
    )
    return before == after


def _shape(value: Value) -> tuple[int, ...]:
    return value.type.shape if isinstance(value.type, TileType) else ()


def _is_by_element(tile: Value, makers: _Makers) -> bool:
    """Tell whether a tile is computed from the sums of products, each element from its own."""
    pending, seen = [tile], set[Value]()
    while pending:
        value = pending.pop()
        op = makers.get(value)
        if op is None or value in seen:
            continue
        seen.add(value)
        if op.name in _PRODUCTS:
            return True
        if op.name in ("for", "if"):
            pending.append(op.regions[0].yields[op.results.index(value)])
        elif op.name == "permute" or _is_unit_view(op):
            pending.append(op.operands[0])
        else:
            sources = [item for item in op.operands if isinstance(item.type, TileType)]
            if all(_shape(item) == _shape(value) for item in sources):
                pending.extend(sources)
    return False
