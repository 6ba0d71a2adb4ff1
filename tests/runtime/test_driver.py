"""The driver layer on a stand-in for `cuda.bindings.driver`: calls, contexts, errors."""

import ctypes
import functools
import importlib

import pytest

from tests.support.cuda_api_fake import Api, bindings
from tests.support.kernel_metadata import RECIPE
from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.compiled import check_capability
from tilec.runtime.cuda import current as driver_module
from tilec.runtime.cuda.api import LaunchShape, PreparedLaunch
from tilec.runtime.cuda.cuda_driver import CudaDriver
from tilec.runtime.cuda.current import get_driver, has_gpu, set_driver
from tilec.runtime.launch.tensor_map import make_encoding
from tilec.support.diagnostics import DeviceError


@pytest.fixture
def api():
    return Api()


def fails(code, action):
    with pytest.raises(DeviceError) as caught:
        action()
    assert caught.value.diagnostics[0].code == code
    return str(caught.value)


def test_initialisation(api):
    driver = CudaDriver(api)
    assert driver.device_count() == 1
    info = driver.device(0)
    assert (info.name, info.compute_capability, info.sm_count) == ("Stand-in", 90, 132)
    assert info.shared_memory_bytes == 232448
    assert info.memory_rate == pytest.approx(4.9e12, rel=0.01)
    assert info.gpu == "H200"


def test_the_rate_of_the_memory_tells_gpus_apart(api):
    """2619 MHz are those of an H100; its bus has 5120 bits, that of the stand-in 6144."""
    api.memory_clock = 2619000 * 5120 // 6144
    assert CudaDriver(api).device(0).gpu == "H100"
    api.memory_clock = 0  # a driver that does not say
    assert CudaDriver(api).device(0).gpu == "H200"


def test_no_driver(api):
    def missing(_):
        raise RuntimeError("libcuda.so.1 cannot be loaded\nsearched in vain")

    api.cuInit = missing
    message = fails("T0801", lambda: CudaDriver(api))
    assert "no NVIDIA driver found: libcuda.so.1 cannot be loaded" in message
    assert "--device cpu" in message


def test_no_bindings(monkeypatch):
    def absent(name, *_):
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(importlib, "import_module", absent)
    assert "no NVIDIA driver found" in fails("T0801", CudaDriver)


def test_old_driver(api):
    api.version = 11080
    message = fails("T0802", lambda: CudaDriver(api))
    assert "supports CUDA 11.8 only; kernels need CUDA 12.0" in message
    # An old driver may also fail to initialise; its age is the better explanation.
    api.results["cuInit"] = bindings.CUresult.CUDA_ERROR_UNKNOWN
    assert "11.8" in fails("T0802", lambda: CudaDriver(api))


def test_driver_without_a_needed_function(api):
    driver = CudaDriver(api)

    def missing(*_):
        raise RuntimeError('Function "cuLaunchKernelEx" not found')

    api.cuMemAlloc = missing
    assert "has no function 'cuMemAlloc'" in fails("T0802", lambda: driver.allocate(0, 8))
    api.results["cuGetProcAddress"] = bindings.CUresult.CUDA_ERROR_NOT_FOUND
    assert "cuTensorMapEncodeTiled" in fails("T0802", lambda: driver.tensor_map_encoder(ENCODING))


def test_no_gpu(api):
    api.devices = 0
    assert "sees no GPU" in fails("T0803", lambda: CudaDriver(api))
    api.results["cuInit"] = bindings.CUresult.CUDA_ERROR_NO_DEVICE
    message = fails("T0803", lambda: CudaDriver(api))
    assert "cuInit failed with CUDA_ERROR_NO_DEVICE (what the driver says)" in message
    assert "CUDA_VISIBLE_DEVICES" in message


def test_wrong_compute_capability(api):
    api.capability = (8, 9)
    message = fails("T0804", lambda: check_capability(CudaDriver(api), 0, "sm_90a"))
    assert "sm_90a needs compute capability 9.0, but device 0 is Stand-in with 8.9" in message


def test_load_cubin(api):
    kernel = CudaDriver(api).load(0, "mm", b"cubin", "ptx", 65536)
    assert (kernel.function, kernel.from_ptx) == ("function", False)
    attribute = dict(api.calls)["cuFuncSetAttribute"]
    assert attribute[1].name == "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
    assert attribute[2] == 65536
    assert api.names()[-1] == "cuCtxPopCurrent"


def test_an_older_driver_compiles_the_ptx(api):
    api.results["cuModuleLoadData"] = bindings.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU
    kernel = CudaDriver(api).load(0, "mm", b"cubin", "ptx", 0)
    assert (kernel.module, kernel.from_ptx) == ("jit module", True)
    assert dict(api.calls)["cuModuleLoadDataEx"][0] == b"ptx\0"


def test_the_log_of_the_driver_compiler_is_shown(api):
    api.log = b"ptxas application ptx input, line 7; error: unknown instruction"
    api.results["cuModuleLoadDataEx"] = bindings.CUresult.CUDA_ERROR_INVALID_PTX
    message = fails("T0806", lambda: CudaDriver(api).load(0, "mm", b"", "ptx", 0))
    assert "line 7; error: unknown instruction" in message


