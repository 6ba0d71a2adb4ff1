"""The operations between tiles of different layouts, as links of `tilec/layout/assignment.py`.

A link knows by which layouts its operation only renames registers, and what it costs otherwise.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.slices import constant_origin
from tilec.ir.structured import defining_operation
from tilec.layout import (
    LayoutError,
    RegisterLayout,
    choose_blocked,
    sliced_from,
    wgmma_accumulator,
    without_units,
)
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.commutativity import keeps_order
from tilec.passes.analysis.layouts.operations import (
    BROADCAST,
    CAT,
    COMBINE,
    CONVERT,
    EXTRACT,
    PART,
    PERMUTE,
    SLICE,
    Form,
    combined_layout_of,
    form_of,
    joined_layouts,
    named_layout,
    result_layout,
    result_layout_of,
    source_layout_of,
)
from tilec.passes.analysis.layouts.prices import (
    combining_price,
    conversion_bytes,
    conversion_price,
    rounds_of,
    scratch_price,
    tile_bytes,
)

SHAPE_OPS = (PERMUTE, "nv_tileas.view", BROADCAST, SLICE)
Layouts = Sequence[RegisterLayout]
Found = Mapping[Any, RegisterLayout]


def link_of(
    op: Any, group_of: Callable[[Any], Any], warps: int, ctas: int
) -> "OperationLink | None":
    """Return the link that an operation makes; None for one whose tiles share a group.

    Args:
        op: An operation.
        group_of: Returns the group of a tile, or None for other values.
        warps: Warps of the role.
        ctas: CTAs of a cluster that hold a tile together.
    """
    kinds = {CAT: JoinLink, CONVERT: ConvertLink, PART: PartLink, EXTRACT: ExtractLink}
    kinds |= dict.fromkeys(SHAPE_OPS, ShapeLink) | dict.fromkeys(COMBINE, CombineLink)
    return kinds[op.name](op, group_of, warps, ctas) if op.name in kinds else None


class OperationLink:
    """A link that reads its layouts by group.

    Attributes:
        op: The operation.
        groups: The groups that it ties, each once.
        source: Group of its first operand.
        result: Group of its first result; None for one that is no tile.
        reorders: Whether another axis is contiguous in its result.
    """

    def __init__(self, op: Any, group_of: Callable[[Any], Any], warps: int, ctas: int) -> None:
        """Look at the operands and results of `op`."""
        self.op, self.warps, self.ctas = op, warps, ctas
        self.operands = [group_of(operand) for operand in op.operands]
        self.source, self.result = self.operands[0], group_of(op.results[0])
        found = (*self.operands, self.result)
        self.groups = list(dict.fromkeys(group for group in found if group is not None))
        self.rounds = rounds_of(op)
        self.bits = element_bits(op.operands[0].type.element_type)
        self.reorders = op.name == PERMUTE
        self._own_prices: dict[RegisterLayout, float] = {}

    def price(self, layouts: Layouts) -> float:
        """Return the cycles that the link costs; `layouts` are in the order of `groups`."""
        return self.rounds * self.price_once(dict(zip(self.groups, layouts, strict=True)))

    def scratch_bytes(self, layouts: Layouts) -> int:
        """Return the bytes of the scratch area that the link uses."""
        found = dict(zip(self.groups, layouts, strict=True))
        return max((conversion_bytes(*ends, self.bits) for ends in self.changes(found)), default=0)

    def changes(self, layouts: Found) -> list[tuple[RegisterLayout, RegisterLayout]]:
        """Return the changes of layout that the link makes: from which one, and to which one."""
        raise NotImplementedError

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Return the layouts of other groups that make the link free."""
        raise NotImplementedError

    def price_once(self, layouts: Found) -> float:
        """Return the cycles of one run of the operation."""
        raise NotImplementedError

    def price_of_changes(self, layouts: Found) -> float:
        """Return the cycles of the changes of layout."""
        return sum(conversion_price(*ends, self.bits) for ends in self.changes(layouts))

    def _result(self, layout: RegisterLayout) -> RegisterLayout | None:
        return result_layout_of(self._form, layout)

    def _source(self, layout: RegisterLayout) -> RegisterLayout | None:
        return source_layout_of(self._form, layout)

    @cached_property
    def _form(self) -> Form:
        return form_of(self.op)

    @cached_property
    def _with_parts(self) -> tuple[RegisterLayout, RegisterLayout]:
        return layout_with_parts(self.op, self.warps)


