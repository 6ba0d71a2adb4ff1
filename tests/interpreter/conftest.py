"""Runs operations of cuda_tile on NumPy arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.interpreter import run_module
from tilec.ir.bindings import arith, ir
from tilec.ir.context import make_context
from tilec.support.numpy_types import NUMPY_BY_MLIR

MLIR_BY_NUMPY = {
    dtype: name for name, dtype in NUMPY_BY_MLIR.items() if name not in ("index", "tf32")
}


def row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


class TileRunner:
    """Builds a kernel that loads whole arrays as tiles, applies `body`, stores what it returns."""

    def module(
        self, arguments: Sequence[Any], build: Callable[..., None], name: str = "kernel"
    ) -> Any:
        module = ir.Module.create()
        module.operation.attributes["cuda_tile.any_extent"] = ir.UnitAttr.get()
        with ir.InsertionPoint(module.body):
            entry = ct.EntryOp.build(name, arguments)
        with ir.InsertionPoint(entry.block):
            build(*entry.arguments)
            ct.ReturnOp.build()
        assert module.operation.verify()
        return module

    def i32(self, value: int) -> Any:
        return arith.ConstantOp(ir.IntegerType.get_signless(32), value).result

    def element(self, name: str) -> Any:
        return ir.Type.parse(name)

    def view(self, pointer: Any, shape: Sequence[int]) -> Any:
        view = ct.MakeTensorViewOp.build(pointer, list(shape), row_major(shape))
        return ct.MakePartitionViewOp.build(view, list(shape))

    def load(self, pointer: Any, shape: Sequence[int]) -> Any:
        zeros = [self.i32(0)] * len(shape)
        return ct.LoadViewTkoOp.build(self.view(pointer, shape), zeros).tile

    def store(self, pointer: Any, tile: Any) -> None:
        shape = tile.type.shape
        ct.StoreViewTkoOp.build(tile, self.view(pointer, shape), [self.i32(0)] * len(shape))

    def __call__(
        self,
        body: Callable[..., Any],
        *inputs: np.ndarray,
        shape: Sequence[int] | None = None,
        kinds: Sequence[str] | None = None,
        out: str = "",
    ) -> np.ndarray:
        """Return what `body`, applied to tiles of `inputs`, gives.

        `kinds` are the MLIR element types of the inputs, `out` that of the result (default: that
        of the first input), `shape` that of the result (likewise).
        """
        names = list(kinds or [MLIR_BY_NUMPY[item.dtype] for item in inputs])
        out = out or names[0]
        shape = tuple(inputs[0].shape if shape is None else shape)
        pointers = [ct.PtrType.of(self.element(name)) for name in [*names, out]]

        def build(*arguments: Any) -> None:
            pairs = zip(arguments[:-1], inputs, strict=True)
            tiles = [self.load(pointer, item.shape) for pointer, item in pairs]
            self.store(arguments[-1], body(*tiles))

        result = np.zeros(shape, NUMPY_BY_MLIR[out])
        run_module(self.module(pointers, build), None, [*inputs, result])
        return result


@pytest.fixture
def tiles():
    with make_context(), ir.Location.file("test.tile", 3, 5):
        yield TileRunner()
