"""Every rule of a call that the language itself sets."""

import numpy as np
import pytest

from tests.support.runtime_fakes import FakeArray
from tilec.language import auto
from tilec.runtime.args.arguments import check_arguments
from tilec.runtime.args.signature_binding import (
    ARRAY,
    CONST,
    DTYPE,
    OPTIONAL,
    SCALAR,
    Interface,
    Parameter,
    bind_call,
    interface_from_metadata,
)
from tilec.support.diagnostics import LaunchError, SourceFile, SourceSpan

SOURCE = SourceFile("mm.tile", "@kernel\ndef mm[M, N, K](A: f32[M, K], B: f32[K, N]):\n")
MM = Interface(
    "mm",
    (
        Parameter("A", ARRAY, "f32", ("M", "K"), span=SourceSpan("mm.tile", 2, 17, 2, 18)),
        Parameter("B", ARRAY, "f32", ("K", "N")),
        Parameter("C", ARRAY, "f32", ("M", 8)),
        Parameter("alpha", SCALAR, "i8"),
        Parameter("BM", CONST, default=OPTIONAL),
    ),
    (SOURCE,),
)

LINE = Interface(
    "line", (Parameter("A", ARRAY, "f32", ("N",)), Parameter("BLOCK", CONST, default=64))
)


def call(interface, *arguments, locate=None, **keywords):
    return check_arguments(interface, bind_call(interface, arguments, keywords), locate=locate)


def fails(code, interface, *arguments, **keywords):
    with pytest.raises(LaunchError) as caught:
        call(interface, *arguments, **keywords)
    assert caught.value.diagnostics[0].code == code
    return str(caught.value)


def numpy_arguments():
    return np.zeros((4, 6), np.float32), np.zeros((6, 5), np.float32), np.zeros((4, 8), np.float32)


def test_good_call():
    bound = call(MM, *numpy_arguments(), alpha=3, BM=np.int64(64))
    assert bound.dims == {"M": 4, "K": 6, "N": 5}
    assert bound.scalars == {"alpha": 3}
    assert bound.constants == {"BM": 64}
    assert bound.device is None
    environment = bound.environment()
    assert environment["A.shape[1]"] == 6
    assert environment["A.strides[0]"] == 6


def test_number_and_names_of_arguments():
    a, b, c = numpy_arguments()
    assert "takes 5 arguments (A, B, C, alpha, BM), got 6" in fails("T0701", MM, a, b, c, 1, 2, 3)
    assert "got two values for 'A'" in fails("T0701", MM, a, b, c, 1, A=a)
    assert "has no parameter 'beta'" in fails("T0701", MM, a, b, c, 1, beta=2)
    assert "no value for B, C and alpha" in fails("T0701", MM, a)


def test_not_an_array():
    _, b, c = numpy_arguments()
    message = fails("T0702", MM, [[1.0]], b, c, 1)
    assert "mm: A must be an array f32[M, K], got a list" in message
    assert "declared here" in message
    assert "def mm[M, N, K](A: f32" in message
    assert "got None" in fails("T0702", MM, None, b, c, 1)


def test_arrays_that_cannot_be_read_name_the_parameter():
    _, b, c = numpy_arguments()
    masked = np.ma.array(np.zeros((4, 6), np.float32), mask=True)
    for array in (masked, FakeArray((4, 6), pointer=-8), FakeArray((4, 6), strides=(24, 3))):
        message = fails("T0702", MM, array, b, c, 1)
        assert "declared here" in message
        assert "def mm[M, N, K](A: f32" in message


def test_elements_without_memory():
    _, b, c = numpy_arguments()
    message = fails("T0702", MM, FakeArray((4, 6), pointer=0), b, c, 1)
    assert "mm: A has elements but no memory: its address is null" in message
    assert "declared here" in message


def test_element_types():
    a, b, c = numpy_arguments()
    message = fails("T0703", MM, a.astype(np.float64), b, c, 1)
    assert "A has element type f64, but f32[M, K] needs f32" in message
    assert "convert the array to f32, or declare f64[M, K]" in message
    assert "complex64, which tilec does not have" in fails("T0703", MM, a.astype("c8"), b, c, 1)
    assert "byte order" in fails("T0703", MM, a.astype(">f4"), b, c, 1)


def test_ranks():
    a, b, c = numpy_arguments()
    message = fails("T0704", MM, a[None], b, c, 1)
    assert "A has rank 3 (1x4x6), but f32[M, K] has rank 2" in message


def test_dims_that_disagree_name_both_places():
    a, b, c = numpy_arguments()
    message = fails("T0705", MM, a, b[:5], c, 1)
    assert "dim K is 6 in A.shape[1], but 5 in B.shape[0]" in message


