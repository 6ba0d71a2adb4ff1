"""Types and numbers that LLVM has no error for: it ends the process instead (llvmlite 0.50)."""

from typing import Any

from tilec.codegen.supported import FLOAT_SUFFIXES
from tilec.ir.bindings import ir

_WIDEST_VALUE, _LONGEST_VECTOR = 1024, 1024
"""Bits of an integer and elements of a vector that LLVM still takes apart."""
_LARGEST_ALIGNMENT = 2**28
"""Bytes. LLVM takes 2**32; no memory of a kernel is aligned like that."""
_ALIGNMENTS_OF_ARGUMENTS = ("llvm.align", "llvm.alignstack")
_LAUNCH_NUMBERS = tuple(
    f"nvvm.{name}"
    for name in ("reqntid", "maxntid", "cluster_dim", "minctasm", "maxnreg", "cluster_max_blocks")
)
"""Attributes of a kernel that hold one number or three."""
_LLVM_TYPES_WITHOUT_PTX = ("!llvm.x86", "!llvm.ppc", "!llvm.target", "!llvm.token", "!llvm.label")


def alignment_problem(op: Any) -> str | None:
    """Return what is wrong with the alignment of an access, or None."""
    attributes = op.attributes
    if "alignment" not in attributes:
        return None
    alignment = attributes["alignment"].value
    if alignment == 0 or _is_alignment(alignment):  # 0: that of the type
        return None
    return f"'{op.name}' op has an alignment of {alignment} bytes"


def _is_alignment(number: int) -> bool:
    return 1 <= number <= _LARGEST_ALIGNMENT and number.bit_count() == 1


def argument_problem(op: Any) -> str | None:
    """Return what is wrong with the alignments of arguments of a function or call, or None."""
    for name in ("arg_attrs", "res_attrs"):
        for number, item in enumerate(op.attributes.get(name, ())):
            for alignment in _ALIGNMENTS_OF_ARGUMENTS:
                if alignment in item and not _is_alignment(item[alignment].value):
                    what = f"'{alignment} = {item[alignment].value}' in {name}[{number}]"
                    return f"'{op.name}' op has {what}, which is no alignment"
    return None


def launch_problem(op: Any) -> str | None:
    """Return what is wrong with the launch bounds of a function, or None."""
    for name in _LAUNCH_NUMBERS:
        value = op.attributes.get(name, ())
        numbers = (value.value,) if isinstance(value, ir.IntegerAttr) else value
        if isinstance(value, ir.StringAttr) or any(number < 1 for number in numbers):
            return f"'{op.name}' op has a number below 1 in '{name}'"
    return None


def has_ptx_type(item: Any) -> bool:
    """Tell whether values of an MLIR type can be in registers."""
    if isinstance(item, ir.IntegerType):
        return item.is_signless and item.width <= _WIDEST_VALUE
    if isinstance(item, ir.VectorType):
        if item.rank != 1 or item.scalable or item.shape[0] > _LONGEST_VECTOR:
            return False
        item = item.element_type
        return has_ptx_type(item) and not isinstance(item, ir.VectorType)
    text = str(item)
    if text.startswith("!llvm."):
        return not any(name in text for name in _LLVM_TYPES_WITHOUT_PTX)
    return text in FLOAT_SUFFIXES
