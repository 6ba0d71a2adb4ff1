"""Whether the blocks of a launch leave most SMs idle for long.

The metadata of a kernel say how many cycles an SM computes a block at least (`block_cycles`). What
blocks are spread over, and splits along K, count: they are CTAs.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from tilec.request.gpu import get_gpu
from tilec.request.specialization import Specialization
from tilec.runtime.launch.expressions import ExpressionError, evaluate
from tilec.runtime.launch.launch_shape import ctas_of_a_tile
from tilec.support.diagnostics import Diagnostic, Severity, SourceSpan
from tilec.support.fast_dataclasses import replace

LONG_CYCLES = 100_000
"""Cycles of a block from which on idle SMs matter: 60 microseconds, several times what a launch
costs."""
CYCLES_PER_MICROSECOND = 1755
"""Clock of an SM (H200, where products do not draw all the power that there is)."""
MOST_BUSY = 0.5
"""Share of SMs up to which others are called idle."""


def idle_sms(
    metadata: Mapping[str, Any],
    environment: Mapping[str, Any],
    ctas: int,
    sm_count: int,
    severity: Severity = Severity.WARNING,
) -> Diagnostic | None:
    """Return a diagnostic where most SMs have no block, and a block takes long; None otherwise.

    Args:
        metadata: The kernel.
        environment: Values of dims, scalars and constants.
        ctas: CTAs of the launch.
        sm_count: SMs of the GPU.
        severity: Its severity: a warning of a launch, which shows no remarks, or a remark.
    """
    if not 1 <= ctas <= MOST_BUSY * sm_count:
        return None
    try:
        cycles = evaluate(metadata.get("block_cycles", "0"), environment)
    except ExpressionError:  # a scalar decides, whose value nobody knows yet
        return None
    cycles /= ctas_of_a_tile(metadata) * metadata.get("split_k", 1)
    if cycles < LONG_CYCLES:
        return None
    grid = ", ".join(metadata.get("grid", ()))
    message = (
        f"{metadata['name']}: {sm_count - ctas} of {sm_count} SMs are idle: the launch has"
        f" {ctas} block{'s' * (ctas > 1)}, of {cycles / CYCLES_PER_MICROSECOND:.0f} us at least"
    )
    hint = "give more blocks less to do each: smaller tiles, or a grid axis for the parts of a loop"
    hint += f"; the grid is ({grid})" if grid else ""
    return Diagnostic(severity, "T0434", message, hint=hint)


def idle_sms_of_sizes(
    metadata: Mapping[str, Any], specialization: Specialization, remarks: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return the remark for launches of the sizes that a kernel is compiled for, if one is due.

    Args:
        metadata: The kernel.
        specialization: What it was compiled for.
        remarks: What was said of its plan, at the place of the kernel.
    """
    environment = {**metadata.get("constants", {}), **specialization.sizes}
    try:
        extents = [int(evaluate(text, environment)) for text in metadata["grid"]]
    except (ExpressionError, KeyError):  # nobody knows how many blocks there are
        return ()
    ctas = prod(extents) * ctas_of_a_tile(metadata) * metadata.get("split_k", 1)
    sm_count = get_gpu(specialization.gpu).sm_count
    found = idle_sms(metadata, environment, ctas, sm_count, Severity.REMARK)
    return () if found is None else (replace(found, span=place_of(remarks)),)


def place_of(remarks: Sequence[Diagnostic]) -> SourceSpan | None:
    """Return the place of the kernel of whose plan something was said; None if nothing was."""
    return next((item.span for item in remarks if item.code == "T0431"), None)
