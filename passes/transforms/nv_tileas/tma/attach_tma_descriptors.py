"""Make TMA descriptors kernel parameters that the host fills.

Before:  nv_tileaa.func @k(%A: !nv_tileaa.ptr<bf16>, ...) {
           %d = make_tiled_tma_desc %r {tmaIdx = 0} ... }
After:   nv_tileaa.func @k(%A: ..., %d: !nv_tileas.tma_desc<tensor<128x64xbf16>>) {
           nv_tileas.num-host-tmas = 1, nv_tileas.num-device-tmas = 0 } { ... }

A descriptor depends only on parameters of the launch, so the host encodes it. Each `tmaIdx` becomes
one 128-byte `grid_constant` parameter, in order, after all other parameters. The recipe (array,
axes, extents, strides, box, swizzle) goes into the metadata for the launcher.
"""

from typing import Any

from tilec.dialects.common.element_access import COMBINE
from tilec.dialects.cute.registry import COMBINED_AS
from tilec.ir.attributes import integer, read_kernel_metadata, write_kernel_facts
from tilec.ir.integers import i32
from tilec.ir.removal import replace_operation
from tilec.passes.analysis.kernels import add_parameter, kernel_operations
from tilec.passes.analysis.tma.descriptor_recipe import descriptor_recipe
from tilec.passes.analysis.tma.promotion import promotion_of
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.diagnostics import InternalCompilerError

NAME = "nv-tileas-attach-tma-descriptors"
HOST_COUNT = "nv_tileas.num-host-tmas"
DEVICE_COUNT = "nv_tileas.num-device-tmas"
_COPIES = tuple(f"nv_tileas.async_tiled_tma_{name}" for name in ("load", "store", "prefetch"))


@register_kernel_pass(NAME)
def attach_tma_descriptors(function: Any, context: PassContext) -> None:
    """Append host-built TMA descriptors to the kernel's parameters."""
    makers = [
        op for op in kernel_operations(function) if op.name == "nv_tileas.make_tiled_tma_desc"
    ]
    makers.sort(key=lambda op: integer(op, "tmaIdx"))
    metadata = read_kernel_metadata(function)
    recipes = [_recipe(op, function, metadata) for op in makers]
    for op in makers:
        argument = add_parameter(function, op.results[0].type, op.location)
        replace_operation(op, [argument])
    function.attributes[HOST_COUNT] = i32(len(makers))
    function.attributes[DEVICE_COUNT] = i32(0)
    write_kernel_facts(function, tensor_maps=recipes)
    verify_descriptor_abi(function)


def verify_descriptor_abi(function: Any) -> None:
    """Check that every `tmaIdx` names a descriptor parameter.

    Raises:
        InternalCompilerError: The counters or an index are wrong.
    """
    if HOST_COUNT not in function.attributes or DEVICE_COUNT not in function.attributes:
        raise InternalCompilerError(
            "funcOp lack tmaDeviceNum and tmaHostNum attr", pass_name=NAME, op=function.name
        )
    count = integer(function, HOST_COUNT)
    for op in kernel_operations(function):
        if op.name in _COPIES:
            if "tmaIdx" not in op.attributes:
                raise InternalCompilerError("not find tmaIdx.", pass_name=NAME, op=op.name)
            if integer(op, "tmaIdx") >= count:
                raise InternalCompilerError("tmaIdx exceed tmaHostNum.", pass_name=NAME, op=op.name)


def _recipe(op: Any, function: Any, metadata: dict[str, Any]) -> dict[str, Any]:
    view = op.opview
    recipe = descriptor_recipe(view.view, function, metadata)
    if isinstance(recipe, str):
        raise InternalCompilerError(recipe, pass_name=NAME, op=op.name)
    if view.mode.value == COMBINE:
        recipe["dtype"] = COMBINED_AS.get(recipe["dtype"], recipe["dtype"])
    return {
        **recipe,
        "box": list(view.box),
        "swizzle": view.swizzle.value,
        "l2_promotion": promotion_of(op),
        "load": view.mode.value == "load",
    }
