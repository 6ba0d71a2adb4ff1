"""Between which numbers the elements of loaded tiles lie: scalars from tables of all tiles.

A tile of an array that nothing in the kernel writes has a place in a table of the least and the
largest element of each tile (`nv_tileaa.measure_tiles`). Its coordinates must be multiples of its
extents, as those of tiles of a partition are.
"""

from collections.abc import Iterable
from typing import Any

from tilec.dialects.common.measure_ops import WIDTHS, find_tile_error
from tilec.dialects.nv_tileaa.element_ops import GatherOp
from tilec.dialects.nv_tileaa.measure_ops import BoundedOp, MeasureTilesOp, WorkspaceOp
from tilec.dialects.nv_tileaa.memory_ops import MakeMemrefOp
from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.removal import erase, erase_unused
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.index_ranges import constant_value, tile_index
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.slices import extents_of
from tilec.passes.analysis.kernels import (
    array_of_view,
    free_alias_scope,
    function_body,
    written_arrays,
)

HIDDEN_NAME = "tile_ends_{}"
"""Names of the hidden parameters: the addresses of the tables."""
_MEMREF = "nv_tileaa.make_memref"
_WORD_BITS = 64
"""Bits of an element of a table: it holds both ends of a tile of i32, or one of a tile of i64."""