def test_load_failures(api):
    api.results["cuModuleLoadData"] = bindings.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    assert "too little free memory" in fails(
        "T0807", lambda: CudaDriver(api).load(0, "mm", b"cubin", "ptx", 0)
    )
    api.results = {"cuModuleGetFunction": bindings.CUresult.CUDA_ERROR_NOT_FOUND}
    message = fails("T0806", lambda: CudaDriver(api).load(0, "mm", b"cubin", "ptx", 0))
    assert "(what the driver says): mm" in message
    assert api.names()[-1] == "cuCtxPopCurrent"


def prepared(driver, **shape):
    kernel = driver.load(0, "mm", b"cubin", "", 0)
    return PreparedLaunch(kernel, LaunchShape(**{"blocks": 77, "threads": 384, **shape}))


def test_launch(api):
    driver = CudaDriver(api)
    launch = prepared(driver, cluster=(2, 1, 1), shared_bytes=1024)
    for _ in range(2):
        driver.launch(launch, 5, 1234)
    configuration, function, parameters, extra = dict(api.calls)["cuLaunchKernelEx"]
    assert (configuration.gridDimX, configuration.gridDimY, configuration.gridDimZ) == (77, 1, 1)
    assert (configuration.blockDimX, configuration.sharedMemBytes) == (384, 1024)
    assert int(configuration.hStream) == 5
    (attribute,) = configuration.attrs
    assert attribute.id.name == "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"
    cluster = attribute.value.clusterDim
    assert (cluster.x, cluster.y, cluster.z) == (2, 1, 1)
    assert (function, parameters, extra) == ("function", 1234, 0)
    assert list(launch.configurations) == [5]


def test_clusters_that_are_not_portable_are_allowed_once_for_a_kernel(api):
    driver = CudaDriver(api)
    launch = prepared(driver, cluster=(16, 1, 1))
    for stream in (5, 6):
        driver.launch(launch, stream, 1234)
    name = "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED"
    calls = [given for call, given in api.calls if call == "cuFuncSetAttribute"]
    assert [value for _, attribute, value in calls if attribute.name == name] == [1]


def test_a_dependent_launch_may_overlap_the_kernel_before(api):
    driver = CudaDriver(api)
    driver.launch(prepared(driver, dependent=True), 0, 0)
    (attribute,) = dict(api.calls)["cuLaunchKernelEx"][0].attrs
    assert attribute.id.name == "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION"
    assert attribute.value.programmaticStreamSerializationAllowed == 1


def test_a_dependent_launch_in_clusters_has_both_attributes(api):
    driver = CudaDriver(api)
    driver.launch(prepared(driver, cluster=(2, 1, 1), dependent=True), 0, 0)
    configuration = dict(api.calls)["cuLaunchKernelEx"][0]
    assert configuration.numAttrs == len({item.id for item in configuration.attrs}) == 2


def test_a_cooperative_launch_may_overlap_the_kernel_before_too(api):
    driver = CudaDriver(api)
    driver.launch(prepared(driver, dependent=True, cooperative=True), 0, 0)
    _, attribute = dict(api.calls)["cuLaunchKernelEx"][0].attrs
    assert attribute.id.name == "CU_LAUNCH_ATTRIBUTE_COOPERATIVE"
    assert attribute.value.cooperative == 1


@pytest.mark.parametrize("count", [30, 0])
def test_active_clusters(api, count):
    driver = CudaDriver(api)
    launch = prepared(driver, cluster=(4, 1, 1))
    api.on_cu_occupancy_max_active_clusters = lambda *_: (count,)
    ask = functools.partial(driver.active_clusters, launch.kernel, launch.shape)
    assert ask() == 30 if count else "mm with clusters of (4, 1, 1)" in fails("T0809", ask)


def test_launch_without_cluster_has_no_attributes(api):
    driver = CudaDriver(api)
    driver.launch(prepared(driver), 0, 0)
    assert dict(api.calls)["cuLaunchKernelEx"][0].numAttrs == 0


def test_configurations_of_many_streams_are_bounded(api):
    driver = CudaDriver(api)
    launch = prepared(driver)
    for stream in range(100):
        driver.launch(launch, stream, 0)
    assert len(launch.configurations) <= 16


