"""Reading arrays through every protocol."""

import ctypes
import sys
import types
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.support.runtime_fakes import FakeArray
from tilec.runtime.args import dlpack
from tilec.runtime.args.arrays import FOREIGN_DTYPES, is_array, view_array
from tilec.runtime.launch.streams import launch_stream, stream_handle
from tilec.support.diagnostics import LaunchError


class DLPackArray:
    """A producer of hand-made capsules, so that any device and type can be claimed."""

    def __init__(self, tensor, device=(2, 0), versioned=True, flags=0, takes_version=True):
        self.tensor, self.device, self.versioned, self.flags = tensor, device, versioned, flags
        self.takes_version = takes_version
        self.streams = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **options):
        if options and not self.takes_version:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.streams.append(stream)
        if self.versioned:
            self.managed = dlpack._VersionedTensor(1, 1, None, None, self.flags, self.tensor)
        else:
            self.managed = dlpack._ManagedTensor(self.tensor, None, None)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return make(ctypes.addressof(self.managed), name, None)


def tensor(code=2, bits=32, shape=(4, 3), strides=None, device=(2, 0), offset=0, lanes=1):
    extents = (ctypes.c_int64 * len(shape))(*shape)
    steps = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
    return dlpack._Tensor(
        1 << 20, dlpack._Device(*device), len(shape), (code, bits, lanes), extents, steps, offset
    )


def test_dlpack_at_an_address_that_its_elements_cannot_have():
    with pytest.raises(LaunchError, match="A begins at 0x100002, which is no multiple"):
        view_array(DLPackArray(tensor(offset=2)), "A")
    assert (
        view_array(DLPackArray(tensor(device=(1, 0), offset=2), (1, 0)), "A").device_kind == "cpu"
    )


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack(versioned):
    array = DLPackArray(tensor(strides=(1, 4), offset=64), versioned=versioned)
    view = view_array(array, "A", stream=9)
    assert (view.pointer, view.shape, view.strides) == ((1 << 20) + 64, (4, 3), (1, 4))
    assert (view.dtype, view.device_kind, view.device, view.place) == ("f32", "cuda", 0, "cuda:0")
    assert array.streams == [9]


def test_dlpack_without_strides_is_row_major():
    assert view_array(DLPackArray(tensor(shape=(2, 3, 4))), "A").strides == (12, 4, 1)


@pytest.mark.parametrize(
    ("code", "bits", "name"),
    [
        (0, 8, "i8"),
        (1, 64, "u64"),
        (2, 16, "f16"),
        (4, 16, "bf16"),
        (6, 8, "bool"),
        (10, 8, "f8e4m3"),
        (12, 8, "f8e5m2"),
        (5, 64, "DLPack type code 5 of 64 bits x 1"),
    ],
)
def test_dlpack_types(code, bits, name):
    assert view_array(DLPackArray(tensor(code, bits)), "A").dtype == name


def test_dlpack_devices():
    managed = view_array(DLPackArray(tensor(device=(13, 1)), device=(13, 1)), "A")
    assert (managed.device_kind, managed.device) == ("cuda", 1)
    cpu = DLPackArray(tensor(device=(1, 0)), device=(1, 0))
    assert view_array(cpu, "A").device_kind == "cpu"
    assert cpu.streams == [None]
    metal = view_array(DLPackArray(tensor(device=(8, 0)), device=(8, 0)), "A")
    assert metal.place == "'DLPack device type 8' memory"


def test_dlpack_of_an_old_producer():
    array = DLPackArray(tensor(), versioned=False, takes_version=False)
    assert view_array(array, "A").shape == (4, 3)
    assert view_array(DLPackArray(tensor(), flags=1), "A").read_only


def test_dlpack_failures_are_explained():
    class Broken(DLPackArray):
        def __dlpack__(self, **_):
            raise BufferError("sparse arrays have no layout")

    with pytest.raises(LaunchError, match="A cannot be exported through DLPack: sparse"):
        view_array(Broken(tensor()), "A")


def test_cuda_array_interface():
    view = view_array(FakeArray((4, 6), "<f2", strides=(2, 8), stream=7), "A")
    assert (view.dtype, view.strides, view.producer_stream) == ("f16", (1, 4), 7)
    assert view_array(FakeArray((4, 6)), "A").strides == (6, 1)
    assert view_array(FakeArray((4, 6), stream=1), "A").producer_stream == 0
    assert view_array(FakeArray((4,), "|b1"), "A").dtype == "bool"


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (FakeArray((4,), "<V2"), "the element type '<V2'"),
        (FakeArray((4,), ">f4"), "the element type '>f4'"),
        (FakeArray((4,), strides=(6,)), "no multiples of its elements"),
        (FakeArray((4,), pointer=(1 << 20) + 2), "A begins at 0x100002, which is no multiple"),
        (FakeArray((4,), extra={"mask": object()}), "masked"),
        (FakeArray((4,), extra={"data": None}), "breaks its protocol"),
        (FakeArray((4,), pointer=-8), "breaks its protocol"),
        (FakeArray((4,), pointer=1 << 64), "breaks its protocol"),
        (FakeArray((-4,)), "breaks its protocol"),
        (FakeArray((4.0,)), "breaks its protocol"),
        (FakeArray((4, 4), strides=(16,)), "breaks its protocol"),
        (FakeArray((4,), extra={"typestr": None}), "breaks its protocol"),
        (FakeArray((4,), extra={"typestr": ""}), "breaks its protocol"),
    ],
)
def test_cuda_arrays_that_cannot_be_used(array, text):
    with pytest.raises(LaunchError) as caught:
        view_array(array, "A")
    assert text in str(caught.value)


