"""The last check before LLVM: everything in the module has a way to PTX.

`translate_module_to_llvmir` ends the process when an operation has no translation, and LLVM's
instruction selection ends it when an intrinsic has no instruction. So both are found here first,
by an allow-list (`tilec.codegen.supported`), and reported at the source line of the operation.
"""

from collections.abc import Callable
from typing import Any

from tilec.codegen.inline_assembly import inline_assembly_problem
from tilec.codegen.intrinsic_checks import (
    CALL_INTRINSIC,
    Finding,
    check_call_intrinsic,
    check_intrinsic,
    is_repeated_call,
    unsupported,
)
from tilec.codegen.limits import (
    alignment_problem,
    argument_problem,
    has_ptx_type,
    launch_problem,
)
from tilec.codegen.supported import (
    GLOBAL_INITIALIZER_OPERATIONS,
    LLVM_OPERATIONS,
    NVVM_OPERATIONS,
    NVVM_REGISTER_PREFIX,
)
from tilec.ir.bindings import PassManager, ir
from tilec.ir.errors import source_span
from tilec.support.diagnostics import CompileError, Diagnostic, error

_LOWERING_PASS = "convert-nvvm-to-llvm"
_INDEX_ATTRIBUTE = "tilec.index"
_MAX_DIAGNOSTICS = 20
_WIDEST_INTEGER = 64
"""LLVM turns wider conversions and atomics into library calls, which a GPU does not have."""
_SHARED_SPACE = 3
_CONVERSIONS = (
    "llvm.fptosi", "llvm.fptoui", "llvm.sitofp", "llvm.uitofp", "llvm.inttoptr", "llvm.ptrtoint",
)  # fmt: skip
_NARROWING = ("llvm.trunc", "llvm.fptrunc")
_WIDENING = ("llvm.zext", "llvm.sext", "llvm.fpext")
_TYPED_MEMORY = ("llvm.getelementptr", "llvm.alloca")
_WITH_REGIONS = ("llvm.func", "llvm.mlir.global")
_STACK_POINTERS = ("!llvm.ptr", "!llvm.ptr<5>")
_INLINE_PTX = ("nvvm.inline_ptx", "nvvm.mbarrier.try_wait.parity", "nvvm.wgmma.mma_async")
"""Operations that exist as inline assembly only; others become it when they have a predicate."""
_LOWER_FIRST = "every operation has to be lowered by the passes of the llvm stage"


def check_legality(module: Any) -> None:
    """Check that `module` can be translated to LLVM IR and selected by NVPTX.

    Args:
        module: An `ir.Module`, or its operation. Not changed.

    Raises:
        CompileError: Something has no way to PTX: T0601 for an operation that is not lowered,
            T0602 for one that NVPTX does not support. Names every such operation and its place.
    """
    root = module.operation
    operations = _operations(root)
    found: dict[Diagnostic, None] = {}
    known_types: dict[Any, bool] = {}
    known_calls: set[Any] = set()
    for op, name, in_global in operations:
        is_known = name in _PLAIN or (name == CALL_INTRINSIC and is_repeated_call(op, known_calls))
        finding = None if is_known and not in_global else _check(op, name, in_global, root)
        finding = finding or _check_types(op, name, known_types)
        if finding is not None:
            code, message, hint = finding
            found[error(code, message, source_span(op.location), hint=hint)] = None
    if not found and _lowering_candidates(operations):
        for op in _unlowered_nvvm(root):
            message = f"'{op.name}' op has to be lowered by {_LOWERING_PASS}"
            found[error("T0601", message, source_span(op.location), hint=_LOWER_FIRST)] = None
    if found:
        raise CompileError(list(found)[:_MAX_DIAGNOSTICS])


def _operations(root: Any) -> list[tuple[Any, str, bool]]:
    """Return all operations, their names, and whether they compute the value of a global."""
    operations: list[tuple[Any, str, bool]] = []
    globals_inside = 0

    def visit(op: Any) -> Any:
        nonlocal globals_inside
        name = op.name
        operations.append((op, name, globals_inside > 0))
        if name != "llvm.mlir.global":
            return ir.WalkResult.ADVANCE
        globals_inside += 1
        for block in op.regions[0].blocks:
            for inner in block.operations:
                inner.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        globals_inside -= 1
        return ir.WalkResult.SKIP

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return operations


