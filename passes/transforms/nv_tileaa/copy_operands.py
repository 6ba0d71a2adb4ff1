"""Let threads copy operands of products to shared memory by `cp.async`, where TMA cannot.

Before:  scf.for %k { %a = gather %x[%rows, %columns] {run = 8}; dot %a, %b, %acc }
After:   scf.for %k { %a = gather %x[%rows, %columns] {run = 8, atom = <"sm80_cp_async_16_bf16">}
                      dot %a, %b, %acc }

`nv-tileas-copy-ahead` makes copies into a ring of such a gather. The tile must be an operand of
products of wgmma in its round and nothing else, must lie where a round can compute without loading
anything, and must be padded with zeros. `cp.async` copies 16, 8 or 4 bytes at a multiple of their
number, so as many must lie next to each other: rows of 16-bit elements with an odd pitch do not.
The end of the array may come in the middle of them.

The planner decides for each loop whether that is the fastest way (`tilec/plan/thread_operands.py`);
the plan field `copy_rounds` overrides it.

A tiled load that TMA cannot do becomes a gather of the same elements:

Before:  %a, %t = tiled_load %x[%i, %j] {atom = <"sm90_ldg_64_bf16">}
After:   %rows = splat %i + range; %columns = splat %j + range
         %a, %t = gather %x[%rows, %columns] {run = 4, atom = <"sm80_cp_async_8_bf16">}

Remark T0524 says of each operand of a product of wgmma that threads load how it gets to shared
memory, and why.

Options:
    copy_rounds: 1 copies all such operands, 0 none.
"""

from typing import Any

from tilec.dialects.cute.copy_atom import CopyAtomAttr
from tilec.dialects.nv_tileaa.element_ops import GatherOp
from tilec.dialects.nv_tileaa.tile_ops import BroadcastOp, MakeRangeOp, SplatOp, ViewOp
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.integers import i64
from tilec.ir.removal import erase, erase_unused, replace_operation
from tilec.ir.structured import parent_operation
from tilec.passes.analysis.facts.divisibility import Divisibility
from tilec.passes.analysis.facts.index_runs import ends_whole, longest_run
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.kernels import reject, span_of, tiled_access
from tilec.passes.analysis.mma.copied_operands import (
    ASYNC_COPY,
    ATOM,
    copy_bytes,
    operand_loads,
    why_not_copied,
)
from tilec.passes.analysis.mma.thread_operands import thread_operands
from tilec.passes.analysis.schedule.marks import COPY_ROUNDS
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.copies import LEAST_TILED_BYTES
from tilec.plan.overrides import PlanOverrides, parse_overrides
from tilec.plan.thread_operands import choose_copies
from tilec.request.target import Target
from tilec.support.diagnostics import remark
from tilec.support.fast_dataclasses import dataclass, replace

_GATHER, _LOAD = "nv_tileaa.gather", "nv_tileaa.tiled_load"
_HINT = "leave out copy_rounds"
_NONE = "threads load no operand of a product in a loop"


@dataclass
class _Operand:
    """An operand of products that threads load.

    Attributes:
        load: Its load.
        gather: The same as a gather that threads could perform by copies; None if they cannot.
        why_not: Why they cannot, or do not; None if they do.
    """

    load: Any
    gather: Any
    why_not: str | None


@register_kernel_pass("nv-tileaa-copy-operands")
def copy_operands(function: Any, context: PassContext) -> bool:
    """Mark the gathers that threads copy; make gathers of the tiled loads that they copy."""
    if COPY_ROUNDS in read_kernel_fact(function, "disabled", []):
        return False
    asked = parse_overrides(context.overrides(function))
    operands = _find_operands(function)
    if asked.copy_rounds and not any(operand.gather for operand in operands):
        why_not = next((operand.why_not for operand in operands), _NONE)
        raise reject(function, "T0421", f"copy_rounds = true: {why_not}", _HINT)
    found = _decide(function, operands, context.target_of(function), asked)
    changed = False
    for operand in operands:
        context.sink.emit(remark("T0524", _described(operand), span_of(operand.load)))
        changed |= _apply(operand)
    if found:
        plan = read_kernel_fact(function, "plan", {})
        copies = any(operand.why_not is None for operand in operands)
        write_kernel_facts(function, plan=plan | {COPY_ROUNDS: copies, "reasons": found})
    return changed


