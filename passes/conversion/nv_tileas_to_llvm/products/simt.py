"""Rule for matrix products on the CUDA cores."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.mma_ops import SimtMmaOp
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir, scf
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic import restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import linear_offset, swizzled


@RULES.converts(SimtMmaOp)
def lower_simt_mma(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Loop over K; each step loads a column of A and a row of B and multiplies them out."""
    mma = op.opview
    layout = tile_layout(op.results[0])
    first, count = mma.part
    start = lowering.thread_coordinates(layout)
    acc = lowering.tile(mma.acc)
    loop = scf.ForOp(emit.value(first), emit.value(first + count), emit.value(1), acc)
    with ir.InsertionPoint(loop.body):
        element = mma.acc.type.element_type
        types = mma.product_types
        a = _Operand(lowering, mma.a, mma.a_major.value == "k", types.a, element)
        b = _Operand(lowering, mma.b, mma.b_major.value == "n", types.b, element)
        inner = loop.induction_variable
        products = []
        for offset, partial in zip(layout.register_offsets(), loop.inner_iter_args, strict=True):
            *batch, row, column = [emit.add(x, y) for x, y in zip(start, offset, strict=True)]
            left = a.at((*offset[:-1],), [*batch, row, inner])
            right = b.at((*offset[:-2], offset[-1]), [*batch, inner, column])
            products.append(_fused(left, right, partial))
        scf.YieldOp(products)
    return [list(loop.results)]


class _Operand:
    """One operand: loads each distinct element of a k-step once, in the accumulator's type."""

    def __init__(
        self, lowering: Lowering, tile: Any, row_major: bool, read_as: str, element: Any
    ) -> None:
        """Keep where the operand lies.

        Args:
            lowering: The lowering.
            tile: The operand.
            row_major: Whether the operand lies as the product needs it, not transposed.
            read_as: Element type that the product reads it as (`ProductTypes`).
            element: Element type of the accumulator.
        """
        self.base = lowering.get(tile)
        self.shared = layout_of_shared(tile.type)
        self.stored = tile.type.element_type
        self.row_major = row_major
        self.read_as = read_as
        self.element = element
        self.loaded: dict[tuple[int, ...], Any] = {}

    def at(self, key: tuple[int, ...], coords: list[emit.Index]) -> Any:
        """Return the element at `coords`; `key` names it among those of this k-step."""
        if key not in self.loaded:
            if not self.row_major:
                coords = [*coords[:-2], coords[-1], coords[-2]]
            offset = swizzled(linear_offset(self.shared, coords), self.shared.swizzle)
            value = emit.load_vector(emit.byte_offset(self.base, offset), self.stored, 1)[0]
            self.loaded[key] = self._widen(value)
        return self.loaded[key]

    def _widen(self, value: Any) -> Any:
        """Return an element in the type of the accumulator."""
        stored, wanted = self.stored, self.element
        if self.read_as == "tf32":  # of f32, too: tensor cores would not read the other bits
            bits = arith.bitcast(emit.i32_type(), value)
            kept = arith.andi(bits, emit.value(-1 << restricted_floats.TF32_DROPPED_BITS))
            value = arith.bitcast(value.type, kept)
        if restricted_floats.is_restricted(stored):
            return restricted_floats.extend(value, stored, wanted)
        if value.type == wanted:
            return value
        if isinstance(wanted, ir.FloatType):
            return arith.extf(wanted, value)
        is_unsigned = self.read_as == "u8"
        return arith.extui(wanted, value) if is_unsigned else arith.extsi(wanted, value)


def _fused(left: Any, right: Any, partial: Any) -> Any:
    if not isinstance(partial.type, ir.FloatType):
        return arith.addi(arith.muli(left, right), partial)
    name = f"llvm.fma.{partial.type}"
    return llvm_ops.call_intrinsic(partial.type, name, [left, right, partial])
