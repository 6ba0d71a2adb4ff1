"""Convert cuda_tile kernels to nv_tileaa.

Before:  "cuda_tile.entry"() ({ ... cuda_tile.load_view_tko %view, %m, %k, %token ... })
After:   "nv_tileaa.func"() ({ ... nv_tileaa.tiled_load %memref, %row, %column, %token ... })

Tiles become tensors, elementwise operations upstream arith and math, views memrefs in storage
order, tile indices element coordinates, tokens memory tokens. Each kernel is rebuilt by one walk
over its regions. Afterwards no cuda_tile operation is left.
"""

from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.nv_tileaa.func_ops import FuncOp, ReturnOp
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import body_operations, walk_operations
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import reject
from tilec.passes.conversion.cuda_tile_to_nv_tileaa import (  # noqa: F401 - register their rules
    arith,
    matmul,
    memory,
    reports,
    shape,
)
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.control_flow import convert_block
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import (
    FAILED,
    PREFIX,
    RULES,
    Conversion,
    convert_type,
)
from tilec.passes.registry import PassContext, register_pass

COMPUTE_CAPABILITY = "nv_tileaa.compute_capability"
_OWN_ATTRIBUTES = ("sym_name", "function_type")


@RULES.converts(cuda_tile.ReturnOp)
def convert_return(op: Any, state: Conversion) -> list[Any]:
    """Rewrite the end of a kernel."""
    ReturnOp.build()
    return []


def convert_entry(entry: Any, capability: int) -> None:
    """Replace a `cuda_tile.entry` by a `nv_tileaa.func`."""
    source = entry.regions[0].blocks[0]
    inputs = [convert_type(argument.type) for argument in source.arguments]
    name = ir.StringAttr(entry.attributes["sym_name"]).value
    with ir.InsertionPoint(entry), entry.location:
        function = FuncOp.build(name, inputs)
    for key, attribute in entry.attributes.items():
        if key not in _OWN_ATTRIBUTES:
            function.attributes[key] = attribute
    i32 = ir.IntegerType.get_signless(32)
    function.attributes[COMPUTE_CAPABILITY] = ir.IntegerAttr.get(i32, capability)
    metadata, target = read_kernel_metadata(entry), function.entry_block
    convert_block(source, target, Conversion(metadata, ValueRanges(target, metadata)))
    erase(entry)


@register_pass("convert-cuda-tile-to-nv-tileaa")
def run(module: Any, context: PassContext) -> None:
    """Rewrite cuda_tile kernels as nv_tileaa functions."""
    for op in body_operations(module.body):
        if op.name == "cuda_tile.entry":
            convert_entry(op, context.target.compute_capability)
    _check_converted(module)


def _check_converted(module: Any) -> None:
    """Raise when a cuda_tile operation is left."""
    for op in walk_operations(module.body):
        if op.name.startswith(PREFIX):
            raise reject(op, "T0511", f"{FAILED}: '{op.name}' is left")
