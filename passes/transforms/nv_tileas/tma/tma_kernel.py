"""What the TMA copies of one kernel share: descriptors, staging buffers, boxes."""

from typing import Any

from tilec.dialects.nv_tileas import MakeTiledTmaDescOp, TmaDescriptorType
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant, i64
from tilec.ir.structured import clone_operation, defining_operation
from tilec.passes.analysis.facts.slices import whole_array
from tilec.passes.analysis.tma.descriptor_recipe import descriptor_recipe
from tilec.passes.analysis.tma.promotion import reads_on, set_promotion
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.plan.copies import PROMOTION
from tilec.support.fast_dataclasses import dataclass, field


@dataclass
class TmaKernel:
    """What the loads and stores of one kernel share.

    Attributes:
        function: The kernel.
        metadata: What the launcher knows about it.
        roles: Its `roles` operation; what all roles use is made before it.
        warpgroups: Warpgroups of the consumer role, of each team of it.
        cluster: Rows and columns of CTAs of a cluster.
        streams_results: Whether what is stored should leave L2 first.
        promotion: Bytes that come into L2 at a time, where a load reads on.
        descriptors: Descriptor and its number by what it describes.
        staging: Buffer of each group of stores, and the slots used so far.
        written: Stores of a batch that are written to shared memory, but not copied out yet.
        stored: The operations that they came from, a step of a tile each.
    """

    function: Any
    metadata: dict[str, Any]
    roles: Any
    warpgroups: int
    cluster: tuple[int, int]
    streams_results: bool = False
    promotion: int = PROMOTION
    descriptors: dict[str, Any] = field(default_factory=dict)
    staging: dict[Any, tuple[Any, set[int]]] = field(default_factory=dict)
    written: list[Any] = field(default_factory=list)
    stored: list[Any] = field(default_factory=list)

    @property
    def consumers(self) -> int:
        """Warpgroups of all teams of consumers."""
        return self.warpgroups * self.roles.opview.team_count

    def descriptor(self, access: Any, slot_type: Any, mode: str) -> tuple[Any, int]:
        """Return the descriptor for an access through tiles of `slot_type`, and its index."""
        layout = layout_of_shared(slot_type)
        recipe = descriptor_recipe(access.view, self.function, self.metadata)
        promotion = self.promotion if mode == "load" and reads_on(access, layout) else PROMOTION
        key = f"{recipe}|{layout.box}|{layout.swizzle.value}|{mode}|{promotion}"
        if key not in self.descriptors:
            made = self._make(access, layout, slot_type, mode)
            set_promotion(made.owner.operation, promotion)
            self.descriptors[key] = (made, len(self.descriptors))
        return self.descriptors[key]

    def _make(self, access: Any, layout: Any, slot_type: Any, mode: str) -> Any:
        with ir.InsertionPoint(self.roles), access.op.location:
            view = whole_array(access.view)
            memref = defining_operation(view)
            if memref.block != self.roles.block:
                view = clone_operation(memref, {}).results[0]
            return MakeTiledTmaDescOp(
                view=view,
                descriptor=TmaDescriptorType.of(layout.box, slot_type.element_type),
                box=ir.DenseI64ArrayAttr.get(list(layout.box)),
                swizzle=i64(layout.swizzle.value),
                tmaIdx=i64(len(self.descriptors)),
                mode=ir.StringAttr.get(mode),
            ).descriptor


def box_coordinates(
    coords: tuple[Any, ...], slot_type: Any, count: int | None = None
) -> list[list[Any]]:
    """Return the element coordinates of the boxes of a tile at `coords`, emitting additions.

    `count` limits them to the first ones.
    """
    return [
        [
            arith.addi(coord, constant(offset)) if offset else coord
            for coord, offset in zip(coords, corner, strict=True)
        ]
        for _, corner in layout_of_shared(slot_type).boxes()[:count]
    ]
