"""What the operation families of nv_tileas share: rules on the types of operands and results."""

from typing import Any, cast

from tilec.dialects.common.verify import verify_fields
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.types import (
    MBarrierType,
    MmaTokenType,
    RingPositionType,
    RingType,
    SharedTileType,
    TmaDescriptorType,
)
from tilec.ir.attributes import integer
from tilec.ir.bindings import ir

BARRIER = (MBarrierType, "must be mbarrier barrier type")
RING = (RingType, "expects a ring")
POSITION = (RingPositionType, "expects a ring position")
SHARED = (SharedTileType, "expects a shared-memory tile")
REGISTERS = (ir.RankedTensorType, "expects a register tile")
OPERAND = ((SharedTileType, ir.RankedTensorType), "expects a tile in shared memory or in registers")
DESCRIPTOR = (TmaDescriptorType, "expects a TMA descriptor")
TOKEN = (MmaTokenType, "expects an mma token")
ACCUMULATORS = ("f32", "f16", "i32")
"""Element types in which the tensor cores sum (PTX ISA, wgmma.mma_async)."""


class CheckedOperation(NvTileAS.Operation):
    """Base of the operations: `TYPES` says what each field must be, `find_error` the rest.

    `TYPES` pairs a field with one of the rules above (a type class and the words for it). Optional
    operands may be absent.
    """

    TYPES = cast("tuple[tuple[str, tuple[Any, str]], ...]", ())

    def verify_invariants(self) -> bool:
        """Report the first broken rule at the location of the operation."""
        return verify_fields(self, lambda: self._find_type_error() or self.find_error())

    def find_error(self) -> str | None:
        """Return what else is wrong with the operation, or None. All types are right by then."""
        return None

    def _find_type_error(self) -> str | None:
        for name, (expected, rule) in self.TYPES:
            value = getattr(self, name)
            if value is not None and not isinstance(value.type, expected):
                return f"{rule}, but got {value.type}"
        return None


def find_count_error(op: Any, name: str, least: int) -> str | None:
    """Return the message for an integer attribute `name` of `op` below `least`, or None."""
    number = integer(op, name)
    if number >= least:
        return None
    return f"attribute '{name}' must be at least {least}, but got {number}"


def find_choice_error(op: Any, name: str, choices: tuple[str, ...]) -> str | None:
    """Return the message for a string attribute `name` of `op` that is none of `choices`."""
    text = ir.StringAttr(op.attributes[name]).value
    if text in choices:
        return None
    return f"attribute '{name}' must be {' or '.join(choices)}, but got {text}"


def find_element_error(tile: Any, known: tuple[str, ...] = ACCUMULATORS) -> str | None:
    """Return the message for a tile whose elements are not of the types `known`, or None."""
    element = str(tile.type.element_type)
    if element in known:
        return None
    *others, last = known
    return f"expects a tile of {', '.join(others)} or {last}, but got {element}"


def find_box_error(
    tile: Any, box: Any, origin: list[int], what: str, *, aligned: bool = True
) -> str | None:
    """Return the message for a type `box` that is no box at `origin` of a tile of type `tile`.

    Where boxes are `aligned`, origins are multiples of their extents.
    """
    rank = len(tile.shape)
    if not len(origin) == len(box.shape) == rank:
        return f"expects a {what} and an origin of rank {rank}"
    if tile.element_type != box.element_type:
        return f"expects a {what} of {tile.element_type}, but got {box.element_type}"
    for first, extent, whole in zip(origin, box.shape, tile.shape, strict=True):
        if first < 0 or (aligned and first % extent) or first + extent > whole:
            wanted = f"a multiple of {extent}" if aligned else f"room for {extent}"
            return f"expects {wanted} within {whole} as origin, but got {first}"
    return None
