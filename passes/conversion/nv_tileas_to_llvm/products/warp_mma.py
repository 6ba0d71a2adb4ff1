"""Rule for matrix products that each warp computes from its registers: `mma.sync`.

Threads read the fragments of one step of K from shared memory, as 8x8 matrices (`ldmatrix`) where
that costs less: where K is contiguous, and 16-bit elements in either order. Else they read 32 bits
at a time where K is contiguous, and single elements where it is not. Registers of 16 and 8 bits
share words. Elements of 64 bits are loaded along K in the order that costs least.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.mma_ops import WarpMmaOp
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir
from tilec.layout import RegisterLayout
from tilec.layout.scratch import access, matrix_loads
from tilec.layout.warp_products import COLUMNS, WarpProduct
from tilec.passes.analysis.mma.wgmma_support import warp_product
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.control_flow import parts_of, regroup
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import PASS_NAME, RULES, Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import load_matrices, read_tile
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import replace
from tilec.support.mma_atoms import warp_families

_WORD_BITS = 32
_OTHER_REGISTERS = 32
"""Registers of a thread for addresses and counters, next to those of a product."""


@RULES.converts(WarpMmaOp)
def lower_warp_mma(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Read the fragments of every step of K and multiply them, block by block."""
    mma = op.opview
    shares = warp_product(op, lowering.current_role.warps)
    if isinstance(shares, str):
        raise InternalCompilerError(shares, pass_name=PASS_NAME, op=op.name)
    shares = _fastest(shares, mma, lowering.registers)
    sums = parts_of(lowering, mma.acc)
    first, count = mma.part
    for step in range(first, first + count, shares.inner):
        a = _fragments(lowering, mma.a, shares.left, step, mma.a_major.value == "k")
        b = _fragments(lowering, mma.b, shares.right, step, mma.b_major.value == "k")
        sums = _multiply(mma, shares, a, b, sums)
    return [regroup(op.results[0], sums)]


def _fastest(shares: WarpProduct, mma: Any, registers: int) -> WarpProduct:
    """Return how the product is done fastest: by which K of an instruction, in which order of K.

    Only f64 has a choice of K, and only `ldmatrix` would gain from another order for smaller
    elements, and it has its own. The deepest instruction is the one whose fragments fit into
    registers; of its orders the one whose fragments load in the fewest cycles.

    Args:
        shares: The product, by an instruction that its K is a multiple of.
        mma: The operation.
        registers: How many a thread has.
    """
    if shares.element_bits <= _WORD_BITS:
        return shares

    def cycles(product: WarpProduct) -> int:
        operands = ((mma.a, product.left, mma.a_major), (mma.b, product.right, mma.b_major))
        costs = [
            access(_as_stored(layout, major.value == "k"), layout_of_shared(tile.type), False)
            for tile, layout, major in operands
        ]
        return sum(cost.instructions + cost.wavefronts for cost in costs)

    depths = [
        replace(shares, inner=family.inner)
        for family in warp_families(mma.product_types)
        if family.rows == shares.rows and shares.inner % family.inner == 0
    ]
    fitting = [product for product in depths if _registers(product) <= registers]
    return min((*fitting, depths[-1])[0].runs, key=cycles)


