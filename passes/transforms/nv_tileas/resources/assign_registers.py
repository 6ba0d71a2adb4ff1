"""Move registers from the producer role to the consumers.

Before:  roles producer: { ... } consumer: { ... }
After:   roles producer: { set_registers {count = 40, decrease} ... }
               consumer: { set_registers {count = 232, increase} ... }

The planner chooses the counts so that, over all warpgroups, registers times 128 threads fit into
the register file (PTX ISA, setmaxnreg; more would deadlock). A kernel without a producer role keeps
the registers of the launch, and so does one whose plan moves nothing.

Options:
    producer_registers: Registers of a producer thread.
    consumer_registers: Registers of a consumer thread.
"""

from typing import Any

from tilec.dialects.nv_tileas import SetRegistersOp
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.passes.analysis.kernels import kernel_roles, read_spec
from tilec.passes.registry import PassContext, register_kernel_pass


@register_kernel_pass("nv-tileas-assign-registers")
def assign_registers(function: Any, context: PassContext) -> None:
    """Open each role with its register count."""
    spec = read_spec(function) or {}
    if not (spec["producer_warps"] and spec["producer_registers"]):
        return
    for roles in kernel_roles(function):
        _open(roles.opview.producer, spec["producer_registers"], "decrease")
        _open(roles.opview.consumer, spec["consumer_registers"], "increase")


def _open(region: Any, count: int, action: str) -> None:
    block = region.blocks[0]
    SetRegistersOp(
        count=i64(count),
        action=ir.StringAttr.get(action),
        loc=region.owner.location,
        ip=ir.InsertionPoint.at_block_begin(block),
    )
