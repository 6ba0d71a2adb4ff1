"""Spread the loads of an epilogue in slices over the products of their tile.

Before:  roles { scf.for %tile { scf.for %k = %lower to %upper step %s { ... } }
           producer_warp { scf.for %tile {
             ring_acquire %ring, %p; %r = tiled_load ... {slice = 0}; ring_commit
             ring_acquire %ring, %q; %t = tiled_load ... {slice = 1}; ring_commit } } }
After:   %ns = min(max(ceildiv(%upper - %lower, %s), 0) * pace, 1000000)
         roles { ...
           producer_warp { scf.for %tile {
             ring_acquire %ring, %p; sleep %ns; %r = tiled_load ... {slice = 0}; ring_commit
             ring_acquire %ring, %q; sleep %ns; %t = tiled_load ... {slice = 1}; ring_commit } } }

An epilogue frees the slots of all its slices within a few thousand cycles, on all SMs at about the
same time. If the slices of the next tiles were loaded at once, they would fill the memory bus, and
the operands of the products would arrive late. But nothing needs the slices before these products
end. So the producer warp sleeps before each slice. All sleeps together take about half of the time
of the products. If the number of k-tiles depends on the block, nothing sleeps.

Options:
    epilogue_pace: Nanoseconds of sleep per k-tile; 0 loads at once, as do tiles with more slices
        than slots.
"""

from typing import Any

from tilec.dialects.nv_tileas.role_ops import SleepOp, producer_warps
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    next_operation,
    walk_operations,
)
from tilec.passes.analysis.epilogue.slice_groups import slice_group
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, read_spec
from tilec.passes.registry import PassContext, register_pass

LONGEST_SLEEP = 1_000_000
"""Nanoseconds (PTX ISA, nanosleep)."""
_LOAD = "nv_tileas.tiled_load"


@register_pass("nv-tileas-pace-loads")
def pace_loads(module: Any, context: PassContext) -> bool:
    """Let the producer warps of every kernel whose plan has a pace sleep before each slice."""
    del context
    changed = False
    for function in kernel_functions(module):
        pace = (read_spec(function) or {}).get("epilogue_pace", 0)
        found = [op for op in kernel_operations(function) if op.name == "nv_tileas.roles"]
        for roles in found if pace else ():
            changed |= _pace(roles, pace)
    return changed


def _pace(roles: Any, pace: int) -> bool:
    """Let the producer warps of `roles` sleep; False where none loads slices."""
    acquires = [op for warp in producer_warps(roles) for op in _slice_acquires(warp)]
    loop = _product_loop(roles)
    if not acquires or loop is None:
        return False
    with ir.InsertionPoint(roles), loop.location:
        duration = _duration(loop, pace)
    for acquire in acquires:
        with ir.InsertionPoint(next_operation(acquire)), acquire.location:
            SleepOp(nanoseconds=duration)
    return True


def _slice_acquires(warp: Any) -> list[Any]:
    """Return where a producer warp acquires the slots of slices."""
    ops = list(walk_operations(warp.opview.body.blocks[0]))
    acquires, waiting = [], None
    for op in ops:
        if op.name == "nv_tileas.ring_acquire":
            waiting = op
        elif op.name == _LOAD and slice_group(op) is not None and waiting is not None:
            acquires.append(waiting)
            waiting = None
    return acquires


def _product_loop(roles: Any) -> Any:
    """Return the innermost loop in which the first producer warp loads operands.

    None where its bounds are computed in a role: they depend on the block then.
    """
    block = roles.regions[0].blocks[0]
    warps = set(producer_warps(roles))
    loads = [
        op
        for top in body_operations(block)
        if top not in warps
        for op in (top, *_inside(top))
        if op.name == _LOAD
    ]
    loops = {op.parent.operation for op in loads if op.parent.operation.name == "scf.for"}
    loop = loops.pop() if len(loops) == 1 else None
    if loop is None or any(_is_within(bound, roles) for bound in list(loop.operands)[:3]):
        return None
    return loop


def _inside(op: Any) -> list[Any]:
    return [
        inner
        for region in op.regions
        for block in region.blocks
        for inner in walk_operations(block)
    ]


def _is_within(value: Any, roles: Any) -> bool:
    """Tell whether `value` is defined in one of the roles, not in the block around them."""
    op = defining_operation(value)
    return (value.owner if op is None else op.block) != roles.block


def _duration(loop: Any, pace: int) -> Any:
    """Emit how long to sleep: `pace` for every round of `loop`, within what nanosleep takes."""
    lower, upper, step = list(loop.operands)[:3]
    rounds = arith.ceildivsi(arith.subi(upper, lower), step)
    rounds = arith.minsi(arith.maxsi(rounds, _constant(0)), _constant(LONGEST_SLEEP // pace))
    return arith.muli(rounds, _constant(pace))


def _constant(number: int) -> Any:
    return arith.constant(ir.IntegerType.get_signless(32), number)
