"""Choose which thread holds which element of each register tile.

Before:  %d : tensor<128x256xf32>
After:   %d : tensor<128x256xf32,
              <"128x256|reg:2*(0,1),2*(8,0),32*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|
                warpgroup:2*(64,0)">>

`docs/architecture.md#layout` explains the text of a layout.

Values that an element-wise operation, a loop or a branch connects form a group and share one
layout. Accumulators of wgmma and mma.sync fix the layout of their groups. So do A operands that
wgmma takes from registers, unless there is an accumulator in their group. From there, layouts
spread through permute, view, broadcast, cat and reductions, which then cost nothing. Loads and
ranges take any layout. Constants and splats are made again for each use. A group without a fixed
layout gets the one that suits its memory accesses best, the largest tile first. Where its rows are
reduced, a warp gets whole rows if there are enough; where they are scanned, consecutive elements of
them. A tile that is transposed between its loads and stores gets the layout with the least price
among some candidates (`passes/analysis/layout_prices.py`); remark T0438 says which. A part
(`nv-tileas-lower-epilogue`) takes the layout of its tile within one warpgroup.

If two fixed layouts meet, or if a layout has no such parts, a `convert_layout` is inserted.
"""

import contextlib
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from tilec.dialects.nv_tileas import ConvertLayoutOp, HoldOp
from tilec.dialects.nv_tileas.tile_ops import HistogramOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import defining_operation, terminator, walk_operations
from tilec.layout import (
    LayoutError,
    RegisterLayout,
    choose_blocked,
    wgmma_accumulator,
    without_units,
)
from tilec.layout.candidates import candidate_layouts
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.commutativity import keeps_order
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.kernels import (
    ctas_of_spec,
    kernel_functions,
    kernel_operations,
    read_spec,
    span_of,
)
from tilec.passes.analysis.layout_prices import Groups, price
from tilec.passes.analysis.mma.fragments import a_fragment
from tilec.passes.analysis.operation_layouts import (
    CAT,
    CONVERT,
    PART,
    SLICE,
    combined_layout,
    joined_layouts,
    result_layout,
    source_layout,
)
from tilec.passes.analysis.tma.shared_layouts import with_register_layout
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.resources.layout_conversions import (
    COMBINE,
    PRODUCTS,
    accumulator_layout,
    convert_combined,
    convert_fragments,
    register_operand,
    retype_constants,
)
from tilec.passes.transforms.nv_tileas.resources.remade_tiles import merge, remake
from tilec.support.diagnostics import InternalCompilerError, remark
from tilec.support.fast_dataclasses import dataclass, field