def _find_operands(function: Any) -> list[_Operand]:
    """Return the operands that threads load; make gathers of those that they could copy."""
    facts = Divisibility(function)
    return [_operand(load, facts) for load in operand_loads(function)]


def _operand(load: Any, facts: Divisibility) -> _Operand:
    """Return an operand, with the gather by which threads could copy it."""
    is_tiled = load.name == _LOAD
    if is_tiled and load.opview.padding != "zero":
        return _Operand(load, None, "cp.async pads with zeros alone")
    gather = _as_gather(load, facts) if is_tiled else load
    why_not = why_not_copied(gather)
    if is_tiled and why_not is None and copy_bytes(gather) < LEAST_TILED_BYTES:
        why_not = f"rows start at multiples of {copy_bytes(gather)} bytes"
    found = _Operand(load, gather, why_not)
    if why_not is not None:
        _drop_gather(found)
    return found


def _drop_gather(operand: _Operand) -> None:
    """Erase a gather that was made for an operand, with what was computed for it."""
    gather, operand.gather = operand.gather, None
    if gather is not None and gather != operand.load:
        needed = list(gather.operands)
        erase(gather)
        erase_unused(needed, only_computes)


def _decide(
    function: Any, operands: list[_Operand], target: Target, asked: PlanOverrides
) -> list[str]:
    """Give up the copies of loops that take longer with them; return what the planner says.

    Args:
        function: The kernel.
        operands: The operands that threads load.
        target: Machine to plan for.
        asked: Fields of the plan that the user fixed.
    """
    found = {}
    loops = {parent_operation(item.load): None for item in operands if item.gather}
    for loop in loops:
        own = [item for item in operands if item.gather and parent_operation(item.load) == loop]
        described = thread_operands(function, loop, [item.gather for item in own], copied=True)
        described = replace(described, splits=asked.split_k or described.splits)
        copies, reason = choose_copies(described, target, asked.copy_rounds)
        found[reason] = None
        for item in own if not copies else ():
            item.why_not = reason
    return list(found)


def _apply(operand: _Operand) -> bool:
    """Replace a load by the copies of threads, or drop what was made for them; tell which."""
    if operand.why_not is not None:
        _drop_gather(operand)
        return False
    load, gather = operand.load, operand.gather
    gather.attributes[ATOM] = _atom(gather)
    if gather != load:
        replace_operation(load, gather.results)
    return True


def _as_gather(load: Any, facts: Divisibility) -> Any:
    """Emit a gather of the elements of a tiled load; return it."""
    access, shape = tiled_access(load), list(load.results[0].type.shape)
    i32, tile = ir.IntegerType.get_signless(32), load.results[0].type
    with ir.InsertionPoint(load), load.location:
        indices = []
        for axis, (coord, extent) in enumerate(zip(access.coords, shape, strict=True)):
            numbers = arith.addi(SplatOp.build(coord, [extent]), MakeRangeOp.build(extent, i32))
            line = [extent if number == axis else 1 for number in range(len(shape))]
            numbers = numbers if line == [extent] else ViewOp.build(numbers, line)
            indices.append(numbers if line == shape else BroadcastOp.build(numbers, shape))
        after = load.opview.after
        gather = GatherOp.build(access.view, indices, None, full(tile, 0), after).operation
    gather.attributes["mem_semantic"] = ir.StringAttr.get(load.opview.mem_semantic)
    run = longest_run(gather.opview, facts)
    gather.attributes["run"] = i64(run)
    if not ends_whole(gather.opview, run):
        gather.attributes["ragged"] = ir.UnitAttr.get()
    return gather


def _atom(gather: Any) -> CopyAtomAttr:
    """Return the atom of as many bytes as lie next to each other."""
    bits, element = 8 * copy_bytes(gather), gather.opview.memref.type.element_type
    name = f"sm80_{ASYNC_COPY}_{bits // 8}_{str(element).lower()}"
    return CopyAtomAttr.of(name, ASYNC_COPY, 1, bits, element)


def _described(operand: _Operand) -> str:
    """Return the remark about an operand."""
    if operand.why_not is None:
        size = copy_bytes(operand.gather)
        return f"threads copy an operand of the mma to shared memory, {size} bytes at a time"
    return f"an operand of the mma goes through the registers of threads: {operand.why_not}"
