"""What the operands of products are computed from, and how many bytes are loaded for that.

Tiles are chosen with the answer, before there is IR.
"""

from collections.abc import Mapping
from math import prod

from tilec.frontend.semantics.facts.products import PRODUCTS, product_extents
from tilec.frontend.semantics.facts.result_deferral import is_loaded, operations_of
from tilec.frontend.semantics.hir import Block, Operation, TileType, Value
from tilec.plan.products import Extents, ProductsTogether
from tilec.support.fast_dataclasses import dataclass, replace

_GATHER = "load_elements_tko"
_LOADS = ("load_view_tko", _GATHER)
_OTHERS = ("mmaf", "mmai", "reduce", "scan", "histogram", "atomic_elements_tko")
"""Operations whose results are no elements of loaded tiles."""
_EITHER_ORDER = (0, 1)


def with_sources(
    block: Block, together: Mapping[Extents, ProductsTogether]
) -> Mapping[Extents, ProductsTogether]:
    """Add where computed operands of products come from to what products have in common.

    Args:
        block: The operations of a kernel.
        together: By the extents of a product.
    """
    ops = list(operations_of(block))
    makers = {result: op for op in ops for result in op.results}
    found = dict(together)
    for op in ops:
        sources = [operand_source(item, makers) for item in op.operands[:2] if op.name in PRODUCTS]
        known = [source for source in sources if source is not None]
        if len(known) == 2 and any(source.by_threads for source in known):
            first, second = known
            extents = product_extents(op)
            found[extents] = replace(
                found[extents],
                loaded=(first.bytes, second.bytes),
                computed=(first.is_computed, second.is_computed),
                copied=(first.is_copied, second.is_copied),
            )
    return found


@dataclass(frozen=True, slots=True)
class OperandSource:
    """Where an operand of a product comes from.

    Attributes:
        bytes: Bytes that are loaded for each of its elements.
        is_computed: Whether threads compute it from what is loaded.
        is_copied: Whether it is what is loaded, but TMA cannot load it.
    """

    bytes: float
    is_computed: bool = False
    is_copied: bool = False

    @property
    def by_threads(self) -> bool:
        """Whether threads bring it to where wgmma reads it."""
        return self.is_computed or self.is_copied


def operand_source(operand: Value, makers: Mapping[Value, Operation]) -> OperandSource | None:
    """Return where an operand comes from; None if not from loaded tiles alone.

    Args:
        operand: The operand.
        makers: What makes each value of the kernel.
    """
    if is_loaded(operand, makers, _EITHER_ORDER):
        return OperandSource(_bytes(operand) / _elements(operand))
    if _is_gathered(operand, makers):
        return OperandSource(_bytes(operand) / _elements(operand), is_copied=True)
    pending, seen, size = [operand], set[Value](), 0
    while pending:
        value = pending.pop()
        op = makers.get(value)
        if value in seen:
            continue
        seen.add(value)
        if op is None or op.regions or op.name in _OTHERS:
            return None
        if op.name in _LOADS:
            size += _bytes(value) if _is_matrix(value) else 0
        else:
            pending += [item for item in op.operands if isinstance(item.type, TileType)]
    return OperandSource(size / _elements(operand), is_computed=True) if size else None


def _is_gathered(operand: Value, makers: Mapping[Value, Operation]) -> bool:
    """Tell whether an operand is gathered from an array, and maybe transposed."""
    op = makers.get(operand)
    while op is not None and op.name == "permute":
        op = makers.get(op.operands[0])
    return op is not None and op.name == _GATHER


def _is_matrix(tile: Value) -> bool:
    """Tell whether a tile has more than one row and more than one column."""
    return sum(extent > 1 for extent in _shape(tile)) > 1


def _elements(tile: Value) -> int:
    return prod(map(int, _shape(tile)))


def _bytes(tile: Value) -> int:
    return _elements(tile) * tile.type.dtype.bytes if isinstance(tile.type, TileType) else 0


def _shape(tile: Value) -> tuple[int, ...]:
    return tile.type.shape if isinstance(tile.type, TileType) else ()