_MEMORY = ("tiled_load", "tiled_store", "load_shared", "store_shared")
_SHAPE_OPS = ("nv_tileas.permute", "nv_tileas.view", "nv_tileas.broadcast", PART, SLICE)
_FREE_OPERANDS = (
    "nv_tileas.store_shared",
    "nv_tileas.tiled_store",
    CAT,
    "nv_tileas.extract",
    HistogramOp.OPERATION_NAME,
    "scf.yield",
    "scf.condition",
    CONVERT,
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
            block = roles.opview.consumer.blocks[0]
            assignment = LayoutAssignment(block, spec["consumer_warps"], ctas_of_spec(spec))
            assignment.run()
            for message, tile in assignment.remarks:
                maker = defining_operation(tile)
                span = None if maker is None else span_of(maker)
                context.sink.emit(remark("T0438", message, span))


def is_tile(value: Any) -> bool:
    """Tell whether `value` is a register tile."""
    return isinstance(value.type, ir.RankedTensorType)


@dataclass
class LayoutAssignment:
    """Groups of values under one block and the layout of each group; `remarks` say why."""

    block: Any
    warps: int
    ctas: int = 1
    parents: dict[Any, Any] = field(default_factory=dict)
    layouts: dict[Any, RegisterLayout] = field(default_factory=dict)
    replaced: list[Any] = field(default_factory=list)
    remarks: list[tuple[str, Any]] = field(default_factory=list)

    def run(self) -> None:
        """Group the values, choose layouts, then write them into the types."""
        clones = remake(self.block)
        together = convert_fragments(self.block)
        fragments = [op for ops in together for op in ops]
        converted = [*convert_combined(self.block), *fragments]
        for op in walk_operations(self.block):
            self._group(op)
        for ops in together:
            self._join(*(op.operands[0] for op in ops))
        self._anchor(fragments)
        self._spread()
        for value in sorted(self.parents, key=lambda value: -prod(value.type.shape)):
            if self._find(value) not in self.layouts:
                self.layouts[self._find(value)] = self._preferred(value)
                self._spread()
        self._convert()
        self._drop_equal(converted)
        for value in list(self.parents):
            layout = self.layouts[self._find(value)]
            value.set_type(with_register_layout(value.type, layout))
        merge(clones, self.replaced)
        for op in self.replaced:
            erase(op)
        retype_constants(self.block)

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
        elif op.name in COMBINE:
            rows = [tuple(op.operands), tuple(op.results)]
        elif op.name in PRODUCTS:
            rows = [(op.operands[2], op.results[0]), (op.operands[0],), (op.operands[1],)]
        elif op.name == HoldOp.OPERATION_NAME:
            rows = [(op.results[0], op.opview.tile), (op.opview.acc,)]
        elif op.name in _FREE_OPERANDS:
            rows = [(value,) for value in (*op.operands, *op.results)]
        else:
            rows = [(*op.results, *op.operands)]
        for row in rows:
            self._join(*row)

    def _anchor(self, conversions: list[Any]) -> None:
        """Fix layouts that products ask for; `conversions` make their A operands."""
        fragments: list[tuple[Any, RegisterLayout]] = []
        for op in walk_operations(self.block):
            layout = accumulator_layout(op, self.warps)
            if layout is not None:
                self.layouts.setdefault(self._find(op.results[0]), layout)
            operand = register_operand(op)
            if operand is not None:
                fragments.append((operand, a_fragment(op, self.warps // WARPGROUP_WARPS)))
        for operand, fragment in fragments:  # accumulators come first: there are more of them
            self.layouts[self._find(operand)] = fragment
        for op in conversions:
            fragment = self.layouts[self._find(op.results[0])]
            self.layouts.setdefault(self._find(op.operands[0]), fragment)

    def _spread(self) -> None:
        """Carry known layouts over shape operations until nothing changes."""
        changed = True
        while changed:
            changed = False
            for op in walk_operations(self.block):
                if op.name in (CONVERT, *_SHAPE_OPS):
                    changed |= self._spread_over(op)
                elif op.name == CAT:
                    changed |= self._spread_over_join(op)
                elif op.name in COMBINE:
                    changed |= self._spread_combined(op)

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

    def _spread_over_join(self, op: Any) -> bool:
        """Give operands of a `cat` the layouts that make it free; its result decides."""
        result = self.layouts.get(self._find(op.results[0]))
        pieces = None if result is None else joined_layouts(op, result)
        if pieces is None:
            return False
        changed = False
        for operand, piece in zip(op.operands, pieces, strict=True):
            if self._find(operand) not in self.layouts:
                self.layouts[self._find(operand)] = piece
                changed = True
        return changed

    def _spread_combined(self, op: Any) -> bool:
        """Give the results of a reduction or scan the layout that follows from its sources."""
        tiles = [result for result in op.results if is_tile(result)]
        source = self.layouts.get(self._find(op.operands[0]))
        if source is None or (tiles and self._find(tiles[0]) in self.layouts):
            return False
        layout = combined_layout(op, source)
        if layout is None:
            wanted = self._combinable_layout(op)
            self._convert_operands(op, wanted)
            layout = combined_layout(op, wanted)
        if tiles and layout is not None:
            self.layouts[self._find(tiles[0])] = layout
        return bool(tiles)

    def _combinable_layout(self, op: Any) -> RegisterLayout:
        bits = max(element_bits(operand.type.element_type) for operand in op.operands)
        shape, axis = tuple(op.operands[0].type.shape), op.opview.axis.value
        scanned = (axis,) if keeps_order(op) else ()
        return self._blocked(shape, bits, (axis,), scanned)

    def _blocked(
        self, shape: tuple[int, ...], bits: int, reduced: Sequence[int], scanned: Sequence[int]
    ) -> RegisterLayout:
        return choose_blocked(shape, bits, self.warps, None, reduced, scanned, self.ctas)

    def _preferred(self, value: Any) -> RegisterLayout:
        """Return the layout for a group that nothing else decides."""
        members = list(self._members(value))
        touching = [op for member in members for op in _around(member)]
        held = [member for member in members if not _only_names_elements(member)] or members
        bits = [element_bits(member.type.element_type) for member in held]
        moved = [
            element_bits(item.type.element_type)
            for op in touching
            if op.name.rpartition(".")[2] in _MEMORY
            for item in (*op.operands, *op.results)
            if is_tile(item)
        ]
        reduced = {op.opview.axis.value for op in touching if op.name in COMBINE}
        ordered = (op for op in touching if op.name in COMBINE and keeps_order(op))
        scanned = sorted({op.opview.axis.value for op in ordered})
        shape, narrowest = tuple(value.type.shape), min(moved, default=max(bits))
        default = self._blocked(shape, narrowest, [*reduced], scanned)
        return self._cheapest(self._find(value), default, narrowest)

    def _cheapest(self, root: Any, default: RegisterLayout, bits: int) -> RegisterLayout:
        """Return the layout with the least price for a group whose tile is transposed."""
        groups = Groups(self._find, self._members, self.layouts)
        usual = price(root, default, groups)
        if usual is None:
            return default
        best, least, what = default, usual, ""
        for name, layout in candidate_layouts(default.shape, bits, self.warps):
            found = price(root, layout, groups)
            if found is not None and found < least:
                best, least, what = layout, found, name
        if what:
            extents = "x".join(map(str, default.shape))
            message = f"a tile of {extents} is held in {what}: its loads and stores take {least} "
            self.remarks.append((f"{message}steps of a warp instead of {usual}", root))
        return best

    def _members(self, value: Any) -> Iterator[Any]:
        root = self._find(value)
        return (member for member in list(self.parents) if self._find(member) == root)

    def _convert(self) -> None:
        """Insert conversions at shape operations whose two sides were fixed differently."""
        for op in walk_operations(self.block):
            if op.name == PART:
                self._convert_part(op)
            if op.name not in _SHAPE_OPS or op.name == PART:
                continue
            have = self.layouts[self._find(op.operands[0])]
            result = self.layouts[self._find(op.results[0])]
            if op.name == SLICE and result_layout(op, have) == result:
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

    def _convert_operand(self, op: Any, wanted: RegisterLayout, number: int = 0) -> None:
        source = op.operands[number]
        with ir.InsertionPoint(op), op.location:
            converted = ConvertLayoutOp(source=source, result=source.type).result
        op.operands[number] = converted
        self.layouts[self._find(converted)] = wanted

    def _convert_operands(self, op: Any, wanted: RegisterLayout) -> None:
        for number in range(len(op.operands)):
            self._convert_operand(op, wanted, number)

    def _drop_equal(self, converted: list[Any]) -> None:
        """Remove the conversions between equal layouts."""
        for op in converted:
            source, result = op.operands[0], op.results[0]
            if self.layouts[self._find(source)] == self.layouts[self._find(result)]:
                result.replace_all_uses_with(source)
                self.replaced.append(op)

    def _convert_shape(self, op: Any) -> None:
        """Replace a view by a move through shared memory, where elements lie in row-major order."""
        result = op.results[0]
        with ir.InsertionPoint(op), op.location:
            converted = ConvertLayoutOp(source=op.operands[0], result=result.type).result
        self.layouts[self._find(converted)] = self.layouts[self._find(result)]
        result.replace_all_uses_with(converted)
        self.replaced.append(op)


def _around(value: Any) -> list[Any]:
    """Return the operations that make or use a value."""
    users = [use.owner.operation for use in value.uses]
    maker = defining_operation(value)
    return users if maker is None else [maker, *users]


def _only_names_elements(tile: Any) -> bool:
    """Tell whether `tile` is nothing but an index or mask: vectors are made for what it names."""
    users = [use.owner.operation for use in tile.uses]
    return bool(users) and all(is_element_access(op) and op.opview.names(tile) for op in users)
