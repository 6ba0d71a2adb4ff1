"""Reading attributes and types of cuda_tile operations as plain Python values."""

from typing import Any

import numpy as np

from tilec.support.diagnostics import InternalCompilerError
from tilec.support.numpy_types import NUMPY_BY_MLIR


def text(op: Any, name: str, default: str = "") -> str:
    """Return a string attribute, or `default` when the operation has none."""
    return op.attributes[name].value if name in op.attributes else default


def flag(op: Any, name: str) -> bool:
    """Tell whether the operation carries the unit attribute `name`."""
    return name in op.attributes


def integer(op: Any, name: str) -> int:
    """Return an integer attribute."""
    return int(op.attributes[name].value)


def integers(op: Any, name: str) -> tuple[int, ...]:
    """Return an array attribute of integers."""
    return tuple(int(item) for item in op.attributes[name])


def element_name(kind: Any) -> str:
    """Return the MLIR name of the element type of a tile type, or of a scalar type itself."""
    element = getattr(kind, "element_type", None)
    return str(kind if element is None else element)


def element_dtype(kind: Any) -> np.dtype[Any]:
    """Return the NumPy type of the elements of a tile type or of a scalar type."""
    name = element_name(kind)
    if name not in NUMPY_BY_MLIR:
        raise InternalCompilerError(
            f"the CPU reference has no NumPy type for element type '{name}'",
            pass_name="interpreter",
        )
    return NUMPY_BY_MLIR[name]


def tile_shape(kind: Any) -> tuple[int, ...]:
    """Return the shape of a tile type."""
    return tuple(int(extent) for extent in kind.shape)
