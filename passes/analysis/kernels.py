"""Reading kernels: their functions, tiled memory operations and source positions."""

from typing import Any

from tilec.dialects.common.accesses import combination
from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.dialects.nv_tileas.role_ops import PRODUCER_WARP
from tilec.ir.attributes import integer, read_kernel_fact, to_attribute, to_python
from tilec.ir.bindings import ir
from tilec.ir.errors import source_span
from tilec.ir.structured import body_operations, parent_operation
from tilec.ir.walks import walk_operations
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.facts.slices import whole_array
from tilec.plan.model import ScratchRoom
from tilec.support.diagnostics import CompileError, SourceSpan, error
from tilec.support.fast_dataclasses import dataclass

KERNEL_SPEC = "nv_tileaa.kernel_spec"
"""The planner's choice on a kernel function; passes after `nv-tileas-plan-kernel` only read it."""

SCRATCH_ROOM = "scratch_room"
"""Entry of the spec: the numbers of the room for a scratch area, where a ring needs it, too."""


def kernel_functions(module: Any) -> list[Any]:
    """Return the `nv_tileaa.func` operations of `module`."""
    return [op for op in body_operations(module.body) if op.name == "nv_tileaa.func"]


def function_body(function: Any) -> Any:
    """Return the block of a kernel function."""
    return function.regions[0].blocks[0]


def kernel_operations(function: Any) -> list[Any]:
    """Return every operation inside a kernel function, outer ones first."""
    return walk_operations(function_body(function))


def kernel_roles(function: Any) -> list[Any]:
    """Return the `roles` operations of a kernel, which stand at the top of its body.

    Most kernels have one, and none before they are partitioned.
    """
    ops = body_operations(function_body(function))
    return [op for op in ops if op.name == "nv_tileas.roles"]


def channels_of(roles: Any) -> list[tuple[Any, Any]]:
    """Return the sends of all roles, in program order, each with its receive; None without one."""
    ops = [op for region in roles.regions for op in walk_operations(region.blocks[0])]
    receives = {integer(op, "channel"): op for op in ops if op.name == "nv_tileas.receive"}
    sends = [op for op in ops if op.name == "nv_tileas.send"]
    return [(send, receives.get(integer(send, "channel"))) for send in sends]


def consumer_blocks(function: Any) -> list[Any]:
    """Return the body of the consumer role of each of these operations."""
    return [roles.opview.consumer.blocks[0] for roles in kernel_roles(function)]