def _check(op: Any, full_name: str, in_global: bool, root: Any) -> Finding | None:
    """Return what is wrong with one operation, if anything."""
    dialect, _, name = full_name.partition(".")
    if full_name == "builtin.module":
        return None if op == root else _left("a module inside the module")
    if full_name == "builtin.unrealized_conversion_cast":
        source = ", ".join(str(value.type) for value in op.operands)
        target = ", ".join(str(value.type) for value in op.results)
        return _left(f"a conversion from {source} to {target} is still needed")
    if dialect == "llvm":
        return _check_llvm(op, name, in_global)
    if dialect == "nvvm":
        return _check_nvvm(op, name)
    return _left(f"'{full_name}' op is not lowered to the llvm or nvvm dialect")


def _left(message: str) -> Finding:
    return "T0601", message, _LOWER_FIRST


def _check_llvm(op: Any, name: str, in_global: bool) -> Finding | None:
    if in_global:
        if name not in GLOBAL_INITIALIZER_OPERATIONS:
            return unsupported(f"'{op.name}' op cannot compute the initial value of a global")
        return None
    if name.startswith("intr."):
        return check_intrinsic(op, name.removeprefix("intr."))
    if name not in LLVM_OPERATIONS:
        return unsupported(f"'{op.name}' op is not supported on GPUs")
    special = _SPECIAL.get(f"llvm.{name}")
    return special(op) if special is not None else None


def _check_nvvm(op: Any, name: str) -> Finding | None:
    if op.parent is None or _enclosing(op) != "llvm.func":
        return unsupported(f"'{op.name}' op is outside of a function")
    if "isCTAOnly" in op.attributes and op.attributes["isCTAOnly"].value:
        return unsupported(
            f"'{op.name}' op with isCTAOnly needs PTX 8.6",
            "drop isCTAOnly and give the destination as a pointer in address space 7",
        )
    if name.startswith(NVVM_REGISTER_PREFIX) or name in NVVM_OPERATIONS:
        return None
    # What only convert-nvvm-to-llvm can lower is reported as such, later and exactly.
    if op.name in _INLINE_PTX:
        return None
    return unsupported(
        f"'{op.name}' op is not known to compile for sm_90a", "use llvm.inline_asm instead"
    )


def _enclosing(op: Any) -> str:
    parent = op.parent.operation
    while parent.name not in ("llvm.func", "llvm.mlir.global", "builtin.module"):
        parent = parent.parent.operation
    return parent.name


def _check_inline_assembly(op: Any) -> Finding | None:
    is_constant = tuple(_defined_by(value) == "llvm.mlir.constant" for value in op.operands)
    problem = inline_assembly_problem(
        op.attributes["asm_string"].value, op.attributes["constraints"].value, is_constant
    )
    return unsupported(f"inline assembly: {problem}") if problem is not None else None


def _defined_by(value: Any) -> str:
    return "" if isinstance(value, ir.BlockArgument) else value.owner.name


def _check_global(op: Any) -> Finding | None:
    if op.attributes["addr_space"].value == _SHARED_SPACE and _has_initial_value(op):
        return unsupported("a global in shared memory cannot have an initial value")
    if "value" not in op.attributes:
        return None
    target = str(op.attributes["global_type"].value)
    value = op.attributes["value"]
    if target.startswith("!llvm.struct") and not isinstance(value, ir.ArrayAttr):
        return unsupported(f"a global of type {target} cannot start as {value}")
    return _check_alignment(op)


def _has_initial_value(op: Any) -> bool:
    inside = [item.name for block in op.regions[0].blocks for item in block.operations]
    without = {"llvm.mlir.undef", "llvm.mlir.poison", "llvm.return"}
    return "value" in op.attributes or not without.issuperset(inside)


def _check_alloca(op: Any) -> Finding | None:
    if str(op.results[0].type) not in _STACK_POINTERS:
        return unsupported("'llvm.alloca' op allocates outside of the stack")
    return _check_exchange(op)


def _check_cast(op: Any) -> Finding | None:
    """Check what MLIR's verifier leaves to LLVM: vector lengths and the order of widths."""
    source, target = _types_of(op)
    fits = _vector_length(source) == _vector_length(target)
    if op.name in _NARROWING or op.name in _WIDENING:
        difference = _bit_width(target) - _bit_width(source)
        fits = fits and (difference < 0 if op.name in _NARROWING else difference > 0)
    if not fits:
        return unsupported(f"'{op.name}' op cannot convert {source} to {target}")
    return _check_width(op)


def _check_bitcast(op: Any) -> Finding | None:
    sizes = [_bit_width(item) * max(_vector_length(item), 1) for item in _types_of(op)]
    if sizes[0] != sizes[1]:
        return unsupported(f"'{op.name}' op changes the size from {sizes[0]} to {sizes[1]} bits")
    return None