def test_the_context_is_borrowed_only_when_another_one_is_current(api):
    driver = CudaDriver(api)
    launch = prepared(driver)
    api.calls.clear()
    driver.launch(launch, 0, 0)
    assert [n for n in api.names() if "Ctx" in n] == [
        "cuCtxGetCurrent",
        "cuCtxPushCurrent",
        "cuCtxPopCurrent",
    ]
    api.current = bindings.CUcontext(0x1000)
    api.calls.clear()
    driver.launch(launch, 0, 0)
    assert [n for n in api.names() if "Ctx" in n] == ["cuCtxGetCurrent"]


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        ("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "T0809", "77 blocks of 384 threads"),
        ("CUDA_ERROR_INVALID_CLUSTER_SIZE", "T0809", "cluster"),
        ("CUDA_ERROR_NOT_INITIALIZED", "T0812", "CUDA does not survive a fork"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", "T0808", "not necessarily this one"),
        ("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "T0810", "once before the capture"),
        ("CUDA_ERROR_INVALID_VALUE", "T0805", "another context"),
        ("CUDA_ERROR_UNKNOWN", "T0805", "driver API reference"),
    ],
)
def test_launch_failures(api, name, code, text):
    driver = CudaDriver(api)
    launch = prepared(driver)
    api.results["cuLaunchKernelEx"] = getattr(bindings.CUresult, name)
    message = fails(code, lambda: driver.launch(launch, 0, 0))
    assert f"cuLaunchKernelEx failed with {name} (what the driver says)" in message
    assert text in message
    assert api.names()[-2] == "cuCtxPopCurrent"


def test_faults_surface_when_waiting(api):
    driver = CudaDriver(api)
    api.results["cuCtxSynchronize"] = bindings.CUresult.CUDA_ERROR_LAUNCH_FAILED
    assert "compute-sanitizer" in fails("T0808", lambda: driver.synchronize(0))


VIEW = ArrayView(1 << 20, (512, 256), (256, 1), "bf16", "cuda", 0, "torch")
ENCODING = make_encoding({**RECIPE, "l2_promotion": 256}, VIEW)


def test_tensor_maps(api):
    write = CudaDriver(api).tensor_map_encoder(ENCODING)
    memory = ctypes.create_string_buffer(256)
    write(ctypes.addressof(memory), 1 << 21)
    dtype, address, dims, strides, box, modes = api.encoded[0]
    assert (dtype, address, dims, strides, box) == (9, 1 << 21, [256, 512], [512], [64, 128])
    assert modes == (0, 3, 3, 0)


def test_a_tensor_map_that_the_driver_rejects_is_printed(api):
    api.encode_status = 1
    write = CudaDriver(api).tensor_map_encoder(ENCODING)
    message = fails("T0805", lambda: write(0, 1 << 20))
    assert "cuTensorMapEncodeTiled failed with CUDA_ERROR_INVALID_VALUE" in message
    assert "box=(64, 128)" in message


def test_memory(api):
    driver = CudaDriver(api)
    assert driver.allocate(0, 0) == 4096
    driver.upload(0, 4096, 99, 8)
    driver.download(0, 99, 4096, 8)
    driver.fill(0, 4096, 255, 8, 5)
    driver.free(0, 4096)
    driver.order_streams(0, 5, 6)
    calls = dict(api.calls)
    assert calls["cuMemAlloc"] == (1,)
    assert calls["cuMemcpyHtoD"] == (4096, 99, 8)
    assert calls["cuMemcpyDtoH"] == (99, 4096, 8)
    assert calls["cuMemsetD8Async"] == (4096, 255, 8, 5)
    assert calls["cuEventRecord"] == ("event", 5)
    assert calls["cuStreamWaitEvent"] == (6, "event", 0)
    assert "cuEventDestroy" in calls
    assert driver.pointer_device(4096) == 3
    api.results["cuPointerGetAttribute"] = bindings.CUresult.CUDA_ERROR_INVALID_VALUE
    assert driver.pointer_device(4096) is None


def test_memory_is_cleared_at_once_and_in_no_stream_of_the_caller(api):
    """A captured stream would note the clearing down, and an allocation would end its capture."""
    driver = CudaDriver(api)
    driver.allocate(0, 64)
    driver.clear(0, 4096, 64)
    calls = dict(api.calls)
    assert calls["cuMemsetD8Async"] == (4096, 0, 64, "stream")
    assert calls["cuStreamSynchronize"] == calls["cuStreamDestroy"] == ("stream",)
    names = [name for name in api.names() if not name.startswith(("cuCtx", "cuDevice", "cuInit"))]
    exchange = "cuThreadExchangeStreamCaptureMode"
    inside = ["cuStreamCreate", "cuMemsetD8Async", "cuStreamSynchronize", "cuStreamDestroy"]
    work = [exchange, "cuMemAlloc", exchange, exchange, *inside, exchange]
    assert [name for name in names if name in work] == work
    assert api.capture_mode == "thread's own"


def test_which_capture_a_stream_takes_part_in(api):
    driver = CudaDriver(api)
    assert driver.capture_id(0, 5) == 0
    api.captured = 5
    assert driver.capture_id(0, 5) == 17
    api.calls.clear()
    assert driver.capture_id(0, 0) == 0  # the default stream: CUDA refuses the question
    assert "cuStreamGetCaptureInfo" not in api.names()


def test_the_driver_of_the_process(api, monkeypatch):
    previous = set_driver(None)
    try:
        monkeypatch.setattr("tilec.runtime.cuda.cuda_driver._import_api", lambda: api)
        assert get_driver() is get_driver()
        assert has_gpu()
        set_driver(None)
        api.devices = 0
        assert not has_gpu()
        assert driver_module._driver is None
    finally:
        set_driver(previous)
