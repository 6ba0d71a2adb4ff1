"""Checks that the copies of one tile move every box of it to the same CTAs, and none twice."""

from collections.abc import Callable
from typing import Any

from tilec.dialects.nv_tileas.cluster_ops import cluster_of
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.tma.multicast import multicast_axis
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared


class BoxGroups:
    """The TMA copies of one block, grouped by the tile that they move.

    Loads belong together when they fill the same slot, stores when they copy the same tile to the
    same array in one bulk group.
    """

    def __init__(self, report: Callable[[Any, str], None]) -> None:
        """Start without copies; `report` takes an operation and what is wrong with it."""
        self._report = report
        self._loads: dict[Any, list[Any]] = {}
        self._stores: dict[Any, list[Any]] = {}

    def add(self, op: Any) -> None:
        """Take the next operation of the block."""
        if op.name == "nv_tileas.async_tiled_tma_load":
            self._loads.setdefault(_slot(op.operands[1]), []).append(op)
        elif op.name == "nv_tileas.async_tiled_tma_store":
            key = (op.operands[0], *_slot(op.operands[1]))
            self._stores.setdefault(key, []).append(op)
        elif op.name == "nv_tileas.bulk_commit":
            self._close(self._stores)

    def close(self) -> None:
        """Check what is left at the end of the block."""
        self._close(self._stores)
        self._close(self._loads)

    def _close(self, groups: dict[Any, list[Any]]) -> None:
        for ops in groups.values():
            count = layout_of_shared(ops[0].operands[1].type).box_count // _peers(ops[0])
            found = sorted(op.opview.box_index.value for op in ops)
            if len({multicast_axis(op) for op in ops}) > 1:
                self._report(ops[0], "the copies of a tile go to different CTAs")
            if found != list(range(count)):
                listed = ", ".join(map(str, found))
                self._report(
                    ops[0],
                    f"a tile of {count} box{'es' * (count > 1)} is copied as box {listed}:"
                    " not each of them once",
                )
        groups.clear()


def _peers(copy: Any) -> int:
    """Return how many CTAs divide the boxes of the tile that `copy` belongs to."""
    axis = multicast_axis(copy)
    return 1 if axis is None else cluster_of(copy)[axis]


def _slot(tile: Any) -> tuple[Any, Any]:
    """Return the buffer and the position (None: the only slot) of a shared-memory tile."""
    op = defining_operation(tile)
    return (op.operands[0], op.operands[1]) if op.name == "nv_tileas.slot_view" else (tile, None)
