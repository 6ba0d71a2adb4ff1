"""Choose which thread holds which element of each register tile.

Before:  %d : tensor<128x256xf32>
After:   %d : tensor<128x256xf32,
              <"128x256|reg:2*(0,1),2*(8,0),32*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|
                warpgroup:2*(64,0)">>

`docs/architecture.md#layout` explains the text of a layout.

Values that an element-wise operation, a loop or a branch connects form a group and share one
layout. Accumulators of wgmma and mma.sync fix the layout of their groups, and so do A operands that
wgmma takes from registers, and the places of elements that threads copy. From there, layouts follow
the links between groups: permute, view, broadcast, cat, reductions, and places where a tile may
change its layout. These are the results of reductions, the operands in registers, and the tiles
that threads move to or from global memory.
Constants and splats are made again for each use. A group without a layout gets the one that suits
its memory accesses best, the largest tile first. Where its rows are reduced, a warp gets whole rows
if there are enough; where they are scanned, consecutive elements of them.

Then each group is tried in other layouts: vectors along other axes, 8x8 matrices, the layouts of
the tiles that it meets, and vectors or neighbouring elements that lanes make of those by swaps
(`tilec/layout/swaps.py`). A change stays if the accesses, changes of layout, reductions and copies
that it touches cost fewer cycles (`tilec/layout/assignment.py`,
`passes/analysis/layouts/prices.py`). A change of layout through shared memory also costs what the
ring of operands loses by it: the plan says which bytes are free, and what a slot less costs
(`tilec/plan/scratch_room.py`). Remark T0438 says which group changed, and what each change of
layout that is left costs. A part (`nv-tileas-lower-epilogue`) takes the layout of its tile within
one warpgroup.

If the layouts of two groups do not fit, a `convert_layout` is inserted, or what is cheap to compute
is computed again (`recomputed_tiles.py`). A `cat`, and an `extract`
at a known place, name registers where each thread has its part of every tile; else their tiles go
through the scratch area.
"""

from collections.abc import Callable, Iterable
from functools import partial
from math import prod
from typing import Any

from tilec.dialects.nv_tileas import ConvertLayoutOp, HoldOp
from tilec.dialects.nv_tileas.tile_ops import HistogramOp
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import STRUCTURED, defining_operation, enclosing_loops
from tilec.ir.values import is_tile
from tilec.ir.walks import reading, walk_operations
from tilec.layout import RegisterLayout
from tilec.layout.assignment import Assignment, Group, no_price
from tilec.layout.constructors import spread
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.kernels import (
    consumer_blocks,
    parts_and_copies,
    read_spec,
    room_of_spec,
    span_of,
)
from tilec.passes.analysis.layouts.candidates import layouts_near, layouts_to_try, operations_around
from tilec.passes.analysis.layouts.links import (
    COMBINE,
    SHAPE_OPS,
    combinable_layout,
    groups_of_warpgroups,
    layout_with_parts,
    link_of,
)
from tilec.passes.analysis.layouts.operations import (
    CAT,
    CONVERT,
    EXTRACT,
    PART,
    SLICE,
    combined_layout,
    joined_layouts,
    named_layout,
    result_layout,
    source_layout,
)
from tilec.passes.analysis.layouts.prices import (
    access_price,
    arithmetic_price,
    is_access,
    least_access_price,
    rounds_of,
)
from tilec.passes.analysis.passed_values import passed_values
from tilec.passes.analysis.tma.shared_layouts import with_register_layout
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.resources.layout_conversions import (
    PRODUCTS,
    convert_accesses,
    convert_combined,
    convert_copies,
    convert_fragments,
    convert_operand,
    fixed_layouts,
    notable_changes,
    retype_constants,
)
from tilec.passes.transforms.nv_tileas.resources.recomputed_tiles import recompute
from tilec.passes.transforms.nv_tileas.resources.remade_tiles import merge, remake
from tilec.plan.model import ScratchRoom
from tilec.support.diagnostics import SourceSpan, remark
from tilec.support.fast_dataclasses import dataclass, field

_FREE_OPERANDS = (
    "nv_tileas.store_shared",
    "nv_tileas.tiled_store",
    CAT,
    EXTRACT,
    HistogramOp.OPERATION_NAME,
    PART,
    "scf.yield",
    "scf.condition",
    CONVERT,
    *SHAPE_OPS,
)
"""Operations whose operands and results keep layouts of their own. What a terminator passes on is
tied where the loop or branch around it is met."""