def _registers(product: WarpProduct) -> int:
    """Return the registers of a thread that sums, fragments and addresses of a product take.

    All fragments of one operand are live, and two of the other, of which one is being loaded.
    """
    batch, rows, columns = product.blocks
    left, right = (
        (item.num_registers, item.num_registers // count)
        for item, count in ((product.left, batch * rows), (product.right, batch * columns))
    )
    kept, passing = min((left, right), (right, left))
    words = product.accumulator.num_registers + kept[0] // batch + 2 * passing[1]
    return words * product.element_bits // _WORD_BITS + _OTHER_REGISTERS


def _as_stored(layout: RegisterLayout, k_is_last: bool) -> RegisterLayout:
    """Return the layout of an operand with its axes as they are in shared memory."""
    batch = layout.rank - 2
    return layout if k_is_last else layout.permute([*range(batch), batch + 1, batch])


def _fragments(
    lowering: Lowering, tile: Any, layout: RegisterLayout, step: int, k_is_last: bool
) -> list[Any]:
    """Emit the loads of an operand for one step of K; return words, or f64 registers."""
    batch = layout.rank - 2
    origin = (*(0,) * batch, *((0, step) if k_is_last else (step, 0)))
    layout = _as_stored(layout, k_is_last)
    base, shared = lowering.get(tile), layout_of_shared(tile.type)
    loads = matrix_loads(layout, shared)
    if loads is not None:
        return load_matrices(lowering, base, shared, loads, origin)
    return operand_words(read_tile(lowering, base, shared, layout, tile.type.element_type, origin))


def _multiply(
    mma: Any, shares: WarpProduct, a: Sequence[Any], b: Sequence[Any], sums: Sequence[Any]
) -> list[Any]:
    """Emit the instructions of one step of K; return the new sums."""
    types = mma.product_types
    shape = f"m{shares.rows}n{COLUMNS}k{shares.inner}"
    name = f"mma.sync.aligned.{shape}.row.col.{types.ptx}.{types.ptx.split('.', 1)[0]}"
    batch, rows, columns = shares.blocks
    lefts, rights = _groups(a, batch * rows), _groups(b, batch * columns)
    count = batch * rows * columns
    size, result = len(sums) // count, list(sums)
    for block in _block_order(shares):
        first, column = divmod(block, columns)
        left, right = shares.in_order(lefts[first]), rights[first // rows * columns + column]
        own = slice(block * size, (block + 1) * size)
        result[own] = _instruction(name, result[own], left, right)
    return result


def _block_order(shares: WarpProduct) -> list[int]:
    """Return the numbers of the blocks, row by row, in the order in which they are multiplied.

    All fragments of one operand are live meanwhile, and one of the other at a time. Where they are
    of 64 bits, they are those of the operand that has fewer.
    """
    batch, rows, columns = shares.blocks
    order = list(range(batch * rows * columns))
    is_wide = shares.element_bits > _WORD_BITS
    if is_wide and shares.left.num_registers < shares.right.num_registers:
        order.sort(key=lambda block: (block // (rows * columns), block % columns))
    return order


def _groups(words: Sequence[Any], count: int) -> list[Sequence[Any]]:
    size = len(words) // count
    return [words[first : first + size] for first in range(0, len(words), size)]


def _instruction(
    name: str, sums: Sequence[Any], left: Sequence[Any], right: Sequence[Any]
) -> list[Any]:
    """Emit one `mma.sync`; return its sums."""
    groups, first = [], 0
    for size in (len(sums), len(left), len(right), len(sums)):
        groups.append(", ".join(f"${index}" for index in range(first, first + size)))
        first += size
    text = f"{name} {', '.join('{' + group + '}' for group in groups)};"
    results = [f"={emit.constraint(item.type)}" for item in sums]
    operands = [*left, *right, *sums]
    constraints = ",".join([*results, *(emit.constraint(item.type) for item in operands)])
    struct = llvm_ops.struct_type(sums[0].type, len(sums))
    made = emit.inline_ptx(text, constraints, operands, struct)
    return [llvm_ops.extract_value(sums[0].type, made, index) for index in range(len(sums))]


def operand_words(registers: Sequence[Any]) -> list[Any]:
    """Return operand registers as PTX takes them: words of 32 bits, or f64 as they are."""
    kind = registers[0].type
    bits = (ir.IntegerType if isinstance(kind, ir.IntegerType) else ir.FloatType)(kind).width
    if bits > _WORD_BITS:
        return list(registers)
    packed = _WORD_BITS // bits
    groups = (registers[first : first + packed] for first in range(0, len(registers), packed))
    words = (emit.pack(group) if packed > 1 else group[0] for group in groups)
    return [llvm_ops.bitcast(emit.i32_type(), word) for word in words]