def test_fixed_extents():
    a, b, c = numpy_arguments()
    assert "C.shape[1] is 7, but the kernel declares 8" in fails("T0705", MM, a, b, c[:, :7], 1)


def test_scalars_and_constants():
    a, b, c = numpy_arguments()
    assert "alpha is 128, outside of i8 (-128 to 127)" in fails("T0708", MM, a, b, c, 128)
    assert "alpha is 0.5, which is not an integer" in fails("T0708", MM, a, b, c, 0.5)
    assert "pass alpha.item()" in fails("T0708", MM, a, b, c, np.array([3]))
    assert "const BM is 'x', which is not a number" in fails("T0712", MM, a, b, c, 1, BM="x")


def test_auto_leaves_a_constant_to_the_planner():
    a, b, c = numpy_arguments()
    assert call(MM, a, b, c, 1, BM=auto).constants == {}
    message = fails("T0712", LINE, np.zeros(4, np.float32), BLOCK=auto)
    assert "const BLOCK is auto, but it is not declared so" in message
    assert "declare 'BLOCK: const = auto', or give it a number" in message


def test_devices():
    _, b, c = numpy_arguments()
    on_gpu = FakeArray((4, 6))
    message = fails("T0709", MM, on_gpu, b, c, 1)
    assert "A is in cuda, but B is in host memory" in message
    devices = iter([0, 1, 0])
    gpu = [FakeArray((4, 6)), FakeArray((6, 5)), FakeArray((4, 8))]
    message = fails("T0709", MM, *gpu, 1, locate=lambda _: next(devices))
    assert "A is in cuda:0, but B is in cuda:1" in message
    assert call(MM, *gpu, 1, locate=lambda _: 1).device == 1
    empty = FakeArray((0, 6), pointer=0), gpu[1], FakeArray((0, 8), pointer=0)
    assert call(MM, *empty, 1, locate=lambda pointer: 2 if pointer else None).device == 2


def test_an_extent_beyond_i32():
    array = FakeArray((2**31, 1))
    assert "A.shape[0] is 2147483648" in fails(
        "T0711", MM, array, FakeArray((1, 5)), FakeArray((2**31, 8)), 1
    )


GENERIC = Interface(
    "g",
    (
        Parameter("A", ARRAY, "T", ("N",)),
        Parameter("B", ARRAY, "T", ("N",)),
        Parameter("s", SCALAR, "T"),
        Parameter("T", DTYPE, default=OPTIONAL),
        Parameter("U", DTYPE, default="f32"),
    ),
)


def test_element_types_bind_from_the_arrays():
    a = np.zeros(4, np.float16)
    bound = call(GENERIC, a, a, 1.5)
    assert bound.dtypes == {"T": "f16", "U": "f32"}
    assert bound.scalar_dtypes == {"s": "f16"}
    assert call(GENERIC, a, a, 1.5, U=np.dtype("int8")).dtypes["U"] == "i8"
    assert call(GENERIC, a, a, 1.5, U=np.float64).dtypes["U"] == "f64"
    message = fails("T0703", GENERIC, a, a.astype(np.float32), 1.5)
    assert "A and B both have type T, but A is f16 and B is f32" in message
    assert "A has element type f16, but T[N] needs bf16" in fails(
        "T0703", GENERIC, a, a, 1.5, T="bf16"
    )
    assert "no element type" in fails("T0703", GENERIC, a, a, 1.5, U="complex64")
    assert "too large for f16" in fails("T0708", GENERIC, a, a, 1e6)


def test_a_type_that_nothing_binds():
    interface = Interface("k", (Parameter("T", DTYPE, default=OPTIONAL),))
    assert "no array has type T" in fails("T0701", interface)


def test_interface_of_a_package():
    metadata = {
        "name": "mm",
        "arrays": [{"name": "A", "dtype": "bf16", "rank": 2, "strides": [-1, 1], "alignment": 16}],
        "params": [
            {"kind": "pointer", "array": "A"},
            {"kind": "stride", "array": "A", "axis": 0},
            {"kind": "scalar", "name": "alpha", "dtype": "f32"},
            {"kind": "dim", "name": "M", "array": "A", "axis": 0},
        ],
        "dims": {"M": [["A", 0]]},
        "static_shape": {"A": [-1, 64]},
        "grid": ["cdiv(M, 64)"],
        "constants": {"BM": 64},
    }
    interface = interface_from_metadata(metadata)
    assert [item.declaration for item in interface.parameters] == ["bf16[M, 64]", "f32"]
    assert interface.has_grid
    assert bind_call(interface, (1, 2), {"BM": 64}) == {"A": 1, "alpha": 2}
    with pytest.raises(LaunchError, match="BM = 64 is compiled in"):
        bind_call(interface, (1, 2), {"BM": 32})
