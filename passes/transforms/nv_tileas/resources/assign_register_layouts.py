"""Give every register tile of the consumer role a layout.

Before:  %x = load_shared %s : tensor<128x128xf32>; %y = arith.addf %x, %x : tensor<128x128xf32>
After:   the same operations on tensor<128x128xf32, #nv_tileas.layout<"128x128|reg:...">>

Values that an elementwise operation, a loop or a branch ties together form a group and share one
layout. Accumulators of the tensor cores fix the layout of their groups. From there layouts spread
over permute, view and broadcast, which then cost nothing. A group that nothing reaches gets the
layout that its memory accesses like best. Where two fixed layouts meet, a `convert_layout` goes in.
Loads, constants and ranges take any layout: they have none of their own.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas import ConvertLayoutOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import terminator, walk_operations
from tilec.layout import (
    LayoutError,
    RegisterLayout,
    TilePart,
    choose_blocked,
    sliced_from,
    tile_slice,
    warpgroup_part,
    wgmma_accumulator,
    without_units,
)
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.layout.warp_products import WarpProduct
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, read_spec
from tilec.passes.analysis.mma.wgmma_support import warp_product
from tilec.passes.analysis.tma.shared_layouts import with_register_layout
from tilec.passes.registry import PassContext, register_pass
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass, field

_PART = "nv_tileas.tile_part"
_SLICE = "nv_tileas.tile_slice"
_SHAPE_OPS = ("nv_tileas.permute", "nv_tileas.view", "nv_tileas.broadcast", _PART, _SLICE)
_FREE_OPERANDS = (
    "nv_tileas.store_shared",
    "nv_tileas.tiled_store",
    "nv_tileas.cat",
    "nv_tileas.extract",
    "scf.yield",
    "scf.condition",
    *_SHAPE_OPS,
)
"""Operations whose operands and results keep layouts of their own. What a terminator passes on is
tied where the loop or branch around it is met."""


@register_pass("nv-tileas-assign-register-layouts")
def assign_register_layouts(module: Any, context: PassContext) -> None:
    """Give every register tile a layout; convert where two of them meet."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        found = [op for op in kernel_operations(function) if op.name == "nv_tileas.roles"]
        for roles in found:
            _Assignment(roles.opview.consumer.blocks[0], spec["consumer_warps"]).run()


def is_tile(value: Any) -> bool:
    """Tell whether `value` is a register tile."""
    return isinstance(value.type, ir.RankedTensorType)


