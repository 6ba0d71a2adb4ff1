"""From a caller's arrays and scalars to the argument values of a kernel, by its metadata.

The rules of the language are checked by `tilec.runtime`, as for a launch on the GPU. Of what a
variant assumes beyond them only the strides matter here: they are constants in the IR. Alignment
means nothing to NumPy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilec.interpreter.memory import Pointer
from tilec.runtime.args.arguments import BoundArguments, check_arguments
from tilec.runtime.args.signature_binding import bind_call, interface_from_metadata
from tilec.runtime.errors import launch_error
from tilec.runtime.launch.grid import MAX_GRID_RANK, caller_grid, launch_grid
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.numpy_types import NUMPY_BY_NAME

Arrays = Mapping[str, np.ndarray]
Scalars = Mapping[str, Any]


@dataclass(frozen=True)
class Launch:
    """What a run of a kernel needs.

    Attributes:
        values: One value per kernel argument, in order.
        grid: Number of blocks along each of the three axes; a 0 means that nothing runs.
    """

    values: tuple[Any, ...]
    grid: tuple[int, int, int]


def bind_arguments(
    metadata: Mapping[str, Any],
    arrays: Arrays,
    scalars: Scalars,
    grid: Sequence[int] | None = None,
) -> Launch:
    """Return the argument values and the grid of a launch.

    Args:
        metadata: The kernel's `tilec.kernel` dictionary.
        arrays: Arrays by parameter name.
        scalars: Scalar arguments by parameter name.
        grid: Blocks along each axis, for a kernel that does not compute its own grid.

    Raises:
        LaunchError: An argument is missing, does not fit its parameter or breaks a compiled-in
            fact, or the grid is missing or unwanted.
    """
    interface = interface_from_metadata(metadata)
    bound = check_arguments(interface, bind_call(interface, (), {**arrays, **scalars}))
    for declared in metadata["arrays"]:
        _check_compiled_in(metadata["name"], declared, arrays[declared["name"]])
    extents = _grid(metadata, bound, grid)
    values = tuple(_value(param, arrays, bound, extents) for param in metadata["params"])
    return Launch(values, extents)


def _check_compiled_in(kernel: str, declared: Mapping[str, Any], array: np.ndarray) -> None:
    name = declared["name"]
    if declared["access"] != "read" and not array.flags.writeable:
        message = f"{kernel}: {name} is read-only, but the kernel writes it"
        raise launch_error("T0702", message, hint="pass a copy, which can be written")
    for axis, stride in enumerate(declared["strides"]):
        actual = array.strides[axis] // array.itemsize
        if stride >= 0 and actual != stride and array.size and array.shape[axis] > 1:
            raise launch_error(
                "T0706",
                f"{name}.strides[{axis}] is {actual}, but the kernel was compiled for {stride}",
            )


def _grid(
    metadata: Mapping[str, Any], bound: BoundArguments, grid: Sequence[int] | None
) -> tuple[int, int, int]:
    name = metadata["name"]
    given = None if grid is None else caller_grid(tuple(grid), name)
    extents = launch_grid(metadata, bound, given)
    x, y, z = [*extents] + [1] * (MAX_GRID_RANK - len(extents))
    return x, y, z


def _value(
    param: Mapping[str, Any], arrays: Arrays, bound: BoundArguments, grid: tuple[int, int, int]
) -> Any:
    kind = param["kind"]
    if kind == "scalar":
        return _scalar(bound.scalars[param["name"]], param["dtype"])
    if kind == "grid":
        return np.int32(grid[param["axis"]])
    if kind == "pointer":
        return Pointer.to(arrays[param["array"]])
    if kind == "stride":
        return np.int64(bound.arrays[param["array"]].strides[param["axis"]])
    if kind == "dim":
        return np.int32(arrays[param["array"]].shape[param["axis"]])
    raise InternalCompilerError(
        f"the CPU reference cannot pass an argument of kind '{kind}'", pass_name="interpreter"
    )


def _scalar(value: bool | float, dtype_name: str) -> Any:
    """Return a checked scalar in its NumPy type; unsigned integers by their bits."""
    dtype = NUMPY_BY_NAME[dtype_name]
    result = dtype.type(value)
    return result.view(f"i{dtype.itemsize}") if dtype.kind == "u" else result
