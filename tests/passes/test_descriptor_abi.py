"""The descriptor ABI check of nv-tileas-attach-tma-descriptors, on IR that the pass never makes."""

import pytest

from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations
from tilec.passes.transforms.nv_tileas.tma.attach_tma_descriptors import verify_descriptor_abi
from tilec.support.diagnostics import InternalCompilerError

KERNEL = """
!slot = !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<8x64xbf16>>
"nv_tileaa.func"() ({
^bb0(%d: !desc, %slot: !slot, %m: i32):
  "nv_tileas.async_tiled_tma_store"(%d, %slot, %m, %m) {box_index = 0 : i64, tmaIdx = 0 : i64}
    : (!desc, !slot, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!desc, !slot, i32) -> (),
  "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32} : () -> ()
"""


@pytest.fixture
def kernel():
    """Return a kernel with one descriptor; its module lives as long as the test."""
    module = parse_module(KERNEL, make_context(), "k.mlir")
    yield kernel_functions(module)[0]
    assert module is not None


def test_an_index_with_a_descriptor_is_accepted(kernel):
    verify_descriptor_abi(kernel)


@pytest.mark.parametrize("counter", ["nv_tileas.num-host-tmas", "nv_tileas.num-device-tmas"])
def test_both_counters_are_required(kernel, counter):
    del kernel.attributes[counter]

    with pytest.raises(InternalCompilerError, match="funcOp lack tmaDeviceNum and tmaHostNum attr"):
        verify_descriptor_abi(kernel)


def test_every_copy_has_an_index(kernel):
    del kernel_operations(kernel)[0].attributes["tmaIdx"]

    with pytest.raises(InternalCompilerError, match=r"not find tmaIdx\."):
        verify_descriptor_abi(kernel)
