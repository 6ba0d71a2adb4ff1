"""Operations by which a kernel reports to the host."""

import sys
from typing import Any

import numpy as np

from tilec.interpreter.builder import BLOCK_ID_SLOT, Builder
from tilec.interpreter.registry import Frame, Step, structured_op
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.errors import source_span
from tilec.request.assertions import failure_text
from tilec.request.prints import printed
from tilec.support.diagnostics import KernelAssertionError, error
from tilec.support.numpy_types import NUMPY_BY_NAME


@structured_op("cuda_tile.assert")
def _assert(op: Any, builder: Builder) -> Step:
    (condition,) = builder.slots(op.operands)
    message = op.attributes["message"].value
    span = source_span(op.location)
    kernel, rank = _kernel_of(op)

    def step(frame: Frame) -> None:
        if not np.all(frame[condition]):
            text = failure_text(kernel, frame[BLOCK_ID_SLOT], rank, message)
            raise KernelAssertionError(error("T0578", text, span))

    return step


@structured_op("cuda_tile.print")
def _print(op: Any, builder: Builder) -> Step:
    slots = builder.slots(op.operands)
    template, starts = op.attributes["template"].value, bool(op.attributes["starts"].value)
    kinds = [NUMPY_BY_NAME[op.attributes["dtype"].value] for _ in slots]
    _, rank = _kernel_of(op)

    def step(frame: Frame) -> None:
        pairs = zip(slots, kinds, strict=True)
        values = [np.asarray(frame[slot]).view(kind)[()] for slot, kind in pairs]
        sys.stdout.write(printed(template, values, frame[BLOCK_ID_SLOT][:rank], starts=starts))

    return step


def _kernel_of(op: Any) -> tuple[str, int]:
    """Return the name of the kernel around an operation, and the axes of its grid."""
    around = op.parent
    while around.operation.name != "cuda_tile.entry":
        around = around.parent
    metadata = read_kernel_metadata(around.operation)
    return metadata["name"], len(metadata.get("grid", ())) or 3
