"""The driver that this process uses: the real one, or what a test put in its place."""

from tilec.runtime.cuda.api import Driver
from tilec.support.diagnostics import DeviceError
from tilec.support.locks import Lock

_lock = Lock()
_driver: Driver | None = None


def get_driver() -> Driver:
    """Return the driver of this process, initialised on first use.

    Raises:
        DeviceError: There is no usable driver or GPU.
    """
    global _driver
    if _driver is None:
        with _lock.held:
            if _driver is None:
                from tilec.runtime.cuda.cuda_driver import CudaDriver

                _driver = CudaDriver()
    return _driver


def set_driver(driver: Driver | None) -> Driver | None:
    """Replace the driver of this process and return the previous one; None re-initialises."""
    global _driver
    with _lock.held:
        previous, _driver = _driver, driver
    return previous


def has_gpu() -> bool:
    """Tell whether a driver with at least one GPU is usable."""
    try:
        return get_driver().device_count() > 0
    except DeviceError:
        return False
