"""The NVIDIA driver with the `Driver` interface, through `cuda.bindings.driver`."""

import ctypes
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tilec.runtime.cuda.api import (
    DeviceInfo,
    LaunchShape,
    LoadedKernel,
    NativeLaunch,
    PreparedLaunch,
    TensorMapEncoder,
)
from tilec.runtime.cuda.driver_errors import (
    MINIMUM_CUDA,
    driver_error,
    missing_function,
    no_device,
    no_driver,
    old_driver,
)
from tilec.runtime.cuda.launch_configuration import launch_configuration
from tilec.runtime.launch.tensor_map import DATA_TYPES, L2_PROMOTIONS, SWIZZLES, TensorMapEncoding

_LOG_BYTES = 16384
_MAX_CONFIGURATIONS = 16
"""Streams per kernel whose launch configuration is kept."""
_INVALID_CONTEXT = 201
"""CUDA_ERROR_INVALID_CONTEXT (cuda.h, CUresult)."""
_LEGACY_STREAMS = (0, 1)
"""The default stream, which cannot be captured (cuda.h, CU_STREAM_LEGACY)."""
_TRANSFERS_PER_CLOCK = 2
"""HBM moves data at both edges of its clock, which the driver gives in kHz (CUDA driver API,
CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE; the width of the bus is in bits)."""
_NO_INTERLEAVE = _FILL_WITH_ZEROS = 0
"""`CUtensorMapInterleave` and `CUtensorMapFloatOOBfill`, the only values that tilec uses."""
_RETRY_WITH_PTX = (
    "CUDA_ERROR_NO_BINARY_FOR_GPU",
    "CUDA_ERROR_INVALID_IMAGE",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    "CUDA_ERROR_INVALID_SOURCE",
)
"""Errors of a cubin from a newer toolkit than the driver; its JIT compiler may take the PTX."""


