"""Arrays in GPU memory without any array library: what `tilec run` uses.

A `DeviceArray` mirrors the memory block of a NumPy array, gaps and all, so that every layout
can be run and every stray write can be seen.
"""

import weakref
from typing import Any

from tilec.runtime.args.arrays import ArrayView, dtype_name
from tilec.runtime.cuda.api import Driver
from tilec.runtime.cuda.current import get_driver


class DeviceArray:
    """A strided array in device memory that this object owns.

    Attributes:
        shape: Extent of each axis.
        strides: Stride of each axis in elements.
        dtype: Element type by its tilec name.
        device: Ordinal of the GPU.
    """

    def __init__(
        self,
        memory: Any,
        offset: int = 0,
        shape: tuple[int, ...] | None = None,
        strides: tuple[int, ...] | None = None,
        *,
        device: int = 0,
        driver: Driver | None = None,
    ) -> None:
        """Copy a block of host memory to the GPU.

        Args:
            memory: Contiguous one-dimensional NumPy array: every element of the block.
            offset: Index in `memory` of element (0, ..., 0).
            shape: Extents; by default those of `memory`.
            strides: Strides in elements; by default contiguous.
            device: Ordinal of the GPU.
            driver: Driver to use instead of the process-wide one.

        Raises:
            DeviceError: There is no GPU, or it has too little memory.
        """
        self._driver = driver if driver is not None else get_driver()
        self.device = device
        self.shape = tuple(memory.shape) if shape is None else shape
        self.strides = (1,) if strides is None else strides
        self.dtype = dtype_name(memory.dtype.name)
        self._offset_bytes = offset * memory.itemsize
        self._base = self._driver.allocate(device, memory.nbytes)
        self._release = weakref.finalize(self, self._driver.free, device, self._base)
        # At the end of the process the context may be gone before the memory is.
        self._release.atexit = False
        self.upload(memory)

    @property
    def pointer(self) -> int:
        """Address of element (0, ..., 0)."""
        return self._base + self._offset_bytes

    def upload(self, memory: Any) -> None:
        """Copy a block of the same size to the GPU."""
        self._driver.upload(self.device, self._base, _address(memory), memory.nbytes)

    def download(self, memory: Any) -> None:
        """Copy the block to host memory of the same size; waits for the GPU."""
        self._driver.synchronize(self.device)
        self._driver.download(self.device, _address(memory), self._base, memory.nbytes)

    def free(self) -> None:
        """Release the memory now; the array must not be used any more."""
        self._release()

    def __tilec_array__(self) -> ArrayView:
        """Return the memory view that a launch reads."""
        return ArrayView(
            self.pointer, self.shape, self.strides, self.dtype, "cuda", self.device, "tilec"
        )


def _address(memory: Any) -> int:
    return memory.__array_interface__["data"][0]
