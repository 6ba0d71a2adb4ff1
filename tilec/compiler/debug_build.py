"""Asking for a debug build (`--debug-waits`): the entry in the metadata that its pass looks for."""

from typing import Any

from tilec.request.stages import STAGES
from tilec.request.wait_records import CLOCK_LIMIT, METADATA_KEY
from tilec.support.diagnostics import CompileError, error

_PASS = "nv-tileas-debug-waits"


def request_debug_waits(module: Any, name: str, stage: int = 0, position: int = 0) -> None:
    """Mark the kernels of `module` for a debug build, unless they are of one.

    Args:
        module: An `ir.Module` of any stage.
        name: Name of the file that it comes from.
        stage: Index of its stage.
        position: Index of the next pass of that stage.

    Raises:
        CompileError: T0009 if the pass that makes the debug build is not among those to come.
    """
    from tilec.ir.attributes import KERNEL_ATTRIBUTE, read_kernel_metadata, write_kernel_metadata

    to_come = [*STAGES[stage].passes[position:]]
    to_come += [item for later in STAGES[stage + 1 :] for item in later.passes]
    for op in module.operation.regions[0].blocks[0].operations:
        if KERNEL_ATTRIBUTE not in op.attributes:
            continue
        metadata = read_kernel_metadata(op)
        if METADATA_KEY in metadata:
            continue
        if _PASS not in to_come:
            raise too_late(name)
        with module.context:
            write_kernel_metadata(op, {**metadata, METADATA_KEY: {"limit": CLOCK_LIMIT}})


def too_late(name: str) -> CompileError:
    """Return the error that file `name` was written after the pass that makes debug builds."""
    message = f"--debug-waits is too late for {name}: '{_PASS}' has run, and did nothing"
    hint = "resume from the dump of the pass before it or of an earlier one, or compile the source"
    return CompileError(error("T0009", message, hint=hint))
