"""Every operation of the dialect has a rule."""

from tilec.dialects import cuda_tile as ct
from tilec.interpreter import run_kernel  # noqa: F401 - importing it registers the families
from tilec.interpreter.registry import STRUCTURED_OPS, VALUE_OPS

KERNEL_FRAME = {"cuda_tile.entry", "cuda_tile.return", "cuda_tile.yield"}
"""Operations that begin and end regions."""


def test_every_cuda_tile_operation_has_exactly_one_rule():
    names = {
        getattr(ct, name).OPERATION_NAME for name in ct.__all__ if name.endswith("Op")
    } - KERNEL_FRAME
    assert names <= VALUE_OPS.keys() | STRUCTURED_OPS.keys()
    assert not VALUE_OPS.keys() & STRUCTURED_OPS.keys()
