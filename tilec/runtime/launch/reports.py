"""The buffers into which kernels report, and what reads them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tilec.request.prints import PRINT_BUFFER
from tilec.request.wait_records import DEBUG_BUFFER
from tilec.runtime.cuda.api import Driver
from tilec.runtime.launch.print_watch import PrintWatch
from tilec.runtime.launch.wait_watch import WaitWatch

Watch = WaitWatch | PrintWatch
_WATCHES: Mapping[str, type[Watch]] = {DEBUG_BUFFER: WaitWatch, PRINT_BUFFER: PrintWatch}
"""What reads each buffer; an error of the first is raised after the second has printed."""


def make_watches(
    driver: Driver,
    device: int,
    kernels: tuple[Mapping[str, Any], ...],
    hidden_parameters: Sequence[Any],
) -> tuple[Watch, ...]:
    """Return what provides and reads the buffers of kernels, in the order of their addresses.

    Args:
        driver: What launches them.
        device: Ordinal of the GPU.
        kernels: Metadata of every kernel, in launch order.
        hidden_parameters: The artifact's `HiddenParameter`s.
    """
    return tuple(_WATCHES[name](driver, device, kernels) for name in _buffers(hidden_parameters))


def report_places(
    hidden_parameters: Sequence[Any], first: int, kernels: int, position: int
) -> dict[str, int]:
    """Return the index of the address of each buffer of one kernel, by its name.

    Args:
        hidden_parameters: The artifact's `HiddenParameter`s.
        first: Index of the first of these addresses.
        kernels: Number of kernels.
        position: Which of them.
    """
    names = _buffers(hidden_parameters)
    return {name: first + number * kernels + position for number, name in enumerate(names)}


def _buffers(hidden_parameters: Sequence[Any]) -> list[str]:
    names = {item.name for item in hidden_parameters}
    return [name for name in _WATCHES if name in names]
