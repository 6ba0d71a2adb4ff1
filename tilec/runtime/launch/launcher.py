"""Turns checked arguments and a loaded kernel into a launch that can be repeated.

A `LaunchPlan` holds for every call with the same argument signature (shapes, strides, element
types, device, alignment of the addresses, integer scalars). Addresses and float scalars may
change: `LaunchPlan.run` writes them into a parameter block and asks the driver. Everything that
can be checked is checked when the plan is made; what depends on addresses, whether arrays
overlap, is re-checked by `LaunchPlan.accepts`.
"""

import struct
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.preconditions import broken_preconditions
from tilec.runtime.args.scalars import encode_scalar
from tilec.runtime.cuda.api import Driver, LoadedKernel, PreparedLaunch
from tilec.runtime.errors import launch_error
from tilec.runtime.launch.grid import Grid, count_blocks, launch_grid
from tilec.runtime.launch.launch_shape import ctas_of_a_tile, launch_shape, whole_clusters
from tilec.runtime.launch.pairs import PairCheck, Pointers, check_pairs
from tilec.runtime.launch.parameter_block import ParameterBlock, ParameterLayout
from tilec.runtime.launch.reports import Watch, make_watches, report_places
from tilec.runtime.launch.tensor_map import check_encoding, make_encoding
from tilec.runtime.launch.workspace import (
    STAND_INS,
    WorkspaceRequest,
    lay_out,
    make_request,
    workspace_pool,
)
from tilec.support.diagnostics import (
    DeadlockError,
    DeviceError,
    InternalCompilerError,
    KernelAssertionError,
    LaunchError,
    OutOfRangeError,
    error,
)

Scalars = Sequence[bool | int | float]

_MAX_BLOCKS = 16
"""Sets of addresses per plan whose parameters are kept."""


@dataclass(slots=True)
class KernelLaunch:
    """One kernel of a plan.

    Attributes:
        prepared: The loaded kernel with its execution configuration.
        layout: Where its parameters come from.
        blocks: Parameter blocks that no thread uses at the moment, by the addresses that they
            hold, least recently used first.
    """

    prepared: PreparedLaunch
    layout: ParameterLayout
    blocks: dict[Pointers, ParameterBlock] = field(default_factory=dict)

    def take_block(self, pointers: Pointers) -> ParameterBlock:
        """Return a block for these addresses that no other thread has.

        Encoding tensor maps is the costly part of a launch, and programs use a few sets of buffers
        one after the other, so several blocks are kept. Single dict operations are atomic.
        """
        block = self.blocks.pop(pointers, None)
        if block is None and len(self.blocks) >= _MAX_BLOCKS:
            try:
                block = self.blocks.pop(next(iter(self.blocks)))
            except (KeyError, RuntimeError, StopIteration):
                block = None  # another thread was faster
        return ParameterBlock(self.layout) if block is None else block


