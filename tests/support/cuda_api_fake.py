"""A stand-in for `cuda.bindings.driver`: records calls, answers what tests need."""

import ctypes
import importlib
import re

bindings = importlib.import_module("cuda.bindings.driver")  # compiled, without types
SUCCESS = bindings.CUresult.CUDA_SUCCESS
ENCODE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_uint32,
    *([ctypes.c_void_p] * 5),
    *([ctypes.c_int] * 4),
)


class Api:
    """Enumerations and structures of the real module, functions of this class."""

    def __init__(self):
        self.results = {}
        self.calls = []
        self.version = 13000
        self.devices = 1
        self.capability = (9, 0)
        self.memory_clock = 3201000
        self.current = bindings.CUcontext(0)
        self.encoded = []
        self.encode_status = 0
        self.encode = ENCODE(self._encode)
        self.log = b""
        self.capture_mode = "thread's own"
        self.captured = None

    def __getattr__(self, name):
        if name.startswith("CU"):
            return getattr(bindings, name)
        if not name.startswith("cu"):
            raise AttributeError(name)

        def call(*arguments):
            self.calls.append((name, arguments))
            snake = re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()
            handler = getattr(self, f"on_{snake}", lambda *_: ())
            return (self.results.get(name, SUCCESS), *handler(*arguments))

        return call

    def names(self):
        return [name for name, _ in self.calls]

    def on_cu_driver_get_version(self):
        return (self.version,)

    def on_cu_device_get_count(self):
        return (self.devices,)

    def on_cu_device_get(self, ordinal):
        return (ordinal,)

    def on_cu_device_get_name(self, length, device):
        return (b"Stand-in\0\0",)

    def on_cu_device_get_attribute(self, attribute, device):
        values = {"MAJOR": self.capability[0], "MINOR": self.capability[1], "OPTIN": 232448}
        values |= {"RATE": self.memory_clock, "WIDTH": 6144}
        return (values.get(attribute.name.rpartition("_")[2], 132),)

    def on_cu_device_primary_ctx_retain(self, device):
        return (bindings.CUcontext(0x1000 + device),)

    def on_cu_ctx_get_current(self):
        return (self.current,)

    def on_cu_ctx_push_current(self, context):
        self.current = context
        return ()

    def on_cu_ctx_pop_current(self):
        self.current = bindings.CUcontext(0)
        return (self.current,)

    def on_cu_module_load_data(self, image):
        return ("module",)

    def on_cu_module_load_data_ex(self, image, count, options, values):
        values[0][: len(self.log)] = self.log
        return ("jit module",)

    def on_cu_module_get_function(self, module, name):
        return ("function",)

    def on_cu_pointer_get_attribute(self, attribute, pointer):
        return (3,)

    def on_cu_mem_alloc(self, size):
        return (4096,)

    def on_cu_stream_create(self, flags):
        return ("stream",)

    def on_cu_thread_exchange_stream_capture_mode(self, mode):
        before, self.capture_mode = self.capture_mode, mode
        return (before,)

    def on_cu_stream_get_capture_info(self, stream):
        status = bindings.CUstreamCaptureStatus
        none, active = (
            status.CU_STREAM_CAPTURE_STATUS_NONE,
            status.CU_STREAM_CAPTURE_STATUS_ACTIVE,
        )
        return (active, 17, "graph", [], 0) if stream == self.captured else (none, 0, None, [], 0)

    def on_cu_event_create(self, flags):
        return ("event",)

    def on_cu_get_error_string(self, result):
        return (b"what the driver says",)

    def on_cu_get_proc_address(self, name, version, flags):
        assert name == b"cuTensorMapEncodeTiled"
        return (ctypes.cast(self.encode, ctypes.c_void_p).value, 0)

    def _encode(self, destination, dtype, rank, address, dims, strides, box, steps, *modes):
        self.encoded.append(
            (
                dtype,
                address,
                list((ctypes.c_uint64 * rank).from_address(dims)),
                list((ctypes.c_uint64 * (rank - 1)).from_address(strides)),
                list((ctypes.c_uint32 * rank).from_address(box)),
                modes,
            )
        )
        return self.encode_status
