"""Whether the CTAs of a cluster share tiles of a kernel, and which ones."""

from collections.abc import Iterator
from typing import Any

from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.element_accesses import element_beyond_grid
from tilec.passes.analysis.facts.grid_cover import store_beyond_grid
from tilec.passes.analysis.facts.slices import slice_starts
from tilec.passes.analysis.facts.unit_views import is_row_view
from tilec.passes.analysis.kernels import TiledAccess, array_of_view, kernel_operations, reject
from tilec.passes.analysis.mma.operands import DOT, loaded_operand
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.tma.multicast import set_multicast_axis, shared_axes


def check_cluster(function: Any, accesses: list[TiledAccess], cluster: tuple[int, int]) -> None:
    """Reject a cluster of a kernel whose grid cannot be rounded up to whole clusters.

    Raises:
        CompileError: T0421.
    """
    if cluster == (1, 1):
        return
    grid = read_kernel_fact(function, "grid")
    what = f"cluster = {cluster[0]} x {cluster[1]}"
    if not grid or len(grid) < 2:
        reason = "the grid of the kernel has one axis" if grid else "the caller gives the grid"
        hint = "a cluster covers neighbouring tiles of the last two axes of grid(...)"
        raise reject(function, "T0421", f"{what}: {reason}", hint)
    element = element_beyond_grid(kernel_operations(function))
    if element is not None:
        name = array_of_view(element.opview.memref, function)
        reason = f"tiles beyond the grid, which whole clusters have, might access '{name}'"
        raise reject(element, "T0421", f"{what}: {reason}", "leave out the cluster")
    store = store_beyond_grid(function, accesses, cluster)
    if store is not None:
        name = array_of_view(store.view, function)
        raise reject(
            store.op,
            "T0421",
            f"{what}: tiles beyond the grid, which whole clusters have, might store to '{name}'",
            "give the grid cdiv(X, S) tiles along the axis, and store from S times the tile's"
            " number on in a dim of extent X; or leave out the cluster",
        )


def shareable_cluster(function: Any, accesses: list[TiledAccess]) -> tuple[int, int]:
    """Return the cluster that was planned with the tiles; one CTA where none shares a tile."""
    if len(read_kernel_fact(function, "grid") or ()) < 2:
        return 1, 1
    rows, columns = read_kernel_fact(function, "planned_cluster", (1, 1))
    loads = {access.op: axes for access, axes in _shared_loads(function, accesses)}
    if _rows_come_last(function, loads):
        rows, columns = columns, rows
    shared = {axis for axes in loads.values() for axis in axes}
    needed = {axis for axis, extent in enumerate((rows, columns)) if extent > 1}
    fits = needed and needed <= shared
    fits = fits and element_beyond_grid(kernel_operations(function)) is None
    if not fits or store_beyond_grid(function, accesses, (rows, columns)) is not None:
        return (1, 1)
    return rows, columns


def _rows_come_last(function: Any, loads: dict[Any, tuple[int, ...]]) -> bool:
    """Tell whether the rows of a product are along the last axis of the grid.

    Then CTAs along that axis share a tile of B, or those along the other axis one of A.

    Args:
        function: The kernel.
        loads: The loads whose tiles CTAs share, with the axes of the cluster.
    """
    dots = [op for op in kernel_operations(function) if op.name == DOT]
    sources = (
        (number, loads.get(defining_operation(loaded_operand(op.operands[number]))))
        for op in dots
        for number in (0, 1)
    )
    return any(axes == (number,) for number, axes in sources)


def share_tiles(function: Any, accesses: list[TiledAccess], cluster: tuple[int, int]) -> None:
    """Let the CTAs of a cluster share the tiles that are the same in several of them."""
    for access, axes in _shared_loads(function, accesses):
        along = [axis for axis in axes if cluster[axis] > 1]
        if along:
            set_multicast_axis(access.op, max(along, key=cluster.__getitem__))


def _shared_loads(
    function: Any, accesses: list[TiledAccess]
) -> Iterator[tuple[TiledAccess, tuple[int, ...]]]:
    """Yield the TMA loads with the cluster axes along which their tiles are the same.

    Only operands that wgmma alone reads: the reads of threads would have to be ordered before the
    copies of other CTAs, by a fence of the whole cluster.
    """
    rank = len(read_kernel_fact(function, "grid"))
    ids = {
        op: integer(op, "axis") - (rank - 2)
        for op in kernel_operations(function)
        if op.name == "nv_tileas.get_program_id"
    }
    for access in accesses:
        if access.uses_tma and access.is_load and _feeds_wgmma_alone(access.op.results[0]):
            begin = [start.value for start in slice_starts(access.view)]
            yield access, shared_axes(access.op, [*access.coords, *begin], ids)


def _feeds_wgmma_alone(tile: Any) -> bool:
    """Tell whether every use of `tile` is that of an operand of wgmma."""
    for use in tile.uses:
        op = use.owner.operation
        if is_row_view(op):
            if not _feeds_wgmma_alone(op.results[0]):
                return False
        elif op.name != DOT or use.operand_number > 1 or why_not_wgmma(op, 1) is not None:
            return False
    return True
