"""What a kernel is compiled for: the facts about its arguments that the code may rely on.

The command line builds a `Specialization` from its flags, the launcher from real arguments. The
frontend binds it into the cuda_tile IR; the artifact records it as preconditions. Pure Python: no
MLIR import.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tilec.request.gpu import DEFAULT_GPU
from tilec.support.fast_dataclasses import dataclass, field

ConstantValue = bool | int | float
ANY_TILE_EXTENTS = "any_tile_extents"
"""Field of `Specialization.plan` that allows tile extents that are not powers of two."""
MAX_EXTENT = 2**31 - 2**24
"""Dims are i32 in the kernel; an extent plus that of a tile (at most 2^24) is one, too."""
VECTOR_BYTES = 16
"""Alignment in bytes that TMA needs of base addresses and row pitches (cuda.h,
cuTensorMapEncodeTiled) and that 16-byte vector accesses need."""
ALIGNMENTS = (VECTOR_BYTES, 8, 4, 1)
"""Alignments of arrays in bytes that are told apart: for TMA and vectors of 16 bytes, for vectors
and copies (`cp.async`) of 8 and of 4 bytes, and for single elements."""


def alignment_of(number: int, item_bytes: int, limit: int = VECTOR_BYTES) -> int:
    """Return the largest of `ALIGNMENTS` that divides a number, at most `limit`.

    Args:
        number: Bytes that all addresses are multiples of.
        item_bytes: Size of an element. What no vector of two elements needs counts as 1.
        limit: Largest result.
    """
    fits = (item for item in ALIGNMENTS if item <= limit and number % item == 0)
    found = next(fits, 1)
    return found if found > item_bytes or found == VECTOR_BYTES else 1


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """Facts about one array argument.

    Attributes:
        dtype: Element type by its tilec name, for example `bf16`.
        strides: Stride in elements of each axis when it is compiled in (1 for the contiguous
            axis), None when it is read at run time.
        alignment: The base address, and every run-time stride in bytes, is a multiple of so many
            bytes, one of `ALIGNMENTS`; where it is 16, these strides are positive.
        alias_group: Arrays with the same number may overlap in memory; -1 means with no other.
        same_as: Name of an earlier array of the group with the same address, extents, strides and
            type: a kernel that works in place. Empty if there is none.
        empty: It has no element. All other facts hold then, and nothing that it is compiled for
            rests on this one; but the plan may give way to it (`Specialization.relaxed`).
    """

    dtype: str
    strides: tuple[int | None, ...]
    alignment: int = VECTOR_BYTES
    alias_group: int = -1
    same_as: str = ""
    empty: bool = False

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.strides)


def row_major(rank: int) -> tuple[int | None, ...]:
    """Return the strides of a row-major array: only the last axis is known (1)."""
    return (None,) * (rank - 1) + (1,) if rank else ()


def column_major(rank: int) -> tuple[int | None, ...]:
    """Return the strides of a column-major array: only the first axis is known (1)."""
    return (1,) + (None,) * (rank - 1) if rank else ()


def blocks_at_most(most: int) -> str:
    """Return words for launches of at most so many blocks."""
    return "one block" if most == 1 else f"at most {most} blocks"


@dataclass(frozen=True, slots=True)
class Specialization:
    """Everything that is bound before emission.

    Attributes:
        arrays: Facts by array parameter name.
        constants: Values of `const` parameters that the caller gave.
        dtypes: Values of `dtype` parameters (`*, T: dtype`), by name.
        divisors: Known divisor of named dims or scalars, from `--assume 'K % 64 == 0'`.
        sizes: Extents of named dims to plan for. They steer the planner and bind nothing.
        plan: Overrides of single plan fields, from hints or `--plan`.
        mma_limit: Most multiply-adds (m * n * k) of one k-tile that the planner may choose for
            `auto` constants; None for no limit. Set for the runner-up of a plan that did not fit.
        disabled: Fields of the plan that the planner must leave off: those that cost registers, for
            the runner-up of a plan whose threads had too few.
        warp_factor: Times as many warps share a block without products on the tensor cores as its
            largest tile asks for: twice as many for the runner-up of a plan whose threads had too
            few registers.
        most_per_sm: Blocks of an SM that the planner makes room for at most; 0 for any number. Half
            as many as it chose for the runner-up of a plan whose threads had too few registers.
        scratch_bytes: Least scratch area of a team to plan for, in bytes: what an earlier plan
            needed, which had planned for less.
        most_blocks: Blocks that a launch has at most, to plan for; 0 for any number. They bind
            nothing.
        splits: CTAs that share the k-tiles of a tile in a launch of these sizes, whose extents are
            written; 0 for as many as the plan says. They bind nothing.
        gpu: Name of the GPU to plan for, a key of `tilec.request.gpu.GPUS`.
        relaxed: Fields of the plan that the user fixed give way, unless they turn something off:
            for the second plan of a kernel with an empty array, whose first plan could not keep
            them.
    """

    arrays: Mapping[str, ArraySpec] = field(default_factory=lambda: MappingProxyType({}))
    constants: Mapping[str, ConstantValue] = field(default_factory=lambda: MappingProxyType({}))
    dtypes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    divisors: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    sizes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    plan: Mapping[str, int | tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    mma_limit: int | None = None
    disabled: frozenset[str] = frozenset()
    warp_factor: int = 1
    most_per_sm: int = 0
    scratch_bytes: int = 0
    most_blocks: int = 0
    splits: int = 0
    gpu: str = DEFAULT_GPU
    relaxed: bool = False

    @property
    def variant(self) -> str:
        """What it is planned for, if not for any launch with all that pays: "at most 8 blocks"."""
        given_up = " and ".join(sorted(self.disabled))
        parts = (
            blocks_at_most(self.most_blocks) if self.most_blocks else "",
            f"{self.splits} splits along K" if self.splits else "",
            f"without {given_up}" if given_up else "",
            "without the fields that were fixed" if self.relaxed else "",
        )
        return ", ".join(filter(None, parts))

    def fixed_fields(self, hints: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the plan that the user fixed, and that count.

        Args:
            hints: Those that the source fixes; they give way to `plan`.
        """
        fields = {**hints, **self.plan}
        if not self.relaxed:
            return fields
        return {
            name: value
            for name, value in fields.items()
            if name == ANY_TILE_EXTENTS or not value  # a permission, or something that is off
        }
