"""Make the device memory that CTAs share hidden parameters that the launcher fills.

Before:  nv_tileaa.func @k(%A: !nv_tileaa.ptr<bf16>, ..., %d: !nv_tileas.tma_desc<...>) {
           %c = workspace {hidden_name = "counters", size = "cdiv(M, 128) * 4", zeroed} ... }
After:   nv_tileaa.func @k(..., %d: !nv_tileas.tma_desc<...>, %c: !nv_tileaa.ptr<i32>) { ... }
           {tilec.kernel = {workspaces = [{name = "counters", size = "cdiv(M, 128) * 4", ...}],
                            hidden_parameters = [{name = "counters", dtype = "u64"}]}}

The metadata gets the name, the size expression, the alignment, and whether the memory must be zero.
With these the launcher provides the memory. Hidden parameters follow the tensor maps, so the pass
runs after `nv-tileas-attach-tma-descriptors`; `nv-tileas-debug-waits` adds its own parameter later.
"""

from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.removal import replace_operation
from tilec.passes.analysis.kernels import add_parameter, kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.request.wait_records import HIDDEN_PARAMETERS

WORKSPACES = "workspaces"
"""Entry of the kernel metadata that describes the device memory a launch provides."""
ALIGNMENT = 256
"""Alignment of a workspace in bytes: that of cuMemAlloc (CUDA programming guide)."""


@register_kernel_pass("nv-tileas-attach-workspaces")
def attach_workspaces(function: Any, context: PassContext) -> bool:
    """Append the addresses of workspaces to the kernel's parameters."""
    found = [op for op in kernel_operations(function) if op.name == "nv_tileas.workspace"]
    if found:
        _attach(function, found)
    return bool(found)


def _attach(function: Any, workspaces: list[Any]) -> None:
    described = read_kernel_fact(function, WORKSPACES, [])
    hidden = read_kernel_fact(function, HIDDEN_PARAMETERS, [])
    for op in workspaces:
        view = op.opview
        name = view.hidden_name.value
        described.append(
            {
                "name": name,
                "size": view.size.value,
                "alignment": ALIGNMENT,
                "zeroed": "zeroed" in op.attributes,
            }
        )
        hidden.append({"name": name, "dtype": "u64"})
        argument = add_parameter(function, op.results[0].type, op.location)
        replace_operation(op, [argument])
    write_kernel_facts(function, **{WORKSPACES: described, HIDDEN_PARAMETERS: hidden})
