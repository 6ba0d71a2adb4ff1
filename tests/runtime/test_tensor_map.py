"""Rules of the tensor map, checked before the driver is asked."""

import pytest

from tests.support.kernel_metadata import RECIPE
from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.launch.tensor_map import check_encoding, make_encoding
from tilec.support.diagnostics import InternalCompilerError, LaunchError


def view(shape=(512, 256), strides=(256, 1), pointer=1 << 20, dtype="bf16"):
    return ArrayView(pointer, shape, strides, dtype, "cuda", 0, "torch")


def test_axes_are_reversed():
    encoding = make_encoding(RECIPE, view())
    check_encoding(encoding)
    assert encoding.extents == (256, 512)
    assert encoding.strides == (512,)
    assert encoding.box == (64, 128)
    assert encoding.axes == (1, 0)


def test_axes_follow_the_recipe_for_a_transposed_array():
    encoding = make_encoding({**RECIPE, "axes": [1, 0]}, view((256, 512), (1, 256)))
    check_encoding(encoding)
    assert encoding.extents == (256, 512)
    assert encoding.strides == (512,)


def test_five_axes():
    recipe = {**RECIPE, "dtype": "f32", "axes": list(range(5)), "box": [2, 2, 4, 4, 16]}
    recipe |= {"swizzle": 64, "element_strides": [1] * 5}
    encoding = make_encoding(recipe, view((3, 5, 7, 9, 20), (6300, 1260, 180, 20, 1), dtype="f32"))
    check_encoding(encoding)
    assert encoding.extents == (20, 9, 7, 5, 3)
    assert encoding.strides == (80, 720, 5040, 25200)


@pytest.mark.parametrize("pitch", [3, 0, -7, 256])
def test_an_axis_of_extent_one_matches_any_stride(pitch):
    encoding = make_encoding(RECIPE, view((1, 100), (pitch, 1)))
    check_encoding(encoding)
    assert encoding.strides[0] % 16 == 0


def test_an_array_without_elements_gets_a_map_of_one():
    encoding = make_encoding(RECIPE, view((256, 0), (1, 1), 8))
    assert encoding.extents == (1, 1)
    check_encoding(encoding)


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (view(pointer=(1 << 20) + 8), "its address 0x100008 is not a multiple of 16"),
        (view((512, 100), (100, 1)), "axis 0 has a stride of 200 bytes"),
        (view((512, 256), (0, 1)), "axis 0 has a stride of 0 bytes"),
        (view((512, 256), (-256, 1)), "axis 0 has a stride of -512 bytes"),
        (view((2, 256), (1 << 39, 1)), "over 2^40"),
        (view(((1 << 32) + 1, 8), (8, 1)), "axis 0 has extent 4294967297"),
    ],
)
def test_arrays_that_tma_cannot_take(array, text):
    with pytest.raises(LaunchError, match="T0713") as caught:
        check_encoding(make_encoding(RECIPE, array), "matmul")
    assert text in str(caught.value)
    assert "matmul: A cannot be described to TMA" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"box": [128, 300], "swizzle": 0},
        {"box": [128, 128]},
        {"box": [128, 4], "swizzle": 0},
        {"swizzle": 48},
        {"l2_promotion": 100},
        {"element_strides": [1, 9]},
        {"box": [64]},
    ],
)
def test_an_illegal_recipe_is_the_compilers_fault(change):
    with pytest.raises(InternalCompilerError, match="tensor map of A"):
        check_encoding(make_encoding({**RECIPE, **change}, view()))
