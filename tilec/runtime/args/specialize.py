"""Derives what a kernel is compiled for from the arguments of a call.

The fewer facts, the fewer variants: an array contributes which axis has unit stride and whether
TMA can take it, or else vectors of 8 or 4 bytes; a dim whether it is divisible by 16, or else
whether such vectors fill the rows of its arrays. Nothing else of its size is compiled in.
What is said of the elements of an array holds where it has none. So an empty array is one that TMA
can take, and a dim of extent 0 is divisible by 16: they need no variants of their own.
"""

from collections.abc import Iterable, Mapping
from math import gcd
from types import MappingProxyType

from tilec.request.specialization import (
    VECTOR_BYTES,
    ArraySpec,
    Specialization,
    alignment_of,
)
from tilec.runtime.args.aliasing import Footprint, Overlap, overlap
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.arrays import ArrayView

DIM_DIVISOR = 16
"""Divisibility of dims that is worth a variant: whole 16-byte vectors for every element type."""


def array_spec(array: ArrayView, alias_group: int = -1, same_as: str = "") -> ArraySpec:
    """Return the facts about one array that are compiled in."""
    strides: list[int | None] = [None] * array.rank
    unit = unit_stride_axis(array)
    if unit is not None:
        strides[unit] = 1
    return ArraySpec(
        array.dtype,
        tuple(strides),
        alignment(array, unit),
        alias_group,
        same_as,
        empty=0 in array.shape,
    )


def unit_stride_axis(array: ArrayView) -> int | None:
    """Return the axis that is compiled as contiguous, or None.

    An axis that has stride 1 and more than one element comes first. Without one, an innermost
    axis of extent 1 counts, because nothing steps along it, and that of an array without elements.
    """
    contiguous = [
        axis
        for axis, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True))
        if stride == 1 and extent != 1
    ]
    if contiguous:
        return contiguous[-1]
    if array.rank and (array.shape[-1] == 1 or 0 in array.shape):
        return array.rank - 1
    return None


def alignment(array: ArrayView, unit: int | None) -> int:
    """Return which alignment base and pitches have, one of `ALIGNMENTS`.

    An array without elements has what TMA needs: a launch gives it a stand-in
    (`tilec/runtime/launch/tensor_map.py`).

    Args:
        array: The array.
        unit: Axis whose stride is compiled in as 1; without one, there are no vectors. The strides
            of all other axes with more than one element count; TMA needs positive ones.
    """
    if 0 in array.shape:
        return VECTOR_BYTES
    pitches = [
        stride * array.item_bytes
        for axis, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True))
        if axis != unit and extent != 1
    ]
    limit = VECTOR_BYTES if all(pitch > 0 for pitch in pitches) else VECTOR_BYTES // 2
    found = alignment_of(gcd(array.pointer, *pitches), array.item_bytes, limit)
    return found if unit is not None or found == VECTOR_BYTES else 1


def find_overlaps(arrays: Mapping[str, ArrayView]) -> dict[tuple[str, str], Overlap]:
    """Return the pairs of arrays that share memory or may share it."""
    items = [
        (
            name,
            Footprint(
                array.pointer,
                array.shape,
                tuple(stride * array.item_bytes for stride in array.strides),
                array.item_bytes,
            ),
        )
        for name, array in arrays.items()
    ]
    result: dict[tuple[str, str], Overlap] = {}
    for index, (first, a) in enumerate(items):
        for second, b in items[index + 1 :]:
            answer = overlap(a, b)
            if answer is not Overlap.NONE:
                result[first, second] = answer
    return result


def alias_groups(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return a group number for every array in `pairs`; connected arrays share one."""
    groups: dict[str, int] = {}
    for number, (first, second) in enumerate(pairs):
        merged = {groups.get(first), groups.get(second)} - {None}
        target = min((group for group in merged if group is not None), default=number)
        for name, group in groups.items():
            if group in merged:
                groups[name] = target
        groups[first] = groups[second] = target
    order = {group: index for index, group in enumerate(dict.fromkeys(groups.values()))}
    return {name: order[group] for name, group in groups.items()}


def same_arrays(
    arrays: Mapping[str, ArrayView], overlaps: Mapping[tuple[str, str], Overlap]
) -> dict[str, str]:
    """Return the first array that each one is the same as, element type included, by name."""
    found: dict[str, str] = {}
    for (first, second), answer in overlaps.items():
        if answer is Overlap.SAME and arrays[first].dtype == arrays[second].dtype:
            found.setdefault(second, first)
    return found


def specialize(
    arguments: BoundArguments,
    overlaps: Mapping[tuple[str, str], Overlap] = MappingProxyType({}),
    plan: Mapping[str, int | tuple[int, ...]] = MappingProxyType({}),
) -> Specialization:
    """Return what to compile for these arguments.

    Args:
        arguments: Checked arguments.
        overlaps: Pairs of arrays that may share memory; they get a common alias group.
        plan: Overrides of plan fields.
    """
    groups, same = alias_groups(overlaps), same_arrays(arguments.arrays, overlaps)
    sizes = {
        name: extent for name, extent in arguments.dims.items() if name not in arguments.constants
    }
    specs = {
        name: array_spec(array, groups.get(name, -1), same.get(name, ""))
        for name, array in arguments.arrays.items()
    }
    return Specialization(
        arrays=specs,
        constants=dict(arguments.constants),
        dtypes=dict(arguments.dtypes),
        divisors=_divisors(arguments, specs, sizes),
        sizes=sizes,
        plan=dict(plan),
    )


def _divisors(
    arguments: BoundArguments, specs: Mapping[str, ArraySpec], sizes: Mapping[str, int]
) -> dict[str, int]:
    """Return the divisors of dims that are compiled in.

    A dim that 16 does not divide may be the length of rows that vectors of 8 or 4 bytes fill.
    """
    found = {name: DIM_DIVISOR for name, extent in sizes.items() if extent % DIM_DIVISOR == 0}
    for array, spec in specs.items():
        if spec.alignment == VECTOR_BYTES or 1 not in spec.strides or array not in arguments.axes:
            continue
        dim = arguments.axes[array][spec.strides.index(1)]
        elements = max(1, spec.alignment // arguments.arrays[array].item_bytes)
        if isinstance(dim, str) and dim in sizes:
            found[dim] = max(found.get(dim, 1), gcd(elements, sizes[dim]))
    return {name: divisor for name, divisor in found.items() if divisor > 1}
