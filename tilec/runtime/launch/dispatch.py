"""From a Python call to a launch, with a plan per argument signature.

A signature is everything about the arguments that a plan depends on. The first call with a
signature takes the slow way: bind, check, compile or load, plan. Every later one reads shape,
strides, type and address of each array, finds the plan, and launches.
"""

import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from tilec.runtime.args.arguments import BoundArguments, check_arguments
from tilec.runtime.args.arrays import is_numpy, view_array
from tilec.runtime.args.signature_binding import ARRAY, DTYPE, SCALAR, Interface, bind_call
from tilec.runtime.cuda.api import Driver
from tilec.runtime.cuda.current import get_driver
from tilec.runtime.launch.grid import Grid
from tilec.runtime.launch.launcher import LaunchPlan
from tilec.runtime.launch.repeats import Repeats, find_repeats
from tilec.runtime.launch.streams import launch_stream, stream_handle, torch_stream
from tilec.support.diagnostics import LaunchError, TileError
from tilec.support.dtypes import DTYPES
from tilec.support.locks import Lock
from tilec.support.tracebacks import shortened

_MAX_PLANS = 1024
"""Argument signatures that are remembered per kernel; beyond that the oldest go."""
_MAX_POSITIONS = 8
"""Plans per signature, which differ in how the arrays lie to each other in memory."""

_ARRAY, _RUN_TIME, _FIXED, _CONSTANT = range(4)
"""How a parameter enters a signature: as an array, by type, by value, by value (not passed on)."""


class Planner(Protocol):
    """What differs between a kernel in source form and one from a package."""

    def interface(self) -> Interface:
        """Return the kernel's parameters."""
        ...

    def plan(
        self,
        driver: Driver,
        arguments: BoundArguments,
        grid: Grid | None,
        run_time_scalars: Sequence[str],
    ) -> LaunchPlan:
        """Find or make a variant for these arguments and prepare its launch."""
        ...

    def blocks(self, arguments: BoundArguments, grid: Grid | None) -> int:
        """Return how many blocks run where an array has no element; this compiles nothing."""
        ...

    def run_on_cpu(self, arguments: BoundArguments, grid: Grid | None) -> None:
        """Run the CPU reference on NumPy arrays."""
        ...


def _launch_nothing(_arguments: tuple[Any, ...], _grid: Grid | None) -> bool:
    return False