class ConvertLink(OperationLink):
    """A place where a tile may change its layout."""

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Go on with the same layout, but not to what has the layout of its source anyway."""
        if origin == self.result and _is_combined(self.op.operands[0]):
            return {}
        return {group: layout for group in self.groups if group != origin}

    def changes(self, layouts: Found) -> list[tuple[RegisterLayout, RegisterLayout]]:
        """Return the change, if it is one."""
        return [(layouts[self.source], layouts[self.result])]

    def price_once(self, layouts: Found) -> float:
        """Return the cycles of the change."""
        return self.price_of_changes(layouts)


class ShapeLink(OperationLink):
    """An operation that relabels elements."""

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Relabel the layout."""
        if self.source == self.result:
            return {}
        forward = origin == self.source
        found = self._result(layout) if forward else self._source(layout)
        other = self.result if forward else self.source
        return {} if found is None else {other: found}

    def changes(self, layouts: Found) -> list[tuple[RegisterLayout, RegisterLayout]]:
        """Return the changes of layout before it, and after a slice."""
        have, result = layouts[self.source], layouts[self.result]
        if self.op.name == SLICE and self._result(have) == result:
            return []  # of the layouts with such slices, the source has another one
        wanted, found = self._source(result), result
        if wanted is None and self.op.name == SLICE:
            wanted, found = self._with_parts
        return [(have, result if wanted is None else wanted), (found, result)]

    def price_once(self, layouts: Found) -> float:
        """Return the cycles of the changes of layout."""
        return self.price_of_changes(layouts)


class NamingLink(OperationLink):
    """A `cat` or `extract`: it names registers, or its tiles go through the scratch area.

    Where it could name registers of its sources, the result changes its layout afterwards: that
    avoids conflicts of banks, and moves no more than what is cut out.
    """

    def scratch_bytes(self, layouts: Layouts) -> int:
        """Return the bytes of the largest tile, where tiles move."""
        found = dict(zip(self.groups, layouts, strict=True))
        if self._moves(found):
            return max(tile_bytes(layout, self.bits) for layout in layouts)
        return super().scratch_bytes(layouts)

    def changes(self, layouts: Found) -> list[tuple[RegisterLayout, RegisterLayout]]:
        """Return the change of layout after it."""
        found = self._named(layouts)
        if found is None or self._is_free(layouts):
            return []
        return [(found, layouts[self.result])]

    def price_once(self, layouts: Found) -> float:
        """Return the cycles of moves through the scratch area, or of the change of layout."""
        if not self._moves(layouts):
            return self.price_of_changes(layouts)
        moved = (*(layouts[group] for group in self.tiles), layouts[self.result])
        return scratch_price([(layout, self.bits) for layout in moved])

    @cached_property
    def tiles(self) -> list[Any]:
        """Return the group of each tile that it takes; an `extract` also takes indices."""
        return [group for group in self.operands if group is not None]

    def _moves(self, layouts: Found) -> bool:
        return not self._is_free(layouts) and self._named(layouts) is None

    def _named(self, layouts: Found) -> RegisterLayout | None:
        have = tuple(layouts[group] for group in self.tiles)
        if have not in self._known:
            self._known[have] = named_layout(self.op, have)
        return self._known[have]

    @cached_property
    def _known(self) -> dict[tuple[RegisterLayout, ...], RegisterLayout | None]:
        return {}

    def _is_free(self, layouts: Found) -> bool:
        raise NotImplementedError


class JoinLink(NamingLink):
    """A `cat`."""

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Give the operands layouts that make up that of the result, or the result one of them."""
        if origin != self.result:
            with contextlib.suppress(LayoutError):
                return {self.result: sliced_from(layout, self.op.results[0].type.shape)}
            return {}
        pieces = joined_layouts(self.op, layout) or []
        pairs = zip(self.operands, pieces, strict=False)
        return {group: piece for group, piece in pairs if group != origin}

    def _is_free(self, layouts: Found) -> bool:
        have = [layouts[group] for group in self.operands]
        return joined_layouts(self.op, layouts[self.result]) == have


class ExtractLink(NamingLink):
    """An `extract`."""

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Take the slice of a layout, or a layout with such slices, where the slice is known."""
        if self.source == self.result or constant_origin(self.op) is None:
            return {}
        if origin == self.source:
            found = self._named({self.source: layout})
            return {} if found is None else {self.result: found}
        with contextlib.suppress(LayoutError):
            return {self.source: sliced_from(layout, self.op.operands[0].type.shape)}
        return {}

    def _is_free(self, layouts: Found) -> bool:
        return self._named(layouts) == layouts[self.result]


