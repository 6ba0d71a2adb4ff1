"""Rule for matrix products on the CUDA cores."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.mma_ops import SimtMmaOp
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir, scf
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit, restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.shared_memory import linear_offset, swizzled


@RULES.converts(SimtMmaOp)
def lower_simt_mma(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Loop over K; each step loads a column of A and a row of B and multiplies them out."""
    mma = op.opview
    layout = tile_layout(op.results[0])
    k = mma.tile_shape[2]
    start = lowering.thread_coordinates(layout)
    acc = lowering.tile(mma.acc)
    loop = scf.ForOp(emit.value(0), emit.value(k), emit.value(1), acc)
    with ir.InsertionPoint(loop.body):
        element = mma.acc.type.element_type
        a = _Operand(lowering, mma.a, mma.a_major.value == "k", _signed(mma, "a"), element)
        b = _Operand(lowering, mma.b, mma.b_major.value == "n", _signed(mma, "b"), element)
        inner = loop.induction_variable
        products = []
        for offset, partial in zip(layout.register_offsets(), loop.inner_iter_args, strict=True):
            *batch, row, column = [emit.add(x, y) for x, y in zip(start, offset, strict=True)]
            left = a.at((*offset[:-1],), [*batch, row, inner])
            right = b.at((*offset[:-2], offset[-1]), [*batch, inner, column])
            products.append(_fused(left, right, partial))
        scf.YieldOp(products)
    return [list(loop.results)]


def _signed(mma: Any, operand: str) -> bool:
    name = f"signedness_{operand}"
    return name not in mma.attributes or ir.StringAttr(mma.attributes[name]).value == "signed"


class _Operand:
    """One operand: loads each distinct element of a k-step once, in the accumulator's type."""

    def __init__(
        self, lowering: Lowering, tile: Any, row_major: bool, signed: bool, element: Any
    ) -> None:
        """Keep where the operand lies."""
        self.base = lowering.get(tile)
        self.shared = layout_of_shared(tile.type)
        self.stored = tile.type.element_type
        self.row_major = row_major
        self.signed = signed
        self.element = element
        self.loaded: dict[tuple[int, ...], Any] = {}

    def at(self, key: tuple[int, ...], coords: list[emit.Index]) -> Any:
        """Return the element at `coords`; `key` names it among those of this k-step."""
        if key not in self.loaded:
            if not self.row_major:
                coords = [*coords[:-2], coords[-1], coords[-2]]
            offset = swizzled(linear_offset(self.shared, coords), self.shared.swizzle)
            value = emit.load_vector(emit.byte_offset(self.base, offset), self.stored, 1)[0]
            self.loaded[key] = _widen(value, self.stored, self.element, self.signed)
        return self.loaded[key]


def _widen(value: Any, stored: Any, wanted: Any, signed: bool) -> Any:
    if restricted_floats.is_restricted(stored):
        return restricted_floats.extend(value, stored, wanted)
    if value.type == wanted:
        return value
    if isinstance(wanted, ir.FloatType):
        return arith.extf(wanted, value)
    return arith.extsi(wanted, value) if signed else arith.extui(wanted, value)


def _fused(left: Any, right: Any, partial: Any) -> Any:
    if not isinstance(partial.type, ir.FloatType):
        return arith.addi(arith.muli(left, right), partial)
    name = f"llvm.fma.{partial.type}"
    return llvm_ops.call_intrinsic(partial.type, name, [left, right, partial])