def add_parameter(function: Any, type_: Any, location: Any) -> Any:
    """Append a parameter to a kernel; return its value."""
    block = function_body(function)
    argument = block.add_argument(type_, location)
    inputs = [item.type for item in block.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
    return argument


def role_block(op: Any) -> Any:
    """Return the block of the role, or of the producer warp, that holds `op`."""
    while parent_operation(op).name not in ("nv_tileas.roles", PRODUCER_WARP):
        op = parent_operation(op)
    return op.block


def read_spec(function: Any) -> dict[str, Any] | None:
    """Return the kernel spec of a function, or None when the planner has not run."""
    if KERNEL_SPEC not in function.attributes:
        return None
    return to_python(function.attributes[KERNEL_SPEC])


def cluster_of_spec(spec: dict[str, Any]) -> tuple[int, int]:
    """Return the rows and columns of CTAs of a cluster; one CTA where the spec names none."""
    rows, columns, *_ = spec.get("cluster", (1, 1))
    return rows, columns


def warpgroups_of_spec(spec: dict[str, Any]) -> int:
    """Return the warpgroups of a team of consumers, at least one."""
    return max(1, spec.get("consumer_warps", 0) // WARPGROUP_WARPS)


def ctas_of_spec(spec: dict[str, Any]) -> int:
    """Return over how many CTAs of a cluster the tiles of a block are spread."""
    return spec.get("spread", 1)


def shares_rounds(spec: dict[str, Any]) -> bool:
    """Tell whether these CTAs share the rounds of a loop, and not each tile."""
    return spec.get("share_rounds", False)


def parts_and_copies(spec: dict[str, Any]) -> tuple[int, int]:
    """Return how many CTAs have a part of each large tile, and how many a copy of all tiles."""
    ctas = ctas_of_spec(spec)
    return (1, ctas) if shares_rounds(spec) else (ctas, 1)


def room_of_spec(spec: dict[str, Any]) -> ScratchRoom | None:
    """Return the room for a scratch area next to the ring; None where nothing needs it."""
    return ScratchRoom(*spec[SCRATCH_ROOM]) if SCRATCH_ROOM in spec else None


def write_spec(function: Any, spec: dict[str, Any]) -> None:
    """Set the kernel spec of a function."""
    function.attributes[KERNEL_SPEC] = to_attribute(spec)


def span_of(op: Any) -> SourceSpan | None:
    """Return the source range of an operation, if its location has one."""
    return source_span(op.location)


def reject(op: Any, code: str, message: str, hint: str | None = None) -> CompileError:
    """Return the error that `op` cannot be compiled."""
    return CompileError(error(code, message, span_of(op), hint=hint))


@dataclass(frozen=True)
class TiledAccess:
    """Operands of a `tiled_load`, `tiled_store` or `prefetch` by role.

    Attributes:
        op: The operation.
        view: The memref.
        value: The stored tile; None for a load or prefetch.
        coords: Element coordinates, outer first.
        token: The memory token consumed; None when there is none.
    """

    op: Any
    view: Any
    value: Any
    coords: tuple[Any, ...]
    token: Any

    @property
    def is_load(self) -> bool:
        """Whether it is a load, or comes before one."""
        return self.value is None

    @property
    def tile_type(self) -> Any:
        """Tensor type of the tile."""
        if self.is_prefetch:
            return self.op.opview.tile_type
        return self.op.results[0].type if self.is_load else self.value.type

    @property
    def is_prefetch(self) -> bool:
        """Whether nothing is loaded yet."""
        return self.op.name.endswith(".prefetch")

    @property
    def noun(self) -> str:
        """What it does, as in "load of 'A'"."""
        if self.is_load:
            return "prefetch of" if self.is_prefetch else "load of"
        return "store to" if combination(self.op) is None else "atomic store to"

    @property
    def uses_tma(self) -> bool:
        """Whether the copy-atom witness names a TMA atom."""
        return self.op.opview.atom.is_tma


def tiled_access(op: Any) -> TiledAccess:
    """Return the operands of tiled operation `op` (nv_tileaa or nv_tileas)."""
    view = op.opview
    value = view.value if op.name.endswith("tiled_store") else None
    after = None if op.name.endswith(".prefetch") else view.after
    return TiledAccess(op, view.memref, value, tuple(view.coords), after)


def is_tiled_access(op: Any) -> bool:
    """Tell whether `op` is a tiled load or store of the nv_tileas dialect."""
    return op.name in ("nv_tileas.tiled_load", "nv_tileas.tiled_store")


def array_of_view(view: Any, function: Any) -> str:
    """Return the name of the array parameter that a memref views (`?` when unknown)."""
    view = whole_array(view)
    op = view.owner.operation if not isinstance(view, ir.BlockArgument) else None
    if op is None or not op.name.endswith("make_memref"):
        return "?"
    base = op.operands[0]
    if not isinstance(base, ir.BlockArgument):
        return "?"
    params = read_kernel_fact(function, "params", [])
    return params[base.arg_number].get("array", "?") if base.arg_number < len(params) else "?"


def written_arrays(function: Any) -> set[str]:
    """Return the names of the arrays that a kernel writes to, and of those that overlap them."""
    arrays = read_kernel_fact(function, "arrays", [])
    written = [item for item in arrays if item.get("access") != "read"]
    groups = {item.get("alias_group", -1) for item in written} - {-1}
    overlapping = [item for item in arrays if item.get("alias_group", -1) in groups]
    return {item["name"] for item in (*written, *overlapping)}


def free_alias_scope(function: Any) -> int:
    """Return an alias scope that no memref of a kernel has."""
    types = [value.type for op in kernel_operations(function) for value in op.results]
    scopes = [type_.alias_scope for type_ in types if isinstance(type_, MemrefType)]
    return max(scopes, default=-1) + 1
