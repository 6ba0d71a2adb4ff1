"""Device memory that the kernels of a launch write reports to."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tilec.runtime.cuda.api import Driver
from tilec.support.diagnostics import DeviceError


@contextmanager
def device_memory(
    driver: Driver, device: int, stream: int, size: int, cleared: int
) -> Iterator[int]:
    """Provide memory on a GPU while the `with` lasts.

    Args:
        driver: What provides it.
        device: Ordinal of the GPU.
        stream: Stream on which it is cleared.
        size: Bytes.
        cleared: Bytes at its start that are set to 0.

    Yields:
        Its address.

    Raises:
        DeviceError: The driver failed.
    """
    buffer = driver.allocate(device, size)
    try:
        driver.fill(device, buffer, 0, cleared, stream)
        yield buffer
    finally:
        with suppress(DeviceError):  # the context may be lost; that error is the one to show
            driver.free(device, buffer)


def download(driver: Driver, device: int, address: int, size: int) -> bytes:
    """Return `size` bytes of the memory of a GPU."""
    if not size:
        return b""
    host = ctypes.create_string_buffer(size)
    driver.download(device, ctypes.addressof(host), address, size)
    return host.raw
