"""Stores of register tiles into shared memory, executed: what the llvm stage computes is right.

A kernel copies a tile of 16-bit elements from one slot to another through registers. NumPy runs its
operations, all threads at once; each element must arrive at the place that its layout says.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.layout import (
    RegisterLayout,
    SharedLayout,
    blocked,
    row_major,
    tma_boxes,
    wgmma_accumulator,
)
from tilec.passes.registry import PassContext
from tilec.passes.runner import run_pass

KERNEL = """
"nv_tileaa.func"() ({{
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {{slots = 1 : i64, offset = 0 : i64}} : () -> {source}
  %d = "nv_tileas.alloc_shared"() {{slots = 2 : i64, offset = {offset} : i64}} : () -> {target}
  "nv_tileas.roles"() ({{
    "nv_tileas.yield"() : () -> ()
  }}, {{
    %x = "nv_tileas.load_shared"(%s) : ({source}) -> {tile}
    "nv_tileas.store_shared"(%x, %d) : ({tile}, {target}) -> ()
    "nv_tileas.yield"() : () -> ()
  }}) {{producer_warps = 0 : i64, consumer_warps = {warps} : i64}} : () -> ()
  "nv_tileaa.return"() : () -> ()
}}) {{sym_name = "k", function_type = (i32) -> (),
     tilec.kernel = {{block_threads = {threads} : i64, cluster = [1, 1, 1]}}}} : () -> ()
