"""Decides which calls the extension `repeated_calls` launches, and hands them to it.

The extension is optional: without a compiler at installation, with another library of tensors than
PyTorch 2.10 or newer, or with `TILEC_EXTENSION=0`, every call goes through the dispatcher.
"""

from collections.abc import Sequence
from typing import Any

from tilec.runtime.cuda.api import Driver, NativeDriver
from tilec.runtime.launch.grid import Grid
from tilec.runtime.launch.launcher import LaunchPlan
from tilec.runtime.launch.parameter_block import ParameterBlock
from tilec.support.environment import uses_extension

try:
    from tilec.runtime.launch import repeated_calls
    from tilec.runtime.launch.repeated_calls import RepeatedCalls
except ImportError:  # not built
    repeated_calls = RepeatedCalls = None

_MAX_SEEN = 4096
"""Calls that were seen once; when there are more, all are forgotten."""


def extension_file() -> str | None:
    """Return the file of the extension; None where it was not built."""
    return None if repeated_calls is None else str(repeated_calls.__file__)


class Repeats:
    """The repeated calls of one kernel.

    Attributes:
        launch: Launches a call that was noted twice: positional arguments and the grid of the
            caller, or None. It returns False for any other call.
    """

    def __init__(self, calls: Any, driver: NativeDriver) -> None:
        """Begin without calls.

        Args:
            calls: A `RepeatedCalls`.
            driver: The driver that its addresses come from.
        """
        self._calls, self._driver = calls, driver
        self._seen: set[tuple[Any, ...]] = set()
        self.launch = calls.launch

    def note(
        self,
        arguments: tuple[Any, ...],
        grid: Grid | None,
        plan: LaunchPlan,
        pointers: tuple[int, ...],
        scalars: Sequence[Any],
        stream: int,
    ) -> None:
        """Note a call that was launched; the second time it goes to the extension.

        Most calls with a new scalar never come again, and to prepare one takes longer than to
        launch it.

        Args:
            arguments: Its positional arguments; all its arrays are tensors.
            grid: The grid that the caller gave.
            plan: How it was launched.
            pointers: Addresses of its tensors.
            scalars: Its scalar arguments.
            stream: The stream that it was launched on, the current one.
        """
        if plan.workspaces or plan.watches or len(plan.launches) != 1:
            return  # memory that depends on the stream, waits for the end, several kernels
        call = (pointers, tuple(scalars), stream, grid)
        if call not in self._seen:
            if len(self._seen) >= _MAX_SEEN:
                self._seen.clear()
            self._seen.add(call)
            return
        native = self._driver.native_launch(plan.launches[0].prepared, stream)
        block = ParameterBlock(plan.launches[0].layout)
        block.fill(pointers, scalars)
        addresses = (native.context, native.function, native.configuration, block.address)
        self._calls.record(arguments, grid, stream, *addresses, pointers, (native, block))


def find_repeats(driver: Driver, types: tuple[type, ...]) -> Repeats | None:
    """Return what launches repeated calls with tensors of `types`; None without the extension."""
    if RepeatedCalls is None or not types or not uses_extension():
        return None
    if not isinstance(driver, NativeDriver):
        return None
    addresses = driver.native_functions()
    if addresses is None:
        return None
    try:
        return Repeats(RepeatedCalls(types, *addresses), driver)
    except (AttributeError, ValueError):  # no exchange API, or another version
        return None
