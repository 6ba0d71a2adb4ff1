"""What a compilation says of the choices that planners made."""

from typing import Any

from tilec.request.specialization import blocks_at_most
from tilec.support.diagnostics import DiagnosticSink, remark


def explain_choices(module: Any, sink: DiagnosticSink) -> None:
    """Make remarks of what planners left in the metadata of a kernel.

    Args:
        module: The kernel, after the last pass.
        sink: Takes the remarks.
    """
    from tilec.compiler.backend import find_kernel_op
    from tilec.ir.attributes import read_kernel_metadata
    from tilec.ir.errors import source_span

    kernel = find_kernel_op(module)
    metadata = read_kernel_metadata(kernel)
    span = source_span(kernel.location)
    for reason in metadata.get("tile_reasons", ()):
        sink.emit(remark("T0430", reason, span))
    for reason in metadata.get("plan", {}).get("reasons", ()):
        sink.emit(remark("T0431", f"plan: {reason}", span))
    if "most_blocks" in metadata:
        launches = blocks_at_most(metadata["most_blocks"])
        sink.emit(remark("T0433", f"planned for launches of {launches}", span))
    if "few_blocks" in metadata:
        launches = blocks_at_most(metadata["few_blocks"])
        message = f"launches of {launches} take variants of their own"
        sink.emit(remark("T0433", message, span))
    if "k_splits" in metadata:
        message = (
            "launches of few blocks and many k-tiles take variants that split tiles along K; a"
            " package has one only for given sizes"
        )
        sink.emit(remark("T0433", message, span))
    if "shared_rounds" in metadata:
        least = metadata["shared_rounds"]["least"]
        message = f"launches of fewer than {least} rounds take a variant that shares none"
        sink.emit(remark("T0433", message, span))
