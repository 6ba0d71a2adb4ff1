"""Operations that keep their name: structured control flow and scalar arithmetic.

They are rebuilt with converted operands, result types and block arguments, region by region, except
for divisions, which get a result for all operands.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.likeness import like
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.division import DIVISIONS, divide
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import (
    PREFIX,
    Conversion,
    convert_type,
    find_rule,
    result_types,
)


def convert_block(source: Any, target: Any, state: Conversion) -> None:
    """Convert every operation of block `source` into block `target`."""
    state.values.update(zip(source.arguments, target.arguments, strict=True))
    point = ir.InsertionPoint(target)
    for op in source.operations:
        operation = op.operation
        with point, operation.location:
            if operation.name.startswith(PREFIX):
                results = list(find_rule(operation)(operation, state))
            elif operation.name in DIVISIONS:
                results = [divide(operation.name, state.operands(operation), state.ranges)]
            else:
                results = rebuild(operation, state)
        state.values.update(zip(operation.results, results, strict=False))


def rebuild(op: Any, state: Conversion) -> list[Any]:
    """Build `op` again with converted operands and types and return its results."""
    clone = like(op, state.operands(op), result_types(op), regions=len(op.regions))
    for source, target in zip(op.regions, clone.regions, strict=True):
        for block in source.blocks:
            types = [convert_type(argument.type) for argument in block.arguments]
            locations = [argument.location for argument in block.arguments]
            convert_block(block, target.blocks.append(*types, arg_locs=locations), state)
    return list(clone.results)