class MeasuredTiles:
    """The tables of one kernel, made on demand."""

    def __init__(self, function: Any) -> None:
        """Read the parameters of `function`."""
        self._function = function
        self._entry = function_body(function)
        params = read_kernel_fact(function, "params", [])
        self._dims = {
            argument: param["name"]
            for argument, param in zip(self._entry.arguments, params, strict=False)
            if param.get("kind") == "dim"
        }
        self._written = written_arrays(function)
        self._tables: dict[Any, Any] = {}
        self._ends: list[Any] = []

    def why_not(self, load: Any) -> str | None:
        """Return why the ends of the tile that tiled load `load` loads cannot be known, or None."""
        view = load.opview
        type_ = view.memref.type.element_type
        maker = defining_operation(view.memref)
        if not isinstance(type_, ir.IntegerType) or type_.width not in WIDTHS:
            return "its numbers have other types than i32 and i64"
        if follows_store(load) or array_of_view(view.memref, self._function) in self._written:
            return "the kernel writes its numbers"
        if maker is None or maker.name != _MEMREF or not self._is_known_ahead(maker):
            return "its numbers are of a slice of an array"
        if (view.padding or "zero") != "zero" or view.mem_semantic != "weak":
            return "its numbers are loaded with an order, or padded"
        extents = load.results[0].type.shape
        message = find_tile_error(extents)
        if message is not None:
            return f"a table of its numbers {message}"
        indices = [_tile_index(*pair) for pair in zip(view.coords, extents, strict=True)]
        return "its tiles begin anywhere" if any(at is None for at in indices) else None

    def _is_known_ahead(self, maker: Any) -> bool:
        """Tell whether a memref follows from the parameters of the kernel, dims and constants."""
        base, *others = maker.operands
        shape = maker.results[0].type.shape
        sizes = others[: shape.count(None)]
        return (
            isinstance(base, ir.BlockArgument)
            and all(size in self._dims for size in sizes)
            and all(value in list(self._entry.arguments) for value in others)
        )

    @property
    def ends(self) -> list[Any]:
        """The ends of all tiles that are known by them."""
        return list(self._ends)

    def bound(self, load: Any) -> None:
        """Let a tile be known by its ends; `why_not` has found no reason against it."""
        view, tile = load.opview, load.results[0]
        table = self._table(view.memref, tuple(tile.type.shape))
        with ir.InsertionPoint(load), load.location:
            indices = [
                _tile_index(*pair) for pair in zip(view.coords, tile.type.shape, strict=True)
            ]
            ends = _load_ends(table, indices, tile.type.element_type)
        with ir.InsertionPoint.after(load), load.location:
            made = BoundedOp.build(tile, *ends)
        tile.replace_all_uses_except(made, made.owner.operation)
        self._ends += ends

    def forget(self, loads: Iterable[Any]) -> None:
        """Undo `bound` for some loads."""
        for load in loads:
            (use,) = load.results[0].uses
            made = use.owner.operation
            made.results[0].replace_all_uses_with(load.results[0])
            ends = list(made.operands)[1:]
            erase(made)
            self._ends = [end for end in self._ends if end not in ends]
            erase_unused(ends, kept=self._tables.values())
        used = {key: table for key, table in self._tables.items() if list(table.uses)}
        erase_unused(self._tables[key] for key in self._tables.keys() - used.keys())
        self._tables = used

    def _table(self, memref: Any, extents: tuple[int, ...]) -> Any:
        """Return the memref of the table of tiles: a dim more than the array, for both ends."""
        maker = defining_operation(memref)
        key = (*maker.operands, extents)
        if key not in self._tables:
            with ir.InsertionPoint(self._entry.operations[0]), maker.location:
                self._tables[key] = self._make(maker, extents)
        return self._tables[key]

    def _make(self, maker: Any, extents: tuple[int, ...]) -> Any:
        type_ = maker.results[0].type
        array = MakeMemrefOp.build(
            maker.operands[0], maker.opview.sizes, maker.opview.strides, type_
        )
        words = _words(type_.element_type)
        size, i64 = self._size(maker, extents), ir.IntegerType.get_signless(_WORD_BITS)
        address = WorkspaceOp.build(HIDDEN_NAME.format(len(self._tables)), size, i64)
        measured = MeasureTilesOp.build(address, array, extents)
        sizes = [
            _tile_count(constant(size) if isinstance(size, int) else size, extent)
            for size, extent in zip(extents_of(maker.results[0]), extents, strict=True)
        ]
        steps = [_wide(constant(words))]
        for count in reversed(sizes[1:]):
            steps.append(arith.muli(steps[-1], _wide(count)))
        scope = free_alias_scope(self._function)
        rank = len(extents)
        table = MemrefType.of(i64, [*[None] * rank, words], [*[None] * rank, 1], scope)
        return MakeMemrefOp.build(measured, sizes, steps[::-1], table)

    def _size(self, maker: Any, extents: tuple[int, ...]) -> str:
        """Return how many bytes a table takes, as a host expression."""
        sizes = extents_of(maker.results[0])
        names = [str(size) if isinstance(size, int) else self._dims[size] for size in sizes]
        tiles = [
            name if extent == 1 else f"cdiv({name}, {extent})"
            for name, extent in zip(names, extents, strict=True)
        ]
        return f"{' * '.join(tiles)} * {_words(maker.results[0].type.element_type) * 8}"


def _words(element: Any) -> int:
    """Return how many elements of a table hold the ends of a tile."""
    return 2 * element.width // _WORD_BITS


def _load_ends(table: Any, indices: list[Any], element: Any) -> list[Any]:
    """Emit the least and the largest element of a tile."""
    padding = constant(0, _WORD_BITS)
    words = [
        GatherOp.build(table, [*indices, constant(number)], padding=padding).result
        for number in range(_words(element))
    ]
    if len(words) > 1:
        return words
    (both,) = words
    upper = arith.shrui(both, constant(element.width, _WORD_BITS))
    return [arith.trunci(element, both), arith.trunci(element, upper)]


def _tile_count(size: Any, extent: int) -> Any:
    """Emit how many tiles cover a dim."""
    return size if extent == 1 else arith.ceildivsi(size, constant(extent))


def _wide(number: Any) -> Any:
    return arith.extsi(ir.IntegerType.get_signless(64), number)


def _tile_index(coord: Any, extent: int) -> Any:
    """Return the index of the tile at an element coordinate; None if it may begin between tiles.

    Of constants, only 0 is looked at.
    """
    return coord if constant_value(coord) == 0 else tile_index(coord, extent)