@register_kernel_pass("nv-tileas-assign-register-layouts")
def assign_register_layouts(function: Any, context: PassContext) -> None:
    """Give every register tile a layout; convert where two of them meet."""
    spec = read_spec(function) or {}
    for block in consumer_blocks(function):
        (parts, copies), room = parts_and_copies(spec), room_of_spec(spec)
        assignment = LayoutAssignment(block, spec["consumer_warps"], parts, room, copies)
        assignment.run()
        for message, span in assignment.remarks:
            context.sink.emit(remark("T0438", message, span))


@dataclass
class LayoutAssignment:
    """Groups of values under one block, the layout of each, and why (`remarks`).

    `ctas` CTAs have a part of each large tile, or `copies` CTAs a whole one. `room` is for scratch.
    """

    block: Any
    warps: int
    ctas: int = 1
    room: ScratchRoom | None = None
    copies: int = 1
    parents: dict[Any, Any] = field(default_factory=dict)
    layouts: dict[Any, RegisterLayout] = field(default_factory=dict)
    replaced: list[Any] = field(default_factory=list)
    remarks: list[tuple[str, SourceSpan | None]] = field(default_factory=list)

    def run(self) -> None:
        """Group the values, choose layouts, then write them into the types."""
        clones = remake(self.block)
        together = convert_fragments(self.block)
        converted = [op for ops in together for op in ops]
        for insert in (convert_combined, convert_accesses, convert_copies):
            converted += insert(self.block)
        for op in walk_operations(self.block):
            self._group(op)
        for ops in together:
            self._join(*(op.operands[0] for op in ops))
        with reading():
            self._choose()
        self._convert()
        self._drop_equal(converted)
        for value in list(self.parents):
            layout = self.layouts[self._find(value)]
            layout = layout if self.copies == 1 else spread(layout, layout.shape, None, self.copies)
            value.set_type(with_register_layout(value.type, layout))
        merge(clones, self.replaced)
        for op in self.replaced:
            erase(op)
        recompute(self.block)
        retype_constants(self.block)
        self._report_conversions()

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
        rows: Iterable[tuple[Any, ...]]
        if op.name in STRUCTURED:
            rows = passed_values(op)
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

    def _choose(self) -> None:
        """Choose the layout of each group."""
        members: dict[Any, list[Any]] = {}
        for value in list(self.parents):
            members.setdefault(self._find(value), []).append(value)
        fixed = fixed_layouts(self.block, self.warps, self._find)
        ops = walk_operations(self.block)
        found = [link_of(op, self._group_of, self.warps, self.ctas) for op in ops]
        links = [link for link in found if link is not None]
        parts = groups_of_warpgroups(links)
        groups = {
            root: self._facts(tiles, fixed.get(root), WARPGROUP_WARPS if root in parts else None)
            for root, tiles in sorted(members.items(), key=lambda item: item[0] not in fixed)
        }
        search = Assignment(groups, links, self._area_price())
        search.run()
        self.layouts = search.layouts
        for change in search.changes:
            extents = "x".join(map(str, change.group.type.shape))
            message = f"a tile of {extents} is held in {change.what}: its accesses and changes of "
            message += f"layout take {change.after:.0f} cycles of an SM instead of "
            self._remark(f"{message}{change.before:.0f}", change.group)

    def _area_price(self) -> Callable[[int], float]:
        """Return the price of a scratch area: slots of the ring that it takes, in every tile."""
        room = self.room
        loops = (enclosing_loops(op) for op in walk_operations(self.block) if op.name in PRODUCTS)
        tiles = max((rounds_of(around[0]) for around in loops if around), default=0)
        return no_price if room is None else lambda area: tiles * room.cycles(area)

    def _group_of(self, value: Any) -> Any:
        return self._find(value) if is_tile(value) else None

    def _facts(self, tiles: list[Any], fixed: RegisterLayout | None, warps: int | None) -> Group:
        """Return what the search has to know about the group of `tiles`."""
        accesses: dict[Any, Any] = {}
        operations = 0
        for tile in tiles:
            for op in operations_around(tile):
                if is_access(op) and not (is_element_access(op) and op.opview.names(tile)):
                    accesses[op] = tile
            maker = defining_operation(tile)
            if maker is not None and maker.name.split(".")[0] in ("arith", "math"):
                operations += rounds_of(maker) if len(maker.operands) else 0
        warps, shape = warps or self.warps, tuple(tiles[0].type.shape)
        least = sum(rounds_of(op) * least_access_price(op, shape, warps) for op in accesses)

        def price(layout: RegisterLayout) -> float:
            own = sum(rounds_of(op) * access_price(op, layout) for op in accesses)
            return own + arithmetic_price(operations, layout)

        candidates = partial(layouts_to_try, tiles, warps, self.ctas)
        near = partial(layouts_near, tiles)
        return Group(prod(shape), candidates, price, least, fixed, near)

    def _convert(self) -> None:
        """Insert conversions where the two sides of an operation have layouts that do not fit."""
        for op in walk_operations(self.block):
            if op.name == PART:
                self._convert_part(op)
            elif op.name in COMBINE:
                self._convert_combined(op)
            elif op.name in SHAPE_OPS:
                self._convert_relabelled(op)
            elif op.name in (CAT, EXTRACT):
                self._convert_named(op)

    def _convert_relabelled(self, op: Any) -> None:
        have = self.layouts[self._find(op.operands[0])]
        result = self.layouts[self._find(op.results[0])]
        if op.name == SLICE and result_layout(op, have) == result:
            return  # of the layouts with such slices, the source has another one
        wanted = source_layout(op, result)
        if wanted is None and op.name == SLICE:
            self._convert_slice(op)
        elif wanted is None:
            self._convert_shape(op)
        elif wanted != have:
            self._convert_operand(op, wanted)

    def _convert_slice(self, op: Any) -> None:
        """Change the layout before a slice, and after it, where no layout makes both ends free."""
        wanted, found = layout_with_parts(op, self.warps)
        if wanted != self.layouts[self._find(op.operands[0])]:
            self._convert_operand(op, wanted)
        self._convert_result(op, found)

    def _convert_named(self, op: Any) -> None:
        """Change the layout after a `cat` or `extract` that names registers in another one."""
        have = [self.layouts[self._find(tile)] for tile in op.operands if is_tile(tile)]
        layout = self.layouts[self._find(op.results[0])]
        found = named_layout(op, have)
        if found is not None and (op.name == EXTRACT or joined_layouts(op, layout) != have):
            self._convert_result(op, found)

    def _convert_result(self, op: Any, found: RegisterLayout) -> None:
        """Let an operation return a tile with the layout `found`, which changes afterwards."""
        (result,) = op.results
        layout = self.layouts[self._find(result)]
        if found == layout:
            return
        with ir.InsertionPoint(op), op.location:
            part = op.clone().results[0]
            converted = ConvertLayoutOp(source=part, result=result.type).result
        self.layouts[self._find(part)] = found
        self.layouts[self._find(converted)] = layout
        result.replace_all_uses_with(converted)
        self.replaced.append(op)

    def _convert_part(self, op: Any) -> None:
        """Give the source of a part a layout whose registers make up parts, if it has another."""
        if result_layout(op, self.layouts[self._find(op.operands[0])]) is None:
            self._convert_operand(op, layout_with_parts(op, self.warps)[0])

    def _convert_combined(self, op: Any) -> None:
        """Give what is reduced or scanned a layout in which that is possible."""
        if combined_layout(op, self.layouts[self._find(op.operands[0])]) is None:
            for number in range(len(op.operands)):
                self._convert_operand(op, combinable_layout(op, self.warps, self.ctas), number)

    def _convert_operand(self, op: Any, wanted: RegisterLayout, number: int = 0) -> None:
        converted = convert_operand(op, number).results[0]
        self.layouts[self._find(converted)] = wanted

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

    def _report_conversions(self) -> None:
        """Say what each change of layout that is left costs."""
        for tile, cycles in notable_changes(self.block):
            extents = "x".join(map(str, tile.type.shape))
            message = f"a tile of {extents} changes its layout, which takes {cycles:.0f} cycles"
            self._remark(f"{message} of an SM each time", tile)

    def _remark(self, message: str, tile: Any) -> None:
        """Note a remark where a tile is made, which may be erased later."""
        maker = defining_operation(tile)
        self.remarks.append((message, None if maker is None else span_of(maker)))
