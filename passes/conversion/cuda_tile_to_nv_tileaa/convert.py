"""Turn tiles into tensors, views into memrefs, and tile indices into element coordinates.

Before:  %v = make_tensor_view %A, [%M, %K], [1, %s]     // column-major: stride 1 along M
         %t = load_view_tko %v[%m, %k] : tile<128x64xbf16>
After:   %r = make_memref %A, [%K, %M], [%s, 1]          // storage order: largest stride first
         %u = tiled_load %r[%k * 64, %m * 128] : tensor<64x128xbf16>
         %t = permute %u [1, 0] : tensor<128x64xbf16>

After this pass, coordinates count elements, and the contiguous axis is the last one. A column-major
view differs from a row-major view only by a `permute`. Element-wise operations become `arith` and
`math` operations on tensors. Tokens become memory tokens. Every memref names its alias scope. Each
kernel is built anew, operation by operation; no cuda_tile operation is left.

An index whose coordinate may not fit into 32 bits is limited first: an index out of that range
becomes -1, and the tile of index -1 lies before the array. For block coordinates, loop variables
and remainders the compiler mostly knows that they fit (`passes/analysis/facts/value_ranges.py`).
Division by 0 and by -1 can be undefined behaviour in LLVM. So a divisor that may be 0 or -1 is
replaced by 1 in that case, and the result by the right one.
"""

from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.nv_tileaa.func_ops import FuncOp, ReturnOp
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import ir
from tilec.ir.integers import i32
from tilec.ir.removal import erase
from tilec.ir.structured import body_operations
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import reject
from tilec.passes.conversion.cuda_tile_to_nv_tileaa import (  # noqa: F401 - register their rules
    arith,
    combine,
    elements,
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
    function.attributes[COMPUTE_CAPABILITY] = i32(capability)
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
            raise reject(op, "T0511", f"{FAILED}: '{op.name}' was not converted")