@dataclass(slots=True)
class LaunchPlan:
    """Everything that calls with one argument signature share.

    Attributes:
        driver: What launches it.
        launches: The kernels in order; none when there is nothing to do.
        pairs: Arrays that must be compared again when addresses change.
        workspaces: Device memory that the launch needs; the addresses follow those of the arrays.
        watches: What the launches report to, and what reads that: assertions and the waits of a
            debug build, and prints. The addresses of their records follow those of the workspaces.
        variant: The compiled kernel that it launches, for inspection.
    """

    driver: Driver
    launches: tuple[KernelLaunch, ...]
    pairs: tuple[PairCheck, ...] = ()
    workspaces: tuple[WorkspaceRequest, ...] = ()
    watches: tuple[Watch, ...] = ()
    variant: Any = None

    def accepts(self, pointers: Pointers) -> bool:
        """Tell whether the plan holds for these addresses."""
        return all(pair.accepts(pointers) for pair in self.pairs)

    def run(self, pointers: Pointers, scalars: Scalars, stream: int) -> None:
        """Launch on a raw stream handle.

        Args:
            pointers: Address of every array argument, in declaration order.
            scalars: Every scalar argument, in declaration order.
            stream: Stream handle.

        Raises:
            DeadlockError: A wait of a debug build ran into its limit.
            OutOfRangeError: An index in a debug build was out of range.
            KernelAssertionError: An assertion of the kernel failed.
        """
        if self.workspaces:
            pool = workspace_pool(self.driver)
            pointers = (*pointers, *(pool.provide(item, stream) for item in self.workspaces))
        if self.watches:
            self._run_watched(pointers, scalars, stream)
            return
        for launch in self.launches:
            block = launch.take_block(pointers)
            block.fill(pointers, scalars)
            self.driver.launch(launch.prepared, stream, block.address)
            launch.blocks[pointers] = block

    def _run_watched(self, pointers: Pointers, scalars: Scalars, stream: int) -> None:
        """Launch kernels that report, and wait for their end; `pointers` has the workspaces."""
        try:
            with ExitStack() as stack:
                for watch in self.watches:
                    pointers = (*pointers, *stack.enter_context(watch.records(stream)))
                plan = replace(self, workspaces=(), watches=())
                plan.run(pointers, scalars, stream)
        except (DeadlockError, KernelAssertionError, OutOfRangeError):
            pool = workspace_pool(self.driver)
            with suppress(DeviceError):  # the deadlock is the error to show
                for item in self.workspaces:
                    pool.clear(item, stream)
            raise


def make_plan(
    driver: Driver,
    kernels: Sequence[tuple[Mapping[str, Any], LoadedKernel]],
    arguments: BoundArguments,
    grid: Grid | None = None,
    run_time_scalars: Sequence[str] = (),
    workspaces: Sequence[Any] = (),
    hidden_parameters: Sequence[Any] = (),
) -> LaunchPlan:
    """Check the arguments against a variant and prepare its launches.

    Args:
        driver: The GPU driver.
        kernels: Metadata and loaded code of every kernel of the artifact, in launch order.
        arguments: Arguments that satisfy the interface.
        grid: Blocks along each axis when the kernel has no grid of its own.
        run_time_scalars: Scalars whose value may differ between calls that share the plan.
        workspaces: The artifact's `Workspace`s.
        hidden_parameters: The artifact's `HiddenParameter`s.

    Raises:
        LaunchError: A precondition is broken, the grid is wrong, or arrays overlap.
    """
    workspaces = (*STAND_INS, *workspaces) if arguments.is_empty else workspaces
    launches: list[KernelLaunch] = []
    for position, (metadata, loaded) in enumerate(kernels):
        check_preconditions(metadata, arguments)
        extents, blocks = _extents_and_blocks(metadata, arguments, grid)
        if blocks:
            prepared = PreparedLaunch(loaded, launch_shape(driver, loaded, metadata, blocks))
            layout = _layout(driver, metadata, arguments, extents, run_time_scalars)
            places = _places(arguments, workspaces, hidden_parameters, len(kernels), position)
            _add_hidden(layout, hidden_parameters, places, metadata["name"])
            launches.append(KernelLaunch(prepared, layout))
    if not launches:
        return LaunchPlan(driver, ())
    every = tuple(metadata for metadata, _ in kernels)
    requests = lay_out(make_request(item, every[0], arguments) for item in workspaces)
    watches = make_watches(driver, arguments.device or 0, every, hidden_parameters)
    return LaunchPlan(driver, tuple(launches), check_pairs(every, arguments), requests, watches)


def _places(
    arguments: BoundArguments,
    workspaces: Sequence[Any],
    hidden_parameters: Sequence[Any],
    kernels: int,
    position: int,
) -> dict[str, int]:
    """Return where the buffers of one of the kernels are among the addresses of a launch."""
    first = len(arguments.arrays)
    places = {item.name: place for place, item in enumerate(workspaces, first)}
    return places | report_places(hidden_parameters, first + len(workspaces), kernels, position)


