"""Inputs, comparison and example loading of `tilec.testing.check`."""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from tilec.support.diagnostics import CompileError
from tilec.support.dtypes import DTYPES
from tilec.support.numpy_types import NUMPY_BY_NAME
from tilec.testing.check import Arguments, compare, compare_array, load_example, make_arguments
from tilec.testing.host_arrays import LAYOUTS, make_array


class ArrayParam(SimpleNamespace):
    pass


class ScalarParam(SimpleNamespace):
    pass


SIGNATURE = SimpleNamespace(
    params=(
        ArrayParam(name="A", dtype="T", dims=("M", 4), span=None),
        ArrayParam(name="B", dtype="f32", dims=("M", None), span=None),
        ScalarParam(name="alpha", dtype="f32"),
    )
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 3, 5), (1, 1)])
def test_layouts_have_the_promised_alignment(layout, shape):
    array = make_array("A", "bf16", shape, layout)
    assert array.data.shape == shape
    address = array.data.ctypes.data
    fastest = 0 if layout.endswith("col") else len(shape) - 1
    if layout == "swapped":
        fastest = max(0, len(shape) - 2)
    repeated = layout == "broadcast"
    assert array.strides[fastest] == (0 if repeated and len(shape) == 1 else 1)
    assert (array.strides[0] == 0) == repeated
    pitches = [2 * stride for axis, stride in enumerate(array.strides) if axis != fastest]
    if layout.startswith("odd"):
        assert address % 16
        assert all(pitch % 16 for pitch in pitches[-1:])
    else:
        assert address % 16 == 0
        assert all(pitch % 16 == 0 for pitch in pitches)


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_every_dtype_gets_values_and_poison(dtype):
    array = make_array("A", dtype, (4, 5))
    assert array.data.dtype == NUMPY_BY_NAME[dtype]
    assert len(np.unique(array.data.astype(np.float64))) > 1
    array.poison()
    values = array.data.astype(np.float64)
    assert np.isnan(values).all() if DTYPES[dtype].is_float else (values != 0).all()


def test_values_depend_on_name_and_seed_only():
    row = make_array("A", "f32", (6, 5), "row", 3).data
    np.testing.assert_array_equal(row, make_array("A", "f32", (6, 5), "odd_col", 3).data)
    assert (row != make_array("B", "f32", (6, 5), "row", 3).data).any()
    assert (row != make_array("A", "f32", (6, 5), "row", 4).data).any()


def test_stray_writes_are_counted():
    array = make_array("A", "f32", (3, 5), "odd")
    before = array.memory.copy()
    array.data[...] = 7
    assert array.stray_writes(before) == 0
    array.memory[0] = 1
    assert array.stray_writes(before) > 0


def test_arguments_follow_the_signature():
    got = make_arguments(
        SIGNATURE, {"M": 6, "B.shape[1]": 3}, dtypes={"T": "f16"}, layouts={"B": "col"}
    )
    assert got.data()["A"].dtype == np.float16
    assert got.data()["A"].shape == (6, 4)
    assert got.arrays["B"].strides[0] == 1
    assert isinstance(got.scalars["alpha"], float)


@pytest.mark.parametrize(
    ("sizes", "dtypes", "code"),
    [({"M": 1}, {"T": "f16"}, "T0010"), ({"M": 1, "B.shape[1]": 1}, {}, "T0013")],
)
def test_unknown_sizes_and_dtypes_are_diagnostics(sizes, dtypes, code):
    with pytest.raises(CompileError) as caught:
        make_arguments(SIGNATURE, sizes, dtypes=dtypes)
    assert caught.value.diagnostics[0].code == code


def test_unknown_layout_is_a_diagnostic():
    with pytest.raises(CompileError, match="'diagonal' is none of row, col"):
        make_array("A", "f32", (2,), "diagonal")


def test_one_unit_in_the_last_place_is_within_tolerance():
    want = np.array([1.0, 256.0], ml_dtypes.bfloat16)
    near = np.nextafter(want, np.array(1e9, ml_dtypes.bfloat16))
    assert compare_array("C", near, want).ok
    far = np.nextafter(near, np.array(1e9, ml_dtypes.bfloat16))
    result = compare_array("C", far, want)
    assert result.mismatches == 2
    assert result.first is not None
    assert result.first[0] == (0,)