class CombineLink(OperationLink):
    """A reduction or scan: the layout of the result follows from its source."""

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Give the result its layout."""
        if origin != self.source or self.result is None:
            return {}
        return {self.result: self._combined(layout)}

    def changes(self, layouts: Found) -> list[tuple[RegisterLayout, RegisterLayout]]:
        """Return the change of layout before it."""
        have = layouts[self.source]
        if self._result(have) is not None:
            return []
        return [(have, self._combinable)]

    def price_once(self, layouts: Found) -> float:
        """Return the cycles of the combination, and of a change of layout before it."""
        have = layouts[self.source]
        if self.result is not None and layouts[self.result] != self._combined(have):
            return inf
        changes = self.changes(layouts)
        moved = len(self.operands) * self.price_of_changes(layouts) if changes else 0.0
        return moved + self._own_price(changes[0][1] if changes else have)

    def _own_price(self, layout: RegisterLayout) -> float:
        if layout not in self._own_prices:
            self._own_prices[layout] = combining_price(self.op, layout)
        return self._own_prices[layout]

    @cached_property
    def _combinable(self) -> RegisterLayout:
        return combinable_layout(self.op, self.warps, self.ctas)

    def _combined(self, layout: RegisterLayout) -> RegisterLayout:
        found = self._result(layout)
        if found is None:
            found = self._result(self._combinable)
        assert found is not None
        return found

    def _result(self, layout: RegisterLayout) -> RegisterLayout | None:
        return combined_layout_of(self._form, layout)


class PartLink(OperationLink):
    """A `tile_part`: the layout of the part follows from its source."""

    def follow(self, origin: Any, layout: RegisterLayout) -> Found:
        """Give the part its layout."""
        return {self.result: self._part(layout)} if origin == self.source else {}

    def changes(self, layouts: Found) -> list[tuple[RegisterLayout, RegisterLayout]]:
        """Return the change of layout before it."""
        have = layouts[self.source]
        if self._result(have) is not None:
            return []
        return [(have, self._with_parts[0])]

    def price_once(self, layouts: Found) -> float:
        """Return the cycles of a change of layout before it."""
        if layouts[self.result] != self._part(layouts[self.source]):
            return inf
        return self.price_of_changes(layouts)

    def _part(self, layout: RegisterLayout) -> RegisterLayout:
        found = self._result(layout)
        return self._with_parts[1] if found is None else found


def groups_of_warpgroups(links: Sequence[OperationLink]) -> set[Any]:
    """Return the groups of tiles that one warpgroup holds: parts, and what is made of them."""
    found = {link.result for link in links if link.op.name == PART}
    grown = True
    while grown:
        grown = False
        for link in links:
            more = {*link.groups} - found
            if link.op.name != PART and more and not found.isdisjoint(link.groups):
                found |= more
                grown = True
    return found


def _is_combined(tile: Any) -> bool:
    maker = defining_operation(tile)
    return maker is not None and maker.name in COMBINE


def combinable_layout(op: Any, warps: int, ctas: int) -> RegisterLayout:
    """Return a layout in which a reduction or scan is possible."""
    bits = max(element_bits(operand.type.element_type) for operand in op.operands)
    shape, axis = tuple(op.operands[0].type.shape), op.opview.axis.value
    scanned = (axis,) if keeps_order(op) else ()
    return choose_blocked(shape, bits, warps, None, (axis,), scanned, ctas)


def layout_with_parts(op: Any, warps: int) -> tuple[RegisterLayout, RegisterLayout]:
    """Return an accumulator layout that a part or slice can be taken from, and the layout of that.

    Raises:
        LayoutError: There is none.
    """
    shape = op.operands[0].type.shape
    first, second = without_units(shape)
    warpgroups = warps // WARPGROUP_WARPS
    for rows, columns, order in ((first, second, (0, 1)), (second, first, (1, 0))):
        with contextlib.suppress(LayoutError):  # wgmma computes no such tile in this order
            layout = wgmma_accumulator(rows, columns, warpgroups).permute(order)
            wanted = layout.reshape(shape)
            found = result_layout(op, wanted)
            if found is not None:
                return wanted, found
    raise LayoutError(f"no layout has the parts of {op}")