"""
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": np.add,
    "arith.muli": np.multiply,
    "arith.divui": np.floor_divide,
    "arith.remui": np.remainder,
    "arith.andi": np.bitwise_and,
    "arith.xori": np.bitwise_xor,
    "arith.shrui": np.right_shift,
    "arith.shli": np.left_shift,
}
EMPTY = 0


def slot_type(shared: SharedLayout) -> str:
    shape, box = ("x".join(map(str, shared.shape)), ", ".join(map(str, shared.box)))
    layout = f"#nv_tileas.shared_layout<array<i64: {box}>, {shared.swizzle.value} : i64>"
    return f"!nv_tileas.smem<tensor<{shape}xbf16, {layout}>>"


def lowered(registers: RegisterLayout, source: SharedLayout, target: SharedLayout, offset: int):
    """Return the operations of the kernel in the llvm stage."""
    shape = "x".join(map(str, registers.shape))
    tile = f'tensor<{shape}xbf16, #nv_tileas.layout<"{registers}">>'
    text = KERNEL.format(
        source=slot_type(source),
        target=slot_type(target),
        offset=offset,
        tile=tile,
        warps=registers.num_warps,
        threads=registers.num_threads,
    )
    module = ir.Module.parse(text)
    for name in ("convert-nv-tileas-to-llvm", "canonicalize", "cse"):
        run_pass(module, name, PassContext())
    (kernel,) = (op for op in module.body.operations if op.operation.name == "llvm.func")
    return module, [op.operation for op in kernel.regions[0].blocks[0].operations]


class Threads:
    """All threads of a CTA: values are arrays with a row for each thread."""

    def __init__(self, count: int, memory: Any) -> None:
        """Start with `memory`, in units of two bytes."""
        self.numbers = np.arange(count)
        self.memory = memory
        self.values: dict[Any, Any] = {}
        self.matrix_stores = self.stores = 0

    def run(self, op: Any) -> None:
        """Execute one operation."""
        operands = [self.values[operand] for operand in op.operands if operand in self.values]
        if op.name in ARITHMETIC:
            result = ARITHMETIC[op.name](*operands)
        elif op.name == "nvvm.stmatrix":
            return self._store_matrices(op, *operands)
        elif op.name == "llvm.store":
            return self._store(*operands)
        else:
            result = self._other(op, operands)
        if op.results:
            self.values[op.results[0]] = result
        return None

    def _other(self, op: Any, operands: list[Any]) -> Any:
        zero = np.zeros_like(self.numbers)
        if op.name == "arith.constant":
            return zero + ir.IntegerAttr(op.attributes["value"]).value
        if op.name == "nvvm.read.ptx.sreg.tid.x":
            return self.numbers
        if op.name == "nvvm.shfl.sync":
            return operands[1][self.numbers // 32 * 32]
        if op.name == "llvm.getelementptr":
            (constant,) = ir.DenseI32ArrayAttr(op.attributes["rawConstantIndices"])
            return operands[0] + (operands[1] if len(operands) > 1 else constant)
        if op.name == "llvm.load":
            count = vector_elements(op.results[0].type)
            loaded = self.memory[operands[0][:, None] // 2 + np.arange(count)]
            return loaded if count > 1 else loaded[:, 0]
        if op.name == "llvm.extractelement":
            return operands[0][self.numbers, operands[1]]
        if op.name == "llvm.insertelement":
            vector = operands[0].copy()
            vector[self.numbers, operands[2]] = operands[1]
            return vector
        if op.name == "llvm.mlir.poison":
            return np.full((len(zero), vector_elements(op.results[0].type)), EMPTY)
        if op.name == "llvm.bitcast":
            return operands[0]
        assert op.name in ("llvm.mlir.addressof", "llvm.inline_asm", "llvm.return"), op.name
        return zero

    def _store(self, value: Any, address: Any) -> None:
        value = value.reshape(len(self.numbers), -1)
        self.memory[address[:, None] // 2 + np.arange(value.shape[1])] = value
        self.stores += 1

    def _store_matrices(self, op: Any, address: Any, *words: Any) -> None:
        """Store 8x8 matrices a warp (PTX ISA, stmatrix)."""
        lane, first = self.numbers % 32, self.numbers // 32 * 32
        for matrix, pair in enumerate(words):
            for half in range(2):
                row, column = lane // 4, lane % 4 * 2 + half
                if "col" in str(op.attributes["layout"]):
                    row, column = column, row
                start = address[first + 8 * matrix + row]
                assert not np.any(start % 16)
                self.memory[start // 2 + column] = pair[:, half]
        self.matrix_stores += 1


def vector_elements(type_: Any) -> int:
    return ir.VectorType(type_).shape[0] if isinstance(type_, ir.VectorType) else 1


def copy(registers: RegisterLayout, target: SharedLayout) -> Threads:
    """Run the kernel, check where the elements arrived, and return the threads."""
    source = row_major(registers.shape, 16)
    offset = -(-source.size_bytes // 1024) * 1024
    memory = np.full((offset + target.size_bytes) // 2, EMPTY)
    memory[: source.size_bytes // 2] = np.arange(1, source.size_bytes // 2 + 1)
    expected = memory.copy()
    for coords in np.ndindex(*registers.shape):
        expected[(offset + target.offset(coords)) // 2] = memory[source.offset(coords) // 2]
    threads = Threads(registers.num_threads, memory)
    with make_context(), ir.Location.unknown():
        module, ops = lowered(registers, source, target, offset)
        for op in ops:
            threads.run(op)
        del module
    np.testing.assert_array_equal(threads.memory, expected)
    return threads


@pytest.mark.parametrize("rows", [64, 128])
@pytest.mark.parametrize("columns", [8, 16, 24, 32, 64, 80, 192])
@pytest.mark.parametrize("transposed", [False, True], ids=["rows", "columns"])
def test_accumulators_are_stored_as_matrices(rows, columns, transposed):
    registers = wgmma_accumulator(rows, columns, rows // 64)
    if transposed:
        registers = registers.permute((1, 0))
    threads = copy(registers, tma_boxes(registers.shape, 16))
    matrices = columns // 4
    assert threads.matrix_stores == matrices // (4 if matrices % 4 == 0 else 2)
    assert threads.stores == 0


def test_batches_are_stored_as_matrices():
    registers = wgmma_accumulator(64, 64, 1).expand_dims(0)
    assert copy(registers, tma_boxes((1, 64, 64), 16)).matrix_stores == 4


@pytest.mark.parametrize("vector", [1, 4, 8])
def test_other_tiles_are_stored_by_each_thread(vector):
    registers = blocked((64, 64), 4, vector, (1, 0))
    threads = copy(registers, tma_boxes((64, 64), 16))
    assert (threads.matrix_stores, threads.stores) == (0, 64 * 64 // 128 // vector)
