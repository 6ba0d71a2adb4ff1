"""How long a producer warp sleeps before each slice that it loads; see `nv-tileas-insert-rings`."""

from collections.abc import Iterable
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.structured import LOOPS, parent_operation
from tilec.ir.values import block_of
from tilec.passes.analysis.kernels import role_block

LONGEST_SLEEP = 1_000_000
"""Nanoseconds (PTX ISA, nanosleep)."""


def emit_sleep(roles: Any, sends: Iterable[Any], pace: int) -> Any:
    """Emit for how many nanoseconds (i32) to sleep: `pace` for each round of the products' loop.

    Args:
        roles: The roles; the number is computed before them.
        sends: Where tiles that are no slices are put into rings: the operands of the products.
        pace: Nanoseconds for a round.

    Returns:
        The number; None without such a loop, and where its bounds are computed in a role, because
        they depend on the block then.
    """
    producer = roles.regions[0].blocks[0]
    parents = {parent_operation(send) for send in sends if role_block(send) == producer}
    loops = [op for op in parents if op.name in LOOPS]
    if len(loops) != 1 or loops[0].name != "scf.for":
        return None
    lower, upper, step = list(loops[0].operands)[:3]
    if any(block_of(bound) != roles.block for bound in (lower, upper, step)):
        return None
    with ir.InsertionPoint(roles), loops[0].location:
        rounds = arith.ceildivsi(arith.subi(upper, lower), step)
        rounds = arith.minsi(arith.maxsi(rounds, constant(0)), constant(LONGEST_SLEEP // pace))
        return arith.muli(rounds, constant(pace))
