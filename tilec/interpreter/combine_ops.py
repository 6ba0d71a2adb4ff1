"""Reductions and scans: the body of the operation runs on whole slices of the tiles at once.

Both halve the axis again and again, as pairwise summation does, so that the rounding error of a sum
grows with the logarithm of its length. Elements stay in their order, because a function need not be
commutative; which of them are combined first differs on the GPU.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tilec.interpreter.attributes import flag, integer
from tilec.interpreter.builder import Builder, Region
from tilec.interpreter.registry import Frame, Step, structured_op

Arrays = list[Any]
Combine = Callable[[Arrays, Arrays], Arrays]
"""Combines arrays with those after them along the axis, element by element."""


@structured_op("cuda_tile.reduce", "cuda_tile.scan")
def _combine(op: Any, builder: Builder) -> Step:
    sources = builder.slots(op.operands)
    body = builder.region(op.regions[0].blocks[0])
    results = [builder.define(result) for result in op.results]
    axis, is_scan = integer(op, "dim"), op.name.endswith("scan")
    reverse = is_scan and flag(op, "reverse")

    def step(frame: Frame) -> None:
        tiles = [np.moveaxis(frame[slot], axis, 0) for slot in sources]
        combine = _combiner(body, frame)
        if not is_scan:
            found = [item[0] for item in _reduced(tiles, combine)]
        else:
            ordered = [tile[::-1] for tile in tiles] if reverse else tiles
            scanned = _scanned(ordered, combine)
            ordered = [tile[::-1] for tile in scanned] if reverse else scanned
            found = [np.moveaxis(tile, 0, axis) for tile in ordered]
        for slot, value in zip(results, found, strict=True):
            frame[slot] = value

    return step


def _combiner(body: Region, frame: Frame) -> Combine:
    def run(first: Arrays, second: Arrays) -> Arrays:
        pairs = [item for pair in zip(first, second, strict=True) for item in pair]
        found = body.run(frame, pairs)
        # A function may ignore its arguments, and a constant has no shape.
        return [
            np.broadcast_to(value, one.shape).astype(one.dtype, copy=False)
            for value, one in zip(found, first, strict=True)
        ]

    return run


def _reduced(tiles: Sequence[Any], combine: Combine) -> Arrays:
    """Return what the elements along the first axis give, as an axis of extent 1."""
    tiles = list(tiles)
    while (count := tiles[0].shape[0]) > 1:
        half = count // 2
        even = [tile[: 2 * half : 2] for tile in tiles]
        merged = combine(even, [tile[1::2] for tile in tiles])
        if count % 2:
            rest = [tile[2 * half :] for tile in tiles]
            merged = [np.concatenate(pair) for pair in zip(merged, rest, strict=True)]
        tiles = merged
    return tiles


def _scanned(tiles: Sequence[Any], combine: Combine) -> Arrays:
    """Return every element combined with those before it along the first axis."""
    tiles = [np.array(tile) for tile in tiles]
    distance, count = 1, tiles[0].shape[0]
    while distance < count:
        merged = combine([tile[:-distance] for tile in tiles], [tile[distance:] for tile in tiles])
        for tile, later in zip(tiles, merged, strict=True):
            tile[distance:] = later
        distance *= 2
    return tiles
