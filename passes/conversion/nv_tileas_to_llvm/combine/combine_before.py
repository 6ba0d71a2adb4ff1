"""Rule for scans across the CTAs of a cluster: the parts of the CTAs before come first."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas import CombineBeforeOp
from tilec.ir.bindings import arith
from tilec.layout import Owner, RegisterLayout
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import (
    Combiner,
    Element,
    joined_parts,
)
from tilec.passes.conversion.nv_tileas_to_llvm.combine.scan import Before, after, known
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout


@RULES.converts(CombineBeforeOp)
def lower_combine_before(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Combine every element with what comes before it in other CTAs, one value for a row."""
    view, combine = op.opview, Combiner(op, lowering)
    layout, axis = tile_layout(view.sources[0]), view.axis.value
    identity, count = combine.identity(), layout.shape[axis]
    place = _parts_before(op, layout, lowering)
    exists = emit.compare("ne", place, 0)
    offsets = tile_layout(view.parts[0]).register_offsets()
    held = dict(zip(offsets, _elements(view.parts, lowering), strict=True))
    elements = zip(layout.register_offsets(), _elements(view.sources, lowering), strict=True)
    befores: dict[tuple[int, ...], Before] = {}
    found = []
    for offset, element in elements:
        row = (*offset[: axis + 1], *offset[axis + 2 :])
        if row not in befores:
            parts = [held[*row[:axis], part, *row[axis + 1 :]] for part in range(count)]
            total, _ = joined_parts(combine, parts[::-1] if view.is_reverse else parts, place)
            befores[row] = known(total, exists, identity)
        found.append(after(combine, befores[row], element))
    return [list(column) for column in zip(*found, strict=True)]


def _elements(tiles: Sequence[Any], lowering: Lowering) -> list[Element]:
    """Return the elements of tiles that are combined together, one for each register."""
    return list(zip(*(lowering.tile(tile) for tile in tiles), strict=True))


def _parts_before(op: Any, layout: RegisterLayout, lowering: Lowering) -> Any:
    """Emit how many parts come before that of this CTA (i32)."""
    axis = op.opview.axis.value
    (term,) = (term for term in layout.reduction_terms(axis) if term.owner is Owner.CTA)
    digit = emit.value(lowering.thread_digit(term.owner, term.divisor, term.extent))
    if not op.opview.is_reverse:
        return digit
    return arith.subi(emit.value(term.extent - 1), digit)