def test_numpy():
    base = np.zeros((6, 8), ml_dtypes.bfloat16)
    view = view_array(base[::-1, ::2], "A")
    assert (view.dtype, view.shape, view.strides) == ("bf16", (6, 4), (-8, 2))
    assert view.pointer == base.ctypes.data + 5 * 16
    assert (view.device_kind, view.place) == ("cpu", "host memory")
    assert view_array(np.broadcast_to(np.float32(1), (3,)), "A").read_only
    fields = np.zeros(4, [("x", "<f4"), ("y", "i1")])["x"]
    with pytest.raises(LaunchError, match="strides of"):
        view_array(fields, "A")


def test_masked_arrays_of_numpy_are_refused():
    masked = np.ma.array(np.zeros(4, np.float32), mask=[True, False, False, False])
    with pytest.raises(LaunchError, match="k: A is a masked array") as caught:
        view_array(masked, "k: A")
    assert caught.value.diagnostics[0].hint == "pass A.filled(value), and copy results back"


def test_every_numpy_type_of_the_language():
    for foreign, name in FOREIGN_DTYPES.items():
        dtype = getattr(ml_dtypes, foreign, None) or foreign
        assert view_array(np.zeros(2, dtype), "A").dtype == name


@pytest.mark.parametrize("value", [3, None, [1, 2], "text", np.float32(1), object()])
def test_everything_else_is_no_array(value):
    assert not is_array(value)
    with pytest.raises(LaunchError, match="A must be an array"):
        view_array(value, "A")


class Tensor:
    """As much of a torch tensor as is read."""

    def __init__(self, shape=(4, 6), stride=(6, 1), dtype="torch.bfloat16", device=("cuda", 1)):
        self.shape, self._stride, self.dtype = shape, stride, dtype
        self.device = types.SimpleNamespace(type=device[0], index=device[1])
        self.layout, self.lazy = "torch.strided", False

    def stride(self):
        return self._stride

    def data_ptr(self):
        return 1 << 20

    def is_conj(self):
        return False

    def is_neg(self):
        return self.lazy


@pytest.fixture
def torch(monkeypatch):
    module: Any = types.ModuleType("torch")
    module.Tensor = Tensor
    module.cuda = types.SimpleNamespace(
        current_stream=lambda device: types.SimpleNamespace(cuda_stream=100 + device)
    )
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setattr(Tensor, "__module__", "torch")
    return module


def test_torch(torch):
    view = view_array(Tensor(), "A")
    assert (view.pointer, view.shape, view.strides) == (1 << 20, (4, 6), (6, 1))
    assert (view.dtype, view.place, view.library) == ("bf16", "cuda:1", "torch")
    assert view_array(Tensor(dtype="torch.complex64"), "A").dtype == "complex64"
    assert view_array(Tensor(device=("cpu", None)), "A").place == "host memory"


def test_torch_tensors_without_plain_memory(torch):
    sparse = Tensor()
    sparse.layout = "torch.sparse_coo"
    with pytest.raises(LaunchError, match=r"layout torch\.sparse_coo"):
        view_array(sparse, "A")
    negated = Tensor()
    negated.lazy = True
    with pytest.raises(LaunchError, match=r"pass A.resolve_conj\(\)"):
        view_array(negated, "k: A")


def test_torch_tensors_that_stand_for_others(torch, monkeypatch):
    class FakeTensor(Tensor):
        def data_ptr(self):
            raise AssertionError("torch warns where the address of such a tensor is read")

    class Traced(Tensor):
        def data_ptr(self):
            raise RuntimeError("no storage")

    module: Any = types.ModuleType("torch._subclasses.fake_tensor")
    module.FakeTensor = FakeTensor
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for value, found in ((FakeTensor(), "FakeTensor"), (Traced(), "no storage")):
        with pytest.raises(LaunchError, match=rf"without memory \({found}\)(.|\n)*custom_op"):
            view_array(value, "A")
    assert view_array(Tensor(), "A").pointer == 1 << 20


def test_launch_stream(torch):
    cupy: Any = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=33))
    assert launch_stream([3, Tensor()]) == 101
    assert launch_stream([FakeArray((1,))]) == 0
    assert launch_stream([]) == 0
    fake = type("ndarray", (FakeArray,), {"__module__": "cupy"})((1,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", cupy)
        assert launch_stream([fake]) == 33
        assert launch_stream([fake, Tensor()]) == 101


def test_stream_handles():
    class Protocol:
        def __cuda_stream__(self):
            return 0, 44

    assert stream_handle(5) == 5
    assert stream_handle(None) == 0
    assert stream_handle(types.SimpleNamespace(cuda_stream=6)) == 6
    assert stream_handle(types.SimpleNamespace(ptr=7)) == 7
    assert stream_handle(Protocol()) == 44
    for wrong in ("default", 1.5, -1, True):
        with pytest.raises(LaunchError, match="is no CUDA stream"):
            stream_handle(wrong)
