"""Arrays that a launch compares again when addresses change: whether they overlap.

A variant is compiled for arrays that are apart, that may overlap (one alias group), or of which one
is the same as another one (`ArraySpec.same_as`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilec.runtime.args.aliasing import Overlap, byte_range
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.specialize import find_overlaps
from tilec.runtime.errors import join_names, launch_error
from tilec.support.diagnostics import LaunchError
from tilec.support.dtypes import DTYPES

Pointers = tuple[int, ...]


@dataclass(slots=True)
class PairCheck:
    """Two arrays of which at least one is written.

    Attributes:
        first: Index of one array argument.
        second: Index of the other.
        first_range: First byte and end of the first array, relative to its address.
        second_range: The same of the second one.
        may_overlap: Whether the compiled variant allows the two to overlap.
        prefers_overlap: Whether a variant without the aliasing should be used as soon as the two
            are apart, because it is faster.
        distance: Difference of the addresses for which the stride lattices were found disjoint
            although the byte ranges intersect; None when the ranges were disjoint.
        same: Whether the variant takes the two for one array.
    """

    first: int
    second: int
    first_range: tuple[int, int]
    second_range: tuple[int, int]
    may_overlap: bool
    prefers_overlap: bool = False
    distance: int | None = None
    same: bool = False

    def accepts(self, pointers: Pointers) -> bool:
        """Tell whether the plan's variant is the right one for these addresses."""
        distance = pointers[self.second] - pointers[self.first]
        if self.same:
            return distance == 0
        disjoint = (
            distance >= self.first_range[1] - self.second_range[0]
            or -distance >= self.second_range[1] - self.first_range[0]
        )
        if self.may_overlap:
            return not (disjoint and self.prefers_overlap)
        return disjoint or distance == self.distance


def check_pairs(
    metadata: Sequence[Mapping[str, Any]], arguments: BoundArguments
) -> tuple[PairCheck, ...]:
    """Check that written arrays overlap only where the variant allows it.

    Raises:
        LaunchError: Two arrays overlap, or may overlap, that the variant keeps apart, or are not
            the same although the variant takes them for one.
    """
    names = list(arguments.arrays)
    written, groups, same = _accesses(metadata)
    overlaps = find_overlaps(arguments.arrays)
    pairs: list[PairCheck] = []
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            if first not in written and second not in written:
                continue
            merged = groups[first] >= 0 and groups[first] == groups[second]
            answer = overlaps.get((first, second))
            if answer is not None and not merged:
                raise _overlap_error(metadata[0]["name"], first, second, answer, written)
            pair = _pair(names, first, second, arguments, merged)
            pair.same = same.get(second) == first
            if pair.same and answer is not Overlap.SAME:
                raise _other_array_error(metadata[0]["name"], first, second)
            pairs.append(pair)
    return tuple(pairs)


def _accesses(
    metadata: Sequence[Mapping[str, Any]],
) -> tuple[set[str], dict[str, int], dict[str, str]]:
    """Return the arrays that some kernel writes, and by array: its alias group, what it equals."""
    written: set[str] = set()
    groups: dict[str, int] = {}
    same: dict[str, str] = {}
    for item in metadata:
        for array in item["arrays"]:
            groups.setdefault(array["name"], array.get("alias_group", -1))
            if array.get("same_as"):
                same[array["name"]] = array["same_as"]
            if array["access"] != "read":
                written.add(array["name"])
    return written, groups, same


def _pair(
    names: Sequence[str], first: str, second: str, arguments: BoundArguments, merged: bool
) -> PairCheck:
    a, b = arguments.arrays[first], arguments.arrays[second]
    pair = PairCheck(
        names.index(first),
        names.index(second),
        _range_in_bytes(a),
        _range_in_bytes(b),
        may_overlap=False,
    )
    apart = pair.accepts(tuple(item.pointer for item in arguments.arrays.values()))
    if merged:
        pair.may_overlap, pair.prefers_overlap = True, not apart
    elif not apart:
        pair.distance = b.pointer - a.pointer
    return pair


def _range_in_bytes(array: Any) -> tuple[int, int]:
    item = DTYPES[array.dtype].bytes
    low, high = byte_range(array.shape, array.strides, 1)
    return low * item, high * item


def _overlap_error(
    kernel: str, first: str, second: str, answer: Overlap, written: set[str]
) -> LaunchError:
    writes = join_names(name for name in (first, second) if name in written)
    relation = {
        Overlap.SAME: "are the same array",
        Overlap.SHARED: "overlap in memory",
        Overlap.UNKNOWN: "may overlap in memory",
    }[answer]
    return launch_error(
        "T0710",
        f"{kernel}: {first} and {second} {relation}, and the kernel writes {writes}",
        hint="pass separate arrays, or compile a variant that lets them overlap",
    )


def _other_array_error(kernel: str, first: str, second: str) -> LaunchError:
    return launch_error(
        "T0710",
        f"{kernel}: {second} is another array than {first}, and the kernel was compiled for one",
        hint="pass the same array twice, or compile a variant for two arrays",
    )
