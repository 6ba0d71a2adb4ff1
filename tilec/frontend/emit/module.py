"""From the typed program of a kernel to cuda_tile IR."""

from typing import Any

from tilec.dialects.common.tile_shape import ANY_EXTENT_ATTRIBUTE
from tilec.dialects.cuda_tile import EntryOp, ReturnOp
from tilec.frontend.emit.operations import Emitter
from tilec.frontend.semantics.analysis import KernelProgram, analyze_kernel
from tilec.frontend.syntax import ast
from tilec.ir.bindings import MLIRError, ir
from tilec.ir.errors import diagnose
from tilec.request.specialization import Specialization

_VERIFIER_CODE = "T0500"


def emit_module(
    kernel_module: ast.Module,
    kernel_name: str | None,
    specialization: Specialization,
    context: Any,
) -> Any:
    """Return the cuda_tile module of one kernel.

    Args:
        kernel_module: Parsed source.
        kernel_name: Kernel to emit; None when the source has only one.
        specialization: What to compile it for; every constant without value is chosen here.
        context: MLIR context with the dialects of tilec loaded.

    Returns:
        A verified `ir.Module` with one `cuda_tile.entry`. Every operation carries the range of
        its source expression; loads and stores have no tokens yet.

    Raises:
        CompileError: The kernel is wrong, with every error that was found; or a verifier rejects
            what it says (T0500).
    """
    program = analyze_kernel(kernel_module, kernel_name, specialization)
    with context:
        module = emit_program(program)
        try:
            module.operation.verify()
        except MLIRError as failure:
            raise diagnose(failure, [kernel_module.source], _VERIFIER_CODE) from failure
    return module


def emit_program(program: KernelProgram) -> Any:
    """Return the module of an analysed kernel, in the current context and not verified."""
    emitter = Emitter(program.body)
    where = emitter.location(program.definition.span)
    module = ir.Module.create(loc=where)
    if program.any_tile_extents:
        module.operation.attributes[ANY_EXTENT_ATTRIBUTE] = ir.UnitAttr.get()
    with where, ir.InsertionPoint(module.body):
        entry = EntryOp.build(
            program.name,
            [emitter.type(item.type) for item in program.arguments],
            argument_locations=[emitter.location(item.span) for item in program.arguments],
            metadata=program.metadata,
            loc=where,
        )
    emitter.bind(program.arguments, entry.arguments)
    with where, ir.InsertionPoint(entry.block):
        emitter.emit_block(program.body)
        ReturnOp.build(loc=where)
    return module