class CudaDriver:
    """The NVIDIA driver. It uses the primary context of each device.

    torch, CuPy and the CUDA runtime use that context too. It is made current for the length of
    a call only, so a thread keeps the context that it had.
    """

    def __init__(self, api: Any = None) -> None:
        """Initialise the driver.

        Args:
            api: Module to call instead of `cuda.bindings.driver`.

        Raises:
            DeviceError: There is no driver, it is too old, or it sees no GPU.
        """
        self._api: Any = _import_api() if api is None else api
        try:
            result = self._api.cuInit(0)
        except (RuntimeError, OSError) as failure:
            raise no_driver(str(failure).splitlines()[0]) from failure
        # The version comes first: an old driver may fail to initialise for any reason.
        version = self._call("cuDriverGetVersion")
        if version < MINIMUM_CUDA:
            raise old_driver(version)
        self._check("cuInit", result[0])
        self.cuda_version: int = version
        self._count: int = self._call("cuDeviceGetCount")
        if self._count == 0:
            raise no_device()
        self._contexts: dict[int, Any] = {}
        self._encode: Callable[..., int] | None = None

    def device_count(self) -> int:
        """Return the number of GPUs."""
        return self._count

    def device(self, ordinal: int) -> DeviceInfo:
        """Return the properties of one GPU."""
        handle = self._call("cuDeviceGet", ordinal)
        attribute = self._api.CUdevice_attribute
        prefix = "CU_DEVICE_ATTRIBUTE_"

        def read(name: str) -> int:
            return self._call("cuDeviceGetAttribute", getattr(attribute, prefix + name), handle)

        name = self._call("cuDeviceGetName", 256, handle)
        transfers = _TRANSFERS_PER_CLOCK * 1000 * read("MEMORY_CLOCK_RATE")
        return DeviceInfo(
            ordinal,
            name.split(b"\0")[0].decode(),
            10 * read("COMPUTE_CAPABILITY_MAJOR") + read("COMPUTE_CAPABILITY_MINOR"),
            read("MULTIPROCESSOR_COUNT"),
            read("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            transfers * read("GLOBAL_MEMORY_BUS_WIDTH") / 8,
        )

    def load(
        self, device: int, name: str, cubin: bytes, ptx: str, shared_bytes: int
    ) -> LoadedKernel:
        """Load a kernel: the cubin, or the PTX when the driver is older than the cubin."""
        with self._current(device):
            module, from_ptx = self._load_module(cubin, ptx)
            function = self._call("cuModuleGetFunction", module, name.encode(), detail=name)
            attribute = self._api.CUfunction_attribute
            # Clusters of more than 8 CTAs need it (CUDA programming guide, thread block clusters).
            field = attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            self._call("cuFuncSetAttribute", function, field, 1, detail=name)
            if shared_bytes:
                field = attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                detail = f"{name} needs {shared_bytes} bytes of shared memory"
                self._call("cuFuncSetAttribute", function, field, shared_bytes, detail=detail)
        return LoadedKernel(name, device, function, module, from_ptx)

    def launch(self, prepared: PreparedLaunch, stream: int, parameters: int) -> None:
        """Launch on a raw stream handle."""
        kernel = prepared.kernel
        configuration = prepared.configurations.get(stream)
        if configuration is None:
            configuration = self._configure(prepared, stream)
        pushed = self._enter(kernel.device)
        try:
            (result,) = self._api.cuLaunchKernelEx(configuration, kernel.function, parameters, 0)
        finally:
            if pushed:
                self._api.cuCtxPopCurrent()
        if result.value:
            shape = prepared.shape
            self._check(
                "cuLaunchKernelEx",
                result,
                f"{kernel.name} with {shape.blocks} blocks of {shape.threads} threads, "
                f"{shape.shared_bytes} bytes of shared memory, cluster {shape.cluster}",
            )

    def native_functions(self) -> tuple[int, int] | None:
        """Return the addresses of `cuLaunchKernelEx` and `cuCtxGetCurrent`; None if unknown."""
        launch, current = map(self._address, ("cuLaunchKernelEx", "cuCtxGetCurrent"))
        return (launch, current) if launch and current else None

    def native_launch(self, prepared: PreparedLaunch, stream: int) -> NativeLaunch:
        """Return the handles of a launch on a raw stream handle, which was launched before."""
        kernel, configuration = prepared.kernel, prepared.configurations.get(stream)
        if configuration is None:
            configuration = self._configure(prepared, stream)
        context = int(self._contexts[kernel.device])
        address = int(configuration.getPtr())
        return NativeLaunch(context, int(kernel.function), address, (configuration, kernel.module))

    def tensor_map_encoder(self, encoding: TensorMapEncoding) -> TensorMapEncoder:
        """Return a function that writes this tensor map for any address of the array.

        The driver is called by address: the Python binding would return the map in an object
        that is aligned to 16 bytes only, and a CUtensorMap needs 64.
        """
        if self._encode is None:
            self._encode = self._find_encode()
        encode, rank = self._encode, encoding.rank
        dtype = DATA_TYPES[encoding.dtype]
        rest = (
            (ctypes.c_uint64 * rank)(*encoding.extents),
            (ctypes.c_uint64 * max(1, rank - 1))(*encoding.strides),
            (ctypes.c_uint32 * rank)(*encoding.box),
            (ctypes.c_uint32 * rank)(*encoding.element_strides),
            _NO_INTERLEAVE,
            SWIZZLES[encoding.swizzle],
            L2_PROMOTIONS[encoding.l2_promotion],
            _FILL_WITH_ZEROS,
        )

        def write(destination: int, address: int) -> None:
            status = encode(destination, dtype, rank, address, *rest)
            if status == _INVALID_CONTEXT and self._contexts:
                # A map holds nothing of a device, but the driver wants some context to be current;
                # a thread that never used CUDA has none.
                with self._current(next(iter(self._contexts))):
                    status = encode(destination, dtype, rank, address, *rest)
            if status:
                self._check(
                    "cuTensorMapEncodeTiled",
                    self._api.CUresult(status),
                    f"address {address:#x}, {encoding}",
                )

        return write

    def pointer_device(self, pointer: int) -> int | None:
        """Return the device that owns `pointer`, or None for memory that CUDA does not know."""
        attribute = self._api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        result, ordinal = self._api.cuPointerGetAttribute(attribute, pointer)
        return None if result.value else int(ordinal)

    def order_streams(self, device: int, first: int, then: int) -> None:
        """Make later work of stream `then` wait for the present work of stream `first`."""
        with self._current(device):
            flags = self._api.CUevent_flags.CU_EVENT_DISABLE_TIMING
            event = self._call("cuEventCreate", int(flags))
            try:
                self._call("cuEventRecord", event, first)
                self._call("cuStreamWaitEvent", then, event, 0)
            finally:
                self._call("cuEventDestroy", event)

    def allocate(self, device: int, size: int) -> int:
        """Return the address of `size` bytes of device memory, at least one."""
        with self._current(device), self._relaxed_capture():
            return int(self._call("cuMemAlloc", max(size, 1), detail=f"{size} bytes"))

    def free(self, device: int, pointer: int) -> None:
        """Release memory from `allocate`."""
        with self._current(device):
            self._call("cuMemFree", pointer)

    def upload(self, device: int, pointer: int, source: int, size: int) -> None:
        """Copy `size` bytes from host address `source` to the device."""
        with self._current(device):
            self._call("cuMemcpyHtoD", pointer, source, size)

    def download(self, device: int, destination: int, pointer: int, size: int) -> None:
        """Copy `size` bytes from the device to host address `destination`."""
        with self._current(device):
            self._call("cuMemcpyDtoH", destination, pointer, size)

    def copy(self, device: int, destination: int, source: int, size: int) -> None:
        """Copy `size` bytes within the memory of the device."""
        with self._current(device):
            self._call("cuMemcpyDtoD", destination, source, size)

    def fill(self, device: int, pointer: int, value: int, size: int, stream: int) -> None:
        """Set `size` bytes to `value`, in stream order."""
        with self._current(device):
            self._call("cuMemsetD8Async", pointer, value, size, stream)

    def clear(self, device: int, pointer: int, size: int) -> None:
        """Set `size` bytes to zero at once.

        On a stream of its own: a captured stream would only note it down for each replay.
        """
        with self._current(device), self._relaxed_capture():
            flags = self._api.CUstream_flags.CU_STREAM_NON_BLOCKING
            stream = self._call("cuStreamCreate", int(flags))
            try:
                self._call("cuMemsetD8Async", pointer, 0, size, stream)
                self._call("cuStreamSynchronize", stream)
            finally:
                self._call("cuStreamDestroy", stream)

    def capture_id(self, device: int, stream: int) -> int:
        """Return the number of the capture that `stream` takes part in; 0 when there is none."""
        if stream in _LEGACY_STREAMS:
            return 0
        with self._current(device):
            result, status, number, *_ = self._api.cuStreamGetCaptureInfo(stream)
        self._check("cuStreamGetCaptureInfo", result)
        active = self._api.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
        return int(number) if status == active else 0

    def synchronize(self, device: int) -> None:
        """Wait until all work on the device is done; faults of kernels surface here."""
        with self._current(device):
            self._call("cuCtxSynchronize")

    def time(self, device: int, stream: int, work: Callable[[], None]) -> float:
        """Return the seconds that a GPU takes for what `work` puts on a stream."""
        with self._current(device):
            first, last = (self._call("cuEventCreate", 0) for _ in range(2))
            try:
                self._call("cuEventRecord", first, stream)
                work()
                self._call("cuEventRecord", last, stream)
                self._call("cuEventSynchronize", last)
                return self._call("cuEventElapsedTime", first, last) / 1000
            finally:
                self._call("cuEventDestroy", first)
                self._call("cuEventDestroy", last)

    def _call(self, function: str, *arguments: Any, detail: str = "") -> Any:
        """Call the driver and return its value (None when it has none)."""
        try:
            result, *values = getattr(self._api, function)(*arguments)
        except (AttributeError, RuntimeError) as failure:
            raise missing_function(function) from failure
        self._check(function, result, detail)
        return values[0] if values else None

    def _check(self, function: str, result: Any, detail: str = "") -> None:
        if not result.value:
            return
        _, text = self._api.cuGetErrorString(result)
        description = text.decode() if text else "no description"
        raise driver_error(function, result.name, description, detail)

    def _enter(self, device: int) -> bool:
        """Make the context of `device` current; True when it must be popped afterwards."""
        context = self._contexts.get(device)
        if context is None:
            handle = self._call("cuDeviceGet", device)
            context = self._call("cuDevicePrimaryCtxRetain", handle)
            self._contexts[device] = context
        _, current = self._api.cuCtxGetCurrent()
        if int(current) == int(context):
            return False
        self._call("cuCtxPushCurrent", context)
        return True

    @contextmanager
    def _current(self, device: int) -> Iterator[None]:
        pushed = self._enter(device)
        try:
            yield
        finally:
            if pushed:
                self._api.cuCtxPopCurrent()

    @contextmanager
    def _relaxed_capture(self) -> Iterator[None]:
        """Allow this thread what a capture elsewhere forbids by default, such as allocations."""
        relaxed = self._api.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        before = self._call("cuThreadExchangeStreamCaptureMode", relaxed)
        try:
            yield
        finally:
            self._call("cuThreadExchangeStreamCaptureMode", before)

    def _load_module(self, cubin: bytes, ptx: str) -> tuple[Any, bool]:
        """Return the module and whether it was made from PTX."""
        if cubin:
            result, module = self._api.cuModuleLoadData(cubin)
            if not result.value:
                return module, False
            if not ptx or result.name not in _RETRY_WITH_PTX:
                self._check("cuModuleLoadData", result)
        option = self._api.CUjit_option
        log = bytearray(_LOG_BYTES)
        result, module = self._api.cuModuleLoadDataEx(
            ptx.encode() + b"\0",
            2,
            [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES],
            [log, _LOG_BYTES],
        )
        message = log.split(b"\0")[0].decode(errors="replace").strip()
        self._check("cuModuleLoadDataEx", result, message)
        return module, True

    def active_clusters(self, kernel: LoadedKernel, shape: LaunchShape) -> int:
        """Ask the driver: the SMs of a GPC that are left over by whole clusters stay idle."""
        configuration = launch_configuration(self._api, shape, 0)
        with self._current(kernel.device):
            result, *found = self._api.cuOccupancyMaxActiveClusters(kernel.function, configuration)
        detail = f"{kernel.name} with clusters of {shape.cluster}"
        self._check("cuOccupancyMaxActiveClusters", result, detail)
        if not found[0]:
            name, text = "CUDA_ERROR_INVALID_CLUSTER_SIZE", "no cluster fits"
            raise driver_error("cuOccupancyMaxActiveClusters", name, text, detail)
        return found[0]

    def _configure(self, prepared: PreparedLaunch, stream: int) -> Any:
        configuration = launch_configuration(self._api, prepared.shape, stream)
        if len(prepared.configurations) >= _MAX_CONFIGURATIONS:
            prepared.configurations.clear()
        prepared.configurations[stream] = configuration
        return configuration

    def _find_encode(self) -> Callable[..., int]:
        name = "cuTensorMapEncodeTiled"
        address = self._address(name)
        if not address:
            raise missing_function(name)
        word, pointer = ctypes.c_uint32, ctypes.c_void_p
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int,
            pointer,
            ctypes.c_int,
            word,
            *([pointer] * 5),
            *([ctypes.c_int] * 4),
        )
        return prototype(address)

    def _address(self, name: str) -> int:
        """Return the address of a function of the driver; 0 when it has none of that name."""
        flags = self._api.CUdriverProcAddress_flags.CU_GET_PROC_ADDRESS_DEFAULT
        result, address, *_ = self._api.cuGetProcAddress(name.encode(), MINIMUM_CUDA, flags)
        return 0 if result.value else int(address or 0)


def _import_api() -> Any:
    try:
        return importlib.import_module("cuda.bindings.driver")
    except (ImportError, RuntimeError, OSError) as failure:
        raise no_driver(str(failure).splitlines()[0]) from failure
