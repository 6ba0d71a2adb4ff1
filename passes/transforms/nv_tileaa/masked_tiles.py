"""What `nv-tileaa-skip-masks` computes of a tile where a mask hides something."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import clone_operation, defining_operation
from tilec.passes.analysis.facts.constants import is_filler, number_of
from tilec.passes.analysis.facts.mask_tests import (
    FALSE,
    TRUE,
    Condition,
    Flag,
    NoTestError,
    all_of,
    derive_test,
)
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.transforms.nv_tileaa.scalar_tests import emit_condition
from tilec.support.fast_dataclasses import dataclass

_SELECT, _PRODUCT, _SPLAT = "arith.select", "arith.mulf", "nv_tileaa.splat"
_JOINS = {1: "arith.andi", 2: "arith.ori"}
"""What joins the parts of a mask, by the side of the choice that is usual."""
_LOADED = "nv_tileaa.bounded"
_ONE = 1.0


@dataclass(frozen=True)
class Masked:
    """A choice by a mask.

    Attributes:
        select: The operation.
        side: The operand that it usually returns: 1 or 2.
        operations: The operations that compute its mask from scalars.
    """

    select: Any
    side: int
    operations: tuple[Any, ...]

    @property
    def kept(self) -> Any:
        """What it usually returns."""
        return self.select.operands[self.side]

    @property
    def inside(self) -> set[Any]:
        """The operations that only the masks need, and constants."""
        found = set(self.operations)
        for value in self.select.operands:
            if is_filler(value):
                found.add(value.owner.operation)
        found.discard(defining_operation(self.kept))
        return found


def emit_masked(masked: Iterable[Masked], ranges: ValueRanges) -> list[Any]:
    """Emit choices with their masks; return what they choose.

    A mask of loaded numbers and one of indices have tests of their own: of two masks, a tile often
    needs one.
    """
    mapping: dict[Any, Any] = {}
    results = []
    for item in masked:
        kept, usual = without_factor(item.kept)
        if usual is not None:
            kept = _with_factor(item.kept.owner.operation, kept, usual)
        parts = _parts(item, ranges)
        if len(parts) == 1:
            mapping[item.kept] = kept
            results.append(_clone_with(item.select, item.inside, mapping).results[0])
            continue
        for masks, condition in parts:
            kept = _by_part(item, masks, condition, kept)
        results.append(kept)
    return results


def without_factor(tile: Any) -> tuple[Any, Condition | None]:
    """Return what a tile is if its scalar factor is 1, and when that is so.

    `nv-tileaa-delay-factors` makes such factors. For a tile without one, or with other uses, the
    tile and None.
    """
    op = defining_operation(tile)
    if op is None or op.name != _PRODUCT or len(list(tile.uses)) > 1:
        return tile, None
    for kept, factor in (op.operands, list(op.operands)[::-1]):
        splat = defining_operation(factor)
        if splat is None or splat.name != _SPLAT:
            continue
        chosen = defining_operation(splat.operands[0])
        if chosen is None or chosen.name != _SELECT:
            continue
        condition, *numbers = chosen.operands
        ones = [number_of(number) == _ONE for number in numbers]
        if any(ones) and chosen.block != op.block:
            return kept, Flag(condition, ones[0])
    return tile, None


def _with_factor(product: Any, kept: Any, usual: Condition) -> Any:
    """Emit a product, in a branch that multiplies only where the factor is not 1."""
    branch = scf.IfOp(emit_condition(usual), [kept.type], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([kept])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([clone_operation(product, {}).results[0]])
    return branch.results[0]


def _parts(item: Masked, ranges: ValueRanges) -> list[tuple[list[Any], Condition]]:
    """Return masks of loaded numbers and others apart, and when they hide nothing.

    One part, where not both can be told from tests.
    """
    parts: dict[bool, list[Any]] = {}
    conditions: dict[bool, list[Condition]] = {}
    for mask in _joined(item.select.operands[0], _JOINS[item.side]):
        try:
            test = derive_test(mask, item.side == 1, ranges)
        except NoTestError:
            return [([], TRUE)]
        is_loaded = any(op.name == _LOADED for op in test.operations)
        parts.setdefault(is_loaded, []).append(mask)
        conditions.setdefault(is_loaded, []).append(test.condition)
    found = [(parts[key], all_of(conditions[key])) for key in sorted(parts)]
    tested = all(condition not in (TRUE, FALSE) for _, condition in found)
    return found if tested else [([], TRUE)]


def _joined(mask: Any, join: str) -> list[Any]:
    op = defining_operation(mask)
    if op is None or op.name != join:
        return [mask]
    return [part for operand in op.operands for part in _joined(operand, join)]


def _by_part(item: Masked, masks: list[Any], condition: Condition, kept: Any) -> Any:
    """Emit the choice by some parts of a mask, where their tests ask for it."""
    branch = scf.IfOp(emit_condition(condition), [kept.type], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([kept])
    with ir.InsertionPoint(branch.else_block):
        mapping: dict[Any, Any] = {item.kept: kept}
        tiles = [_cloned(mask, item.inside, mapping) for mask in masks]
        join = arith.andi if item.side == 1 else arith.ori
        mask = reduce(join, tiles)
        filler = _cloned(item.select.operands[3 - item.side], item.inside, mapping)
        sides = (kept, filler) if item.side == 1 else (filler, kept)
        scf.YieldOp([arith.select(mask, *sides)])
    return branch.results[0]


def _cloned(value: Any, inside: set[Any], mapping: dict[Any, Any]) -> Any:
    op = defining_operation(value)
    if op in inside and value not in mapping:
        _clone_with(op, inside, mapping)
    return mapping.get(value, value)


def _clone_with(op: Any, inside: set[Any], mapping: dict[Any, Any]) -> Any:
    """Clone `op` after the operations of `inside` that it needs.

    Ranges are cloned for each use: rows and columns hold them in different layouts.
    """
    for operand in op.operands:
        source = defining_operation(operand)
        if source in inside and (operand not in mapping or not source.operands):
            _clone_with(source, inside, mapping)
    return clone_operation(op, mapping)