def _check_select(op: Any) -> Finding | None:
    length = _vector_length(op.operands[0].type)
    if length and length != _vector_length(op.operands[1].type):
        return unsupported(f"'{op.name}' op cannot choose {op.operands[1].type} by elements")
    return None


def _check_width(op: Any) -> Finding | None:
    widths = [_integer_width(value.type) for value in (*op.operands, *op.results)]
    if max(widths, default=0) > _WIDEST_INTEGER:
        return unsupported(f"'{op.name}' op on integers wider than {_WIDEST_INTEGER} bits")
    return None


def _check_memory(op: Any) -> Finding | None:
    return _check_alignment(op) or (_check_width(op) if op.attributes["ordering"].value else None)


def _check_exchange(op: Any) -> Finding | None:
    return _check_alignment(op) or _check_width(op)


def _check_alignment(op: Any) -> Finding | None:
    problem = alignment_problem(op)
    return None if problem is None else unsupported(problem)


def _check_function(op: Any) -> Finding | None:
    problem = launch_problem(op) or argument_problem(op)
    return None if problem is None else unsupported(problem)


def _check_call(op: Any) -> Finding | None:
    problem = argument_problem(op)
    return None if problem is None else unsupported(problem)


_SPECIAL: dict[str, Callable[[Any], Finding | None]] = {
    "llvm.func": _check_function,
    "llvm.call": _check_call,
    CALL_INTRINSIC: check_call_intrinsic,
    "llvm.inline_asm": _check_inline_assembly,
    "llvm.alloca": _check_alloca,
    "llvm.mlir.global": _check_global,
    "llvm.load": _check_memory,
    "llvm.store": _check_memory,
    "llvm.bitcast": _check_bitcast,
    "llvm.select": _check_select,
    "llvm.cmpxchg": _check_exchange,
    "llvm.atomicrmw": _check_exchange,
    **dict.fromkeys((*_CONVERSIONS, *_NARROWING, *_WIDENING), _check_cast),
}


_PLAIN = {f"llvm.{name}" for name in LLVM_OPERATIONS} - _SPECIAL.keys()
"""Operations with nothing to check outside of globals but their types."""


def _check_types(op: Any, name: str, known: dict[Any, bool]) -> Finding | None:
    """Check the types of results, block arguments and memory; MLIR verifies those of operands."""
    types = [value.type for value in op.results]
    if name in _TYPED_MEMORY:
        types.append(op.attributes["elem_type"].value)
    if name in _WITH_REGIONS:
        for region in op.regions:
            for block in region.blocks:
                types.extend(argument.type for argument in block.arguments)
    for item in types:
        if item not in known:
            known[item] = has_ptx_type(item)
        if not known[item]:
            return _left(f"'{name}' op has a value of type {item}, which PTX does not have")
    return None


def _types_of(op: Any) -> tuple[Any, Any]:
    return op.operands[0].type, op.results[0].type


def _vector_length(item: Any) -> int:
    return item.shape[0] if isinstance(item, ir.VectorType) else 0


def _bit_width(item: Any) -> int:
    element = item.element_type if isinstance(item, ir.VectorType) else item
    return getattr(element, "width", 0)


def _integer_width(item: Any) -> int:
    element = item.element_type if isinstance(item, ir.VectorType) else item
    return element.width if isinstance(element, ir.IntegerType) else 0


def _lowering_candidates(operations: list[tuple[Any, str, bool]]) -> list[Any]:
    """Return the operations with which `convert-nvvm-to-llvm` might have work."""
    return [
        op
        for op, name, _ in operations
        if name.startswith("nvvm.")
        and (name in _INLINE_PTX or any(_integer_width(value.type) == 1 for value in op.operands))
    ]


def _unlowered_nvvm(root: Any) -> list[Any]:
    """Return the nvvm operations that `convert-nvvm-to-llvm` would still replace.

    An operation with a predicate translates without it when the pass has not run, which is wrong
    code without a message; whether an operation is such a case depends on its operands. So the
    pass itself is asked, on a copy.
    """
    candidates = _lowering_candidates(_operations(root))
    copy = root.clone(ip=False)
    number = ir.IntegerType.get_signless(32, context=root.context)
    for index, op in enumerate(_lowering_candidates(_operations(copy))):
        op.attributes[_INDEX_ATTRIBUTE] = ir.IntegerAttr.get(number, index)
    with root.context:
        PassManager.parse(f"builtin.module({_LOWERING_PASS})").run(copy)
    left = {
        op.attributes[_INDEX_ATTRIBUTE].value
        for op, _, _ in _operations(copy)
        if _INDEX_ATTRIBUTE in op.attributes
    }
    return [op for index, op in enumerate(candidates) if index not in left]
