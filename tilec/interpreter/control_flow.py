"""Structured control flow (upstream scf) and the block coordinates of the grid."""

from typing import Any

from tilec.interpreter.attributes import element_dtype
from tilec.interpreter.builder import BLOCK_ID_SLOT, GRID_SLOT, Builder
from tilec.interpreter.registry import Frame, Step, structured_op
from tilec.support.diagnostics import InternalCompilerError


def _write(frame: Frame, slots: list[int], values: list[Any]) -> None:
    for slot, value in zip(slots, values, strict=True):
        frame[slot] = value


@structured_op("scf.for")
def _for(op: Any, builder: Builder) -> Step:
    lower, upper, stride, *inits = builder.slots(op.operands)
    body = builder.region(op.regions[0].blocks[0])
    results = [builder.define(result) for result in op.results]
    index_type = element_dtype(op.regions[0].blocks[0].arguments[0].type).type
    location = str(op.location)

    def step(frame: Frame) -> None:
        values = [frame[slot] for slot in inits]
        if int(frame[stride]) <= 0:
            raise InternalCompilerError(
                f"scf.for: step {frame[stride]} is not positive at {location}", op="scf.for"
            )
        for index in range(int(frame[lower]), int(frame[upper]), int(frame[stride])):
            values = body.run(frame, [index_type(index), *values])
        _write(frame, results, values)

    return step


@structured_op("scf.if")
def _if(op: Any, builder: Builder) -> Step:
    (condition,) = builder.slots(op.operands)
    branches = [
        builder.region(region.blocks[0]) if len(region.blocks) else None for region in op.regions
    ]
    chosen, otherwise = branches
    results = [builder.define(result) for result in op.results]

    def step(frame: Frame) -> None:
        branch = chosen if frame[condition] else otherwise
        if branch is not None:
            _write(frame, results, branch.run(frame))

    return step


@structured_op("scf.while")
def _while(op: Any, builder: Builder) -> Step:
    inits = builder.slots(op.operands)
    before = builder.region(op.regions[0].blocks[0])
    after = builder.region(op.regions[1].blocks[0])
    results = [builder.define(result) for result in op.results]

    def step(frame: Frame) -> None:
        proceed, *values = before.run(frame, [frame[slot] for slot in inits])
        while proceed:
            proceed, *values = before.run(frame, after.run(frame, values))
        _write(frame, results, values)

    return step


@structured_op("scf.execute_region")
def _execute_region(op: Any, builder: Builder) -> Step:
    body = builder.region(op.regions[0].blocks[0])
    results = [builder.define(result) for result in op.results]
    return lambda frame: _write(frame, results, body.run(frame))


@structured_op("cuda_tile.get_tile_block_id")
def _get_tile_block_id(op: Any, builder: Builder) -> Step:
    results = [builder.define(result) for result in op.results]
    return lambda frame: _write(frame, results, frame[BLOCK_ID_SLOT])


@structured_op("cuda_tile.get_num_tile_blocks")
def _get_num_tile_blocks(op: Any, builder: Builder) -> Step:
    results = [builder.define(result) for result in op.results]
    return lambda frame: _write(frame, results, frame[GRID_SLOT])
