"""Rules for structured control flow and scalar code.

`scf` stays `scf`, with every carried tile spread over its registers; upstream passes take it to
branches afterwards. Elements of 8 and 16 bits are carried in words: LLVM gives each a register of
its own otherwise, and ptxas keeps all parts of a word that is taken apart and put together again.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from tilec.dialects.nv_tileaa.types import MemTokenType
from tilec.dialects.nv_tileas.epilogue_ops import OpaqueOp
from tilec.dialects.nv_tileas.types import MmaTokenType, RingPositionType
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir, scf
from tilec.ir.likeness import like
from tilec.ir.structured import terminator
from tilec.ir.values import is_tile
from tilec.passes.analysis.mma.loop_guards import guarded_loops
from tilec.passes.analysis.tma.shared_layouts import register_layout_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import (
    RULES,
    Lowering,
    PackedTile,
    registers_in_word,
)


def flatten(lowered: Any) -> list[Any]:
    """Return the SSA values that make up a lowered value."""
    if lowered is None:
        return []
    if isinstance(lowered, list | tuple):
        return [emit.value(item) for item in lowered]
    return [emit.value(lowered)]


def lowered_types(value: Any) -> list[Any]:
    """Return the types of the SSA values that `value` becomes."""
    type_ = value.type
    if isinstance(type_, ir.RankedTensorType):
        count = register_layout_of(value).num_registers
        if (each := _carried_together(value)) > 1:
            return [emit.i32_type()] * (count // each)
        return [emit.register_type(type_.element_type)] * count
    if isinstance(type_, RingPositionType):
        return [emit.i32_type(), emit.i32_type()]
    if isinstance(type_, MemTokenType | MmaTokenType):
        return []
    return [emit.register_type(type_)]


def _carried_together(value: Any) -> int:
    """Return how many registers of tile `value` are carried in a word."""
    count = registers_in_word(emit.register_type(value.type.element_type))
    return 1 if register_layout_of(value).num_registers % count else count


def parts_of(lowering: Lowering, value: Any) -> list[Any]:
    """Return the SSA values as which `value` is carried."""
    each = _carried_together(value) if is_tile(value) else 1
    if each == 1:
        return flatten(lowering.get(value))
    found = lowering.values[value]
    if isinstance(found, PackedTile):
        return found.words
    lanes, words = emit.lane_numbers(each), {}
    groups = [tuple(found[first : first + each]) for first in range(0, len(found), each)]
    for group in groups:
        if group not in words:  # the registers of a constant tile are equal
            words[group] = lowering.word(group, lanes)
    return [words[group] for group in groups]


def regroup(value: Any, parts: Sequence[Any]) -> Any:
    """Return SSA values in the form that the rules expect for `value`."""
    if is_tile(value):
        if _carried_together(value) == 1:
            return list(parts)
        return PackedTile(list(parts), emit.register_type(value.type.element_type))
    if isinstance(value.type, RingPositionType):
        return tuple(parts)
    return parts[0] if parts else None


def regrouped(values: Sequence[Any], parts: Sequence[Any]) -> list[Any]:
    """Return what each of `values` became, from the SSA values `parts` of all of them."""
    rest = iter(parts)
    return [regroup(value, list(islice(rest, len(lowered_types(value))))) for value in values]


def _operands(lowering: Lowering, values: Sequence[Any]) -> list[Any]:
    return [part for value in values for part in parts_of(lowering, value)]


def _types(values: Sequence[Any]) -> list[Any]:
    return [part for value in values for part in lowered_types(value)]


def _lower_region(lowering: Lowering, source: Any, region: Any) -> None:
    """Lower block `source` into a new block of `region`, terminator included."""
    types = _types(source.arguments)
    target = region.blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
    last = terminator(source)
    with ir.InsertionPoint(target):
        lowering.replace(source.arguments, regrouped(source.arguments, list(target.arguments)))
        lowering.block(source)
        ir.Operation.create(
            last.name, operands=_operands(lowering, last.operands), loc=last.location
        )


@RULES.converts(scf.ForOp, scf.WhileOp, scf.IfOp)
def lower_structured(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Rebuild a structured operation over lowered values."""
    operands = _operands(lowering, op.operands)
    if op.name == "scf.if" and guarded_loops(op):
        # Code for a loop that does not run would lie between the loop and what follows: measured
        # with ptxas 13.0, every round then ends with two branches.
        operands = [llvm_ops.expect(operands[0], emit.constant(emit.i1_type(), 1))]
    clone = like(op, operands, _types(op.results), regions=len(op.regions))
    for source, region in zip(op.regions, clone.regions, strict=True):
        if len(source.blocks):
            _lower_region(lowering, source.blocks[0], region)
    return regrouped(op.results, list(clone.results))


@RULES.converts(OpaqueOp)
def lower_opaque(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Pass every register on through an empty piece of assembly."""
    parts = _operands(lowering, op.operands)
    return regrouped(op.results, [emit.opaque(part) for part in parts])


def clone_scalar(lowering: Lowering, op: Any) -> list[Any]:
    """Clone an operation on scalars."""
    clone = op.clone(ip=ir.InsertionPoint.current)
    for index, operand in enumerate(op.operands):
        clone.operands[index] = lowering.get(operand)
    return list(clone.results)
