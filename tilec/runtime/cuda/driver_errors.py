"""Driver errors as readable `DeviceError`s (codes T08xx), each with its likely cause."""

from dataclasses import dataclass

from tilec.support.diagnostics import DeviceError, error

MINIMUM_CUDA = 12000
"""Oldest CUDA version of a usable driver: tensor maps and PTX ISA 8.0 came with CUDA 12.0."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Code and likely cause of one driver error."""

    code: str
    hint: str


_KERNEL_FAULT = (
    "a kernel that ran earlier in this process faulted, not necessarily this one; the context is "
    "lost, so restart the process; compute-sanitizer finds the access"
)
_LOAD = "the driver cannot load this code: rebuild the package for this GPU or update the driver"

_CAUSES: dict[str, Cause] = {
    "CUDA_ERROR_NO_DEVICE": Cause(
        "T0803", "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES"
    ),
    "CUDA_ERROR_NOT_INITIALIZED": Cause(
        "T0812",
        "CUDA does not survive a fork: use the GPU in the child only, or start the child with"
        " multiprocessing.get_context('spawn')",
    ),
    "CUDA_ERROR_INVALID_DEVICE": Cause("T0803", "there is no GPU with that number"),
    "CUDA_ERROR_STUB_LIBRARY": Cause(
        "T0801", "the stub libcuda of the toolkit was loaded: fix LD_LIBRARY_PATH"
    ),
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": Cause(
        "T0802", "libcuda and the kernel module differ in version: reboot or reinstall the driver"
    ),
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": Cause(
        "T0802", "the forward-compatibility libcuda does not support this GPU"
    ),
    "CUDA_ERROR_SYSTEM_NOT_READY": Cause(
        "T0803", "the GPU is not initialised: on NVSwitch systems start the fabric manager"
    ),
    "CUDA_ERROR_DEVICE_UNAVAILABLE": Cause(
        "T0803", "another process holds the GPU exclusively, or the GPU is in a failed state"
    ),
    "CUDA_ERROR_OUT_OF_MEMORY": Cause("T0807", "the GPU has too little free memory"),
    "CUDA_ERROR_NO_BINARY_FOR_GPU": Cause("T0806", _LOAD),
    "CUDA_ERROR_INVALID_IMAGE": Cause("T0806", _LOAD),
    "CUDA_ERROR_INVALID_PTX": Cause("T0806", _LOAD),
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": Cause("T0806", _LOAD),
    "CUDA_ERROR_JIT_COMPILER_NOT_FOUND": Cause(
        "T0806", "libnvidia-ptxjitcompiler of the driver is missing: reinstall the driver"
    ),
    "CUDA_ERROR_NOT_FOUND": Cause("T0806", "the code holds no kernel of that name"),
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": Cause(
        "T0809", "a block needs more registers or shared memory than an SM has free"
    ),
    "CUDA_ERROR_INVALID_CLUSTER_SIZE": Cause(
        "T0809", "no part of this GPU can hold a cluster of that size; MIG slices allow less"
    ),
    "CUDA_ERROR_INVALID_VALUE": Cause(
        "T0805", "an argument is out of range, or the stream belongs to another context"
    ),
    "CUDA_ERROR_INVALID_HANDLE": Cause(
        "T0805", "the stream or module is closed or belongs to another context"
    ),
    "CUDA_ERROR_INVALID_CONTEXT": Cause("T0805", "the device was reset or its context destroyed"),
    "CUDA_ERROR_CONTEXT_IS_DESTROYED": Cause(
        "T0805", "the device was reset or its context destroyed"
    ),
    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED": Cause(
        "T0810", "call the kernel once before the capture, so that it is compiled and loaded"
    ),
    "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED": Cause(
        "T0810", "an earlier call broke the capture of this stream"
    ),
    "CUDA_ERROR_ILLEGAL_ADDRESS": Cause("T0808", _KERNEL_FAULT),
    "CUDA_ERROR_MISALIGNED_ADDRESS": Cause("T0808", _KERNEL_FAULT),
    "CUDA_ERROR_ILLEGAL_INSTRUCTION": Cause("T0808", _KERNEL_FAULT),
    "CUDA_ERROR_INVALID_ADDRESS_SPACE": Cause("T0808", _KERNEL_FAULT),
    "CUDA_ERROR_INVALID_PC": Cause("T0808", _KERNEL_FAULT),
    "CUDA_ERROR_LAUNCH_FAILED": Cause("T0808", _KERNEL_FAULT),
    "CUDA_ERROR_ASSERT": Cause("T0808", "an assert of a kernel failed"),
    "CUDA_ERROR_LAUNCH_TIMEOUT": Cause("T0808", "a kernel ran longer than the display allows"),
    "CUDA_ERROR_ECC_UNCORRECTABLE": Cause("T0808", "the GPU reported a memory error"),
}
_UNKNOWN = Cause("T0805", "see the CUDA driver API reference for this error")


def driver_error(function: str, name: str, text: str, detail: str = "") -> DeviceError:
    """Return the error for a failed driver call.

    Args:
        function: Driver function, for example `cuLaunchKernelEx`.
        name: The driver's name of the error, for example `CUDA_ERROR_INVALID_VALUE`.
        text: The driver's description of it.
        detail: What was being done, or the log of the JIT compiler.
    """
    cause = _CAUSES.get(name, _UNKNOWN)
    suffix = f": {detail}" if detail else ""
    return DeviceError(
        error(cause.code, f"{function} failed with {name} ({text}){suffix}", hint=cause.hint)
    )


def no_driver(reason: str) -> DeviceError:
    """Return the error that libcuda, or the Python package for it, is missing."""
    return DeviceError(
        error(
            "T0801",
            f"no NVIDIA driver found: {reason.strip()}",
            hint="compiling and the CPU reference need none: pass NumPy arrays, or use "
            "'tilec run --device cpu'",
        )
    )


def old_driver(version: int) -> DeviceError:
    """Return the error that the driver is too old; `version` is 1000 * major + 10 * minor."""
    have = f"{version // 1000}.{version % 1000 // 10}"
    need = f"{MINIMUM_CUDA // 1000}.{MINIMUM_CUDA % 1000 // 10}"
    return DeviceError(
        error(
            "T0802",
            f"the NVIDIA driver supports CUDA {have} only; kernels need CUDA {need} or newer",
            hint="install driver 525 or newer",
        )
    )


def missing_function(function: str) -> DeviceError:
    """Return the error that the driver lacks a function that tilec calls."""
    return DeviceError(
        error(
            "T0802",
            f"the NVIDIA driver has no function '{function}'",
            hint="install driver 525 or newer",
        )
    )


def no_device() -> DeviceError:
    """Return the error that the driver sees no GPU."""
    return DeviceError(
        error(
            "T0803",
            "the NVIDIA driver sees no GPU",
            hint="check nvidia-smi and CUDA_VISIBLE_DEVICES",
        )
    )


def wrong_capability(target: str, needed: int, device: int, name: str, have: int) -> DeviceError:
    """Return the error that the GPU cannot run code for `target`."""
    return DeviceError(
        error(
            "T0804",
            f"code for {target} needs compute capability {needed // 10}.{needed % 10}, but device "
            f"{device} is {name} with {have // 10}.{have % 10}",
            hint="use a Hopper GPU (H100, H200, GH200)"
            if target == "sm_90a"
            else "compile for the architecture of this GPU",
        )
    )