class CallShape:
    """Which parameter each argument of a call goes to, for one way of writing the call.

    Attributes:
        identity: Distinguishes ways of writing the call.
        keywords: Keyword arguments in declaration order.
        kinds: Per argument in declaration order how it enters a signature.
    """

    __slots__ = ("identity", "keywords", "kinds")

    def __init__(self, interface: Interface, count: int, keywords: Sequence[str]) -> None:
        """Work out a call with `count` positional arguments and these keywords."""
        positional = [item for item in interface.parameters if item.kind != DTYPE]
        rest = [item for item in interface.parameters if item.name in keywords]
        self.keywords = tuple(item.name for item in rest)
        self.kinds = tuple(_kind(item) for item in [*positional[:count], *rest])
        self.identity = (count, self.keywords)

    def values(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of a call in declaration order."""
        if not self.keywords:
            return tuple(arguments)
        return (*arguments, *[keywords[name] for name in self.keywords])


def _kind(parameter: Any) -> int:
    if parameter.kind == ARRAY:
        return _ARRAY
    if parameter.kind == SCALAR:
        return _RUN_TIME if is_run_time_scalar(parameter.dtype) else _FIXED
    return _CONSTANT


def is_run_time_scalar(dtype: str) -> bool:
    """Tell whether a scalar may change from launch to launch without a new plan.

    Integers may appear in the grid and in preconditions, so their values belong to the plan.
    """
    return dtype in DTYPES and DTYPES[dtype].is_float


class Signature(NamedTuple):
    """What a call looks like to the plans.

    Attributes:
        key: Everything that a plan depends on. Null addresses, which are right for arrays without
            elements only, count as no multiple of anything.
        pointers: Address of every array argument.
        scalars: Every scalar argument.
        stream: Handle of the stream to launch on.
        producers: (device, stream) pairs that must be waited for.
        are_all_tensors: Whether all arrays are plain torch tensors.
    """

    key: tuple[Any, ...]
    pointers: tuple[int, ...]
    scalars: list[Any]
    stream: int
    producers: tuple[tuple[int, int], ...] = ()
    are_all_tensors: bool = False


class Dispatcher:
    """Launches one kernel.

    Attributes:
        launch_repeated: Launches a call that was seen before, given its positional arguments and
            the grid of the caller or None; returns False, and launches nothing, for any other.
    """

    def __init__(self, planner: Planner, alignment: int = 16) -> None:
        """Dispatch the calls of `planner`'s kernel.

        Args:
            planner: Makes plans.
            alignment: Largest divisor of addresses, in bytes, that a variant may assume.
        """
        self._planner = planner
        self._mask = alignment - 1
        self._plans: dict[Any, list[LaunchPlan]] = {}
        self._shapes: dict[Any, CallShape] = {}
        self._lock = Lock()
        self._torch_types: tuple[type, ...] = ()
        self._repeats: Repeats | None = None
        self.launch_repeated: Callable[[tuple[Any, ...], Grid | None], bool] = _launch_nothing

    def launch(
        self, arguments: tuple[Any, ...], keywords: Mapping[str, Any], grid: Grid | None = None
    ) -> None:
        """Launch the kernel; `keywords` may hold the stream, and `call` says the rest."""
        if keywords:
            keywords, stream = self._planner.interface().take_stream(keywords)
            self.call(arguments, keywords, grid, stream)
        elif not self.launch_repeated(arguments, grid):
            self.call(arguments, keywords, grid)

    def call(
        self,
        arguments: tuple[Any, ...],
        keywords: Mapping[str, Any],
        grid: Grid | None = None,
        stream: Any = None,
    ) -> None:
        """Launch a call that is no repeated one; on the CPU when the arrays are NumPy arrays.

        Args:
            arguments: Positional arguments.
            keywords: Keyword arguments.
            grid: Blocks along each axis, for a kernel without a grid of its own.
            stream: Stream to launch on; None takes the current one of the arrays' library.

        Raises:
            TileError: The kernel cannot be compiled, an argument is wrong, or the launch failed.
        """
        shape = self._shapes.get((len(arguments), *keywords))
        if shape is not None:
            signature = self._signature(shape, shape.values(arguments, keywords), grid, stream)
            plan = None if signature is None else self._launch_planned(signature)
            if plan is not None and signature is not None:
                repeats = self._repeats
                if repeats is None or stream is not None or keywords:
                    return
                if signature.are_all_tensors:
                    _, pointers, scalars, handle, *_ = signature
                    repeats.note(arguments, grid, plan, pointers, scalars, handle)
                return
        try:
            self._slow_call(arguments, keywords, grid, stream)
        except TileError as failure:
            raise shortened(failure)  # noqa: B904 - it is the same error

    def _signature(
        self, shape: CallShape, values: Sequence[Any], grid: Grid | None, stream: Any
    ) -> Signature | None:
        """Read the arguments; None when one of them is not what such an argument should be."""
        key: list[Any] = [shape.identity, grid]
        pointers: list[int] = []
        scalars: list[Any] = []
        others: list[tuple[int, Any]] = []
        device: int | None = None
        mask, torch_types = self._mask, self._torch_types
        try:
            for value, kind in zip(values, shape.kinds, strict=True):
                if kind == _ARRAY:
                    if type(value) in torch_types:
                        pointer = value.data_ptr()
                        place = value.device
                        device = place.index
                        key += (value.shape, value.stride(), value.dtype, place)
                        key += (pointer & mask if pointer else None, value.is_neg())
                        pointers.append(pointer)
                    else:
                        others.append((len(pointers), value))
                        pointers.append(0)
                elif kind == _RUN_TIME:
                    key.append(type(value))
                    scalars.append(value)
                else:
                    # 1, 1.0 and True are equal, but they are different arguments.
                    key += (type(value), value)
                    if kind == _FIXED:
                        scalars.append(value)
            if others:
                return self._other_signature(key, pointers, scalars, others, values, stream)
            if stream is not None:
                handle = stream_handle(stream)
            else:
                handle = 0 if device is None else torch_stream(device)
        except (RuntimeError, TypeError, ValueError):
            return None
        return Signature(tuple(key), tuple(pointers), scalars, handle, (), True)

    def _other_signature(
        self,
        key: list[Any],
        pointers: list[int],
        scalars: list[Any],
        others: Sequence[tuple[int, Any]],
        values: Sequence[Any],
        stream: Any,
    ) -> Signature | None:
        """Complete a signature with arrays that are no plain torch tensors."""
        if any(is_numpy(value) for _, value in others):
            return None
        handle = launch_stream(values) if stream is None else stream_handle(stream)
        producers: list[tuple[int, int]] = []
        for position, value in others:
            try:
                view = view_array(value, "an argument", handle)
            except LaunchError:
                return None  # the slow way says so with the name of the parameter
            pointers[position] = view.pointer
            key += (position, view.shape, view.strides, view.dtype, view.device_kind, view.device)
            key += (view.pointer & self._mask if view.pointer else None, view.read_only)
            if view.producer_stream is not None and view.producer_stream != handle:
                producers.append((view.device or 0, view.producer_stream))
        return Signature(tuple(key), tuple(pointers), scalars, handle, tuple(producers))

    def _launch_planned(self, signature: Signature) -> LaunchPlan | None:
        """Launch with a plan that exists already and return it; None when there is none."""
        key, pointers, scalars, stream, producers, _ = signature
        try:
            plans = self._plans.get(key, ())
        except TypeError:  # a constant that cannot be hashed is no number either
            return None
        for plan in plans:
            if plan.accepts(pointers):
                for device, producer in producers:
                    plan.driver.order_streams(device, producer, stream)
                try:
                    plan.run(pointers, scalars, stream)
                except (OverflowError, struct.error):
                    return None  # a scalar out of range; the slow way names it
                return plan
        return None

    def _slow_call(
        self,
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        grid: Grid | None,
        stream: Any,
    ) -> None:
        interface = self._planner.interface()
        values = bind_call(interface, arguments, keywords)
        handle = launch_stream(values.values()) if stream is None else stream_handle(stream)
        bound = self.check(values, handle)
        if bound.device is None:
            self._planner.run_on_cpu(bound, grid)
            return
        self._remember_torch()
        shape = CallShape(interface, len(arguments), tuple(keywords))
        ordered = shape.values(arguments, keywords)
        run_time = [
            item.name for item in interface.of_kind(SCALAR) if is_run_time_scalar(item.dtype)
        ]
        signature = self._signature(shape, ordered, grid, stream)
        with self._lock.held:
            # Another thread may have made the plan meanwhile.
            if signature is not None and self._launch_planned(signature) is not None:
                return
            driver = get_driver()
            if self._repeats is None:
                self._find_repeats(driver)
            if bound.is_empty and not self._planner.blocks(bound, grid):
                plan = LaunchPlan(driver, ())
            else:
                plan = self._planner.plan(driver, bound, grid, run_time)
            if signature is not None:
                self._store(shape, tuple(keywords), signature, plan)
        _order_streams(driver, bound, bound.device, handle)
        pointers = tuple(view.pointer for view in bound.arrays.values())
        plan.run(pointers, list(bound.scalars.values()), handle)

    def check(self, values: Mapping[str, Any], stream: int = 0) -> BoundArguments:
        """Check the values of a call against the kernel's interface.

        Raises:
            LaunchError: A rule is broken.
        """

        def locate(pointer: int) -> int | None:
            return get_driver().pointer_device(pointer)

        return check_arguments(self._planner.interface(), values, stream, locate)

    def _store(
        self, shape: CallShape, keywords: tuple[str, ...], signature: Signature, plan: LaunchPlan
    ) -> None:
        if len(self._plans) >= _MAX_PLANS:
            self._plans.pop(next(iter(self._plans)))
        plans = self._plans.get(signature.key, [])
        # A new list: other threads may be iterating over the old one.
        self._plans[signature.key] = [*plans[-_MAX_POSITIONS + 1 :], plan]
        self._shapes[(shape.identity[0], *keywords)] = shape

    def _find_repeats(self, driver: Driver) -> None:
        self._repeats = find_repeats(driver, self._torch_types)
        if self._repeats is not None:
            self.launch_repeated = self._repeats.launch

    def _remember_torch(self) -> None:
        """Note torch's own tensor types, which may be read without a protocol.

        Subclasses may wrap another tensor and are read with more care.
        """
        torch = sys.modules.get("torch")
        if torch is not None and not self._torch_types and hasattr(torch, "Tensor"):
            parameter = getattr(getattr(torch, "nn", None), "Parameter", None)
            self._torch_types = tuple(t for t in (torch.Tensor, parameter) if t is not None)


def _order_streams(driver: Driver, bound: BoundArguments, device: int, stream: int) -> None:
    """Let a stream of a GPU wait for those that produce the arrays of a call."""
    for view in bound.arrays.values():
        if view.producer_stream is not None and view.producer_stream != stream:
            driver.order_streams(device, view.producer_stream, stream)