def _extents_and_blocks(
    metadata: Mapping[str, Any], arguments: BoundArguments, grid: Grid | None
) -> tuple[Grid, int]:
    """Return the blocks along each axis, and how many items of work they are."""
    extents = launch_grid(metadata, arguments, grid)
    tiles = whole_clusters(extents, metadata.get("cluster_tiles", (1, 1)))
    of_one = ctas_of_a_tile(metadata) * metadata.get("split_k", 1)
    return extents, count_blocks(tiles) * of_one


def check_preconditions(metadata: Mapping[str, Any], arguments: BoundArguments) -> None:
    """Refuse arguments that the compiled variant was not made for.

    Raises:
        LaunchError: With every broken precondition.
    """
    name = metadata["name"]
    for declared in metadata["arrays"]:
        if arguments.arrays[declared["name"]].read_only and declared["access"] != "read":
            message = f"{name}: {declared['name']} is read-only, but the kernel writes it"
            raise launch_error("T0702", message, hint="pass a copy, which can be written")
    broken = list(broken_preconditions(metadata, arguments))
    if broken:
        raise LaunchError([error("T0706", f"{name}: {text}") for text in broken])


def _layout(
    driver: Driver,
    metadata: Mapping[str, Any],
    arguments: BoundArguments,
    extents: Grid,
    run_time_scalars: Sequence[str],
) -> ParameterLayout:
    """Return where every parameter of the kernel comes from, in the kernel's order."""
    scalars, stand_in = list(arguments.scalars), len(arguments.arrays)
    empty = {name for name, array in arguments.arrays.items() if 0 in array.shape}
    arrays = {
        name: stand_in if name in empty else place for place, name in enumerate(arguments.arrays)
    }
    layout = ParameterLayout()
    for item in metadata["params"]:
        kind = item["kind"]
        if kind == "pointer":
            layout.add_pointer(arrays[item["array"]])
        elif kind == "stride":
            stride = arguments.arrays[item["array"]].strides[item["axis"]]
            layout.add_fixed(struct.pack("<q", stride))
        elif kind == "dim":
            extent = arguments.arrays[item["array"]].shape[item["axis"]]
            layout.add_fixed(struct.pack("<i", extent))
        elif kind == "grid":
            extent = extents[item["axis"]] if item["axis"] < len(extents) else 1
            layout.add_fixed(struct.pack("<i", extent))
        elif kind == "scalar" and item["name"] in run_time_scalars:
            layout.add_scalar(scalars.index(item["name"]), item["dtype"])
        elif kind == "scalar":
            layout.add_fixed(encode_scalar(arguments.scalars[item["name"]], item["dtype"]))
        else:
            raise InternalCompilerError(f"{metadata['name']}: unknown parameter kind '{kind}'")
    for recipe in metadata.get("tensor_maps", ()):
        name = recipe["array"]
        encoding = make_encoding(recipe, arguments.arrays[name])
        check_encoding(encoding, metadata["name"])
        zeros = stand_in + 1 if name in empty and recipe.get("load", True) else arrays[name]
        layout.add_map(zeros, driver.tensor_map_encoder(encoding))
    return layout


def _add_hidden(
    layout: ParameterLayout, hidden: Sequence[Any], places: Mapping[str, int], kernel: str
) -> None:
    """Append the parameters that follow the tensor maps.

    Args:
        layout: Layout of the parameters so far.
        hidden: The artifact's `HiddenParameter`s.
        places: Index of each one's address among the addresses of a launch.
        kernel: Name of the kernel.
    """
    for item in hidden:
        if item.name not in places:
            raise InternalCompilerError(f"{kernel}: unknown hidden parameter '{item.name}'")
        layout.add_pointer(places[item.name])
