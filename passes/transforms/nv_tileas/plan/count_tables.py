"""Tables of what loops without products count: how many rounds of a tile do something."""

from collections.abc import Callable, Sequence
from typing import Any

from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.dialects.nv_tileas import WorkspaceOp
from tilec.dialects.nv_tileas.element_ops import GatherOp
from tilec.dialects.nv_tileas.measure_ops import TabulateOp
from tilec.dialects.nv_tileas.memory_ops import MakeMemrefOp
from tilec.dialects.nv_tileas.tile_ops import YieldValuesOp
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.removal import replace_values
from tilec.ir.structured import operations_inside
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.element_accesses import is_element_access, is_repeatable
from tilec.passes.analysis.kernels import free_alias_scope

HIDDEN_NAME = "rounds_{}"
"""Names of the hidden parameters: the addresses of the tables."""
_WORD_BYTES = 8
_WORD_BITS, _HALF_BITS = 64, 32
_MOST_RESULTS = 2
_COMPUTING = ("arith", "math")
_FREE = ("nv_tileas.opaque", "nv_tileas.num_ctas", "nv_tileas.cta_id")
_STRUCTURED = ("scf.for", "scf.if", "scf.yield")


def is_count(op: Any) -> bool:
    """Tell whether `op` is a loop that carries i32 and does nothing but to load and compute."""
    if op.name != "scf.for" or not 0 < len(op.results) <= _MOST_RESULTS:
        return False
    if any(str(result.type) != "i32" for result in op.results):
        return False
    inside = operations_inside(op)
    return any(map(is_element_access, inside)) and all(map(may_repeat, inside))


def may_repeat(op: Any) -> bool:
    """Tell whether other threads may perform `op` earlier, and get the same."""
    values = (*op.operands, *op.results)
    if any(is_tile(value) for value in values):
        return False
    if is_element_access(op):
        return is_repeatable(op)
    return op.name.split(".")[0] in _COMPUTING or op.name in (*_FREE, *_STRUCTURED)


def make_table(
    function: Any,
    name: str,
    extents: Sequence[str],
    items: tuple[Any, Any, Any],
    count: Callable[[Any], Sequence[Any]],
) -> Any:
    """Emit a table of what is counted for work items; return its memref.

    Args:
        function: The kernel.
        name: Name of the hidden parameter.
        extents: Numbers of items, as host expressions; their product is that of all items.
        items: First item of this CTA, number of all items, distance of two items of this CTA.
        count: Emits what is counted, one or two i32, given the number of an item.
    """
    i64 = ir.IntegerType.get_signless(_WORD_BITS)
    size = f"{' * '.join(f'({extent})' for extent in extents)} * {_WORD_BYTES}"
    address = WorkspaceOp.build(name, size, i64, zeroed=False)
    table = TabulateOp.build(address, items)
    block = table.body.blocks.append(items[0].type)
    with ir.InsertionPoint(block):
        YieldValuesOp(first=_packed(count(block.arguments[0])))
    return words_at(function, table.made, items[1])


def words_at(function: Any, address: Any, count: Any) -> Any:
    """Emit the memref of `count` words of 64 bits that nothing else overlaps."""
    word = ir.IntegerType.get_signless(_WORD_BITS)
    type_ = MemrefType.of(word, [None], [1], free_alias_scope(function))
    return MakeMemrefOp.build(address, [count], [], type_)


def load_word(memref: Any, place: Any) -> Any:
    """Emit the load of a word of 64 bits."""
    return GatherOp.build(memref, [place], padding=constant(0, _WORD_BITS)).result


def read_table(memref: Any, item: Any, results: int) -> list[Any]:
    """Emit what has been counted for an item."""
    return halves_of(load_word(memref, item))[:results]


def replace_count(loop: Any, memref: Any, item: Any) -> None:
    """Read the results of a loop that counts from a table, for an item."""
    with ir.InsertionPoint(loop), loop.location:
        replace_values(loop.results, read_table(memref, item, len(loop.results)))


def _packed(values: Sequence[Any]) -> Any:
    """Emit the i64 whose halves are one or two i32."""
    i64 = ir.IntegerType.get_signless(_WORD_BITS)
    word = arith.extui(i64, values[0])
    for value in values[1:]:
        upper = arith.shli(arith.extui(i64, value), constant(_HALF_BITS, _WORD_BITS))
        word = arith.ori(word, upper)
    return word


def halves_of(word: Any) -> list[Any]:
    """Emit the halves of an i64, the lower one first."""
    i32 = ir.IntegerType.get_signless(_HALF_BITS)
    lower = arith.trunci(i32, word)
    return [lower, arith.trunci(i32, arith.shrui(word, constant(_HALF_BITS, _WORD_BITS)))]
