"""Global memory for the interpreter: a pointer is the bytes of an array plus an offset."""

from typing import Any

import numpy as np

from tilec.support.diagnostics import InternalCompilerError


class Pointer:
    """An address: bytes of one array and an offset into them."""

    __slots__ = ("memory", "offset")

    def __init__(self, memory: np.ndarray, offset: int) -> None:
        """Point `offset` bytes into `memory`, a one-dimensional uint8 array."""
        self.memory = memory
        self.offset = offset

    @classmethod
    def to(cls, array: np.ndarray) -> "Pointer":
        """Return the address of the first element of `array`.

        The memory covers what the strides of the array reach, no more: an access outside is an
        error, not a read of somebody else's bytes.
        """
        if array.size == 0:
            return cls(np.empty(0, np.uint8), 0)
        offset = sum(
            (1 - extent) * stride
            for extent, stride in zip(array.shape, array.strides, strict=True)
            if stride < 0
        )
        span = array.itemsize + sum(
            (extent - 1) * abs(stride)
            for extent, stride in zip(array.shape, array.strides, strict=True)
        )
        lowest = array[tuple(slice(None, None, -1 if s < 0 else 1) for s in array.strides)]
        element = lowest[(slice(0, 1),) * array.ndim].reshape(1).view(np.uint8)
        memory = np.lib.stride_tricks.as_strided(
            element, (span,), (1,), writeable=array.flags.writeable
        )
        return cls(memory, offset)

    def view(
        self, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> np.ndarray:
        """Return the elements from the pointer on as an array.

        Args:
            dtype: Element type; i1 is one byte in memory.
            shape: Extents in elements.
            strides: Strides in elements; zero and negative ones are fine.

        Raises:
            InternalCompilerError: The view reaches outside of the memory.
        """
        size = dtype.itemsize
        try:
            return np.ndarray(
                shape, dtype, self.memory, self.offset, tuple(size * stride for stride in strides)
            )
        except (ValueError, TypeError):
            raise InternalCompilerError(
                f"make_tensor_view: shape {shape} with strides {strides} reaches outside of the "
                f"{self.memory.size} bytes of its array",
                pass_name="interpreter",
                op="cuda_tile.make_tensor_view",
            ) from None