def test_a_lost_product_is_found():
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((2, 64, 4096)).astype(np.float32)
    want = a.astype(np.float64) @ b.T.astype(np.float64)
    assert compare_array("C", a @ b.T, want, terms=4096).ok
    assert not compare_array("C", a[:, 1:] @ b.T[1:], want, terms=4096).ok


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3.0])
def test_nan_infinity_and_wrong_values_are_mismatches(bad):
    got = np.array([1.0, bad, 2.0], np.float32)
    result = compare({"C": got}, {"C": np.array([1.0, 1.0, 2.0], np.float32)})
    assert not result.ok
    assert "1 of 3 elements differ" in str(result)
    assert "C[1]" in str(result)


def test_equal_nans_and_infinities_are_fine():
    values = np.array([np.nan, np.inf, -np.inf], np.float32)
    result = compare({"C": values}, {"C": values.copy()})
    assert result.ok
    assert result.max_abs == 0


def test_integers_must_be_equal():
    want = np.array([2**62, 5], np.int64)
    assert compare({"C": want}, {"C": want}).ok
    assert not compare({"C": want + 1}, {"C": want}).ok


def test_an_empty_output_is_fine():
    empty = np.empty((0, 4), np.float32)
    assert compare({"C": empty}, {"C": empty}).ok


def test_a_file_without_neighbour_has_no_example(tmp_path):
    assert load_example(tmp_path / "kernel.tile") is None


@pytest.mark.parametrize("text", ["raise ValueError('boom')", "x = 1"])
def test_a_broken_example_module_is_a_diagnostic(tmp_path, text):
    (tmp_path / "kernel.py").write_text(text)
    with pytest.raises(CompileError) as caught:
        load_example(tmp_path / "kernel.tile")
    assert caught.value.diagnostics[0].code == "T0012"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("def reference(A):\n    return", "'reference' returns NoneType, not arrays by name"),
        ("def reference(Q):\n    return {}", "'reference' wants 'Q', which the kernel does not"),
        ("def reference(A):\n    return {'B': undefined}", "kernel.py:2: NameError"),
        ("def reference(A):\n    return {'Q': A}", "returns 'Q', which is no array of the kernel"),
        ("def reference(A):\n    return {'B': A[1:]}", "returns a (3,) array of float32 for 'B'"),
        ("def reference(A):\n    return {'B': None}", "array of object for 'B'"),
        ("def reference(A):\n    return A", "returns ndarray, not arrays by name"),
    ],
)
def test_a_broken_reference_is_a_diagnostic(tmp_path, text, part):
    (tmp_path / "kernel.py").write_text(text)
    example = load_example(tmp_path / "kernel.tile")
    assert example is not None
    arrays = {name: make_array(name, "f32", (4,)) for name in "AB"}
    with pytest.raises(CompileError) as caught:
        example.expected(Arguments(arrays))
    (item,) = caught.value.diagnostics
    assert item.code == "T0012"
    assert part in item.message


@pytest.mark.parametrize(
    "text",
    [
        "def inputs(Q):\n    return {}",
        "def inputs(M):\n    return",
        "def inputs(M):\n    return {'A': undefined}",
        "def inputs(M):\n    return {'Q': 1}",
    ],
)
def test_broken_inputs_are_a_diagnostic(tmp_path, text):
    (tmp_path / "kernel.py").write_text(f"def reference(A):\n    return {{}}\n{text}\n")
    example = load_example(tmp_path / "kernel.tile")
    with pytest.raises(CompileError) as caught:
        make_arguments(SIGNATURE, {"M": 4, "B.shape[1]": 4}, dtypes={"T": "f32"}, example=example)
    assert caught.value.diagnostics[0].code == "T0012"


@pytest.mark.parametrize(("size", "code"), [(10**10, "T0008"), (-1, "T0008"), (2 * 10**9, "T0406")])
def test_sizes_that_no_memory_holds(size, code):
    with pytest.raises(CompileError) as caught:
        make_arguments(SIGNATURE, {"M": 4000, "B.shape[1]": size}, dtypes={"T": "f32"})
    assert caught.value.diagnostics[0].code == code
