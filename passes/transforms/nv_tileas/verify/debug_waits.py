"""Make a debug build: number the waits and add the buffer for their report.

Before:  nv_tileaa.func @k(%A: !nv_tileaa.ptr<bf16>, ..., %d: !nv_tileas.tma_desc<...>) {
           ring_acquire %ring, %p ... ring_wait %ring, %q } {tilec.kernel = {debug_waits = {limit}}}
After:   nv_tileaa.func @k(..., %d: !nv_tileas.tma_desc<...>, %buffer: !nv_tileaa.ptr<i32>) {
           ring_acquire %ring, %p {nv_tileas.debug_wait = 0}
           ring_wait %ring, %q {nv_tileas.debug_wait = 1} }
           {tilec.kernel = {debug_waits = {limit, waits = [...]}, hidden_parameters = [...]}}

Each wait of a ring gets a number, and so does each wait for the partial sums of a split tile and
each `extract` whose index may be out of range. The number is the row in the table `waits`: role,
ring, barrier and source line. The launcher uses the table to explain a report. The address of the
report buffer becomes the last parameter of the kernel. `convert-nv-tileas-to-llvm` gives a wait
with a number a limit and a report (`docs/debugging.md#a-kernel-that-never-ends`).

Kernels without the entry `debug_waits` in their metadata, and kernels without such operations, stay
as they are. The pass runs after the protocol check, so a dump from between the two can be edited
until it deadlocks, and then be run.

Options:
    --debug-waits: Adds the entry `debug_waits` to the metadata.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.errors import source_span
from tilec.ir.integers import i64
from tilec.ir.walks import walk_operations
from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.facts.extracts import open_axes
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import add_parameter, kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.request.wait_records import DEBUG_BUFFER, HIDDEN_PARAMETERS, METADATA_KEY
from tilec.support.diagnostics import SourceFile

NAME = "nv-tileas-debug-waits"
WAIT_ID = "nv_tileas.debug_wait"
"""Attribute with the id of a wait; `convert-nv-tileas-to-llvm` limits the waits that have one."""
_BARRIERS = {
    "nv_tileas.ring_acquire": "empty",
    "nv_tileas.ring_wait": "full",
    "nv_tileas.await_partials": "partials",
    "nv_tileas.extract": "extract",
}
"""What each operation waits for: a barrier of a ring, or the partial sums of a split tile. An
`extract` waits for nothing, but checks its indices."""
_OF_RINGS = ("empty", "full")
_BUFFER_TYPE = "!nv_tileaa.ptr<i32>"


@register_kernel_pass(NAME)
def debug_waits(function: Any, context: PassContext) -> bool:
    """Number the waits of a debug build and add the buffer for their report."""
    request = read_kernel_fact(function, METADATA_KEY)
    if request is None or "waits" in request:
        return False
    table = list(_number_waits(function, context))
    write_kernel_facts(function, **{METADATA_KEY: {**request, "waits": table}})
    if table:
        add_buffer(function)
    return True


def _number_waits(function: Any, context: PassContext) -> Iterator[dict[str, Any]]:
    """Give every wait its id and yield its row of the table."""
    operations = kernel_operations(function)
    rings = [op.results[0] for op in operations if op.name == "nv_tileas.create_ring"]
    ranges = ValueRanges.of_kernel(function)
    number = 0
    for role, first_thread, op in _role_operations(operations):
        barrier = _BARRIERS.get(op.name)
        if barrier is None or (barrier == "extract" and not open_axes(op, ranges)):
            continue
        op.attributes[WAIT_ID] = i64(number)
        number += 1
        yield {
            "role": role,
            "first_thread": first_thread,
            "ring": rings.index(op.operands[0]) if barrier in _OF_RINGS else -1,
            "barrier": barrier,
            **place_of(op, context.buffer, context.sources),
        }


def _role_operations(operations: Sequence[Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield role, its first thread and operation for everything inside roles."""
    for roles in (op for op in operations if op.name == "nv_tileas.roles"):
        first = (0, roles.opview.producer_warps.value * WARP_LANES)
        for role, thread, region in zip(
            ("producer", "consumer"), first, roles.regions, strict=True
        ):
            for op in walk_operations(region.blocks[0]):
                yield role, thread, op


def place_of(op: Any, buffer: str, sources: Sequence[SourceFile]) -> dict[str, Any]:
    """Return the source range of an operation and the text of its line, as far as they are known.

    The launcher may run in another process that has the package only, so the text is stored, too.
    """
    span = source_span(op.location, buffer)
    if span is None:
        return {"span": [], "line": ""}
    source = next((item for item in sources if item.name == span.file), None)
    line = source.line(span.line) if source is not None else None
    place = [span.file, span.line, span.column, span.end_line, span.end_column]
    return {"span": place, "line": line or ""}


def add_buffer(function: Any, name: str = DEBUG_BUFFER) -> None:
    """Append the address of a buffer to the parameters of a kernel, unless it is there."""
    hidden = read_kernel_fact(function, HIDDEN_PARAMETERS, [])
    if any(item["name"] == name for item in hidden):
        return
    hidden.append({"name": name, "dtype": "u64"})
    write_kernel_facts(function, **{HIDDEN_PARAMETERS: hidden})
    add_parameter(function, ir.Type.parse(_BUFFER_TYPE), function.location)
