"""What is checked of calls of LLVM's intrinsics, which end the process where NVPTX lacks them."""

from typing import Any

from tilec.codegen.supported import (
    CALLABLE_INTRINSICS,
    FLOAT_INTRINSICS,
    FLOAT_SUFFIXES,
    INTEGER_INTRINSICS,
    LIBDEVICE_FUNCTIONS,
    OTHER_INTRINSICS,
    UNSELECTABLE_TYPES,
    split_intrinsic,
)
from tilec.ir.bindings import ir

CALL_INTRINSIC = "llvm.call_intrinsic"
Finding = tuple[str, str, str | None]
"""Code, message and hint."""


def unsupported(message: str, hint: str | None = None) -> Finding:
    """Return the finding that NVPTX does not support something."""
    return "T0602", message, hint


def is_repeated_call(op: Any, known: set[Any]) -> bool:
    """Tell whether a call of an intrinsic is like one that was checked, and note it."""
    types = [value.type for value in (*op.operands, *op.results)]
    call = (op.attributes["intrin"], len(op.operands), *types)
    is_repeated = call in known
    known.add(call)
    return is_repeated


def check_intrinsic(op: Any, name: str) -> Finding | None:
    """Check an `llvm.intr.*` operation by its name and the types of its operands."""
    kinds = {_element_name(value.type) for value in (*op.operands, *op.results)}
    finding = _check_selectable(f"'{op.name}' op", name, kinds)
    if finding is not None:
        return finding
    if name not in FLOAT_INTRINSICS | INTEGER_INTRINSICS | OTHER_INTRINSICS:
        return unsupported(f"'{op.name}' op is not supported on GPUs")
    if name.endswith(".with.overflow"):  # MLIR does not verify these results.
        expected = f"!llvm.struct<({op.operands[0].type}, i1)>"
        if str(op.results[0].type) != expected:
            return unsupported(f"'{op.name}' op has to return {expected}")
    return None


def _check_selectable(subject: str, name: str, kinds: set[str]) -> Finding | None:
    if name not in LIBDEVICE_FUNCTIONS and not kinds & UNSELECTABLE_TYPES.get(name, frozenset()):
        return None
    kind = next((item for item in FLOAT_SUFFIXES if item in kinds), "f32")
    function = LIBDEVICE_FUNCTIONS.get(name, name)
    suffix = "" if kind == "f64" else "f"
    return unsupported(
        f"{subject} on {kind} has no PTX instruction",
        f"call '__nv_{function}{suffix}' of libdevice",
    )


def check_call_intrinsic(op: Any) -> Finding | None:
    """Check `llvm.call_intrinsic`: MLIR resolves name and signature, or ends the process."""
    intrinsic = op.attributes["intrin"].value
    base, types = split_intrinsic(intrinsic)
    kinds = [_element_name(value.type) for value in (*op.operands, *op.results)]
    finding = _check_selectable(f"intrinsic '{intrinsic}'", base, set(kinds))
    if finding is not None:
        return finding
    if base not in CALLABLE_INTRINSICS or len(types) != 1:
        return unsupported(
            f"intrinsic '{intrinsic}' is not known to compile for sm_90a",
            "use an operation of the llvm or nvvm dialect, libdevice or inline assembly",
        )
    if kinds != list(types) * (CALLABLE_INTRINSICS[base] + 1):
        listed = ", ".join(kinds[: len(op.operands)])
        return unsupported(f"intrinsic '{intrinsic}' cannot be called on ({listed})")
    return None


def _element_name(item: Any) -> str:
    element = item.element_type if isinstance(item, ir.VectorType) else item
    return str(element)