@dataclass
class _Assignment:
    """Groups of values under one block and the layout of each group."""

    block: Any
    warps: int
    parents: dict[Any, Any] = field(default_factory=dict)
    layouts: dict[Any, RegisterLayout] = field(default_factory=dict)
    replaced: list[Any] = field(default_factory=list)

    def run(self) -> None:
        """Group the values, choose layouts, then write them into the types."""
        for op in walk_operations(self.block):
            self._group(op)
        self._anchor()
        self._spread()
        for value in list(self.parents):
            if self._find(value) not in self.layouts:
                self.layouts[self._find(value)] = self._preferred(value)
                self._spread()
        self._convert()
        for value in list(self.parents):
            layout = self.layouts[self._find(value)]
            value.set_type(with_register_layout(value.type, layout))
        for op in self.replaced:
            erase(op)
        _retype_constants(self.block)

    def _find(self, value: Any) -> Any:
        root = value
        while (parent := self.parents.setdefault(root, root)) != root:
            self.parents[root] = root = self.parents[parent]  # keeps chains short
        self.parents[value] = root
        return root

    def _join(self, *values: Any) -> None:
        tiles = [value for value in values if is_tile(value)]
        for value in tiles:
            self.parents[self._find(value)] = self._find(tiles[0])

    def _group(self, op: Any) -> None:
        if op.name == "scf.for":
            body = op.regions[0].blocks[0]
            inits, yields = list(op.operands)[3:], terminator(body).operands
            rows = zip(op.results, inits, list(body.arguments)[1:], yields, strict=True)
        elif op.name == "scf.if":
            ends = [terminator(r.blocks[0]).operands for r in op.regions if len(r.blocks)]
            rows = zip(op.results, *ends, strict=True) if len(op.results) else ()
        elif op.name == "scf.while":
            before, after = (region.blocks[0] for region in op.regions)
            passed = list(terminator(before).operands)[1:]
            for row in zip(op.operands, before.arguments, terminator(after).operands, strict=True):
                self._join(*row)
            rows = zip(op.results, passed, after.arguments, strict=True)
        elif op.name in _FREE_OPERANDS:
            rows = [(value,) for value in (*op.operands, *op.results)]
        else:
            rows = [(*op.results, *op.operands)]
        for row in rows:
            self._join(*row)

    def _anchor(self) -> None:
        for op in walk_operations(self.block):
            if op.name == "nv_tileas.async_mma":
                m, n, _ = op.opview.tile_shape
                layout = wgmma_accumulator(m, n, self.warps // WARPGROUP_WARPS)
                self.layouts.setdefault(self._find(op.results[0]), layout)
            elif op.name == "nv_tileas.warp_mma":
                shares = warp_product(op, self.warps)
                if isinstance(shares, WarpProduct):  # the pass that made it has asked
                    self.layouts.setdefault(self._find(op.results[0]), shares.accumulator)

    def _spread(self) -> None:
        """Carry known layouts over shape operations until nothing changes."""
        changed = True
        while changed:
            changed = False
            for op in walk_operations(self.block):
                if op.name in _SHAPE_OPS:
                    changed |= self._spread_over(op)

    def _spread_over(self, op: Any) -> bool:
        source, result = self._find(op.operands[0]), self._find(op.results[0])
        if source not in self.layouts and result in self.layouts:
            layout = source_layout(op, self.layouts[result])
            target = source
        elif result not in self.layouts and source in self.layouts:
            layout = result_layout(op, self.layouts[source])
            target = result
        else:
            return False
        if layout is None:
            return False
        self.layouts[target] = layout
        return True

    def _preferred(self, value: Any) -> RegisterLayout:
        """Return the layout for a group that nothing else decides."""
        bits = max(element_bits(member.type.element_type) for member in self._members(value))
        return choose_blocked(tuple(value.type.shape), bits, self.warps)

    def _members(self, value: Any) -> Iterator[Any]:
        root = self._find(value)
        return (member for member in list(self.parents) if self._find(member) == root)

    def _convert(self) -> None:
        """Insert conversions at shape operations whose two sides were fixed differently."""
        for op in walk_operations(self.block):
            if op.name == _PART:
                self._convert_part(op)
            if op.name not in _SHAPE_OPS or op.name == _PART:
                continue
            have = self.layouts[self._find(op.operands[0])]
            result = self.layouts[self._find(op.results[0])]
            if op.name == _SLICE and result_layout(op, have) == result:
                continue  # of the layouts with such slices, the source has another one
            wanted = source_layout(op, result)
            if wanted is None:
                self._convert_shape(op)
            elif wanted != have:
                self._convert_operand(op, wanted)

    def _convert_part(self, op: Any) -> None:
        """Give the source of a part a layout whose registers make up parts, if it has another."""
        part = self._find(op.results[0])
        layout = result_layout(op, self.layouts[self._find(op.operands[0])])
        if layout is None:
            wanted, layout = self._layout_with_parts(op)
            self._convert_operand(op, wanted)
        self.layouts[part] = layout

    def _layout_with_parts(self, op: Any) -> tuple[RegisterLayout, RegisterLayout]:
        """Return an accumulator layout that the part of `op` can be taken from, and the part's."""
        shape = op.operands[0].type.shape
        first, second = without_units(shape)
        warpgroups = self.warps // WARPGROUP_WARPS
        for rows, columns, order in ((first, second, (0, 1)), (second, first, (1, 0))):
            with contextlib.suppress(LayoutError):  # wgmma computes no such tile in this order
                layout = wgmma_accumulator(rows, columns, warpgroups).permute(order)
                wanted = layout.reshape(shape)
                found = result_layout(op, wanted)
                if found is not None:
                    return wanted, found
        raise InternalCompilerError(
            "no layout has these parts", pass_name="nv-tileas-assign-register-layouts", op=str(op)
        )

    def _convert_operand(self, op: Any, wanted: RegisterLayout) -> None:
        source = op.operands[0]
        with ir.InsertionPoint(op), op.location:
            converted = ConvertLayoutOp(source=source, result=source.type).result
        op.operands[0] = converted
        self.layouts[self._find(converted)] = wanted

    def _convert_shape(self, op: Any) -> None:
        """Replace a view by a move through shared memory, where elements lie in row-major order."""
        result = op.results[0]
        with ir.InsertionPoint(op), op.location:
            converted = ConvertLayoutOp(source=op.operands[0], result=result.type).result
        self.layouts[self._find(converted)] = self.layouts[self._find(result)]
        result.replace_all_uses_with(converted)
        self.replaced.append(op)


def source_layout(op: Any, result: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of a shape operation's source that makes the operation free."""
    shape = tuple(op.operands[0].type.shape)
    if op.name == "nv_tileas.permute":
        return result.permute(_inverse(list(op.opview.permutation)))
    if op.name == "nv_tileas.broadcast":
        return result.broadcast_source(shape)[0]
    if op.name == _PART:
        return None
    try:
        if op.name == _SLICE:
            return sliced_from(result, shape)
        return result.reshape(shape)
    except LayoutError:
        return None


def part_of(op: Any, source: RegisterLayout) -> TilePart:
    """Return what a `tile_part` or `tile_slice` takes from a tile with layout `source`.

    Raises:
        LayoutError: The registers of `source` do not make it up.
    """
    part = op.opview
    shape = tuple(op.results[0].type.shape)
    if op.name == _SLICE:
        return tile_slice(source, shape, tuple(part.origin))
    return warpgroup_part(source, shape, tuple(part.origin), part.axis.value)


def result_layout(op: Any, source: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of a shape operation's result that makes the operation free."""
    if op.name == "nv_tileas.permute":
        return source.permute(list(op.opview.permutation))
    if op.name == "nv_tileas.broadcast":
        return None
    try:
        if op.name in (_PART, _SLICE):
            return part_of(op, source).layout
        return source.reshape(tuple(op.results[0].type.shape))
    except LayoutError:
        return None


def _inverse(permutation: list[int]) -> list[int]:
    return [permutation.index(axis) for axis in range(len(permutation))]


def _retype_constants(block: Any) -> None:
    """Give constants the attribute type that matches their result's layout."""
    for op in walk_operations(block):
        if op.name != "arith.constant" or not is_tile(op.results[0]):
            continue
        value = ir.DenseElementsAttr(op.attributes["value"])
        tensor = op.results[0].type
        if value.is_splat:
            op.attributes["value"] = ir.DenseElementsAttr.get_splat(tensor, value.get_splat_value())
