"""How the host can describe an array to the TMA unit.

A tensor map needs base address, extents and strides before the launch. A memref qualifies when its
base is an array parameter and each of its dims is one axis of that array: extent and stride come
from the parameters that carry this axis, or are constants.
"""

from itertools import permutations
from typing import Any

from tilec.ir.bindings import ir
from tilec.passes.analysis.facts.slices import whole_array
from tilec.support.fast_dataclasses import dataclass

MAKE_MEMREF = ".make_memref"
DYNAMIC = -1
"""Marks a run-time stride or extent in the kernel metadata."""


@dataclass(frozen=True)
class Source:
    """Where an extent or stride comes from: a constant, or a kernel parameter."""

    constant: int | None = None
    parameter: dict[str, Any] | None = None

    def text(self) -> list[Any]:
        """Return the source for the recipe: `["static", 64]` or `["dim", "K"]`."""
        if self.parameter is None:
            return ["static", self.constant]
        kind = self.parameter["kind"]
        if kind == "stride":
            return [kind, self.parameter["array"], self.parameter["axis"]]
        return [kind, self.parameter["name"]]


def descriptor_recipe(memref: Any, function: Any, metadata: dict[str, Any]) -> dict[str, Any] | str:
    """Return what the launcher needs to describe `memref`, or why it cannot.

    Args:
        memref: A memref value, the result of a `make_memref`; of a slice, its array is described.
        function: The kernel around it.
        metadata: What `read_kernel_metadata` returns for it.

    Returns:
        `array` (name), `dtype`, and per dim, outermost first: `axes` (axis of the array), `dims`
        and `strides` (sources). Or the reason, as a clause.
    """
    entry, memref = function.regions[0].blocks[0], whole_array(memref)
    op = None if isinstance(memref, ir.BlockArgument) else memref.owner.operation
    if op is None or not op.name.endswith(MAKE_MEMREF):
        return "the array is not described in one place"
    view = op.opview
    base = _source(view.base, entry, metadata)
    if base is None or base.parameter is None or base.parameter["kind"] != "pointer":
        return "its base address is not a parameter of the kernel"
    arrays = {item["name"]: item for item in metadata.get("arrays", [])}
    array = arrays.get(base.parameter["array"])
    if array is None:
        return "the metadata of the kernel does not describe the array"
    dims = _sources(memref.type.shape, view.sizes, entry, metadata)
    strides = _sources(memref.type.strides, view.strides, entry, metadata)
    if None in dims or None in strides:
        return "an extent or stride is computed in the kernel"
    axes = _match_axes(dims, strides, array, metadata)
    if axes is None:
        return f"its dims are not the axes of {array['name']}"
    return {
        "array": array["name"],
        "dtype": array["dtype"],
        "axes": list(axes),
        "dims": [source.text() for source in dims if source is not None],
        "strides": [source.text() for source in strides if source is not None],
    }


def _sources(extents: Any, operands: Any, entry: Any, metadata: dict[str, Any]) -> list[Any]:
    """Return the source of each extent or stride; None where it is computed."""
    rest = iter(operands)
    return [
        _source(next(rest), entry, metadata) if extent is None else Source(constant=extent)
        for extent in extents
    ]


def _source(value: Any, entry: Any, metadata: dict[str, Any]) -> Source | None:
    """Trace `value` to a constant or a parameter, through assumptions."""
    while not isinstance(value, ir.BlockArgument):
        op = value.owner.operation
        if op.name == "arith.constant" and isinstance(op.attributes["value"], ir.IntegerAttr):
            return Source(constant=op.attributes["value"].value)
        if not op.name.endswith(".assume"):
            return None
        value = op.operands[0]
    params = metadata.get("params", [])
    if value.owner != entry or value.arg_number >= len(params):
        return None
    return Source(parameter=params[value.arg_number])


def _match_axes(
    dims: list[Any], strides: list[Any], array: dict[str, Any], metadata: dict[str, Any]
) -> tuple[int, ...] | None:
    """Return the axis of `array` for each dim, or None when they do not correspond."""
    if len(dims) != array["rank"]:
        return None
    for axes in permutations(range(len(dims))):
        if all(
            _is_stride(strides[dim], array, axis) and _is_extent(dims[dim], array, axis, metadata)
            for dim, axis in enumerate(axes)
        ):
            return axes
    return None


def _is_stride(source: Source, array: dict[str, Any], axis: int) -> bool:
    declared = array["strides"][axis]
    if source.parameter is None:
        return declared == source.constant != DYNAMIC
    param = source.parameter
    return param["kind"] == "stride" and (param["array"], param["axis"]) == (array["name"], axis)


def _is_extent(source: Source, array: dict[str, Any], axis: int, metadata: dict[str, Any]) -> bool:
    if source.parameter is None:
        declared = metadata.get("static_shape", {}).get(array["name"], [])
        return len(declared) > axis and declared[axis] == source.constant
    param = source.parameter
    if param["kind"] != "dim":
        return False
    place = [array["name"], axis]
    places = metadata.get("dims", {}).get(param["name"], [])
    return place in [list(item) for item in places] or place == [
        param.get("array"),
        param.get("axis"),
    ]
