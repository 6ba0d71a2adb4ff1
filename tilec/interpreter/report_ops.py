"""Operations by which a kernel reports to the host."""

from typing import Any

import numpy as np

from tilec.interpreter.builder import BLOCK_ID_SLOT, Builder
from tilec.interpreter.registry import Frame, Step, structured_op
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.errors import source_span
from tilec.request.assertions import failure_text
from tilec.support.diagnostics import KernelAssertionError, error


@structured_op("cuda_tile.assert")
def _assert(op: Any, builder: Builder) -> Step:
    (condition,) = builder.slots(op.operands)
    message = op.attributes["message"].value
    span = source_span(op.location)
    kernel, rank = _kernel_of(op)

    def step(frame: Frame) -> None:
        if not np.all(frame[condition]):
            text = failure_text(kernel, frame[BLOCK_ID_SLOT], rank, message)
            raise KernelAssertionError(error("T0577", text, span))

    return step


def _kernel_of(op: Any) -> tuple[str, int]:
    """Return the name of the kernel around an operation, and the axes of its grid."""
    around = op.parent
    while around.operation.name != "cuda_tile.entry":
        around = around.parent
    metadata = read_kernel_metadata(around.operation)
    return metadata["name"], len(metadata.get("grid", ())) or 3
