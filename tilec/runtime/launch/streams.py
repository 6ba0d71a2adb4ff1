"""Finds the stream to launch on."""

import operator
import sys
from collections.abc import Callable, Iterable
from typing import Any

from tilec.runtime.args.arrays import DEFAULT_STREAM, is_torch, library_of
from tilec.runtime.errors import launch_error


def launch_stream(values: Iterable[Any]) -> int:
    """Return the stream on which a call with these arguments belongs.

    That is torch's current stream for the device of the first torch tensor, else CuPy's current
    stream if there is a CuPy array, else the legacy default stream, which waits for the others.
    """
    has_cupy = False
    for value in values:
        if is_torch(value):
            device = value.device
            if device.type == "cuda":
                return torch_stream(device.index or 0)
        elif library_of(value) == "cupy":
            has_cupy = True
    if has_cupy:
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return DEFAULT_STREAM


_raw_stream: Callable[[int], int] | None = None


def torch_stream(device: int) -> int:
    """Return the handle of torch's current stream on a device."""
    # torch builds a Stream object for `current_stream`; its compiled code asks for the bare
    # handle, which takes a tenth of the time. It is not documented, so it may be missing.
    global _raw_stream
    if _raw_stream is not None:
        return _raw_stream(device)
    torch = sys.modules["torch"]
    _raw_stream = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if _raw_stream is not None:
        return _raw_stream(device)
    return int(torch.cuda.current_stream(device).cuda_stream)


def stream_handle(stream: Any) -> int:
    """Return the raw handle of a stream that the caller gave.

    Args:
        stream: An integer handle, None for the default stream, or a stream object of torch
            (`cuda_stream`), CuPy or numba (`ptr`, `handle`), or one with `__cuda_stream__`.

    Raises:
        LaunchError: It is none of these.
    """
    if stream is None:
        return DEFAULT_STREAM
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    if not isinstance(stream, bool):
        try:
            handle = operator.index(stream)
        except TypeError:
            handle = -1
        if handle >= 0:
            return handle
    raise launch_error(
        "T0702",
        f"{stream!r} is no CUDA stream",
        hint="pass a stream of torch or CuPy, or its handle as an integer",
    )
