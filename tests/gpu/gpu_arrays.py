"""Moves test arrays between host memory and torch."""

import numpy as np

TORCH_NAMES = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "tf32": "float32",
    "f64": "float64",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}


def torch_dtype(torch, dtype):
    """Return torch's element type for a name of the language."""
    return getattr(torch, TORCH_NAMES[dtype])


def upload(torch, array):
    """Copy the memory behind a `HostArray` to the GPU.

    Returns:
        The whole memory as bytes, and the array as a strided view of it.
    """
    memory = torch.from_numpy(array.memory.view(np.uint8).copy()).cuda()
    typed = memory.view(torch_dtype(torch, array.dtype))
    return memory, typed.as_strided(array.shape, array.strides, array.offset)


def download(memory, array):
    """Copy the bytes of `upload` back into the memory of the `HostArray`."""
    array.memory.view(np.uint8)[:] = memory.cpu().numpy()
